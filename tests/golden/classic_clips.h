// SPDX-License-Identifier: BSD-2-Clause-Patent
// Clips made by formulas, for the golden tests of libvmaf's older metrics, SSIM among them. The
// planes are filled to the size that libvmaf gives chroma, half rounded down; a column or row
// beyond it holds a pattern that no result may depend on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "yuv_pair.h"

namespace vmafgpu {

enum class ClassicKind { kPlain, kIdentical, kInverted, kNoise, kOneSample, kMixed, kFlat };

struct ClassicClip {
    const char *name;
    int width, height;
    Chroma chroma;
    int depth;
    ClassicKind kind;
    uint32_t seed;
    int quantiser, amplitude; ///< strength of the distortion
};

inline constexpr ClassicClip kClassicClips[] = {
    {"V1", 576, 324, Chroma::k420, 8, ClassicKind::kPlain, 1, 2048, 1500},
    {"V2", 641, 385, Chroma::k422, 10, ClassicKind::kPlain, 2, 4096, 600},
    {"V3", 853, 641, Chroma::k444, 12, ClassicKind::kPlain, 3, 1024, 9000},
    {"V4", 417, 400, Chroma::k420, 16, ClassicKind::kNoise, 4, 1, 0},
    {"V5", 352, 288, Chroma::k420, 8, ClassicKind::kInverted, 5, 1, 0},
    {"V6", 1920, 1080, Chroma::k420, 8, ClassicKind::kPlain, 11, 2048, 1500},
    {"V7", 3840, 2160, Chroma::k420, 10, ClassicKind::kPlain, 13, 3000, 1500},
    // Smaller than the window of SSIM, and as small as five scales may be.
    {"T0", 10, 40, Chroma::k400, 8, ClassicKind::kPlain, 6, 2048, 1500},
    {"T1", 9, 20, Chroma::k400, 8, ClassicKind::kPlain, 7, 2048, 1500},
    {"T2", 5, 5, Chroma::k400, 8, ClassicKind::kPlain, 8, 2048, 1500},
    {"V5 200x200", 200, 200, Chroma::k400, 8, ClassicKind::kInverted, 5, 1, 0},
    {"V8", 97, 65, Chroma::k420, 8, ClassicKind::kPlain, 7, 2048, 1500},
    {"V9", 2052, 1156, Chroma::k420, 10, ClassicKind::kPlain, 8, 3000, 1500},
    {"flat", 64, 64, Chroma::k420, 8, ClassicKind::kFlat, 1, 1, 0},
    {"identical", 576, 324, Chroma::k420, 8, ClassicKind::kIdentical, 1, 1, 0},
    {"one", 576, 324, Chroma::k420, 8, ClassicKind::kOneSample, 1, 1, 0},
    // The sums of squares of this clip exceed 2^53, and odd squares among them are rounded.
    {"mixed", 2048, 1400, Chroma::k400, 16, ClassicKind::kMixed, 6, 1, 0},
};

inline const ClassicClip &classic_clip(std::string_view name)
{
    for (const ClassicClip &clip : kClassicClips)
        if (name == clip.name)
            return clip;
    throw Error(EINVAL, std::string(name));
}

/// A hash of coordinates, plane, frame and seed.
inline uint32_t classic_hash(uint32_t x, uint32_t y, uint32_t plane, uint32_t frame, uint32_t seed)
{
    uint32_t a = x * 0x9E3779B1u + y * 0x85EBCA77u + plane * 0xC2B2AE3Du + frame * 0x27D4EB2Fu +
                 seed * 0x165667B1u;
    a = (a ^ a >> 16) * 0x7feb352du;
    a = (a ^ a >> 15) * 0x846ca68bu;
    return a ^ a >> 16;
}

/// Samples of 16 bits at (x, y) of a plane: reference, then distorted.
struct ClassicSamples {
    int64_t reference, distorted;
};

inline ClassicSamples classic_samples(const ClassicClip &clip, int plane, int frame, int x, int y)
{
    const auto noise = [&](int shift, int salt) {
        return static_cast<int64_t>(classic_hash(
            static_cast<uint32_t>(x >> shift), static_cast<uint32_t>(y >> shift),
            static_cast<uint32_t>(plane + salt), static_cast<uint32_t>(frame), clip.seed));
    };
    if (clip.kind == ClassicKind::kNoise)
        return {noise(0, 32) >> 16, noise(0, 40) >> 16};
    if (clip.kind == ClassicKind::kMixed) {
        const bool is_small = noise(0, 32) >> 24 < 16;
        const int64_t small = noise(0, 40) >> 21;
        return is_small ? ClassicSamples{small, small / 2} : ClassicSamples{65535 - small, small};
    }
    const int64_t t =
        36 * (4 * (noise(4, 0) >> 24) + 2 * (noise(2, 8) >> 24) + (noise(0, 16) >> 24));
    switch (clip.kind) {
    case ClassicKind::kIdentical:
        return {t, t};
    case ClassicKind::kFlat:
        return {32768, 32768 + 256};
    case ClassicKind::kInverted:
        return {t, 65535 - t};
    case ClassicKind::kOneSample:
        return {t, x == 0 && y == 0 ? t ^ 32768 : t};
    default:
        break;
    }
    const int64_t spread = 2 * clip.amplitude + 1;
    const int64_t d = t / clip.quantiser * clip.quantiser + clip.quantiser / 2 +
                      (noise(0, 24) >> 16) % spread - clip.amplitude;
    return {t, std::clamp<int64_t>(d, 0, 65535)};
}

inline Format classic_format(const ClassicClip &clip)
{
    return {clip.width, clip.height, clip.depth, clip.chroma};
}

inline YuvPair classic_pair(const ClassicClip &clip, int frame)
{
    YuvPair pair(classic_format(clip));
    for (int plane = 0; plane < (clip.chroma == Chroma::k400 ? 1 : 3); ++plane) {
        const bool halves_width = plane > 0 && clip.chroma != Chroma::k444;
        const bool halves_height = plane > 0 && clip.chroma == Chroma::k420;
        const int width = halves_width ? clip.width / 2 : clip.width;
        const int height = halves_height ? clip.height / 2 : clip.height;
        for (int y = 0; y < pair.format.plane_height(plane); ++y) {
            for (int x = 0; x < pair.format.plane_width(plane); ++x) {
                ClassicSamples samples = {0x5a5a, 0xa5a5};
                if (x < width && y < height)
                    samples = classic_samples(clip, plane, frame, x, y);
                pair.set(false, plane, x, y, samples.reference);
                pair.set(true, plane, x, y, samples.distorted);
            }
        }
    }
    return pair;
}

} // namespace vmafgpu
