// SPDX-License-Identifier: BSD-2-Clause-Patent
// What is counted and said of pairs, on lists of times that a reader can follow. All sentences and
// settings: test_pairing_ledger.cpp. The rules on random lists: test_pairing_recorded.cpp. Files:
// tests/pairing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "pairing/messages.h"
#include "pairing/offset_search.h"
#include "pairing/pairing.h"
#include "picture/sketch.h"

namespace vmafgpu::pairing_rules_test {
namespace {

constexpr int kNone = -1; ///< no partner

using Pairs = std::vector<std::vector<int64_t>>;

/// Times of a steady stream in milliseconds, as Matroska rounds them.
std::vector<int64_t> rounded(int count, double rate, int64_t first = 0)
{
    std::vector<int64_t> times;
    for (int i = 0; i < count; ++i)
        times.push_back(first + static_cast<int64_t>(i * 1000 / rate + 0.5));
    return times;
}

Pairs by_number(int count)
{
    Pairs pairs;
    for (int i = 0; i < count; ++i)
        pairs.push_back({i, i});
    return pairs;
}

/// A run of a rule on two lists of milliseconds, with a sketch for each frame: a grey level.
struct Trial {
    VmafGpuPairingSettings options;
    std::vector<int64_t> times[kInputs];
    std::vector<int> shown[kInputs];    ///< moments that frames show; empty: their numbers
    std::vector<int> disabled, damaged; ///< numbers of main frames
    int64_t furthest = 0;               ///< offset that is searched for

    Pairs pairs;
    Findings findings;
    Ledger ledger;
    std::vector<std::string> said; ///< "warning: ..."
    std::string fault;

    Trial(int rule, std::vector<int64_t> main, std::vector<int64_t> reference)
        : times{std::move(main), std::move(reference)}
    {
        vmafgpu_pairing_default(&options);
        options.rule = rule;
        for (VmafGpuPairingInput &input : options.input)
            input = {1, 1000, 25, 1};
    }

    void go()
    {
        PairingSettings settings = pairing_settings(options);
        settings.furthest = furthest;
        settings.search_frames = offset_frames(furthest);
        const auto rule = make_rule(settings, [this](const Frame &frame) { return sketch(frame); });
        int came[kInputs] = {};
        Decision decision;
        unsigned needs = 0;
        Rule::Status status = Rule::Status::kNeeds;
        while (status != Rule::Status::kEnd && status != Rule::Status::kRest) {
            status = rule->next(decision, needs);
            ledger.add(decision.facts);
            if (status == Rule::Status::kDecided)
                pairs.push_back({decision.main.number, decision.reference.number});
            for (const Input input : {kMain, kReference})
                if (status == Rule::Status::kNeeds && (needs >> input & 1) != 0)
                    bring(*rule, settings, input, came[input]++);
        }
        ledger.finish(0, false);
        findings = rule->findings();
        const Log log(
            [this](int level, const std::string &text) {
                said.push_back((level == VMAFGPU_LOG_WARNING ? "warning: " : "info: ") + text);
            },
            VMAFGPU_LOG_INFO);
        fault = log_messages(settings, ledger, findings, nullptr, log).fault;
    }

private:
    void bring(Rule &rule, const PairingSettings &settings, Input input, int number)
    {
        if (number >= static_cast<int>(times[input].size())) {
            rule.end(input);
            return;
        }
        Frame frame;
        frame.pts = times[input][static_cast<size_t>(number)];
        frame.time = nanoseconds(frame.pts, settings.base(input));
        frame.tag = static_cast<uint64_t>(input);
        frame.is_disabled = input == kMain && has(disabled, number);
        frame.is_damaged = input == kMain && has(damaged, number);
        rule.add(input, frame);
    }

    static bool has(const std::vector<int> &list, int number)
    {
        for (const int one : list)
            if (one == number)
                return true;
        return false;
    }

    const uint8_t *sketch(const Frame &frame)
    {
        const std::vector<int> &list = shown[frame.tag];
        const auto number = static_cast<size_t>(frame.number);
        const int level = list.empty() ? static_cast<int>(number) : list[number];
        std::vector<uint8_t> &made = sketches_[level];
        if (made.empty())
            made.assign(kSketchBytes, static_cast<uint8_t>(level * 5));
        return made.data();
    }

    std::map<int, std::vector<uint8_t>> sketches_;
};

// -------------------------------------------------------------- beginning

/// Main lacks the first frames, or has more of them; both clocks begin at 0.
Trial begin_off(int frames, int count = 40, int rule = VMAFGPU_PAIR_AUTO, int furthest = 0)
{
    Trial run(rule, rounded(count, 25), rounded(count + (frames > 0 ? frames : 0), 25));
    run.options.has_offset = furthest > 0 ? VMAFGPU_OFFSET_AUTO : VMAFGPU_OFFSET_NONE;
    run.furthest = furthest;
    for (int i = 0; i < count; ++i)
        run.shown[kMain].push_back((i + frames + 101) * 37 % 101); // neighbours are unlike
    for (int i = 0; i < count + std::max(frames, 0); ++i)
        run.shown[kReference].push_back((i + 101) * 37 % 101);
    run.go();
    return run;
}

TEST(PairingRules, SearchedOffset)
{
    for (const int rule : {VMAFGPU_PAIR_AUTO, VMAFGPU_PAIR_TIME, VMAFGPU_PAIR_INDEX})
        for (const int frames : {9, 0, -9}) {
            const Trial run = begin_off(frames, 80, rule, 24);
            for (int64_t i = 0; i < 80; ++i)
                EXPECT_EQ(run.pairs.at(static_cast<size_t>(i)),
                          (std::vector<int64_t>{i, i + frames < 0 ? kNone : i + frames}));
            EXPECT_EQ(run.findings.start, Start::kBySearch);
            EXPECT_EQ(run.findings.offset, frames);
            EXPECT_EQ(run.ledger.of(kReference).unpaired[kBegin], std::max(frames, 0));
            EXPECT_EQ(run.ledger.of(kMain).unpaired[kBegin], std::max(-frames, 0));
            EXPECT_EQ(
                run.said.at(1).rfind("info: offset=auto applied offset=" + std::to_string(frames) +
                                         ": where main moves, the pictures differ by",
                                     0),
                0U);
            EXPECT_EQ(run.fault.find("begins"), std::string::npos) << run.fault; // this is no loss
        }
    Trial still(VMAFGPU_PAIR_INDEX, rounded(80, 25), rounded(80, 25));
    still.options.has_offset = VMAFGPU_OFFSET_AUTO;
    still.furthest = 24;
    for (std::vector<int> &shown : still.shown)
        shown.assign(80, 7);
    EXPECT_THROW(still.go(), Error);
}

// ------------------------------------------------------------------- time

TEST(PairingRules, Rescale)
{
    EXPECT_EQ(rescale(1, {1, 2}, {1, 1}), 1); // halves away from zero
    EXPECT_EQ(rescale(-1, {1, 2}, {1, 1}), -1);
    EXPECT_EQ(rescale(3, {1001, 24000}, kNanosecond), 125125000);
    EXPECT_EQ(rescale(INT64_MAX, {1, 1}, kNanosecond), kNoTime);
    EXPECT_EQ(rescale(kNoTime, {1, 1}, {1, 1}), kNoTime);
    EXPECT_EQ(nanoseconds(-70LL * 365 * 86400, {1, 1}), kNoTime);
    EXPECT_EQ(common_base({1, 24}, {1, 1000}).den, 3000);
    EXPECT_EQ(common_base({1, 90000}, {1, 1000000}).den, 1000000);
}

TEST(PairingRules, TimeSkipsWhatMainDropped)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, 40, 160, 200}, {0, 40, 80, 120, 160, 200});
    run.go();
    EXPECT_EQ(run.pairs, (Pairs{{0, 0}, {1, 1}, {2, 4}, {3, 5}}));
    EXPECT_EQ(run.ledger.of(kReference).unpaired[kMiddle], 2);
    EXPECT_EQ(run.fault, "2 reference frames have no partner in main, the first at 0.080 s: main "
                         "dropped frames? They are not in the score");
}

TEST(PairingRules, TimeHoldsTheReference)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, 40, 80, 120, 160}, {0, 40, 160});
    run.go();
    EXPECT_EQ(run.pairs, (Pairs{{0, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 2}}));
    EXPECT_EQ(run.ledger.of(kReference).repeated, 2);
    EXPECT_EQ(run.fault, "2 pairs reuse a reference frame (main has 25.000 fps, reference 25.000)");
}

TEST(PairingRules, TimeDoesNotRepeatAtTheEnd)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, 40, 80, 120, 160}, {0, 40, 80});
    run.go();
    EXPECT_EQ(run.pairs, (Pairs{{0, 0}, {1, 1}, {2, 2}, {3, kNone}, {4, kNone}}));
    EXPECT_EQ(run.fault,
              "reference ends 2 frames (0.080 s) before main: those frames are not in the "
              "score");
}

TEST(PairingRules, OnePictureHoldsForAll)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, 40, 80}, {0});
    run.go();
    EXPECT_EQ(run.pairs, (Pairs{{0, 0}, {1, 0}, {2, 0}}));
    EXPECT_EQ(run.fault,
              "2 pairs reuse the only reference frame (if it is the cover of a file, name "
              "the streams: [0:V][1:V]vmaf_gpu)");
}

TEST(PairingRules, TimeWithoutPicturesIsUndecidedFarApart)
{
    Trial run(VMAFGPU_PAIR_TIME, rounded(8, 25, 120), rounded(8, 25));
    run.go();
    EXPECT_EQ(run.findings.start, Start::kUndecided);
    EXPECT_EQ(run.pairs[0], (std::vector<int64_t>{0, 3}));
    EXPECT_EQ(run.fault,
              "main begins 3 frames after reference and no pictures were compared: paired "
              "by time; if the first frames are equal use pair=index");
}

TEST(PairingRules, FramesWithoutTime)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, kNoTime, 80, 70, 160}, {0, 40, 80, 120, 160});
    run.go();
    EXPECT_EQ(run.pairs, by_number(5));
    EXPECT_EQ(run.ledger.of(kMain).without_time, 1);
    EXPECT_EQ(run.ledger.of(kMain).backward_time, 1);
    EXPECT_EQ(run.fault, "1 frame of main has no time: assumed 25.000 fps");
}

TEST(PairingRules, ShortestEndsWithTheShorter)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, 40, 80, 120, 160}, {0, 40, 80});
    run.options.shortest = 1;
    run.go();
    EXPECT_EQ(run.pairs, by_number(3));
    EXPECT_EQ(run.ledger.of(kMain).frames, 3); // the rule never decided about the others
    EXPECT_EQ(run.fault, "");
}

// ---------------------------------------------------------------- pictures

TEST(PairingRules, PicturesDecideTheBeginning)
{
    Trial run(VMAFGPU_PAIR_AUTO, rounded(40, 25, 120), rounded(40, 25));
    run.go();
    EXPECT_EQ(run.findings.start, Start::kPicturesFirst);
    EXPECT_EQ(run.pairs, by_number(40));
    EXPECT_EQ(run.said[1],
              "warning: main begins 3 frames after reference by its times, but the first pictures "
              "agree: paired by pictures (pair=time to trust the times)");
    EXPECT_EQ(run.fault, "");
}

TEST(PairingRules, PicturesDecideBetweenTwoTimes)
{
    // A phone's clip begins with a long frame; the encoder rounded its times to 1/30 s. The frames
    // are then nearly in the middle between two of the other input: by time it is the later one.
    std::vector<int64_t> main = {0}, reference = {0};
    for (int i = 0; i < 11; ++i) {
        main.push_back(200 + (i * 100 + 1) / 3);
        reference.push_back(185 + i * 100 / 3);
    }
    Trial run(VMAFGPU_PAIR_AUTO, main, reference);
    for (int i = 0; i < 12; ++i) { // unlike, but too alike for a correction of times
        run.shown[kMain].push_back(i * 3 + 1);
        run.shown[kReference].push_back(i * 3);
    }
    run.go();
    EXPECT_EQ(run.pairs, by_number(12));
    EXPECT_EQ(run.findings.corrections, 0);
    EXPECT_EQ(run.fault, "");
}

TEST(PairingRules, AGapIsNoOtherRate)
{
    // Main's times have a gap of one frame where no picture lacks; later 20 pictures lack, which
    // the times show.
    constexpr int kGap = 5, kLoss = 30, kLost = 20, kCount = 60;
    std::vector<int64_t> main;
    for (int i = 0; i < kCount; ++i)
        main.push_back(40 * (i + (i < kGap ? 0 : 1) + (i < kLoss ? 0 : kLost)));
    Trial run(VMAFGPU_PAIR_AUTO, main, rounded(kCount + kLost, 25));
    Pairs wanted;
    for (int i = 0; i < kCount + kLost; ++i)
        run.shown[kReference].push_back(i * 37 % 101); // neighbours are unlike
    for (int i = 0; i < kCount; ++i) {
        wanted.push_back({i, i + (i < kLoss ? 0 : kLost)});
        run.shown[kMain].push_back(static_cast<int>(wanted.back()[1]) * 37 % 101);
    }
    run.go();
    EXPECT_EQ(run.findings.start, Start::kTogether);
    EXPECT_EQ(run.pairs, wanted);
}

// --------------------------------------------------------------- framesync

TEST(PairingRules, FramesyncCountsWhatItPasses)
{
    Trial run(VMAFGPU_PAIR_FRAMESYNC, {0, 40, 120, 160}, {20, 40, 60, 80, 120, 160});
    run.disabled = {1};
    run.go();
    EXPECT_EQ(run.pairs, (Pairs{{0, kNone}, {1, 1}, {2, 4}, {3, 5}}));
    const VmafGpuInputCounts &main = run.ledger.of(kMain);
    const VmafGpuInputCounts &reference = run.ledger.of(kReference);
    EXPECT_EQ(run.ledger.pairs(), 2);
    EXPECT_EQ(main.frames, 4);
    EXPECT_EQ(main.disabled, 1);
    EXPECT_EQ(main.unpaired[kBegin], 1);
    EXPECT_EQ(reference.frames, 6);
    EXPECT_EQ(reference.disabled, 1);
    EXPECT_EQ(reference.unpaired[kBegin], 3);
}

// ------------------------------------------------------------------- counts

TEST(PairingRules, DisabledAndDamaged)
{
    Trial run(VMAFGPU_PAIR_TIME, rounded(5, 25), rounded(5, 25));
    run.disabled = {2};
    run.damaged = {4};
    run.go();
    EXPECT_EQ(run.ledger.pairs(), 4);
    EXPECT_EQ(run.ledger.of(kMain).frames, 5);
    EXPECT_EQ(run.ledger.of(kMain).disabled, 1);
    EXPECT_EQ(run.ledger.of(kReference).disabled, 1);
    EXPECT_EQ(run.ledger.of(kMain).damaged, 1);
    EXPECT_EQ(run.fault, "1 frame of main is damaged: the decoder reported errors");
}

} // namespace
} // namespace vmafgpu::pairing_rules_test
