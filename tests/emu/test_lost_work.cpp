// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device that now and then does not do what it was told, and says nothing: each
// launch and each fill of a run is lost in turn. The run must end in an error or have the
// right Sums. Called by the test program test_emu.
#include <cerrno>

#include <gtest/gtest.h>

#include "../check/forwarding_device.h"
#include "../unit/fixture.h"
#include "emu_fixture.h"
#include "gpu/device_executor.h"

namespace vmafgpu {
namespace {

/// Launches and fills so far, and which of them is lost (from 1; 0: none).
struct Work {
    int count = 0;
    int lost = 0;

    bool is_lost() { return ++count == lost; }
};

class LosingQueue final : public ForwardingQueue {
public:
    LosingQueue(std::unique_ptr<Queue> queue, Work &work)
        : ForwardingQueue(std::move(queue)), work_(work)
    {
    }

    void fill(void *device, int byte, size_t bytes) override
    {
        if (!work_.is_lost())
            ForwardingQueue::fill(device, byte, bytes);
    }

protected:
    void launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args) override
    {
        if (!work_.is_lost())
            ForwardingQueue::launch_raw(name, threads, grid, args);
    }

private:
    Work &work_;
};

class LosingDevice final : public ForwardingDevice {
public:
    LosingDevice(std::unique_ptr<Device> device, Work &work)
        : ForwardingDevice(std::move(device)), work_(work)
    {
    }
    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<LosingQueue>(ForwardingDevice::make_queue(), work_);
    }

private:
    Work &work_;
};

struct LossyRun {
    int opened = 0;        ///< launches and fills of the opening
    int count = 0;         ///< of the whole run
    int code = 0;          ///< of the error that ended it, 0 = none
    std::string error;     ///< its text
    std::vector<Job> jobs; ///< with their Sums
};

constexpr int kPairs = 5;

/// Some pairs through an executor, as the engine would; `memory`: of the pictures.
LossyRun run_losing(int lost, int wave_size, VmafGpuMemory memory)
{
    const Format format = {32, 32, 8, Chroma::k400};
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(Model::load("vmaf_v0.6.1"));
    const ScorePlan plan(format, Compat::k3_2, std::move(models), {});
    TestSettings settings;
    settings.width = settings.height = 32;
    const TestRun pairs = make_run(settings, kPairs);
    Work work;
    work.lost = lost;
    LossyRun run;
    run.jobs.resize(kPairs);
    DeviceExecutor executor(
        format, plan, 4, std::make_unique<LosingDevice>(open_emu(wave_size), work), nullptr, Log());
    run.opened = work.count;
    run.error = error_of(
        [&] {
            for (size_t i = 0; i < run.jobs.size(); ++i) {
                VmafGpuPicture pictures[2] = {pairs.reference[i]->picture,
                                              pairs.distorted[i]->picture};
                for (VmafGpuPicture &picture : pictures) {
                    picture.release = nullptr;
                    picture.memory = memory; // an emulated device reads the host's as its own
                }
                Job &job = run.jobs[i];
                job.index = job.position = static_cast<int64_t>(i);
                job.sums.assign(plan.sums_bytes() / sizeof(uint64_t), 0);
                executor.submit(job, std::make_shared<HeldPicture>(pictures[0]),
                                std::make_shared<HeldPicture>(pictures[1]));
                // Batches of two, and one of one.
                for (size_t k = i - 1; i % 2 == 1 && k <= i; ++k)
                    executor.wait(run.jobs[k]);
            }
            executor.wait(run.jobs.back());
        },
        &run.code);
    run.count = work.count;
    for (Job &job : run.jobs)
        job.state.reset(); // before the executor
    return run;
}

void expect_no_loss_unseen(int wave_size, VmafGpuMemory memory)
{
    const LossyRun clean = run_losing(0, wave_size, memory);
    ASSERT_EQ("", clean.error);
    ASSERT_GE(clean.count - clean.opened, 3 * 12); // three batches of VIF, ADM and motion
    for (int lost = 1; lost <= clean.count; ++lost) {
        const LossyRun run = run_losing(lost, wave_size, memory);
        // What the opening fills is there to show the loss of another fill.
        EXPECT_TRUE(lost <= clean.opened || run.code == EIO) << lost << " went unseen";
        if (run.code != 0) {
            EXPECT_NE(std::string::npos, run.error.find("lost work: of ")) << run.error;
            continue;
        }
        for (size_t i = 0; i < run.jobs.size(); ++i)
            EXPECT_EQ(clean.jobs[i].sums, run.jobs[i].sums) << lost << " lost, pair " << i;
    }
}

TEST(LostWork, reg57_LaunchesAndFills)
{
    expect_no_loss_unseen(32, VMAFGPU_MEMORY_HOST);
    expect_no_loss_unseen(64, VMAFGPU_MEMORY_HOST);
}

TEST(LostWork, reg57_LoadsOfDevicePictures)
{
    expect_no_loss_unseen(64, VMAFGPU_MEMORY_DEVICE);
}

} // namespace
} // namespace vmafgpu
