// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "clips.h"

#include <algorithm>
#include <cstdlib>

#include "adm_generators.h"
#include "base/error.h"
#include "cambi_generators.h"
#include "classic_clips.h"
#include "generators.h"
#include "speed_chroma_clips.h"

namespace vmafgpu {
namespace {

/// A pair of luma alone; `sample(is_distorted, x, y)` has the format's depth.
template <typename Sample> YuvPair luma_pair(const Format &format, Sample sample)
{
    YuvPair pair(format);
    for (const bool is_distorted : {false, true})
        for (int y = 0; y < format.height; ++y)
            for (int x = 0; x < format.width; ++x)
                pair.set(is_distorted, 0, x, y,
                         static_cast<int64_t>(sample(is_distorted, x, y)) << (16 - format.depth));
    return pair;
}

GoldenClip adm_family(const std::string &name)
{
    const AdmClip clip = adm_clip_named(name.c_str());
    const Format format = adm_format(clip.width, clip.height, clip.depth);
    return {format, [=](int frame) {
                const AdmSource source(clip.content, clip.width, clip.height, clip.depth, frame);
                return luma_pair(format, [&](bool is_distorted, int x, int y) {
                    return is_distorted ? source.distorted(x, y) : source.reference(x, y);
                });
            }};
}

GoldenClip vif_family(const std::string &name)
{
    const Clip clip = clip_named(name);
    const Format format = format_of(clip);
    return {format, [=](int frame) {
                return luma_pair(format, [&](bool is_distorted, int x, int y) {
                    const auto column = static_cast<uint32_t>(x);
                    const auto row = static_cast<uint32_t>(y);
                    const auto time = static_cast<uint32_t>(frame);
                    return is_distorted ? distorted_sample(clip, column, row, time)
                                        : reference_sample(clip, column, row, time);
                });
            }};
}

/// "C1+R1": with a reference picture, which CAMBI reads only if full_ref is set. "step 5": an edge
/// between two levels, 5 apart, in the middle.
GoldenClip cambi_family(const std::string &name)
{
    if (name.rfind("step ", 0) == 0) {
        const int step = std::atoi(name.c_str() + 5);
        const Format format = {320, 240, 10, Chroma::k400};
        return {format, [=](int) {
                    return luma_pair(format, [=](bool, int x, int) {
                        return x < format.width / 2 ? 100 : 100 + step;
                    });
                }};
    }
    const size_t plus = name.find('+');
    const CambiClip distorted = cambi_clip(name.substr(0, plus));
    const CambiClip reference =
        plus == std::string::npos ? distorted : cambi_clip(name.substr(plus + 1));
    const Format format = cambi_format(distorted);
    return {format, [=](int) {
                return luma_pair(format, [&](bool is_distorted, int x, int y) {
                    return cambi_sample(is_distorted ? distorted : reference, x, y);
                });
            }};
}

struct FloatClip {
    const char *name;
    int width, height, depth;
};
constexpr FloatClip kFloatClips[] = {{"S1", 64, 48, 8},
                                     {"S2", 98, 52, 10},
                                     {"S3", 176, 144, 12},
                                     {"S4", 66, 50, 16},
                                     {"S5", 97, 51, 10}};

int float_sample(int depth, int x, int y, int t, bool is_distorted)
{
    int value = (7 * x + 13 * y + 29 * t + (x * y >> 3)) & 255;
    if (is_distorted) {
        const int moved = value + (5 * x + 3 * y + 11 * t) % 17 - 8;
        value = 4 * (std::min(std::max(moved, 0), 255) / 4) + 1;
    }
    const int more = depth - 8;
    return (value << more) + (x + 3 * y) % (1 << more);
}

GoldenClip float_family(const std::string &name)
{
    const FloatClip *const clip = std::find_if(std::begin(kFloatClips), std::end(kFloatClips),
                                               [&](const FloatClip &c) { return name == c.name; });
    if (clip == std::end(kFloatClips))
        throw Error(EINVAL, "no clip " + name);
    const Format format = {clip->width, clip->height, clip->depth, Chroma::k400};
    return {format, [=](int frame) {
                return luma_pair(format, [&](bool is_distorted, int x, int y) {
                    return float_sample(format.depth, x, y, frame, is_distorted);
                });
            }};
}

/// `has_chroma`: unset for the features that read luma alone.
GoldenClip classic_family(const std::string &name, bool has_chroma)
{
    ClassicClip clip = classic_clip(name);
    if (!has_chroma)
        clip.chroma = Chroma::k400;
    return {classic_format(clip), [=](int frame) {
                return classic_pair(clip, frame);
            }};
}

GoldenClip speed_chroma_family(const std::string &name)
{
    for (const SpeedChromaClip &clip : kSpeedChromaClips)
        if (name == clip.name)
            return {speed_chroma_format(clip), [=](int frame) {
                        return speed_chroma_pair(clip, frame);
                    }};
    throw Error(EINVAL, "no clip " + name);
}

GoldenClip v1_family(const std::string &name)
{
    for (const SpeedChromaClip &clip : kV1Clips)
        if (name == clip.name)
            return {speed_chroma_format(clip), [=](int frame) {
                        return v1_pair(clip, frame);
                    }};
    throw Error(EINVAL, "no clip " + name);
}

} // namespace

GoldenClip golden_clip(const std::string &name)
{
    const size_t slash = name.find('/');
    const std::string family = name.substr(0, slash);
    const std::string clip = name.substr(slash + 1);
    if (family == "adm")
        return adm_family(clip);
    if (family == "vif")
        return vif_family(clip);
    if (family == "cambi")
        return cambi_family(clip);
    if (family == "float")
        return float_family(clip);
    if (family == "classic" || family == "grey")
        return classic_family(clip, family == "classic");
    if (family == "speed_chroma")
        return speed_chroma_family(clip);
    if (family == "v1")
        return v1_family(clip);
    throw Error(EINVAL, "no family of clips " + family);
}

} // namespace vmafgpu
