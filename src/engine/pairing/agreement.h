// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whether the pictures of the pairs belong together. It sees the sketches of both inputs over the
// whole run, whatever rule pairs them. It finds pairs whose pictures agree clearly better with
// other reference frames, and pairs that agree with none. It changes no pair; messages.h has the
// words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "pairing/offset_search.h"
#include "picture/sketch.h"

namespace vmafgpu {

/// How main's pictures have to be turned to agree; or they lie elsewhere within the frame.
enum class Turn { kNone, kMirrored, kUpsideDown, kRotated, kDisplaced };

/// Pairs of one kind that do not agree.
struct Mismatch {
    int64_t pairs = 0;
    int64_t first = -1; ///< index of the first pair; -1: there is none
    int64_t time = 0;   ///< of its main frame, in nanoseconds
    /// Frames that its main picture comes later in the reference than its partner; 0: not known, or
    /// main's pictures have another order.
    int64_t offset = 0;
    int64_t start = 0;         ///< the reference frame of main's first frame, by that offset
    bool is_constant = true;   ///< the offset holds for all these pairs
    bool is_from_start = true; ///< no pair before the first one agrees
};

/// What the pictures of all pairs say against the pairing.
struct Disagreement {
    Mismatch elsewhere;      ///< they agree with other reference frames
    Mismatch unrelated;      ///< they agree with none near theirs
    Turn turn = Turn::kNone; ///< of the unrelated ones
    int64_t agreeing = 0;    ///< pairs that agree better than with the frames around theirs

    /// The kind that begins first in the run.
    const Mismatch &first() const
    {
        const bool is_elsewhere =
            unrelated.pairs == 0 || (elsewhere.pairs > 0 && elsewhere.first < unrelated.first);
        return is_elsewhere ? elsewhere : unrelated;
    }
    /// Adds what was found in the next part of the run.
    void add(const Disagreement &part);
};

class Agreement {
public:
    static constexpr size_t kBlock = 24;       ///< pairs that are judged together
    static constexpr size_t kLeastOfPart = 12; ///< pairs; fewer fit too much by chance

    /// is_part: of a run. Less than kLeastOfPart pairs are not judged then: the whole run has more
    /// around them.
    explicit Agreement(bool is_part = false) : is_part_(is_part) {}

    struct Pair {
        int64_t index = 0;               ///< in the run
        int64_t time = 0;                ///< of the main frame, in nanoseconds
        int64_t main = 0, reference = 0; ///< numbers of the frames in their inputs
    };

    /// Sketches of kSketchBytes are copied. Reference frames come in their order, each before its
    /// first pair.
    void add_reference(int64_t number, const uint8_t *sketch);
    void add_pair(const Pair &pair, const uint8_t *main);
    /// Reference frames behind the last pair still matter.
    bool wants_reference() const { return judged_ < pairs_.size() || later_.is_active(); }
    /// No frame comes any more.
    void finish();

    const Disagreement &found() const { return found_; }

private:
    /// Most pictures are not evened out: null then.
    struct Picture {
        explicit Picture(const uint8_t *from) : sketch(std::make_unique<Sketch>())
        {
            std::copy(from, from + kSketchBytes, sketch->begin());
        }
        std::unique_ptr<Sketch> sketch, even;
    };
    struct Taken : Pair, Picture {
        Taken(const Pair &pair, const uint8_t *main) : Pair(pair), Picture(main) {}
    };
    struct Nearness;
    /// What a block shows.
    struct Verdict {
        int64_t offset = 0;     ///< with which it agrees better; 0: with none
        bool is_sure = false;   ///< of that offset: the block before need not say the same
        bool is_lost = false;   ///< it agrees with no offset
        bool is_astray = false; ///< it differs as much as at any offset
        bool is_foreign = false, may_be_foreign = false; ///< it shows another video
        bool is_right = false;
        bool is_displaced = false, is_out_of_order = false; ///< main's pictures are
    };

    static const uint8_t *even(Picture &picture);
    const uint8_t *even_reference(int64_t number);
    const Sketch *reference(int64_t number) const;
    void forget();
    Nearness compare_neighbours(size_t step) const;
    OffsetComparison compare();
    int64_t slack() const;
    Verdict verdict(const Nearness &near, const OffsetComparison &found) const;
    bool agrees(Taken &pair, int64_t offset);
    void note(Mismatch &mismatch, size_t fresh, int64_t offset, size_t least = 0);
    void take_back(size_t pairs);
    void note_lost(const Verdict &now, size_t fresh);
    void search_far();
    bool is_past_end() const;
    void find_turn();
    void find_place(const Nearness &near, bool is_change);
    bool is_displaced(const Nearness &near);
    bool is_out_of_order();
    void place_lost();
    Verdict look();
    void count(const Verdict &now, size_t fresh);
    void judge(size_t begin, size_t end, size_t fresh);
    void judge_ready(bool is_over);

    bool is_part_;
    std::deque<Taken> pairs_;    ///< those of the last blocks, and those that wait
    size_t judged_ = 0;          ///< of pairs_
    size_t begin_ = 0, end_ = 0; ///< the block that is judged
    int blocks_to_check_ = 0;    ///< before main's place within the frame is looked at again
    int check_every_ = 1;        ///< so many blocks from the last look to the next one
    /// How much main and reference differed when they were looked at, or less or more since then.
    double checked_difference_ = 0;
    bool was_displaced_ = false;
    std::deque<Picture> references_;
    int64_t first_reference_ = 0; ///< number of the oldest one
    Disagreement found_;
    int64_t seen_ = 0, astray_ = 0; ///< pairs that were judged; those of blocks that are astray
    Mismatch unplaced_;             ///< pairs that agree with none near, but show the same scene
    Verdict last_;                  ///< of the block before
    /// What the pairs of this block and of the one before were counted as; null: as neither.
    Mismatch *noted_ = nullptr, *noted_before_ = nullptr;
    Pair searched_;             ///< of the block that is searched for
    FarSearch later_, earlier_; ///< main's pictures in the reference; the reverse
};

} // namespace vmafgpu
