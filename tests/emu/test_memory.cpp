// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device memory of a whole context, counted at the Device contract: at most 60 bytes a
// luma pixel for each pair in flight (docs/architecture.md).
#include <cstdio>

#include <gtest/gtest.h>

#include "core/score_plan.h"
#include "emu_fixture.h"
#include "gpu/device_executor.h"
#include "model/model.h"

namespace vmafgpu {
namespace {

/// Passes everything on and adds up what is allocated.
class CountingDevice : public Device {
public:
    CountingDevice(std::unique_ptr<Device> device, size_t &bytes)
        : device_(std::move(device)), bytes_(bytes)
    {
    }

    const VmafGpuDevice &info() const override { return device_->info(); }
    void *alloc(size_t bytes) override
    {
        bytes_ += bytes;
        return device_->alloc(bytes);
    }
    void free(void *memory) override { device_->free(memory); }
    void *alloc_host(size_t bytes) override { return device_->alloc_host(bytes); }
    void free_host(void *memory) override { device_->free_host(memory); }
    std::unique_ptr<Queue> make_queue() override { return device_->make_queue(); }
    std::unique_ptr<Event> make_event() override { return device_->make_event(); }

private:
    std::unique_ptr<Device> device_;
    size_t &bytes_;
};

/// Bytes a luma pixel and pair in flight.
double bytes_per_pixel(const Format &format, int ring)
{
    std::vector<std::unique_ptr<Model>> models;
    for (const char *name : {"vmaf_v0.6.1", "vmaf_v0.6.1neg"}) {
        models.push_back(Model::load(name));
        models.back()->set_option("name", name);
    }
    const ScorePlan plan(format, Compat::k3_2, std::move(models), {});
    size_t bytes = 0;
    const DeviceExecutor executor(
        format, plan, ring, std::make_unique<CountingDevice>(open_emu(32), bytes), nullptr, Log());
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

} // namespace
} // namespace vmafgpu
