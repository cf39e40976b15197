// SPDX-License-Identifier: BSD-2-Clause-Patent
// Features without options, libvmaf's older metrics among them: what is refused, the chroma that
// ciede reads, colours that its fast code computes again, what a device leaves to the host, names.
// Scores: golden.cpp.
#include <gtest/gtest.h>

#include "features/ciede/ciede.h"
#include "features/float_sums/float_sums.h"
#include "features/registry.h"
#include "sums_window.h"
#include "yuv_pair.h"

namespace vmafgpu::classic_golden_test {
namespace {

std::string refusal(const std::string &feature, const Format &format)
{
    return refusal(*find_feature(feature), format);
}

TEST(ClassicFeatures, Refusals)
{
    for (const char *feature : {"float_ansnr", "float_moment", "float_psnr"}) {
        for (const int depth : {8, 10, 12, 16})
            EXPECT_EQ(refusal(feature, {64, 64, depth, Chroma::k400}), "");
        for (const int depth : {9, 11, 13, 14, 15})
            EXPECT_EQ(refusal(feature, {64, 64, depth, Chroma::k420}),
                      std::string("feature ") + feature +
                          " accepts 8, 10, 12 or 16 bits per sample, not " + std::to_string(depth));
    }
}

TEST(ClassicFeatures, RefusalsOfChroma)
{
    const auto refuses = [](const char *feature, const Format &format, const char *why) {
        expect_part(refusal(feature, format), why);
    };
    for (const char *feature : {"ciede", "psnr_hvs"}) {
        for (const Chroma layout : {Chroma::k420, Chroma::k422, Chroma::k444})
            for (const int depth : {8, 10, 12})
                EXPECT_EQ(refusal(feature, {63, 64, depth, layout}), "");
        refuses(feature, {64, 64, 8, Chroma::k400}, " needs chroma");
    }
    EXPECT_EQ(refusal("psnr_hvs", {63, 65, 9, Chroma::k420}), "");
    EXPECT_EQ(refusal("psnr_hvs", {63, 65, 11, Chroma::k420}), "");
    refuses("psnr_hvs", {64, 64, 16, Chroma::k420},
            "accepts 8, 9, 10, 11 or 12 bits per sample, not 16");
    EXPECT_EQ(refusal("ciede", {64, 64, 16, Chroma::k422}), "");
    refuses("ciede", {64, 64, 9, Chroma::k420}, "accepts 8, 10, 12 or 16 bits per sample, not 9");
}

/// Where libvmaf's result depends on memory behind its pictures.
TEST(ClassicFeatures, CiedeRefusesUndefinedSizes)
{
    const char *odd =
        "the height of 64x63 is odd, for which libvmaf's result is undefined in 4:2:0";
    expect_part(refusal("ciede", {64, 63, 8, Chroma::k420}), odd);
    EXPECT_EQ(refusal("ciede", {64, 63, 8, Chroma::k422}), "");
    EXPECT_EQ(refusal("ciede", {64, 63, 8, Chroma::k444}), "");
    const char *wide = "the width of 129x64 is a multiple of 64 plus 1";
    expect_part(refusal("ciede", {129, 64, 8, Chroma::k420}), wide);
    EXPECT_NE(refusal("ciede", {65, 64, 8, Chroma::k420}), "");
    EXPECT_EQ(refusal("ciede", {127, 64, 8, Chroma::k420}), "");
    EXPECT_EQ(refusal("ciede", {129, 64, 8, Chroma::k422}), "");
}

/// The fetch of chroma that libvmaf has, element by element of its memory.
TEST(ClassicFeatures, CiedeChroma)
{
    const ciede::ChromaMemory chroma = ciede::chroma_of({70, 8, 8, Chroma::k422});
    EXPECT_EQ(chroma.width, 35);
    EXPECT_EQ(chroma.height, 8);
    EXPECT_EQ(chroma.pitch, 64);
    std::vector<unsigned char> samples(size_t{35} * 8);
    for (size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<unsigned char>(i % 251 + 1);
    const Plane plane = {samples.data(), 35};
    const auto at = [&](int x, int y) {
        return ciede::chroma_sample<uint8_t>(chroma, plane, ciede::chroma_index(chroma, x, y));
    };
    EXPECT_EQ(at(34, 3), samples[35 + 34]); // half of the rows, all columns
    EXPECT_EQ(at(35, 3), 0);                // padding
    EXPECT_EQ(at(64, 3), samples[2 * 35]);  // the next row
    EXPECT_EQ(at(69, 7), samples[4 * 35 + 5]);
    const ciede::ChromaMemory half = ciede::chroma_of({70, 8, 8, Chroma::k420});
    EXPECT_EQ(half.height, 4);
    EXPECT_EQ(ciede::chroma_index(half, 69, 7), 3 * 64 + 34);
}

/// The quick functions of the fast code round a value of these two colours to the wrong float. It
/// has to notice that, and to compute them again. Of 500 million random pairs of colours, three are
/// like that.
TEST(ClassicFeatures, CiedeComputesColoursInDoubtAgain)
{
    constexpr int kSide = 32, kColours[2][3] = {{7546, 20365, 8740}, {24302, 59213, 33244}};
    YuvPair pair({kSide, kSide, 16, Chroma::k444});
    for (const bool is_distorted : {false, true})
        for (int plane = 0; plane < 3; ++plane)
            for (int i = 0; i < kSide * kSide; ++i)
                pair.set(is_distorted, plane, i % kSide, i / kSide,
                         kColours[is_distorted ? 1 : 0][plane]);
    const auto groups =
        ciede::kFeature.create(pair.format, Compat::k3_2, {values_of(ciede::kFeature, "")});
    const Feature &feature = *groups[0].feature;
    SegmentSums sums(feature);
    expect_all_levels(feature, pair.view(), sums.add_reference(pair.view()));
}

/// The host adds up in order what a device cannot: the squares of either picture.
TEST(ClassicFeatures, MomentsAreCompleteIfBothPicturesAre)
{
    using float_sums::kExactSum;
    const Format format = {64, 48, 16, Chroma::k400};
    for (const int picture : {0, 1})
        for (const uint64_t sum : {kExactSum, kExactSum + 1}) {
            float_sums::MomentSums sums[2] = {};
            sums[0].second[picture].exact = sum;
            EXPECT_EQ(float_sums::MomentForms::is_complete(format, sums[0]), sum == kExactSum);
            sums[0].second[picture].in_order = 1;
            EXPECT_TRUE(float_sums::MomentForms::is_complete(format, sums[0]));
        }
}

/// Logs name the series as libvmaf does.
TEST(ClassicFeatures, Names)
{
    std::vector<std::string> names;
    for (const char *feature : {"float_moment", "float_psnr", "psnr_hvs", "ciede", "float_ansnr"}) {
        const FeatureInfo &info = *find_feature(feature);
        for (const OutputInfo &output : info.outputs(Compat::k3_2, {}))
            names.push_back(report_name(info, output, info.defaults));
    }
    EXPECT_EQ(names, (std::vector<std::string>{
                         "float_moment_ref1st", "float_moment_dis1st", "float_moment_ref2nd",
                         "float_moment_dis2nd", "float_psnr", "psnr_hvs_y", "psnr_hvs_cb",
                         "psnr_hvs_cr", "psnr_hvs", "ciede2000", "float_ansnr", "float_anpsnr"}));
}

} // namespace
} // namespace vmafgpu::classic_golden_test
