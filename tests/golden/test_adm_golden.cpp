// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM against libvmaf's results: scores, accumulators, intermediate planes and
// contrast sensitivity, all exactly equal. Both the plain reference and the
// CPU code run. What no score shows: tests/unit/test_adm_parts.cpp.
#include <gtest/gtest.h>

#include "adm_generators.h"
#include "adm_golden.h"
#include "base/thread_pool.h"
#include "features/adm/adm_ref.h"
#include "sums_window.h"

namespace vmafgpu {
namespace {

Format format_of_adm(const AdmClip &clip)
{
    return adm_format(clip.width, clip.height, clip.depth);
}

/// All outputs of one frame, of the variant that `options` describes.
std::vector<double> adm_scores(const AdmClip &clip, int frame, const char *options, Path path)
{
    const auto groups =
        kAdmFeature.create(format_of_adm(clip), Compat::k3_2, {values_of(kAdmFeature, options)});
    const TestPair pair = adm_pair(clip, frame);
    SegmentSums sums(*groups[0].feature);
    fill(*groups[0].feature, adm_view(pair), path, sums.add());
    return sums.scores(0, 1, kAdmOutputs)[0];
}

AdmSums adm_sums(const AdmClip &clip, Path path)
{
    const auto groups =
        kAdmFeature.create(format_of_adm(clip), Compat::k3_2, {values_of(kAdmFeature, "")});
    const TestPair pair = adm_pair(clip, 0);
    AdmSums sums;
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
        EXPECT_EQ(scores[kAdmAdm2], expected.adm2);
        EXPECT_EQ(scores[kAdmAim], expected.aim);
        EXPECT_EQ(scores[kAdmAdm3], expected.adm3);
        for (int scale = 0; scale < kAdmScales; ++scale)
            EXPECT_EQ(scores[static_cast<size_t>(kAdmScale0 + scale)], expected.scale[scale])
                << scale;
    }
}

TEST_P(AdmGolden, reg16_Sums)
{
    for (const AdmGoldenSums &expected : kAdmGoldenSums) {
        const AdmSums sums = adm_sums(adm_clip_named(expected.clip), GetParam());
        const AdmScaleSums &scale = sums.scale[expected.scale];
        for (int b = 0; b < kAdmOrientations; ++b) {
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
        const auto at = static_cast<size_t>(kAdmNumScale0 + 2 * expected.scale);
        EXPECT_EQ(scores[at], expected.num) << expected.clip << " " << expected.scale;
        EXPECT_EQ(scores[at + 1], expected.den) << expected.clip << " " << expected.scale;
        EXPECT_EQ(scores[kAdmScore], scores[kAdmAdm2]);
        EXPECT_EQ(scores[kAdmNum] / scores[kAdmDen], scores[kAdmAdm2]);
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, AdmGolden, testing::Values(kPlain, kFast), path_name);

int64_t total(const AdmPlane &plane)
{
    int64_t sum = 0;
    for (const int32_t sample : plane.samples)
        sum += sample;
    return sum;
}

/// Sums of the approximation and the details, and their corners.
void expect_bands(const AdmBands &bands, const int64_t (&sums)[4])
{
    EXPECT_EQ(total(bands.approximation), sums[0]);
    for (int b = 0; b < kAdmOrientations; ++b)
        EXPECT_EQ(total(bands.detail[b]), sums[b + 1]) << b;
}

void expect_corners(const AdmBands &bands, const AdmGoldenStages &expected)
{
    const int y = expected.height - 1;
    const int x = expected.width - 1;
    EXPECT_EQ(bands.approximation.at(0, 0), expected.first[0]);
    EXPECT_EQ(bands.approximation.at(y, x), expected.last[0]);
    for (int b = 0; b < kAdmOrientations; ++b) {
        EXPECT_EQ(bands.detail[b].at(0, 0), expected.first[b + 1]) << b;
        EXPECT_EQ(bands.detail[b].at(y, x), expected.last[b + 1]) << b;
    }
}

TEST(AdmGoldenStage, EveryPlaneOfA7)
{
    const AdmClip &clip = adm_clip_named("A7");
    const Format format = format_of_adm(clip);
    const AdmConfig config = adm_config(format, adm_csf({}));
    const TestPair pair = adm_pair(clip, 0);
    AdmPlane ref_input = adm_ref_load(pair.reference.plane(), format);
    AdmPlane dis_input = adm_ref_load(pair.distorted.plane(), format);
    for (int scale = 0; scale < kAdmScales; ++scale) {
        SCOPED_TRACE("scale " + std::to_string(scale));
        const AdmGoldenStages &expected = kAdmGoldenStages[scale];
        const auto [ref, dis] = adm_ref_wavelet(ref_input, dis_input, scale, format.depth);
        ref_input = ref.approximation;
        dis_input = dis.approximation;
        ASSERT_EQ(ref.approximation.width, expected.width);
        ASSERT_EQ(ref.approximation.height, expected.height);
        expect_bands(ref, expected.reference);
        expect_bands(dis, expected.distorted);
        expect_corners(ref, expected);
        const AdmSplit split = adm_ref_split(ref, dis, scale, 100.0);
        const AdmScale &layout = config.scale[scale];
        const AdmWeightedPlanes additive = adm_ref_weight(split.additive, layout, scale);
        const AdmWeightedPlanes restored = adm_ref_weight(split.restored, layout, scale);
        for (int b = 0; b < kAdmOrientations; ++b) {
            EXPECT_EQ(total(split.restored[b]), expected.restored[b]) << b;
            EXPECT_EQ(total(split.additive[b]), expected.additive[b]) << b;
            EXPECT_EQ(total(additive.y[b]), expected.additive_y[b]) << b;
            EXPECT_EQ(total(additive.f[b]), expected.additive_f[b]) << b;
            EXPECT_EQ(total(restored.y[b]), expected.restored_y[b]) << b;
            EXPECT_EQ(total(restored.f[b]), expected.restored_f[b]) << b;
        }
    }
}

TEST(AdmGoldenCsfTest, Factors)
{
    const AdmCsf csf = adm_csf({});
    for (int scale = 0; scale < kAdmScales; ++scale)
        for (int d = 0; d < 2; ++d)
            EXPECT_EQ(csf.factor[scale][d], kAdmGoldenFactors[scale][d]) << scale << " " << d;
}

} // namespace
} // namespace vmafgpu
