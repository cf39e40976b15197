// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the elementary functions share: a number's bits, and the two forms of a
// fused multiply-add as a template's parameter. Included by libm.cpp and its parts.
#pragma once

#include <cstdint>
#include <cstring>

#include "libm/fma.h"

// The functions are templates of the form of fma. They must be inlined into a caller that
// is compiled for processors with that instruction, or the builtin becomes a call.
#define VMAFGPU_INLINE [[gnu::always_inline]] inline

namespace vmafgpu::libm {

struct HardwareFma {
    VMAFGPU_INLINE static double fma(double a, double b, double c)
    {
        return __builtin_fma(a, b, c);
    }
};

struct SoftwareFma {
    VMAFGPU_INLINE static double fma(double a, double b, double c) { return soft_fma(a, b, c); }
};

constexpr uint64_t kSignBit = 1ULL << 63;
constexpr uint64_t kExponentMask = 0xfffULL << 52; ///< the mask has the sign, too

VMAFGPU_INLINE uint64_t bits_of(double value)
{
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

VMAFGPU_INLINE double double_of(uint64_t bits)
{
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

VMAFGPU_INLINE uint32_t bits_of(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

VMAFGPU_INLINE float float_of(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// Sign and exponent.
VMAFGPU_INLINE uint32_t top_of(double value)
{
    return static_cast<uint32_t>(bits_of(value) >> 52);
}

/// x = z * 2^k with z in [first, 2 * first); index of the interval of z, of 2^index_bits.
struct Split {
    double z;
    double k;
    uint32_t index;
};

/// `bits` of a normal number, or of a subnormal one with an exponent that wrapped below 0.
VMAFGPU_INLINE Split split(uint64_t bits, uint64_t first, int index_bits)
{
    const uint64_t above = bits - first;
    const auto exponent = static_cast<int32_t>(static_cast<int64_t>(above) >> 52);
    return {double_of(bits - (above & kExponentMask)), static_cast<double>(exponent),
            static_cast<uint32_t>(above >> (52 - index_bits)) & ((1U << index_bits) - 1)};
}

/// Bits of a positive subnormal number as split() takes them.
VMAFGPU_INLINE uint64_t bits_of_subnormal(double value)
{
    return bits_of(value * 0x1p52) - (52ULL << 52);
}

} // namespace vmafgpu::libm
