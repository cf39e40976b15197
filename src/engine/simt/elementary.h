// SPDX-License-Identifier: BSD-2-Clause-Patent
// Elementary functions for kernels: the bits of libm/libm.h, by the same steps, without the cases
// that the comment of a function leaves out. elementary_tables.h fills in what they read. On top of
// simt.h.
#pragma once

#include "simt/simt.h"

namespace vmafgpu {

/// Tables of the elementary functions, as libm/libm_tables.h has them. Integers there are the bits
/// of doubles here.
struct ElementaryTables {
    double exp[128][2], pow_log[128][3], exp2_float[32], log2_float[16][2];
    double sin_cos[110][4], atan[241][7];
};

/// Constants of the elementary functions, as the headers of libm/ have them. Kernels take them from
/// their arguments, which an operation can do by itself.
struct ElementaryConstants {
    double exp_inverse_ln2, exp_ln2[2], exp[4];
    double pow_ln2[2], pow_log[7];
    double powf_log[5], powf_exp[3];
    double sin[5], short_sin[2], short_cos[3];
    double two_over_pi, half_pi[4], half_pi_sum[2];
    double pi[2], atan[6];
};

namespace elementary {

constexpr double kRoundToInteger = 0x1.8p52; ///< added and subtracted: rounds to an integer
constexpr double kRoundTo32nd = 0x1.8p47;
constexpr double kRoundTo128th = 0x1.8p45;

SIMT_DEVICE double size_of(double v)
{
    return v < 0 ? -v : v;
}
SIMT_DEVICE double with_sign_of(double v, double sign)
{
    constexpr uint64_t kSign = UINT64_C(1) << 63;
    return double_of_bits((bits_of_double(v) & ~kSign) | (bits_of_double(sign) & kSign));
}
SIMT_DEVICE uint32_t low_bits(double v, uint32_t mask)
{
    return static_cast<uint32_t>(bits_of_double(v)) & mask;
}
/// v with the low bits of k added to its exponent, `shift` bits higher.
SIMT_DEVICE double scaled(double v, double k, int shift)
{
    return double_of_bits(bits_of_double(v) + (bits_of_double(k) << shift));
}

/// x = z * 2^k, see libm::Split; of positive normal numbers.
struct Split {
    double z, k;
    uint32_t index;

    SIMT_DEVICE Split(double x, uint64_t first, int index_bits)
    {
        const uint64_t above = bits_of_double(x) - first;
        const uint64_t exponent = above >> 52 << 52;
        z = double_of_bits(bits_of_double(x) - exponent);
        // k + 1024 is the integer of a conversion that is fast.
        k = double_from(static_cast<uint32_t>((exponent + (UINT64_C(1024) << 52)) >> 52)) - 1024.0;
        index = static_cast<uint32_t>(above >> (52 - index_bits)) & ((1U << index_bits) - 1);
    }
};

} // namespace elementary

struct Elementary {
    const ElementaryConstants &c;
    const ElementaryTables *tables;

    /// exp(x + tail) for |x| below 512.
    SIMT_DEVICE double exponential(double x, double tail = 0) const
    {
        const double shifted = multiply_add(c.exp_inverse_ln2, x, elementary::kRoundToInteger);
        const double multiple = shifted - elementary::kRoundToInteger;
        const double r =
            multiply_add(multiple, c.exp_ln2[1], multiply_add(multiple, c.exp_ln2[0], x)) + tail;
        const double *entry = tables->exp[elementary::low_bits(shifted, 127)];
        const double scale = elementary::scaled(load_readonly(entry + 1), shifted, 45);
        const double r2 = r * r;
        const double low = multiply_add(r, c.exp[1], c.exp[0]);
        const double high = multiply_add(r, c.exp[3], c.exp[2]);
        const double rest =
            multiply_add(r2 * r2, high, multiply_add(r2, low, load_readonly(entry) + r));
        return multiply_add(scale, rest, scale);
    }

    /// x^y for positive normal x, where the result is one too; and 0 for x = 0 and y > 0.
    SIMT_DEVICE double power(double x, double y) const
    {
        if (x == 0)
            return 0;
        const elementary::Split at(x, 0x3fe6955500000000, 7);
        const double *entry = tables->pow_log[at.index];
        const double(&a)[7] = c.pow_log;
        const double r = multiply_add(at.z, load_readonly(entry), -1.0);
        const double base = multiply_add(at.k, c.pow_ln2[0], load_readonly(entry + 1));
        const double sum = base + r;
        const double base_tail = multiply_add(at.k, c.pow_ln2[1], load_readonly(entry + 2));
        const double sum_tail = base - sum + r;
        const double ar = a[0] * r;
        const double ar2 = r * ar;
        const double ar3 = r * ar2;
        const double high = sum + ar2;
        const double square_tail = multiply_add(ar, r, -ar2);
        const double high_tail = sum - high + ar2;
        const double inner =
            multiply_add(ar2, multiply_add(r, a[6], a[5]), multiply_add(r, a[4], a[3]));
        const double outer = multiply_add(ar2, inner, multiply_add(r, a[2], a[1]));
        const double low = multiply_add(ar3, outer, base_tail + sum_tail + square_tail + high_tail);
        const double log = high + low;
        const double log_tail = high - log + low;
        const double product = y * log;
        return exponential(product, multiply_add(y, log_tail, multiply_add(y, log, -product)));
    }

    /// powf(x, 7), the same conditions.
    SIMT_DEVICE float power7(float x) const
    {
        if (x == 0)
            return 0;
        const elementary::Split at(static_cast<double>(x), 0x3fe6600000000000, 4);
        const double *entry = tables->log2_float[at.index];
        const double r = multiply_add(at.z, load_readonly(entry), -1.0);
        const double r2 = r * r;
        const double(&a)[5] = c.powf_log;
        const double high = multiply_add(a[0], r, a[1]);
        const double middle = multiply_add(a[2], r, a[3]);
        const double low =
            multiply_add(middle, r2, multiply_add(a[4], r, load_readonly(entry + 1) + at.k));
        const double log = 7 * multiply_add(high, r2 * r2, low);
        const double shifted = log + elementary::kRoundTo32nd;
        const double rest = log - (shifted - elementary::kRoundTo32nd);
        const double scale = elementary::scaled(
            load_readonly(tables->exp2_float + elementary::low_bits(shifted, 31)), shifted, 47);
        const double cubic = multiply_add(c.powf_exp[0], rest, c.powf_exp[1]);
        const double sum = multiply_add(cubic, rest * rest, multiply_add(c.powf_exp[2], rest, 1.0));
        return static_cast<float>(sum * scale);
    }

    SIMT_DEVICE double short_sin(double x2) const
    {
        return multiply_add(c.short_sin[1], x2, c.short_sin[0]);
    }
    SIMT_DEVICE double short_cos(double x2) const
    {
        return x2 *
               multiply_add(multiply_add(c.short_cos[2], x2, c.short_cos[1]), x2, c.short_cos[0]);
    }

    /// Sine or cosine of x + tail, for |x| below 0.8555.
    SIMT_DEVICE double near_zero(double x, double tail, bool is_cos) const
    {
        const double magnitude = elementary::size_of(x);
        if (!is_cos && magnitude < 0.126) {
            const double x2 = x * x;
            double sum = multiply_add(c.sin[4], x2, c.sin[3]);
            SIMT_UNROLL
            for (int i = 2; i >= 0; --i)
                sum = multiply_add(sum, x2, c.sin[i]);
            return x + multiply_add(x2, multiply_add(sum, x, -(0.5 * tail)), tail);
        }
        const double shifted = magnitude + elementary::kRoundTo128th;
        const double *entry = tables->sin_cos[elementary::low_bits(shifted, 127)];
        const double sin = load_readonly(entry), sin_tail = load_readonly(entry + 1);
        const double cos = load_readonly(entry + 2), cos_tail = load_readonly(entry + 3);
        const double rest = magnitude - (shifted - elementary::kRoundTo128th);
        const double rest_tail = x < 0 ? -tail : tail;
        if (is_cos) {
            const double whole = rest + rest_tail;
            const double whole2 = whole * whole;
            const double s = multiply_add(whole * whole2, short_sin(whole2), whole);
            double low = multiply_add(-s, sin_tail, cos_tail);
            low = multiply_add(-short_cos(whole2), cos, low);
            low = multiply_add(-s, sin, low);
            return cos + low;
        }
        const double rest2 = rest * rest;
        const double s = rest + multiply_add(rest * rest2, short_sin(rest2), rest_tail);
        const double e = multiply_add(rest, rest_tail, short_cos(rest2));
        double low = multiply_add(s, cos_tail, sin_tail);
        low = multiply_add(-e, sin, low);
        low = multiply_add(s, cos, low);
        return elementary::with_sign_of(sin + low, x);
    }

    /// Sine or cosine for |x| below 1e8.
    SIMT_DEVICE double wave(double x, bool is_cos) const
    {
        const double magnitude = elementary::size_of(x);
        uint32_t quadrant = is_cos ? 1 : 0; // bit 0: the cosine; bit 1: the sign
        double reduced = x, tail = 0;
        if (magnitude >= 0x1.368fdp1) {
            const double shifted = multiply_add(x, c.two_over_pi, elementary::kRoundToInteger);
            const double n = shifted - elementary::kRoundToInteger;
            const double first = multiply_add(-n, c.half_pi[1], multiply_add(-n, c.half_pi[0], x));
            const double second = multiply_add(-n, c.half_pi[2], first);
            reduced = multiply_add(-n, c.half_pi[3], second);
            tail = multiply_add(-n, c.half_pi[2], first - second) +
                   multiply_add(-n, c.half_pi[3], second - reduced);
            quadrant += elementary::low_bits(shifted, 3);
        } else if (magnitude >= 0x1.b6p-1) {
            const double distance = c.half_pi_sum[0] - magnitude;
            const double sum = distance + c.half_pi_sum[1];
            reduced = is_cos ? sum : distance;
            tail = is_cos ? (distance - sum) + c.half_pi_sum[1] : c.half_pi_sum[1];
            quadrant = is_cos ? 0 : (x < 0 ? 3 : 1);
        }
        const double result = near_zero(reduced, tail, (quadrant & 1) != 0);
        return (quadrant & 2) != 0 ? -result : result;
    }
    SIMT_DEVICE double sine(double x) const { return wave(x, false); }
    SIMT_DEVICE double cosine(double x) const { return wave(x, true); }

    /// Returns atan2 of numbers that are not both 0.
    SIMT_DEVICE double angle(double y, double x) const
    {
        const double height = elementary::size_of(y), width = elementary::size_of(x);
        const bool is_flat = height < width;
        const bool is_plain = is_flat && x > 0;
        const double denominator = is_flat ? width : height;
        const double numerator = is_flat ? height : width;
        const double u = numerator / denominator;
        const double rest = multiply_add(-denominator, u, numerator) / denominator;
        // angle = base + base_tail + turn * atan(u + rest)
        const double base = is_plain ? 0 : (is_flat ? c.pi[0] : c.half_pi_sum[0]);
        const double base_tail = is_flat ? c.pi[1] : c.half_pi_sum[1];
        const double turn = is_flat || x > 0 ? -1 : 1;
        const double result = u < 0x1p-4 ? atan_by_series(u, rest, is_plain, base, base_tail, turn)
                                         : atan_by_table(u, rest, is_plain, base, base_tail, turn);
        return elementary::with_sign_of(result, y);
    }

    SIMT_DEVICE double atan_by_series(double u, double rest, bool is_plain, double base,
                                      double base_tail, double turn) const
    {
        const double u2 = u * u;
        double sum = multiply_add(c.atan[5], u2, c.atan[4]);
        SIMT_UNROLL
        for (int i = 3; i >= 0; --i)
            sum = multiply_add(sum, u2, c.atan[i]);
        const double u3 = u * u2;
        if (is_plain)
            return u + multiply_add(u3, sum, rest);
        const double turned = turn * u;
        const double high = base + turned;
        return ((((base - high) + turned) + base_tail) + turn * rest + turn * (u3 * sum)) + high;
    }

    SIMT_DEVICE double atan_by_table(double u, double rest, bool is_plain, double base,
                                     double base_tail, double turn) const
    {
        const uint32_t index = elementary::low_bits(multiply_add(u, 256.0, 0x1p52), 511);
        const double *entry = tables->atan[index - 16];
        double a[6];
        SIMT_UNROLL
        for (int i = 0; i < 6; ++i)
            a[i] = load_readonly(entry + 1 + i);
        const double offset = u - load_readonly(entry);
        const double v = rest + offset;
        double sum = multiply_add(a[5], v, a[4]);
        sum = multiply_add(sum, v, a[3]);
        sum = multiply_add(sum, v, a[2]);
        if (!is_plain)
            return (base + turn * a[0]) +
                   multiply_add(turn * v, multiply_add(sum, v, a[1]), base_tail);
        const double v_tail = elementary::size_of(offset) > elementary::size_of(rest)
                                  ? (offset - v) + rest
                                  : (rest - v) + offset;
        sum = multiply_add(v_tail, a[1], (v * v) * sum);
        return multiply_add(v, a[1], sum) + a[0];
    }
};

} // namespace vmafgpu
