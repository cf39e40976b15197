// SPDX-License-Identifier: BSD-2-Clause-Patent
// The models vmaf_v1.0.16*, all eight in one run through the public API: on devices, beside older
// models, and what is refused. On the CPU: golden.cpp.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "clips.h"
#include "features/registry.h"
#include "model/model.h"
#include "whole_clips.h"

namespace vmafgpu::v1_golden_test {
namespace {

/// The case of a clip in models.json.
const nlohmann::json &case_of(const char *clip)
{
    for (const nlohmann::json &one : golden_file("models")["cases"])
        if (one["clip"] == std::string("v1/") + clip)
            return one;
    throw Error(EINVAL, clip);
}

constexpr const char *kClips[] = {"E1", "E2", "E3"};

bool has_cambi()
{
    return find_feature("cambi") != nullptr;
}
constexpr const char *kNoCambi =
    "the feature cambi is not in this build: no v1 model can be opened";

#define V1_SPEED "speed_max_val=45:speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_weight_var_mode=5"
#define V1_RESIZE(scale) ":speed_prescale_method=bilinear:speed_prescale=" scale
#define V1_ADM                                                                                     \
    "adm_csf_mode=2:adm_dlm_weight=0.7:adm_enhn_gain_limit=1:adm_min_val=0.5:adm_noise_weight=0."  \
    "02"
/// The instances that all eight models together have, but for cambi.
const std::vector<VmafGpuFeature> kInstances = {
    {"speed_chroma", V1_SPEED},
    {"speed_chroma", V1_SPEED V1_RESIZE("0.6")},
    {"speed_chroma", V1_SPEED V1_RESIZE("0.5")},
    {"adm", V1_ADM},
    {"adm", V1_ADM ":adm_norm_view_dist=5"},
    {"adm", V1_ADM ":adm_ref_display_height=2160"},
    {"motion", "motion_max_val=18"},
    {"motion", "motion_max_val=18:motion_five_frame_window=true:motion_moving_average=true"},
};
/// What libvmaf calls them, after cambi.
constexpr const char *kSeries[] = {
    "cambi_hrs_1080_cmxv_17_vlt_0.06",
    "speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5",
    "speed_chroma_uv_mxv_45_nnf_0.1_ps_0.6_psm_bilinear_snn_0.19_wvm_5",
    "speed_chroma_uv_mxv_45_nnf_0.1_ps_0.5_psm_bilinear_snn_0.19_wvm_5",
    "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02",
    "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_5",
    "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_rdh_2160",
    "integer_motion3_mmxv_18",
    "integer_motion3_mffw_mmxv_18_mma",
};
/// Index in kSeries of what each of the models reads.
constexpr size_t kInputs[8][4] = {{0, 1, 4, 7}, {0, 2, 5, 7}, {0, 1, 4, 7}, {0, 3, 6, 7},
                                  {0, 1, 4, 8}, {0, 2, 5, 8}, {0, 1, 4, 8}, {0, 3, 6, 8}};

/// Every feature but cambi, and the models on these and on libvmaf's cambi.
TEST(V1Golden, FeaturesAndPrediction)
{
    for (const char *name : kClips) {
        SCOPED_TRACE(name);
        const nlohmann::json &golden = case_of(name);
        const auto wanted = [&](const std::string &series, size_t frame) {
            return golden_number(golden["scores"][series].at(frame));
        };
        const GoldenClip clip = golden_clip(golden["clip"]);
        const std::vector<YuvPair> pairs = {clip.pair(0), clip.pair(1), clip.pair(2), clip.pair(3)};
        TestSettings settings = clip_settings(clip.format, {});
        settings.features = kInstances;
        ClipScores run = score_clip(settings, pairs);
        for (size_t frame = 0; frame < pairs.size(); ++frame) {
            double values[std::size(kSeries)] = {wanted(kSeries[0], frame)};
            for (size_t i = 1; i < std::size(kSeries); ++i) {
                values[i] = run.columns[kSeries[i]].at(frame);
                EXPECT_EQ(values[i], wanted(kSeries[i], frame)) << kSeries[i] << " " << frame;
            }
            for (size_t m = 0; m < std::size(kInputs); ++m) {
                double inputs[4];
                for (int i = 0; i < 4; ++i)
                    inputs[i] = values[kInputs[m][i]];
                double score = -1;
                const std::string model = golden["models"][m];
                Model::load(model)->predict(inputs, &score);
                EXPECT_EQ(score, wanted(model, frame)) << model << " frame " << frame;
            }
        }
    }
}

/// Both generations in one run: neither changes the other.
TEST(V1Golden, CpuBesideOlderModels)
{
    if (!has_cambi())
        GTEST_SKIP() << kNoCambi;
    const std::vector<std::string> models = {"vmaf_v0.6.1", "vmaf_v0.6.1neg"};
    const GoldenClip clip = golden_clip("v1/E2");
    const ClipScores old =
        score_clip(clip_settings(clip.format, models),
                   std::vector{clip.pair(0), clip.pair(1), clip.pair(2), clip.pair(3)});
    const ClipScores both = expect_models(case_of("E2"), "cpu", models);
    for (const auto &column : old.columns)
        EXPECT_EQ(both.columns.at(column.first), column.second) << column.first;
}

/// The largest clip takes emulators minutes: one of the others, on each device.
TEST(V1Golden, Devices)
{
    if (!has_cambi())
        GTEST_SKIP() << kNoCambi;
    const std::vector<std::string> devices = test_devices();
    if (devices.empty())
        GTEST_SKIP() << "no emulator in this build (-Demu=true) and no VMAFGPU_TEST_DEVICES";
    for (const std::string &device : devices) {
        SCOPED_TRACE(device);
        const bool is_slow = device.rfind("emu", 0) == 0;
        for (const char *clip : kClips)
            if (!is_slow || clip == std::string("E2"))
                expect_models(case_of(clip), device, {});
    }
}

/// What opening one model says; empty: it opens.
std::string refusal(const char *name, const Format &format, const char *override_key = nullptr)
{
    TestSettings settings = clip_settings(format, {name});
    if (override_key != nullptr)
        settings.model_options = {{override_key, "0"}};
    settings.threads = settings.ring = 1;
    const TestContext context(settings);
    return context.status == 0 ? "" : context.error.text;
}

/// The smallest pictures that each model takes, and one step below: in luma, then in
/// chroma. The largest that libvmaf takes, and what it refuses of that size.
TEST(V1Golden, Sizes)
{
    if (!has_cambi())
        GTEST_SKIP() << kNoCambi;
    struct Case {
        const char *model;
        int smallest, below;
        const char *scaled; ///< chroma of `below` as the error gives it
    };
    constexpr Case kCases[] = {
        {"vmaf_v1.0.16_3d0h", 160, 158, "79x"},
        {"vmaf_v1.0.16_5d0h", 266, 264, "(after speed_prescale 79x"},
        {"vmaf_v1.0.16_1d5h_2160", 160, 158, "79x"},
        {"vmaf_v1.0.16_3d0h_2160", 318, 316, "(after speed_prescale 79x"},
    };
    const auto expect_refusal = [](const std::string &text, const char *why) {
        EXPECT_NE(text.find(why), std::string::npos) << "got: '" << text << "'";
    };
    for (const Case &one : kCases) {
        SCOPED_TRACE(one.model);
        const int other = one.smallest > 217 ? one.smallest : 217; // CAMBI wants 216 on one side
        EXPECT_EQ(refusal(one.model, {one.smallest, other, 10, Chroma::k420}), "");
        EXPECT_EQ(refusal(one.model, {one.smallest + 1, other + 1, 8, Chroma::k420}), "");
        EXPECT_EQ(refusal(one.model, {one.smallest / 2, other, 10, Chroma::k444}), "");
        const std::string below = refusal(one.model, {one.below, other, 10, Chroma::k420});
        expect_refusal(below, "speed_chroma");
        expect_refusal(below, one.scaled);
        expect_refusal(below, "smaller than the minimum 80x80");
        EXPECT_EQ(refusal(one.model, {7680, 4320, 10, Chroma::k420}), "");
    }
    expect_refusal(refusal("vmaf_v1.0.16_3d0h", {215, 215, 10, Chroma::k420}),
                   "215x215 is too small");
    expect_refusal(refusal("vmaf_v1.0.16_3d0h", {7680, 4320, 10, Chroma::k420},
                           "cambi.cambi_high_res_speedup"),
                   "131 pixels");
    expect_refusal(refusal("vmaf_v1.0.16_3d0h", {1920, 1080, 9, Chroma::k420}),
                   "allowed: 8, 10, 12, 16");
}

TEST(V1Golden, GrayIsRefused)
{
    if (!has_cambi())
        GTEST_SKIP() << kNoCambi;
    const TestContext context(clip_settings({704, 640, 10, Chroma::k400}, {"vmaf_v1.0.16_3d0h"}));
    EXPECT_EQ(context.status, -EINVAL);
    EXPECT_NE(std::strstr(context.error.text, "feature speed_chroma needs chroma"), nullptr)
        << context.error.text;
}

} // namespace
} // namespace vmafgpu::v1_golden_test
