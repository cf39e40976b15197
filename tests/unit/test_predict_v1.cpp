// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prediction of the models vmaf_v1.0.16* against libvmaf's own numbers, to the last bit,
// and which features with which options they read.
#include <gtest/gtest.h>

#include "features/registry.h"
#include "model/model.h"

namespace vmafgpu {
namespace {

struct Vector {
    double features[4]; // cambi, speed_chroma uv, adm3, motion3
    double at_3h, at_2160_1_5h, at_2160_3h;
};

// libvmaf f85a8536. Rows 0, 1, 2 and 9 have no chroma score and take it from adm3, row 2
// by the rounding of the scaled feature; row 3 just does not.
constexpr Vector kVectors[] = {
    {{0, 0, 1, 0}, 100, 100, 107.34910935976281},
    {{0, 0, 0.5, 0}, 0, 0, 0},
    {{0, 1e-18, 0.9, 0}, 61.565321794101109, 59.109145578319485, 64.109145578319485},
    {{0, 1e-16, 0.9, 0}, 72.557184798915472, 71.097329866369506, 76.097329866369506},
    {{17, 45, 0.5, 18}, 0, 0, 0},
    {{0.25, 1.5, 0.95, 3.25}, 87.139768644270291, 87.244876617835573, 92.244876617835573},
    {{2.5, 0.75, 0.9, 10}, 77.055163034633495, 76.047895977542979, 81.047895977542979},
    {{8, 12, 0.75, 15.5}, 30.014555834267103, 25.518049913628914, 30.518049913628914},
    {{0.01, 0.3, 0.99, 0.5}, 97.785894788754462, 99.216449073066016, 104.21644907306602},
    {{1, 0, 0.98, 18}, 100, 100, 110},
    {{0, 5.7220458984375e-06, 1, 0}, 100, 100, 107.3491029929089},
    {{30, 60, 1.2, 40}, 100, 100, 110},
};

double score_of(const std::string &name, const Vector &vector)
{
    double score = -1;
    Model::load(name)->predict(vector.features, &score);
    return score;
}

TEST(PredictV1, Vectors)
{
    for (const std::string rate : {"", "hfr_"}) {
        const std::string family = "vmaf_v1.0.16_" + rate;
        for (const Vector &vector : kVectors) {
            SCOPED_TRACE(family + " row " + std::to_string(&vector - kVectors));
            EXPECT_EQ(score_of(family + "3d0h", vector), vector.at_3h);
            EXPECT_EQ(score_of(family + "5d0h", vector), vector.at_3h);
            EXPECT_EQ(score_of(family + "1d5h_2160", vector), vector.at_2160_1_5h);
            EXPECT_EQ(score_of(family + "3d0h_2160", vector), vector.at_2160_3h);
        }
    }
}

TEST(PredictV1, WithoutClip)
{
    constexpr double kUnclipped[] = {100.54849808402878, -32.14813286095144};
    for (int row = 0; row < 2; ++row) {
        const auto model = Model::load("vmaf_v1.0.16_3d0h");
        model->set_option("disable_clip", "true");
        double score = 0;
        model->predict(kVectors[row].features, &score);
        EXPECT_EQ(score, kUnclipped[row]);
    }
}

/// Name under which feature `index` of a model is logged; empty if this build lacks it.
std::string series_of(const Model &model, size_t index)
{
    const ModelFeature &feature = model.features().at(index);
    const FeatureInfo *info = find_feature_of_output(feature.output, Compat::k3_2);
    if (info == nullptr)
        return "";
    FeatureOptions values = info->defaults;
    for (const auto &option : feature.options)
        set_option(*info, values, option.first, option.second);
    for (const OutputInfo &output : info->outputs(Compat::k3_2, info->defaults))
        if (feature.output == output.name)
            return report_name(*info, output, values);
    return "";
}

TEST(PredictV1, SeriesOfTheFeatures)
{
    struct Names {
        const char *model, *speed, *adm, *motion;
    };
    const std::string adm = "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02";
    constexpr Names kNames[] = {
        {"3d0h", "", "", ""},
        {"5d0h", "_ps_0.6_psm_bilinear", "_nvd_5", ""},
        {"1d5h_2160", "", "_nvd_1.5_rdh_2160", ""},
        {"3d0h_2160", "_ps_0.5_psm_bilinear", "_rdh_2160", ""},
        {"hfr_3d0h", "", "", "_mma"},
        {"hfr_3d0h_2160", "_ps_0.5_psm_bilinear", "_rdh_2160", "_mma"},
    };
    for (const Names &names : kNames) {
        const auto model = Model::load(std::string("vmaf_v1.0.16_") + names.model);
        EXPECT_EQ(series_of(*model, 0), "cambi_hrs_1080_cmxv_17_vlt_0.06");
        EXPECT_EQ(series_of(*model, 1),
                  std::string("speed_chroma_uv_mxv_45_nnf_0.1") + names.speed + "_snn_0.19_wvm_5");
        EXPECT_EQ(series_of(*model, 2), adm + names.adm);
        EXPECT_EQ(series_of(*model, 3), *names.motion == '\0' ? "integer_motion3_mmxv_18"
                                                              : "integer_motion3_mffw_mmxv_18_mma");
    }
}

} // namespace
} // namespace vmafgpu
