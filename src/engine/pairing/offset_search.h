// SPDX-License-Identifier: BSD-2-Clause-Patent
// The constant offset between two inputs, found by the sketches of their first frames. It is known
// once the pictures agree at one offset clearly better than at every other one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pairing/frame_queue.h"

namespace vmafgpu {

class OffsetSearch {
public:
    /// Pairs that an offset needs.
    static constexpr int64_t kLeastPairs = 24;
    /// What is searched for at least. An offset that fits very well is taken once so many are
    /// known.
    static constexpr int64_t kLeastFurthest = 24;

    /// Frames of each input that are needed to know all offsets up to `furthest`, and one more.
    static constexpr int64_t frames(int64_t furthest) { return furthest + 1 + kLeastPairs; }

    /// furthest: in frames, in both directions.
    explicit OffsetSearch(int64_t furthest);

    /// The next frame of an input; at most frames().
    void add(Input input, const uint8_t *sketch);
    int64_t count(Input input) const;

    /// is_last: no more frames come. True: offset() is the one.
    bool find(bool is_last);
    int64_t offset() const { return best_; }
    /// What the pictures say of offset(), which was found.
    std::string evidence() const;
    /// Why none was found.
    std::string refusal() const;

private:
    struct Sum {
        int64_t pairs = 0, differences = 0;
    };

    /// Difference of the pairs under an offset, in levels; less than 0: it is not known.
    double mean(int64_t offset) const;
    bool is_clear(bool is_last) const;

    const int64_t furthest_;
    std::vector<uint8_t> sketches_[kInputs];
    std::vector<Sum> sums_; ///< by offset, from -furthest_ - 1 on

    int64_t best_ = 0, next_ = 0; ///< offsets with the smallest means
    double usual_ = 0;            ///< median of the means
    bool is_known_ = false;       ///< these three are
};

} // namespace vmafgpu
