// SPDX-License-Identifier: BSD-2-Clause-Patent
// The tables of float_ssim and float_ms_ssim against a second source: the formula that a table
// comes from, where there is one, and the published numbers, typed again.
#include <cmath>

#include "features/ssim/ssim.h"
#include "tables.h"

namespace vmafgpu {
namespace {

double six_decimals(double v)
{
    return std::round(v * 1e6) / 1e6;
}

/// A Gaussian of 1.5 samples, normalised, to six decimals.
TEST(SsimTables, GaussianIsRounded)
{
    const auto bell = [](int distance) {
        return std::exp(-distance * distance / (2 * 1.5 * 1.5));
    };
    double sum = 0;
    for (int i = -5; i <= 5; ++i)
        sum += bell(i);
    std::vector<float> formula;
    for (int i = -5; i <= 5; ++i)
        formula.push_back(static_cast<float>(six_decimals(bell(i) / sum)));
    expect_table("kSsimGaussian", ssim::kGaussian, formula);
    expect_table("kSsimGaussian", ssim::kGaussian,
                 {0.001028F, 0.007599F, 0.036001F, 0.109361F, 0.213006F, 0.266012F, 0.213006F,
                  0.109361F, 0.036001F, 0.007599F, 0.001028F});
}

/// A filter of nine taps, published with six decimals, times itself. The kernel was made from more
/// digits: two products, each there twice, round to the other side.
TEST(SsimTables, HalfIsAnOuterProduct)
{
    const double low_pass[] = {0.602914, 0.266846, -0.078201, -0.016828, 0.026727};
    std::vector<float> formula;
    for (const double row : low_pass)
        for (const double column : low_pass)
            formula.push_back(static_cast<float>(six_decimals(row * column)));
    constexpr int kWidth = ssim::kHalfReach + 1;
    formula[2] = formula[2 * kWidth] = -0.047149F;
    formula[kWidth + 2] = formula[2 * kWidth + 1] = -0.020867F;
    expect_rows("kSsimHalf", ssim::kHalfWeights, formula);
    expect_rows("kSsimHalf", ssim::kHalfWeights,
                {0.363505F,  0.160885F,  -0.047149F, -0.010146F, 0.016114F,  0.160885F,  0.071207F,
                 -0.020867F, -0.004490F, 0.007132F,  -0.047149F, -0.020867F, 0.006115F,  0.001316F,
                 -0.002090F, -0.010146F, -0.004490F, 0.001316F,  0.000283F,  -0.000450F, 0.016114F,
                 0.007132F,  -0.002090F, -0.000450F, 0.000714F});
}

TEST(SsimTables, Constants)
{
    const float first = 0.01F * 255;
    const float second = 0.03F * 255;
    EXPECT_EQ(ssim::kC1, first * first);
    EXPECT_EQ(ssim::kC2, second * second);
    EXPECT_EQ(ssim::kC3, second * second / 2);
}

TEST(SsimTables, Exponents)
{
    expect_table("kSsimAlpha", ssim::kAlpha, {0, 0, 0, 0, 0.1333F});
    expect_table("kSsimBeta", ssim::kBeta, {0.0448F, 0.2856F, 0.3001F, 0.2363F, 0.1333F});
}

} // namespace
} // namespace vmafgpu
