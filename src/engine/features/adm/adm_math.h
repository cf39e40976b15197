// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM per sample: the formulas that define the result, with every rounding of libvmaf's integer ADM
// (scalar C). adm_ref.cpp, the rare paths of adm_cpu.cpp and the kernels call them, so nothing here
// depends on a host library. Loops, borders and sums are elsewhere.
//
// There are two families: *_first for scale 0 (16-bit bands), *_next for scales 1 to 3 (32-bit
// bands). QUIRK marks what docs/numerics/adm.md lists as a quirk of libvmaf.
#pragma once

#include <cstdint>

#include "adm_tables.h"
#include "simt/simt.h"

namespace vmafgpu {

/// Keeps the low 16 or 32 bits, two's complement, as a store of that width does.
SIMT_HOST_DEVICE inline constexpr int32_t adm_wrap16(int64_t x)
{
    return static_cast<int16_t>(static_cast<uint16_t>(static_cast<uint64_t>(x)));
}

SIMT_HOST_DEVICE inline constexpr int32_t adm_wrap32(int64_t x)
{
    return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x)));
}

SIMT_HOST_DEVICE inline constexpr int64_t adm_abs(int64_t x)
{
    return x < 0 ? -x : x;
}

/// QUIRK: true if libvmaf's horizontal wavelet takes no mirror image for column -1 of its input.
/// For each band row, libvmaf stores four rows one after the other: low-pass and high-pass of the
/// reference, then of the distorted picture. Index -1 of a row is the last sample of the row
/// before. In front of the first row is the upper half of malloc's size field: 0 with glibc. Input
/// heights up to 4 have the same fault in vertical direction. There libvmaf reads memory that
/// nobody wrote, so those keep the mirror image.
SIMT_HOST_DEVICE inline constexpr bool adm_is_narrow(int scale, int input_width, int input_height)
{
    return scale > 0 && input_width <= 4 && input_height > 4;
}

/// 2^30 / o truncated toward zero; 0 for o = 0. |o| <= 32768.
SIMT_HOST_DEVICE inline constexpr int32_t adm_reciprocal(int32_t o)
{
    return o == 0 ? 0 : (1 << 30) / o;
}

/// libvmaf's angle test: true if the gradients (h, v) of reference and distorted differ by less
/// than about one degree. dp is the inner product, oo and tt are the squared lengths, all exact.
/// libvmaf rounds each to binary32 and multiplies in binary64, where only the last product rounds.
/// An exact comparison would differ in ties.
SIMT_HOST_DEVICE inline bool adm_same_angle(int64_t dp, int64_t oo, int64_t tt)
{
    const double d = static_cast<float>(dp);
    const double o = static_cast<float>(oo);
    const double t = static_cast<float>(tt);
    const double limit = kAdmCosOneDegree;
    return d >= 0 && d * d >= (limit * o) * t;
}

SIMT_HOST_DEVICE inline constexpr int32_t adm_clamp_gain(int64_t k)
{
    return k < 0 ? 0 : (k > 32768 ? 32768 : static_cast<int32_t>(k));
}

/// Gain of the decoupling at scale 0: t / o in Q15, limited to 0..1; 1 for o = 0.
SIMT_HOST_DEVICE inline constexpr int32_t adm_gain_first(int32_t o, int32_t t)
{
    if (o == 0)
        return 32768;
    const int64_t product = static_cast<int64_t>(adm_reciprocal(o)) * t;
    return adm_clamp_gain(round_shift(product, 15));
}

/// The same at scales 1 to 3, where an o of more than 15 bits is first rounded to 15.
SIMT_HOST_DEVICE inline int32_t adm_gain_next(int32_t o, int32_t t)
{
    if (o == 0)
        return 32768;
    const int64_t magnitude = adm_abs(o);
    const int bits = 32 - clz32(static_cast<uint32_t>(magnitude));
    const int excess = bits > 15 ? bits - 15 : 0;
    const auto mantissa = static_cast<int32_t>(round_shift(magnitude, excess));
    const int64_t reciprocal = adm_reciprocal(mantissa);
    const int64_t product = (o < 0 ? -reciprocal : reciprocal) * t;
    return adm_clamp_gain(round_shift(product, 15 + excess));
}

/// Restored part at scale 0: o times the gain k, before the gain limit.
SIMT_HOST_DEVICE inline constexpr int32_t adm_restore_first(int32_t k, int32_t o)
{
    return adm_wrap16((static_cast<int64_t>(k) * o + 16384) >> 15);
}

SIMT_HOST_DEVICE inline constexpr int32_t adm_restore_next(int32_t k, int32_t o)
{
    return adm_wrap32((static_cast<int64_t>(k) * o + 16384) >> 15);
}

/// Restored part with the enhancement gain limit. If the angle test passed, r0 is moved toward t,
/// at most to r0 * limit. Truncates after the comparison.
SIMT_HOST_DEVICE inline constexpr int32_t adm_enhance(int32_t r0, int32_t k, int32_t o, int32_t t,
                                                      bool same_angle, double limit)
{
    if (!same_angle || k <= 0 || o == 0)
        return r0;
    const double enhanced = static_cast<double>(r0) * limit;
    const auto target = static_cast<double>(t);
    if (o > 0)
        return static_cast<int32_t>(enhanced < target ? enhanced : target);
    return static_cast<int32_t>(enhanced > target ? enhanced : target);
}

/// One sample after the contrast sensitivity function (libvmaf: csf).
struct AdmWeighted {
    int32_t contrast; ///< |q x| at scale 0, else |y|: masking compares it
    int32_t y;        ///< weighted sample
    int32_t f;        ///< about |y| / 30: its share in a neighbour's threshold
    int32_t centre;   ///< about |y| / 15: its share in its own threshold
};

/// QUIRK: the addend of the diagonal is 65535, not 65536.
/// QUIRK: centre wraps to negative for |y| >= 15360, as a 16-bit store does.
SIMT_HOST_DEVICE inline constexpr AdmWeighted adm_weight_first(int32_t x, uint32_t multiplier,
                                                               bool diagonal)
{
    const int32_t product = adm_wrap32(static_cast<int64_t>(multiplier) * x);
    const int32_t y = adm_wrap16(diagonal ? (static_cast<int64_t>(product) + 65535) >> 17
                                          : (static_cast<int64_t>(product) + 16384) >> 15);
    const int64_t size = adm_abs(y);
    return {adm_wrap32(adm_abs(product)), y, adm_wrap16((kAdmThirtieth16 * size + 2048) >> 12),
            adm_wrap16((kAdmFifteenth16 * size + 2048) >> 12)};
}

/// QUIRK: the addend of f and centre is minus one half; both are -1 for y = 0.
SIMT_HOST_DEVICE inline constexpr AdmWeighted adm_weight_next(int32_t x, uint32_t multiplier)
{
    constexpr int64_t kHalf = static_cast<int64_t>(1) << 31;
    const int32_t y =
        adm_wrap32((static_cast<int64_t>(multiplier) * x + (static_cast<int64_t>(1) << 27)) >> 28);
    const int64_t size = adm_abs(y);
    return {adm_wrap32(size), y, adm_wrap32((kAdmThirtieth32 * size - kHalf) >> 32),
            adm_wrap32((kAdmFifteenth32 * size - kHalf) >> 32)};
}

/// Contrast masking (libvmaf: cm): what one sample adds to the numerator, the cube of its contrast
/// above the threshold. threshold_shift converts the threshold to the contrast's fixed-point
/// format. Contrast, difference and square are 32-bit values in libvmaf and wrap.
SIMT_HOST_DEVICE inline constexpr int64_t adm_masked_cube(int32_t contrast, int32_t threshold,
                                                          int threshold_shift, int square_shift,
                                                          int cube_shift)
{
    const int64_t shifted = static_cast<int64_t>(threshold) * (1 << threshold_shift);
    const int32_t difference = adm_wrap32(static_cast<int64_t>(contrast) - shifted);
    const int64_t x = difference < 0 ? 0 : difference;
    const int64_t square = adm_wrap32(round_shift(x * x, square_shift));
    return round_shift(square * x, cube_shift);
}

/// Shifts of adm_masked_cube(). The diagonal band of scale 0 has a format of its own.
SIMT_HOST_DEVICE inline constexpr int adm_threshold_shift(int scale, int orientation)
{
    return scale > 0 ? 0 : (orientation == 2 ? 12 : 10);
}

SIMT_HOST_DEVICE inline constexpr int adm_square_shift(int scale, int orientation)
{
    return scale == 0 && orientation != 2 ? 29 : 30;
}

/// What one reference sample adds to the denominator, at scale 0.
SIMT_HOST_DEVICE inline constexpr uint64_t adm_energy_first(int32_t x)
{
    const auto size = static_cast<uint64_t>(adm_abs(x));
    return size * size * size;
}

/// The same at scales 1 to 3. QUIRK: the addend of the square is a full unit, not a half.
SIMT_HOST_DEVICE inline constexpr uint64_t adm_energy_next(int32_t x, int square_shift,
                                                           int cube_shift)
{
    const auto size = static_cast<uint64_t>(adm_abs(x));
    const uint64_t square =
        (size * size + (static_cast<uint64_t>(1) << square_shift)) >> square_shift;
    return round_shift(square * size, cube_shift);
}

/// A complete row's sum of cubes, as 64 bits of either sign, rounded. A numerator is signed:
/// a square that wraps makes its cube negative. A denominator uses all 64 bits.
SIMT_HOST_DEVICE inline constexpr uint64_t adm_rounded_row(uint64_t row, int shift, bool is_den)
{
    return is_den ? round_shift(row, shift)
                  : static_cast<uint64_t>(round_shift(static_cast<int64_t>(row), shift));
}

} // namespace vmafgpu
