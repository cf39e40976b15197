// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ssim and float_ms_ssim: clips made by formulas, and the scores that libvmaf (f85a8536,
// scalar C code) gives them, to 17 digits. Used by test_ssim_golden.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "yuv_pair.h"

namespace vmafgpu {

enum class SsimClipKind { kPlain, kIdentical, kInverted, kRandom };

struct SsimClip {
    const char *name;
    int width, height;
    int depth;
    SsimClipKind kind;
    uint32_t seed;
    int quantiser, amplitude; ///< of the distortion
};

/// T0 .. T2 are smaller than the window.
inline constexpr SsimClip kSsimClips[] = {
    {"V1", 576, 324, 8, SsimClipKind::kPlain, 1, 2048, 1500},
    {"V2", 641, 385, 10, SsimClipKind::kPlain, 2, 4096, 600},
    {"V3", 853, 641, 12, SsimClipKind::kPlain, 3, 1024, 9000},
    {"V4", 417, 400, 16, SsimClipKind::kRandom, 4, 1, 0},
    {"V5", 352, 288, 8, SsimClipKind::kInverted, 5, 1, 0},
    {"V6", 1920, 1080, 8, SsimClipKind::kPlain, 11, 2048, 1500},
    {"V7", 3840, 2160, 10, SsimClipKind::kPlain, 13, 3000, 1500},
    {"V1 identical", 576, 324, 8, SsimClipKind::kIdentical, 1, 1, 0},
    {"V5 200x200", 200, 200, 8, SsimClipKind::kInverted, 5, 1, 0},
    {"T0", 10, 40, 8, SsimClipKind::kPlain, 6, 2048, 1500},
    {"T1", 9, 20, 8, SsimClipKind::kPlain, 7, 2048, 1500},
    {"T2", 5, 5, 8, SsimClipKind::kPlain, 8, 2048, 1500},
};

/// A hash of coordinates, salt, frame and seed.
inline uint32_t ssim_hash(uint32_t x, uint32_t y, uint32_t salt, uint32_t frame, uint32_t seed)
{
    uint32_t a = x * 0x9E3779B1u + y * 0x85EBCA77u + salt * 0xC2B2AE3Du + frame * 0x27D4EB2Fu +
                 seed * 0x165667B1u;
    a = (a ^ a >> 16) * 0x7feb352du;
    a = (a ^ a >> 15) * 0x846ca68bu;
    return a ^ a >> 16;
}

/// Luma of 16 bits at (x, y): reference, then distorted.
struct SsimSamples {
    int64_t reference, distorted;
};

inline SsimSamples ssim_samples(const SsimClip &clip, int frame, int x, int y)
{
    const auto noise = [&](int shift, uint32_t salt) {
        return ssim_hash(static_cast<uint32_t>(x >> shift), static_cast<uint32_t>(y >> shift), salt,
                         static_cast<uint32_t>(frame), clip.seed);
    };
    if (clip.kind == SsimClipKind::kRandom)
        return {noise(0, 32) >> 16, noise(0, 40) >> 16};
    const int64_t t = 36 * (4 * static_cast<int64_t>(noise(4, 0) >> 24) +
                            2 * static_cast<int64_t>(noise(2, 8) >> 24) + (noise(0, 16) >> 24));
    if (clip.kind == SsimClipKind::kIdentical)
        return {t, t};
    if (clip.kind == SsimClipKind::kInverted)
        return {t, 65535 - t};
    const int64_t spread = 2 * clip.amplitude + 1;
    const int64_t d = t / clip.quantiser * clip.quantiser + clip.quantiser / 2 +
                      (noise(0, 24) >> 16) % spread - clip.amplitude;
    return {t, std::clamp<int64_t>(d, 0, 65535)};
}

inline Format ssim_format(const SsimClip &clip)
{
    return {clip.width, clip.height, clip.depth, Chroma::k400};
}

/// The luma of both pictures; there is no chroma.
inline YuvPair ssim_pair(const SsimClip &clip, int frame)
{
    YuvPair pair(ssim_format(clip));
    for (int y = 0; y < clip.height; ++y) {
        for (int x = 0; x < clip.width; ++x) {
            const SsimSamples samples = ssim_samples(clip, frame, x, y);
            pair.set(false, 0, x, y, samples.reference);
            pair.set(true, 0, x, y, samples.distorted);
        }
    }
    return pair;
}

/// Scores of one frame with some options, in the order of the feature's outputs.
struct SsimVector {
    const char *clip;
    int frame;
    const char *feature;
    const char *options;
    int count;
    double scores[16];
};

inline constexpr double kSsimNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kSsimInfinity = std::numeric_limits<double>::infinity();

/// A NaN is written with libvmaf's sign.
inline constexpr SsimVector kSsimVectors[] = {
    {"V1",
     0,
     "float_ssim",
     "enable_lcs=true",
     4,
     {0.98254060745239258, 0.99997258186340332, 0.99933016300201416, 0.98322165012359619}},
    {"V1",
     1,
     "float_ssim",
     "enable_lcs=true",
     4,
     {0.98263150453567505, 0.99997097253799438, 0.99932736158370972, 0.98331683874130249}},
    {"V2",
     0,
     "float_ssim",
     "enable_lcs=true",
     4,
     {0.99398422241210938, 0.99999070167541504, 0.9998173713684082, 0.9941745400428772}},
    {"V3",
     0,
     "float_ssim",
     "enable_lcs=true",
     4,
     {0.97184675931930542, 0.99974459409713745, 0.99884301424026489, 0.97320926189422607}},
    {"V4",
     0,
     "float_ssim",
     "enable_lcs=true",
     4,
     {0.024001535028219223, 0.99702435731887817, 0.98549932241439819, 0.024462560191750526}},
    {"V5",
     0,
     "float_ssim",
     "enable_lcs=true",
     4,
     {-0.73664551973342896, 0.84945666790008545, 1.0, -0.86636620759963989}},
    {"V6",
     0,
     "float_ssim",
     "enable_lcs=true",
     4,
     {0.99918150901794434, 0.99999862909317017, 0.99997991323471069, 0.99920296669006348}},
    {"V7",
     0,
     "float_ssim",
     "enable_lcs=true",
     4,
     {0.99978572130203247, 0.99999958276748657, 0.99999332427978516, 0.99979281425476074}},
    {"V1", 0, "float_ssim", "", 1, {0.98254060745239258}},
    {"V1", 0, "float_ssim", "enable_db=true", 1, {17.579708704707354}},
    {"V1", 0, "float_ssim", "enable_db=true:clip_db=true", 1, {17.579708704707354}},
    {"V1", 0, "float_ssim", "clip_db=true", 1, {0.98254060745239258}},
    {"V1 identical", 0, "float_ssim", "enable_db=true:clip_db=true", 1, {104.0}},
    {"V1 identical", 0, "float_ssim", "enable_db=true", 1, {kSsimInfinity}},
    {"V2",
     0,
     "float_ssim",
     "scale=1:enable_lcs=true",
     4,
     {0.97614490985870361, 0.99995887279510498, 0.99896305799484253, 0.97718924283981323}},
    {"V2",
     0,
     "float_ssim",
     "scale=10:enable_lcs=true",
     4,
     {0.99987214803695679, 0.99999970197677612, 0.99999582767486572, 0.99987667798995972}},
    {"V5", 0, "float_ssim", "enable_db=true", 1, {-2.3971118025798273}},
    {"V3",
     0,
     "float_ssim",
     "scale=4:enable_lcs=true:enable_db=true",
     4,
     {17.368295833026398, 0.99978488683700562, 0.99932593107223511, 0.98253738880157471}},
    {"T0", 0, "float_ssim", "enable_lcs=true", 4, {-kSsimNan, -kSsimNan, -kSsimNan, -kSsimNan}},
    {"T0", 0, "float_ssim", "enable_db=true:clip_db=true", 1, {78.0}},
    {"T1", 0, "float_ssim", "enable_lcs=true", 4, {-0.0, -0.0, -0.0, -0.0}},
    {"T2", 0, "float_ssim", "enable_lcs=true", 4, {0.0, 0.0, 0.0, 0.0}},
    {"T2", 0, "float_ssim", "enable_db=true", 1, {-0.0}},
    {"V1",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {0.99794945438826932, 0.99997258186340332, 0.99999439716339111, 0.99999886751174927,
      0.99999970197677612, 0.99999988079071045, 0.99933016300201416, 0.99990534782409668,
      0.99998629093170166, 0.99999648332595825, 0.99999833106994629, 0.98322165012359619,
      0.99644219875335693, 0.99940145015716553, 0.99988299608230591, 0.99994659423828125}},
    {"V1",
     1,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {0.99793573387352563, 0.99997097253799438, 0.99999386072158813, 0.99999862909317017,
      0.99999958276748657, 0.99999982118606567, 0.99932736158370972, 0.99990540742874146,
      0.99998486042022705, 0.99999666213989258, 0.99999839067459106, 0.98331683874130249,
      0.99640315771102905, 0.99938440322875977, 0.99987518787384033, 0.9999508261680603}},
    {"V2",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {0.99716768546948997, 0.99995887279510498, 0.99999094009399414, 0.99999797344207764,
      0.9999995231628418, 0.99999988079071045, 0.99896305799484253, 0.99986016750335693,
      0.99997740983963013, 0.99999529123306274, 0.99999731779098511, 0.97718924283981323,
      0.99513030052185059, 0.99914371967315674, 0.99981427192687988, 0.99990445375442505}},
    {"V3",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {0.95781258970722005, 0.99906104803085327, 0.99964475631713867, 0.99978607892990112,
      0.99982619285583496, 0.99983662366867065, 0.94955670833587646, 0.99457812309265137,
      0.99949592351913452, 0.99991518259048462, 0.9999692440032959, 0.75996756553649902,
      0.92703664302825928, 0.98583978414535522, 0.99720859527587891, 0.99880331754684448}},
    {"V4",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {0.074723303520647932, 0.98815065622329712, 0.99714124202728271, 0.99925976991653442,
      0.99979692697525024, 0.99994653463363647, 0.99248844385147095, 0.98597466945648193,
      0.98448359966278076, 0.98629659414291382, 0.98917794227600098, 0.005149435717612505,
      0.012251690961420536, 0.088838085532188416, 0.27762264013290405, 0.64934808015823364}},
    {"V5",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {-kSsimNan, 0.84945666790008545, 0.88586914539337158, 0.9327768087387085, 0.9736822247505188,
      0.99303305149078369, 1.0, 1.0, 1.0, 1.0, 1.0, -0.86636620759963989, -0.89524024724960327,
      -0.91477638483047485, -0.92846691608428955, -0.87706643342971802}},
    {"V6",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {0.99790714010736636, 0.99997204542160034, 0.99999403953552246, 0.99999868869781494,
      0.99999964237213135, 0.99999988079071045, 0.99933022260665894, 0.99990195035934448,
      0.9999840259552002, 0.9999963641166687, 0.99999815225601196, 0.98316198587417603,
      0.9963652491569519, 0.99935805797576904, 0.99987137317657471, 0.99994546175003052}},
    {"V7",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {0.99713277784662124, 0.9999619722366333, 0.99999195337295532, 0.99999821186065674,
      0.99999958276748657, 0.99999988079071045, 0.99897819757461548, 0.9998595118522644,
      0.99997705221176147, 0.99999493360519409, 0.99999749660491943, 0.97716653347015381,
      0.99501758813858032, 0.99911898374557495, 0.99982637166976929, 0.9999241828918457}},
    {"V1", 0, "float_ms_ssim", "", 1, {0.99794945438826932}},
    {"V1", 0, "float_ms_ssim", "enable_db=true", 1, {26.881305659509266}},
    {"V1 identical", 0, "float_ms_ssim", "enable_db=true:clip_db=true", 1, {104.0}},
    {"V1 identical", 0, "float_ms_ssim", "enable_db=true", 1, {kSsimInfinity}},
    {"V1 identical",
     0,
     "float_ms_ssim",
     "enable_lcs=true",
     16,
     {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}},
    {"V5 200x200", 0, "float_ms_ssim", "enable_db=true:clip_db=true", 1, {98.0}},
};

} // namespace vmafgpu
