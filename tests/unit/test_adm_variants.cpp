// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM's options: what is refused and with which words, which variants share an
// object, and the rules of the scores that no ordinary picture reaches.
#include <gtest/gtest.h>

#include <cstring>

#include "../golden/sums_window.h"
#include "features/adm/adm.h"
#include "features/kit/feature_of.h"

namespace vmafgpu::adm_variants_test {
namespace {

std::vector<FeatureGroup> create_adm(const std::vector<const char *> &variants)
{
    Format format;
    format.width = 64;
    format.height = 48;
    std::vector<FeatureOptions> values;
    for (const char *options : variants)
        values.push_back(values_of(adm::kFeature, options));
    return adm::kFeature.create(format, Compat::k3_2, values);
}

std::string refusal(const char *options)
{
    return refusal(adm::kFeature, {64, 48}, options);
}

const adm::Config &config_of(const FeatureGroup &group)
{
    return static_cast<const FeatureOf<adm::Config, adm::Sums, adm::Forms> &>(*group.feature)
        .config();
}

TEST(AdmVariants, TwoGainLimitsShareAnObject)
{
    const auto groups = create_adm({"", "adm_enhn_gain_limit=1", "adm_noise_weight=0.5"});
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(config_of(groups[0]).gains, 2);
    EXPECT_EQ(config_of(groups[0]).gain_limit[0], 100.0);
    EXPECT_EQ(config_of(groups[0]).gain_limit[1], 1.0);
}

TEST(AdmVariants, OthersGetTheirOwn)
{
    const auto groups =
        create_adm({"", "adm_enhn_gain_limit=1", "adm_enhn_gain_limit=2", "adm_norm_view_dist=5",
                    "adm_skip_aim=true", "adm_skip_scale0=true", "adm_enhn_gain_limit=2"});
    ASSERT_EQ(groups.size(), 5u);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 1}));
    EXPECT_EQ(groups[1].variants, (std::vector<int>{2, 6}));
    EXPECT_EQ(groups[2].variants, (std::vector<int>{3}));
    EXPECT_EQ(groups[3].variants, (std::vector<int>{4}));
    EXPECT_EQ(groups[4].variants, (std::vector<int>{5}));
}

TEST(AdmVariants, Refused)
{
    EXPECT_EQ(refusal("adm_norm_view_dist=2.5"),
              "adm: adm_norm_view_dist times adm_ref_display_height must be at least 3240, "
              "not 2700");
    EXPECT_EQ(refusal("adm_csf_mode=2:adm_norm_view_dist=4"),
              "adm: adm_csf_mode 2 is only known for these values of "
              "adm_ref_display_height:adm_norm_view_dist: 1080:3, 2160:1.5, 1080:5, 2160:3, "
              "2160:5, 720:5");
    EXPECT_EQ(refusal("adm_csf_mode=1"), "");
    EXPECT_EQ(refusal("adm_csf_mode=3:adm_norm_view_dist=5:adm_ref_display_height=720"), "");
    EXPECT_EQ(refusal("adm_norm_view_dist=0.75:adm_ref_display_height=4320"), "");
}

/// Multipliers that exceed their integers keep their low bits, and a context warns.
TEST(AdmVariants, LargeMultipliers)
{
    const auto warnings = [](const char *options) {
        size_t count = 0;
        for (const FeatureGroup &group : create_adm({options}))
            count += group.feature->traits().warnings.size();
        return count;
    };
    EXPECT_EQ(warnings(""), 0u);
    EXPECT_EQ(warnings("adm_csf_mode=1:adm_csf_scale=0.0258:adm_csf_diag_scale=0.0064"), 0u);
    EXPECT_EQ(warnings("adm_csf_mode=1:adm_csf_scale=0.0259:adm_csf_diag_scale=0.0064"), 1u);
    EXPECT_EQ(warnings("adm_csf_mode=1:adm_csf_scale=0.0258:adm_csf_diag_scale=0.0065"), 1u);

    adm::CsfOptions small;
    small.mode = 1;
    small.scale = small.diag_scale = 0x1p-10;
    adm::CsfOptions large = small;
    large.scale = large.diag_scale = 1.0;
    const adm::Csf low = adm::csf_of(small);
    const adm::Csf high = adm::csf_of(large);
    EXPECT_FALSE(low.exceeds);
    EXPECT_TRUE(high.exceeds);
    for (int scale = 0; scale < adm::kScales; ++scale)
        for (int d = 0; d < 2; ++d) {
            const uint32_t mask = scale == 0 ? 0xffff : 0xffffffff;
            EXPECT_EQ(high.factor[scale][d], low.factor[scale][d] * 1024);
            EXPECT_EQ(high.multiplier[scale][d] & (mask & ~1023U),
                      (low.multiplier[scale][d] * 1024U) & mask)
                << scale << " " << d;
        }
}

/// libvmaf's score of low pictures depends on memory that it did not write. Narrow ones are exact.
TEST(AdmVariants, LowPicturesWarn)
{
    const auto warnings = [](int width, int height) {
        Format format;
        format.width = width;
        format.height = height;
        const auto groups =
            adm::kFeature.create(format, Compat::k3_2, {values_of(adm::kFeature, "")});
        return groups.front().feature->traits().warnings;
    };
    EXPECT_TRUE(warnings(240, 33).empty());
    EXPECT_TRUE(warnings(17, 240).empty());
    ASSERT_EQ(warnings(240, 32).size(), 1U);
    EXPECT_EQ(warnings(240, 32)[0].rfind("adm: the picture is 32 samples high. Up to 32, ", 0), 0U);
}

TEST(AdmVariants, reg10_TooSmall)
{
    Format format;
    format.width = 16;
    format.height = 17;
    EXPECT_THROW(adm::kFeature.create(format, Compat::k3_2, {values_of(adm::kFeature, "")}), Error);
    format.width = 17;
    EXPECT_EQ(adm::kFeature.create(format, Compat::k3_2, {values_of(adm::kFeature, "")}).size(),
              1u);
}

TEST(AdmVariants, ReportNames)
{
    const auto outputs = adm::kFeature.outputs(Compat::k3_2, {});
    ASSERT_EQ(outputs.size(), static_cast<size_t>(adm::kOutputs));
    EXPECT_EQ(report_name(adm::kFeature, outputs[adm::kAdm2], values_of(adm::kFeature, "")),
              "integer_adm2");
    EXPECT_EQ(report_name(adm::kFeature, outputs[adm::kAdm2],
                          values_of(adm::kFeature, "adm_enhn_gain_limit=1")),
              "integer_adm2_egl_1");
    EXPECT_EQ(report_name(adm::kFeature, outputs[adm::kScale0],
                          values_of(adm::kFeature, "adm_enhn_gain_limit=1")),
              "integer_adm_scale0_egl_1");
    EXPECT_EQ(report_name(adm::kFeature, outputs[adm::kAim],
                          values_of(adm::kFeature,
                                    "adm_csf_scale=0.02:adm_csf_mode=1:adm_csf_diag_scale=0.005:"
                                    "debug=true:adm_skip_scale0=true:adm_skip_aim=true")),
              "integer_aim_scfd_0.005_csf_1_scf_0.02_ssz");
    EXPECT_STREQ(outputs[adm::kNumScale0 + 3].name, "integer_adm_den_scale1");
    EXPECT_TRUE(outputs[adm::kScale0 + 3].is_default);
    EXPECT_FALSE(outputs[adm::kScore].is_default);
}

std::vector<double> scores_of(const char *options, const adm::Sums &sums)
{
    const auto groups = create_adm({options});
    SegmentSums segment(*groups[0].feature);
    std::memcpy(segment.add(), &sums, sizeof(sums));
    return segment.scores(0, 1, adm::kOutputs).at(0);
}

/// Nothing in either picture and no noise term: 0 / 0 is defined as no loss.
TEST(AdmScores, EmptyDenominator)
{
    const auto scores = scores_of("adm_noise_weight=0", adm::Sums{});
    EXPECT_EQ(scores[adm::kAdm2], 1.0);
    EXPECT_EQ(scores[adm::kAim], 0.0);
    EXPECT_EQ(scores[adm::kAdm3], 1.0);
    EXPECT_TRUE(scores[adm::kScale0] != scores[adm::kScale0]);
    EXPECT_EQ(scores[adm::kNum], 0.0);
    EXPECT_EQ(scores[adm::kDen], 0.0);
}

TEST(AdmScores, SkippedPartsHaveFixedValues)
{
    adm::Sums sums = {};
    for (adm::ScaleSums &scale : sums.scale)
        scale.den[0] = scale.den[1] = scale.den[2] = 1u << 30;
    const auto skipped = scores_of("adm_skip_scale0=true", sums);
    EXPECT_EQ(skipped[adm::kScale0], 0.0);
    EXPECT_EQ(skipped[adm::kNumScale0], 0.0);
    EXPECT_EQ(skipped[adm::kNumScale0 + 1], static_cast<double>(1e-10F));
    for (adm::ScaleSums &scale : sums.scale)
        scale.aim[0][1] = 1LL << 50;
    EXPECT_GT(scores_of("", sums)[adm::kAim], 0.0);
    const auto no_aim = scores_of("adm_skip_aim=true:adm_dlm_weight=0.25", sums);
    EXPECT_EQ(no_aim[adm::kAim], 0.0);
    EXPECT_EQ(no_aim[adm::kAdm3], no_aim[adm::kAdm2] * 0.25 + 0.75);
    EXPECT_EQ(scores_of("adm_min_val=1", sums)[adm::kAdm3], 1.0);
}

} // namespace
} // namespace vmafgpu::adm_variants_test
