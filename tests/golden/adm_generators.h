// SPDX-License-Identifier: BSD-2-Clause-Patent
// The clips of ADM's golden tests: luma made from integer hashes, the same on
// every machine, each with the sums of frame 0 to check the generator itself.
// Planes in memory are in generators.h, expected results in adm.json.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "generators.h"

namespace vmafgpu {

enum class AdmContent { kBlur, kGain, kGain2, kNoise, kBilevel, kFlat, kRamp };

struct AdmClip {
    const char *name;
    AdmContent content;
    int width, height, depth;
    uint64_t reference_sum, distorted_sum; ///< sums over frame 0
};

constexpr AdmClip kAdmClips[] = {
    {"A1", AdmContent::kBlur, 64, 48, 8, 509698, 508207},
    {"A2", AdmContent::kGain, 160, 90, 10, 8229150, 8400638},
    {"A3", AdmContent::kGain2, 107, 61, 12, 13740007, 13774164},
    {"A4", AdmContent::kNoise, 48, 40, 8, 245918, 247557},
    {"A5", AdmContent::kBilevel, 96, 64, 16, 203617245, 201651195},
    {"A6", AdmContent::kFlat, 44, 44, 8, 247808, 253616},
    {"A7", AdmContent::kBlur, 33, 47, 8, 213994, 213372},
    {"A8", AdmContent::kRamp, 240, 136, 8, 4146021, 4129648},
    // Pictures that are at most 32 wide: adm::takes_no_mirror().
    {"A9", AdmContent::kBlur, 17, 33, 8, 50837, 50596},
    {"A10", AdmContent::kGain, 18, 64, 10, 554878, 546437},
    {"A11", AdmContent::kNoise, 24, 41, 12, 2040377, 1978587},
    {"A12", AdmContent::kBilevel, 25, 57, 16, 47381805, 46857525},
    {"A13", AdmContent::kRamp, 31, 50, 8, 196851, 196119},
    {"A14", AdmContent::kGain2, 32, 240, 8, 1047504, 1054739},
    {"A15", AdmContent::kBlur, 32, 37, 10, 596709, 594538},
    {"A16", AdmContent::kBlur, 20, 100, 16, 74713100, 74494345},
};

inline uint32_t adm_hash(uint32_t x, uint32_t y, uint32_t frame, uint32_t seed)
{
    uint32_t u =
        (x * 0x9E3779B1u) ^ (y * 0x85EBCA77u) ^ (frame * 0xC2B2AE3Du) ^ (seed * 0x27D4EB2Fu);
    u ^= u >> 15;
    u *= 0x2C1B3C6Du;
    u ^= u >> 12;
    u *= 0x297A2D39u;
    u ^= u >> 15;
    return u;
}

inline int32_t adm_triangle(int32_t n)
{
    const int32_t m = n & 511;
    return m < 256 ? m : 511 - m;
}

/// A moving 8-bit texture.
inline int32_t adm_base(int x, int y, int frame)
{
    const auto grain = static_cast<int32_t>(adm_hash(static_cast<uint32_t>((x + 3 * frame) >> 1),
                                                     static_cast<uint32_t>(y >> 1), 0, 7) >>
                                            26);
    const int32_t waves =
        3 * adm_triangle(5 * (x + 3 * frame) + 2 * y) + adm_triangle(7 * y + x * ((y >> 4) & 3));
    return std::min(255, (waves + grain) >> 2);
}

/// Samples of one frame of a clip, any size and depth.
class AdmSource {
public:
    AdmSource(AdmContent content, int width, int height, int depth, int frame)
        : content_(content), width_(width), height_(height), depth_(depth), frame_(frame),
          top_((1 << depth) - 1), unit_(1 << (depth - 8)), grey_(1 << (depth - 1))
    {
    }

    int32_t reference(int x, int y) const
    {
        switch (content_) {
        case AdmContent::kNoise:
            return static_cast<int32_t>(noise(x, y, 1) >> (32 - depth_));
        case AdmContent::kBilevel:
            return noise(x, y, 5) >> 31 != 0 ? top_ : 0;
        case AdmContent::kFlat:
            return grey_;
        case AdmContent::kRamp:
            return static_cast<int32_t>(static_cast<int64_t>(top_) * (x + y) /
                                        (width_ + height_ - 2));
        default:
            return texture(x, y);
        }
    }

    int32_t distorted(int x, int y) const
    {
        const int32_t ref = reference(x, y);
        switch (content_) {
        case AdmContent::kBlur: {
            const int32_t sum = texture(std::max(x - 1, 0), y) + 2 * ref +
                                texture(std::min(x + 1, width_ - 1), y) + 2;
            return clip((sum >> 2) + (static_cast<int32_t>(noise(x, y, 4) >> 28) - 8) * unit_);
        }
        case AdmContent::kGain:
            return clip(grey_ + ((5 * (ref - grey_)) >> 2));
        case AdmContent::kGain2:
            return clip(grey_ + ((9 * (ref - grey_)) >> 3) +
                        static_cast<int32_t>(noise(x, y, 10) >> 31));
        case AdmContent::kNoise:
            return static_cast<int32_t>(noise(x, y, 2) >> (32 - depth_));
        case AdmContent::kBilevel:
            return x < width_ / 2 ? top_ - ref : ref;
        case AdmContent::kFlat:
            return grey_ + 3 * unit_;
        default:
            return clip(ref + (static_cast<int32_t>(noise(x, y, 6) >> 29) - 4) * unit_);
        }
    }

private:
    uint32_t noise(int x, int y, uint32_t seed) const
    {
        return adm_hash(static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                        static_cast<uint32_t>(frame_), seed);
    }

    int32_t texture(int x, int y) const
    {
        const auto fine = depth_ > 8 ? static_cast<int32_t>(noise(x, y, 3) >> (40 - depth_)) : 0;
        return adm_base(x, y, frame_) * unit_ + fine;
    }

    int32_t clip(int32_t sample) const { return std::min(std::max(sample, 0), top_); }

    AdmContent content_;
    int width_, height_, depth_, frame_;
    int32_t top_, unit_, grey_;
};

inline TestPair adm_pair(const AdmClip &clip, int frame)
{
    const AdmSource source(clip.content, clip.width, clip.height, clip.depth, frame);
    TestPair pair = {{clip.width, clip.height, clip.depth}, {clip.width, clip.height, clip.depth}};
    for (int y = 0; y < clip.height; ++y)
        for (int x = 0; x < clip.width; ++x) {
            pair.reference.set(x, y, static_cast<uint32_t>(source.reference(x, y)));
            pair.distorted.set(x, y, static_cast<uint32_t>(source.distorted(x, y)));
        }
    return pair;
}

inline PairView adm_view(const TestPair &pair)
{
    PairView view = {};
    view.reference[0] = pair.reference.plane();
    view.distorted[0] = pair.distorted.plane();
    return view;
}

inline Format adm_format(int width, int height, int depth)
{
    Format format;
    format.width = width;
    format.height = height;
    format.depth = depth;
    return format;
}

inline const AdmClip &adm_clip_named(const char *name)
{
    return *std::find_if(std::begin(kAdmClips), std::end(kAdmClips),
                         [&](const AdmClip &clip) { return std::strcmp(name, clip.name) == 0; });
}

} // namespace vmafgpu
