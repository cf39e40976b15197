// SPDX-License-Identifier: BSD-2-Clause-Patent
// Counts what became of every frame of both inputs. Each frame is counted once, when it is used or
// given up for good; nothing is taken back. What is said about the counts is in messages.h.
#pragma once

#include <cstdint>
#include <map>

#include "core/chunk.h"
#include "pairing/rule.h"

namespace vmafgpu {

/// Distances and how often each occurred, in memory that does not grow with the number of pairs.
/// They are exact while there are at most kMost different ones. Beyond that, close ones are counted
/// as one: within 1/1000 of the largest.
class Distances {
public:
    static constexpr size_t kMost = 4096;

    /// value: not negative.
    void add(int64_t value);
    /// The distance that `rank` smaller or equal ones come before; 0: there are not so many.
    int64_t at(int64_t rank) const;

private:
    int64_t rounded(int64_t value) const { return value >> shift_ << shift_; }
    void coarsen();

    std::map<int64_t, int64_t> counts_; ///< by the lowest value that is counted there
    int shift_ = 0;                     ///< values are multiples of 1 << shift_
};

enum Place { kBegin, kMiddle, kEnd, kPlaces };

/// Of one input.
struct FrameCounts {
    int64_t frames = 0;
    int64_t damaged = 0, film_grain = 0, without_time = 0, backward = 0;

    void add(const FrameFacts &frame);
    void add(const FrameCounts &other);
};

struct InputCounts : FrameCounts {
    int64_t repeated = 0; ///< pairs with the same frame as the pair before
    int64_t disabled = 0;
    int64_t unpaired[kPlaces] = {};
    int64_t first_missing = 0; ///< time of the first one in the middle

    int64_t all_unpaired() const { return unpaired[kBegin] + unpaired[kMiddle] + unpaired[kEnd]; }
};

/// frames = pairs - repeated + disabled + unpaired, of each input.
class Ledger {
public:
    /// chunk: the part of a run whose frames and pairs count. is_part: it is not all of it.
    explicit Ledger(const Chunk &chunk = {}, bool is_part = false);

    void add(const Facts &facts);
    /// No facts come any more. reached: pairs of the whole run up to the last one submitted.
    void finish(int64_t reached, bool is_stopped);

    const InputCounts &of(int input) const { return counts_[input]; }
    int64_t pairs() const { return pairs_; }
    int64_t by_number() const { return by_number_; } ///< pairs n-th with n-th
    int64_t largest_distance() const { return largest_distance_; }
    int64_t median_distance() const { return median_distance_; }
    bool is_stopped() const { return is_stopped_; } ///< there may be more frames than were counted

private:
    void count(int input, const FrameFacts &frame);
    void count_unpaired(int input, const FrameFacts &frame);
    bool use(int input, const FrameFacts &frame);
    void add_pair(const Facts &facts);

    Chunk chunk_;
    bool is_part_;
    InputCounts counts_[kInputs];
    FrameCounts later_[kInputs]; ///< frames behind the chunk: of the run's end, or of the next one
    int64_t last_used_[kInputs] = {-1, -1};
    int64_t pairs_ = 0, by_number_ = 0;
    Distances distances_; ///< those that are not 0
    int64_t unequal_ = 0; ///< pairs with a distance
    int64_t largest_distance_ = 0, median_distance_ = 0;
    bool is_stopped_ = false;
};

} // namespace vmafgpu
