// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sine and cosine as templates of the form of fma, by a table of sines and cosines at
// multiples of 1/128. What libm_exp.h says about fused products holds here.
// Included by libm.cpp only.
#pragma once

#include <cmath>
#include <cstdint>

#include "libm/libm_bits.h"
#include "libm/libm_exp.h"
#include "libm/libm_tables.h"

namespace vmafgpu::libm {

constexpr double kRoundTo128th = 0x1.8p45;
constexpr double kHalfPi = 0x1.921fb54442d18p0;
constexpr double kHalfPiTail = 0x1.1a62633145c07p-54;
/// Half of pi in four parts: products of the first three with a small integer are exact.
constexpr double kHalfPiParts[4] = {0x1.921fb58p0, -0x1.dde973cp-27, -0x1.cb3b398p-55,
                                    -0x1.d747f23e32ed7p-83};
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
/// (sin(x) - x) / x^3 by powers of x^2, for |x| below 0.126.
constexpr double kSinPolynomial[5] = {-0x1.5555555555555p-3, 0x1.1111111110ecep-7,
                                      -0x1.a01a019db08b8p-13, 0x1.71de27b9a7ed9p-19,
                                      -0x1.addffc2fcdf59p-26};
/// Coefficients of (sin(x) - x) / x^3 and (1 - cos(x)) / x^2, for |x| up to 1/256.
constexpr double kShortSin[2] = {-0x1.5555555555515p-3, 0x1.11110e829872fp-7};
constexpr double kShortCos[3] = {0x1p-1, -0x1.5555555555535p-5, 0x1.6c16bedd9e239p-10};

/// |x| = k / 128 + rest
struct SinCosAt {
    const SinCosEntry &entry;
    double rest;
};

VMAFGPU_INLINE SinCosAt sin_cos_at(double magnitude)
{
    const double shifted = magnitude + kRoundTo128th;
    return {kSinCosTable[bits_of(shifted) % 128], magnitude - (shifted - kRoundTo128th)};
}

/// (sin(x) - x) / x^3, given x^2.
template <class Form> VMAFGPU_INLINE double short_sin(double x2)
{
    return Form::fma(kShortSin[1], x2, kShortSin[0]);
}

/// 1 - cos(x), given x^2.
template <class Form> VMAFGPU_INLINE double short_cos(double x2)
{
    const double(&c)[3] = kShortCos;
    return x2 * Form::fma(Form::fma(c[2], x2, c[1]), x2, c[0]);
}

/// cos(x + tail) for |x| below 0.8555.
template <class Form> VMAFGPU_INLINE double cos_near_zero(double x, double tail)
{
    const SinCosAt at = sin_cos_at(std::fabs(x));
    const double rest = at.rest + (x < 0 ? -tail : tail);
    const double rest2 = rest * rest;
    const double s = Form::fma(rest * rest2, short_sin<Form>(rest2), rest);
    const double c = short_cos<Form>(rest2);
    double low = Form::fma(-s, at.entry.sin_tail, at.entry.cos_tail);
    low = Form::fma(-c, at.entry.cos, low);
    low = Form::fma(-s, at.entry.sin, low);
    return at.entry.cos + low;
}

/// sin(x + tail) for |x| below 0.8555.
template <class Form> VMAFGPU_INLINE double sin_near_zero(double x, double tail)
{
    if (std::fabs(x) < 0.126) {
        const double x2 = x * x;
        const double(&p)[5] = kSinPolynomial;
        double sum = Form::fma(p[4], x2, p[3]);
        for (int i = 2; i >= 0; --i)
            sum = Form::fma(sum, x2, p[i]);
        return x + Form::fma(x2, Form::fma(sum, x, -(0.5 * tail)), tail);
    }
    const SinCosAt at = sin_cos_at(std::fabs(x));
    const double rest = at.rest;
    const double rest2 = rest * rest;
    const double rest_tail = x < 0 ? -tail : tail;
    const double s = rest + Form::fma(rest * rest2, short_sin<Form>(rest2), rest_tail);
    const double c = Form::fma(rest, rest_tail, short_cos<Form>(rest2));
    double low = Form::fma(s, at.entry.cos_tail, at.entry.sin_tail);
    low = Form::fma(-c, at.entry.sin, low);
    low = Form::fma(s, at.entry.cos, low);
    return std::copysign(at.entry.sin + low, x);
}

/// sin(x + turns * pi / 2) for |x| from 2.4 to 1e8: sine or cosine of the distance to the nearest
/// multiple of pi / 2.
template <class Form> VMAFGPU_INLINE double sin_of_reduced(double x, uint64_t turns)
{
    const double(&p)[4] = kHalfPiParts;
    const double shifted = Form::fma(x, kTwoOverPi, kRoundToInteger);
    const double n = shifted - kRoundToInteger;
    const uint64_t quadrant = (bits_of(shifted) + turns) % 4;
    const double first = Form::fma(-n, p[1], Form::fma(-n, p[0], x));
    const double second = Form::fma(-n, p[2], first);
    const double third = Form::fma(-n, p[3], second);
    const double tail = Form::fma(-n, p[2], first - second) + Form::fma(-n, p[3], second - third);
    const double result =
        quadrant % 2 != 0 ? cos_near_zero<Form>(third, tail) : sin_near_zero<Form>(third, tail);
    return quadrant >= 2 ? -result : result;
}

template <class Form> VMAFGPU_INLINE double sin_of(double x)
{
    const double magnitude = std::fabs(x);
    if (magnitude < 0x1p-26)
        return x;
    if (magnitude < 0x1.b6p-1)
        return sin_near_zero<Form>(x, 0);
    if (magnitude < 0x1.368fdp1)
        return std::copysign(cos_near_zero<Form>(kHalfPi - magnitude, kHalfPiTail), x);
    if (magnitude < 1e8)
        return sin_of_reduced<Form>(x, 0);
    return kNan;
}

template <class Form> VMAFGPU_INLINE double cos_of(double x)
{
    const double magnitude = std::fabs(x);
    if (magnitude < 0x1p-27)
        return 1;
    if (magnitude < 0x1.b6p-1)
        return cos_near_zero<Form>(x, 0);
    if (magnitude < 0x1.368fdp1) {
        const double distance = kHalfPi - magnitude;
        const double sum = distance + kHalfPiTail;
        return sin_near_zero<Form>(sum, (distance - sum) + kHalfPiTail);
    }
    if (magnitude < 1e8)
        return sin_of_reduced<Form>(x, 1);
    return kNan;
}

} // namespace vmafgpu::libm
