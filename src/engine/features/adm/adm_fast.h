// SPDX-License-Identifier: BSD-2-Clause-Patent
// The formulas of adm_math.h in fewer instructions, for kernels. Signs are split off first, so that
// divisions, limits and comparisons work on unsigned 32-bit values. Comments say why each equals
// its plain form; tests/unit/test_adm_fast.cpp compares them.
#pragma once

#include "adm_math.h"

namespace vmafgpu {

/// Sign of a value as an arithmetic shift gives it: -1 below 0, else 0.
SIMT_HOST_DEVICE inline int32_t adm_sign(int32_t x)
{
    return x >> 31;
}

/// -x if sign is -1, else x.
SIMT_HOST_DEVICE inline int32_t adm_flip(int32_t x, int32_t sign)
{
    return static_cast<int32_t>(static_cast<uint32_t>(x ^ sign) - static_cast<uint32_t>(sign));
}

/// floor(2^30 / n) for 1 <= n <= 32768. The estimate q is wrong by at most 193 / n. Let
/// r = 2^30 - q n. The result is q + floor(r / n). floor(r / n) equals (r - (n - 1) / 2) / n
/// rounded to the nearest integer. That value is at least 1 / 2n away from a tie, which is more
/// than the error of binary32. Adding 1.5 * 2^23 rounds, and also converts small integers to
/// floats.
SIMT_HOST_DEVICE inline uint32_t adm_reciprocal_fast(int32_t n)
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

/// adm_same_angle() of the gradients (oh, ov) and (th, tv). Binary32 decides, except in close
/// cases: its error is below 2^-19 of the product of the squared lengths.
SIMT_HOST_DEVICE inline bool adm_same_angle_fast(int32_t oh, int32_t ov, int32_t th, int32_t tv)
{
    const auto oh_f = static_cast<float>(oh), ov_f = static_cast<float>(ov);
    const auto th_f = static_cast<float>(th), tv_f = static_cast<float>(tv);
    const float dp = oh_f * th_f + ov_f * tv_f;
    const float product =
        (kAdmCosOneDegree * (oh_f * oh_f + ov_f * ov_f)) * (th_f * th_f + tv_f * tv_f);
    const float difference = dp * dp - product;
    const float margin = product * 0x1p-18F;
    if (dp < 0 || difference < -margin)
        return false;
    if (difference >= margin) // also where both are 0
        return true;
    const int64_t a = oh, b = ov, c = th, d = tv;
    return adm_same_angle(a * c + b * d, a * a + b * b, c * c + d * d);
}

/// r0 with the gain limit: moved toward t if t > 0. (Else r0 is 0, or the limit cannot reach t.)
/// whole_limit: the limit as an integer, at most 100; 0 if it is fractional.
SIMT_HOST_DEVICE inline int32_t adm_enhance_first_fast(int32_t r0, int32_t t, double limit,
                                                       int32_t whole_limit)
{
    if (whole_limit == 0)
        return adm_enhance(r0, 1, 1, t, true, limit);
    const int32_t enhanced = r0 * whole_limit;
    return enhanced < t ? enhanced : t;
}

SIMT_HOST_DEVICE inline int32_t adm_enhance_next_fast(int32_t r0, int32_t t, double limit,
                                                      int32_t whole_limit)
{
    if (whole_limit == 0)
        return adm_enhance(r0, 1, 1, t, true, limit);
    const uint64_t enhanced =
        static_cast<uint64_t>(static_cast<uint32_t>(r0)) * static_cast<uint32_t>(whole_limit);
    return enhanced < static_cast<uint32_t>(t) ? static_cast<int32_t>(enhanced) : t;
}

/// Restored part before the gain limit, scale 0. o and t are multiplied by the sign of o, so
/// o >= 0. If t > o, the quotient is 1, because 2^30 / o > o. So t is limited to o + 1, and 32 bits
/// are enough. o = 0 gives 0 with any quotient.
SIMT_HOST_DEVICE inline int32_t adm_restore_first_fast(int32_t o, int32_t t, int32_t sign)
{
    const int32_t n = o > 1 ? o : 1;
    const int32_t top = t < n + 1 ? t : n + 1;
    const auto reach = static_cast<uint32_t>(top > 0 ? top : 0);
    const uint32_t quotient = (adm_reciprocal_fast(n) * reach + 16384) >> 15;
    const uint32_t k = quotient < 32768 ? quotient : 32768;
    // Ties round up, so the magnitude of a negative value rounds down.
    return static_cast<int32_t>(
        (k * static_cast<uint32_t>(o) + 16384 + static_cast<uint32_t>(sign)) >> 15);
}

/// The low 32 bits of (a * b + addend) >> shift; 1 <= shift <= 31.
SIMT_HOST_DEVICE inline uint32_t adm_scaled(uint32_t a, uint32_t b, uint32_t addend, int shift)
{
    const uint64_t v = static_cast<uint64_t>(a) * b + addend;
    return funnel_shift_right(static_cast<uint32_t>(v >> 32), static_cast<uint32_t>(v), shift);
}

/// The same at scales 1 to 3, where o is rounded to 15 bits. The quotient is 1 from t = 2 o on.
SIMT_HOST_DEVICE inline int32_t adm_restore_next_fast(int32_t o, int32_t t, int32_t sign)
{
    const uint32_t n = o > 1 ? static_cast<uint32_t>(o) : 1;
    const int bits = 32 - clz32(n);
    const int excess = bits > 15 ? bits - 15 : 0;
    const uint32_t mantissa = (n + ((1u << excess) >> 1)) >> excess;
    const uint32_t size = t > 0 ? static_cast<uint32_t>(t) : 0;
    const uint32_t reach = size < 2 * n ? size : 2 * n;
    const uint32_t quotient = adm_scaled(adm_reciprocal_fast(static_cast<int32_t>(mantissa)), reach,
                                         1u << (14 + excess), 15 + excess);
    const uint32_t k = quotient < 32768 ? quotient : 32768;
    return static_cast<int32_t>(
        adm_scaled(k, static_cast<uint32_t>(o), 16384 + static_cast<uint32_t>(sign), 15));
}

/// AdmWeighted without y: what contrast masking needs of one sample.
struct AdmShare {
    uint32_t contrast;
    int32_t f, centre;
};

/// adm_weight_first() of a sample with this magnitude. negative: -1 if the sample is below 0, where
/// a rounding shift rounds ties the other way. wraps: |y| may exceed 30719.
SIMT_HOST_DEVICE inline AdmShare adm_share_first(uint32_t size, int32_t negative,
                                                 uint32_t multiplier, bool diagonal, bool wraps)
{
    const uint32_t product = multiplier * size;
    const auto tie = static_cast<uint32_t>(negative);
    uint32_t y = diagonal ? (product + (65535 - tie)) >> 17 : (product + (16384 + tie)) >> 15;
    auto f = static_cast<int32_t>((kAdmThirtieth16 * y + 2048) >> 12);
    if (wraps) {
        y = y < 65536 - y ? y : 65536 - y; // magnitude of y wrapped to 16 bits
        f = adm_wrap16((kAdmThirtieth16 * y + 2048) >> 12);
    }
    return {product, f, adm_wrap16((kAdmFifteenth16 * y + 2048) >> 12)};
}

/// adm_weight_next() in the same way. wraps: |y| may exceed 2^31.
SIMT_HOST_DEVICE inline AdmShare adm_share_next(uint32_t size, int32_t negative,
                                                uint32_t multiplier, bool wraps)
{
    constexpr int64_t kHalf = static_cast<int64_t>(1) << 31;
    uint32_t y = adm_scaled(multiplier, size, (1u << 27) + static_cast<uint32_t>(negative), 28);
    if (wraps)
        y = y < 0 - y ? y : 0 - y;
    return {y, static_cast<int32_t>((kAdmThirtieth32 * y - kHalf) >> 32),
            static_cast<int32_t>((kAdmFifteenth32 * y - kHalf) >> 32)};
}

/// adm_masked_cube() with the shifts of a scale and orientation.
SIMT_HOST_DEVICE inline uint64_t adm_cube(uint32_t contrast, uint32_t threshold,
                                          int threshold_shift, int square_shift, int cube_shift,
                                          uint64_t cube_half)
{
    const auto difference = static_cast<int32_t>(contrast - (threshold << threshold_shift));
    const int32_t x = difference > 0 ? difference : 0;
    const auto size = static_cast<uint32_t>(x);
    const auto square =
        static_cast<int32_t>(adm_scaled(size, size, 1u << (square_shift - 1), square_shift));
    const int64_t cube = static_cast<int64_t>(square) * x + static_cast<int64_t>(cube_half);
    return static_cast<uint64_t>(cube >> cube_shift);
}

} // namespace vmafgpu
