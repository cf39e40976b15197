// SPDX-License-Identifier: BSD-2-Clause-Patent
// log2, and log10 by way of the natural logarithm, as templates of the form of
// fma. What libm_exp.h says about fused products holds here. Included by
// libm.cpp only.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "libm/libm_bits.h"
#include "libm/libm_exp.h"
#include "libm/libm_tables.h"

namespace vmafgpu::libm {

/// The two tables begin at the same number.
constexpr uint64_t kLogFirst = 0x3fe6000000000000;

/// A logarithm of 0, infinity, NaN or a negative number; else nothing.
inline std::optional<double> special_log(double x)
{
    if (x == 0)
        return -kInfinity;
    if (std::isnan(x) || x == kInfinity)
        return x + x;
    if (x < 0)
        return kNan;
    return {};
}

constexpr double kLog2InverseHigh = 0x1.71547652p0; ///< 1 / ln 2
constexpr double kLog2InverseLow = 0x1.705fc2eefa2p-33;
/// log2(1 + r) without r / ln 2: near 1, and about a table's point.
constexpr double kLog2NearPolynomial[10] = {
    -0x1.71547652b82fep-1, 0x1.ec709dc3a03f7p-2, -0x1.71547652b7c3fp-2, 0x1.2776c50f05be4p-2,
    -0x1.ec709dd768fe5p-3, 0x1.a61761ec4e736p-3, -0x1.7153fbc64a79bp-3, 0x1.484d154f01b4ap-3,
    -0x1.289e4a72c383cp-3, 0x1.0b32f285aee66p-3};
constexpr double kLog2Polynomial[6] = {-0x1.71547652b8339p-1, 0x1.ec709dc3a04bep-2,
                                       -0x1.7154764702ffbp-2, 0x1.2776c50034c48p-2,
                                       -0x1.ec7b328ea92bcp-3, 0x1.a6225e117f92ep-3};

/// log2(1 + r), for r from -0.042 to 0.044.
template <class Form> VMAFGPU_INLINE double log2_near_one(double r)
{
    const double(&b)[10] = kLog2NearPolynomial;
    const double line = r * kLog2InverseHigh;
    const double line_tail = Form::fma(r, kLog2InverseLow, Form::fma(r, kLog2InverseHigh, -line));
    const double r2 = r * r;
    const double r4 = r2 * r2;
    const double head = Form::fma(r, b[1], b[0]);
    const double y = Form::fma(r2, head, line);
    const double y_tail = Form::fma(r2, head, line - y) + line_tail;
    const double low = Form::fma(r2, Form::fma(r, b[5], b[4]), Form::fma(r, b[3], b[2]));
    const double high = Form::fma(r2, Form::fma(r, b[9], b[8]), Form::fma(r, b[7], b[6]));
    return y + Form::fma(r4, Form::fma(r4, high, low), y_tail);
}

template <class Form> VMAFGPU_INLINE double log2_of(double x)
{
    if (x >= 1 - 0x1.5b51p-5 && x < 1 + 0x1.6ab2p-5)
        return x == 1 ? 0 : log2_near_one<Form>(x - 1);
    uint64_t bits = bits_of(x);
    if (top_of(x) - 1 >= 0x7fe) {
        const std::optional<double> special = special_log(x);
        if (special)
            return *special;
        bits = bits_of_subnormal(x);
    }
    const Split at = split(bits, kLogFirst, 6);
    const LogEntry &entry = kLog2Table[at.index];
    const double(&a)[6] = kLog2Polynomial;
    const double r = Form::fma(at.z, entry.inverse, -1.0);
    const double line = r * kLog2InverseHigh;
    const double line_tail = Form::fma(r, kLog2InverseLow, Form::fma(r, kLog2InverseHigh, -line));
    const double base = at.k + entry.log;
    const double high = base + line;
    const double low = base - high + line + line_tail;
    const double r2 = r * r;
    const double inner = Form::fma(r2, Form::fma(r, a[3], a[2]), Form::fma(r, a[1], a[0]));
    const double outer = Form::fma(r2 * r2, Form::fma(r, a[5], a[4]), inner);
    return Form::fma(r2, outer, low) + high;
}

/// Coefficients of log(1 + r) without its first term r: for values near 1, and about a point of the
/// table.
constexpr double kLogNearPolynomial[11] = {-0.5,
                                           0x1.5555555555577p-2,
                                           -0x1.ffffffffffdcbp-3,
                                           0x1.999999995dd0cp-3,
                                           -0x1.55555556745a7p-3,
                                           0x1.24924a344de3p-3,
                                           -0x1.fffffa4423d65p-4,
                                           0x1.c7184282ad6cap-4,
                                           -0x1.999eb43b068ffp-4,
                                           0x1.78182f7afd085p-4,
                                           -0x1.5521375d145cdp-4};
constexpr double kLogPolynomial[5] = {-0x1.0000000000001p-1, 0x1.555555551305bp-2,
                                      -0x1.fffffffeb459p-3, 0x1.999b324f10111p-3,
                                      -0x1.55575e506c89fp-3};

/// Natural, of 1 + r, for r from -1/16 to 0.065.
template <class Form> VMAFGPU_INLINE double log_near_one(double r)
{
    const double(&b)[11] = kLogNearPolynomial;
    const double r2 = r * r;
    const double r3 = r * r2;
    const double last = Form::fma(r3, b[10], Form::fma(r2, b[9], Form::fma(r, b[8], b[7])));
    const double middle = Form::fma(r3, last, Form::fma(r2, b[6], Form::fma(r, b[5], b[4])));
    const double rest = Form::fma(r3, middle, Form::fma(r2, b[3], Form::fma(r, b[2], b[1])));
    // The upper half of r, so that its square is exact.
    const double upper = Form::fma(-0x1p27, r, Form::fma(r, 0x1p27, r));
    const double lower = r - upper;
    const double square = upper * upper;
    const double high = Form::fma(square, b[0], r);
    const double high_tail = Form::fma(square, b[0], r - high);
    const double low = Form::fma(b[0] * lower, r + upper, high_tail);
    return high + Form::fma(rest, r3, low);
}

/// Natural; x is positive and normal.
template <class Form> VMAFGPU_INLINE double log_of(double x)
{
    if (x >= 1 - 0x1p-4 && x < 1 + 0x1.09p-4)
        return x == 1 ? 0 : log_near_one<Form>(x - 1);
    const Split at = split(bits_of(x), kLogFirst, 7);
    const LogEntry &entry = kLogTable[at.index];
    const double(&a)[5] = kLogPolynomial;
    const double r = Form::fma(at.z, entry.inverse, -1.0);
    const double base = Form::fma(at.k, kPowLn2High, entry.log);
    const double high = base + r;
    const double low = Form::fma(at.k, kPowLn2Low, base - high + r);
    const double r2 = r * r;
    const double inner = Form::fma(r2, Form::fma(r, a[4], a[3]), Form::fma(r, a[2], a[1]));
    return Form::fma(r * r2, inner, Form::fma(r2, a[0], low)) + high;
}

constexpr double kLog10Of2High = 0x1.34413509f6p-2;
constexpr double kLog10Of2Low = 0x1.9fef311f12b36p-42;
constexpr double kLog10OfE = 0x1.bcb7b1526e50ep-2;

/// No product outside of log_of() is fused: glibc has no build with FMA of this one.
template <class Form> VMAFGPU_INLINE double log10_of(double x)
{
    const std::optional<double> special = special_log(x);
    if (special)
        return *special;
    int exponent = -0x3ff;
    if (top_of(x) == 0) {
        x = x * 0x1p54;
        exponent -= 54;
    }
    exponent += static_cast<int>(top_of(x));
    // The mantissa is from 1 to 2 if the exponent is not negative, else from 1/2 to 1.
    const uint64_t field = exponent < 0 ? 0x3fe : 0x3ff;
    const double mantissa = double_of((bits_of(x) & ~kExponentMask) | (field << 52));
    const auto whole = static_cast<double>(exponent < 0 ? exponent + 1 : exponent);
    const double low = whole * kLog10Of2Low + kLog10OfE * log_of<Form>(mantissa);
    return low + whole * kLog10Of2High;
}

} // namespace vmafgpu::libm
