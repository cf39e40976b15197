// SPDX-License-Identifier: BSD-2-Clause-Patent
// Features that a device leaves to the host (no Feature::device()): their Sums, and those of the
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
    FeatureTraits traits() const override { return feature_->traits(); }
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

enum class Input { kHost, kDevice, kMixed };

struct RunSetup {
    std::set<std::string> on_host = {};
    Input input = Input::kHost;
    int subsample = 1;
    bool is_failing = false;
    uint64_t deferred_polls = 0;  ///< see EmuSettings
    int most_queues = 0;          ///< see DeviceTraits
    std::string refused = "none"; ///< how the names of kernels begin that the device refuses
};

/// vif, adm and motion; those of setup.on_host are left to the host.
std::unique_ptr<ScorePlan> plan_of(const Format &format, const RunSetup &setup)
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

/// Pictures that come back from the device.
struct Downloads {
    int count = 0;
    int failing = 0; ///< the number of the one that fails, from 1; 0: none
};

class CountingQueue final : public ForwardingQueue {
public:
    CountingQueue(std::unique_ptr<Queue> queue, Downloads &downloads, int most_queues)
        : ForwardingQueue(std::move(queue)), downloads_(downloads), most_queues_(most_queues)
    {
    }
    DeviceTraits traits() const override
    {
        DeviceTraits traits = ForwardingQueue::traits();
        traits.most_queues = most_queues_;
        return traits;
    }
    void download(void *host, const void *device, size_t bytes) override
    {
        if (bytes == kPictureBytes && ++downloads_.count == downloads_.failing)
            throw Error(ENOMEM, "the download failed");
        ForwardingQueue::download(host, device, bytes);
    }

private:
    Downloads &downloads_;
    int most_queues_;
};

class CountingDevice final : public ForwardingDevice {
public:
    CountingDevice(std::unique_ptr<Device> device, Downloads &downloads, const RunSetup &setup)
        : ForwardingDevice(std::move(device)), downloads_(downloads),
          most_queues_(setup.most_queues), refused_(setup.refused)
    {
    }
    std::string refusal(const char *kernel, unsigned threads) override
    {
        const bool is_refused = std::string(kernel).rfind(refused_, 0) == 0;
        return is_refused ? "no blocks of " + std::to_string(threads) : "";
    }
    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<CountingQueue>(ForwardingDevice::make_queue(), downloads_,
                                               most_queues_);
    }

private:
    Downloads &downloads_;
    int most_queues_;
    std::string refused_;
};

constexpr size_t kPairs = 9;
constexpr size_t kSegment = 5; ///< pairs of the first segment

using Sums = std::vector<std::vector<uint64_t>>;

/// Runs kPairs pairs in two segments, as the engine would.
Sums run(Executor &executor, const ScorePlan &plan, const RunSetup &setup, TestRun &pairs)
{
    std::vector<Job> jobs(kPairs);
    for (size_t i = 0; i < kPairs; ++i) {
        if (i == kSegment)
            executor.end_segment();
        VmafGpuPicture pictures[2] = {pairs.reference[i]->picture, pairs.distorted[i]->picture};
        const bool is_mixed = setup.input == Input::kMixed;
        for (size_t k = 0; k < 2; ++k)
            if (setup.input == Input::kDevice ||
                (is_mixed && i % 2 == k)) // an emulated device reads the host's memory as its own
                pictures[k].memory = VMAFGPU_MEMORY_DEVICE;
        Job &job = jobs[i];
        job.index = static_cast<int64_t>(i);
        job.is_kept = i % static_cast<size_t>(setup.subsample) == 0;
        job.sums.assign(plan.sums_bytes() / sizeof(uint64_t), 0);
        const auto reference = std::make_shared<HeldPicture>(pictures[0]);
        const auto distorted = std::make_shared<HeldPicture>(pictures[1]);
        executor.submit(job, executor.take(reference, false), executor.take(distorted, false));
        reference->own(); // the engine does so, too
        distorted->own();
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

const Format kFormat = {40, 36, 10, Chroma::k400};

TestRun make_pairs()
{
    TestSettings settings;
    settings.width = kFormat.width;
    settings.height = kFormat.height;
    settings.depth = kFormat.depth;
    return make_run(settings, kPairs);
}

Sums run_on_cpu(RunSetup setup)
{
    TestRun pairs = make_pairs();
    setup.input = Input::kHost;
    const auto plan = plan_of(kFormat, {});
    CpuExecutor executor(kFormat, *plan, 2);
    return run(executor, *plan, setup, pairs);
}

std::unique_ptr<DeviceExecutor> open_executor(ScorePlan &plan, const RunSetup &setup,
                                              Downloads &downloads, const Log &log = {})
{
    EngineSettings settings = device_settings(kFormat, 4, 2);
    settings.log = log;
    return std::make_unique<DeviceExecutor>(
        settings, plan,
        std::make_unique<CountingDevice>(open_emu(32, 1, 1, true, setup.deferred_polls), downloads,
                                         setup));
}

Compared compare(const RunSetup &setup)
{
    Compared result;
    result.expected = run_on_cpu(setup);
    TestRun pairs = make_pairs();
    const auto plan = plan_of(kFormat, setup);
    Downloads downloads;
    result.got = run(*open_executor(*plan, setup, downloads), *plan, setup, pairs);
    result.downloaded = downloads.count;
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

// Groups share queues, and pictures come back on the queue for copies.
TEST_P(HostFeatures, EqualTheCpuWithFewQueues)
{
    for (const auto &on_host : std::vector<std::set<std::string>>{{}, {"vif"}, {"motion", "vif"}})
        for (const int most_queues : {1, 3, 4}) {
            const Compared result = compare({on_host, GetParam(), 1, false, 20, most_queues});
            EXPECT_EQ(result.expected, result.got) << on_host.size() << ", " << most_queues;
        }
}

INSTANTIATE_TEST_SUITE_P(Inputs, HostFeatures,
                         testing::Values(Input::kHost, Input::kDevice, Input::kMixed));

// A feature with a kernel that the device refuses goes to the host, and the log says why.
TEST(HostFeaturesRefused, EqualTheCpuAndAreNamed)
{
    for (const char *refused : {"motion", "vif", "adm_scale3"})
        for (const Input input : {Input::kHost, Input::kDevice}) {
            const RunSetup setup = {{}, input, 2, false, 0, 0, refused};
            const Compared result = compare(setup);
            EXPECT_EQ(result.expected, result.got) << refused;
        }
    const auto plan = plan_of(kFormat, {});
    Downloads downloads;
    std::string said;
    RunSetup setup;
    setup.refused = "motion";
    const Log log([&](int, const std::string &line) { said += line; }, VMAFGPU_LOG_INFO);
    const auto mark = [&] {
        open_executor(*plan, setup, downloads, log);
    };
    mark();
    EXPECT_NE(std::string::npos, said.find("motion is not for emu32")) << said;
    EXPECT_NE(std::string::npos, said.find(": no blocks of ")) << said;
    for (const ScorePlan::Group &group : plan->groups())
        EXPECT_EQ(std::string("motion") == group.name, group.device() == nullptr) << group.name;
    setup.refused = "none"; // the next device has all
    mark();
    for (const ScorePlan::Group &group : plan->groups())
        EXPECT_NE(nullptr, group.device()) << group.name;
}

// Only device pictures come back, each once, and only if a host feature needs them.
TEST(HostFeaturesCost, DownloadsAreThoseOfDevicePictures)
{
    EXPECT_EQ(0, compare({{}, Input::kDevice}).downloaded);
    EXPECT_EQ(0, compare({{"vif"}, Input::kHost}).downloaded);
    EXPECT_EQ(18, compare({{"vif", "motion"}, Input::kDevice}).downloaded);
    EXPECT_EQ(9, compare({{"vif"}, Input::kMixed}).downloaded);
    EXPECT_EQ(6, compare({{"vif"}, Input::kDevice, 3}).downloaded); // vif needs every third pair
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

/// Submits one pair. The caller waits for it.
void submit(Executor &executor, const ScorePlan &plan, TestRun &pairs, size_t i, Job &job)
{
    job.index = static_cast<int64_t>(i);
    job.sums.assign(plan.sums_bytes() / sizeof(uint64_t), 0);
    const auto reference = std::make_shared<HeldPicture>(pairs.reference[i]->picture);
    const auto distorted = std::make_shared<HeldPicture>(pairs.distorted[i]->picture);
    executor.submit(job, executor.take(reference, false), executor.take(distorted, false));
    reference->own();
    distorted->own();
}

// A failed download of a picture is reported to the caller.
TEST(HostFeaturesFailure, ReachesTheCaller)
{
    const RunSetup setup = {{"motion"}, Input::kDevice};
    const auto plan = plan_of(kFormat, setup);
    for (const int failing : {3, 4}) { // downloads of the second pair
        Downloads downloads = {0, failing};
        TestRun pairs = make_pairs(); // outlives the executor, which may hold its pictures
        const auto executor = open_executor(*plan, setup, downloads);
        int code = 0;
        EXPECT_EQ("the download failed",
                  error_of([&] { run(*executor, *plan, setup, pairs); }, &code));
        EXPECT_EQ(ENOMEM, code);
    }
}

// Host pictures are read in place. Those of a pair that is done go back, but for the reference
// that the next pair's motion on the host needs; and that one when the segment ends.
TEST(HostFeaturesPictures, AreHeldAsLongAsTheyAreNeeded)
{
    for (const char *on_host : {"motion", "vif"}) {
        const RunSetup setup = {{on_host}};
        const auto plan = plan_of(kFormat, setup);
        const bool is_motion = std::string(on_host) == "motion";
        Downloads downloads;
        TestRun pairs = make_pairs();
        const auto executor = open_executor(*plan, setup, downloads);
        for (size_t i = 0; i < 3; ++i) {
            Job job;
            submit(*executor, *plan, pairs, i, job);
            executor->wait(job);
            EXPECT_EQ(1, pairs.distorted[i]->releases) << on_host;
            EXPECT_EQ(is_motion ? 0 : 1, pairs.reference[i]->releases) << on_host;
        }
        executor->end_segment();
        for (size_t i = 0; i < 3; ++i)
            EXPECT_EQ(1, pairs.reference[i]->releases) << on_host << " of pair " << i;
        // The segment ends while its last pair waits for the device.
        const RunSetup slow = {{on_host}, Input::kHost, 1, false, 20};
        TestRun later = make_pairs();
        const auto deferred = open_executor(*plan, slow, downloads);
        Job jobs[2];
        for (size_t i = 0; i < 2; ++i)
            submit(*deferred, *plan, later, i, jobs[i]);
        deferred->end_segment();
        for (Job &job : jobs)
            deferred->wait(job);
        for (size_t i = 0; i < 2; ++i)
            EXPECT_EQ(1, later.reference[i]->releases) << on_host << " of pair " << i;
    }
}

} // namespace
} // namespace vmafgpu
