// SPDX-License-Identifier: BSD-2-Clause-Patent
// simt.h for ordinary host sources (reference code, tests): qualifiers, tables and integer words.
// The emulator's dialect builds on it. Kernels and threads are in emu_dialect.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#define SIMT_HOST_DEVICE
#define SIMT_DEVICE inline
#define SIMT_TABLE inline constexpr
#define SIMT_UNROLL
#define SIMT_NO_UNROLL

#include "libm/fma.h"
#include "simt/matrix.h"
#include "simt/plain.h"

namespace vmafgpu {

inline int clz32(uint32_t v)
{
    return v == 0 ? 32 : __builtin_clz(v);
}

#ifndef SIMT_EMU_DIALECT // whose blocks take turns
/// For tests of what kernels add up.
inline constexpr bool has_scarce_double()
{
    return false;
}
#endif

/// The bits, where those that are left open are the wrong ones.
inline uint32_t float_bits_about(uint32_t v)
{
    return plain::float_bits_about(v, clz32(v)) ^ 0xff;
}

using plain::byte_permute;
using plain::divide;
using plain::dot2_s16_u8_hi;
using plain::dot2_s16_u8_lo;
using plain::dot2_u16;
using plain::dot2_u16_u8_hi;
using plain::dot2_u16_u8_lo;
using plain::dot4_u8;
using plain::double_from;
using plain::funnel_shift_right;
using plain::load_readonly;
using plain::mul24;
using plain::multiply2_u16;
using plain::square_root;
using plain::truncated;

inline float float_of_bits(uint32_t v)
{
    float x = 0;
    std::memcpy(&x, &v, sizeof(x));
    return x;
}

inline uint32_t bits_of_float(float x)
{
    uint32_t v = 0;
    std::memcpy(&v, &x, sizeof(v));
    return v;
}

inline double double_of_bits(uint64_t v)
{
    double x = 0;
    std::memcpy(&x, &v, sizeof(x));
    return x;
}

inline uint64_t bits_of_double(double x)
{
    uint64_t v = 0;
    std::memcpy(&v, &x, sizeof(v));
    return v;
}

/// Without the instruction: the product of floats is exact in double, and a sum that is rounded to
/// odd may be rounded once more.
inline float multiply_add(float a, float b, float c)
{
#ifdef __FP_FAST_FMAF
    return __builtin_fmaf(a, b, c);
#else
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const double addend = static_cast<double>(c);
    const double sum = product + addend;
    const double added = sum - product;
    const double lost = (product - (sum - added)) + (addend - added);
    const uint64_t bits = bits_of_double(sum);
    if (lost == 0 || (bits & 1) != 0)
        return static_cast<float>(sum);
    return static_cast<float>(double_of_bits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1));
#endif
}

inline double multiply_add(double a, double b, double c)
{
    return libm::fused(a, b, c);
}

/// Returns one unit beside the quotient, up or down by the bits of x, since no result may depend on
/// a device's rounding.
inline float reciprocal_estimate(float x)
{
    const float y = plain::reciprocal_estimate(x);
    const uint32_t bits = (bits_of_float(x) >> 16 ^ bits_of_float(x)) * 0x45d9f3bu >> 30;
    return bits == 0 ? y : std::nextafter(y, bits == 1 ? 0.0F : 3.4e38F);
}

} // namespace vmafgpu
