// SPDX-License-Identifier: BSD-2-Clause-Patent
// The GPU backends when calls of their driver fail: each call of a run in turn, from
// open to close, with several codes; a lost device; memory refused. Every failure ends
// in an error that names the call, nothing stays behind, and the next run is as if
// nothing had happened.
#include "driver_fixture.h"

#include <cerrno>
#include <map>

namespace vmafgpu {
namespace {

constexpr int kFrames = 3;
// CUDA and HIP give these the same numbers.
constexpr int kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kLaunchFailure = 719;

class DriverFailures : public testing::Test {
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
        expect_nothing_behind("clean");
        ASSERT_EQ(0, Standin::get().left());
    }

    void TearDown() override
    {
        Standin::get().fail("");
        const Outcome after = attempt(settings_, kFrames);
        EXPECT_EQ("", after.step) << after.text;
        EXPECT_EQ(clean_.rows, after.rows);
        expect_nothing_behind("after");
    }

    static void expect_nothing_behind(const std::string &what)
    {
        EXPECT_EQ(0, Standin::get().alive()) << what;
        EXPECT_EQ(0, Standin::get().misuses()) << what;
    }

    static bool makes_current(const std::string &call) { return call == vendor().make_current; }

    /// A run in which call `number` is the first that fails. Returns the step that failed.
    std::string expect_failure(const std::string &failures, int number, int code)
    {
        Standin::get().fail(failures);
        const Outcome outcome = attempt(settings_, kFrames);
        const std::string call = Standin::get().call(number);
        const std::string what = failures + " (" + call + "), step " + outcome.step + ": " +
                                 outcome.text + "\n" + outcome.log;
        expect_nothing_behind(what);
        // Memory that cannot be reached goes with its context. All other memory is freed, whatever
        // failed.
        if (!makes_current(call) && failures.compare(0, 4, "lost") != 0) {
            EXPECT_EQ(0, Standin::get().left()) << what;
        }
        // A lost device reports only its first failure.
        const std::string releasing = std::string(vendor().name) + ": while releasing";
        const size_t first = outcome.log.find(releasing);
        EXPECT_TRUE(code != EIO || first == std::string::npos ||
                    outcome.log.find(releasing, first + 1) == std::string::npos)
            << what;
        if (outcome.step.empty()) {
            // Only what merely gives back may fail like that (before the end: what the
            // self-test used). Then it is logged. After a lost device nothing goes on; the last
            // call before the end may be the one that gives the thread back.
            EXPECT_TRUE(code != EIO || number >= outcome.calls_before_close) << what;
            EXPECT_EQ(clean_.rows, outcome.rows) << what;
            // A device that is not there any more when it is opened: another one was taken.
            const bool is_passed_over = code == ENODEV && contains(outcome.log, "is passed over");
            EXPECT_TRUE((is_passed_over || contains(outcome.log, "while releasing")) &&
                        contains(outcome.log, call))
                << what;
            return is_passed_over ? "open" : "close";
        }
        EXPECT_LT(outcome.code, 0) << what;
        EXPECT_EQ(-code, outcome.code) << what;
        EXPECT_TRUE(contains(outcome.text, call)) << what;
        EXPECT_TRUE(contains(outcome.text, "stand-in's error")) << what;
        EXPECT_EQ(std::string::npos, outcome.text.find('\n')) << what;
        return outcome.step;
    }

    TestSettings settings_ = small_settings(vendor().backend);
    Outcome clean_;
    int calls_ = 0;
};

TEST_F(DriverFailures, EveryCallInTurn)
{
    const struct {
        int result, code;
    } kinds[] = {{kOutOfMemory, ENOMEM}, {kInvalidValue, EINVAL}, {kNoDevice, ENODEV}};
    std::map<std::string, int> steps;
    for (int number = 1; number <= calls_; ++number) {
        // Each call fails with the code of a lost device, and with one of the others in turn.
        const std::string call = std::to_string(number) + "=";
        ++steps[expect_failure(call + std::to_string(kLaunchFailure), number, EIO)];
        const auto &kind = kinds[number % 3];
        // The "no device" of the count of devices is said in other words.
        if (Standin::get().call(number) == vendor().device_count && kind.code == ENODEV)
            continue;
        expect_failure(call + std::to_string(kind.result), number, kind.code);
    }
    std::printf("%d calls:", calls_);
    for (const auto &[step, count] : steps)
        std::printf(" %d in %s", count, step.c_str());
    std::printf("\n");
    for (const char *step : {"open", "submit", "collect", "close"})
        EXPECT_GT(steps[step], 0) << step;
}

TEST_F(DriverFailures, LostForGood)
{
    for (int number = 1; number <= calls_; number += 3)
        expect_failure("lost#" + std::to_string(number) + "=719", number, EIO);
}

// The rule for lost devices: resources are freed, and those failures are not logged.
TEST_F(DriverFailures, LostDevicesAreFreed)
{
    const auto works_on = [](const std::string &call) {
        return call == "hipGetDevice" || call == "hipSetDevice" || call == "cuCtxPushCurrent" ||
               call == "cuCtxPopCurrent";
    };
    std::vector<int> numbers; // SetUp's run has left its calls
    for (int number = 1; number <= calls_; number += 3)
        if (!works_on(Standin::get().call(number)))
            numbers.push_back(number);
    ASSERT_GT(numbers.size(), 30u);
    for (const int number : numbers) {
        expect_failure("broken#" + std::to_string(number) + "=719", number, EIO);
        EXPECT_EQ(0, Standin::get().left()) << number;
    }
}

TEST_F(DriverFailures, MemoryRefused)
{
    for (const std::string call : {vendor().mem_alloc, vendor().host_alloc}) {
        Standin::get().fail(call + "#*=2");
        const Outcome outcome = attempt(settings_, kFrames);
        EXPECT_EQ("open", outcome.step);
        EXPECT_EQ(-ENOMEM, outcome.code) << outcome.text;
        EXPECT_TRUE(contains(outcome.text, call) && contains(outcome.text, "bytes"))
            << outcome.text;
        expect_nothing_behind(call);
    }
}

TEST_F(DriverFailures, AutoGoesOnWithTheCpu)
{
    Standin::get().fail(std::string(vendor().module_load) + "#*=719");
    const Outcome outcome = attempt(small_settings("auto"), kFrames);
    EXPECT_EQ("", outcome.step) << outcome.text;
    EXPECT_EQ(clean_.rows, outcome.rows);
    EXPECT_TRUE(contains(outcome.log, std::string("auto: ") + vendor().backend + " failed") &&
                contains(outcome.log, vendor().module_load))
        << outcome.log;
}

TEST_F(DriverFailures, TwoHundredContexts)
{
    expect_flat_cycles(settings_, 200, 4096); // the stand-in keeps a list of all calls
    EXPECT_EQ(0, Standin::get().alive());
}

} // namespace
} // namespace vmafgpu
