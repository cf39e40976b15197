// SPDX-License-Identifier: BSD-2-Clause-Patent
// Synthetic pictures with known checksums: the clips of the VIF and motion
// golden tests, and content for tests of any size and depth. ADM's own clips
// are in adm_generators.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "picture/picture.h"

namespace vmafgpu {

enum class Content { kTexture, kBoost, kFlat, kChecker, kNoise, kLow };

/// A clip. The checksums are CRC-32 of the luma of frame 0 (rows without padding; little-endian
/// 16-bit samples if depth > 8).
struct Clip {
    const char *name;
    Content content;
    int depth, width, height, frames;
    uint32_t seed;
    uint32_t reference_crc, distorted_crc;
};

constexpr Clip kClips[] = {
    {"V1", Content::kTexture, 8, 64, 48, 3, 1, 0x185332dc, 0x64033675},
    {"V2", Content::kTexture, 8, 33, 47, 4, 2, 0x98d68d1c, 0x9380206b},
    {"V3", Content::kTexture, 10, 96, 64, 3, 3, 0x7246c8af, 0x6739470e},
    {"V4", Content::kTexture, 16, 64, 48, 3, 4, 0xdfede035, 0x8ac8de36},
    {"V5", Content::kTexture, 8, 16, 16, 2, 5, 0x6c0bddd1, 0x585fb48c},
    {"V6", Content::kFlat, 8, 32, 24, 3, 0, 0xb4ed65b9, 0xfb55686c},
    {"V7", Content::kChecker, 8, 40, 36, 3, 4, 0x4b6137d7, 0x786f7691},
    {"V8", Content::kChecker, 12, 40, 36, 2, 1, 0x832f2965, 0xa23baaf3},
    {"V9", Content::kBoost, 8, 64, 48, 2, 9, 0xefeb293b, 0xdcfa7b88},
    {"V10", Content::kNoise, 12, 50, 38, 6, 10, 0x0ec03594, 0xf8961880},
    {"V11", Content::kLow, 16, 48, 40, 2, 11, 0xb7723f94, 0xdb42a40d},
};

/// CRC-32 as in zlib; `crc` is the result so far.
inline uint32_t crc32(const void *data, size_t bytes, uint32_t crc = 0)
{
    const auto *p = static_cast<const unsigned char *>(data);
    crc = ~crc;
    for (size_t i = 0; i < bytes; ++i) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0u);
    }
    return ~crc;
}

inline uint32_t hash(uint32_t x, uint32_t y, uint32_t t, uint32_t seed)
{
    uint32_t v = x * 0x9E3779B1u + y * 0x85EBCA77u + t * 0xC2B2AE3Du + seed * 0x27D4EB2Fu;
    v ^= v >> 15;
    v *= 0x2C1B3C6Du;
    v ^= v >> 12;
    v *= 0x297A2D39u;
    v ^= v >> 15;
    return v;
}

/// A moving texture, 0 .. 65535.
inline uint32_t texture(uint32_t x, uint32_t y, uint32_t t, uint32_t seed)
{
    const auto triangle = [](uint32_t a) {
        a &= 511;
        return a < 256 ? a : 511 - a;
    };
    const uint32_t u = x + 2 * t;
    const uint32_t v = y + t;
    return 128 * triangle(5 * u + 3 * v) + 96 * triangle((u * u + 3 * v * v) >> 4) +
           128 * (hash(x, y, t, seed) & 63);
}

inline uint32_t reference_sample(const Clip &clip, uint32_t x, uint32_t y, uint32_t t)
{
    const uint32_t seed = clip.seed;
    const int down = 16 - clip.depth;
    switch (clip.content) {
    case Content::kFlat:
        return (64 + t) << (clip.depth - 8);
    case Content::kChecker:
        return (x / seed + y / seed + t) & 1 ? (1u << clip.depth) - 1 : 0;
    case Content::kNoise:
        return hash(x, y, t, seed) >> (32 - clip.depth);
    case Content::kLow:
        return (20000 + ((5 * texture(x, y, t, seed)) >> 6)) >> down;
    default:
        return texture(x, y, t, seed) >> down;
    }
}

inline uint32_t distorted_sample(const Clip &clip, uint32_t x, uint32_t y, uint32_t t)
{
    const uint32_t seed = clip.seed;
    const int down = 16 - clip.depth;
    const uint32_t top = (1u << clip.depth) - 1;
    switch (clip.content) {
    case Content::kTexture: {
        const uint32_t mean = (texture(x, y, t, seed) + texture(x + 1, y, t, seed) +
                               texture(x, y + 1, t, seed) + texture(x + 1, y + 1, t, seed)) >>
                              2;
        return (((7 * mean) >> 3) + 2048 + (hash(x, y, t, seed + 1) & 2047)) >> down;
    }
    case Content::kBoost: {
        const int value = (5 * static_cast<int>(texture(x, y, t, seed)) - 32768) >> 2;
        return static_cast<uint32_t>(std::min(std::max(value, 0), 65535)) >> down;
    }
    case Content::kFlat:
        return (66 + t) << (clip.depth - 8);
    case Content::kChecker:
        return ((x + 1) / seed + y / seed + t) & 1 ? top - (top >> 3) : top >> 3;
    case Content::kNoise: {
        const uint32_t other = hash(x, y, t, seed + 1);
        return ((other & 3) != 0 ? hash(x, y, t, seed) : other) >> (32 - clip.depth);
    }
    default:
        return (20000 + ((3 * texture(x + 1, y, t, seed)) >> 5)) >> down;
    }
}

/// A luma plane in memory.
class TestPlane {
public:
    TestPlane(int width, int height, int depth)
        : sample_bytes_(depth > 8 ? 2 : 1), pitch_(static_cast<size_t>(width) * sample_bytes_),
          bytes_(pitch_ * static_cast<size_t>(height), 0xEE)
    {
    }

    void set(int x, int y, uint32_t sample)
    {
        unsigned char *at = bytes_.data() + pitch_ * y + sample_bytes_ * x;
        if (sample_bytes_ == 1)
            *at = static_cast<unsigned char>(sample);
        else
            *reinterpret_cast<uint16_t *>(at) = static_cast<uint16_t>(sample);
    }

    Plane plane() const { return {bytes_.data(), static_cast<ptrdiff_t>(pitch_)}; }
    const std::vector<unsigned char> &bytes() const { return bytes_; }

private:
    size_t sample_bytes_;
    size_t pitch_;
    std::vector<unsigned char> bytes_;
};

struct TestPair {
    TestPlane reference, distorted;
};

/// Frame t of a clip.
inline TestPair make_pair(const Clip &clip, int t)
{
    TestPair pair = {{clip.width, clip.height, clip.depth}, {clip.width, clip.height, clip.depth}};
    const auto time = static_cast<uint32_t>(t);
    for (int y = 0; y < clip.height; ++y) {
        for (int x = 0; x < clip.width; ++x) {
            const auto column = static_cast<uint32_t>(x);
            const auto row = static_cast<uint32_t>(y);
            pair.reference.set(x, y, reference_sample(clip, column, row, time));
            pair.distorted.set(x, y, distorted_sample(clip, column, row, time));
        }
    }
    return pair;
}

inline std::vector<TestPair> make_pairs(const Clip &clip)
{
    std::vector<TestPair> pairs;
    for (int t = 0; t < clip.frames; ++t)
        pairs.push_back(make_pair(clip, t));
    return pairs;
}

inline Format format_of(const Clip &clip)
{
    Format format;
    format.width = clip.width;
    format.height = clip.height;
    format.depth = clip.depth;
    return format;
}

/// Pair i of a clip as a Feature sees it, with the pictures before it.
inline PairView view(const std::vector<TestPair> &pairs, size_t i)
{
    PairView view = {};
    view.reference[0] = pairs[i].reference.plane();
    view.distorted[0] = pairs[i].distorted.plane();
    for (size_t back = 0; back < kMaxHistory && back < i; ++back)
        view.previous[back] = pairs[i - back - 1].reference.plane();
    return view;
}

inline const Clip &clip_named(std::string_view name)
{
    return *std::find_if(std::begin(kClips), std::end(kClips),
                         [&](const Clip &clip) { return name == clip.name; });
}

} // namespace vmafgpu
