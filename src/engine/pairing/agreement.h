// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whether the pictures of the pairs belong together. It sees the sketches of both inputs over the
// whole run, whatever rule pairs them. It finds pairs whose pictures agree clearly better with
// other reference frames, and pairs that agree with none. It changes no pair; messages.h has the
// words.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "pairing/far_search.h"
#include "pairing/offset_search.h"
#include "picture/sketch.h"

namespace vmafgpu {

/// How main's pictures have to be turned to agree.
enum class Turn { kNone, kMirrored, kUpsideDown, kRotated };

/// Pairs of one kind that do not agree.
struct Mismatch {
    int64_t pairs = 0;
    int64_t first = -1; ///< index of the first pair; -1: there is none
    int64_t time = 0;   ///< of its main frame, in nanoseconds
    /// Frames that its main picture comes later in the reference than its partner; 0: not known.
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
    /// is_part: of a run. Few pairs are not judged then: the whole run has more around them.
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
    bool wants_reference() const { return !pairs_.empty() || later_.is_active(); }
    /// No frame comes any more.
    void finish();

    const Disagreement &found() const { return found_; }

private:
    /// Most pictures are not evened out: null then.
    struct Picture {
        std::unique_ptr<Sketch> sketch, even;
    };
    struct Taken : Pair, Picture {
        Taken(const Pair &pair, Picture picture) : Pair(pair), Picture(std::move(picture)) {}
    };
    using Pairs = std::deque<Taken>;
    struct Glance;
    /// What a block shows.
    struct Outcome {
        int64_t offset = 0;   ///< with which it agrees better; 0: with none
        bool is_sure = false; ///< of that offset: the block before need not say the same
        bool is_lost = false; ///< it agrees with no offset
        bool is_foreign = false, may_be_foreign = false; ///< it shows another video
        bool is_right = false;
    };

    Picture copied(const uint8_t *sketch);
    static const uint8_t *even(Picture &picture);
    const uint8_t *even_reference(int64_t number);
    const Picture *reference(int64_t number) const;
    void judge_ready(bool is_over);
    void judge(size_t fresh);
    Outcome outcome(const Glance &seen, const OffsetComparison &found) const;
    void note_lost(const Outcome &now, size_t fresh);
    Glance look(size_t step) const;
    Glance glance() const;
    double likeness(size_t step) const;
    OffsetComparison compare();
    int64_t slack() const;
    size_t count_latest(int64_t offset);
    void note(Mismatch &mismatch, size_t fresh, int64_t offset);
    void seek();
    bool is_past_end() const;
    void find_turn();
    void place_lost();
    void forget();

    bool is_part_;
    /// Copies of sketches are large beside the work on most of them: their memory is used again.
    std::vector<std::unique_ptr<Sketch>> spare_;
    Pairs before_; ///< of the block before
    Pairs block_;  ///< those that are judged together
    Pairs pairs_;  ///< those behind them
    std::deque<Picture> references_;
    int64_t first_reference_ = 0; ///< number of the oldest one
    Disagreement found_;
    /// Pairs that differ as unrelated ones do, but show the same scene; and the search for them.
    Mismatch astray_;
    Outcome last_; ///< of the block before
    Pair sought_;
    FarSearch later_, earlier_; ///< main's pictures in the reference; the reverse
};

} // namespace vmafgpu
