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

/// One byte of each of the taps i to i + 3; taps beyond the ends are 0.
template <int scale> SIMT_DEVICE uint32_t vif_tap_bytes(int i, int byte)
{
    const uint32_t pairs[2] = {vif_tap_pair<scale>(i), vif_tap_pair<scale>(i + 2)};
    uint32_t bytes = 0;
    SIMT_UNROLL
    for (int j = 0; j < 4; ++j)
        bytes |= (pairs[j / 2] >> (16 * (j % 2) + 8 * byte) & 255) << (8 * j);
    return bytes;
}

/// Sum of taps * values[first ..], for values below 2^16. Taps are symmetric.
template <int scale> SIMT_DEVICE uint32_t vif_filter_at(const uint32_t *values, int first)
{
    constexpr int half = kVifHalf[scale];
    uint32_t sum = mul24(kVifFilter[scale][half], values[first + half]);
    SIMT_UNROLL
    for (int t = 0; t < half; ++t)
        sum += mul24(kVifFilter[scale][t], values[first + t] + values[first + 2 * half - t]);
    return sum;
}

/// start + the same, if word j of `pairs` holds the values 2j and 2j + 1.
template <int scale, int n>
SIMT_DEVICE uint32_t vif_filter_pairs_at(const uint32_t (&pairs)[n], int first, uint32_t start)
{
    constexpr int half = kVifHalf[scale];
    uint32_t sum = start;
    SIMT_UNROLL
    for (int j = 0; j < n; ++j) {
        const int tap = 2 * j - first;
        if (tap > -2 && tap <= 2 * half)
            sum = dot2_u16(vif_tap_pair<scale>(tap), pairs[j], sum);
    }
    return sum;
}

/// The same for bytes: word j of `column` holds values 4j to 4j + 3.
template <int scale, int n>
SIMT_DEVICE uint32_t vif_filter_bytes_at(const uint32_t (&column)[n], int first, uint32_t start)
{
    constexpr int half = kVifHalf[scale];
    uint32_t sum = start, high = 0;
    SIMT_UNROLL
    for (int j = 0; j < n; ++j) {
        const int tap = 4 * j - first;
        if (has_dot4_u8()) {
            if (tap > -4 && tap <= 2 * half) {
                sum = dot4_u8(vif_tap_bytes<scale>(tap, 0), column[j], sum);
                high = dot4_u8(vif_tap_bytes<scale>(tap, 1), column[j], high);
            }
            continue;
        }
        if (tap > -2 && tap <= 2 * half)
            sum = dot2_u16_u8_lo(vif_tap_pair<scale>(tap), column[j], sum);
        if (tap + 2 > -2 && tap + 2 <= 2 * half)
            sum = dot2_u16_u8_hi(vif_tap_pair<scale>(tap + 2), column[j], sum);
    }
    return sum + (high << 8);
}

/// Values below 2^16 to be filtered: one in a word, or two where devices multiply pairs of them.
template <int n> struct VifHalves {
    static_assert(n % 2 == 0, "whole pairs");
    uint32_t word[n];

    /// The lower or the upper halves of words.
    SIMT_DEVICE void take(const uint32_t (&words)[n], bool upper)
    {
        if (has_dot2_u16()) {
            SIMT_UNROLL
            for (int i = 0; i < n; i += 2)
                word[i / 2] = byte_permute(words[i], words[i + 1], upper ? 0x7632 : 0x5410);
            SIMT_UNROLL
            for (int i = n / 2; i < n; ++i)
                word[i] = 0;
        } else {
            SIMT_UNROLL
            for (int i = 0; i < n; ++i)
                word[i] = upper ? words[i] >> 16 : words[i] & 65535;
        }
    }

    /// start + sum of taps * values first, first + 1, ...
    template <int scale> SIMT_DEVICE uint32_t filter_at(int first, uint32_t start) const
    {
        if (has_dot2_u16())
            return vif_filter_pairs_at<scale>(word, first, start);
        return vif_filter_at<scale>(word, first) + start;
    }
};

/// 32-bit values as two halves of 16 bits, so that their sums fit 32 bits.
template <int n> struct VifLimbs {
    VifHalves<n> high, low;

    SIMT_DEVICE void take(const uint32_t (&values)[n])
    {
        high.take(values, true);
        low.take(values, false);
    }

    /// round_shift(sum of taps * values[first ..], shift) for 0 < shift <= 16. The sum of the high
    /// halves has no bits that the shift would drop.
    template <int scale> SIMT_DEVICE uint32_t filter_at(int first, int shift) const
    {
        const uint32_t low_sum = low.template filter_at<scale>(first, 1u << (shift - 1));
        return (high.template filter_at<scale>(first, 0) << (16 - shift)) + (low_sum >> shift);
    }
};

} // namespace vmafgpu
