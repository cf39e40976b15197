// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prediction of the models vmaf_v1.0.16* against libvmaf's own numbers, to the last bit, where no
// clip of golden leads: corrected chroma, both limits, and beyond them.
#include <gtest/gtest.h>

#include "model/model.h"

namespace vmafgpu::predict_v1_test {
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

} // namespace
} // namespace vmafgpu::predict_v1_test
