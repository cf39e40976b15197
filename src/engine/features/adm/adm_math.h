// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM per sample: the formulas that define the result, with every rounding of libvmaf's integer ADM
// (scalar C). adm_ref.cpp, the rare paths of adm_cpu.cpp and the kernels call them, so nothing here
// depends on a host library. Loops, borders and sums are elsewhere. A subject of its own: it knows
// single samples.
//
// There are two families: *_first for scale 0 (16-bit bands), *_next for scales 1 to 3 (32-bit
// bands). QUIRK marks what docs/numerics/adm.md lists as a quirk of libvmaf.
#pragma once

#include <cstdint>

#include "features/adm/adm_tables.h"
#include "simt/simt.h"

namespace vmafgpu::adm {

/// Keeps the low 16 or 32 bits, two's complement, as a store of that width does.
SIMT_HOST_DEVICE inline constexpr int32_t wrap16(int64_t x)
{
    return static_cast<int16_t>(static_cast<uint16_t>(static_cast<uint64_t>(x)));
}

SIMT_HOST_DEVICE inline constexpr int32_t wrap32(int64_t x)
{
    return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x)));
}

SIMT_HOST_DEVICE inline constexpr int64_t magnitude_of(int64_t x)
{
    return x < 0 ? -x : x;
}

/// QUIRK: true if libvmaf's horizontal wavelet takes no mirror image for column -1 of its input.
/// For each band row, libvmaf stores four rows one after the other: low-pass and high-pass of the
/// reference, then of the distorted picture. Index -1 of a row is the last sample of the row
/// before. In front of the first row is the upper half of malloc's size field: 0 with glibc. Input
/// heights up to 4 have the same fault in vertical direction. There libvmaf reads memory that
/// nobody wrote, so those keep the mirror image.
SIMT_HOST_DEVICE inline constexpr bool takes_no_mirror(int scale, int input_width, int input_height)
{
    return scale > 0 && input_width <= 4 && input_height > 4;
}

/// 2^30 / o truncated toward zero; 0 for o = 0. |o| <= 32768.
SIMT_HOST_DEVICE inline constexpr int32_t reciprocal_of(int32_t o)
{
    return o == 0 ? 0 : (1 << 30) / o;
}

/// libvmaf's angle test: true if the gradients (h, v) of reference and distorted differ by less
/// than about one degree. dp is the inner product, oo and tt are the squared lengths, all exact.
/// libvmaf rounds each to binary32 and multiplies in binary64, where only the last product rounds.
/// An exact comparison would differ in ties.
SIMT_HOST_DEVICE inline bool has_same_angle(int64_t dp, int64_t oo, int64_t tt)
{
    const double d = static_cast<float>(dp);
    const double o = static_cast<float>(oo);
    const double t = static_cast<float>(tt);
    const double limit = kCosOneDegree;
    return d >= 0 && d * d >= (limit * o) * t;
}

SIMT_HOST_DEVICE inline constexpr int32_t clamp_gain(int64_t k)
{
    return k < 0 ? 0 : (k > 32768 ? 32768 : static_cast<int32_t>(k));
}

/// Gain of the decoupling at scale 0: t / o in Q15, limited to 0..1; 1 for o = 0.
SIMT_HOST_DEVICE inline constexpr int32_t gain_first(int32_t o, int32_t t)
{
    if (o == 0)
        return 32768;
    const int64_t product = static_cast<int64_t>(reciprocal_of(o)) * t;
    return clamp_gain(round_shift(product, 15));
}

/// Gain at scales 1 to 3, where an o of more than 15 bits is first rounded to 15.
SIMT_HOST_DEVICE inline int32_t gain_next(int32_t o, int32_t t)
{
    if (o == 0)
        return 32768;
    const int64_t magnitude = magnitude_of(o);
    const int bits = 32 - clz32(static_cast<uint32_t>(magnitude));
    const int excess = bits > 15 ? bits - 15 : 0;
    const auto mantissa = static_cast<int32_t>(round_shift(magnitude, excess));
    const int64_t reciprocal = reciprocal_of(mantissa);
    const int64_t product = (o < 0 ? -reciprocal : reciprocal) * t;
    return clamp_gain(round_shift(product, 15 + excess));
}

/// Restored part at scale 0: o times the gain k, before the gain limit.
SIMT_HOST_DEVICE inline constexpr int32_t restored_first(int32_t k, int32_t o)
{
    return wrap16((static_cast<int64_t>(k) * o + 16384) >> 15);
}

SIMT_HOST_DEVICE inline constexpr int32_t restored_next(int32_t k, int32_t o)
{
    return wrap32((static_cast<int64_t>(k) * o + 16384) >> 15);
}

/// Restored part with the enhancement gain limit. If the angle test passed, r0 is moved toward t,
/// at most to r0 * limit. Truncates after the comparison.
SIMT_HOST_DEVICE inline constexpr int32_t enhanced(int32_t r0, int32_t k, int32_t o, int32_t t,
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
struct Weighted {
    int32_t contrast; ///< |q x| at scale 0, else |y|: masking compares it
    int32_t y;        ///< weighted sample
    int32_t f;        ///< about |y| / 30: its share in a neighbour's threshold
    int32_t centre;   ///< about |y| / 15: its share in its own threshold
};

/// QUIRK: the addend of the diagonal is 65535, not 65536.
/// QUIRK: centre wraps to negative for |y| >= 15360, as a 16-bit store does.
SIMT_HOST_DEVICE inline constexpr Weighted weight_first(int32_t x, uint32_t multiplier,
                                                        bool diagonal)
{
    const int32_t product = wrap32(static_cast<int64_t>(multiplier) * x);
    const int32_t y = wrap16(diagonal ? (static_cast<int64_t>(product) + 65535) >> 17
                                      : (static_cast<int64_t>(product) + 16384) >> 15);
    const int64_t size = magnitude_of(y);
    return {wrap32(magnitude_of(product)), y, wrap16((kThirtieth16 * size + 2048) >> 12),
            wrap16((kFifteenth16 * size + 2048) >> 12)};
}

/// QUIRK: the addend of f and centre is minus one half; both are -1 for y = 0.
SIMT_HOST_DEVICE inline constexpr Weighted weight_next(int32_t x, uint32_t multiplier)
{
    constexpr int64_t kHalf = static_cast<int64_t>(1) << 31;
    const int32_t y =
        wrap32((static_cast<int64_t>(multiplier) * x + (static_cast<int64_t>(1) << 27)) >> 28);
    const int64_t size = magnitude_of(y);
    return {wrap32(size), y, wrap32((kThirtieth32 * size - kHalf) >> 32),
            wrap32((kFifteenth32 * size - kHalf) >> 32)};
}

/// Contrast masking (libvmaf: cm): what one sample adds to the numerator, the cube of its contrast
/// above the threshold. threshold_shift converts the threshold to the contrast's fixed-point
/// format. Contrast, difference and square are 32-bit values in libvmaf and wrap.
SIMT_HOST_DEVICE inline constexpr int64_t masked_cube(int32_t contrast, int32_t threshold,
                                                      int threshold_shift, int square_shift,
                                                      int cube_shift)
{
    const int64_t shifted = static_cast<int64_t>(threshold) * (1 << threshold_shift);
    const int32_t difference = wrap32(static_cast<int64_t>(contrast) - shifted);
    const int64_t x = difference < 0 ? 0 : difference;
    const int64_t square = wrap32(round_shift(x * x, square_shift));
    return round_shift(square * x, cube_shift);
}

/// Shifts of masked_cube(). The diagonal band of scale 0 has a format of its own.
SIMT_HOST_DEVICE inline constexpr int threshold_shift_of(int scale, int orientation)
{
    return scale > 0 ? 0 : (orientation == 2 ? 12 : 10);
}

SIMT_HOST_DEVICE inline constexpr int square_shift_of(int scale, int orientation)
{
    return scale == 0 && orientation != 2 ? 29 : 30;
}

/// Returns what one reference sample adds to the denominator, at scale 0.
SIMT_HOST_DEVICE inline constexpr uint64_t energy_first(int32_t x)
{
    const auto size = static_cast<uint64_t>(magnitude_of(x));
    return size * size * size;
}

/// Returns what one reference sample adds at scales 1 to 3. QUIRK: the addend of the square is a
/// full unit, not a half.
SIMT_HOST_DEVICE inline constexpr uint64_t energy_next(int32_t x, int square_shift, int cube_shift)
{
    const auto size = static_cast<uint64_t>(magnitude_of(x));
    const uint64_t square =
        (size * size + (static_cast<uint64_t>(1) << square_shift)) >> square_shift;
    return round_shift(square * size, cube_shift);
}

/// A complete row's sum of cubes, as 64 bits of either sign, rounded. A numerator is signed:
/// a square that wraps makes its cube negative. A denominator uses all 64 bits.
SIMT_HOST_DEVICE inline constexpr uint64_t rounded_row(uint64_t row, int shift, bool is_den)
{
    return is_den ? round_shift(row, shift)
                  : static_cast<uint64_t>(round_shift(static_cast<int64_t>(row), shift));
}

// Faster forms for kernels of the formulas above. Signs are split off first, so that divisions,
// limits and comparisons work on unsigned 32-bit values. Comments say why each equals its plain
// form; tests/unit/test_adm_fast.cpp compares them.

/// Sign of a value as an arithmetic shift gives it: -1 below 0, else 0.
SIMT_HOST_DEVICE inline int32_t sign_of(int32_t x)
{
    return x >> 31;
}

/// -x if sign is -1, else x.
SIMT_HOST_DEVICE inline int32_t flip(int32_t x, int32_t sign)
{
    return static_cast<int32_t>(static_cast<uint32_t>(x ^ sign) - static_cast<uint32_t>(sign));
}

/// floor(2^30 / n) for 1 <= n <= 32768. The estimate q is wrong by at most 193 / n. Let
/// r = 2^30 - q n. The result is q + floor(r / n). floor(r / n) equals (r - (n - 1) / 2) / n
/// rounded to the nearest integer. That value is at least 1 / 2n away from a tie, which is more
/// than the error of binary32. Adding 1.5 * 2^23 rounds, and also converts small integers to
/// floats.
SIMT_HOST_DEVICE inline uint32_t reciprocal_fast(int32_t n)
{
    constexpr uint32_t kMagicBits = 0x4b400000u;
    constexpr float kMagic = 12582912.0F;
    const auto size = static_cast<float>(n);
    const float inverse = reciprocal_estimate(size + size);
    const auto q = static_cast<uint32_t>(static_cast<int32_t>(inverse * 2147483648.0F));
    const uint32_t centred = 0x80000001u + kMagicBits - (2 * q + 1) * static_cast<uint32_t>(n);
    const float rounded = (float_of_bits(centred) - kMagic) * inverse + kMagic;
    return q + bits_of_float(rounded) - kMagicBits;
}

/// has_same_angle() of the gradients (oh, ov) and (th, tv). Binary32 decides, except in close
/// cases: its error is below 2^-19 of the product of the squared lengths.
SIMT_HOST_DEVICE inline bool has_same_angle_fast(int32_t oh, int32_t ov, int32_t th, int32_t tv)
{
    const auto oh_f = static_cast<float>(oh), ov_f = static_cast<float>(ov);
    const auto th_f = static_cast<float>(th), tv_f = static_cast<float>(tv);
    const float dp = oh_f * th_f + ov_f * tv_f;
    const float product =
        (kCosOneDegree * (oh_f * oh_f + ov_f * ov_f)) * (th_f * th_f + tv_f * tv_f);
    const float difference = dp * dp - product;
    const float margin = product * 0x1p-18F;
    if (dp < 0 || difference < -margin)
        return false;
    if (difference >= margin) // true also if both are 0
        return true;
    const int64_t a = oh, b = ov, c = th, d = tv;
    return has_same_angle(a * c + b * d, a * a + b * b, c * c + d * d);
}

/// r0 with the gain limit: moved toward t if t > 0. (Else r0 is 0, or the limit cannot reach t.)
/// whole_limit: the limit as an integer, at most 100; 0 if it is fractional.
SIMT_HOST_DEVICE inline int32_t enhance_first_fast(int32_t r0, int32_t t, double limit,
                                                   int32_t whole_limit)
{
    if (whole_limit == 0)
        return enhanced(r0, 1, 1, t, true, limit);
    const int32_t enhanced = r0 * whole_limit;
    return enhanced < t ? enhanced : t;
}

SIMT_HOST_DEVICE inline int32_t enhance_next_fast(int32_t r0, int32_t t, double limit,
                                                  int32_t whole_limit)
{
    if (whole_limit == 0)
        return enhanced(r0, 1, 1, t, true, limit);
    const uint64_t enhanced =
        static_cast<uint64_t>(static_cast<uint32_t>(r0)) * static_cast<uint32_t>(whole_limit);
    return enhanced < static_cast<uint32_t>(t) ? static_cast<int32_t>(enhanced) : t;
}

/// Restored part before the gain limit, scale 0. o and t are multiplied by the sign of o, so
/// o >= 0. If t > o, the quotient is 1, because 2^30 / o > o. So t is limited to o + 1, and 32 bits
/// are enough. o = 0 gives 0 with any quotient.
SIMT_HOST_DEVICE inline int32_t restored_first_fast(int32_t o, int32_t t, int32_t sign)
{
    const int32_t n = o > 1 ? o : 1;
    const int32_t top = t < n + 1 ? t : n + 1;
    const auto reach = static_cast<uint32_t>(top > 0 ? top : 0);
    const uint32_t quotient = (reciprocal_fast(n) * reach + 16384) >> 15;
    const uint32_t k = quotient < 32768 ? quotient : 32768;
    // Ties round up, so the magnitude of a negative value rounds down.
    return static_cast<int32_t>(
        (k * static_cast<uint32_t>(o) + 16384 + static_cast<uint32_t>(sign)) >> 15);
}

/// The low 32 bits of (a * b + addend) >> shift; 1 <= shift <= 31.
SIMT_HOST_DEVICE inline uint32_t scaled_by(uint32_t a, uint32_t b, uint32_t addend, int shift)
{
    const uint64_t v = static_cast<uint64_t>(a) * b + addend;
    return funnel_shift_right(static_cast<uint32_t>(v >> 32), static_cast<uint32_t>(v), shift);
}

/// Restored part before the gain limit, scales 1 to 3. There o is rounded to 15 bits, and the
/// quotient is 1 from t = 2 o on.
SIMT_HOST_DEVICE inline int32_t restored_next_fast(int32_t o, int32_t t, int32_t sign)
{
    const uint32_t n = o > 1 ? static_cast<uint32_t>(o) : 1;
    const int bits = 32 - clz32(n);
    const int excess = bits > 15 ? bits - 15 : 0;
    const uint32_t mantissa = (n + ((1u << excess) >> 1)) >> excess;
    const uint32_t size = t > 0 ? static_cast<uint32_t>(t) : 0;
    const uint32_t reach = size < 2 * n ? size : 2 * n;
    const uint32_t quotient = scaled_by(reciprocal_fast(static_cast<int32_t>(mantissa)), reach,
                                        1u << (14 + excess), 15 + excess);
    const uint32_t k = quotient < 32768 ? quotient : 32768;
    return static_cast<int32_t>(
        scaled_by(k, static_cast<uint32_t>(o), 16384 + static_cast<uint32_t>(sign), 15));
}

/// Weighted without y: what contrast masking needs of one sample.
struct Share {
    uint32_t contrast;
    int32_t f, centre;
};

/// weight_first() of a sample with this magnitude. negative: -1 if the sample is below 0, where
/// a rounding shift rounds ties the other way. wraps: |y| may exceed 30719.
SIMT_HOST_DEVICE inline Share share_first(uint32_t size, int32_t negative, uint32_t multiplier,
                                          bool diagonal, bool wraps)
{
    const uint32_t product = multiplier * size;
    const auto tie = static_cast<uint32_t>(negative);
    uint32_t y = diagonal ? (product + (65535 - tie)) >> 17 : (product + (16384 + tie)) >> 15;
    auto f = static_cast<int32_t>((kThirtieth16 * y + 2048) >> 12);
    if (wraps) {
        y = y < 65536 - y ? y : 65536 - y; // magnitude of y wrapped to 16 bits
        f = wrap16((kThirtieth16 * y + 2048) >> 12);
    }
    return {product, f, wrap16((kFifteenth16 * y + 2048) >> 12)};
}

/// weight_next() in the same way. wraps: |y| may exceed 2^31.
SIMT_HOST_DEVICE inline Share share_next(uint32_t size, int32_t negative, uint32_t multiplier,
                                         bool wraps)
{
    constexpr int64_t kHalf = static_cast<int64_t>(1) << 31;
    uint32_t y = scaled_by(multiplier, size, (1u << 27) + static_cast<uint32_t>(negative), 28);
    if (wraps)
        y = y < 0 - y ? y : 0 - y;
    return {y, static_cast<int32_t>((kThirtieth32 * y - kHalf) >> 32),
            static_cast<int32_t>((kFifteenth32 * y - kHalf) >> 32)};
}

/// masked_cube() with the shifts of a scale and orientation.
SIMT_HOST_DEVICE inline uint64_t cube_above(uint32_t contrast, uint32_t threshold,
                                            int threshold_shift, int square_shift, int cube_shift,
                                            uint64_t cube_half)
{
    const auto difference = static_cast<int32_t>(contrast - (threshold << threshold_shift));
    const int32_t x = difference > 0 ? difference : 0;
    const auto size = static_cast<uint32_t>(x);
    const auto square =
        static_cast<int32_t>(scaled_by(size, size, 1u << (square_shift - 1), square_shift));
    const int64_t cube = static_cast<int64_t>(square) * x + static_cast<int64_t>(cube_half);
    return static_cast<uint64_t>(cube >> cube_shift);
}

} // namespace vmafgpu::adm
