// SPDX-License-Identifier: BSD-2-Clause-Patent
// The built-in float models, a frame of two clips through the public API. The scores are libvmaf's
// (f85a8536, scalar C code, on an AMD processor), to 17 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "whole_clips.h"

namespace vmafgpu::float_models_golden_test {
namespace {

int base_sample(int x, int y)
{
    return (7 * x + 13 * y + (x * y >> 3)) & 255;
}

struct FloatModelClip {
    Format format;
    TestPair pair;
};

FloatModelClip clip_a()
{
    FloatModelClip clip = {{128, 96, 8}, {TestPlane(128, 96, 8), TestPlane(128, 96, 8)}};
    for (int y = 0; y < clip.format.height; ++y)
        for (int x = 0; x < clip.format.width; ++x) {
            const int u = base_sample(x, y);
            const int moved = std::clamp(u + (5 * x + 3 * y) % 17 - 8, 0, 255);
            clip.pair.reference.set(x, y, static_cast<unsigned>(u));
            clip.pair.distorted.set(x, y, static_cast<unsigned>(4 * (moved / 4) + 1));
        }
    return clip;
}

FloatModelClip clip_b()
{
    FloatModelClip clip = {{160, 90, 10}, {TestPlane(160, 90, 10), TestPlane(160, 90, 10)}};
    for (int y = 0; y < clip.format.height; ++y)
        for (int x = 0; x < clip.format.width; ++x) {
            const int u = base_sample(x, y);
            const int more = (x + 3 * y) % 4;
            clip.pair.reference.set(x, y, static_cast<unsigned>(4 * u + more));
            clip.pair.distorted.set(x, y, static_cast<unsigned>(4 * (32 * (u / 32) + 16) + more));
        }
    return clip;
}

/// Scores of the only frame by series name's end; "" is the model's own.
class FloatModelScores {
public:
    FloatModelScores(const char *model, const FloatModelClip &clip)
    {
        TestSettings settings = clip_settings(clip.format, {model});
        settings.model_options = {{"float_adm.float_adm_rcp", "amd"}};
        scores_ = score_clip(settings, std::vector{clip.pair});
    }

    double operator[](const std::string &end) const
    {
        return scores_.columns.at("vmaf" + end).at(0);
    }
    const std::vector<std::string> &names() const { return scores_.names; }

private:
    ClipScores scores_;
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
} // namespace vmafgpu::float_models_golden_test
