// SPDX-License-Identifier: BSD-2-Clause-Patent
// Content of the benchmark's pictures: a moving texture with noise, and the same
// blurred and noisier. Depends on nothing but position and frame number, so that
// bench and peer.cpp time the same work.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vmafgpu {

inline uint32_t bench_noise(uint32_t x, uint32_t y, uint32_t t)
{
    uint32_t v = x * 0x9E3779B1U + y * 0x85EBCA77U + t * 0xC2B2AE3DU;
    v ^= v >> 15;
    v *= 0x2C1B3C6DU;
    v ^= v >> 12;
    return v;
}

/// 0 .. 65535.
inline int bench_texture(int x, int y, int t)
{
    const auto triangle = [](int a) {
        a &= 511;
        return a < 256 ? a : 511 - a;
    };
    const int u = x + 3 * t;
    const int v = y + t;
    return 100 * triangle(3 * u + 2 * v) + 60 * triangle((u * u + 2 * v * v) >> 5);
}

/// 0 .. 65535.
inline int bench_sample(int x, int y, int t, bool is_distorted)
{
    const auto ux = static_cast<uint32_t>(x);
    const auto uy = static_cast<uint32_t>(y);
    const auto ut = static_cast<uint32_t>(t);
    const auto grain = static_cast<int>(bench_noise(ux, uy, ut) >> 19); // 13 bits
    if (!is_distorted)
        return std::min(bench_texture(x, y, t) + grain, 65535);
    const int soft =
        (bench_texture(x - 1, y, t) + 2 * bench_texture(x, y, t) + bench_texture(x + 1, y, t)) / 4;
    const auto more = static_cast<int>(bench_noise(uy, ux, ut + 77) >> 20); // 12 bits
    return std::min(soft + grain / 2 + more, 65535);
}

/// 0 .. 65535: slow ramps with grain, the distorted one in steps of an 8-bit level; a
/// quarter of its 64x64 squares are bench_sample()'s texture. What CAMBI is for.
inline int bench_bands(int x, int y, int t, bool is_distorted)
{
    const uint32_t square =
        bench_noise(static_cast<uint32_t>(x >> 6), static_cast<uint32_t>(y >> 6), 1);
    if (square >> 30 == 0)
        return bench_sample(x, y, t, is_distorted);
    const int place = (3 * x + 2 * y + 7 * t) & 32767;
    const int ramp = 6400 + 2 * (place < 16384 ? place : 32767 - place);
    if (is_distorted)
        return ramp & ~255;
    const uint32_t grain =
        bench_noise(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(t));
    return ramp + static_cast<int>(grain >> 25);
}

} // namespace vmafgpu
