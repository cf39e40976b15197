// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device memory of a whole context, counted at the Device contract: at most 60 bytes a
// luma pixel for each pair in flight (docs/develop/architecture.md).
#include <cstdio>

#include <gtest/gtest.h>

#include "../check/forwarding_device.h"
#include "emu_fixture.h"
#include "gpu/device_executor.h"
#include "model/model.h"
#include "plan/score_plan.h"

namespace vmafgpu {
namespace {

/// Adds up what is allocated.
class CountingDevice final : public ForwardingDevice {
public:
    CountingDevice(std::unique_ptr<Device> device, size_t &bytes)
        : ForwardingDevice(std::move(device)), bytes_(bytes)
    {
    }
    void *alloc(size_t bytes) override
    {
        bytes_ += bytes;
        return ForwardingDevice::alloc(bytes);
    }

private:
    size_t &bytes_;
};

ScorePlan plan_of(const Format &format)
{
    std::vector<std::unique_ptr<Model>> models;
    for (const char *name : {"vmaf_v0.6.1", "vmaf_v0.6.1neg"}) {
        models.push_back(Model::load(name));
        models.back()->set_option("name", name);
    }
    return {format, Compat::k3_2, std::move(models), {}};
}

/// A black picture in host memory.
class Black {
public:
    explicit Black(const Format &format)
        : samples_(static_cast<size_t>(format.width * format.height * format.sample_bytes()))
    {
        picture_.width = format.width;
        picture_.height = format.height;
        picture_.depth = format.depth;
        picture_.plane[0] = {samples_.data(),
                             static_cast<ptrdiff_t>(format.width) * format.sample_bytes(), 0, 0};
    }
    std::shared_ptr<HeldPicture> held() const { return std::make_shared<HeldPicture>(picture_); }

private:
    std::vector<char> samples_;
    VmafGpuPicture picture_ = {};
};

/// A job of which only motion is computed: the emulator is slow.
Job quick_job(const ScorePlan &plan)
{
    Job job;
    job.is_kept = false;
    job.sums.assign(plan.sums_bytes() / sizeof(uint64_t), 0);
    return job;
}

/// Bytes a luma pixel and pair in flight.
double bytes_per_pixel(const Format &format, int ring)
{
    ScorePlan plan = plan_of(format);
    const Black black(format);
    size_t bytes = 0;
    DeviceExecutor executor(device_settings(format, ring), plan,
                            std::make_unique<CountingDevice>(open_emu(32), bytes));
    std::vector<Job> jobs;
    for (int i = 0; i < ring + plan.delay(); ++i)
        jobs.push_back(quick_job(plan));
    for (Job &job : jobs) // all pairs are in flight at a time
        executor.submit(job, executor.take(black.held(), false),
                        executor.take(black.held(), false));
    for (Job &job : jobs) {
        executor.wait(job);
        job.state.reset();
    }
    const double pairs = ring + plan.delay();
    return static_cast<double>(bytes) / (pairs * format.width * format.height);
}

TEST(DeviceMemory, AtMost60BytesAPixelAndPair)
{
    for (const int depth : {8, 10})
        for (const int ring : {1, 2, 4, 8, 16, 32, 64}) {
            const double bytes = bytes_per_pixel({640, 360, depth, Chroma::k400}, ring);
            std::printf("%d bit, ring %2d: %.1f bytes a luma pixel and pair\n", depth, ring, bytes);
            EXPECT_LE(bytes, 60) << depth << " bit, ring " << ring;
            EXPECT_GT(bytes, 2) << "two pictures at least";
        }
}

// Images are all that pictures take, but for the inbox that host pictures come through.
TEST(DeviceMemory, ImagesTakeWhatTheyAreSaidToTake)
{
    const Format format = {640, 360, 10, Chroma::k400};
    ScorePlan plan = plan_of(format);
    const Black black(format);
    size_t bytes = 0;
    DeviceExecutor executor(device_settings(format, 16), plan,
                            std::make_unique<CountingDevice>(open_emu(32), bytes));
    const size_t opened = bytes;
    size_t inbox = 0;
    EXPECT_GE(executor.image_bytes(), 640U * 360U * 2U);
    for (int i = 0; i < 20; ++i) { // each round reuses the memory of the one before
        const auto first = executor.take(black.held(), true);
        const auto second = executor.take(black.held(), false);
        inbox = i == 0 ? bytes - opened - 2 * executor.image_bytes() : inbox;
        EXPECT_EQ(bytes, opened + inbox + 2 * executor.image_bytes());
    }
    EXPECT_LE(inbox, 16U * 640U * 360U * 2U + 64U * 1024U); // an upload batch with its sketches
    Job job = quick_job(plan);
    executor.submit(job, executor.take(black.held(), false), executor.take(black.held(), false));
    const auto third = executor.take(black.held(), false); // the pair still has the other two
    EXPECT_EQ(bytes, opened + inbox + 3 * executor.image_bytes());
    executor.wait(job);
    executor.end_segment(); // motion's next pair would have looked at the reference
    const auto fourth = executor.take(black.held(), false);
    const auto fifth = executor.take(black.held(), false);
    EXPECT_EQ(bytes, opened + inbox + 3 * executor.image_bytes());
    job.state.reset();
}

} // namespace
} // namespace vmafgpu
