// SPDX-License-Identifier: BSD-2-Clause-Patent
// Plain definitions of simt.h's integer words: what they mean on every device, and
// what dialects without such an instruction use. Included by the dialects after they
// have defined SIMT_HOST_DEVICE; tests compare the dialects' words with these.
#pragma once

#include <cstdint>

namespace vmafgpu {
namespace plain {

/// Leading zero bits; 32 for 0.
SIMT_HOST_DEVICE inline int clz32(uint32_t v)
{
    int n = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0 && (v & bit) == 0; bit >>= 1)
        ++n;
    return n;
}

/// a * b modulo 2^32, for a, b < 2^24 (larger ones are an error: devices differ).
SIMT_HOST_DEVICE inline uint32_t mul24(uint32_t a, uint32_t b)
{
    return (a & 0xffffffu) * (b & 0xffffffu);
}

/// c + sum of the four products of unsigned bytes, modulo 2^32.
SIMT_HOST_DEVICE inline uint32_t dot4_u8(uint32_t a, uint32_t b, uint32_t c)
{
    return c + (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) +
           (a >> 16 & 255) * (b >> 16 & 255) + (a >> 24) * (b >> 24);
}

/// c + product of the low halves + product of the high halves, modulo 2^32.
SIMT_HOST_DEVICE inline uint32_t dot2_u16(uint32_t a, uint32_t b, uint32_t c)
{
    return c + (a & 65535) * (b & 65535) + (a >> 16) * (b >> 16);
}

/// The products of the low and of the high halves, modulo 2^16 each, in the same places.
SIMT_HOST_DEVICE inline uint32_t multiply2_u16(uint32_t a, uint32_t b)
{
    return ((a & 65535) * (b & 65535) & 65535) | (a >> 16) * (b >> 16) << 16;
}

/// c + low half of a * byte 0 of b + high half of a * byte 1 of b, modulo 2^32.
SIMT_HOST_DEVICE inline uint32_t dot2_u16_u8_lo(uint32_t a, uint32_t b, uint32_t c)
{
    return c + (a & 65535) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}

/// c + low half of a * byte 2 of b + high half of a * byte 3 of b, modulo 2^32.
SIMT_HOST_DEVICE inline uint32_t dot2_u16_u8_hi(uint32_t a, uint32_t b, uint32_t c)
{
    return dot2_u16_u8_lo(a, b >> 16, c);
}

/// c + low half of a * byte 0 of b + high half of a * byte 1 of b; the halves of a
/// are signed. The sum must fit.
SIMT_HOST_DEVICE inline int32_t dot2_s16_u8_lo(uint32_t a, uint32_t b, int32_t c)
{
    return c + static_cast<int16_t>(a & 65535) * static_cast<int32_t>(b & 255) +
           static_cast<int16_t>(a >> 16) * static_cast<int32_t>(b >> 8 & 255);
}

/// c + low half of a * byte 2 of b + high half of a * byte 3 of b; the halves of a are signed. The
/// sum must fit.
SIMT_HOST_DEVICE inline int32_t dot2_s16_u8_hi(uint32_t a, uint32_t b, int32_t c)
{
    return dot2_s16_u8_lo(a, b >> 16, c);
}

/// 1 / x for a normal x > 0, wrong by one unit in the last place at most: devices
/// differ, so the caller must correct what it makes of it.
SIMT_HOST_DEVICE inline float reciprocal_estimate(float x)
{
    return 1.0F / x;
}

/// Byte i of the result is the byte that the i-th hex digit (from the right) of
/// `selector` names: 0..3 of a, 4..7 of b. byte_permute(a, b, 0x3210) == a.
SIMT_HOST_DEVICE inline uint32_t byte_permute(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; ++i)
        result |= static_cast<uint32_t>(bytes >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
    return result;
}

/// For v >= 2^17: 127 + the place of v's leading one, then the 15 bits that follow it, as in v's
/// float; then eight bits that depend on the device. zeros: clz32(v).
SIMT_HOST_DEVICE inline uint32_t float_bits_about(uint32_t v, int zeros)
{
    return static_cast<uint32_t>(127 + 31 - zeros) << 23 | ((v << zeros) >> 8 & 0x7fffffu);
}

/// v, for v < 2^31.
SIMT_HOST_DEVICE inline double double_from(uint32_t v)
{
    return static_cast<double>(static_cast<int32_t>(v));
}

/// v without its fraction, for 0 <= v < 2^31.
SIMT_HOST_DEVICE inline uint32_t truncated(double v)
{
    return static_cast<uint32_t>(static_cast<int32_t>(v));
}

/// a / b, for 0 <= a < 2^31 with a = 0 or a >= 1, and 2^-18 < b < 2^32.
SIMT_HOST_DEVICE inline double divide(double a, double b)
{
    return a / b;
}

/// Low word of (high : low) >> n, for 0 <= n < 32.
SIMT_HOST_DEVICE inline uint32_t funnel_shift_right(uint32_t high, uint32_t low, int n)
{
    return static_cast<uint32_t>((static_cast<uint64_t>(high) << 32 | low) >> n);
}

/// Rounded as IEEE 754 says.
SIMT_HOST_DEVICE inline float square_root(float v)
{
    return __builtin_sqrtf(v);
}
SIMT_HOST_DEVICE inline double square_root(double v)
{
    return __builtin_sqrt(v);
}

/// *p, for memory that nobody writes during the launch. T: 1, 2, 4, 8 or 16 bytes.
template <typename T> SIMT_HOST_DEVICE inline T load_readonly(const T *p)
{
    return *p;
}

} // namespace plain
} // namespace vmafgpu
