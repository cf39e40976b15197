// SPDX-License-Identifier: BSD-2-Clause-Patent
// The built-in float models, a frame of two clips through the public API. The scores are libvmaf's
// (f85a8536, scalar C code, on an AMD processor), to 17 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {
namespace {

struct FloatModelClip {
    int width, height, depth;
    std::vector<uint16_t> samples[2]; ///< reference, distorted
};

int base_sample(int x, int y)
{
    return (7 * x + 13 * y + (x * y >> 3)) & 255;
}

FloatModelClip clip_a()
{
    FloatModelClip clip = {128, 96, 8, {}};
    for (int y = 0; y < clip.height; ++y)
        for (int x = 0; x < clip.width; ++x) {
            const int u = base_sample(x, y);
            const int moved = std::clamp(u + (5 * x + 3 * y) % 17 - 8, 0, 255);
            clip.samples[0].push_back(static_cast<uint16_t>(u));
            clip.samples[1].push_back(static_cast<uint16_t>(4 * (moved / 4) + 1));
        }
    return clip;
}

FloatModelClip clip_b()
{
    FloatModelClip clip = {160, 90, 10, {}};
    for (int y = 0; y < clip.height; ++y)
        for (int x = 0; x < clip.width; ++x) {
            const int u = base_sample(x, y);
            const int more = (x + 3 * y) % 4;
            clip.samples[0].push_back(static_cast<uint16_t>(4 * u + more));
            clip.samples[1].push_back(static_cast<uint16_t>(4 * (32 * (u / 32) + 16) + more));
        }
    return clip;
}

/// Scores of the only frame by series name's end; "" is the model's own.
class FloatModelScores {
public:
    FloatModelScores(const char *model_name, const FloatModelClip &clip)
    {
        VmafGpuError error = {};
        VmafGpuModel *model = nullptr;
        EXPECT_EQ(vmafgpu_model_load(&model, model_name, &error), 0) << error.text;
        EXPECT_EQ(vmafgpu_model_option(model, "float_adm.float_adm_rcp", "amd", &error), 0)
            << error.text;
        VmafGpuSettings settings;
        vmafgpu_settings_default(&settings);
        settings.width = clip.width;
        settings.height = clip.height;
        settings.depth = clip.depth;
        settings.device = "cpu";
        settings.models = &model;
        settings.model_count = 1;
        VmafGpuContext *ctx = nullptr;
        EXPECT_EQ(vmafgpu_open(&ctx, &settings, &error), 0) << error.text;
        vmafgpu_model_free(&model);
        if (ctx == nullptr)
            return;
        submit(ctx, clip);
        VmafGpuResult result = {};
        EXPECT_EQ(vmafgpu_collect(ctx, &result, 1), 0);
        for (int i = 0; i < result.score_count; ++i) {
            names_.emplace_back(vmafgpu_score_name(ctx, i));
            scores_.push_back(result.scores[i]);
        }
        vmafgpu_close(&ctx);
    }

    double operator[](const std::string &end) const
    {
        const auto found = std::find(names_.begin(), names_.end(), "vmaf" + end);
        EXPECT_NE(found, names_.end()) << end;
        return found == names_.end() ? -1 : scores_[static_cast<size_t>(found - names_.begin())];
    }
    const std::vector<std::string> &names() const { return names_; }

private:
    void submit(VmafGpuContext *ctx, const FloatModelClip &clip)
    {
        VmafGpuPicture pictures[2] = {};
        for (int i = 0; i < 2; ++i) {
            for (const uint16_t sample : clip.samples[i]) {
                bytes_[i].push_back(static_cast<unsigned char>(sample & 255));
                if (clip.depth > 8)
                    bytes_[i].push_back(static_cast<unsigned char>(sample >> 8));
            }
            pictures[i].width = clip.width;
            pictures[i].height = clip.height;
            pictures[i].depth = clip.depth;
            pictures[i].plane[0].data = bytes_[i].data();
            pictures[i].plane[0].pitch = clip.width * (clip.depth > 8 ? 2 : 1);
        }
        EXPECT_EQ(vmafgpu_submit(ctx, &pictures[0], &pictures[1], 0), 0);
        EXPECT_EQ(vmafgpu_flush(ctx), 0);
    }

    std::vector<unsigned char> bytes_[2]; ///< of the pictures: the engine reads them in place
    std::vector<std::string> names_;
    std::vector<double> scores_;
};

TEST(FloatModelsGolden, SingleModels)
{
    const FloatModelClip a = clip_a();
    const FloatModelClip b = clip_b();
    EXPECT_EQ(FloatModelScores("vmaf_float_v0.6.1", a)[""], 96.256096646866311);
    EXPECT_EQ(FloatModelScores("vmaf_float_v0.6.1", b)[""], 91.507272412993515);
    EXPECT_EQ(FloatModelScores("vmaf_float_v0.6.1neg", a)[""], 95.188711468642936);
    EXPECT_EQ(FloatModelScores("vmaf_float_v0.6.1neg", b)[""], 89.78452128140853);
    EXPECT_EQ(FloatModelScores("vmaf_float_4k_v0.6.1", a)[""], 99.086172155012719);
    EXPECT_EQ(FloatModelScores("vmaf_float_4k_v0.6.1", b)[""], 95.633444434468842);
}

TEST(FloatModelsGolden, Collection)
{
    const FloatModelScores a("vmaf_float_b_v0.6.3", clip_a());
    EXPECT_EQ(a["_bagging"], 94.772596648535156);
    EXPECT_EQ(a["_stddev"], 3.574497343364579);
    EXPECT_EQ(a["_ci_p95_lo"], 87.389709116611527);
    EXPECT_EQ(a["_ci_p95_hi"], 100.0);
    EXPECT_EQ(a[""], 95.713843084569632);
    const FloatModelScores b("vmaf_float_b_v0.6.3", clip_b());
    EXPECT_EQ(b["_bagging"], 89.684793190989438);
    EXPECT_EQ(b["_stddev"], 2.9956240904819151);
    EXPECT_EQ(b["_ci_p95_lo"], 84.949667150183473);
    EXPECT_EQ(b["_ci_p95_hi"], 94.649174042113998);
    EXPECT_EQ(b[""], 90.619563469240205);
}

/// The columns of libvmaf's log, without threads, and their order.
TEST(FloatModelsGolden, Columns)
{
    EXPECT_EQ(
        FloatModelScores("vmaf_float_v0.6.1", clip_a()).names(),
        (std::vector<std::string>{"adm2", "aim", "adm3", "adm_scale0", "adm_scale1", "adm_scale2",
                                  "adm_scale3", "motion2", "motion", "vif_scale0", "vif_scale1",
                                  "vif_scale2", "vif_scale3", "motion3", "vmaf"}));
    const auto neg = FloatModelScores("vmaf_float_v0.6.1neg", clip_a()).names();
    EXPECT_EQ(neg.front(), "adm2_egl_1");
    EXPECT_EQ(neg.at(9), "vif_scale0_egl_1");
}

} // namespace
} // namespace vmafgpu
