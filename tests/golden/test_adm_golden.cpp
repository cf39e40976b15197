// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM against libvmaf's results: scores and accumulators, all exactly equal. Both the plain
// reference and the CPU code run. What no score shows: tests/unit/test_adm_parts.cpp.
#include <gtest/gtest.h>

#include "adm_generators.h"
#include "adm_golden.h"
#include "features/adm/adm.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu {
namespace {

Format format_of_adm(const AdmClip &clip)
{
    return adm_format(clip.width, clip.height, clip.depth);
}

/// Returns all outputs of one frame, of the variant that `options` describes.
std::vector<double> adm_scores(const AdmClip &clip, int frame, const char *options, Path path)
{
    const auto groups = adm::kFeature.create(format_of_adm(clip), Compat::k3_2,
                                             {values_of(adm::kFeature, options)});
    const TestPair pair = adm_pair(clip, frame);
    SegmentSums sums(*groups[0].feature);
    fill(*groups[0].feature, adm_view(pair), path, sums.add());
    return sums.scores(0, 1, adm::kOutputs)[0];
}

adm::Sums adm_sums(const AdmClip &clip, Path path)
{
    const auto groups =
        adm::kFeature.create(format_of_adm(clip), Compat::k3_2, {values_of(adm::kFeature, "")});
    const TestPair pair = adm_pair(clip, 0);
    adm::Sums sums;
    fill(*groups[0].feature, adm_view(pair), path, &sums);
    return sums;
}

TEST(AdmGenerators, HashAndTexture)
{
    EXPECT_EQ(adm_hash(1, 2, 3, 4), 3732121260u);
    EXPECT_EQ(adm_triangle(300), 211);
    EXPECT_EQ(adm_base(10, 20, 1), 131);
}

TEST(AdmGenerators, FirstFrameHasItsSums)
{
    for (const AdmClip &clip : kAdmClips) {
        const AdmSource source(clip.content, clip.width, clip.height, clip.depth, 0);
        uint64_t reference = 0;
        uint64_t distorted = 0;
        for (int y = 0; y < clip.height; ++y)
            for (int x = 0; x < clip.width; ++x) {
                reference += static_cast<uint64_t>(source.reference(x, y));
                distorted += static_cast<uint64_t>(source.distorted(x, y));
            }
        EXPECT_EQ(reference, clip.reference_sum) << clip.name;
        EXPECT_EQ(distorted, clip.distorted_sum) << clip.name;
    }
}

class AdmGolden : public testing::TestWithParam<Path> {};

TEST_P(AdmGolden, Scores)
{
    for (const AdmGoldenScores &expected : kAdmGoldenScores) {
        SCOPED_TRACE(std::string(expected.clip) + " " + std::to_string(expected.frame) + " " +
                     expected.options);
        const auto scores =
            adm_scores(adm_clip_named(expected.clip), expected.frame, expected.options, GetParam());
        EXPECT_EQ(scores[adm::kAdm2], expected.adm2);
        EXPECT_EQ(scores[adm::kAim], expected.aim);
        EXPECT_EQ(scores[adm::kAdm3], expected.adm3);
        for (int scale = 0; scale < adm::kScales; ++scale)
            EXPECT_EQ(scores[static_cast<size_t>(adm::kScale0 + scale)], expected.scale[scale])
                << scale;
    }
}

TEST_P(AdmGolden, reg16_Sums)
{
    for (const AdmGoldenSums &expected : kAdmGoldenSums) {
        const adm::Sums sums = adm_sums(adm_clip_named(expected.clip), GetParam());
        const adm::ScaleSums &scale = sums.scale[expected.scale];
        for (int b = 0; b < adm::kOrientations; ++b) {
            SCOPED_TRACE(std::string(expected.clip) + " scale " + std::to_string(expected.scale) +
                         " orientation " + std::to_string(b));
            EXPECT_EQ(scale.num[0][b], expected.num[b]);
            EXPECT_EQ(scale.den[b], expected.den[b]);
            EXPECT_EQ(scale.aim[0][b], expected.aim[b]);
            EXPECT_EQ(scale.num[1][b], 0);
            EXPECT_EQ(scale.aim[1][b], 0);
        }
    }
}

TEST_P(AdmGolden, DebugOutputs)
{
    for (const AdmGoldenScale &expected : kAdmGoldenScales) {
        const auto scores = adm_scores(adm_clip_named(expected.clip), 0, "", GetParam());
        const auto at = static_cast<size_t>(adm::kNumScale0 + 2 * expected.scale);
        EXPECT_EQ(scores[at], expected.num) << expected.clip << " " << expected.scale;
        EXPECT_EQ(scores[at + 1], expected.den) << expected.clip << " " << expected.scale;
        EXPECT_EQ(scores[adm::kScore], scores[adm::kAdm2]);
        EXPECT_EQ(scores[adm::kNum] / scores[adm::kDen], scores[adm::kAdm2]);
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, AdmGolden, testing::Values(kPlain, kFast), path_name);

} // namespace
} // namespace vmafgpu
