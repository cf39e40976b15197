// SPDX-License-Identifier: BSD-2-Clause-Patent
// The models vmaf_v1.0.16*, all eight in one run through the public API: every feature
// and score against libvmaf's, on the CPU and on the emulated devices.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "features/registry.h"
#include "model/model.h"
#include "v1_golden.h"
#include "whole_clips.h"

namespace vmafgpu {
namespace {

std::vector<YuvPair> v1_pairs(const SpeedChromaClip &clip)
{
    std::vector<YuvPair> pairs;
    for (int frame = 0; frame < kV1Frames; ++frame)
        pairs.push_back(v1_pair(clip, frame));
    return pairs;
}

ClipScores run_clip(const SpeedChromaClip &clip, const std::string &device,
                    const std::vector<std::string> &models)
{
    return score_clip(clip_settings(speed_chroma_format(clip), models, device), v1_pairs(clip));
}

void expect_golden(const SpeedChromaClip &clip, const ClipScores &run)
{
    for (const V1Row &row : kV1Rows) {
        if (std::strcmp(row.clip, clip.name) != 0)
            continue;
        SCOPED_TRACE(std::string(clip.name) + " frame " + std::to_string(row.frame));
        const auto value = [&](const char *name) {
            const auto found = run.columns.find(name);
            EXPECT_NE(found, run.columns.end()) << name;
            return found == run.columns.end() ? -1
                                              : found->second.at(static_cast<size_t>(row.frame));
        };
        for (size_t i = 0; i < std::size(kV1Series); ++i)
            EXPECT_EQ(value(kV1Series[i]), row.features[i]) << kV1Series[i];
        EXPECT_EQ(value(kV1Twin), row.features[4]);
        for (size_t i = 0; i < std::size(kV1Models); ++i)
            EXPECT_EQ(value(kV1Models[i]), row.scores[i]) << kV1Models[i];
    }
    for (const V1Means &means : kV1Means) {
        if (std::strcmp(means.clip, clip.name) != 0)
            continue;
        for (size_t i = 0; i < std::size(kV1Models); ++i)
            EXPECT_EQ(run.means.at(kV1Models[i]), means.scores[i]) << kV1Models[i];
    }
}

std::vector<std::string> all_models()
{
    return {std::begin(kV1Models), std::end(kV1Models)};
}

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
/// Index in kV1Series of what each of kV1Models reads.
constexpr size_t kInputs[8][4] = {{0, 1, 4, 7}, {0, 2, 5, 7}, {0, 1, 4, 7}, {0, 3, 6, 7},
                                  {0, 1, 4, 8}, {0, 2, 5, 8}, {0, 1, 4, 8}, {0, 3, 6, 8}};

/// Every feature but cambi, and the models on these and on libvmaf's cambi.
TEST(V1Golden, FeaturesAndPrediction)
{
    for (const SpeedChromaClip &clip : kV1Clips) {
        SCOPED_TRACE(clip.name);
        TestSettings settings = clip_settings(speed_chroma_format(clip), {});
        settings.features = kInstances;
        ClipScores run = score_clip(settings, v1_pairs(clip));
        for (const V1Row &row : kV1Rows) {
            if (std::strcmp(row.clip, clip.name) != 0)
                continue;
            double values[std::size(kV1Series)] = {row.features[0]};
            for (size_t i = 1; i < std::size(kV1Series); ++i) {
                values[i] = run.columns[kV1Series[i]].at(static_cast<size_t>(row.frame));
                EXPECT_EQ(values[i], row.features[i]) << kV1Series[i] << " frame " << row.frame;
            }
            for (size_t m = 0; m < std::size(kV1Models); ++m) {
                double inputs[4];
                for (int i = 0; i < 4; ++i)
                    inputs[i] = values[kInputs[m][i]];
                double score = -1;
                Model::load(kV1Models[m])->predict(inputs, &score);
                EXPECT_EQ(score, row.scores[m]) << kV1Models[m] << " frame " << row.frame;
            }
        }
    }
}

TEST(V1Golden, CpuAllModels)
{
    if (!has_cambi())
        GTEST_SKIP() << kNoCambi;
    for (const SpeedChromaClip &clip : kV1Clips)
        expect_golden(clip, run_clip(clip, "cpu", all_models()));
}

/// Both generations of models in one run do not change each other.
TEST(V1Golden, CpuBesideOlderModels)
{
    if (!has_cambi())
        GTEST_SKIP() << kNoCambi;
    std::vector<std::string> models = {"vmaf_v0.6.1", "vmaf_v0.6.1neg"};
    const ClipScores old = run_clip(kV1Clips[1], "cpu", models);
    for (const char *name : kV1Models)
        models.push_back(name);
    const ClipScores both = run_clip(kV1Clips[1], "cpu", models);
    expect_golden(kV1Clips[1], both);
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
        for (const SpeedChromaClip &clip : kV1Clips)
            if (!is_slow || clip.chroma == Chroma::k444)
                expect_golden(clip, run_clip(clip, device, all_models()));
    }
}

/// Returns the message of a model that cannot be opened; empty if it opens.
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
} // namespace vmafgpu
