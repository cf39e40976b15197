// SPDX-License-Identifier: BSD-2-Clause-Patent
// Counts what became of every frame of both inputs. Each frame is counted once, when it is used or
// given up for good; nothing is taken back. What is said about the counts is in messages.h.
#pragma once

#include <cstdint>
#include <map>

#include "pairing/rule.h"
#include "plan/chunk.h"

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

inline int64_t all_unpaired(const VmafGpuInputCounts &counts)
{
    return counts.unpaired[kBegin] + counts.unpaired[kMiddle] + counts.unpaired[kEnd];
}

/// frames = pairs - repeated + disabled + unpaired, of each input.
class Ledger {
public:
    /// chunk: the part of a run whose frames and pairs count.
    explicit Ledger(const Chunk &chunk = {}) : chunk_(chunk) {}

    void add(const Facts &facts);
    /// No facts come any more. reached: pairs of the whole run up to the last one submitted.
    void finish(int64_t reached, bool is_stopped);

    const VmafGpuInputCounts &of(int input) const { return counts_[input]; }
    /// Whether the run has one frame of the input: a later chunk has not seen those before it.
    bool has_one_frame(int input) const { return of(input).frames == 1 && chunk_.begin == 0; }
    /// Time of the first unpaired frame between pairs.
    int64_t first_missing(int input) const { return first_missing_[input]; }
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
    VmafGpuInputCounts counts_[kInputs] = {};
    /// Frames behind the chunk: of the run's end, or of the next one.
    VmafGpuInputCounts later_[kInputs] = {};
    int64_t first_missing_[kInputs] = {};
    int64_t last_used_[kInputs] = {-1, -1};
    int64_t pairs_ = 0, by_number_ = 0;
    Distances distances_;
    int64_t largest_distance_ = 0, median_distance_ = 0;
    bool is_stopped_ = false;
};

} // namespace vmafgpu
