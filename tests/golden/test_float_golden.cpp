// SPDX-License-Identifier: BSD-2-Clause-Patent
// What float_adm divides by, and what the float features refuse. Scores: golden.cpp.
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "clips.h"
#include "features/float_adm/float_adm.h"
#include "features/float_motion/float_motion.h"
#include "features/registry.h"
#include "generators.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu::float_golden_test {
namespace {

/// Scores of each frame, in the order of outputs.
std::vector<std::vector<double>> scores_of(const std::string &clip_name, const std::string &feature,
                                           const std::string &options, Path path)
{
    const FeatureInfo &info = *find_feature(feature);
    const FeatureOptions values = values_of(info, options);
    const GoldenClip clip = golden_clip(clip_name);
    const auto groups = info.create(clip.format, Compat::k3_2, {values});
    SegmentSums sums(*groups.at(0).feature);
    for (int frame = 0; frame < 3; ++frame) {
        const YuvPair pair = clip.pair(frame);
        fill(*groups[0].feature, pair.view(), path, sums.add());
    }
    return sums.scores(0, 1, info.outputs(Compat::k3_2, values).size());
}

class FloatGoldenTest : public testing::TestWithParam<Path> {};

/// Values of libvmaf's formulas with the reciprocals of an Intel processor; not run there.
TEST_P(FloatGoldenTest, ReciprocalsOfIntel)
{
    const std::string intel = "float_adm_rcp=intel";
    const auto first = scores_of("float/S1", "float_adm", intel, GetParam());
    EXPECT_EQ(first[2][0], 0.99343747489097767);
    EXPECT_EQ(first[2][4], 0.98562080165853627);
    EXPECT_EQ(scores_of("float/S5", "float_adm", intel, GetParam())[1][1], 0.0044831951433478342);
    const auto third = scores_of("float/S3", "float_adm", intel, GetParam());
    EXPECT_EQ(third[0][0], 0.9944708618148097);
    EXPECT_EQ(third[0][3], 0.9730817449851259);
}

INSTANTIATE_TEST_SUITE_P(Paths, FloatGoldenTest, testing::Values(kPlain, kFast), path_name);

uint32_t table_crc(const float_adm::ReciprocalTable &table)
{
    return crc32(table.bits, sizeof(table.bits)); // little-endian hosts only, as all of ours
}

TEST(Reciprocals, FixedTables)
{
    EXPECT_EQ(table_crc(*float_adm::reciprocal_table(float_adm::ReciprocalMaker::kAmd)),
              0xebd6b180U);
    EXPECT_EQ(table_crc(*float_adm::reciprocal_table(float_adm::ReciprocalMaker::kIntel)),
              0x1e3930f6U);
}

/// The executed table, and that the log names it.
TEST(Reciprocals, OfThisProcessor)
{
    const float_adm::ReciprocalTable *host =
        float_adm::reciprocal_table(float_adm::ReciprocalMaker::kHost);
    const std::string line = float_adm::reciprocal_line(float_adm::ReciprocalMaker::kHost);
    if (host == nullptr) {
        expect_part(line, "divides exactly");
        GTEST_SKIP() << "this processor has no approximate reciprocals";
    }
    EXPECT_TRUE(host->is_hosts);
    const float_adm::ReciprocalTable *amd =
        float_adm::reciprocal_table(float_adm::ReciprocalMaker::kAmd);
    const float_adm::ReciprocalTable *intel =
        float_adm::reciprocal_table(float_adm::ReciprocalMaker::kIntel);
    EXPECT_FALSE(amd->is_hosts && intel->is_hosts);
    const char *name = amd->is_hosts ? "float_adm_rcp=amd" : "float_adm_rcp=intel";
    if (!amd->is_hosts && !intel->is_hosts)
        name = "neither float_adm_rcp=amd";
    expect_part(line, name);
    EXPECT_EQ(table_crc(*host) == table_crc(*amd), amd->is_hosts);
    EXPECT_EQ(table_crc(*host) == table_crc(*intel), intel->is_hosts);
    const float x = 1.7F;
    for (const float factor : {1.0F, -1.0F, 0x1p-90F, 0x1p100F})
        EXPECT_NEAR(float_adm::approximate_reciprocal(*host, x * factor) * (x * factor), 1.0F,
                    0x1p-11F);
}

std::string error_of(const std::string &feature, const std::string &options, const Format &format,
                     Compat compat = Compat::k3_2)
{
    return refusal(*find_feature(feature), format, options, compat);
}

TEST(FloatFeatures, WhatLibvmafHasUndefinedIsRefused)
{
    const Format small = {15, 40, 8, Chroma::k420};
    const Format plain = {64, 48, 8, Chroma::k420};
    for (const char *feature : {"float_adm", "float_motion", "float_vif"}) {
        for (const int depth : {9, 11, 13, 14, 15})
            EXPECT_NE(error_of(feature, "", {64, 48, depth, Chroma::k420}).find("bits per sample"),
                      std::string::npos)
                << feature << depth;
        EXPECT_EQ(error_of(feature, "", plain), "");
        expect_part(error_of(feature, "", plain, Compat::k3_1), "3.2 only");
    }
    expect_part(error_of("float_vif", "", small), "at least 16");
    expect_part(error_of("float_vif", "vif_kernelscale=2", {40, 31, 8, Chroma::k420}),
                "at least 32");
    expect_part(error_of("float_vif", "vif_kernelscale=1.2", plain), "have kernels");
    expect_part(error_of("float_vif", "vif_prescale=4:vif_prescale_method=bilinear",
                         {1921, 48, 8, Chroma::k420}),
                "up to 7680");
    expect_part(error_of("float_adm", "", {16, 40, 8, Chroma::k420}), "minimum 17x17");
    const std::string both = "motion_add_uv=true:motion_add_scale1=true";
    expect_part(error_of("float_motion", both, plain), "4:4:4 only");
    EXPECT_EQ(error_of("float_motion", both, {64, 48, 8, Chroma::k444}), "");
    expect_part(error_of("float_motion", "motion_add_uv=true", {64, 48, 8, Chroma::k400}),
                "needs chroma");
}

TEST(FloatFeatures, VariantsThatShareSums)
{
    const FeatureInfo &info = *find_feature("float_adm");
    std::vector<FeatureOptions> variants(4, info.defaults);
    set_options(info, variants[1], "adm_noise_weight=0.1:adm_min_val=0.5");
    set_options(info, variants[2], "adm_enhn_gain_limit=1");
    set_options(info, variants[3], "float_adm_rcp=intel");
    const auto groups = info.create({64, 48, 8, Chroma::k420}, Compat::k3_2, variants);
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 1}));
}

} // namespace
} // namespace vmafgpu::float_golden_test
