// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma: clips made by formulas, and the scores that libvmaf (f85a8536, scalar C
// code) gives them, to 17 digits. Used by test_speed_chroma_golden.cpp.
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

/// Scores of one frame with some options.
struct SpeedChromaVector {
    const char *clip;
    int frame;
    const char *options;
    double u, v, uv;
};

#define SPEED_V1 "speed_sigma_nn=0.19:speed_nn_floor=0.1:speed_max_val=45:speed_weight_var_mode=5"
#define SPEED_HALF SPEED_V1 ":speed_prescale=0.5:speed_prescale_method=bilinear"
#define SPEED_06 SPEED_V1 ":speed_prescale=0.6:speed_prescale_method=bilinear"
#define SPEED_SIZE(scale, method) "speed_prescale=" scale ":speed_prescale_method=" method
inline constexpr SpeedChromaVector kSpeedChromaVectors[] = {
    {"S1", 0, SPEED_V1, 1.1227035522460938, 1.0554161071777344, 1.0890598297119141},
    {"S1", 0, "", 2.9460182189941406, 2.655853271484375, 2.8009357452392578},
    {"S1", 1, SPEED_V1, 0.69850540161132812, 1.1293296813964844, 0.91391754150390625},
    {"S1", 1, "", 2.2349815368652344, 3.0575981140136719, 2.6462898254394531},
    {"S2", 0, SPEED_V1, 0.75333786010742188, 0.91277599334716797, 0.83305692672729492},
    {"S2", 0, SPEED_HALF, 0.28168869018554688, 0.32171630859375, 0.30170249938964844},
    {"S2", 0, SPEED_06, 0.54737472534179688, 0.37237167358398438, 0.45987319946289062},
    {"S2", 0, "", 2.0177726745605469, 2.3969202041625977, 2.2073464393615723},
    {"S3", 0, SPEED_V1, 3.2971193790435791, 2.6824634075164795, 2.9897913932800293},
    {"S3", 0, SPEED_HALF, 0.73374176025390625, 0.91278076171875, 0.82326126098632812},
    {"S3", 0, SPEED_06, 1.7765841484069824, 1.5819040536880493, 1.6792440414428711},
    {"S3", 0, "", 8.7771291732788086, 7.1904697418212891, 7.9837994575500488},
    {"S4", 0, SPEED_V1, 2.3352813720703125, 2.2758588790893555, 2.305570125579834},
    {"S4", 0, SPEED_HALF, 1.1782989501953125, 0.68888092041015625, 0.93358993530273438},
    {"S4", 0, SPEED_06, 0.292694091796875, 0.95551300048828125, 0.62410354614257812},
    {"S4", 0, "", 6.308995246887207, 6.2265548706054688, 6.2677750587463379},
    {"S5", 0, SPEED_V1, 0.0, 0.74909210205078125, 0.74909210205078125},
    {"S6", 0, SPEED_V1, 0.0, 0.0, 0.0},
    {"S7", 0, SPEED_V1, 1.1444091796875e-05, 0.0, 5.7220458984375e-06},
    {"S7", 0, "", 0.0, 0.0, 0.0},
    {"S8", 0, SPEED_V1, 0.0, 0.94179534912109375, 0.94179534912109375},
    {"S9", 0, SPEED_V1, 0.083141326904296875, 0.14026546478271484, 0.11170339584350586},
    {"S9", 0, "", 0.5697784423828125, 0.51024150848388672, 0.54000997543334961},
    {"S2", 0, "speed_weight_var_mode=1", 0.33461475372314453, 0.43541240692138672,
     0.38501358032226562},
    {"S2", 0, "speed_weight_var_mode=2", 0.33642005920410156, 0.4402313232421875,
     0.38832569122314453},
    {"S2", 0, "speed_weight_var_mode=3", 0.33552360534667969, 0.43783283233642578,
     0.38667821884155273},
    {"S2", 0, "speed_weight_var_mode=4", 1.1713438034057617, 1.4061946868896484,
     1.2887692451477051},
    {"S2", 0, "speed_weight_var_mode=5", 0.75286388397216797, 0.91225910186767578,
     0.83256149291992188},
    {"S2", 0, "speed_weight_var_mode=6", 1.5940065383911133, 1.9019031524658203,
     1.7479548454284668},
    {"S2", 0, "speed_nn_floor=1", 2.0177726745605469, 2.3969202041625977, 2.2073464393615723},
    {"S2", 0, "speed_nn_floor=0.5:speed_sigma_nn=2", 2.0156230926513672, 2.3938655853271484,
     2.2047443389892578},
    {"S2", 0, "speed_max_val=1.5", 1.5, 1.5, 1.5},
    {"S2", 0, "speed_kernelscale=0.5", 2.7552690505981445, 3.6243066787719727, 3.1897878646850586},
    {"S2", 0, "speed_kernelscale=1.5", 1.8738584518432617, 1.8106107711791992, 1.8422346115112305},
    {"S2", 0, "speed_kernelscale=2", 1.6906013488769531, 1.6352462768554688, 1.6629238128662109},
    {"S2", 0, "speed_kernelscale=1.6", 2.0679235458374023, 2.011906623840332, 2.0399150848388672},
    {"S2", 0, "speed_kernelscale=3", 0.836212158203125, 1.2577657699584961, 1.0469889640808105},
    {"S2", 0, SPEED_SIZE("0.73", "nearest"), 2.0833714008331299, 1.217529296875,
     1.6504503488540649},
    {"S2", 0, SPEED_SIZE("1.3", "nearest"), 2.2251360416412354, 1.6906824111938477,
     1.9579092264175415},
    {"S2", 0, SPEED_SIZE("0.73", "bilinear"), 1.4303334951400757, 1.0323232412338257,
     1.2313283681869507},
    {"S2", 0, SPEED_SIZE("1.3", "bilinear"), 1.9153168201446533, 1.5527069568634033,
     1.7340118885040283},
    {"S2", 0, SPEED_SIZE("0.73", "bicubic"), 1.461944580078125, 0.97968035936355591,
     1.2208124399185181},
    {"S2", 0, SPEED_SIZE("1.3", "bicubic"), 1.9525690078735352, 1.4920110702514648,
     1.7222900390625},
    {"S2", 0, SPEED_SIZE("0.73", "lanczos4"), 1.5364023447036743, 0.88985699415206909,
     1.2131296396255493},
    {"S2", 0, SPEED_SIZE("1.3", "lanczos4"), 1.9385565519332886, 1.4830707311630249,
     1.7108136415481567},
};
#undef SPEED_V1
#undef SPEED_HALF
#undef SPEED_06
#undef SPEED_SIZE

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

} // namespace vmafgpu
