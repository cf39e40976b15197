// SPDX-License-Identifier: BSD-2-Clause-Patent
// A serial sum of doubles, from integers that were added up in any order. The kernels fill
// TermGroup and ask mean_of(); tests ask it too. docs/numerics/ssim.md has the reasoning. A
// subject of its own: it knows nothing of pictures.
//
// The mean of a scale is float(sum / count), where `sum` adds the terms in raster order and each
// addition rounds. While the sum stays between two powers of 2, it grows by each term rounded to
// the sum's last place, whatever came before. So it is enough to know, for groups of rows, the sum
// of the terms rounded to the places that the serial sum may have there. What remains unknown is
// bounded. The mean is decided if its float is the same at both ends.
#pragma once

#include <cstdint>

#include "base/numeric.h"
#include "simt/simt.h"

namespace vmafgpu::ssim {

constexpr int kGroupRows = 16;
constexpr int kPlaces = 2; ///< last places that are tried per group

/// Terms of kGroupRows rows, in units of 2^unit (TermGrid), and what their rounding to each of
/// the places leaves: `remainders` are those of term + half a place.
struct TermGroup {
    int64_t sum;
    int64_t remainders[kPlaces];
    int64_t ties[kPlaces]; ///< terms that may lie half-way
    int64_t unusual;       ///< terms below TermKind::least
};
constexpr int kGroupWords = sizeof(TermGroup) / sizeof(int64_t);

/// Bounds that hold for all terms of a mean. Structure is a float, so from 2^-8 on it is a multiple
/// of 2^-31, and sums of it below 2^22 are exact.
struct TermKind {
    double least; ///< terms below it are counted
    bool is_float;
};
SIMT_HOST_DEVICE inline TermKind kind_of(bool is_structure)
{
    return {is_structure ? 0x1p-8 : 0.0, is_structure};
}

/// 2^exponent of a normal double.
SIMT_HOST_DEVICE inline double power_of_two(int exponent)
{
    return double_of_bits(static_cast<uint64_t>(exponent + 1023) << 52);
}

/// floor(log2(v)) for a normal v > 0.
SIMT_HOST_DEVICE inline int exponent_of(double v)
{
    return static_cast<int>(bits_of_double(v) >> 52 & 2047) - 1023;
}

/// How a group's terms become integers.
struct TermGrid {
    int unit; ///< exponent of the integers' unit
    int top;  ///< exponent of the serial sum behind the group if all terms were 1

    SIMT_HOST_DEVICE TermGrid(int pixels_x, int rows_before_end)
    {
        // Four times all terms of a group stay below 2^63. |term| < 4 at the smallest unit.
        const int fits = ceil_log2(static_cast<uint32_t>(pixels_x)) - 56;
        unit = fits < -49 ? -49 : fits;
        top = exponent_of(static_cast<double>(pixels_x) * static_cast<double>(rows_before_end));
    }
    /// Bits of a term below place k; a place with less than one is not tried.
    SIMT_HOST_DEVICE int shift(int k) const { return top - k - 52 - unit; }
    SIMT_HOST_DEVICE bool has_place(int k) const { return shift(k) >= 1; }
    SIMT_HOST_DEVICE uint32_t half(int k) const
    {
        return has_place(k) ? UINT32_C(1) << (shift(k) - 1) : 0;
    }
    /// Added to a term, it makes the low bits of the double the term in units.
    SIMT_HOST_DEVICE double addend() const { return 1.5 * power_of_two(unit + 52); }
};

/// The terms of one thread and one mean.
struct TermTally {
    int64_t sum = 0;
    uint32_t remainders[kPlaces] = {};
    uint32_t counts = 0; ///< ties of the places, then unusual terms; kCountBits each
};
constexpr int kCountBits = 10;

/// Adds a term. False if it is too large, which arithmetic rules out: |term| < 4.
SIMT_HOST_DEVICE inline bool add_term(double term, const TermKind &kind, const TermGrid &grid,
                                      TermTally &tally)
{
    constexpr uint64_t kFraction = (UINT64_C(1) << 52) - 1;
    const uint64_t bits = bits_of_double(term + grid.addend());
    tally.sum += static_cast<int64_t>(bits & kFraction) - (INT64_C(1) << 51);
    for (int k = 0; k < kPlaces; ++k) {
        const uint32_t half = grid.half(k);
        const uint32_t mask = half == 0 ? 0 : 2 * half - 1;
        const uint32_t rest = (static_cast<uint32_t>(bits) + half) & mask;
        tally.remainders[k] += rest;
        tally.counts += rest == 0 ? UINT32_C(1) << (k * kCountBits) : 0;
    }
    tally.counts += term < kind.least ? UINT32_C(1) << (kPlaces * kCountBits) : 0;
    return static_cast<int>(bits >> 52) == grid.unit + 52 + 1023;
}

/// The serial sum so far: `value`, wrong by at most `error`.
struct Prefix {
    double value = 0, error = 0;
};

SIMT_HOST_DEVICE inline double size_of(double v)
{
    return v < 0 ? -v : v;
}

/// Appends a group of `count` terms.
SIMT_HOST_DEVICE inline void append_group(const TermGroup &group, const TermKind &kind,
                                          const TermGrid &grid, int64_t count, Prefix &prefix)
{
    const double unit = power_of_two(grid.unit);
    const auto terms = static_cast<double>(count);
    const double next = prefix.value + static_cast<double>(group.sum) * unit;
    const double from = size_of(prefix.value);
    const double to = size_of(next);
    // How far partial sums may lie outside of [from, to].
    const double slack = prefix.error + 4.0 * static_cast<double>(group.unusual) +
                         terms * (unit + power_of_two(grid.top - 52)) + (from + to) * 0x1p-50;
    const bool crosses_zero = (prefix.value < 0) != (next < 0);
    const double least = (from < to ? from : to) - slack;
    const double most = (from < to ? to : from) + slack;
    if (kind.is_float && group.unusual == 0 && most < 0x1p22) {
        prefix.value = next;
        prefix.error = prefix.error + (prefix.error > 0 ? most * 0x1p-51 : 0);
        return;
    }
    // At most one place fits. No return in the loop, which clang 18 would not unroll then.
    bool fits = false;
    SIMT_UNROLL
    for (int k = 0; k < kPlaces; ++k) {
        const int exponent = grid.top - k;
        if (!grid.has_place(k) || crosses_zero || least < power_of_two(exponent) ||
            most >= power_of_two(exponent + 1))
            continue;
        const int64_t rounded =
            group.sum + count * static_cast<int64_t>(grid.half(k)) - group.remainders[k];
        const double place = power_of_two(exponent - 52);
        prefix.value = prefix.value + static_cast<double>(rounded) * unit;
        // A wrong prefix need not be a multiple of the place, so this addition may round.
        prefix.error = prefix.error + (prefix.error > 0 ? place : 0) +
                       static_cast<double>(group.ties[k]) * place;
        fits = true;
    }
    if (fits)
        return;
    prefix.value = next;
    prefix.error = prefix.error + terms * (power_of_two(exponent_of(most) - 53) + unit) +
                   (from + to) * 0x1p-51;
}

/// The mean of all terms if it is certain; else false.
SIMT_HOST_DEVICE inline bool mean_of(const Prefix &prefix, double count, float &mean)
{
    double error = prefix.error;
    if (error > 0) // a part's own roundings, and those of its two ends
        error = error * (1 + 0x1p-20) + size_of(prefix.value) * 0x1p-51;
    mean = static_cast<float>(prefix.value / count);
    return static_cast<float>((prefix.value - error) / count) ==
           static_cast<float>((prefix.value + error) / count);
}

} // namespace vmafgpu::ssim
