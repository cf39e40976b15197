// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on the CPU, fast: the sum of the k largest c of a scale that has more than k
// above 0. Included by cambi_cpu.cpp only.
#pragma once

#include <algorithm>
#include <cstring>

#include "cambi.h"
#include "simd/cpu_recompile.h"

namespace vmafgpu {
namespace cambi_cpu {

constexpr int kDigit = 9; ///< bits
constexpr int kDigits = 1 << kDigit;
constexpr int kScan = 64; ///< values looked at together

/// How many of n values, less kCambiLowestBits and without their lowest `shift + kDigit`
/// bits, are `found`, by their next digit.
VMAFGPU_ALWAYS_INLINE void count_digits(const float *c, int64_t n, uint32_t found, int shift,
                                        int64_t (&histogram)[kDigits])
{
    uint32_t parts[4][kDigits] = {}; // equal neighbours do not wait for each other
    for (int64_t at = 0; at < n; at += kScan) {
        const int count = static_cast<int>(std::min<int64_t>(kScan, n - at));
        uint32_t keys[kScan];
        std::memcpy(keys, c + at, sizeof(float) * static_cast<size_t>(count));
        uint32_t any = 0;
        for (int i = 0; i < count; ++i) {
            keys[i] -= kCambiLowestBits; // of 0: not below 2^27
            any |= keys[i] >> (shift + kDigit) == found ? 1 : 0;
        }
        if (any == 0)
            continue;
        for (int i = 0; i < count; ++i)
            if (keys[i] >> (shift + kDigit) == found)
                ++parts[i % 4][keys[i] >> shift & (kDigits - 1)];
    }
    for (int i = 0; i < kDigits; ++i)
        histogram[i] = int64_t{parts[0][i]} + parts[1][i] + parts[2][i] + parts[3][i];
}

/// The k-th largest of n values of which more than k are above 0, and how many are
/// larger than it. By three digits: all are from 0.5 up and below 2^15.
VMAFGPU_ALWAYS_INLINE uint32_t kth_largest(const float *c, int64_t n, int64_t k, int64_t *larger)
{
    uint32_t found = 0;
    *larger = 0;
    for (int shift = 2 * kDigit; shift >= 0; shift -= kDigit) {
        int64_t histogram[kDigits];
        count_digits(c, n, found, shift, histogram);
        int digit = kDigits - 1;
        while (*larger + histogram[digit] < k)
            *larger += histogram[digit--];
        found = found << kDigit | static_cast<uint32_t>(digit);
    }
    return found + kCambiLowestBits;
}

/// Units of the values above the one with the bits `last`.
VMAFGPU_ALWAYS_INLINE uint64_t units_above(const float *c, int64_t n, uint32_t last)
{
    uint64_t units = 0;
    for (int64_t at = 0; at < n; at += kScan) {
        const int count = static_cast<int>(std::min<int64_t>(kScan, n - at));
        float limit;
        std::memcpy(&limit, &last, sizeof(limit));
        // 64 multiples of 2^-24 below 2^14: sums are exact in double, in any order.
        double sums[8] = {};
        for (int i = 0; i < count; ++i)
            sums[i % 8] += static_cast<double>(c[at + i] > limit ? c[at + i] : 0.0F);
        double sum = 0;
        for (const double part : sums)
            sum += part;
        units += static_cast<uint64_t>(sum * 0x1p24);
    }
    return units;
}

/// units and exponent of the k largest of n values of which more than k are above 0.
VMAFGPU_ALWAYS_INLINE void pool_largest(const float *c, int64_t n, int64_t k, CambiScaleSums &sums)
{
    int64_t larger = 0;
    const uint32_t last = kth_largest(c, n, k, &larger);
    sums.exponent = cambi_exponent(last);
    sums.units = static_cast<uint64_t>(k - larger) * cambi_units(last) + units_above(c, n, last);
}

} // namespace cambi_cpu
} // namespace vmafgpu
