// SPDX-License-Identifier: BSD-2-Clause-Patent
// The pairing rules with times that no good file has: 69 years apart, equal, falling, missing,
// random. Checked is what must hold for any times: every main frame is decided once and in order,
// the reference never goes back, only what was needed is asked for, every frame is counted, and it
// ends. scripts/ci/test-sanitizers.sh looks for overflows.
#include <gtest/gtest.h>

#include <vector>

#include "framesync_lists.h"
#include "pairing/ledger.h"
#include "pairing/pairing.h"
#include "picture/sketch.h"

namespace vmafgpu::pairing_any_times_test {
namespace {

constexpr int kRuns = 2000, kMostFrames = 120, kMostSteps = 100000, kPictures = 16;

class AnyTimes : public testing::Test {
protected:
    int64_t choose(int64_t count)
    {
        return static_cast<int64_t>(framesync_random(&state_, static_cast<uint64_t>(count)));
    }

    int64_t any_time() { return choose(2 * kMostTime) - kMostTime; }

    int64_t time_of(int kind, int64_t n)
    {
        const int64_t frame = 41708333;
        const int64_t times[] = {n * frame,
                                 n * frame + frame * 12,
                                 n * frame / 2,
                                 -n * frame,
                                 kMostTime,
                                 n * frame + (n > 20 ? 3600 : 0) * int64_t{1000000000},
                                 n % 7 != 0 ? n * frame : kNoTime,
                                 n < 1   ? -kMostTime
                                 : n < 2 ? kMostTime
                                         : kNoTime,
                                 -kMostTime + kMostTime / 100 * n,
                                 n != 0 ? kMostTime : -kMostTime,
                                 any_time(),
                                 choose(5) != 0 ? n * frame : any_time()};
        return times[kind];
    }

    PairingSettings settings();
    void run();

    uint64_t state_ = 0;
    std::vector<uint8_t> pictures_ = std::vector<uint8_t>(size_t{kPictures} * kSketchBytes);
};

PairingSettings AnyTimes::settings()
{
    static constexpr Rational rates[] = {{0, 1}, {24000, 1001}, {24, 1}, {1, 1}, {1, 2147483647}};
    PairingSettings settings;
    settings.rule = static_cast<int>(choose(4));
    settings.has_offset =
        !settings.is_framesync() && choose(4) == 0 ? VMAFGPU_OFFSET_GIVEN : VMAFGPU_OFFSET_NONE;
    settings.offset = choose(2) != 0 ? choose(41) - 20 : 1000000000 - 2000000000 * choose(2);
    settings.shortest = choose(4) == 0 ? 1 : 0;
    settings.nearest = choose(2) == 0 ? 1 : 0;
    settings.repeatlast = choose(3) != 0 ? 1 : 0;
    settings.limit[kMain] = 4 + static_cast<int>(choose(FrameQueue::kMost - 3));
    settings.limit[kReference] = 6 + static_cast<int>(choose(FrameQueue::kMost - 5));
    for (VmafGpuPairingInput &input : settings.input) {
        const Rational rate = rates[choose(5)];
        input = {kNanosecond.num, kNanosecond.den, rate.num, rate.den};
    }
    return settings;
}

void AnyTimes::run()
{
    const PairingSettings chosen = settings();
    const int kinds[] = {static_cast<int>(choose(12)), static_cast<int>(choose(12))};
    const int64_t frames[] = {choose(6) != 0 ? choose(kMostFrames) : choose(4),
                              choose(6) != 0 ? choose(kMostFrames) : choose(4)};
    for (uint8_t &sample : pictures_)
        sample = static_cast<uint8_t>(choose(256));
    const auto rule = make_rule(chosen, [this](const Frame &frame) {
        return &pictures_[static_cast<size_t>(frame.number % kPictures) * kSketchBytes];
    });
    Ledger ledger;
    Decision decision;
    int64_t came[kInputs] = {};
    int64_t last[kInputs] = {-1, -1};
    bool has_ended[kInputs] = {};
    for (int steps = 0;; ++steps) {
        unsigned needs = 0;
        ASSERT_LT(steps, kMostSteps);
        const Rule::Status status = rule->next(decision, needs);
        ledger.add(decision.facts);
        if (status == Rule::Status::kEnd || status == Rule::Status::kRest)
            break;
        if (status == Rule::Status::kDecided) {
            const int64_t step = decision.main.number - last[kMain];
            ASSERT_TRUE(step == 1 || (step == 0 && chosen.is_framesync()));
            last[kMain] = decision.main.number;
            if (decision.reference.exists()) {
                ASSERT_GE(decision.reference.number, last[kReference]);
            }
            last[kReference] =
                decision.reference.exists() ? decision.reference.number : last[kReference];
            continue;
        }
        ASSERT_NE(needs, 0U);
        for (const Input input : {kMain, kReference}) {
            if ((needs >> input & 1) == 0)
                continue;
            ASSERT_FALSE(has_ended[input]);
            has_ended[input] = came[input] == frames[input];
            if (has_ended[input]) {
                rule->end(input);
                continue;
            }
            Frame frame;
            frame.pts = frame.time = time_of(kinds[input], came[input]++);
            rule->add(input, frame);
        }
    }
    ledger.finish(0, false);
    for (int i = 0; i < kInputs; ++i) {
        const VmafGpuInputCounts &counts = ledger.of(i);
        EXPECT_EQ(counts.frames, ledger.pairs() - counts.repeated + all_unpaired(counts));
        if (chosen.shortest == 0) {
            EXPECT_EQ(counts.frames, came[i]);
        }
    }
}

TEST_F(AnyTimes, PairEnds)
{
    for (int i = 0; i < kRuns && !HasFatalFailure(); ++i) {
        state_ = 88172645463325252U + static_cast<uint64_t>(i) * 7919;
        SCOPED_TRACE(i);
        run();
    }
}

} // namespace
} // namespace vmafgpu::pairing_any_times_test
