// SPDX-License-Identifier: BSD-2-Clause-Patent
// Defects that other GPU implementations had (docs/history/regressions.md) and that need
// a whole engine on an emulated device to show. Called by the test program test_emu.

#include <gtest/gtest.h>

#include "../check/forwarding_device.h"
#include "../unit/fixture.h"
#include "emu_fixture.h"
#include "gpu/device_executor.h"

namespace vmafgpu {
namespace {

/// Counts what an emulated device makes.
class CountingDevice final : public ForwardingDevice {
public:
    CountingDevice(std::unique_ptr<Device> device, int *made)
        : ForwardingDevice(std::move(device)), made_(made)
    {
    }
    void *alloc(size_t bytes) override { return ++*made_, ForwardingDevice::alloc(bytes); }
    void *alloc_host(size_t bytes) override
    {
        return ++*made_, ForwardingDevice::alloc_host(bytes);
    }
    std::unique_ptr<Queue> make_queue() override
    {
        return ++*made_, ForwardingDevice::make_queue();
    }
    std::unique_ptr<Event> make_event() override
    {
        return ++*made_, ForwardingDevice::make_event();
    }

private:
    int *made_;
};

/// Allocation of pinned memory costs milliseconds on real drivers: all of it, and
/// every queue and event, is made when a context opens or with its first pairs.
TEST(EmuEngine, reg44_NothingIsAllocatedPerPair)
{
    const Format format = {32, 32, 8, Chroma::k400};
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(Model::load("vmaf_v0.6.1"));
    ScorePlan plan(format, Compat::k3_2, std::move(models), {});
    int made = 0;
    DeviceExecutor executor(device_settings(format, 3), plan,
                            std::make_unique<CountingDevice>(open_emu(64), &made));
    EXPECT_GT(made, 10);
    // An upload: 2 events, its launch count and sketches here and there, and its inbox likewise.
    // Images: the first two, and a third one since motion looks at the reference before.
    const int opened = made;
    const int expected = made + 6 + 3;
    TestSettings settings;
    settings.width = settings.height = 32;
    const TestRun run = make_run(settings, 9);
    for (size_t i = 0; i < run.reference.size(); ++i) {
        VmafGpuPicture pictures[2] = {run.reference[i]->picture, run.distorted[i]->picture};
        for (VmafGpuPicture &picture : pictures)
            picture.release = nullptr;
        Job job;
        job.index = job.position = static_cast<int64_t>(i);
        job.sums.assign(plan.sums_bytes() / sizeof(uint64_t), 0);
        executor.submit(job, executor.take(std::make_shared<HeldPicture>(pictures[0]), false),
                        executor.take(std::make_shared<HeldPicture>(pictures[1]), false));
        executor.wait(job);
        EXPECT_NE(job.sums, std::vector<uint64_t>(job.sums.size(), 0)) << i;
        EXPECT_EQ(i == 0 ? expected - 1 : expected, made) << i << " after " << opened;
    }
}

/// CPU threads asked for beside a device neither fail nor change a bit.
TEST(EmuEngine, reg53_ThreadsBesideADevice)
{
    TestSettings settings;
    settings.width = settings.height = 32;
    const std::vector<Row> expected = run_all(settings, 5);
    ASSERT_EQ(5U, expected.size());
    for (const char *device : {"emu32", "emu64"}) {
        settings.device = device;
        for (const int threads : {0, 1, 7}) {
            settings.threads = threads;
            SCOPED_TRACE(std::string(device) + " threads " + std::to_string(threads));
            expect_equal(expected, run_all(settings, 5));
        }
    }
}

} // namespace
} // namespace vmafgpu
