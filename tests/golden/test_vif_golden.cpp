// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's sums, equal to libvmaf's, by the plain and the fast code; what variants and options share;
// the generators of the clips. Scores: golden.cpp.
#include <gtest/gtest.h>

#include <cstdio>

#include "features/vif/vif.h"
#include "generators.h"
#include "golden_file.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu::vif_golden_test {
namespace {

FeatureOptions values_with_limit(double limit)
{
    FeatureOptions values = vif::kFeature.defaults;
    char text[32];
    std::snprintf(text, sizeof(text), "%.17g", limit);
    set_option(vif::kFeature, values, "vif_enhn_gain_limit", text);
    return values;
}

/// Returns all outputs of every frame of a clip for a single variant.
std::vector<std::vector<double>> scores_of(const Clip &clip, const FeatureOptions &values,
                                           Path path)
{
    const auto groups = vif::kFeature.create(format_of(clip), Compat::k3_2, {values});
    const Feature &feature = *groups[0].feature;
    const std::vector<TestPair> pairs = make_pairs(clip);
    SegmentSums sums(feature);
    for (size_t i = 0; i < pairs.size(); ++i)
        fill(feature, view(pairs, i), path, sums.add());
    return sums.scores(0, 1, vif::kFeature.outputs(Compat::k3_2, {}).size());
}

vif::Sums first_sums(const Clip &clip, Path path)
{
    const auto groups =
        vif::kFeature.create(format_of(clip), Compat::k3_2, {vif::kFeature.defaults});
    const std::vector<TestPair> pairs = make_pairs(clip);
    vif::Sums sums;
    fill(*groups[0].feature, view(pairs, 0), path, &sums);
    return sums;
}

TEST(Generators, FirstFrameHasItsChecksum)
{
    for (const Clip &clip : kClips) {
        const TestPair pair = make_pair(clip, 0);
        const auto &reference = pair.reference.bytes();
        const auto &distorted = pair.distorted.bytes();
        EXPECT_EQ(crc32(reference.data(), reference.size()), clip.reference_crc) << clip.name;
        EXPECT_EQ(crc32(distorted.data(), distorted.size()), clip.distorted_crc) << clip.name;
    }
}

/// Deep clips made of shifted 8-bit samples would see no error of depth.
TEST(Generators, reg21_NoiseUsesEveryBit)
{
    for (int depth = 9; depth <= 16; ++depth) {
        const Clip clip = {"noise", Content::kNoise, depth, 64, 32, 1, 3, 0, 0};
        const TestPair pair = make_pair(clip, 0);
        for (const TestPlane *plane : {&pair.reference, &pair.distorted}) {
            unsigned some = 0;
            unsigned all = ~0U;
            for (int y = 0; y < clip.height; ++y)
                for (int x = 0; x < clip.width; ++x) {
                    const auto sample = plane_row<uint16_t>(plane->plane(), y)[x];
                    some |= sample;
                    all &= sample;
                }
            EXPECT_EQ(some, (1U << depth) - 1) << depth;
            EXPECT_EQ(all, 0U) << depth;
        }
    }
}

class VifGolden : public testing::TestWithParam<Path> {};

TEST_P(VifGolden, reg16_Sums)
{
    for (const nlohmann::json &golden : golden_file("vif")["sums"]) {
        SCOPED_TRACE(golden.dump());
        const std::string name = golden["clip"].get<std::string>().substr(4); // after "vif/"
        const vif::ScaleSums sums =
            first_sums(clip_named(name), GetParam()).scale[golden["scale"].get<int>()];
        EXPECT_EQ(sums.num_log[0], golden["num_log"].get<int64_t>());
        EXPECT_EQ(sums.num_log[1], 0);
        EXPECT_EQ(sums.den_log, golden["den_log"].get<int64_t>());
        EXPECT_EQ(sums.num_nl, golden["num_nl"].get<int64_t>());
        EXPECT_EQ(sums.den_nl, golden["den_nl"].get<int64_t>());
    }
}

TEST_P(VifGolden, WithoutScale0OnlyTheSumsChange)
{
    const Clip &clip = clip_named("V2");
    FeatureOptions values = vif::kFeature.defaults;
    const auto all = scores_of(clip, values, GetParam());
    set_option(vif::kFeature, values, "vif_skip_scale0", "true");
    const auto some = scores_of(clip, values, GetParam());
    for (size_t frame = 0; frame < all.size(); ++frame) {
        const std::vector<double> &a = all[frame];
        const std::vector<double> &s = some[frame];
        EXPECT_EQ(s[0], 0.0);
        EXPECT_EQ(s[7], 0.0);
        EXPECT_EQ(s[8], -1.0);
        for (const int same : {1, 2, 3, 9, 10, 11, 12, 13, 14})
            EXPECT_EQ(s[same], a[same]) << same;
        EXPECT_EQ(s[5], a[9] + a[11] + a[13]);
        EXPECT_EQ(s[6], a[10] + a[12] + a[14]);
        EXPECT_EQ(s[4], s[5] / s[6]);
    }
}

/// Two gain limits in one object, a third in another; all as if alone.
TEST_P(VifGolden, VariantsShareObjects)
{
    const Clip &clip = clip_named("V9");
    std::vector<FeatureOptions> variants = {values_with_limit(1), values_with_limit(100),
                                            values_with_limit(1.2), values_with_limit(1)};
    set_option(vif::kFeature, variants[3], "vif_skip_scale0", "true");
    const auto groups = vif::kFeature.create(format_of(clip), Compat::k3_2, variants);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 1, 3}));
    EXPECT_EQ(groups[1].variants, (std::vector<int>{2}));
    const std::vector<TestPair> pairs = make_pairs(clip);
    for (const FeatureGroup &group : groups) {
        SegmentSums sums(*group.feature);
        for (size_t i = 0; i < pairs.size(); ++i)
            fill(*group.feature, view(pairs, i), GetParam(), sums.add());
        for (size_t k = 0; k < group.variants.size(); ++k) {
            const auto alone = scores_of(clip, variants[group.variants[k]], GetParam());
            EXPECT_EQ(sums.scores(k, group.variants.size(), alone[0].size()), alone) << k;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, VifGolden, testing::Values(kPlain, kFast), path_name);

} // namespace
} // namespace vmafgpu::vif_golden_test
