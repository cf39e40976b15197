// SPDX-License-Identifier: BSD-2-Clause-Patent
// What is counted of pairs, every sentence that is said about them, and the settings that are
// refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "pairing/messages.h"
#include "pairing/settings.h"

namespace vmafgpu::pairing_ledger_test {
namespace {

Facts pair_of(int64_t number)
{
    Facts facts;
    facts.kind = VMAFGPU_MATCH_PAIR;
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
    Ledger ledger({3, 5, 7, 0});
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
    const Ledger nothing = chunk_of(4, 2); // the run ends before the chunk
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
        const Log log([&said](int, const std::string &text) { said.push_back(text); },
                      VMAFGPU_LOG_INFO);
        const Said all = log_messages(settings, ledger_, findings_, nullptr, log);
        fault_ = all.fault;
        warnings_ = all.warnings.size();
        return said;
    }
    std::string second() { return say().at(1); }

    VmafGpuPairingSettings options_;
    Ledger ledger_;
    Findings findings_;
    std::string fault_;
    size_t warnings_ = 0;
};

/// The cause is a warning and the fault; what follows from it is information.
TEST_F(PairingSentences, PicturesElsewhere)
{
    pair(0, 0);
    pair(1, 1);
    lone(kReference, 2);
    Mismatch &mismatch = findings_.pictures.elsewhere;
    mismatch = {132, 150, 6000 * kMillisecond, 3, 3, true, false};
    const std::vector<std::string> wanted = {
        "2 pairs of 2 main and 3 reference frames, 0 repeated, 1 unpaired",
        "from pair 150 (6.000 s) on, the pictures of 132 pairs agree with those that come 3 frames "
        "later in reference: main lacks frames there",
        "main ends 1 frame before reference: that frame is not in the score"};
    EXPECT_EQ(say(), wanted);
    EXPECT_EQ(fault_, wanted[1]);
    EXPECT_EQ(warnings_, 1U);
    mismatch.offset = -31;
    EXPECT_NE(second().find("31 frames earlier in reference: main has more frames there, or shows "
                            "blended pictures"),
              std::string::npos);
    mismatch.is_from_start = true;
    mismatch.start = -1;
    mismatch.pairs = 2;
    EXPECT_NE(second().find(" earlier in reference: use offset=-1"), std::string::npos);
    options_.rule = VMAFGPU_PAIR_FRAMESYNC;
    EXPECT_NE(second().find("use pair=auto:offset=-1"), std::string::npos);
    const std::string backwards = "agree with others far from theirs: main's frames are in "
                                  "another order";
    mismatch.pairs = 3; // an offset leaves one of them
    EXPECT_NE(second().find(backwards), std::string::npos);
    mismatch.start = 2; // the reference ends first
    EXPECT_NE(second().find(backwards), std::string::npos);
}

TEST_F(PairingSentences, PicturesUnrelated)
{
    pair(0, 0);
    Disagreement &pictures = findings_.pictures;
    pictures.unrelated.pairs = 120;
    pictures.unrelated.first = 30;
    pictures.unrelated.time = 1200 * kMillisecond;
    const std::string wanted =
        "from pair 30 (1.200 s) on, the pictures of 120 pairs do not belong together";
    EXPECT_EQ(second(), wanted);
    EXPECT_EQ(fault_, wanted);
    pictures.turn = Turn::kRotated;
    EXPECT_EQ(second(),
              wanted + ": main is turned by 180 degrees (FFmpeg's filters hflip,vflip mend it)");
    pictures.elsewhere = {40, 10, 0, 5, 5, true, false}; // begins first
    EXPECT_EQ(say().at(2).rfind(wanted, 0), 0U);
    EXPECT_EQ(fault_.rfind("from pair 10 ", 0), 0U);
}

/// Parts say it of their own pairs, and leave the warning to merging.
TEST_F(PairingSentences, PicturesOfParts)
{
    pair(0, 0);
    options_.is_part = 1;
    EXPECT_EQ(say().size(), 1U);
    EXPECT_EQ(warnings_, 8U) << "of none, whose counts merging adds up";
    findings_.pictures.unrelated.pairs = 7;
    findings_.pictures.unrelated.first = 150;
    EXPECT_EQ(second(),
              "from pair 150 (0.000 s) on, the pictures of 7 pairs do not belong together");
    EXPECT_EQ(fault_, second());
    EXPECT_EQ(warnings_, 8U);
}

/// A segment whose times and pictures agree is no fault.
TEST_F(PairingSentences, Excerpt)
{
    lone(kReference, 0);
    pair(0, 1);
    lone(kReference, 2);
    findings_.start = Start::kPicturesTime;
    findings_.start_frames = 17;
    say();
    EXPECT_EQ(fault_, "");
    EXPECT_EQ(warnings_, 0U);
    findings_.start_frames = 16;
    say();
    EXPECT_NE(fault_, "");
}

TEST_F(PairingSentences, LastFrameOfSlowerMain)
{
    rates(30, 60);
    pair(0, 0);
    lone(kReference, 1);
    say();
    EXPECT_EQ(fault_, "");
    lone(kReference, 2);
    say();
    EXPECT_NE(fault_, "");
}

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
              "equal: paired by time; if the first frames are equal use pair=index");
    EXPECT_EQ(fault_, second());
    findings_.start = Start::kByOption;
    EXPECT_EQ(say().size(), 1U);
}

TEST_F(PairingSentences, UndecidedWithoutPair)
{
    findings_.start = Start::kUndecided;
    findings_.start_frames = 100;
    lone(kMain, 0);
    lone(kReference, 0);
    const std::vector<std::string> wanted = {
        "0 pairs of 1 main and 1 reference frames, 0 repeated, 2 unpaired",
        "main begins 100 frames after reference and no pictures were compared: paired "
        "by time, which leaves no pair; if the first frames are equal use pair=index"};
    EXPECT_EQ(say(), wanted); // no second message that each begins before the other
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
        "main begins 1 frame before reference: that frame is not in the score",
        "1 main frame has no partner in reference, at 0.080 s. It is not in the score",
        "1 reference frame has no partner in main, at 0.040 s: main dropped frames? It is not in "
        "the score",
        "reference ends 1 frame before main: that frame is not in the score"};
    EXPECT_EQ(say(), wanted);
    EXPECT_EQ(fault_, wanted[1]);
    EXPECT_EQ(warnings_, 4U);
    findings_.corrections = 1;
    say();
    EXPECT_EQ(warnings_, 4U); // one of them is about the correction, from which the end follows
}

TEST_F(PairingSentences, SlowerMain)
{
    rates(25, 50);
    pair(0, 0);
    lone(kReference, 1);
    pair(1, 2);
    EXPECT_EQ(second(),
              "main has 25.000 and reference 50.000 frames per second: 1 reference frame is "
              "not compared");
    EXPECT_EQ(fault_, second());
}

TEST_F(PairingSentences, Repeats)
{
    pair(0, 0);
    pair(1, 0);
    pair(2, 1);
    EXPECT_EQ(second(), "1 pair reuses a reference frame");
    rates(50, 25);
    EXPECT_EQ(second(), "1 pair reuses a reference frame (main has 50.000 fps, reference 25.000)");
    options_.rule = VMAFGPU_PAIR_FRAMESYNC;
    EXPECT_EQ(second(), "1 pair reuses a reference frame (pair=auto aligns the inputs)");
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
        "and 24.000)",
        "both inputs have 2 frames but 2 pairs are not n-th with n-th: if they are the same frames "
        "use "
        "pair=index",
        "time distance of the pairs: median 2.000 ms, largest 2.000 ms"};
    EXPECT_EQ(say(), wanted);
    EXPECT_EQ(fault_, "");
    findings_.pictures.agreeing = 2; // the pictures say that no pair is wrong
    EXPECT_EQ(say().size(), 3U);
    rates(0, 24); // after setpts
    EXPECT_EQ(second(),
              "times and pictures disagreed 3 times, first at 1.500 s: followed the pictures");
    findings_.corrections = 1;
    EXPECT_EQ(second(),
              "times and pictures disagreed 1 time, first at 1.500 s: followed the pictures");
}

TEST_F(PairingSentences, FaultsOfFrames)
{
    Facts facts = pair_of(0);
    facts.used[kMain].lacks_time = facts.used[kReference].is_backward = true;
    facts.used[kReference].is_damaged = true;
    facts.used[kMain].lacks_grain = true;
    ledger_.add(facts);
    lone(kMain, 1);
    const std::vector<std::string> wanted = {
        "1 pairs of at least 2 main and 1 reference frames, 0 repeated, 1 unpaired",
        "1 frame of reference is damaged: the decoder reported errors",
        "1 frame of main has no time: assumed 25.000 fps",
        "1 frame of reference has a time that is not after that of the frame before: it was "
        "replaced",
        "1 frame of main has film grain that the decoder left off: viewers see it, and the score "
        "is as a rule lower with it; without -export_side_data film_grain before its -i the "
        "decoder adds it"};
    EXPECT_EQ(say(true), wanted); // no message that the reference ends first, since it was stopped
    EXPECT_EQ(fault_, wanted[1]);
}

/// Damage is the cause of pictures that do not agree, but not of frames that are missing.
TEST_F(PairingSentences, DamageIsSaidBeforePictures)
{
    Facts facts = pair_of(0);
    facts.used[kMain].is_damaged = true;
    ledger_.add(facts);
    findings_.pictures.unrelated.pairs = 24;
    ASSERT_EQ(say().size(), 3U);
    EXPECT_EQ(say()[1], "1 frame of main is damaged: the decoder reported errors");
    EXPECT_EQ(fault_, say()[1]);
    EXPECT_EQ(warnings_, 2U);
}

/// One jump in the times, not two inputs that end before each other.
TEST_F(PairingSentences, BothHaveFramesBehindTheLastPair)
{
    pair(0, 0);
    lone(kMain, 1);
    lone(kReference, 1);
    const std::string text =
        "the times of an input jump: at the end 1 main and 1 reference frames have no partner";
    EXPECT_EQ(second(), text + "; if both inputs have the same frames use pair=index");
    EXPECT_EQ(fault_, second());
    lone(kReference, 2);
    EXPECT_EQ(second(),
              text.substr(0, text.find("and ")) + "and 2 reference frames have no partner");
}

TEST_F(PairingSentences, TimesAreNoFaultWhereNumbersDecide)
{
    options_.rule = VMAFGPU_PAIR_INDEX;
    Facts facts = pair_of(0);
    facts.used[kMain].lacks_time = facts.used[kReference].is_backward = true;
    ledger_.add(facts);
    EXPECT_EQ(say().size(), 3U);
    EXPECT_EQ(fault_, "");
}

TEST_F(PairingSentences, GrainIsNoFault)
{
    Facts facts = pair_of(0);
    facts.used[kReference].lacks_grain = true;
    ledger_.add(facts);
    EXPECT_EQ(say().size(), 2U);
    EXPECT_EQ(fault_, "");
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
    EXPECT_EQ(refused([](auto &s) { s.rule = 4; }),
              "pairing: rule is 4; allowed: VmafGpuPairingRule");
    EXPECT_EQ(refused([](auto &s) { s.nearest = 1; }),
              "pairing: eof_action, repeatlast and ts_sync_mode need pair=framesync");
    EXPECT_EQ(refused([](auto &s) {
                  s.rule = VMAFGPU_PAIR_FRAMESYNC;
                  s.has_offset = 1;
              }),
              "pairing: offset has no meaning with pair=framesync, which eof_action, repeatlast "
              "and ts_sync_mode choose, too");
    EXPECT_EQ(refused([](auto &s) { s.has_offset = 3; }),
              "pairing: has_offset is 3; allowed: VmafGpuOffset");
    EXPECT_EQ(refused([](auto &s) {
                  s.has_offset = VMAFGPU_OFFSET_AUTO;
                  s.offset_window = 60;
              }),
              "");
    EXPECT_EQ(refused([](auto &s) { s.offset_window = 5; }),
              "pairing: offset_window has no meaning without offset=auto");
    EXPECT_EQ(refused([](auto &s) {
                  s.has_offset = VMAFGPU_OFFSET_GIVEN;
                  s.offset_window = 5;
              }),
              "pairing: offset_window has no meaning without offset=auto");
    EXPECT_EQ(refused([](auto &s) { s.offset_window = 0; }),
              "pairing: offset_window is 0; allowed: 1 to 60 seconds");
    EXPECT_EQ(refused([](auto &s) { s.offset_window = 61; }),
              "pairing: offset_window is 61; allowed: 1 to 60 seconds");
    EXPECT_EQ(refused([](auto &s) { s.input[1].time_base_den = 0; }),
              "pairing: time_base_den is 0; allowed: 1 or more");
}

TEST(PairingSettings, LargePicturesArePairedByTime)
{
    const auto adapted = [](int width, int height, int depth, int fixed) {
        VmafGpuPairingSettings options;
        vmafgpu_pairing_default(&options);
        options.has_fixed_pool = fixed;
        return adapted_to_pictures(pairing_settings(options),
                                   {width, height, depth, Chroma::k420, 0}, Log());
    };
    EXPECT_EQ(adapted(1920, 1080, 8, 0).name, "auto");
    EXPECT_EQ(adapted(1920, 1080, 8, 0).limit[kMain], 32);
    EXPECT_EQ(adapted(3840, 2160, 10, 0).limit[kMain], 4);
    EXPECT_EQ(adapted(3840, 2160, 10, 0).limit[kReference], 6);
    EXPECT_EQ(adapted(7680, 4320, 10, 0).name, "auto-without-pictures");
    EXPECT_EQ(adapted(320, 240, 8, 1).name, "auto-without-pictures");
}

/// How far an offset is searched for, and in how many frames; or why not.
std::string furthest(int width, int height, int depth, int fps, int fixed = 0, int other_fps = 0,
                     int rule = VMAFGPU_PAIR_INDEX, Chroma chroma = Chroma::k420)
{
    VmafGpuPairingSettings options;
    vmafgpu_pairing_default(&options);
    options.rule = rule;
    options.has_offset = VMAFGPU_OFFSET_AUTO;
    options.has_fixed_pool = fixed;
    options.input[kMain] = {1, 1000, fps, 1};
    options.input[kReference] = {1, 1000, other_fps, 1};
    PairingSettings settings = pairing_settings(options);
    try {
        settings = adapted_to_pictures(settings, {width, height, depth, chroma, 0}, Log());
    } catch (const Error &error) {
        return error.what();
    }
    return std::to_string(settings.furthest) + " in " + std::to_string(settings.search_frames);
}

TEST(PairingSettings, SearchLimits)
{
    EXPECT_EQ(furthest(1920, 1080, 8, 24), "120 in 169");
    EXPECT_EQ(furthest(1920, 1080, 8, 60), "300 in 349");
    EXPECT_EQ(furthest(1920, 1080, 8, 0), "125 in 174") << "no rate is known";
    EXPECT_EQ(furthest(1920, 1080, 8, 1), "24 in 73");
    EXPECT_EQ(furthest(640, 360, 8, 1000), "1250 in 1299") << "of a file of variable rate";
    EXPECT_EQ(furthest(3840, 2160, 8, 60), "104 in 129");
    EXPECT_EQ(furthest(3840, 2160, 8, 60, 0, 60, VMAFGPU_PAIR_AUTO, Chroma::k422), "72 in 97");
    EXPECT_EQ(furthest(3840, 2160, 8, 60, 0, 60, VMAFGPU_PAIR_AUTO, Chroma::k444), "39 in 64");
    EXPECT_EQ(furthest(640, 360, 8, 25, 0, 50), "250 in 299") << "by number";
    EXPECT_EQ(furthest(640, 360, 8, 30, 0, 30, VMAFGPU_PAIR_AUTO), "150 in 199");
    EXPECT_EQ(furthest(640, 360, 8, 25, 0, 50, VMAFGPU_PAIR_AUTO),
              "offset=auto: the frame rates of the inputs differ, so that no number of frames is "
              "their offset: give offset=N");
    EXPECT_EQ(furthest(3840, 2160, 10, 60), "39 in 64");
    EXPECT_EQ(furthest(7680, 4320, 10, 60),
              "offset=auto: the pictures are too large to hold 49 of each input: give offset=N");
    EXPECT_EQ(
        furthest(320, 240, 8, 25, 1),
        "offset=auto: main has few surfaces, which cannot wait until the offset is found: give "
        "offset=N, or copy them to memory (hwdownload)");
}

TEST(PairingText, OneIsOne)
{
    EXPECT_EQ(counted_text(1, " frames of main are damaged"), "1 frame of main is damaged");
    EXPECT_EQ(counted_text(2, " frames of main are damaged"), "2 frames of main are damaged");
    EXPECT_EQ(counted_text(1, " shots"), "1 shot");
    EXPECT_EQ(counted_text(2, " shots"), "2 shots");
    EXPECT_EQ(counted_text(1, " cuts are in main only: see shots in the log"),
              "1 cut is in main only: see shots in the log");
    for (const char *text : {" of 4 pairs repeat a main frame", "", " ", "x"})
        EXPECT_EQ(counted_text(1, text), std::string("1") + text);
}

} // namespace
} // namespace vmafgpu::pairing_ledger_test
