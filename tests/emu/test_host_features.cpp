// SPDX-License-Identifier: BSD-2-Clause-Patent
// Features that a device leaves to the host (Feature::runs_on_host): their Sums, and those of the
// device's features beside them, equal the CPU backend's for every kind of input. Real features
// are dressed up as host features here. Called by the test program test_emu.
#include <cerrno>
#include <set>

#include <gtest/gtest.h>

#include "../check/forwarding_device.h"
#include "../unit/fixture.h"
#include "cpu/cpu_executor.h"
#include "emu_fixture.h"
#include "gpu/device_executor.h"

namespace vmafgpu {
namespace {

/// A feature that only the host computes. Its kernels would throw.
class HostFeature final : public Feature {
public:
    HostFeature(std::unique_ptr<Feature> feature, bool is_failing)
        : feature_(std::move(feature)), is_failing_(is_failing)
    {
    }
    MemoryPlan plan() const override { return feature_->plan(); }
    int history() const override { return feature_->history(); }
    bool runs_on_host() const override { return true; }
    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        if (is_failing_)
            throw Error(ENOMEM, "the host feature failed");
        feature_->compute(pair, sums, scratch, pool);
    }
    void reference(const PairView &pair, void *sums) const override
    {
        feature_->reference(pair, sums);
    }
    void scores(const SumsWindow &window, double *const *out) const override
    {
        feature_->scores(window, out);
    }

private:
    std::unique_ptr<Feature> feature_;
    bool is_failing_;
};

enum class Input { kHost, kDevice, kMixed, kHostImages, kDeviceImages };

struct Setup {
    std::set<std::string> on_host = {};
    Input input = Input::kHost;
    int subsample = 1;
    bool is_failing = false;
    uint64_t deferred_polls = 0; ///< see EmuSettings
};

/// vif, adm and motion; those of setup.on_host are left to the host.
std::unique_ptr<ScorePlan> plan_of(const Format &format, const Setup &setup)
{
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(Model::load("vmaf_v0.6.1"));
    auto plan = std::make_unique<ScorePlan>(format, Compat::k3_2, std::move(models),
                                            std::vector<FeatureRequest>{});
    for (const ScorePlan::Group &group : plan->groups())
        if (setup.on_host.count(group.name) > 0) {
            auto &feature = const_cast<std::unique_ptr<Feature> &>(group.feature);
            feature = std::make_unique<HostFeature>(std::move(feature), setup.is_failing);
        }
    return plan;
}

/// Rows of 40 samples of 10 bits are 256 bytes apart.
constexpr size_t kPictureBytes = size_t{256} * 36;

/// Counts the pictures that come back from the device.
class CountingQueue final : public ForwardingQueue {
public:
    CountingQueue(std::unique_ptr<Queue> queue, int &count)
        : ForwardingQueue(std::move(queue)), count_(count)
    {
    }
    void download(void *host, const void *device, size_t bytes) override
    {
        count_ += bytes == kPictureBytes ? 1 : 0;
        ForwardingQueue::download(host, device, bytes);
    }

private:
    int &count_;
};

class CountingDevice final : public ForwardingDevice {
public:
    CountingDevice(std::unique_ptr<Device> device, int &count)
        : ForwardingDevice(std::move(device)), count_(count)
    {
    }
    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<CountingQueue>(ForwardingDevice::make_queue(), count_);
    }

private:
    int &count_;
};

constexpr size_t kPairs = 9;
constexpr size_t kSegment = 5; ///< pairs of the first segment

using Sums = std::vector<std::vector<uint64_t>>;

/// Runs kPairs pairs in two segments, as the engine would.
Sums run(Executor &executor, const ScorePlan &plan, const Setup &setup, TestRun &pairs)
{
    std::vector<Job> jobs(kPairs);
    for (size_t i = 0; i < kPairs; ++i) {
        if (i == kSegment)
            executor.end_segment();
        VmafGpuPicture pictures[2] = {pairs.reference[i]->picture, pairs.distorted[i]->picture};
        const bool is_mixed = setup.input == Input::kMixed;
        for (size_t k = 0; k < 2; ++k)
            if (setup.input == Input::kDevice || setup.input == Input::kDeviceImages ||
                (is_mixed && i % 2 == k)) // an emulated device reads the host's memory as its own
                pictures[k].memory = VMAFGPU_MEMORY_DEVICE;
        Job &job = jobs[i];
        job.index = static_cast<int64_t>(i);
        job.is_kept = i % static_cast<size_t>(setup.subsample) == 0;
        job.sums.assign(plan.sums_bytes() / sizeof(uint64_t), 0);
        const auto reference = std::make_shared<HeldPicture>(pictures[0]);
        const auto distorted = std::make_shared<HeldPicture>(pictures[1]);
        if (setup.input == Input::kHostImages || setup.input == Input::kDeviceImages)
            executor.submit(job, executor.take(reference, false), executor.take(distorted, false));
        else
            executor.submit(job, reference, distorted);
        if (i >= 3) // three pairs stay in flight
            executor.wait(jobs[i - 3]);
    }
    Sums sums;
    for (Job &job : jobs) {
        executor.wait(job);
        sums.push_back(job.sums);
        job.state.reset();
    }
    return sums;
}

struct Compared {
    Sums expected, got;
    int downloaded = 0; ///< pictures
};

Compared compare(const Setup &setup)
{
    const Format format = {40, 36, 10, Chroma::k400};
    TestSettings settings;
    settings.width = format.width;
    settings.height = format.height;
    settings.depth = format.depth;
    Compared result;
    {
        TestRun pairs = make_run(settings, kPairs);
        Setup on_cpu = setup;
        on_cpu.input = Input::kHost;
        const auto plan = plan_of(format, {});
        CpuExecutor executor(format, *plan, 2);
        result.expected = run(executor, *plan, on_cpu, pairs);
    }
    TestRun pairs = make_run(settings, kPairs);
    const auto plan = plan_of(format, setup);
    {
        DeviceExecutor executor(
            format, *plan, 4, 2,
            std::make_unique<CountingDevice>(open_emu(32, 1, 1, true, setup.deferred_polls),
                                             result.downloaded),
            nullptr, Log());
        result.got = run(executor, *plan, setup, pairs);
    }
    for (const auto *list : {&pairs.reference, &pairs.distorted})
        for (const auto &picture : *list) {
            EXPECT_EQ(1, picture->releases);
            EXPECT_FALSE(picture->was_released_elsewhere);
        }
    return result;
}

class HostFeatures : public testing::TestWithParam<Input> {};

TEST_P(HostFeatures, EqualTheCpu)
{
    for (const auto &on_host : std::vector<std::set<std::string>>{
             {"vif"}, {"motion"}, {"motion", "vif"}, {"adm", "motion", "vif"}})
        for (const int subsample : {1, 2, 3})
            for (const uint64_t polls : {0, 20}) { // a device that is slow
                const Compared result = compare({on_host, GetParam(), subsample, false, polls});
                EXPECT_EQ(result.expected, result.got)
                    << *on_host.begin() << ", " << subsample << ", " << polls;
            }
}

INSTANTIATE_TEST_SUITE_P(Inputs, HostFeatures,
                         testing::Values(Input::kHost, Input::kDevice, Input::kMixed,
                                         Input::kHostImages, Input::kDeviceImages));

// Only device pictures come back, each once, and only if a host feature needs them.
TEST(HostFeaturesCost, DownloadsAreThoseOfDevicePictures)
{
    EXPECT_EQ(0, compare({{}, Input::kDevice}).downloaded);
    EXPECT_EQ(0, compare({{"vif"}, Input::kHost}).downloaded);
    EXPECT_EQ(18, compare({{"vif", "motion"}, Input::kDevice}).downloaded);
    EXPECT_EQ(9, compare({{"vif"}, Input::kMixed}).downloaded);
    EXPECT_EQ(6, compare({{"vif"}, Input::kDevice, 3}).downloaded); // vif needs every third pair
    EXPECT_EQ(18, compare({{"vif"}, Input::kDeviceImages}).downloaded);
}

TEST(HostFeaturesFailure, IsThatOfThePair)
{
    for (const Input input : {Input::kHost, Input::kDevice}) {
        int code = 0;
        EXPECT_EQ("the host feature failed", error_of(
                                                 [&] {
                                                     compare({{"vif"}, input, 1, true});
                                                 },
                                                 &code));
        EXPECT_EQ(ENOMEM, code);
    }
}

} // namespace
} // namespace vmafgpu
