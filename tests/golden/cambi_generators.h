// SPDX-License-Identifier: BSD-2-Clause-Patent
// The clips of the CAMBI golden tests: one picture each, with known sums. Used by
// test_cambi_golden.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "picture/picture.h"

namespace vmafgpu {

enum class CambiContent { kRings, kDither, kFine, kMixed, kHalf };

struct CambiClip {
    const char *name;
    CambiContent content;
    int width, height, depth;
    uint32_t seed;
    uint64_t sum;        ///< sum of all samples
    uint32_t corners[4]; ///< (0,0) (1,0) (0,1) and the last sample
};

constexpr CambiClip kCambiClips[] = {
    {"C1", CambiContent::kRings, 320, 240, 8, 1, 2368563, {58, 57, 57, 57}},
    {"C2", CambiContent::kDither, 417, 311, 10, 2, 62206344, {360, 360, 360, 600}},
    {"C3", CambiContent::kDither, 1921, 1081, 8, 3, 249143668, {90, 90, 90, 150}},
    {"C4", CambiContent::kHalf, 641, 361, 10, 4, 91477258, {160, 160, 160, 1023}},
    {"C5", CambiContent::kFine, 640, 360, 12, 5, 245251239, {1024, 1024, 1024, 1105}},
    {"C6", CambiContent::kDither, 1280, 720, 8, 6, 110562919, {90, 90, 90, 150}},
    {"C7", CambiContent::kMixed, 1920, 1080, 10, 7, 453706124, {120, 120, 120, 280}},
    {"C8", CambiContent::kHalf, 3840, 2160, 10, 3, 3496194867, {160, 160, 160, 998}},
    {"C9", CambiContent::kFine, 233, 217, 9, 9, 7327420, {128, 128, 128, 162}},
    // Reference pictures of C1 and C2 with full_ref; sums not published.
    {"R1", CambiContent::kDither, 320, 240, 8, 1, 0, {}},
    {"R2", CambiContent::kRings, 417, 311, 10, 2, 0, {}},
};

inline uint32_t cambi_hash(uint32_t x, uint32_t y, uint32_t s)
{
    uint32_t u = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ s * 0x27D4EB2Fu;
    u ^= u >> 15;
    u *= 0x2C1B3C6Du;
    u ^= u >> 12;
    u *= 0x297A2D39u;
    u ^= u >> 15;
    return u;
}

inline uint32_t cambi_half_sample(const CambiClip &clip, uint32_t x, uint32_t y)
{
    const uint32_t s = clip.seed;
    if (2 * x < static_cast<uint32_t>(clip.width))
        return (40 + x / 60 % 40) << (clip.depth - 8);
    uint32_t n = cambi_hash(x, y, s + 2) >> 22;
    if (x % 12 < 7 && y % 12 < 7)
        n = 400 + (cambi_hash(x / 12, y / 12, s) >> 30) + (cambi_hash(x / 12, y / 12, s + 5) >> 22);
    return clip.depth < 10 ? n >> (10 - clip.depth) : n << (clip.depth - 10);
}

inline uint32_t cambi_unlimited_sample(const CambiClip &clip, uint32_t x, uint32_t y)
{
    const auto w = static_cast<uint32_t>(clip.width);
    const auto h = static_cast<uint32_t>(clip.height);
    const int up = clip.depth - 8;
    switch (clip.content) {
    case CambiContent::kRings: {
        const int64_t u = 2 * static_cast<int64_t>(x) - w;
        const int64_t v = 2 * static_cast<int64_t>(y) - h;
        const int64_t radius = 40 * (u * u + v * v) / (static_cast<int64_t>(w) * w + h * h);
        return static_cast<uint32_t>(18 + radius) << up;
    }
    case CambiContent::kDither:
        return (((23040 + 10240 * x / w + 5120 * y / h) << up) +
                (cambi_hash(x, y, clip.seed) >> 24)) >>
               8;
    case CambiContent::kFine:
        return (64u << up) + (97 * x + 61 * y) / 1024;
    case CambiContent::kMixed: {
        const uint32_t m = (3 * x + 2 * y) % 1200;
        const uint32_t base = (30 + std::min(m, 1200 - m) / 12) << up;
        const bool is_noisy = (cambi_hash(x / 32, y / 32, clip.seed) & 7) == 0;
        return base + (is_noisy ? (cambi_hash(x, y, clip.seed + 1) >> 30) << up : 0);
    }
    case CambiContent::kHalf:
        return cambi_half_sample(clip, x, y);
    }
    return 0;
}

inline uint32_t cambi_sample(const CambiClip &clip, int x, int y)
{
    return std::min(
        cambi_unlimited_sample(clip, static_cast<uint32_t>(x), static_cast<uint32_t>(y)),
        (1u << clip.depth) - 1);
}

/// Packed rows: bytes for 8 bits, else 16-bit samples.
inline std::vector<unsigned char> cambi_picture(const CambiClip &clip)
{
    std::vector<unsigned char> bytes;
    for (int y = 0; y < clip.height; ++y)
        for (int x = 0; x < clip.width; ++x) {
            const uint32_t sample = cambi_sample(clip, x, y);
            bytes.push_back(static_cast<unsigned char>(sample & 255));
            if (clip.depth > 8)
                bytes.push_back(static_cast<unsigned char>(sample >> 8));
        }
    return bytes;
}

inline Format cambi_format(const CambiClip &clip)
{
    return {clip.width, clip.height, clip.depth, Chroma::k400};
}

inline Plane cambi_plane(const CambiClip &clip, const std::vector<unsigned char> &bytes)
{
    return {bytes.data(), clip.width * (clip.depth > 8 ? 2 : 1)};
}

inline const CambiClip &cambi_clip(std::string_view name)
{
    return *std::find_if(std::begin(kCambiClips), std::end(kCambiClips),
                         [&](const CambiClip &clip) { return name == clip.name; });
}

} // namespace vmafgpu
