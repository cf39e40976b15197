// SPDX-License-Identifier: BSD-2-Clause-Patent
// Names, defaults and bounds of options beside libvmaf's own (f85a8536), which a mistyped digit
// would leave.
#include <gtest/gtest.h>

#include <set>

#include "features/registry.h"

namespace vmafgpu::option_bounds_test {
namespace {

struct Row {
    const char *feature, *name, *alias;
    double default_value, min, max;
};

/// VmafOption of libvmaf's feature extractors, but for options that take a word.
constexpr Row kRows[] = {
    {"cambi", "cambi_max_val", "cmxv", 1000, 0, 1000},
    {"cambi", "enc_width", "encw", 0, 180, 7680},
    {"cambi", "enc_height", "ench", 0, 150, 7680},
    {"cambi", "enc_bitdepth", "encbd", 0, 6, 16},
    {"cambi", "src_width", "srcw", 0, 320, 7680},
    {"cambi", "src_height", "srch", 0, 200, 4320},
    {"cambi", "window_size", "ws", 65, 15, 127},
    {"cambi", "topk", "topk", 0.6, 0.0001, 1},
    {"cambi", "cambi_topk", "ctpk", 0.6, 0.0001, 1},
    {"cambi", "tvi_threshold", "tvit", 0.019, 0.0001, 1},
    {"cambi", "cambi_vis_lum_threshold", "vlt", 0, 0, 300},
    {"cambi", "max_log_contrast", "mlc", 2, 0, 5},
    {"cambi", "full_ref", nullptr, 0, 0, 1},
    {"cambi", "cambi_high_res_speedup", "hrs", 0, 0, 2160},
    {"float_adm", "debug", nullptr, 0, 0, 1},
    {"float_adm", "adm_enhn_gain_limit", "egl", 100, 1, 100},
    {"float_adm", "adm_norm_view_dist", "nvd", 3, 0.75, 24},
    {"float_adm", "adm_noise_weight", "nw", 0.03125, 0, 1500},
    {"float_adm", "adm_csf_scale", "scf", 1, 0, 50},
    {"float_adm", "adm_csf_diag_scale", "scfd", 1, 0, 50},
    {"float_adm", "adm_ref_display_height", "rdf", 1080, 1, 4320},
    {"float_adm", "adm_csf_mode", "csf", 0, 0, 9},
    {"float_adm", "adm_bypass_cm", "bcm", 0, 0, 1},
    {"float_adm", "adm_adm3_apply_hm", "aah", 0, 0, 1},
    {"float_adm", "adm_p_norm", "apn", 3, 1, 20},
    {"float_adm", "adm_dlm_weight", "dlmw", 0.5, 0, 1},
    {"float_adm", "adm_min_val", "min", 0, 0, 1},
    {"float_adm", "adm_f1s0", "f1s0", -1, -1, 10},
    {"float_adm", "adm_f1s1", "f1s1", -1, -1, 10},
    {"float_adm", "adm_f1s2", "f1s2", -1, -1, 10},
    {"float_adm", "adm_f1s3", "f1s3", -1, -1, 10},
    {"float_adm", "adm_f2s0", "f2s0", -1, -1, 10},
    {"float_adm", "adm_f2s1", "f2s1", -1, -1, 10},
    {"float_adm", "adm_f2s2", "f2s2", -1, -1, 10},
    {"float_adm", "adm_f2s3", "f2s3", -1, -1, 10},
    {"float_adm", "adm_skip_aim_scale", "sasc", -1, 0, 3},
    {"float_adm", "adm_skip_scale0", "ssz", 0, 0, 1},
    {"float_motion", "debug", nullptr, 1, 0, 1},
    {"float_motion", "motion_force_zero", "force_0", 0, 0, 1},
    {"float_motion", "motion_fps_weight", "mfw", 1, 0, 5},
    {"float_motion", "motion_blend_factor", "mbf", 1, 0, 1},
    {"float_motion", "motion_blend_offset", "mbo", 40, 0, 1000},
    {"float_motion", "motion_add_scale1", "mdc", 0, 0, 1},
    {"float_motion", "motion_filter_size", "mfs", 5, 0, 9},
    {"float_motion", "motion_add_uv", "mau", 0, 0, 1},
    {"float_motion", "motion_max_val", "mmxv", 10000, 0, 10000},
    {"float_ms_ssim", "enable_lcs", nullptr, 0, 0, 1},
    {"float_ms_ssim", "enable_db", nullptr, 0, 0, 1},
    {"float_ms_ssim", "clip_db", nullptr, 0, 0, 1},
    {"float_ssim", "enable_lcs", nullptr, 0, 0, 1},
    {"float_ssim", "enable_db", nullptr, 0, 0, 1},
    {"float_ssim", "clip_db", nullptr, 0, 0, 1},
    {"float_ssim", "scale", nullptr, 0, 0, 10},
    {"float_vif", "debug", nullptr, 0, 0, 1},
    {"float_vif", "vif_enhn_gain_limit", "egl", 100, 1, 100},
    {"float_vif", "vif_kernelscale", "ks", 1, 0.1, 4},
    {"float_vif", "vif_prescale", "ps", 1, 0.1, 4},
    {"float_vif", "vif_scale1_min_val", "s1miv", 0, 0, 1},
    {"float_vif", "vif_scale2_min_val", "s2miv", 0, 0, 1},
    {"float_vif", "vif_scale3_min_val", "s3miv", 0, 0, 1},
    {"float_vif", "vif_sigma_nsq", "snsq", 2, 0, 5},
    {"float_vif", "vif_skip_scale0", "ssclz", 0, 0, 1},
    {"adm", "debug", nullptr, 0, 0, 1},
    {"adm", "adm_csf_scale", "scf", 1, 0, 50},
    {"adm", "adm_csf_diag_scale", "scfd", 1, 0, 50},
    {"adm", "adm_dlm_weight", "dlmw", 0.5, 0, 1},
    {"adm", "adm_enhn_gain_limit", "egl", 100, 1, 100},
    {"adm", "adm_norm_view_dist", "nvd", 3, 0.75, 24},
    {"adm", "adm_ref_display_height", "rdh", 1080, 1, 4320},
    {"adm", "adm_csf_mode", "csf", 0, 0, 3},
    {"adm", "adm_noise_weight", "nw", 0.03125, 0, 1500},
    {"adm", "adm_skip_aim", nullptr, 0, 0, 1},
    {"adm", "adm_skip_scale0", "ssz", 0, 0, 1},
    {"adm", "adm_min_val", "min", 0, 0, 1},
    {"motion", "motion_force_zero", "force_0", 0, 0, 1},
    {"motion", "motion_blend_factor", "mbf", 1, 0, 1},
    {"motion", "motion_blend_offset", "mbo", 40, 0, 1000},
    {"motion", "motion_fps_weight", "mfw", 1, 0, 5},
    {"motion", "motion_max_val", "mmxv", 10000, 0, 10000},
    {"motion", "motion_five_frame_window", "mffw", 0, 0, 1},
    {"motion", "motion_moving_average", "mma", 0, 0, 1},
    {"motion", "debug", nullptr, 0, 0, 1},
    {"psnr", "enable_chroma", nullptr, 1, 0, 1},
    {"psnr", "enable_mse", nullptr, 0, 0, 1},
    {"psnr", "enable_apsnr", nullptr, 0, 0, 1},
    {"psnr", "reduced_hbd_peak", nullptr, 0, 0, 1},
    {"psnr", "min_sse", nullptr, 0, 0, 3.4e38}, // libvmaf: DBL_MAX, but values pass through a float
    {"vif", "debug", nullptr, 0, 0, 1},
    {"vif", "vif_enhn_gain_limit", "egl", 100, 1, 100},
    {"vif", "vif_skip_scale0", "ssclz", 0, 0, 1},
    {"speed_chroma", "speed_kernelscale", "ks", 1, 0.1, 4},
    {"speed_chroma", "speed_prescale", "ps", 1, 0.1, 4},
    {"speed_chroma", "speed_sigma_nn", "snn", 0.29, 0.1, 2},
    {"speed_chroma", "speed_nn_floor", "nnf", 0, 0, 1},
    {"speed_chroma", "speed_max_val", "mxv", 1000, 0, 1000},
    {"speed_chroma", "speed_weight_var_mode", "wvm", 0, 0, 6},
};

/// Features that libvmaf does not have, and options that take a word.
bool is_ours(const FeatureInfo &info, const OptionInfo &option)
{
    static const std::set<std::string> kFeatures = {"ffmpeg_psnr", "ffmpeg_ssim", "ssimulacra2",
                                                    "xpsnr"};
    return kFeatures.count(info.name) > 0 || option.type == OptionType::kChoice ||
           option.type == OptionType::kText;
}

TEST(option_bounds, are_those_of_libvmaf)
{
    std::set<std::string> seen;
    for (const Row &row : kRows) {
        SCOPED_TRACE(std::string(row.feature) + "." + row.name);
        const FeatureInfo *info = find_feature(row.feature);
        ASSERT_NE(nullptr, info);
        const OptionInfo *option = nullptr;
        for (const OptionInfo &candidate : info->options)
            option = candidate.name == std::string(row.name) ? &candidate : option;
        ASSERT_NE(nullptr, option);
        seen.insert(std::string(row.feature) + "." + row.name);
        EXPECT_EQ(row.default_value, option->default_value);
        EXPECT_EQ(row.min, option->min);
        EXPECT_EQ(row.max, option->max);
        EXPECT_EQ(std::string(row.alias == nullptr ? "" : row.alias),
                  option->alias == nullptr ? "" : option->alias);
    }
    for (const FeatureInfo *info : feature_registry())
        for (const OptionInfo &option : info->options)
            if (!is_ours(*info, option)) {
                EXPECT_EQ(1U, seen.count(std::string(info->name) + "." + option.name))
                    << info->name << "." << option.name << " has no row";
            }
}

} // namespace
} // namespace vmafgpu::option_bounds_test
