// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of taps times values for VIF's kernels: down columns that are held in registers, exact in
// 32-bit words. Included by vif_kernels.cpp only.
#pragma once

#include "simt/simt.h"
#include "vif_tables.h"

namespace vmafgpu {

/// Taps i and i + 1 in one word; taps beyond the ends are 0.
template <int scale> SIMT_DEVICE uint32_t vif_tap_pair(int i)
{
    constexpr int taps = 2 * kVifHalf[scale] + 1;
    const uint32_t first = i >= 0 && i < taps ? kVifFilter[scale][i] : 0;
    const uint32_t second = i >= -1 && i < taps - 1 ? kVifFilter[scale][i + 1] : 0;
    return first | second << 16;
}

/// Sum of taps * values[first ..], for values below 2^16. Taps are symmetric.
template <int scale, int n>
SIMT_DEVICE uint32_t vif_filter_at(const uint32_t (&values)[n], int first)
{
    constexpr int half = kVifHalf[scale];
    uint32_t sum = mul24(kVifFilter[scale][half], values[first + half]);
    SIMT_UNROLL
    for (int t = 0; t < half; ++t)
        sum += mul24(kVifFilter[scale][t], values[first + t] + values[first + 2 * half - t]);
    return sum;
}

/// The same for bytes: word j of `column` holds values 4j to 4j + 3.
template <int scale, int n>
SIMT_DEVICE uint32_t vif_filter_bytes_at(const uint32_t (&column)[n], int first, uint32_t start)
{
    constexpr int half = kVifHalf[scale];
    uint32_t sum = start;
    SIMT_UNROLL
    for (int j = 0; j < n; ++j) {
        const int tap = 4 * j - first;
        if (tap > -2 && tap <= 2 * half)
            sum = dot2_u16_u8_lo(vif_tap_pair<scale>(tap), column[j], sum);
        if (tap + 2 > -2 && tap + 2 <= 2 * half)
            sum = dot2_u16_u8_hi(vif_tap_pair<scale>(tap + 2), column[j], sum);
    }
    return sum;
}

/// 32-bit values as two halves of 16 bits, so that their sums fit 32 bits.
template <int n> struct VifLimbs {
    uint32_t high[n], low[n];

    SIMT_DEVICE void set(int i, uint32_t value)
    {
        high[i] = value >> 16;
        low[i] = value & 65535;
    }

    /// round_shift(sum of taps * values[first ..], shift) for 0 < shift <= 16. The sum of the high
    /// halves has no bits that the shift would drop.
    template <int scale> SIMT_DEVICE uint32_t filter_at(int first, int shift) const
    {
        const uint32_t low_sum = vif_filter_at<scale>(low, first) + (1u << (shift - 1));
        return (vif_filter_at<scale>(high, first) << (16 - shift)) + (low_sum >> shift);
    }
};

} // namespace vmafgpu
