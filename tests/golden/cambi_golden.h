// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI scores of libvmaf 3.2 for the clips of cambi_generators.h, at 17 digits. Used
// by test_cambi_golden.cpp.
#pragma once

namespace vmafgpu {

struct CambiGolden {
    const char *clip;
    const char *reference; ///< clip of the reference picture, with full_ref
    const char *options;
    double score, source, full_reference;
};

#define VMAFGPU_CAMBI_V1 "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17"

constexpr CambiGolden kCambiGolden[] = {
    {"C1", "", "", 22.540375078548919, 0, 0},
    {"C1", "", VMAFGPU_CAMBI_V1, 17, 0, 0},
    {"C1", "", "max_log_contrast=5", 24.145121199568383, 0, 0},
    {"C1", "", "enc_bitdepth=10", 23.240479179196349, 0, 0},
    {"C1", "", "cambi_max_val=5", 5, 0, 0},
    {"C1", "", "eotf=pq", 22.540375078548919, 0, 0},
    {"C1", "R1", "full_ref=true", 22.540375078548919, 2.2758147300658176, 20.264560348483101},
    {"C2", "", "", 3.1591262301731979, 0, 0},
    {"C2", "", VMAFGPU_CAMBI_V1, 3.1591262301731979, 0, 0},
    {"C2", "", "enc_width=300:enc_height=233", 3.3560717950077628, 0, 0},
    {"C2", "", "enc_bitdepth=8", 3.4545485570998196, 0, 0},
    {"C2", "", "topk=0.05", 6.9253609177061852, 0, 0},
    {"C2", "", "window_size=127", 4.6579133543626963, 0, 0},
    {"C2", "R2", "full_ref=true", 3.1591262301731979, 23.991297848056181, 0},
    {"C3", "", "", 0.82247865330775916, 0, 0},
    {"C3", "", VMAFGPU_CAMBI_V1, 0.87937136987466558, 0, 0},
    {"C3", "", "enc_width=1280:enc_height=720", 0.9958605870449021, 0, 0},
    {"C4", "", "", 6.1339497971970927, 0, 0},
    {"C4", "", VMAFGPU_CAMBI_V1, 6.1035433896528497, 0, 0},
    {"C4", "", "max_log_contrast=0", 0.011625346747878055, 0, 0},
    {"C4", "", "tvi_threshold=0.005", 6.1391734836260774, 0, 0},
    {"C4", "", "topk=1", 3.6814113925408654, 0, 0},
    {"C5", "", "", 0.3572988928213906, 0, 0},
    {"C5", "", VMAFGPU_CAMBI_V1, 0.3572988928213906, 0, 0},
    {"C5", "", "enc_width=480:enc_height=270:enc_bitdepth=8", 0.41428594327401974, 0, 0},
    {"C6", "", "", 1.0185302464777959, 0, 0},
    {"C6", "", VMAFGPU_CAMBI_V1, 1.0185302464777959, 0, 0},
    {"C6", "", "enc_width=853:enc_height=480", 1.0351087000068324, 0, 0},
    {"C6", "", "enc_width=960:enc_height=540:enc_bitdepth=10", 9.9599296307934981, 0, 0},
    {"C6", "", "max_log_contrast=4", 1.123823841203383, 0, 0},
    {"C7", "", "", 5.8885584853121653, 0, 0},
    {"C7", "", VMAFGPU_CAMBI_V1, 5.8782276221766612, 0, 0},
    {"C7", "", "cambi_high_res_speedup=1440", 5.8885584853121653, 0, 0},
    {"C8", "", "", 16.492696728431376, 0, 0},
    {"C8", "", VMAFGPU_CAMBI_V1, 16.550843414123154, 0, 0},
    {"C9", "", "", 10.024216013362183, 0, 0},
    {"C9", "", "cambi_vis_lum_threshold=0.06", 10.024216013362183, 0, 0},
};

/// Scores with max_log_contrast=5 of a 10-bit picture of 320x240 whose left half has level
/// 100 and whose right half has level 100 + d; at d - 1.
constexpr double kCambiDistanceGolden[32] = {
    0.45510204081632655, 0.91020408163265309, 1.3653061291528126, 1.8204081632653062,
    1.8204081632653062,  2.2755102141373826,  2.2755102141373826, 2.7306122583056252,
    2.7306122583056252,  2.7306122583056252,  2.7306122583056252, 3.1857142907421601,
    3.1857142907421601,  3.1857142907421601,  3.1857142907421601, 3.6408163265306124,
    3.6408163265306124,  3.6408163265306124,  3.6408163265306124, 3.6408163265306124,
    3.6408163265306124,  3.6408163265306124,  4.0959183841065219, 4.0959183841065219,
    4.0959183841065219,  4.0959183841065219,  4.0959183841065219, 4.0959183841065219,
    4.0959183841065219,  4.0959183841065219,  4.0959183841065219, 4.0959183841065219,
};

/// Scores of single scales with default options; 0 where none was published.
struct CambiScaleGolden {
    const char *clip;
    double scores[5];
    bool is_ordered; ///< scale 0 needs libvmaf's order of additions
};

constexpr CambiScaleGolden kCambiScaleGolden[] = {
    {"C1", {41.125503515990246}, false},
    {"C2",
     {0.49353303079193789, 10.823642410660142, 10.964549692073973, 6.626431523023113,
      3.2004556861924538},
     false},
    {"C8",
     {2424.1683030957297, 2835.8921022020895, 1575.7248674697407, 764.76479406762451,
      375.38495245995347},
     true},
};

} // namespace vmafgpu
