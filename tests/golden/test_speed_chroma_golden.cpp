// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma: variants that share sums, what is refused, names, and its logarithm. Scores:
// golden.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "features/speed_chroma/speed_chroma.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "simd/cpu_level.h"
#include "speed_chroma_clips.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu::speed_chroma_golden_test {
namespace {

FeatureOptions values_of(const std::string &options)
{
    return values_of(speed_chroma::kFeature, options);
}

const SpeedChromaClip &find_clip(std::string_view name)
{
    for (const SpeedChromaClip &clip : kSpeedChromaClips)
        if (name == clip.name)
            return clip;
    throw Error(EINVAL, std::string(name));
}

/// Variants that differ only in what scores make of the Sums share one Feature object.
TEST(SpeedChromaGolden, VariantsShareSums)
{
    const SpeedChromaClip &clip = find_clip("S2");
    const char *const options[] = {"", "speed_weight_var_mode=1", "speed_max_val=1.5",
                                   "speed_prescale=0.73"};
    std::vector<FeatureOptions> variants;
    for (const char *text : options)
        variants.push_back(values_of(text));
    const auto groups =
        speed_chroma::kFeature.create(speed_chroma_format(clip), Compat::k3_2, variants);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(groups[1].variants, (std::vector<int>{3}));
    SegmentSums sums(*groups[0].feature);
    const YuvPair pair = speed_chroma_pair(clip, 0);
    groups[0].feature->reference(pair.view(), sums.add());
    EXPECT_EQ(sums.scores(0, 3, 3)[0][0], 2.0177726745605469);
    EXPECT_EQ(sums.scores(1, 3, 3)[0][0], 0.33461475372314453);
    EXPECT_EQ(sums.scores(2, 3, 3)[0][0], 1.5);
}

std::string refusal(const Format &format, const std::string &options)
{
    return refusal(speed_chroma::kFeature, format, options);
}

TEST(SpeedChromaGolden, Refusals)
{
    const auto refuses = [](const Format &format, const char *options, const char *why) {
        expect_part(refusal(format, options), why);
    };
    const Format good = {160, 160, 10, Chroma::k420};
    EXPECT_EQ(refusal(good, ""), "");
    EXPECT_EQ(refusal({161, 161, 10, Chroma::k420}, ""), ""); // 80 columns count
    refuses({159, 160, 10, Chroma::k420}, "", "79x80 (after speed_prescale 79x80)");
    refuses({160, 159, 10, Chroma::k420}, "", "smaller than the minimum 80x80");
    EXPECT_EQ(refusal({160, 80, 10, Chroma::k422}, ""), "");
    EXPECT_EQ(refusal({80, 80, 10, Chroma::k444}, ""), "");
    const char *half = "speed_prescale=0.5:speed_prescale_method=bilinear";
    EXPECT_EQ(refusal({318, 318, 10, Chroma::k420}, half), "");
    refuses({316, 318, 10, Chroma::k420}, half, "158x159 (after speed_prescale 79x80)");
    const char *six = "speed_prescale=0.6";
    EXPECT_EQ(refusal({266, 266, 10, Chroma::k420}, six), "");
    refuses({264, 266, 10, Chroma::k420}, six, "79x80");
    refuses({160, 160, 10, Chroma::k400}, "", "speed_chroma needs chroma");
    for (const int depth : {9, 11, 13, 14, 15})
        refuses({160, 160, depth, Chroma::k420}, "", "allowed: 8, 10, 12, 16");
    refuses(good, "speed_kernelscale=0.9", "speed_kernelscale");
    EXPECT_EQ(refusal(good, "speed_kernelscale=0.6665"), "");
}

TEST(SpeedChromaGolden, Names)
{
    const FeatureInfo &info = speed_chroma::kFeature;
    const OutputInfo uv = info.outputs(Compat::k3_2, {}).at(2);
    const char *const names[] = {"speed_chroma_u", "speed_chroma_v", "speed_chroma_uv"};
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(report_name(info, info.outputs(Compat::k3_2, {}).at(i), info.defaults), names[i]);
    EXPECT_EQ(report_name(info, uv,
                          values_of("speed_weight_var_mode=5:speed_prescale=0.5:"
                                    "speed_prescale_method=bilinear:speed_sigma_nn=0.19:"
                                    "speed_nn_floor=0.1:speed_max_val=45:speed_kernelscale=1")),
              "speed_chroma_uv_mxv_45_nnf_0.1_ps_0.5_psm_bilinear_snn_0.19_wvm_5");
    EXPECT_EQ(report_name(info, uv, values_of("speed_kernelscale=1.6666666")),
              "speed_chroma_uv_ks_1.66667");
    FeatureOptions values = info.defaults;
    EXPECT_THROW(set_option(info, values, "speed_prescale_method", "box"), Error);
}

/// The devices' logarithm stays within its bound of the C library's, whatever the bits.
TEST(SpeedChromaGolden, LogarithmWithinBound)
{
    uint32_t bits = 0x0e000000; // above 2^-100
    for (int i = 0; i < 2000000; ++i) {
        bits += 838; // up to below 2^100
        float v = 0;
        std::memcpy(&v, &bits, sizeof(v));
        if (!(v < 0x1p100F))
            break;
        ASSERT_LT(std::fabs(speed_chroma::bounded_log2(v) - std::log2(static_cast<double>(v))),
                  speed_chroma::kLog2Bound / 2)
            << v;
    }
    EXPECT_EQ(speed_chroma::bounded_log2(8), 3);
}

/// Blocks that the bound leaves open are counted, and finish() computes them as compute() does.
TEST(SpeedChromaGolden, FinishRecomputes)
{
    const SpeedChromaClip &clip = find_clip("S1");
    const YuvPair pair = speed_chroma_pair(clip, 0);
    const auto groups =
        speed_chroma::kFeature.create(speed_chroma_format(clip), Compat::k3_2, {values_of("")});
    const Feature &feature = *groups[0].feature;
    std::vector<unsigned char> expected = computed(feature, pair.view(), 0);
    std::vector<unsigned char> sums = expected;
    EXPECT_EQ(feature.device()->finish(sums.data()), 0);
    EXPECT_EQ(sums, expected);
    const speed_chroma::SumsView view(*reinterpret_cast<speed_chroma::Sums *>(sums.data()), 4);
    view.planes[1].open = 3;
    view.e[1 * 4 + 2] = 7;
    EXPECT_EQ(feature.device()->finish(sums.data()), 3);
    EXPECT_EQ(sums, expected);

    uint32_t open = 0;
    EXPECT_EQ(speed_chroma::add_entropy(100, 0, open), 100); // the C library's -inf
    EXPECT_EQ(open, 1U);
    speed_chroma::add_entropy(100, 1, open);
    EXPECT_EQ(open, 1U);
}

} // namespace
} // namespace vmafgpu::speed_chroma_golden_test
