// SPDX-License-Identifier: BSD-2-Clause-Patent
// The constant offset between two inputs, found by the sketches of their first frames: the one at
// which the pictures agree clearly better than at every other one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vmafgpu {

/// Pairs that an offset needs; and more, where there are frames for them. A black second alone does
/// not make the inputs alike at the largest offsets then, which have the fewest pairs.
constexpr int64_t kOffsetPairs = 24, kMoreOffsetPairs = 24;

/// Frames of each input that are needed to know all offsets up to `furthest`, and one more.
constexpr int64_t offset_frames(int64_t furthest)
{
    return furthest + 1 + kOffsetPairs;
}

/// Of the first frames of an input.
using Sketches = std::vector<const uint8_t *>;

struct OffsetAnswer {
    bool is_clear = false;
    int64_t offset = 0; ///< number of the reference frame that the first main frame meets
    std::string text;   ///< what the pictures say of it, or why it is not clear
};

/// furthest: offset that is looked for, in both directions.
OffsetAnswer search_offset(const Sketches &main, const Sketches &reference, int64_t furthest);

} // namespace vmafgpu
