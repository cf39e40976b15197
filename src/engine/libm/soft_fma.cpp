// SPDX-License-Identifier: BSD-2-Clause-Patent
// The fused multiply-add in integers, see fma.h. A product of two doubles has
// 106 bits; the sum is made in 128 bits, and what falls out below is kept as one
// sticky bit. That is enough: where the operands lie two or more bits apart, at
// most one leading bit cancels; where they lie closer, nothing falls out.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "libm/fma.h"
#include "libm/libm_bits.h"

namespace vmafgpu::libm {

namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr uint64_t kSign = 1ULL << 63;
constexpr uint64_t kInfinity = 0x7ffULL << 52;
constexpr int kLowest = -1074; ///< exponent of the last bit of a subnormal
constexpr int kTop = 125;      ///< leading bit of a normalised sum: leaves room for a carry

/// mantissa * 2^exponent
struct Wide {
    Uint128 mantissa;
    int exponent;
};

Wide wide_of(double value)
{
    const uint64_t bits = bits_of(value) & ~kSign;
    const int field = static_cast<int>(bits >> 52);
    if (field == 0)
        return {bits, kLowest};
    return {(bits & ((1ULL << 52) - 1)) | (1ULL << 52), kLowest + field - 1};
}

int leading_bit(Uint128 value)
{
    const auto high = static_cast<uint64_t>(value >> 64);
    return high != 0 ? 127 - __builtin_clzll(high)
                     : 63 - __builtin_clzll(static_cast<uint64_t>(value));
}

Wide normalised(const Wide &value)
{
    const int shift = kTop - leading_bit(value.mantissa);
    return {value.mantissa << shift, value.exponent - shift};
}

/// value / 2^n, the lowest bit set if anything was lost.
Uint128 shifted_sticky(Uint128 value, int n)
{
    if (n == 0)
        return value;
    if (n > 127)
        return value != 0 ? 1 : 0;
    const Uint128 lost = value & ((static_cast<Uint128>(1) << n) - 1);
    return (value >> n) | (lost != 0 ? 1 : 0);
}

/// Rounds to nearest, ties to even; the sign apart.
uint64_t rounded_bits(const Wide &value)
{
    const int by_length = leading_bit(value.mantissa) - 52;
    const int by_range = kLowest - value.exponent;
    const int drop = by_length > by_range ? by_length : by_range;
    if (drop > 127)
        return 0; // below half of the smallest subnormal
    uint64_t kept;
    if (drop <= 0) {
        kept = static_cast<uint64_t>(value.mantissa << -drop);
    } else {
        const Uint128 half = static_cast<Uint128>(1) << (drop - 1);
        const Uint128 rest = value.mantissa & (2 * half - 1);
        kept = static_cast<uint64_t>(value.mantissa >> drop);
        if (rest > half || (rest == half && (kept & 1) != 0))
            ++kept;
    }
    // A mantissa's leading bit adds 1 to the exponent field, a carry one more.
    const auto field = static_cast<uint64_t>(value.exponent + drop - kLowest);
    const uint64_t bits = (field << 52) + kept;
    return bits < kInfinity ? bits : kInfinity;
}

double with_sign(uint64_t magnitude, uint64_t sign)
{
    const uint64_t bits = magnitude | sign;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace

double soft_fma(double a, double b, double c)
{
    // Nothing is rounded twice here: these are exact or not finite, or c adds nothing.
    if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0)
        return a * b + c;
    if (!std::isfinite(c))
        return c + c;
    if (c == 0)
        return a * b;

    const uint64_t product_sign = (bits_of(a) ^ bits_of(b)) & kSign;
    const uint64_t c_sign = bits_of(c) & kSign;
    const Wide factor_a = wide_of(a);
    const Wide factor_b = wide_of(b);
    const Wide product =
        normalised({factor_a.mantissa * factor_b.mantissa, factor_a.exponent + factor_b.exponent});
    const Wide addend = normalised(wide_of(c));

    const bool product_first =
        product.exponent > addend.exponent ||
        (product.exponent == addend.exponent && product.mantissa >= addend.mantissa);
    const Wide &large = product_first ? product : addend;
    const Wide &small = product_first ? addend : product;
    const Uint128 shifted = shifted_sticky(small.mantissa, large.exponent - small.exponent);
    const uint64_t sign = product_first ? product_sign : c_sign;
    if (product_sign == c_sign)
        return with_sign(rounded_bits({large.mantissa + shifted, large.exponent}), sign);
    const Uint128 difference = large.mantissa - shifted;
    if (difference == 0)
        return 0;
    return with_sign(rounded_bits({difference, large.exponent}), sign);
}

} // namespace vmafgpu::libm
