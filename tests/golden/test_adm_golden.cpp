// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM's accumulators, equal to libvmaf's; the plain and the CPU code run. Scores: golden.cpp.
// What no score shows: tests/unit/test_adm_parts.cpp.
#include <gtest/gtest.h>

#include "adm_generators.h"
#include "features/adm/adm.h"
#include "golden_file.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu::adm_golden_test {
namespace {

Format format_of_adm(const AdmClip &clip)
{
    return adm_format(clip.width, clip.height, clip.depth);
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

TEST_P(AdmGolden, reg16_Sums)
{
    for (const nlohmann::json &expected : golden_file("adm")["sums"]) {
        const std::string name = expected["clip"].get<std::string>().substr(4); // after "adm/"
        const adm::Sums sums = adm_sums(adm_clip_named(name.c_str()), GetParam());
        const adm::ScaleSums &scale = sums.scale[expected["scale"].get<int>()];
        for (size_t b = 0; b < adm::kOrientations; ++b) {
            SCOPED_TRACE(expected.dump() + " orientation " + std::to_string(b));
            EXPECT_EQ(scale.num[0][b], expected["num"][b].get<int64_t>());
            EXPECT_EQ(scale.den[b], expected["den"][b].get<uint64_t>());
            EXPECT_EQ(scale.aim[0][b], expected["aim"][b].get<int64_t>());
            EXPECT_EQ(scale.num[1][b], 0);
            EXPECT_EQ(scale.aim[1][b], 0);
        }
    }
}

/// The outputs for debugging that repeat others.
TEST_P(AdmGolden, DebugOutputs)
{
    const AdmClip &clip = adm_clip_named("A1");
    const auto groups =
        adm::kFeature.create(format_of_adm(clip), Compat::k3_2, {values_of(adm::kFeature, "")});
    SegmentSums sums(*groups[0].feature);
    const TestPair pair = adm_pair(clip, 0);
    fill(*groups[0].feature, adm_view(pair), GetParam(), sums.add());
    const auto scores = sums.scores(0, 1, adm::kOutputs)[0];
    EXPECT_EQ(scores[adm::kScore], scores[adm::kAdm2]);
    EXPECT_EQ(scores[adm::kNum] / scores[adm::kDen], scores[adm::kAdm2]);
}

INSTANTIATE_TEST_SUITE_P(Paths, AdmGolden, testing::Values(kPlain, kFast), path_name);

} // namespace
} // namespace vmafgpu::adm_golden_test
