// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device that now and then does not do what it was told, and says nothing: each
// launch and each fill of a run is lost in turn. The run must end in an error or have the
// right Sums. And one that refuses a launch. Called by the test program test_emu.
#include <cerrno>

#include <gtest/gtest.h>

#include "../check/forwarding_device.h"
#include "../unit/fixture.h"
#include "emu_fixture.h"
#include "gpu/device_executor.h"
#include "picture/sketch.h"

namespace vmafgpu {
namespace {

/// Launches and fills so far, and which of them is lost (from 1; 0: none).
struct Work {
    int count = 0;
    int lost = 0;
    bool is_refused = false; ///< what is lost ends in an error

    bool is_lost()
    {
        if (++count != lost)
            return false;
        if (is_refused)
            throw Error(ENOMEM, "refused");
        return true;
    }
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
    int count = 0;         ///< launches and fills of the whole run
    int code = 0;          ///< code of the error that ended the run; 0: none
    std::string error;     ///< text of that error
    std::vector<Job> jobs; ///< jobs with their Sums
};

constexpr int kPairs = 5;

enum class Input { kImages, kSketchedImages };

constexpr Format kFormat = {32, 32, 8, Chroma::k400};

ScorePlan small_plan()
{
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(Model::load("vmaf_v0.6.1"));
    return {kFormat, Compat::k3_2, std::move(models), {}};
}

TestRun small_pairs(int count)
{
    TestSettings settings;
    settings.width = settings.height = 32;
    return make_run(settings, count);
}

/// Submits pair `i` as `job`. The images of it are freed as soon as that is done.
void submit(DeviceExecutor &executor, const ScorePlan &plan, const TestRun &pairs, size_t i,
            VmafGpuMemory memory, Input input, Job &job)
{
    VmafGpuPicture pictures[2] = {pairs.reference[i]->picture, pairs.distorted[i]->picture};
    for (VmafGpuPicture &picture : pictures) {
        picture.release = nullptr;
        picture.memory = memory; // an emulated device reads the host's as its own
    }
    job.index = job.position = static_cast<int64_t>(i);
    job.sums.assign(plan.sums_bytes() / sizeof(uint64_t), 0);
    const auto reference = std::make_shared<HeldPicture>(pictures[0]);
    const auto distorted = std::make_shared<HeldPicture>(pictures[1]);
    const bool is_sketched = input == Input::kSketchedImages;
    executor.submit(job, executor.take(reference, is_sketched),
                    executor.take(distorted, is_sketched));
}

/// Some pairs through an executor, as the engine would; `memory`: of the pictures.
LossyRun run_losing(int lost, int wave_size, VmafGpuMemory memory, Input input)
{
    ScorePlan plan = small_plan();
    const TestRun pairs = small_pairs(kPairs);
    Work work;
    work.lost = lost;
    LossyRun run;
    run.jobs.resize(kPairs);
    DeviceExecutor executor(device_settings(kFormat, 4), plan,
                            std::make_unique<LosingDevice>(open_emu(wave_size), work));
    run.opened = work.count;
    run.error = error_of(
        [&] {
            for (size_t i = 0; i < run.jobs.size(); ++i) {
                submit(executor, plan, pairs, i, memory, input, run.jobs[i]);
                // Batches of two, and one of one.
                for (size_t k = i - 1; i % 2 == 1 && k <= i; ++k)
                    executor.wait(run.jobs[k]);
            }
            executor.wait(run.jobs.back());
        },
        &run.code);
    run.count = work.count;
    for (Job &job : run.jobs)
        job.state.reset(); // destroyed before the executor
    return run;
}

void expect_no_loss_unseen(int wave_size, VmafGpuMemory memory, Input input = Input::kImages)
{
    const LossyRun clean = run_losing(0, wave_size, memory, input);
    ASSERT_EQ("", clean.error);
    ASSERT_GE(clean.count - clean.opened, 3 * 12); // three batches of VIF, ADM and motion
    for (int lost = 1; lost <= clean.count; ++lost) {
        const LossyRun run = run_losing(lost, wave_size, memory, input);
        // The opening fills memory to show that another fill was lost.
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

TEST(LostWork, SketchedImages)
{
    expect_no_loss_unseen(64, VMAFGPU_MEMORY_HOST, Input::kSketchedImages);
    expect_no_loss_unseen(64, VMAFGPU_MEMORY_DEVICE, Input::kSketchedImages);
}

// Loses, in turn, each launch or fill of an image that is only looked at.
TEST(LostWork, Sketches)
{
    ScorePlan plan = small_plan();
    const TestRun pairs = small_pairs(3);
    constexpr int kWork = 1 + 2 * 3; // a fill, then a copy and a sketch of each picture
    for (int lost = 0; lost <= kWork; ++lost) {
        Work work;
        DeviceExecutor executor(device_settings(kFormat, 4), plan,
                                std::make_unique<LosingDevice>(open_emu(32), work));
        const int opened = work.count;
        work.lost = lost == 0 ? 0 : opened + lost;
        int code = 0;
        std::vector<uint8_t> expected(kSketchBytes);
        const std::string error = error_of(
            [&] {
                for (const auto &stored : pairs.reference) { // the first memory, again and again
                    VmafGpuPicture picture = stored->picture;
                    picture.release = nullptr;
                    picture.memory = VMAFGPU_MEMORY_DEVICE;
                    const auto image = executor.take(std::make_shared<HeldPicture>(picture), true);
                    const uint8_t *sketch = executor.sketch(*image);
                    make_sketch(picture, expected.data());
                    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sketch)) << lost;
                }
            },
            &code);
        if (lost == 0) {
            EXPECT_EQ(0, code) << error;
            EXPECT_EQ(kWork, work.count - opened);
            continue;
        }
        EXPECT_EQ(EIO, code) << lost;
        EXPECT_NE(std::string::npos, error.find("lost work: of ")) << lost << ": " << error;
    }
}

// The pairs of the batch before it still have their Sums.
TEST(RefusedLaunch, NothingMoreIsScored)
{
    ScorePlan plan = small_plan();
    const TestRun pairs = small_pairs(2);
    const LossyRun clean = run_losing(0, 32, VMAFGPU_MEMORY_HOST, Input::kImages);
    Work work;
    std::vector<Job> jobs(2);
    DeviceExecutor executor(device_settings(kFormat, 4), plan,
                            std::make_unique<LosingDevice>(open_emu(32), work));
    int code = 0;
    for (size_t i = 0; i < jobs.size(); ++i) {
        submit(executor, plan, pairs, i, VMAFGPU_MEMORY_HOST, Input::kImages, jobs[i]);
        if (i == 0)
            executor.wait_idle(jobs[0]);
    }
    work.lost = work.count + 3; // after the picture's load and the fill of the Sums
    work.is_refused = true;
    EXPECT_EQ("refused", error_of([&] { executor.wait(jobs[1]); }, &code));
    EXPECT_EQ(ENOMEM, code);
    for (int again = 0; again < 2; ++again) {
        EXPECT_EQ("a batch could not be started before: nothing more can be scored",
                  error_of([&] { executor.wait(jobs[1]); }, &code));
        EXPECT_EQ(EIO, code);
    }
    executor.wait(jobs[0]);
    EXPECT_EQ(clean.jobs[0].sums, jobs[0].sums);
    for (Job &job : jobs)
        job.state.reset(); // destroyed before the executor
}

} // namespace
} // namespace vmafgpu
