// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory that runs out: each allocation of a run fails in turn, alone or with all that
// follow it. Every call of the API then returns an error (or does without), no exception
// leaves it, pictures that were taken are released once and others never, nothing stays
// allocated, and the next run is as if nothing had been. VMAFGPU_TEST_ALLOC=all tries every
// allocation, else a run has many alike (a model's numbers) of which some are tried.
#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>

#include "fail_malloc.h"
#include "fixture.h"

namespace vmafgpu {
namespace {

constexpr int kFrames = 4;
constexpr long kEach = 120;  ///< a step with at most this many allocations is tried with each
constexpr long kAtMost = 80; ///< allocations that are tried of a longer step

struct Outcome {
    std::string step; ///< step that failed first; empty: none
    int code = 0;
    std::string text;
    std::vector<Row> rows;
    double pooled = 0;
    std::map<std::string, long> calls; ///< allocations so far at the end of each step
    int submitted = 0;
};

/// A run through the API that allocates nothing of its own while allocations may fail.
class Run {
public:
    explicit Run(const char *device) : pairs_(make_run(settings(), kFrames)), device_(device)
    {
        out.rows.reserve(kFrames);
        for (Row &row : rows_)
            row.scores.resize(64);
    }

    void go(long first, long last)
    {
        fail_malloc_arm(first, last);
        load() && open() && feed() && drain() && pool() && write();
        const long before_close = fail_malloc_calls();
        vmafgpu_close(&ctx_);
        vmafgpu_model_free(&model_);
        const long end = fail_malloc_calls();
        fail_malloc_arm(0, 0);
        out.calls["write"] = before_close;
        out.calls["close"] = end;
        static const char *const names[] = {"load", "open", "submit", "collect", "pool"};
        for (int i = 0; i < 5; ++i)
            out.calls[names[i]] = calls_[i];
        out.step = step_;
        out.code = code_;
        out.text = text_;
        for (int i = 0; i < collected_; ++i)
            out.rows.push_back(rows_[i]);
        for (int i = 0; i < kFrames; ++i) {
            const int expected = i < out.submitted ? 1 : 0;
            EXPECT_EQ(expected, pairs_.reference[static_cast<size_t>(i)]->releases) << i;
            EXPECT_EQ(expected, pairs_.distorted[static_cast<size_t>(i)]->releases) << i;
        }
    }

    Outcome out;

private:
    static TestSettings settings()
    {
        TestSettings settings;
        settings.width = settings.height = 32;
        return settings;
    }

    bool is_good(const char *step, int code)
    {
        if (code >= 0)
            return true;
        if (ctx_ != nullptr) {
            EXPECT_EQ(-EIO, vmafgpu_flush(ctx_)) << step;
        }
        step_ = step;
        code_ = code;
        std::snprintf(text_, sizeof(text_), "%s",
                      error_.text[0] != '\0' ? error_.text : vmafgpu_error_text(ctx_));
        return false;
    }
    bool load()
    {
        const int code = vmafgpu_model_load(&model_, "vmaf_v0.6.1", &error_);
        calls_[0] = fail_malloc_calls();
        return is_good("load", code);
    }
    bool open()
    {
        VmafGpuSettings s;
        vmafgpu_settings_default(&s);
        s.width = s.height = 32;
        s.device = device_;
        s.models = &model_;
        s.model_count = 1;
        s.ring_depth = 2;
        s.threads = 2;
        s.log_level = VMAFGPU_LOG_VERBOSE;
        s.log = [](void *, int, const char *text) {
            EXPECT_NE(nullptr, text);
        };
        const int code = vmafgpu_open(&ctx_, &s, &error_);
        calls_[1] = fail_malloc_calls();
        return is_good("open", code);
    }
    bool collect_one(int code, const VmafGpuResult &result)
    {
        if (code != 0)
            return false;
        Row &row = rows_[collected_++];
        row.tag = result.tag;
        row.index = result.index;
        row.is_scored = result.scored != 0;
        row.scores.assign(result.scores, result.scores + result.score_count);
        return true;
    }
    bool feed()
    {
        VmafGpuResult result = {};
        while (out.submitted < kFrames) {
            const auto i = static_cast<size_t>(out.submitted);
            int code = vmafgpu_submit(ctx_, &pairs_.reference[i]->picture,
                                      &pairs_.distorted[i]->picture, 100 + i);
            if (code == 0) {
                ++out.submitted;
                continue;
            }
            if (code != -EAGAIN)
                return is_good("submit", code);
            code = vmafgpu_collect(ctx_, &result, 1);
            if (!collect_one(code, result))
                return is_good("collect", code);
        }
        calls_[2] = fail_malloc_calls();
        return is_good("flush", vmafgpu_flush(ctx_));
    }
    bool drain()
    {
        VmafGpuResult result = {};
        int code = 0;
        do
            code = vmafgpu_collect(ctx_, &result, collected_ % 2);
        while (collect_one(code, result) || code == -EAGAIN);
        calls_[3] = fail_malloc_calls();
        return code == -ENODATA || is_good("collect", code);
    }
    bool pool()
    {
        const int code = vmafgpu_pooled(ctx_, vmafgpu_model_score(ctx_, 0),
                                        VMAFGPU_POOL_HARMONIC_MEAN, &out.pooled);
        calls_[4] = fail_malloc_calls();
        return is_good("pooled", code);
    }
    bool write()
    {
        VmafGpuLog log = {};
        log.path = "/dev/null";
        log.format = "json";
        log.precision = 6;
        return is_good("write", vmafgpu_write_log(ctx_, &log));
    }

    TestRun pairs_;
    const char *device_;
    VmafGpuModel *model_ = nullptr;
    VmafGpuContext *ctx_ = nullptr;
    VmafGpuError error_ = {};
    Row rows_[kFrames];
    int collected_ = 0;
    long calls_[5] = {LONG_MAX, LONG_MAX, LONG_MAX, LONG_MAX, LONG_MAX};
    const char *step_ = "";
    int code_ = 0;
    char text_[600] = "";
};

Outcome attempt(const char *device, long first, long last)
{
    Run run(device);
    run.go(first, last);
    return run.out;
}

/// Blocks that a run leaves behind.
long growth(const char *device, long first, long last)
{
    const long before = fail_malloc_alive();
    attempt(device, first, last);
    return fail_malloc_alive() - before;
}

class Allocations : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override
    {
        setenv("VMAFGPU_EMU_THREADS", "1", 1);
        if (!is_cpu())
            fail_malloc_on_this_stack();
        for (int i = 0; i < 3; ++i) // allocations that happen only once are behind us after these
            clean_ = attempt(GetParam(), 0, 0);
        ASSERT_EQ("", clean_.step) << clean_.text;
        ASSERT_EQ(static_cast<size_t>(kFrames), clean_.rows.size());
        ASSERT_EQ(0, growth(GetParam(), 0, 0));
    }

    /// The allocations to try: many of those of the beginning of each step, some of the others.
    std::vector<long> choose() const
    {
        std::vector<long> chosen;
        const char *mode = std::getenv("VMAFGPU_TEST_ALLOC");
        const bool all = mode != nullptr && std::strcmp(mode, "all") == 0;
        long begin = 0;
        for (const char *step : {"load", "open", "submit", "collect", "pool", "write", "close"}) {
            const long end = clean_.calls.at(step);
            const long rest = std::max(0L, end - begin - kEach);
            const long stride = all ? 1 : std::max(1L, rest / kAtMost);
            for (long i = begin + 1; i <= end; i += i - begin < kEach ? 1 : stride)
                chosen.push_back(i);
            std::printf("%s: allocations %ld to %ld\n", step, begin + 1, end);
            begin = end;
        }
        return all || is_cpu() ? chosen : every(6, chosen); // the emulator is slow
    }

    static bool is_cpu() { return std::strcmp(GetParam(), "cpu") == 0; }
    static std::vector<long> every(size_t n, const std::vector<long> &numbers)
    {
        std::vector<long> some;
        for (size_t i = 0; i < numbers.size(); i += n)
            some.push_back(numbers[i]);
        return some;
    }

    void check(const std::vector<long> &chosen, bool is_for_good)
    {
        std::map<std::string, int> steps;
        for (const long first : chosen) {
            const long last = is_for_good ? LONG_MAX : first;
            const long before = fail_malloc_alive();
            const Outcome outcome = attempt(GetParam(), first, last);
            ++steps[outcome.step.empty() ? "none" : outcome.step];
            const std::string what = "allocation " + std::to_string(first) +
                                     (is_for_good ? " and later: " : ": ") + outcome.step + ": " +
                                     outcome.text;
            if (outcome.step.empty()) { // the run can do without this allocation
                EXPECT_TRUE(clean_.rows == outcome.rows) << what;
            } else {
                EXPECT_TRUE(outcome.code == -ENOMEM || outcome.code == -EIO) << what;
                EXPECT_NE("", outcome.text) << what;
                for (size_t i = 0; i < outcome.rows.size(); ++i)
                    EXPECT_TRUE(clean_.rows[i] == outcome.rows[i]) << what << ", row " << i;
            }
            // Threads' memory is kept for the next thread: a leak is what grows every time.
            bool is_leak = fail_malloc_alive() > before;
            for (int i = 0; i < 3 && is_leak; ++i)
                is_leak = growth(GetParam(), first, last) > 0;
            EXPECT_FALSE(is_leak) << what << ": a leak";
        }
        for (const auto &[step, count] : steps)
            std::printf("  %s: %d\n", step.c_str(), count);
        for (const char *step : {"load", "open", "submit", "collect"})
            EXPECT_GT(steps[step], 0) << step;
        const Outcome after = attempt(GetParam(), 0, 0);
        EXPECT_EQ("", after.step) << after.text;
        EXPECT_TRUE(clean_.rows == after.rows);
        EXPECT_EQ(clean_.pooled, after.pooled);
    }

    Outcome clean_;
};

TEST_P(Allocations, EachFails)
{
    check(choose(), false);
}

TEST_P(Allocations, NoneSucceedsAnyMore)
{
    check(every(3, choose()), true);
}

INSTANTIATE_TEST_SUITE_P(Devices, Allocations, testing::Values("cpu", "emu32"));

} // namespace
} // namespace vmafgpu
