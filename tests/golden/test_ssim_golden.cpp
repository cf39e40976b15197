// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ssim and float_ms_ssim: what is refused, how series are called, and the devices' serial
// sums against serial sums. Scores: golden.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "features/ssim/ssim.h"
#include "features/ssim/ssim_sum.h"
#include "sums_window.h"

namespace vmafgpu::ssim_golden_test {
namespace {

TEST(SsimGolden, ScalesFollowFromTheSize)
{
    const int known[][2] = {{383, 1},  {384, 2},  {640, 3},   {720, 3}, {1080, 4},
                            {1440, 6}, {2160, 8}, {4320, 17}, {5, 1}};
    for (const auto &row : known)
        EXPECT_EQ(ssim::config_of({8192, row[0], 8, Chroma::k400}, 0).factor, row[1]) << row[0];
    // An odd size has one sample more.
    EXPECT_EQ(ssim::config_of({641, 385, 8, Chroma::k400}, 10).scale_width[0], 65);
    EXPECT_EQ(ssim::config_of({640, 384, 8, Chroma::k400}, 10).scale_width[0], 64);
}

TEST(SsimGolden, VariantsShareSums)
{
    const Format format = {64, 48, 8, Chroma::k400};
    std::vector<FeatureOptions> variants;
    for (const char *text : {"", "enable_db=true", "scale=2", "enable_lcs=true:scale=1"})
        variants.push_back(values_of(ssim::kFeature, text));
    const auto groups = ssim::kFeature.create(format, Compat::k3_2, variants);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 1, 3})); // automatic: 1
    EXPECT_EQ(groups[1].variants, (std::vector<int>{2}));
}

TEST(SsimGolden, Refusals)
{
    for (const FeatureInfo *info : {&ssim::kFeature, &ssim::kMsFeature}) {
        for (const int depth : {9, 11, 13, 14, 15})
            EXPECT_EQ(refusal(*info, {200, 200, depth, Chroma::k400}),
                      "feature " + std::string(info->name) +
                          " accepts 8, 10, 12 or 16 bits per sample, not " + std::to_string(depth));
        for (const int depth : {8, 10, 12, 16})
            EXPECT_EQ(refusal(*info, {200, 200, depth, Chroma::k400}), "");
    }
    for (const Format &small : {Format{175, 176, 8, Chroma::k400}, {176, 175, 8, Chroma::k400}})
        expect_part(refusal(ssim::kMsFeature, small), "the minimum 176x176");
    EXPECT_EQ(refusal(ssim::kMsFeature, {176, 176, 8, Chroma::k400}), "");
    FeatureOptions values = ssim::kFeature.defaults;
    EXPECT_THROW(set_option(ssim::kFeature, values, "scale", "11"), Error);
    values = ssim::kMsFeature.defaults;
    EXPECT_THROW(set_option(ssim::kMsFeature, values, "scale", "1"), Error);
}

std::vector<std::string> names(const FeatureInfo &info, const std::string &options)
{
    std::vector<std::string> result;
    const FeatureOptions values = values_of(info, options);
    for (const OutputInfo &output : info.outputs(Compat::k3_2, values))
        result.push_back(report_name(info, output, values));
    return result;
}

/// No option shows in a name.
TEST(SsimGolden, Names)
{
    EXPECT_EQ(names(ssim::kFeature, "enable_db=true:clip_db=true:scale=3"),
              std::vector<std::string>{"float_ssim"});
    EXPECT_EQ(
        names(ssim::kFeature, "enable_lcs=true"),
        (std::vector<std::string>{"float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"}));
    EXPECT_EQ(names(ssim::kMsFeature, ""), std::vector<std::string>{"float_ms_ssim"});
    const std::vector<std::string> all = names(ssim::kMsFeature, "enable_lcs=true");
    ASSERT_EQ(all.size(), 16U);
    size_t next = 1;
    for (const char kind : {'l', 'c', 's'})
        for (int scale = 0; scale < ssim::kMaxScales; ++scale)
            EXPECT_EQ(all[next++],
                      std::string("float_ms_ssim_") + kind + "_scale" + std::to_string(scale));
}

/// Terms of a plane, summed both ways.
struct SumCase {
    const char *name;
    int pixels_x, pixels_y;
    bool is_structure;
    double (*term)(std::mt19937_64 &, int);
};

double uniform(std::mt19937_64 &engine)
{
    return static_cast<double>(engine() >> 11) * 0x1p-53;
}

constexpr int kSumWidth = 1910;

/// The constants make all additions of a place round to the same side. The ties lie half-way where
/// the sum is between 2^19 and 2^20. In the excursion, groups of rows swing far beyond their ends.
const SumCase kSumCases[] = {
    {"luminance", kSumWidth, 1070, false,
     [](auto &e, int) {
         return 1 - 1e-4 * uniform(e) * uniform(e);
     }},
    {"contrast", 630, 350, false,
     [](auto &e, int) {
         return 0.3 + 0.7 * uniform(e);
     }},
    {"one", 555, 333, false,
     [](auto &, int) {
         return 1.0;
     }},
    {"constant", kSumWidth, 1070, false,
     [](auto &, int) {
         return 0.912345678912345;
     }},
    {"another constant", kSumWidth, 1070, false,
     [](auto &, int) {
         return 0.765432187654321;
     }},
    {"ties", kSumWidth, 700, false,
     [](auto &, int) {
         return 0.75 + 0x1p-34;
     }},
    {"excursion", kSumWidth, 600, false,
     [](auto &, int i) {
         const int row = i / kSumWidth;
         const bool is_back = row >= 300 && row % ssim::kGroupRows >= ssim::kGroupRows / 2;
         return is_back ? -0.912342345678912 : 0.912345678912345;
     }},
    {"structure", kSumWidth, 1070, true,
     [](auto &e, int) {
         return static_cast<double>(static_cast<float>(uniform(e)));
     }},
    {"noise", 901, 700, true,
     [](auto &e, int) {
         return static_cast<double>(static_cast<float>(2 * uniform(e) - 1));
     }},
    {"few", 3, 2, true,
     [](auto &e, int) {
         return static_cast<double>(static_cast<float>(0.5 + 0.5 * uniform(e)));
     }},
    {"one row", 2000, 1, false,
     [](auto &e, int) {
         return 0.9 + 0.1 * uniform(e);
     }},
    {"product, mostly negative", 470, 260, false,
     [](auto &e, int) {
         return 0.3 - uniform(e);
     }},
};

struct SumResult {
    ssim::Prefix prefix;
    double serial = 0;
};

/// Like the kernels, but with the terms of a group in the opposite order.
SumResult sum_both_ways(const SumCase &one, uint64_t seed)
{
    std::mt19937_64 engine(seed);
    SumResult result;
    const ssim::TermKind kind = ssim::kind_of(one.is_structure);
    for (int row = 0; row < one.pixels_y; row += ssim::kGroupRows) {
        const int end = std::min(row + ssim::kGroupRows, one.pixels_y);
        const ssim::TermGrid grid(one.pixels_x, end);
        std::vector<double> terms(static_cast<size_t>((end - row) * one.pixels_x));
        int index = row * one.pixels_x;
        for (double &term : terms)
            result.serial += term = one.term(engine, index++);
        ssim::TermGroup group = {};
        for (size_t i = terms.size(); i-- > 0;) {
            ssim::TermTally tally;
            EXPECT_TRUE(ssim::add_term(terms[i], kind, grid, tally));
            constexpr uint32_t kCount = (1U << ssim::kCountBits) - 1;
            group.sum += tally.sum;
            for (int k = 0; k < ssim::kPlaces; ++k) {
                group.remainders[k] += tally.remainders[k];
                group.ties[k] += tally.counts >> (k * ssim::kCountBits) & kCount;
            }
            group.unusual += tally.counts >> (ssim::kPlaces * ssim::kCountBits);
        }
        ssim::append_group(group, kind, grid, static_cast<int64_t>(terms.size()), result.prefix);
    }
    return result;
}

TEST(SsimSum, BoundHoldsAndIsNarrow)
{
    for (const SumCase &one : kSumCases) {
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            SCOPED_TRACE(std::string(one.name) + " seed " + std::to_string(seed));
            const SumResult result = sum_both_ways(one, seed);
            const double off = std::fabs(result.prefix.value - result.serial);
            EXPECT_LE(off, result.prefix.error);
            // Rounding the mean to a float hides so small an error.
            const double count = static_cast<double>(one.pixels_x) * one.pixels_y;
            EXPECT_LT(result.prefix.error / count, 0x1p-32);
            float mean = 0;
            if (ssim::mean_of(result.prefix, count, mean)) {
                EXPECT_EQ(mean, static_cast<float>(result.serial / count));
            } else {
                ADD_FAILURE() << "undecided";
            }
        }
    }
}

TEST(SsimSum, WhatIsTooLargeIsSeen)
{
    const ssim::TermGrid grid(100, 16);
    ssim::TermTally tally;
    EXPECT_TRUE(ssim::add_term(3.99, ssim::kind_of(false), grid, tally));
    EXPECT_TRUE(ssim::add_term(-3.99, ssim::kind_of(false), grid, tally));
    EXPECT_FALSE(ssim::add_term(8.0, ssim::kind_of(false), grid, tally));
    EXPECT_FALSE(ssim::add_term(-8.0, ssim::kind_of(false), grid, tally));
}

/// A mean between two floats stays open.
TEST(SsimSum, UndecidedIsSaid)
{
    ssim::Prefix prefix;
    prefix.value = 1000 * (1 + 0x1p-24); // half-way
    float mean = 0;
    EXPECT_TRUE(ssim::mean_of(prefix, 1000, mean));
    prefix.error = 1e-12;
    EXPECT_FALSE(ssim::mean_of(prefix, 1000, mean));
    prefix.value = 1 + 0x1p-25; // the bound ends half-way, and was rounded itself
    prefix.error = 0x1p-25;
    EXPECT_FALSE(ssim::mean_of(prefix, 1, mean));
    const Format format = {64, 48, 8, Chroma::k400};
    const auto groups = ssim::kFeature.create(format, Compat::k3_2, {ssim::kFeature.defaults});
    ssim::ScaleSums sums = {};
    EXPECT_TRUE(groups[0].feature->device()->is_complete(&sums));
    sums.open = 1;
    EXPECT_FALSE(groups[0].feature->device()->is_complete(&sums));
}

} // namespace
} // namespace vmafgpu::ssim_golden_test
