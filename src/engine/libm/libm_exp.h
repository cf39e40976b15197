// SPDX-License-Identifier: BSD-2-Clause-Patent
// exp, pow and powf as templates of the form of fma. Which products are fused
// decides the last bit: each fma below is one that glibc's build for CPUs
// with FMA has, and no other product is fused. Included by libm.cpp only.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "libm/libm_bits.h"
#include "libm/libm_tables.h"

namespace vmafgpu::libm {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The NaN with the sign that x86 gives it, on every machine: libvmaf's logs show it.
constexpr double kNan = -std::numeric_limits<double>::quiet_NaN();

constexpr double kRoundToInteger = 0x1.8p52; ///< added and subtracted: rounds to an integer
constexpr double kExpInverseLn2 = 0x1.71547652b82fep7; ///< 128 / ln 2
constexpr double kExpLn2High = -0x1.62e42fefap-8;      ///< -ln 2 / 128
constexpr double kExpLn2Low = -0x1.cf79abc9e3b3ap-47;
/// exp(r) - 1 - r, for |r| below ln 2 / 256.
constexpr double kExpPolynomial[4] = {0x1.ffffffffffdbdp-2, 0x1.555555555543cp-3,
                                      0x1.55555cf172b91p-5, 0x1.1111167a4d017p-7};

/// scale * (1 + rest) where the exponent of scale, whose bits are given, has left its range.
template <class Form> VMAFGPU_INLINE double scaled(double rest, uint64_t scale_bits, bool is_large)
{
    if (is_large) {
        const double scale = double_of(scale_bits - (1009ULL << 52));
        return 0x1p1009 * Form::fma(scale, rest, scale);
    }
    const double scale = double_of(scale_bits + (1022ULL << 52));
    const double product = scale * rest;
    double y = scale + product;
    if (std::fabs(y) < 1.0) {
        // Rounded at a subnormal's last bit first, so that the scaling below is exact.
        const double one = y < 0 ? -1.0 : 1.0;
        const double high = one + y;
        const double low = (one - high + y) + (scale - y + product);
        y = (high + low) - one;
        if (y == 0)
            y = std::copysign(0.0, scale);
    }
    return 0x1p-1022 * y;
}

/// exp(x + tail) with a sign; x is not NaN.
template <class Form> VMAFGPU_INLINE double signed_exp(double x, double tail, bool is_negative)
{
    const uint32_t exponent = top_of(x) & 0x7ff;
    bool is_scaled = false;
    if (exponent - 0x3c9 >= 0x3f) {
        double limit = 1; // |x| < 2^-54
        if (exponent >= 0x409)
            limit = x > 0 ? kInfinity : 0;
        if (exponent < 0x3c9 || exponent >= 0x409)
            return is_negative ? -limit : limit;
        is_scaled = true;
    }
    // x = k * ln 2 / 128 + r
    const double shifted = Form::fma(kExpInverseLn2, x, kRoundToInteger);
    const uint64_t k = bits_of(shifted);
    const double multiple = shifted - kRoundToInteger;
    const double r = Form::fma(multiple, kExpLn2Low, Form::fma(multiple, kExpLn2High, x)) + tail;
    const ExpEntry &entry = kExpTable[k % 128];
    const uint64_t sign_bias = is_negative ? 0x800ULL << 7 : 0;
    const uint64_t scale_bits = entry.bits + ((k + sign_bias) << 45);

    const double r2 = r * r;
    const double low = Form::fma(r, kExpPolynomial[1], kExpPolynomial[0]);
    const double high = Form::fma(r, kExpPolynomial[3], kExpPolynomial[2]);
    const double rest = Form::fma(r2 * r2, high, Form::fma(r2, low, entry.tail + r));
    if (is_scaled)
        return scaled<Form>(rest, scale_bits, (k & 0x80000000) == 0);
    const double scale = double_of(scale_bits);
    return Form::fma(scale, rest, scale);
}

template <class Form> VMAFGPU_INLINE double exp_of(double x)
{
    if (std::isnan(x))
        return x + 1;
    return signed_exp<Form>(x, 0, false);
}

constexpr double kPowLn2High = 0x1.62e42fefa38p-1;
constexpr double kPowLn2Low = 0x1.ef35793c7673p-45;
/// log(1 + r) - r, its coefficients times the powers of -2 that its evaluation brings.
constexpr double kPowPolynomial[7] = {-0.5,
                                      -0x1.5555555555560p-1,
                                      0x1.0000000000006p-1,
                                      0x1.999999959554ep-1,
                                      -0x1.555555529a47ap-1,
                                      -0x1.2495b9b4845e9p0,
                                      0x1.0002b8b263fc3p0};

struct DoubleDouble {
    double high, low;
};

/// Natural logarithm of a number given by its bits, to some 68 bits.
template <class Form> VMAFGPU_INLINE DoubleDouble long_log(uint64_t bits)
{
    const Split at = split(bits, 0x3fe6955500000000, 7);
    const PowLogEntry &entry = kPowLogTable[at.index];
    const double(&a)[7] = kPowPolynomial;
    const double r = Form::fma(at.z, entry.inverse, -1.0);
    const double base = Form::fma(at.k, kPowLn2High, entry.log);
    const double sum = base + r;
    const double base_tail = Form::fma(at.k, kPowLn2Low, entry.log_tail);
    const double sum_tail = base - sum + r;

    const double ar = a[0] * r;
    const double ar2 = r * ar;
    const double ar3 = r * ar2;
    const double high = sum + ar2;
    const double square_tail = Form::fma(ar, r, -ar2);
    const double high_tail = sum - high + ar2;
    const double inner = Form::fma(ar2, Form::fma(r, a[6], a[5]), Form::fma(r, a[4], a[3]));
    const double outer = Form::fma(ar2, inner, Form::fma(r, a[2], a[1]));
    const double low = Form::fma(ar3, outer, base_tail + sum_tail + square_tail + high_tail);
    const double y = high + low;
    return {y, high - y + low};
}

/// Whether y is an integer, and an odd one; y is finite and not 0.
struct Parity {
    bool is_integer, is_odd;
};

inline Parity parity_of(double y)
{
    const int exponent = static_cast<int>(top_of(y) & 0x7ff) - 0x3ff;
    if (exponent < 0)
        return {false, false};
    if (exponent > 52)
        return {true, false};
    const uint64_t unit = 1ULL << (52 - exponent);
    const uint64_t mantissa = bits_of(y) | (1ULL << 52);
    const bool is_integer = (mantissa & (unit - 1)) == 0;
    return {is_integer, is_integer && (mantissa & unit) != 0};
}

/// pow where x or y is 0, infinite, NaN or the like; nothing if the rule is the general one.
inline std::optional<double> special_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (std::isnan(x) || std::isnan(y))
        return x + y;
    const double magnitude = std::fabs(x);
    if (std::isinf(y)) {
        if (magnitude == 1)
            return 1;
        return (magnitude > 1) == (y > 0) ? kInfinity : 0;
    }
    if (magnitude == 0 || magnitude == kInfinity) {
        const double result = (magnitude == 0) == (y > 0) ? 0 : kInfinity;
        return parity_of(y).is_odd ? std::copysign(result, x) : result;
    }
    if (x < 0 && !parity_of(y).is_integer)
        return kNan;
    if (std::fabs(y) < 0x1p-65 || magnitude == 1)
        return parity_of(y).is_odd ? x : 1;
    if (std::fabs(y) >= 0x1p63)
        return (magnitude > 1) == (y > 0) ? kInfinity : 0;
    return {};
}

template <class Form> VMAFGPU_INLINE double pow_of(double x, double y)
{
    uint64_t bits = bits_of(x);
    bool is_negative = false;
    if (top_of(x) - 1 >= 0x7fe || (top_of(y) & 0x7ff) - 0x3be >= 0x80) {
        const std::optional<double> special = special_pow(x, y);
        if (special)
            return *special;
        is_negative = x < 0 && parity_of(y).is_odd;
        bits &= ~kSignBit;
        if ((bits >> 52) == 0)
            bits = bits_of_subnormal(double_of(bits));
    }
    const DoubleDouble log = long_log<Form>(bits);
    const double product = y * log.high;
    const double tail = Form::fma(y, log.low, Form::fma(y, log.high, -product));
    return signed_exp<Form>(product, tail, is_negative);
}

/// log2(1 + r), highest power first.
constexpr double kPowfLogPolynomial[5] = {0x1.27616c9496e0bp-2, -0x1.71969a075c67ap-2,
                                          0x1.ec70a6ca7baddp-2, -0x1.7154748bef6c8p-1,
                                          0x1.71547652ab82bp0};
/// 2^r - 1 for |r| up to 1 / 64, highest power first.
constexpr double kPowfExpPolynomial[3] = {0x1.c6af84b912394p-5, 0x1.ebfce50fac4f3p-3,
                                          0x1.62e42ff0c52d6p-1};
constexpr double kRoundTo32nd = 0x1.8p47;
constexpr double kPowfLargest = 0x1.fffffffd1d571p6; ///< largest finite exponent

template <class Form> VMAFGPU_INLINE float signed_exp2(double x, bool is_negative)
{
    if (x > kPowfLargest)
        return is_negative ? -HUGE_VALF : HUGE_VALF;
    if (x <= -150)
        return is_negative ? -0.0F : 0.0F;
    const double shifted = x + kRoundTo32nd;
    const uint64_t k = bits_of(shifted);
    const double r = x - (shifted - kRoundTo32nd);
    const uint64_t sign_bias = is_negative ? 0x800ULL << 5 : 0;
    const double scale = double_of(kExp2FloatTable[k % 32] + ((k + sign_bias) << 47));
    const double(&c)[3] = kPowfExpPolynomial;
    const double high = Form::fma(c[0], r, c[1]);
    const double rest = Form::fma(high, r * r, Form::fma(c[2], r, 1.0));
    return static_cast<float>(rest * scale);
}

template <class Form> VMAFGPU_INLINE float powf_of(float x, float y)
{
    bool is_negative = false;
    uint32_t bits = bits_of(x);
    if (bits - 0x00800000U >= 0x7f000000U || !(std::fabs(y) > 0) || std::isinf(y)) {
        const std::optional<double> special = special_pow(x, y);
        if (special)
            return static_cast<float>(*special);
        is_negative = x < 0 && parity_of(y).is_odd;
        bits &= 0x7fffffff;
        if (bits < 0x00800000)
            bits = bits_of(float_of(bits) * 0x1p23F) - (23U << 23);
    }
    constexpr uint32_t kFirst = 0x3f330000;
    const uint32_t above = bits - kFirst;
    const double z = float_of(bits - (above & 0xff800000U));
    const LogEntry &entry = kLog2FloatTable[(above >> 19) % 16];
    const double whole = entry.log + static_cast<double>(static_cast<int32_t>(above) >> 23);

    const double(&a)[5] = kPowfLogPolynomial;
    const double r = Form::fma(z, entry.inverse, -1.0);
    const double r2 = r * r;
    const double high = Form::fma(a[0], r, a[1]);
    const double middle = Form::fma(a[2], r, a[3]);
    const double low = Form::fma(middle, r2, Form::fma(a[4], r, whole));
    const double log = Form::fma(high, r2 * r2, low);
    return signed_exp2<Form>(static_cast<double>(y) * log, is_negative);
}

} // namespace vmafgpu::libm
