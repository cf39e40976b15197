// SPDX-License-Identifier: BSD-2-Clause-Patent
// vmafgpu_push() and vmafgpu_next(): frames in, pairs and counts out, on the CPU backend. Which
// frames meet is the question of test_pairing_rules.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <string>
#include <vector>

#include "api/context.h"
#include "fixture.h"

namespace vmafgpu::pairing_test {
namespace {

constexpr int kWidth = 64, kHeight = 48;

class PairingApi : public testing::Test {
protected:
    ~PairingApi() override { vmafgpu_close(&ctx_); }

    void open(int rule, int ring = 4, const VmafGpuChunk *chunk = nullptr)
    {
        VmafGpuError error = {};
        ASSERT_EQ(try_open(rule, ring, chunk, &error), 0) << error.text;
    }

    /// The text of the error, or "".
    std::string refusal(int rule, const VmafGpuChunk &chunk, int has_offset = 0, int shortest = 0)
    {
        VmafGpuError error = {};
        try_open(rule, 4, &chunk, &error, has_offset, shortest);
        return error.text;
    }

    int try_open(int rule, int ring, const VmafGpuChunk *chunk, VmafGpuError *error,
                 int has_offset = 0, int shortest = 0)
    {
        vmafgpu_close(&ctx_);
        VmafGpuSettings settings;
        vmafgpu_pairing_default(&pairing_);
        pairing_.rule = rule;
        pairing_.has_offset = has_offset;
        pairing_.shortest = shortest;
        pairing_.is_part = chunk != nullptr ? 1 : 0;
        for (VmafGpuPairingInput &input : pairing_.input)
            input = {1, 1000, 25, 1};
        vmafgpu_settings_default(&settings);
        settings.width = kWidth;
        settings.height = kHeight;
        settings.device = "cpu";
        settings.self_test = 0;
        settings.ring_depth = ring;
        settings.chunk = chunk;
        const VmafGpuFeature feature = {"motion", nullptr};
        settings.features = &feature;
        settings.feature_count = 1;
        settings.pairing = &pairing_;
        settings.log = [](void *opaque, int /*level*/, const char *text) {
            static_cast<PairingApi *>(opaque)->log_.emplace_back(text);
        };
        settings.log_opaque = this;
        return vmafgpu_open(&ctx_, &settings, error);
    }

    const VmafGpuPicture &make(int input, int content)
    {
        StoredPicture &stored =
            stored_.emplace_back(make_image(kWidth, kHeight, 8, content, input == VMAFGPU_MAIN));
        VmafGpuPicture &picture = stored.picture;
        for (int p = 1; p < 3; ++p)
            picture.plane[p] = picture.plane[0];
        return picture;
    }

    int push(int input, int content, int64_t time, int flags = 0)
    {
        return vmafgpu_push(ctx_, input, &make(input, content), time, flags,
                            static_cast<uint64_t>(time));
    }

    /// A clip of pairs that the caller has made. Main's pictures come `later` in the reference.
    void submit(int begin, int end, int later)
    {
        for (int i = begin; i < end; ++i) {
            const VmafGpuPicture &reference = make(VMAFGPU_REFERENCE, i);
            const VmafGpuPicture &main = make(VMAFGPU_MAIN, i + later);
            int status = 0;
            while ((status = vmafgpu_submit(ctx_, &reference, &main, static_cast<uint64_t>(i))) ==
                   -EAGAIN)
                ASSERT_TRUE(collect());
            ASSERT_EQ(status, 0) << vmafgpu_error_text(ctx_);
        }
        ASSERT_EQ(vmafgpu_flush(ctx_), 0);
        while (collect()) {
        }
        ASSERT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_END), 0);
        ASSERT_EQ(vmafgpu_pairing(ctx_, &report_), 0);
    }

    const std::vector<std::string> &warnings() const { return ctx_->run.warnings(); }

    /// Pushes all frames of two lists of times. Frame i shows moment first[input] + i.
    void run(const std::vector<int64_t> (&times)[2], int reason = VMAFGPU_FINISH_END, int wait = 1)
    {
        size_t next[2] = {};
        VmafGpuMatch match;
        int status = 0;
        while ((status = vmafgpu_next(ctx_, &match, wait)) != -ENODATA) {
            ASSERT_TRUE(status == 0 || status == -EAGAIN) << vmafgpu_error_text(ctx_);
            if (status == 0) {
                matches_.push_back(match);
            } else if (match.needs == 0) {
                ASSERT_TRUE(collect());
            }
            for (int i = 0; status != 0 && i < 2; ++i)
                if ((match.needs >> i & 1) != 0)
                    bring(i, times[i], next[i]++, (match.needs & VMAFGPU_NEEDS_COUNT) != 0);
        }
        ASSERT_EQ(vmafgpu_flush(ctx_), 0);
        while (collect()) {
        }
        ASSERT_EQ(vmafgpu_finish(ctx_, reason), 0);
        ASSERT_EQ(vmafgpu_pairing(ctx_, &report_), 0);
    }

    bool collect()
    {
        VmafGpuResult result;
        if (vmafgpu_collect(ctx_, &result, 1) != 0)
            return false;
        results_.push_back(result);
        return true;
    }

    std::vector<std::string> pairs() const
    {
        std::vector<std::string> list;
        for (const VmafGpuMatch &match : matches_)
            list.push_back(std::to_string(match.number[0]) + ":" + std::to_string(match.number[1]));
        return list;
    }

    VmafGpuContext *ctx_ = nullptr;
    VmafGpuPairingSettings pairing_ = {};
    std::deque<StoredPicture> stored_;
    std::vector<std::string> log_;
    std::vector<VmafGpuMatch> matches_;
    std::vector<VmafGpuResult> results_;
    VmafGpuPairing report_ = {};

private:
    void bring(int input, const std::vector<int64_t> &times, size_t number, bool is_counted)
    {
        if (number >= times.size())
            ASSERT_EQ(vmafgpu_push_end(ctx_, input), 0);
        else if (is_counted)
            ASSERT_EQ(vmafgpu_push(ctx_, input, nullptr, times[number], 0, 0), 0);
        else
            ASSERT_EQ(push(input, static_cast<int>(number), times[number]), 0);
    }
};

using Texts = std::vector<std::string>;

TEST_F(PairingApi, PairsCountsAndReleases)
{
    open(VMAFGPU_PAIR_TIME, 2);
    run({{0, 40, 160, 200}, {0, 40, 80, 120, 160, 200, 240, 280}});
    EXPECT_EQ(pairs(), (Texts{"0:0", "1:1", "2:4", "3:5"}));
    ASSERT_EQ(results_.size(), 4U);
    EXPECT_EQ(results_[2].index, 2);
    EXPECT_EQ(results_[2].tag, 160U);
    EXPECT_EQ(results_[2].time, 160);
    EXPECT_EQ(results_[2].reference_tag, 160U);
    EXPECT_EQ(matches_[3].index, 3);
    EXPECT_EQ(matches_[3].tag[VMAFGPU_REFERENCE], 200U);
    EXPECT_EQ(std::string(report_.rule), "time");
    EXPECT_EQ(report_.of[VMAFGPU_MAIN].frames, 4);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].frames, 8);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].unpaired[1], 2);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].unpaired[2], 2);
    EXPECT_EQ(report_.warnings, 2);
    EXPECT_EQ(warnings().back(),
              "main ends 2 frames (0.080 s) before reference: those frames are not in the score");
    EXPECT_EQ(std::string(vmafgpu_pairing_fault(ctx_)).substr(0, 40),
              "2 reference frames have no partner in ma");
    const size_t said = log_.size();
    EXPECT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_END), 0); // once only
    EXPECT_EQ(log_.size(), said);
    vmafgpu_close(&ctx_);
    for (const StoredPicture &stored : stored_)
        EXPECT_EQ(stored.releases, 1);
}

TEST_F(PairingApi, PicturesDecide)
{
    std::vector<int64_t> times[2];
    for (int i = 0; i < 30; ++i) {
        times[VMAFGPU_MAIN].push_back(120 + 40 * i);
        times[VMAFGPU_REFERENCE].push_back(40 * i);
    }
    for (const int wait : {0, 1}) {
        open(VMAFGPU_PAIR_AUTO);
        matches_.clear();
        run(times, VMAFGPU_FINISH_END, wait);
        ASSERT_EQ(matches_.size(), 30U);
        for (const VmafGpuMatch &match : matches_)
            EXPECT_EQ(match.number[0], match.number[1]);
        EXPECT_EQ(std::string(report_.start), "pictures_first");
        EXPECT_EQ(report_.shift, 0.12);
    }
}

TEST_F(PairingApi, WaitZeroAsksForMore)
{
    open(VMAFGPU_PAIR_AUTO);
    VmafGpuMatch match;
    match.index = 7;
    for (const int input : {VMAFGPU_MAIN, VMAFGPU_REFERENCE})
        ASSERT_EQ(push(input, 0, 0), 0);
    EXPECT_EQ(vmafgpu_next(ctx_, &match, 0), -EAGAIN);
    EXPECT_EQ(match.needs, VMAFGPU_NEEDS_MAIN); // the first one waits in its line
    EXPECT_EQ(match.index, 0) << "no pair of an earlier call is left";
    EXPECT_EQ(vmafgpu_next(ctx_, &match, 1), -EAGAIN);
    EXPECT_EQ(match.needs, VMAFGPU_NEEDS_MAIN | VMAFGPU_NEEDS_REFERENCE);
}

TEST_F(PairingApi, UnpairedAndDisabledEndTheSegment)
{
    open(VMAFGPU_PAIR_INDEX);
    VmafGpuMatch match;
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(push(VMAFGPU_MAIN, i, 40 * i, i == 2 ? VMAFGPU_PUSH_DISABLED : 0), 0);
        ASSERT_EQ(
            push(VMAFGPU_REFERENCE, i, 40 * i, i == 3 ? VMAFGPU_PUSH_DAMAGED : VMAFGPU_PUSH_GRAIN),
            0);
    }
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(vmafgpu_next(ctx_, &match, 1), 0);
        EXPECT_EQ(match.kind, VMAFGPU_MATCH_PAIR);
    }
    ASSERT_EQ(vmafgpu_next(ctx_, &match, 1), 0);
    EXPECT_EQ(match.kind, VMAFGPU_MATCH_DISABLED);
    EXPECT_EQ(match.index, -1);
    EXPECT_TRUE(collect());
    EXPECT_TRUE(collect()); // final without a next pair
    EXPECT_FALSE(collect());
    ASSERT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_STOPPED), 0);
    ASSERT_EQ(vmafgpu_pairing(ctx_, &report_), 0);
    EXPECT_EQ(report_.at_least, 1);
    EXPECT_EQ(report_.of[VMAFGPU_MAIN].frames, 3); // frames that wait do not count
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].disabled, 1);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].damaged, 0);
    EXPECT_EQ(report_.of[VMAFGPU_MAIN].film_grain, 0);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].film_grain, 3);
    ASSERT_GE(log_.size(), 2U);
    EXPECT_EQ(log_[log_.size() - 2],
              "2 pairs of at least 3 main and 3 reference frames, 0 repeated, 0 unpaired");
}

TEST_F(PairingApi, StoppedCountsWhatWasCollected)
{
    open(VMAFGPU_PAIR_INDEX, 3);
    VmafGpuMatch match;
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(push(VMAFGPU_MAIN, i, 40 * i), 0);
        ASSERT_EQ(push(VMAFGPU_REFERENCE, i, 40 * i), 0);
    }
    int pairs = 0;
    while (vmafgpu_next(ctx_, &match, 1) == 0)
        ++pairs;
    EXPECT_EQ(pairs, 4);       // the ring, and the one that motion waits for
    EXPECT_EQ(match.needs, 0); // the engine's ring is full
    EXPECT_TRUE(collect());
    ASSERT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_END), -EBUSY);
    VmafGpuResult result;
    ASSERT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_STOPPED), 0);
    EXPECT_EQ(vmafgpu_collect(ctx_, &result, 1), 0); // too late to count
    ASSERT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_STOPPED), 0);
    ASSERT_EQ(vmafgpu_pairing(ctx_, &report_), 0);
    EXPECT_EQ(report_.pairs, 1);
    EXPECT_EQ(report_.of[VMAFGPU_MAIN].frames, 1);
}

TEST_F(PairingApi, CutDropsWhatWasNotCollected)
{
    open(VMAFGPU_PAIR_INDEX);
    VmafGpuMatch match;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(push(VMAFGPU_MAIN, i, 40 * i), 0);
        ASSERT_EQ(push(VMAFGPU_REFERENCE, i, 40 * i), 0);
        ASSERT_EQ(vmafgpu_next(ctx_, &match, 1), 0);
    }
    EXPECT_TRUE(collect());
    ASSERT_EQ(vmafgpu_cut(ctx_), 0);
    ASSERT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_END), 0); // nothing is left to collect
    ASSERT_EQ(vmafgpu_pairing(ctx_, &report_), 0);
    EXPECT_EQ(report_.of[VMAFGPU_MAIN].frames, 1);
}

TEST_F(PairingApi, RestIsCountedAndReleased)
{
    open(VMAFGPU_PAIR_INDEX);
    VmafGpuMatch match;
    ASSERT_EQ(push(VMAFGPU_MAIN, 0, 0), 0);
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(push(VMAFGPU_REFERENCE, i, 40 * i), 0);
    ASSERT_EQ(vmafgpu_push_end(ctx_, VMAFGPU_MAIN), 0);
    ASSERT_EQ(vmafgpu_next(ctx_, &match, 1), 0);
    ASSERT_EQ(vmafgpu_next(ctx_, &match, 1), -EAGAIN);
    EXPECT_EQ(match.needs, VMAFGPU_NEEDS_REFERENCE | VMAFGPU_NEEDS_COUNT);
    ASSERT_EQ(push(VMAFGPU_REFERENCE, 3, 120), 0);
    EXPECT_EQ(stored_.back().releases, 1); // at once
    ASSERT_EQ(vmafgpu_push_end(ctx_, VMAFGPU_REFERENCE), 0);
    ASSERT_EQ(vmafgpu_next(ctx_, &match, 1), -ENODATA);
    ASSERT_EQ(vmafgpu_flush(ctx_), 0);
    EXPECT_TRUE(collect());
    ASSERT_EQ(vmafgpu_finish(ctx_, VMAFGPU_FINISH_END), 0);
    ASSERT_EQ(vmafgpu_pairing(ctx_, &report_), 0);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].frames, 4);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].unpaired[2], 3);
}

/// Main's pictures agree with none, so later ones of the reference are looked at. Few of them wait.
TEST_F(PairingApi, RestOfTheReferenceIsReleasedSoon)
{
    open(VMAFGPU_PAIR_INDEX);
    VmafGpuMatch match;
    for (int i = 0; i < 30; ++i) {
        ASSERT_EQ(push(VMAFGPU_MAIN, 5000 - 7 * i, 40 * i), 0);
        ASSERT_EQ(push(VMAFGPU_REFERENCE, i, 40 * i), 0);
        while (vmafgpu_next(ctx_, &match, 1) == 0)
            collect();
    }
    ASSERT_EQ(vmafgpu_push_end(ctx_, VMAFGPU_MAIN), 0);
    int most = 0;
    for (int i = 30; i < 300; ++i) {
        ASSERT_EQ(vmafgpu_next(ctx_, &match, 1), -EAGAIN);
        ASSERT_EQ(match.needs, VMAFGPU_NEEDS_REFERENCE) << "the picture, not only the frame";
        ASSERT_EQ(push(VMAFGPU_REFERENCE, i, 40 * i), 0);
        int held = 0;
        for (const StoredPicture &stored : stored_)
            held += stored.releases == 0 ? 1 : 0;
        most = std::max(most, held);
    }
    EXPECT_LE(most, 48);
}

TEST_F(PairingApi, ChunkStopsAfterItsPairs)
{
    const VmafGpuChunk chunk = {0, 0, 3, 0};
    open(VMAFGPU_PAIR_INDEX, 4, &chunk);
    run({{0, 40, 80, 120, 160, 200}, {0, 40, 80, 120, 160, 200}});
    EXPECT_EQ(matches_.size(), 4U); // motion2 looks at the next pair
    EXPECT_EQ(report_.pairs, 3);
    EXPECT_EQ(report_.of[VMAFGPU_MAIN].frames, 3);
    EXPECT_EQ(report_.warnings, 8); // warnings about a count of 0 frames, which the merge adds up
    const std::vector<std::string> kept = ctx_->pairing->said().warnings;
    ASSERT_GE(kept.size(), 8U);
    EXPECT_EQ(kept[kept.size() - 8], "0 frames of main are damaged: the decoder reported errors");
    EXPECT_EQ(std::string(vmafgpu_pairing_fault(ctx_)), "");
}

TEST_F(PairingApi, AChunkIsOfPairsByNumber)
{
    const VmafGpuChunk part = {0, 0, 3, 0}, whole = {0, 0, 0, 0}, short_run = {0, 0, 2, 2};
    for (const std::string &text :
         {refusal(VMAFGPU_PAIR_TIME, part), refusal(VMAFGPU_PAIR_INDEX, part, 1),
          refusal(VMAFGPU_PAIR_INDEX, part, 0, 1)})
        EXPECT_EQ(text, "chunk: parts of a run are pairs by number: add pair=index; it cannot be "
                        "combined with offset= or shortest=1");
    EXPECT_EQ(refusal(VMAFGPU_PAIR_TIME, whole), "");
    open(VMAFGPU_PAIR_INDEX, 4, &short_run);
    for (const int64_t time : {0, 40, 80})
        for (const int input : {VMAFGPU_REFERENCE, VMAFGPU_MAIN})
            ASSERT_EQ(push(input, 0, time), 0);
    VmafGpuMatch match;
    EXPECT_EQ(vmafgpu_next(ctx_, &match, 1), 0);
    EXPECT_EQ(vmafgpu_next(ctx_, &match, 1), 0);
    EXPECT_EQ(vmafgpu_next(ctx_, &match, 1), -EINVAL);
    EXPECT_EQ(std::string(vmafgpu_error_text(ctx_)),
              "chunk: the run has more than 2 pairs: both inputs go on");
    open(VMAFGPU_PAIR_INDEX, 4, &whole);
    ASSERT_EQ(push(VMAFGPU_REFERENCE, 0, 0), 0);
    ASSERT_EQ(push(VMAFGPU_MAIN, 0, 0, VMAFGPU_PUSH_DISABLED), 0);
    EXPECT_EQ(vmafgpu_next(ctx_, &match, 1), -EINVAL);
    EXPECT_EQ(std::string(vmafgpu_error_text(ctx_)),
              "chunk: it cannot be combined with enable=: a part has all its pairs");
}

TEST_F(PairingApi, Resets)
{
    open(VMAFGPU_PAIR_INDEX);
    run({{0, 40}, {0, 40}});
    ASSERT_EQ(vmafgpu_reset(ctx_), 0);
    matches_.clear();
    run({{0, 40, 80}, {0, 40}});
    EXPECT_EQ(pairs(), (Texts{"0:0", "1:1", "2:-1"}));
    EXPECT_EQ(report_.pairs, 2);
}

TEST_F(PairingApi, SubmittedPairsAreJudged)
{
    open(VMAFGPU_PAIR_INDEX);
    submit(0, 30, 0);
    EXPECT_EQ(warnings().size(), 0U);
    EXPECT_EQ(std::string(report_.rule), "index");
    EXPECT_EQ(report_.pairs, 30);
    EXPECT_EQ(report_.of[VMAFGPU_MAIN].frames, 30);
    EXPECT_EQ(report_.of[VMAFGPU_REFERENCE].frames, 30);
    ASSERT_EQ(results_.size(), 30U);
    EXPECT_EQ(results_[7].tag, 7U);
    EXPECT_EQ(results_[7].reference_tag, 7U);
    EXPECT_EQ(results_[7].time, 7);
    submit(30, 78, 5); // another clip of the run
    EXPECT_EQ(report_.pairs, 78);
    EXPECT_EQ(report_.elsewhere, 48);
    EXPECT_EQ(report_.mismatch_pair, 30);
    EXPECT_EQ(report_.mismatch_offset, 5);
    ASSERT_EQ(warnings().size(), 1U);
    EXPECT_EQ(warnings()[0].find("from pair 30 (0.030 s) on, the pictures of 48 pairs agree with"),
              0U);
    submit(78, 102, 0); // what was found stays
    EXPECT_EQ(report_.elsewhere, 48);
    EXPECT_EQ(warnings().size(), 1U);
    EXPECT_EQ(std::string(vmafgpu_pairing_fault(ctx_)), warnings()[0]);
    ASSERT_EQ(vmafgpu_reset(ctx_), 0);
    submit(0, 30, 0);
    EXPECT_EQ(warnings().size(), 0U);
    vmafgpu_close(&ctx_);
    for (const StoredPicture &stored : stored_)
        EXPECT_EQ(stored.releases, 1);
}

TEST_F(PairingApi, PairsAreSubmittedByNumberOnly)
{
    for (const auto &[rule, has_offset] : {std::pair{VMAFGPU_PAIR_TIME, VMAFGPU_OFFSET_NONE},
                                           std::pair{VMAFGPU_PAIR_INDEX, VMAFGPU_OFFSET_GIVEN}}) {
        ASSERT_EQ(try_open(rule, 4, nullptr, nullptr, has_offset), 0);
        const VmafGpuPicture &picture = make(VMAFGPU_MAIN, 0);
        EXPECT_EQ(vmafgpu_submit(ctx_, &picture, &picture, 0), -EINVAL);
        EXPECT_EQ(stored_.back().releases, 0);
    }
    open(VMAFGPU_PAIR_INDEX);
    ASSERT_EQ(push(VMAFGPU_REFERENCE, 0, 0), 0);
    EXPECT_EQ(vmafgpu_submit(ctx_, &make(VMAFGPU_REFERENCE, 0), &make(VMAFGPU_MAIN, 0), 0),
              -EINVAL);
    ASSERT_EQ(push(VMAFGPU_MAIN, 0, 0), 0);
    ASSERT_EQ(vmafgpu_push_end(ctx_, VMAFGPU_MAIN), 0);
    EXPECT_EQ(vmafgpu_submit(ctx_, &make(VMAFGPU_REFERENCE, 0), &make(VMAFGPU_MAIN, 0), 0),
              -EINVAL);
}

TEST_F(PairingApi, ACutRunIsJudgedUpToThere)
{
    open(VMAFGPU_PAIR_INDEX, 3);
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(vmafgpu_submit(ctx_, &make(VMAFGPU_REFERENCE, i), &make(VMAFGPU_MAIN, i), 0), 0);
    EXPECT_TRUE(collect());
    ASSERT_EQ(vmafgpu_cut(ctx_), 0);
    submit(3, 27, 0);
    EXPECT_EQ(report_.pairs, 25);
    EXPECT_EQ(warnings().size(), 0U);
}

TEST_F(PairingApi, Refuses)
{
    VmafGpuMatch match;
    open(VMAFGPU_PAIR_INDEX);
    EXPECT_EQ(push(2, 0, 0), -EINVAL);
    EXPECT_EQ(push(VMAFGPU_MAIN, 0, 0, 8), -EINVAL);
    EXPECT_EQ(vmafgpu_push(ctx_, VMAFGPU_MAIN, nullptr, 0, 0, 0), -EINVAL);
    EXPECT_EQ(vmafgpu_next(ctx_, nullptr, 1), -EINVAL);
    EXPECT_EQ(vmafgpu_finish(ctx_, 3), -EINVAL);
    int pushed = 0;
    while (push(VMAFGPU_MAIN, 0, pushed) == 0)
        ++pushed;
    EXPECT_EQ(pushed, 16);
    ASSERT_EQ(vmafgpu_push_end(ctx_, VMAFGPU_MAIN), 0);
    EXPECT_EQ(push(VMAFGPU_MAIN, 0, 0), -EINVAL);
    EXPECT_EQ(vmafgpu_next(ctx_, &match, 1), -EAGAIN);
    EXPECT_EQ(match.needs, VMAFGPU_NEEDS_REFERENCE);
    EXPECT_EQ(stored_.front().releases, 0); // a refused picture is still the caller's
    EXPECT_EQ(stored_.back().releases, 0);
    const TestContext other((TestSettings()));
    EXPECT_EQ(vmafgpu_next(other.get(), &match, 1), -EINVAL);
}

TEST_F(PairingApi, Compares)
{
    open(VMAFGPU_PAIR_INDEX);
    Image image = make_image(kWidth, kHeight, 8, 0, false);
    StoredPicture first(image);
    image.samples[5] ^= 1;
    image.samples[100] ^= 7;
    StoredPicture second(image);
    for (StoredPicture *stored : {&first, &second})
        for (int p = 1; p < 3; ++p)
            stored->picture.plane[p] = stored->picture.plane[0];
    uint64_t differing = 0;
    ASSERT_EQ(vmafgpu_compare(ctx_, &first.picture, &second.picture, &differing), 0);
    EXPECT_EQ(differing, 2U);
    EXPECT_EQ(vmafgpu_compare(ctx_, &first.picture, nullptr, &differing), -EINVAL);
    vmafgpu_close(&ctx_);
    EXPECT_EQ(first.releases, 1);
    EXPECT_EQ(second.releases, 1);
}

} // namespace
} // namespace vmafgpu::pairing_test
