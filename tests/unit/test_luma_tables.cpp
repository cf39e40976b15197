// SPDX-License-Identifier: BSD-2-Clause-Patent
// The tables of vif, motion and adm against a second source: the formula that the table
// comes from, where there is one, else the published numbers, typed again.
#include <cmath>
#include <cstdint>

#include "features/adm/adm.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_tables.h"
#include "features/motion/motion_tables.h"
#include "features/vif/vif.h"
#include "features/vif/vif_tables.h"
#include "tables.h"

namespace vmafgpu {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A Gaussian of `length` taps with sigma = length / 5 in units of 2^-16. Values are cut
/// down; what then lacks to 65536 goes to the largest remainders, one to each tap. A tap
/// and its mirror image get the same, so the centre takes a single one that is left.
std::vector<int> gaussian_taps(int length)
{
    const int half = length / 2;
    const double sigma = length / 5.0;
    double total = 0;
    std::vector<double> exact;
    for (int i = -half; i <= half; ++i) {
        exact.push_back(std::exp(-i * i / (2 * sigma * sigma)));
        total += exact.back();
    }
    std::vector<int> taps;
    int lacking = 65536;
    for (double &value : exact) {
        value *= 65536 / total;
        taps.push_back(static_cast<int>(value));
        value -= taps.back();
        lacking -= taps.back();
    }
    while (lacking > 0) {
        int best = -1; // best tap of the lower half or the centre
        for (int i = 0; i <= half; ++i)
            if ((i == half ? 1 : 2) <= lacking && (best < 0 || exact[i] > exact[best]))
                best = i;
        for (const int i : {best, length - 1 - best}) {
            if (exact[i] < 0) // the centre has its unit
                continue;
            ++taps[i];
            exact[i] = -1;
            --lacking;
        }
    }
    return taps;
}

TEST(VifTables, TapsAreGaussians)
{
    constexpr int kLengths[vif::kScales] = {17, 9, 5, 3};
    for (int scale = 0; scale < vif::kScales; ++scale) {
        const int length = kLengths[scale];
        EXPECT_EQ(vif::kHalfWidth[scale], length / 2) << scale;
        const std::vector<int> taps = gaussian_taps(length);
        for (int i = 0; i < vif::kMaxTaps; ++i)
            EXPECT_EQ(vif::kFilter[scale][i], i < length ? taps[i] : 0) << scale << " " << i;
    }
}

TEST(MotionTables, TapsAreAGaussian)
{
    expect_table("kMotionFilter", motion::kFilter, gaussian_taps(5));
}

/// floor(2048 log2 i + 513/1024): nearest, with the reference's detour over binary32.
int logarithm(int i)
{
    return static_cast<int>(std::floor(2048 * std::log2(static_cast<double>(i)) + 513.0 / 1024));
}

TEST(VifTables, Logarithms)
{
    const uint16_t *table = vif::log2_table();
    std::vector<int> runs(vif::kLog2Runs, 0);
    for (int i = 32768; i < 65536; ++i) {
        ASSERT_EQ(table[i - 32768], logarithm(i)) << i;
        ++runs[logarithm(i) - 30720];
    }
    EXPECT_EQ(vif::kLog2First, 30720);
    for (int run = 0; run < vif::kLog2Runs; ++run)
        EXPECT_EQ(vif::kLog2RunLength[run], runs[run]) << run;
    EXPECT_EQ(vif::kLog2Noise, 2048 * 17);
    EXPECT_EQ(vif::kNoise, 2 * 65536);
}

TEST(AdmTables, WaveletTapsAreDaubechies)
{
    const double root = std::sqrt(3.0);
    const double exact[4] = {1 + root, 3 + root, 3 - root, 1 - root};
    std::vector<int32_t> low;
    for (const double value : exact)
        low.push_back(static_cast<int32_t>(std::lround(32768 * value / (4 * std::sqrt(2.0)))));
    expect_table("kAdmLowTaps", adm::kLowTaps, low);
    // The pair's other filter is the first one reversed, with every second sign changed.
    expect_table("kAdmHighTaps", adm::kHighTaps, {low[3], -low[2], low[1], -low[0]});
}

TEST(AdmTables, Shifts)
{
    expect_table("kAdmVerticalShift", adm::kVerticalShift, {-1, 0, 16, 16});
    expect_table("kAdmHorizontalShift", adm::kHorizontalShift, {16, 15, 16, 15});
    expect_table("kAdmEnergySquareShift", adm::kEnergySquareShift, {0, 31, 30, 31});
    expect_rows("kAdmNumExponent", adm::kNumExponent,
                {52, 52, 57, 45, 45, 45, 39, 39, 39, 36, 36, 36});
    expect_table("kAdmDenExponent", adm::kDenExponent, {18, 32, 27, 23});
    const int thresholds[3] = {10, 10, 12};
    const int squares[3] = {29, 29, 30};
    for (int scale = 0; scale < 4; ++scale) {
        for (int b = 0; b < 3; ++b) {
            EXPECT_EQ(adm::threshold_shift_of(scale, b), scale == 0 ? thresholds[b] : 0);
            EXPECT_EQ(adm::square_shift_of(scale, b), scale == 0 ? squares[b] : 30);
        }
    }
}

TEST(AdmTables, Fractions)
{
    EXPECT_EQ(adm::kThirtieth16, std::lround(0x1p17 / 30));
    EXPECT_EQ(adm::kFifteenth16, std::lround(0x1p17 / 15));
    EXPECT_EQ(adm::kThirtieth32, std::llround(0x1p32 / 30));
    EXPECT_EQ(adm::kFifteenth32, std::llround(0x1p32 / 15));
    const double cosine = std::cos(kPi / 180);
    EXPECT_EQ(adm::kCosOneDegree, static_cast<float>(cosine * cosine));
}

/// libvmaf's table of divisions, which both forms of the engine compute.
TEST(AdmTables, Reciprocals)
{
    EXPECT_EQ(adm::reciprocal_of(0), 0);
    for (int n = 1; n <= 32768; ++n) {
        const auto quotient = static_cast<int32_t>(std::floor(0x1p30 / n));
        ASSERT_EQ(adm::reciprocal_of(n), quotient) << n;
        ASSERT_EQ(adm::reciprocal_of(-n), -quotient) << n;
        ASSERT_EQ(adm::reciprocal_fast(n), static_cast<uint32_t>(quotient)) << n;
    }
}

TEST(AdmTables, WatsonDivisors)
{
    expect_rows("kAdmWatsonDivisors", adm::kWatsonDivisors,
                {.67234F, .72709F, .41317F, .49428F, .22727F, .28688F, .11792F, .15214F});
}

struct Multipliers {
    double view_distance;
    int display_height;
    uint32_t values[4][2]; ///< multipliers of h/v and of d
};

/// Published multipliers of three viewing conditions: what the divisors lead to.
TEST(AdmTables, WatsonMultipliers)
{
    const Multipliers published[] = {
        {3,
         1080,
         {{36453, 49417}, {137373792, 61414028}, {186284160, 104783920}, {196165808, 134487184}}},
        {5,
         1080,
         {{14342, 17077}, {62382256, 24495736}, {97628224, 48234700}, {118649120, 71447608}}},
        {3,
         2160,
         {{10021, 11393}, {45876252, 17199296}, {75564400, 35644684}, {96654312, 55569672}}}};
    for (const Multipliers &one : published) {
        adm::CsfOptions options;
        options.view_distance = one.view_distance;
        options.display_height = one.display_height;
        const adm::Csf csf = adm::csf_of(options);
        for (int scale = 0; scale < 4; ++scale)
            for (int d = 0; d < 2; ++d)
                EXPECT_EQ(csf.multiplier[scale][d], one.values[scale][d]) << scale << " " << d;
    }
}

/// Terms with b = 37 and 360 are below a float's last digit at every distance that is
/// allowed, so no score shows them.
TEST(AdmTables, Barten)
{
    expect_rows("kAdmBartenParameters", adm::kBartenParameters,
                {.334278F, .394533F, 3.79542F, 2.7755F, 1.07327F, 1.16577F, 6.4635F, 7.45665F});
    expect_rows("kAdmBartenTerms", adm::kBartenTerms,
                {.424838596301290F, .028F, .572435103936480F, .37F, .000167576239164937F, 37.F,
                 .00255872352306433F, 360.F});
}

/// Mode 1 in binary64 throughout: binary32 steps and a wrong constant differ by far.
double barten(double frequency)
{
    const auto parameter = [](double at_20, double at_150) {
        return at_20 + (at_150 - at_20) * std::log(100.0 / 20) / std::log(150.0 / 20);
    };
    const double alpha =
        1 + std::pow(parameter(.334278, .394533) * frequency, parameter(3.79542, 2.7755));
    const double beta =
        std::pow(1 - std::exp(-frequency * frequency / 49), -parameter(1.07327, 1.16577));
    const double masking = .42483859630129 * std::exp(-.028 * frequency) +
                           .57243510393648 * std::exp(-.37 * frequency);
    const double adaptation = 30.162 * std::pow(1 + std::pow(.040627, 1.6596), -.2712);
    return parameter(6.4635, 7.45665) / std::sqrt(alpha * beta) * masking * adaptation;
}

TEST(AdmTables, BartenFactors)
{
    for (const double distance : {3.0, 4.5, 10.0, 24.0}) {
        adm::CsfOptions options;
        options.mode = 1;
        options.view_distance = distance;
        options.scale = 0.01;
        options.diag_scale = 0.005;
        const adm::Csf csf = adm::csf_of(options);
        for (int scale = 0; scale < 4; ++scale) {
            const double expected =
                barten(distance * 1080 * kPi / 180 / static_cast<double>(2 << scale));
            EXPECT_NEAR(csf.factor[scale][0] / (0.01 * expected), 1, 1e-5) << distance;
            EXPECT_NEAR(csf.factor[scale][1] / (0.005 * expected), 1, 1e-5) << distance;
        }
    }
}

const adm::Blend &blend(int display_height, double view_distance)
{
    for (const adm::Blend &one : adm::kBlends)
        if (one.display_height == display_height && one.view_distance == view_distance)
            return one;
    throw std::out_of_range("no such row");
}

/// [mode - 2][h/v, d][scale], in one list.
void expect_blend(int display_height, double view_distance, const std::vector<float> &published)
{
    const adm::Blend &one = blend(display_height, view_distance);
    ASSERT_EQ(published.size(), 16u);
    for (size_t i = 0; i < 16; ++i)
        EXPECT_EQ(one.factors[i / 8][i / 4 % 2][i % 4], published[i])
            << display_height << " " << view_distance << " " << i;
}

TEST(AdmTables, Blends)
{
    EXPECT_EQ(std::size(adm::kBlends), 6u);
    for (const auto &[height, distance] : {std::pair<int, double>{1080, 3.0}, {2160, 1.5}})
        expect_blend(height, distance,
                     {.01183F, .025026F, .04295F, .058621F, .004302F, .011778F, .023918F, .035901F,
                      .011249F, .022606F, .03593F, .045673F, .004097F, .010921F, .02143F,
                      .031313F});
    expect_blend(1080, 5.0,
                 {.004212F, .014809F, .029642F, .047464F, .000984F, .005852F, .0146F, .027574F,
                  .004052F, .013939F, .026298F, .038833F, .000927F, .005544F, .013415F, .024515F});
    expect_blend(2160, 3.0,
                 {.00226F, .01183F, .025026F, .04295F, .000479F, .004302F, .011778F, .023918F,
                  .002166F, .011249F, .022606F, .03593F, .000447F, .004097F, .010921F, .02143F});
    expect_blend(2160, 5.0,
                 {.000092F, .004212F, .014809F, .029642F, .00005F, .000984F, .005852F, .0146F,
                  .000077F, .004052F, .013939F, .026298F, .000045F, .000927F, .005544F, .013415F});
    expect_blend(720, 5.0,
                 {.010144F, .022561F, .040309F, .05672F, .003463F, .010282F, .021839F, .034641F,
                  .009689F, .020577F, .034162F, .044523F, .003302F, .009579F, .019661F, .030318F});
}

/// Twice the lines at the same distance: what scale s + 1 sees is what scale s saw.
TEST(AdmTables, BlendsMoveByAScale)
{
    for (const double distance : {3.0, 5.0}) {
        const adm::Blend &near = blend(1080, distance);
        const adm::Blend &far = blend(2160, distance);
        for (int i = 0; i < 12; ++i)
            EXPECT_EQ(far.factors[i / 6][i / 3 % 2][i % 3 + 1],
                      near.factors[i / 6][i / 3 % 2][i % 3])
                << distance << " " << i;
    }
}

} // namespace
} // namespace vmafgpu
