// SPDX-License-Identifier: BSD-2-Clause-Patent
// Clips made by formulas, for speed_chroma and for the models vmaf_v1.0.16*, which read it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "classic_clips.h"
#include "yuv_pair.h"

namespace vmafgpu {

enum class SpeedChromaKind { kPlain, kFlatCb, kFlatBoth, kIdentical, kFlatDistorted, kLow };

struct SpeedChromaClip {
    const char *name;
    int width, height;
    Chroma chroma;
    int depth;
    SpeedChromaKind kind;
    uint32_t seed;
    int quantiser, amplitude; ///< strength of the distortion
};

inline constexpr SpeedChromaClip kSpeedChromaClips[] = {
    {"S1", 384, 352, Chroma::k420, 8, SpeedChromaKind::kPlain, 1, 2048, 1500},
    {"S2", 707, 645, Chroma::k420, 10, SpeedChromaKind::kPlain, 2, 4096, 600},
    {"S3", 801, 423, Chroma::k422, 12, SpeedChromaKind::kPlain, 3, 1024, 9000},
    {"S4", 363, 371, Chroma::k444, 16, SpeedChromaKind::kPlain, 4, 9000, 100},
    {"S5", 384, 352, Chroma::k420, 8, SpeedChromaKind::kFlatCb, 5, 2048, 1500},
    {"S6", 384, 352, Chroma::k420, 8, SpeedChromaKind::kFlatBoth, 6, 2048, 1500},
    {"S7", 384, 352, Chroma::k420, 10, SpeedChromaKind::kIdentical, 7, 2048, 1500},
    {"S8", 384, 352, Chroma::k420, 10, SpeedChromaKind::kFlatDistorted, 8, 2048, 1500},
    {"S9", 384, 352, Chroma::k420, 16, SpeedChromaKind::kLow, 12, 32, 20},
};

/// Samples of 16 bits at (x, y) of a chroma plane: reference, then distorted.
struct SpeedChromaSamples {
    int64_t reference, distorted;
};

inline SpeedChromaSamples speed_chroma_samples(const SpeedChromaClip &clip, int plane, int frame,
                                               int x, int y)
{
    const auto noise = [&](int shift, int salt) {
        return classic_hash(static_cast<uint32_t>(x >> shift), static_cast<uint32_t>(y >> shift),
                            static_cast<uint32_t>(plane + salt), static_cast<uint32_t>(frame),
                            clip.seed);
    };
    int64_t t = 36 * (4 * static_cast<int64_t>(noise(4, 0) >> 24) +
                      2 * static_cast<int64_t>(noise(2, 8) >> 24) + (noise(0, 16) >> 24));
    if (clip.kind == SpeedChromaKind::kLow)
        t = 32256 + (t >> 6);
    const int64_t spread = 2 * clip.amplitude + 1;
    int64_t d = t / clip.quantiser * clip.quantiser + clip.quantiser / 2 +
                (noise(0, 24) >> 16) % spread - clip.amplitude;
    d = std::clamp<int64_t>(d, 0, 65535);
    if (clip.kind == SpeedChromaKind::kFlatBoth ||
        (clip.kind == SpeedChromaKind::kFlatCb && plane == 1))
        t = d = 32768;
    if (clip.kind == SpeedChromaKind::kIdentical)
        d = t;
    if (clip.kind == SpeedChromaKind::kFlatDistorted && plane == 1)
        d = 30000;
    return {t, d};
}

inline Format speed_chroma_format(const SpeedChromaClip &clip)
{
    return {clip.width, clip.height, clip.depth, clip.chroma};
}

/// Cb and Cr of both pictures; the luma stays flat, since nothing of this reads it.
inline YuvPair speed_chroma_pair(const SpeedChromaClip &clip, int frame)
{
    YuvPair pair(speed_chroma_format(clip));
    for (int plane = 1; plane < 3; ++plane) {
        for (int y = 0; y < pair.format.plane_height(plane); ++y) {
            for (int x = 0; x < pair.format.plane_width(plane); ++x) {
                const SpeedChromaSamples samples = speed_chroma_samples(clip, plane, frame, x, y);
                pair.set(false, plane, x, y, samples.reference);
                pair.set(true, plane, x, y, samples.distorted);
            }
        }
    }
    return pair;
}

inline constexpr SpeedChromaClip kV1Clips[] = {
    {"E1", 704, 640, Chroma::k420, 8, SpeedChromaKind::kPlain, 21, 1500, 1200},
    {"E2", 412, 370, Chroma::k444, 10, SpeedChromaKind::kPlain, 22, 200, 4000},
    {"E3", 704, 640, Chroma::k420, 10, SpeedChromaKind::kFlatBoth, 23, 3000, 4000},
};
inline constexpr int kV1Frames = 4;

/// Luma of 16 bits; E2 has other content than the others.
inline int64_t v1_luma(const SpeedChromaClip &clip, int frame, int x, int y)
{
    const auto noise = [&](int across, int down, int plane, int of) {
        return static_cast<int64_t>(
            classic_hash(static_cast<uint32_t>(across), static_cast<uint32_t>(down),
                         static_cast<uint32_t>(plane), static_cast<uint32_t>(of), clip.seed) >>
            24);
    };
    if (clip.chroma == Chroma::k444) {
        const int64_t ramp = (x + 17 * frame) * 3000 / clip.width + y * 1600 / clip.height;
        const int64_t texture = 60 * noise(x >> 1, y >> 1, 16, frame);
        return 20000 + ramp + ((x & 64) != 0 ? texture : 0);
    }
    const int64_t ramp = (x + 3 * frame) * 30000 / clip.width + y * 16000 / clip.height;
    const int64_t patch = noise(x >> 4, y >> 4, 0, frame >> 1);
    const int64_t texture = 64 * patch + 4 * noise(x, y, 16, frame);
    return std::min<int64_t>(65535, 8192 + ramp + (patch < 64 ? texture : 0));
}

inline YuvPair v1_pair(const SpeedChromaClip &clip, int frame)
{
    YuvPair pair = speed_chroma_pair(clip, frame);
    for (int y = 0; y < clip.height; ++y) {
        for (int x = 0; x < clip.width; ++x) {
            const int64_t luma = v1_luma(clip, frame, x, y);
            const int64_t coarse = luma / clip.quantiser * clip.quantiser + clip.quantiser / 2;
            pair.set(false, 0, x, y, luma);
            pair.set(true, 0, x, y, std::min<int64_t>(65535, coarse));
        }
    }
    return pair;
}

} // namespace vmafgpu
