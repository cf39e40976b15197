// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HIP backend when calls of the runtime fail: each call of a run in turn, from
// open to close, with several codes; a lost device; memory refused. Every failure
// ends in an error that names the call, nothing stays behind, and the next run is
// as if nothing had been.
#include "hip_fixture.h"

#include <cerrno>

namespace vmafgpu {
namespace {

constexpr int kFrames = 3;

class HipFailures : public testing::Test {
protected:
    void SetUp() override
    {
        Standin::get().fail("");
        clean_ = attempt(settings_, kFrames);
        ASSERT_EQ("", clean_.step) << clean_.text;
        ASSERT_EQ(run_all(small_settings("cpu"), kFrames), clean_.rows);
        ASSERT_EQ("", clean_.log);
        calls_ = Standin::get().calls();
        ASSERT_GT(calls_, 100);
        ASSERT_EQ(0, Standin::get().alive());
        ASSERT_EQ(0, Standin::get().misuses());
    }

    void TearDown() override
    {
        Standin::get().fail("");
        const Outcome after = attempt(settings_, kFrames);
        EXPECT_EQ("", after.step) << after.text;
        EXPECT_EQ(clean_.rows, after.rows);
        EXPECT_EQ(0, Standin::get().misuses());
    }

    /// A run in which call `number` fails. Returns the step that failed.
    std::string expect_failure(const std::string &failures, int number, int code)
    {
        Standin::get().fail(failures);
        const Outcome outcome = attempt(settings_, kFrames);
        const std::string call = Standin::get().call(number);
        const std::string what = failures + " (" + call + "), step " + outcome.step + ": " +
                                 outcome.text + "\n" + outcome.log;
        EXPECT_EQ(0, Standin::get().alive()) << what;
        EXPECT_EQ(0, Standin::get().misuses()) << what;
        if (outcome.step.empty()) {
            // Only what merely gives back may fail like that (before the end: what the
            // self-test used), and then it is said. After a lost device nothing goes on.
            EXPECT_TRUE(code != EIO || number > outcome.calls_before_close) << what;
            EXPECT_EQ(clean_.rows, outcome.rows) << what;
            EXPECT_TRUE(contains(outcome.log, "while releasing") && contains(outcome.log, call))
                << what;
            return "close";
        }
        EXPECT_LT(outcome.code, 0) << what;
        EXPECT_EQ(-code, outcome.code) << what;
        EXPECT_TRUE(contains(outcome.text, call)) << what;
        EXPECT_TRUE(contains(outcome.text, "stand-in's error")) << what;
        EXPECT_EQ(std::string::npos, outcome.text.find('\n')) << what;
        return outcome.step;
    }

    TestSettings settings_ = small_settings("hip");
    Outcome clean_;
    int calls_ = 0;
};

TEST_F(HipFailures, EveryCallInTurn)
{
    const struct {
        int result, code;
    } kinds[] = {{kHipLaunchFailure, EIO},
                 {kHipOutOfMemory, ENOMEM},
                 {kHipInvalidValue, EINVAL},
                 {kHipNoDevice, ENODEV}};
    std::map<std::string, int> steps;
    for (int number = 1; number <= calls_; ++number) {
        // Each with the code of a lost device, and with one of the others in turn.
        ++steps[expect_failure(std::to_string(number) + "=719", number, EIO)];
        const auto &kind = kinds[1 + number % 3];
        // hipGetDeviceCount's "no device" is said in other words.
        if (Standin::get().call(number) == "hipGetDeviceCount" && kind.code == ENODEV)
            continue;
        expect_failure(std::to_string(number) + "=" + std::to_string(kind.result), number,
                       kind.code);
    }
    std::printf("%d calls:", calls_);
    for (const auto &[step, count] : steps)
        std::printf(" %d in %s", count, step.c_str());
    std::printf("\n");
    for (const char *step : {"open", "submit", "collect", "close"})
        EXPECT_GT(steps[step], 0) << step;
}

TEST_F(HipFailures, LostForGood)
{
    for (int number = 1; number <= calls_; number += 3)
        expect_failure("lost#" + std::to_string(number) + "=719", number, EIO);
}

TEST_F(HipFailures, MemoryRefused)
{
    for (const char *call : {"hipMalloc", "hipHostMalloc"}) {
        Standin::get().fail(std::string(call) + "#*=2");
        const Outcome outcome = attempt(settings_, kFrames);
        EXPECT_EQ("open", outcome.step);
        EXPECT_EQ(-ENOMEM, outcome.code) << outcome.text;
        EXPECT_TRUE(contains(outcome.text, call) && contains(outcome.text, "bytes"))
            << outcome.text;
        EXPECT_EQ(0, Standin::get().alive());
    }
}

TEST_F(HipFailures, AutoGoesOnWithTheCpu)
{
    Standin::get().fail("hipModuleLoadData#*=719");
    const Outcome outcome = attempt(small_settings("auto"), kFrames);
    EXPECT_EQ("", outcome.step) << outcome.text;
    EXPECT_EQ(clean_.rows, outcome.rows);
    EXPECT_TRUE(contains(outcome.log, "auto: hip failed") &&
                contains(outcome.log, "hipModuleLoadData"))
        << outcome.log;
}

TEST_F(HipFailures, NoDeviceIsSaidWithWhatToLookAt)
{
    Standin::get().fail("hipGetDeviceCount#*=100");
    const Outcome outcome = attempt(settings_, kFrames);
    EXPECT_EQ(-ENODEV, outcome.code);
    EXPECT_TRUE(contains(outcome.text, "no AMD GPU is visible") &&
                contains(outcome.text, "/dev/kfd") && contains(outcome.text, "render and video"))
        << outcome.text;
}

TEST_F(HipFailures, TwoHundredContexts)
{
    expect_flat_cycles(settings_, 200, 8192); // the stand-in keeps the names of all calls
    EXPECT_EQ(0, Standin::get().alive());
}

} // namespace
} // namespace vmafgpu
