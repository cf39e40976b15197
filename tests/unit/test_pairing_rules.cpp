// SPDX-License-Identifier: BSD-2-Clause-Patent
// Each pairing rule on lists of times that a reader can follow, and what the ledger counts and the
// messages say of it. Random lists: test_pairing_recorded.cpp. Files: tests/pairing.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "pairing/messages.h"
#include "pairing/settings.h"

namespace vmafgpu {
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
    std::vector<int> shown[kInputs];    ///< what frames show; empty: their numbers
    std::vector<int> disabled, damaged; ///< numbers of main frames

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
        const PairingSettings settings = pairing_settings(options);
        const auto rule = make_rule(settings, [this](const Frame &frame) { return sketch(frame); });
        int came[kInputs] = {};
        Decision decision;
        unsigned needs = 0;
        Rule::Status status = Rule::Status::kNeeds;
        while (status != Rule::Status::kEnd && status != Rule::Status::kRest) {
            status = rule->next(decision, needs);
            ledger.add(decision.facts);
            if (status == Rule::Status::kDecided)
                pairs.push_back({decision.main.number,
                                 decision.has_partner ? decision.reference.number : kNone});
            for (const Input input : {kMain, kReference})
                if (status == Rule::Status::kNeeds && (needs >> input & 1) != 0)
                    bring(*rule, settings, input, came[input]++);
        }
        ledger.finish(0, false);
        findings = rule->findings();
        Messages messages(settings, ledger, findings);
        messages.say_all(Log(
            [this](int level, const std::string &text) {
                said.push_back((level == VMAFGPU_LOG_WARNING ? "warning: " : "info: ") + text);
            },
            VMAFGPU_LOG_INFO));
        fault = messages.fault();
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
        frame.time = nanoseconds(frame.pts, settings.base[input]);
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

TEST(PairingRules, TimeForgivesRounding)
{
    Trial run(VMAFGPU_PAIR_TIME, rounded(60, 24000.0 / 1001), rounded(60, 24000.0 / 1001));
    for (int64_t &time : run.times[kReference])
        time += time % 3 - 1;
    run.go();
    EXPECT_EQ(run.pairs, by_number(60));
    EXPECT_EQ(run.fault, "");
    EXPECT_EQ(run.said.front(),
              "info: 60 pairs of 60 main and 60 reference frames, 0 repeated, 0 unpaired");
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
              "by time; if the first frames are equal use pair=index, else offset=3");
}

TEST(PairingRules, FramesWithoutTime)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, kNoTime, 80, 70, 160}, {0, 40, 80, 120, 160});
    run.go();
    EXPECT_EQ(run.pairs, by_number(5));
    EXPECT_EQ(run.ledger.of(kMain).without_time, 1);
    EXPECT_EQ(run.ledger.of(kMain).backward, 1);
    EXPECT_EQ(run.fault, "1 frames of main have no time: assumed 25.000 fps");
}

TEST(PairingRules, ShortestEndsWithTheShorter)
{
    Trial run(VMAFGPU_PAIR_TIME, {0, 40, 80, 120, 160}, {0, 40, 80});
    run.options.shortest = 1;
    run.go();
    EXPECT_EQ(run.pairs, by_number(3));
    EXPECT_EQ(run.ledger.of(kMain).frames, 3); // the others were never decided
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

TEST(PairingRules, PicturesThatAgreeWithTimes)
{
    Trial run(VMAFGPU_PAIR_AUTO, rounded(37, 25, 120), rounded(40, 25));
    for (int i = 0; i < 37; ++i)
        run.shown[kMain].push_back(i + 3);
    run.go();
    EXPECT_EQ(run.findings.start, Start::kPicturesTime);
    EXPECT_EQ(run.pairs.front(), (std::vector<int64_t>{0, 3}));
    EXPECT_EQ(run.pairs.back(), (std::vector<int64_t>{36, 39}));
}

TEST(PairingRules, StillPicturesDecideNothing)
{
    Trial run(VMAFGPU_PAIR_AUTO, rounded(40, 25, 120), rounded(40, 25));
    run.shown[kMain].assign(40, 7);
    run.shown[kReference].assign(40, 7);
    run.go();
    EXPECT_EQ(run.findings.start, Start::kUndecided);
    EXPECT_TRUE(run.findings.is_start_compared);
}

TEST(PairingRules, PicturesCorrectLostTimes)
{
    // Main lost its first two frames, and its times begin at 0 again.
    Trial run(VMAFGPU_PAIR_AUTO, rounded(38, 25), rounded(40, 25));
    for (int i = 0; i < 38; ++i)
        run.shown[kMain].push_back(i + 2);
    run.go();
    EXPECT_EQ(run.findings.corrections, 1);
    EXPECT_EQ(run.findings.shift, -80 * kMillisecond);
    EXPECT_EQ(run.pairs.front(), (std::vector<int64_t>{0, 2}));
    EXPECT_EQ(run.pairs.back(), (std::vector<int64_t>{37, 39}));
}

// ------------------------------------------------------------------- index

TEST(PairingRules, IndexIgnoresTimes)
{
    Trial run(VMAFGPU_PAIR_INDEX, {0, 10, kNoTime, 30}, {500, 100, 900});
    run.go();
    EXPECT_EQ(run.pairs, (Pairs{{0, 0}, {1, 1}, {2, 2}, {3, kNone}}));
}

TEST(PairingRules, IndexWithOffset)
{
    Trial ahead(VMAFGPU_PAIR_INDEX, {0, 40, 80}, {0, 40, 80, 120});
    ahead.options.has_offset = 1;
    ahead.options.offset = 2;
    ahead.go();
    EXPECT_EQ(ahead.pairs, (Pairs{{0, 2}, {1, 3}, {2, kNone}}));
    EXPECT_EQ(ahead.findings.start, Start::kByOption);
    EXPECT_EQ(ahead.ledger.of(kReference).unpaired[kBegin], 2);
    Trial behind(VMAFGPU_PAIR_INDEX, {0, 40, 80}, {0, 40});
    behind.options.has_offset = 1;
    behind.options.offset = -1;
    behind.go();
    EXPECT_EQ(behind.pairs, (Pairs{{0, kNone}, {1, 0}, {2, 1}}));
}

// --------------------------------------------------------------- framesync

Pairs framesync(void (*choose)(VmafGpuPairingSettings &), std::vector<int64_t> main,
                std::vector<int64_t> reference)
{
    Trial run(VMAFGPU_PAIR_FRAMESYNC, std::move(main), std::move(reference));
    choose(run.options);
    run.go();
    return run.pairs;
}

TEST(PairingRules, FramesyncOptions)
{
    const std::vector<int64_t> main = {0, 40, 80, 120};
    const std::vector<int64_t> early = {0, 39, 81};
    EXPECT_EQ(framesync([](auto &) {}, main, early), (Pairs{{0, 0}, {1, 1}, {2, 1}, {3, 2}}));
    EXPECT_EQ(framesync([](auto &s) { s.nearest = 1; }, main, early),
              (Pairs{{0, 0}, {1, 1}, {2, 2}, {3, 2}}));
    EXPECT_EQ(framesync([](auto &s) { s.eof_action = VMAFGPU_EOF_PASS; }, main, early),
              (Pairs{{0, 0}, {1, 1}, {2, 1}, {3, kNone}}));
    EXPECT_EQ(framesync([](auto &s) { s.repeatlast = 0; }, main, early),
              (Pairs{{0, 0}, {1, 1}, {2, 1}, {3, kNone}}));
    EXPECT_EQ(framesync([](auto &s) { s.shortest = 1; }, main, early),
              (Pairs{{0, 0}, {1, 1}, {2, 1}}));
    EXPECT_EQ(framesync([](auto &s) { s.eof_action = VMAFGPU_EOF_ENDALL; }, main, early),
              (Pairs{{0, 0}, {1, 1}, {2, 1}}));
    // Main's last frame meets what is left of the reference.
    EXPECT_EQ(framesync([](auto &) {}, {0, 40}, {0, 40, 80, 120}),
              (Pairs{{0, 0}, {1, 1}, {1, 2}, {1, 3}}));
}

TEST(PairingRules, FramesyncCountsWhatItPasses)
{
    Trial run(VMAFGPU_PAIR_FRAMESYNC, {0, 40, 120, 160}, {20, 40, 60, 80, 120, 160});
    run.disabled = {1};
    run.go();
    EXPECT_EQ(run.pairs, (Pairs{{0, kNone}, {1, 1}, {2, 4}, {3, 5}}));
    const InputCounts &main = run.ledger.of(kMain);
    const InputCounts &reference = run.ledger.of(kReference);
    EXPECT_EQ(run.ledger.pairs(), 2);
    EXPECT_EQ(main.frames, 4);
    EXPECT_EQ(main.disabled, 1);
    EXPECT_EQ(main.unpaired[kBegin], 1);
    EXPECT_EQ(reference.frames, 6);
    EXPECT_EQ(reference.disabled, 1);
    EXPECT_EQ(reference.unpaired[kBegin], 3);
}

// ------------------------------------------------------------------- counts

TEST(PairingLedger, DisabledAndDamaged)
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
    EXPECT_EQ(run.fault, "1 frames of main are damaged: the decoder reported errors");
}

Facts pair_of(int64_t number)
{
    Facts facts;
    facts.use = Facts::Use::kPair;
    facts.used[kMain].number = facts.used[kReference].number = number;
    return facts;
}

Facts lone_reference(int64_t number)
{
    Facts facts;
    facts.unpaired[kReference].emplace_back().number = number;
    return facts;
}

/// Pairs 3, 4, 5 ... of a run, of which 5 and 6 count.
Ledger chunk_of(int64_t last_pair, int reference_left)
{
    Ledger ledger({3, 5, 7, 0}, true);
    for (int64_t pair = 3; pair <= last_pair; ++pair)
        ledger.add(pair_of(pair - 3));
    for (int i = 0; i < reference_left; ++i)
        ledger.add(lone_reference(last_pair - 2 + i));
    ledger.finish(last_pair + 1, false);
    return ledger;
}

TEST(PairingLedger, ChunkCountsItsOwn)
{
    const Ledger whole = chunk_of(8, 2); // the next chunk counts the rest
    EXPECT_EQ(whole.pairs(), 2);
    EXPECT_EQ(whole.of(kReference).frames, 2);
    EXPECT_EQ(whole.of(kReference).unpaired[kEnd], 0);
    const Ledger last = chunk_of(6, 2); // the run ends with the chunk
    EXPECT_EQ(last.pairs(), 2);
    EXPECT_EQ(last.of(kReference).frames, 4);
    EXPECT_EQ(last.of(kReference).unpaired[kEnd], 2);
    EXPECT_EQ(last.of(kMain).frames, 2);
    const Ledger nothing = chunk_of(4, 2); // it ends before the chunk
    EXPECT_EQ(nothing.pairs(), 0);
    EXPECT_EQ(nothing.of(kReference).frames, 0);
}

TEST(PairingLedger, MedianDistance)
{
    Ledger ledger;
    for (int i = 0; i < 7; ++i) {
        Facts facts = pair_of(i);
        facts.distance = i < 3 ? 0 : -i;
        ledger.add(facts);
    }
    ledger.finish(7, false);
    EXPECT_EQ(ledger.median_distance(), 3);
    EXPECT_EQ(ledger.largest_distance(), 6);
}

TEST(PairingLedger, DistancesStayFew)
{
    Distances distances;
    for (int64_t i = 0; i < 100000; ++i)
        distances.add(i * 7);
    EXPECT_NEAR(static_cast<double>(distances.at(50000)), 350000, 700);
    EXPECT_EQ(distances.at(100000), 0);
}

// ---------------------------------------------------------------- sentences

class PairingSentences : public testing::Test {
protected:
    PairingSentences() { vmafgpu_pairing_default(&options_); }

    void rates(int main, int reference)
    {
        options_.input[VMAFGPU_MAIN].rate_num = main;
        options_.input[VMAFGPU_REFERENCE].rate_num = reference;
    }
    void pair(int64_t main, int64_t reference, int64_t distance = 0)
    {
        Facts facts = pair_of(main);
        facts.used[kReference].number = reference;
        facts.distance = distance;
        ledger_.add(facts);
    }
    void lone(Input input, int64_t number, int64_t milliseconds = 0)
    {
        Facts facts;
        facts.unpaired[input].emplace_back().number = number;
        facts.unpaired[input].back().time = milliseconds * kMillisecond;
        ledger_.add(facts);
    }
    /// Behind the summary, if the counts were not said.
    std::vector<std::string> say(bool is_stopped = false)
    {
        std::vector<std::string> said;
        const PairingSettings settings = pairing_settings(options_);
        ledger_.finish(0, is_stopped);
        Messages messages(settings, ledger_, findings_);
        messages.say_all(
            Log([&said](int, const std::string &text) { said.push_back(text); }, VMAFGPU_LOG_INFO));
        fault_ = messages.fault();
        return said;
    }
    std::string second() { return say().at(1); }

    VmafGpuPairingSettings options_;
    Ledger ledger_;
    Findings findings_;
    std::string fault_;
};

TEST_F(PairingSentences, Beginning)
{
    pair(0, 0);
    findings_.start_offset = -15 * kMillisecond;
    EXPECT_EQ(second(),
              "main begins 0.015 s before reference: aligned (pair=framesync for libvmaf's "
              "pairing)");
    findings_.start_frames = -2;
    findings_.start = Start::kPicturesFirst;
    EXPECT_EQ(second(),
              "main begins 2 frames before reference by its times, but the first pictures "
              "agree: paired by pictures (pair=time to trust the times)");
    findings_.start = Start::kPicturesTime;
    EXPECT_EQ(second(), "main begins 2 frames before reference, and the pictures agree");
    findings_.start = Start::kUndecided;
    findings_.is_start_compared = true;
    EXPECT_EQ(second(),
              "main begins 2 frames before reference and the pictures do not tell which are "
              "equal: paired by time; if the first frames are equal use pair=index, else "
              "offset=-2");
    EXPECT_EQ(fault_, second());
    findings_.start = Start::kByOption;
    EXPECT_EQ(say().size(), 1U);
}

TEST_F(PairingSentences, UndecidedWithoutPair)
{
    findings_.start = Start::kUndecided;
    findings_.start_frames = 100;
    lone(kMain, 0);
    EXPECT_EQ(second(),
              "main begins 100 frames after reference and no pictures were compared: paired "
              "by time, which leaves no pair; if the first frames are equal use pair=index");
}

TEST_F(PairingSentences, Unpaired)
{
    lone(kMain, 0);
    pair(1, 0);
    lone(kMain, 2, 80);
    lone(kReference, 1, 40);
    pair(3, 2);
    lone(kMain, 4);
    const std::vector<std::string> wanted = {
        "2 pairs of 5 main and 3 reference frames, 0 repeated, 4 unpaired",
        "main begins 1 frames before reference: those frames are not in the score",
        "1 main frames have no partner in reference, the first at 0.080 s. They are not in the "
        "score",
        "reference ends 1 frames before main: those frames are not in the score",
        "1 reference frames have no partner in main, the first at 0.040 s: main dropped frames? "
        "They "
        "are not in the score"};
    EXPECT_EQ(say(), wanted);
    EXPECT_EQ(fault_, wanted[1]);
}

TEST_F(PairingSentences, SlowerMain)
{
    rates(25, 50);
    pair(0, 0);
    lone(kReference, 1);
    pair(1, 2);
    EXPECT_EQ(second(),
              "main has 25.000 and reference 50.000 frames per second: 1 reference frames are "
              "not compared");
    EXPECT_EQ(fault_, second());
}

TEST_F(PairingSentences, Repeats)
{
    pair(0, 0);
    pair(1, 0);
    pair(2, 1);
    EXPECT_EQ(second(), "1 pairs reuse a reference frame");
    rates(50, 25);
    EXPECT_EQ(second(), "1 pairs reuse a reference frame (main has 50.000 fps, reference 25.000)");
    options_.rule = VMAFGPU_PAIR_FRAMESYNC;
    EXPECT_EQ(second(), "1 pairs reuse a reference frame (pair=auto aligns the inputs)");
    pair(2, 2);
    EXPECT_EQ(second(), "1 of 4 pairs repeat a main frame");
    EXPECT_EQ(fault_, second());
}

TEST_F(PairingSentences, Corrections)
{
    rates(25, 24);
    pair(0, 1, 2 * kMillisecond);
    pair(1, 0, -kMillisecond);
    findings_.corrections = 3;
    findings_.first_correction = 1500 * kMillisecond;
    const std::vector<std::string> wanted = {
        "2 pairs of 2 main and 2 reference frames, 0 repeated, 0 unpaired",
        "times and pictures disagreed 3 times, first at 1.500 s: followed the pictures (rates "
        "25.000 "
        "and 24.000; if both hold the same frames use pair=index or -r 25.000 before both -i)",
        "both inputs have 2 frames but 2 pairs are not n-th with n-th: if they are the same frames "
        "use "
        "pair=index",
        "time distance of the pairs: median 2.000 ms, largest 2.000 ms"};
    EXPECT_EQ(say(), wanted);
    EXPECT_EQ(fault_, "");
}

TEST_F(PairingSentences, FaultsOfFrames)
{
    Facts facts = pair_of(0);
    facts.used[kMain].lacks_time = facts.used[kReference].is_backward = true;
    facts.used[kReference].is_damaged = true;
    ledger_.add(facts);
    lone(kMain, 1);
    const std::vector<std::string> wanted = {
        "1 pairs of at least 2 main and 1 reference frames, 0 repeated, 1 unpaired",
        "1 frames of main have no time: assumed 25.000 fps",
        "1 frames of reference have a time that is not after that of the frame before: it was "
        "replaced",
        "1 frames of reference are damaged: the decoder reported errors"};
    EXPECT_EQ(say(true), wanted); // not that the reference ends first: it was stopped
}

// ----------------------------------------------------------------- settings

std::string refused(void (*choose)(VmafGpuPairingSettings &))
{
    VmafGpuPairingSettings settings;
    vmafgpu_pairing_default(&settings);
    choose(settings);
    try {
        pairing_settings(settings);
    } catch (const Error &error) {
        return error.what();
    }
    return "";
}

TEST(PairingSettings, Refused)
{
    EXPECT_EQ(refused([](auto &) {}), "");
    EXPECT_EQ(refused([](auto &s) { s.rule = 4; }), "pairing: rule is 4; allowed: VmafGpuPairingRule");
    EXPECT_EQ(refused([](auto &s) { s.nearest = 1; }),
              "pairing: rule is 0; allowed: VMAFGPU_PAIR_FRAMESYNC with eof_action, repeatlast and "
              "nearest");
    EXPECT_EQ(refused([](auto &s) {
                  s.rule = VMAFGPU_PAIR_FRAMESYNC;
                  s.has_offset = 1;
              }),
              "pairing: has_offset is 1; allowed: 0 with VMAFGPU_PAIR_FRAMESYNC");
    EXPECT_EQ(refused([](auto &s) { s.input[1].time_base_den = 0; }),
              "pairing: time_base_den is 0; allowed: 1 or more");
}

TEST(PairingSettings, LargePicturesArePairedByTime)
{
    const auto adapted = [](int width, int height, int depth, int fixed) {
        VmafGpuPairingSettings options;
        vmafgpu_pairing_default(&options);
        options.has_fixed_pool = fixed;
        PairingSettings settings = pairing_settings(options);
        adapt_to_pictures(settings, {width, height, depth, Chroma::k420, 0}, Log());
        return settings;
    };
    EXPECT_EQ(adapted(1920, 1080, 8, 0).name, "auto");
    EXPECT_EQ(adapted(1920, 1080, 8, 0).limit[kMain], 32);
    EXPECT_EQ(adapted(3840, 2160, 10, 0).limit[kMain], 4);
    EXPECT_EQ(adapted(3840, 2160, 10, 0).limit[kReference], 6);
    EXPECT_EQ(adapted(7680, 4320, 10, 0).name, "auto-without-pictures");
    EXPECT_EQ(adapted(320, 240, 8, 1).name, "auto-without-pictures");
}

} // namespace
} // namespace vmafgpu
