// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the scaler rounds, by depth. Reference code, fast CPU code and the kernel share it, so
// nothing here may depend on a host library. docs/numerics/scale.md explains the numbers.
#pragma once

#include <cstdint>

#include "simt/simt.h"

namespace vmafgpu {

/// Bits of what the pass across a row leaves for the pass down a column.
SIMT_HOST_DEVICE inline constexpr int scale_middle_bits(int depth)
{
    return depth > 14 ? 19 : 15;
}

/// A result of the pass across, of the weighted sum of its samples. Not limited below.
SIMT_HOST_DEVICE inline constexpr int32_t scale_across(int32_t sum, int depth)
{
    const int bits = scale_middle_bits(depth);
    const int32_t value = sum >> (depth + 14 - bits);
    const int32_t most = (1 << bits) - 1;
    return value < most ? value : most;
}

/// A sample of the scaled plane, of the weighted sum of a column's results modulo 2^32.
SIMT_HOST_DEVICE inline constexpr int32_t scale_down(uint32_t sum, int depth)
{
    const int shift = scale_middle_bits(depth) + 12 - depth;
    const int32_t most = (1 << depth) - 1;
    // 16 bits: sums reach from -2^30 to 3 * 2^30 and are moved into the range of a signed word.
    const uint32_t below = depth > 14 ? 1u << 30 : 0u;
    const int32_t lifted = static_cast<int32_t>(sum + (1u << (shift - 1)) - below);
    const int32_t value = (lifted >> shift) + static_cast<int32_t>(below >> shift);
    return value < 0 ? 0 : (value > most ? most : value);
}

} // namespace vmafgpu
