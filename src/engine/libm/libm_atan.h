// SPDX-License-Identifier: BSD-2-Clause-Patent
// atan2 as a template of the form of fma, by a table of arctangents near multiples of 1/256.
// What libm_exp.h says about fused products holds here. Included by libm.cpp only.
#pragma once

#include <cmath>

#include "libm/libm_bits.h"
#include "libm/libm_sin.h"
#include "libm/libm_tables.h"

namespace vmafgpu::libm {

constexpr double kPi = 0x1.921fb54442d18p1;
constexpr double kPiTail = 0x1.1a62633145c07p-53;
constexpr double kAtanFirst = 0x1p-4; ///< below it, a polynomial without a table
/// (atan(u) - u) / u^3 by powers of u^2, for u below kAtanFirst.
constexpr double kAtanPolynomial[6] = {-0x1.5555555555555p-2, 0x1.99999999997fdp-3,
                                       -0x1.24924923f7603p-3, 0x1.c71c6e5129a3bp-4,
                                       -0x1.7458022b13c25p-4, 0x1.375f08b31cbcep-4};

/// u = |y| / |x| or its inverse, whichever is at most 1, and what the division left.
struct Ratio {
    double u, rest;
};

template <class Form> VMAFGPU_INLINE Ratio ratio_of(double numerator, double denominator)
{
    const double u = numerator / denominator;
    return {u, Form::fma(-denominator, u, numerator) / denominator};
}

/// atan(u + rest), for u up to 1.
template <class Form> VMAFGPU_INLINE double short_atan(const Ratio &at)
{
    if (at.u < kAtanFirst) {
        const double u2 = at.u * at.u;
        const double(&p)[6] = kAtanPolynomial;
        double sum = Form::fma(p[5], u2, p[4]);
        for (int i = 3; i >= 0; --i)
            sum = Form::fma(sum, u2, p[i]);
        return at.u + Form::fma(at.u * u2, sum, at.rest);
    }
    const auto index = static_cast<int>(Form::fma(at.u, 256.0, 0x1p52) - 0x1p52);
    const AtanEntry &entry = kAtanTable[index - 16];
    const double(&c)[6] = entry.c;
    const double offset = at.u - entry.point;
    const double v = at.rest + offset;
    const double v_tail =
        std::fabs(offset) > std::fabs(at.rest) ? (offset - v) + at.rest : (at.rest - v) + offset;
    double sum = Form::fma(c[5], v, c[4]);
    sum = Form::fma(sum, v, c[3]);
    sum = Form::fma(sum, v, c[2]);
    sum = Form::fma(v_tail, c[1], (v * v) * sum);
    return Form::fma(v, c[1], sum) + c[0];
}

/// base + base_tail + sign * atan(u + rest).
template <class Form>
VMAFGPU_INLINE double turned_atan(const Ratio &at, double base, double base_tail, double sign)
{
    if (at.u < kAtanFirst) {
        const double u2 = at.u * at.u;
        const double(&p)[6] = kAtanPolynomial;
        double sum = Form::fma(p[5], u2, p[4]);
        for (int i = 3; i >= 0; --i)
            sum = Form::fma(sum, u2, p[i]);
        const double cube = (at.u * u2) * sum;
        const double high = base + sign * at.u;
        const double tail = (base - high) + sign * at.u;
        return ((tail + base_tail) + sign * at.rest + sign * cube) + high;
    }
    const auto index = static_cast<int>(Form::fma(at.u, 256.0, 0x1p52) - 0x1p52);
    const AtanEntry &entry = kAtanTable[index - 16];
    const double(&c)[6] = entry.c;
    const double v = (at.u - entry.point) + at.rest;
    double sum = c[5];
    for (int i = 4; i >= 1; --i)
        sum = Form::fma(sum, v, c[i]);
    return (base + sign * c[0]) + Form::fma(sign * v, sum, base_tail);
}

/// atan2 of numbers that are not 0 and not too far from each other.
template <class Form> VMAFGPU_INLINE double plain_atan2(double y, double x)
{
    double height = std::fabs(y);
    double width = std::fabs(x);
    if (width < 0x1p-500 || height < 0x1p-500) {
        width *= 0x1p500;
        height *= 0x1p500;
    }
    if (width > 0x1p500 || height > 0x1p500) {
        width *= 0x1p-500;
        height *= 0x1p-500;
    }
    const bool is_flat = height < width;
    const Ratio at = is_flat ? ratio_of<Form>(height, width) : ratio_of<Form>(width, height);
    double angle;
    if (is_flat)
        angle = x > 0 ? short_atan<Form>(at) : turned_atan<Form>(at, kPi, kPiTail, -1);
    else
        angle = turned_atan<Form>(at, kHalfPi, kHalfPiTail, x > 0 ? -1 : 1);
    return std::copysign(angle, y);
}

/// atan2 if one of the two is infinite.
inline double infinite_atan2(double y, double x)
{
    double angle = kHalfPi;
    if (std::isinf(x) && std::isinf(y))
        angle = x > 0 ? kPi / 4 : 0x1.2d97c7f3321d2p1;
    else if (std::isinf(x))
        angle = x > 0 ? 0 : kPi;
    return std::copysign(angle, y);
}

template <class Form> VMAFGPU_INLINE double atan2_of(double y, double x)
{
    if (std::isnan(x) || std::isnan(y))
        return x + y;
    if (y == 0)
        return std::copysign(std::signbit(x) ? kPi : 0, y);
    if (x == 0)
        return std::copysign(kHalfPi, y);
    if (std::isinf(x) || std::isinf(y))
        return infinite_atan2(y, x);
    const int difference =
        static_cast<int>(top_of(y) & 0x7ff) - static_cast<int>(top_of(x) & 0x7ff);
    if (difference >= 57)
        return std::copysign(kHalfPi, y);
    if (difference <= -57)
        return std::copysign(x > 0 ? std::fabs(y / x) : kPi, y);
    return plain_atan2<Form>(y, x);
}

} // namespace vmafgpu::libm
