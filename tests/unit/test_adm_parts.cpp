// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM's formulas one at a time, above all those that an obvious simplification
// would change, and how variants share an object. Whole pictures against
// libvmaf: tests/golden/test_adm_golden.cpp.
#include <gtest/gtest.h>

#include "base/error.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_ref.h"

namespace vmafgpu {
namespace {

TEST(AdmReciprocal, TruncatesTowardZero)
{
    EXPECT_EQ(adm_reciprocal(0), 0);
    EXPECT_EQ(adm_reciprocal(1), 1 << 30);
    EXPECT_EQ(adm_reciprocal(3), 357913941);
    EXPECT_EQ(adm_reciprocal(-3), -357913941);
    EXPECT_EQ(adm_reciprocal(32767), 32769);
    EXPECT_EQ(adm_reciprocal(32768), 32768);
    int differ_in_float = 0;
    for (int n = 1; n <= 32768; ++n) {
        const int64_t q = adm_reciprocal(n);
        EXPECT_TRUE(q * n <= (1 << 30) && (q + 1) * n > (1 << 30)) << n;
        EXPECT_EQ(adm_reciprocal(-n), -q) << n;
        const float quotient = 0x1p30F / static_cast<float>(n);
        differ_in_float += static_cast<int64_t>(quotient) != q ? 1 : 0;
    }
    // So binary32 division is no substitute.
    EXPECT_EQ(differ_in_float, 343);
}

bool same_angle(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    return adm_same_angle(oh * th + ov * tv, oh * oh + ov * ov, th * th + tv * tv);
}

TEST(AdmAngle, ZeroVectorsAgreeWithEverything)
{
    EXPECT_TRUE(same_angle(0, 0, 0, 0));
    EXPECT_TRUE(same_angle(0, 0, 5, -7));
    EXPECT_TRUE(same_angle(5, -7, 0, 0));
}

TEST(AdmAngle, DirectionCounts)
{
    EXPECT_TRUE(same_angle(100, 50, 200, 100));
    EXPECT_FALSE(same_angle(100, 50, -200, -100));
    EXPECT_FALSE(same_angle(100, 0, 0, 100));
    EXPECT_TRUE(same_angle(10000, 0, 10000, 174));
    EXPECT_FALSE(same_angle(10000, 0, 10000, 175));
}

/// Here the exact comparison of the unrounded integers gives the opposite.
TEST(AdmAngle, reg29_RoundsToBinary32First)
{
    EXPECT_FALSE(same_angle(511678, -139316, 545985, -138469));
    EXPECT_TRUE(same_angle(2752, -2955, 2983, -3093));
    EXPECT_TRUE(same_angle(-197574, 5404599, -111598, 5846100));
}

/// The left side is a little smaller, but the right side's last product rounds
/// down to it. In the third case it is too far away for that.
TEST(AdmAngle, reg29_RoundsTheLastProduct)
{
    EXPECT_TRUE(adm_same_angle(11593726, 8981395, 14970440));
    EXPECT_TRUE(adm_same_angle(13859697, 11645361, 16500109));
    EXPECT_FALSE(adm_same_angle(11475557, 11473953, 11480658));
}

TEST(AdmGain, Scale0)
{
    EXPECT_EQ(adm_gain_first(0, 123), 32768);
    EXPECT_EQ(adm_gain_first(3, 2), 21845);
    EXPECT_EQ(adm_gain_first(-3, -2), 21845);
    EXPECT_EQ(adm_gain_first(-3, 2), 0);
    EXPECT_EQ(adm_gain_first(3, 4), 32768);
    EXPECT_EQ(adm_gain_first(7, 7), 32768);
    EXPECT_EQ(adm_gain_first(22841, 0), 0);
    EXPECT_EQ(adm_gain_first(22841, 1), 1);
}

TEST(AdmGain, LaterScalesRoundLargeDivisors)
{
    EXPECT_EQ(adm_gain_next(0, -1), 32768);
    EXPECT_EQ(adm_gain_next(32767, 16384), adm_gain_first(32767, 16384));
    // 15 significant bits: 65535 is rounded to 32768 * 2, 32769 to 16385 * 2.
    EXPECT_EQ(adm_gain_next(65535, 32768), 16384);
    EXPECT_EQ(adm_gain_next(32769, 32768), (65532 * 32768LL + (1 << 15)) >> 16);
    EXPECT_EQ(adm_gain_next(-65535, -32768), 16384);
    // 30518 * 2^16, and its reciprocal 35183.9 is truncated.
    EXPECT_EQ(adm_gain_next(2000000000, 1000000000), 16383);
    EXPECT_EQ(adm_gain_next(2000000000, -1000000000), 0);
    EXPECT_EQ(adm_gain_next(1, 2000000000), 32768);
}

TEST(AdmRestore, RoundsHalfUp)
{
    EXPECT_EQ(adm_restore_first(16384, 1), 1);
    EXPECT_EQ(adm_restore_first(16384, -1), 0);
    EXPECT_EQ(adm_restore_first(16384, -3), -1);
    EXPECT_EQ(adm_restore_next(32768, 2000000001), 2000000001);
}

TEST(AdmEnhance, reg28_TruncatesAfterTheLimit)
{
    EXPECT_EQ(adm_enhance(7, 100, 9, 20, true, 1.2), 8);     // 8.4
    EXPECT_EQ(adm_enhance(-7, 100, -9, -20, true, 1.2), -8); // -8.4: toward zero
    EXPECT_EQ(adm_enhance(7, 100, 9, 8, true, 1.2), 8);
    EXPECT_EQ(adm_enhance(7, 100, 9, 8, true, 100.0), 8);
    EXPECT_EQ(adm_enhance(7, 100, 9, 20, false, 100.0), 7);
    EXPECT_EQ(adm_enhance(7, 0, 9, 20, true, 100.0), 7);
    EXPECT_EQ(adm_enhance(7, 100, 0, 20, true, 100.0), 7);
}

TEST(AdmWeight, reg18_DiagonalAddendIsOneShort)
{
    // The product is 65536: one half. The diagonal rounds it down.
    EXPECT_EQ(adm_weight_first(2, 32768, true).y, 0);
    EXPECT_EQ(adm_weight_first(3, 32768, true).y, 1);
    // Others round one half up.
    EXPECT_EQ(adm_weight_first(1, 16384, false).y, 1);
    EXPECT_EQ(adm_weight_first(-1, 16384, false).y, 0);
}

TEST(AdmWeight, reg17_CentreWrapsAt16Bits)
{
    EXPECT_EQ(adm_weight_first(15359, 32768, false).centre, 32765);
    EXPECT_EQ(adm_weight_first(15360, 32768, false).centre, 32768 - 65536);
    EXPECT_EQ(adm_weight_first(-15360, 32768, false).centre, 32768 - 65536);
    EXPECT_EQ(adm_weight_first(15360, 32768, false).f, 16384);
}

TEST(AdmWeight, LaterScalesSubtractOneHalf)
{
    const AdmWeighted zero = adm_weight_next(0, 1u << 28);
    EXPECT_EQ(zero.y, 0);
    EXPECT_EQ(zero.f, -1);
    EXPECT_EQ(zero.centre, -1);
    EXPECT_EQ(adm_weight_next(14, 1u << 28).f, -1); // 14 / 30 less one half
    EXPECT_EQ(adm_weight_next(15, 1u << 28).f, 0);
    EXPECT_EQ(adm_weight_next(-15, 1u << 28).f, 0);
    EXPECT_EQ(adm_weight_next(7, 1u << 28).centre, -1);
    EXPECT_EQ(adm_weight_next(8, 1u << 28).centre, 0);
    EXPECT_EQ(adm_weight_next(8, 1u << 27).y, 4);
    EXPECT_EQ(adm_weight_next(-1, 1u << 27).y, 0);
}

TEST(AdmMaskedCube, ThresholdAndRounding)
{
    EXPECT_EQ(adm_masked_cube(1000, 1, 10, 29, 0), 0);
    EXPECT_EQ(adm_masked_cube(16384, 0, 10, 29, 0), 16384);
    EXPECT_EQ(adm_masked_cube(16383, 0, 10, 29, 0), 0);
    EXPECT_EQ(adm_masked_cube(16384 + 1024, 1, 10, 29, 0), 16384);
    EXPECT_EQ(adm_masked_cube(0, -16, 10, 29, 0), 16384);
    EXPECT_EQ(adm_masked_cube(16384, 0, 10, 29, 15), 1);
    EXPECT_EQ(adm_masked_cube(16384, 0, 10, 29, 16), 0);
    // The square is a 32-bit value: 2^31 becomes -2^31.
    EXPECT_EQ(adm_masked_cube(1 << 30, 0, 0, 29, 0), -(1LL << 61));
}

TEST(AdmEnergy, reg18_SquareRoundsByAFullUnit)
{
    EXPECT_EQ(adm_energy_first(-3), 27u);
    EXPECT_EQ(adm_energy_next(3, 31, 0), 3u); // square 0 becomes 1
    EXPECT_EQ(adm_energy_next(46340, 31, 0), 46340u);
    EXPECT_EQ(adm_energy_next(46341, 31, 0), 2u * 46341);
    EXPECT_EQ(adm_energy_next(-3, 31, 1), 2u);
}

/// A band whose f is 10 * row + column for h, and 0 else.
AdmWeightedPlanes numbered(int width, int height)
{
    AdmWeightedPlanes planes;
    for (int b = 0; b < kAdmOrientations; ++b)
        for (AdmPlane *plane : {&planes.contrast[b], &planes.y[b], &planes.f[b], &planes.centre[b]})
            *plane = AdmPlane(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            planes.f[0].at(y, x) = 10 * y + x;
    return planes;
}

TEST(AdmThreshold, reg09_NeighboursAtTheBorders)
{
    AdmWeightedPlanes planes = numbered(5, 4);
    // Inside: eight neighbours of 11.
    EXPECT_EQ(adm_ref_threshold(planes, 1, 1), 8 * 11);
    // Top left: index -1 is index 1. Neighbours 11 1 11, 10 10 (row 0: 1 1), 11 10 11 ...
    EXPECT_EQ(adm_ref_threshold(planes, 0, 0), (11 + 10 + 11) + (1 + 1) + (11 + 10 + 11));
    // Bottom right: beyond the edge is the edge itself, the centre included.
    EXPECT_EQ(adm_ref_threshold(planes, 3, 4), (23 + 24 + 24) + (33 + 34) + (33 + 34 + 34));
    planes.centre[2].at(3, 4) = -1000;
    EXPECT_EQ(adm_ref_threshold(planes, 3, 4), (23 + 24 + 24) + (33 + 34) + (33 + 34 + 34) - 1000);
}

/// Each cube is 23171; half a unit of the row shift is 524288.
TEST(AdmRowRule, reg04_CompleteRowsAreRounded)
{
    AdmScale layout = {};
    layout.width = 23;
    layout.height = 3;
    layout.num_row_shift = 20;
    AdmWeightedPlanes signal = numbered(23, 3);
    AdmWeightedPlanes masker = numbered(23, 3);
    masker.f[0] = AdmPlane(23, 3);
    int64_t sums[kAdmOrientations];
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 23; ++x)
            signal.contrast[0].at(y, x) = x < 22 + y % 2 ? 23171 : 0;
    adm_ref_mask(signal, masker, layout, 0, sums);
    // 22 samples stay below one half, 23 do not. Single samples or parts of a
    // row would give 0, the whole plane's sum 1552457 would give 1 only by chance.
    EXPECT_EQ(sums[0], 1);
    for (int x = 0; x < 23; ++x)
        signal.contrast[0].at(0, x) = signal.contrast[0].at(2, x) = 23171;
    adm_ref_mask(signal, masker, layout, 0, sums);
    EXPECT_EQ(sums[0], 3);
    layout.left = 1; // 21 samples a row
    adm_ref_mask(signal, masker, layout, 0, sums);
    EXPECT_EQ(sums[0], 0);
}

TEST(AdmRowRule, Denominator)
{
    AdmBands bands;
    bands.approximation = AdmPlane(4, 2);
    for (AdmPlane &plane : bands.detail)
        plane = AdmPlane(4, 2);
    for (int x = 0; x < 4; ++x)
        bands.detail[1].at(0, x) = -1; // row sum 4
    bands.detail[1].at(1, 0) = 1;      // row sum 1
    AdmScale layout = {};
    layout.width = 4;
    layout.height = 2;
    layout.den_row_shift = 1;
    uint64_t sums[kAdmOrientations];
    adm_ref_energy(bands, layout, 0, sums);
    EXPECT_EQ(sums[0], 0u);
    EXPECT_EQ(sums[1], 3u); // (4 + 1) / 2 + (1 + 1) / 2, rounded per row
}

/// What the device does with a row's 64 bits.
TEST(AdmRowRule, NumeratorsAreSigned)
{
    const auto row = static_cast<uint64_t>(INT64_C(-1000));
    EXPECT_EQ(static_cast<int64_t>(adm_rounded_row(row, 4, false)), -62);
    EXPECT_EQ(static_cast<int64_t>(adm_rounded_row(row, 0, false)), -1000);
    EXPECT_EQ(adm_rounded_row(row, 4, true), (UINT64_C(1) << 60) - 62);
    EXPECT_EQ(adm_rounded_row(1000, 4, false), 63u);
}

TEST(AdmConfigTest, reg09_RegionsAndShifts)
{
    Format format;
    format.width = 1920;
    format.height = 1080;
    const AdmConfig hd = adm_config(format, adm_csf({}));
    EXPECT_EQ(hd.scale[0].width, 960);
    EXPECT_EQ(hd.scale[3].height, 68);
    EXPECT_EQ(hd.scale[0].left, 95);
    EXPECT_EQ(hd.scale[3].top, 6);
    EXPECT_EQ(hd.scale[0].num_cube_shift[0], 6);
    EXPECT_EQ(hd.scale[0].num_cube_shift[2], 7);
    EXPECT_EQ(hd.scale[0].num_row_shift, 10);
    EXPECT_EQ(hd.scale[0].den_row_shift, 0); // 770 * 434 is below 2^20
    EXPECT_EQ(hd.scale[1].num_cube_shift[2], 9);
    EXPECT_EQ(hd.scale[1].den_cube_shift, 9);
    EXPECT_EQ(hd.scale[1].den_row_shift, 8);
    format.width = 17;
    format.height = 8640;
    const AdmConfig tall = adm_config(format, adm_csf({}));
    EXPECT_EQ(tall.scale[0].width, 9);
    EXPECT_EQ(tall.scale[3].width, 2);
    EXPECT_EQ(tall.scale[3].left, 0);
    EXPECT_EQ(tall.scale[0].num_cube_shift[0], 0);
    EXPECT_EQ(tall.scale[0].num_cube_shift[2], 1);
}

/// One more than 2^21 samples count: a logarithm in binary32 says 2^21.
TEST(AdmConfigTest, reg25_AreaIsNotRounded)
{
    Format format;
    format.width = 962;
    format.height = 13542;
    const AdmScale scale = adm_config(format, adm_csf({})).scale[0];
    ASSERT_EQ((scale.width - 2 * scale.left) * (scale.height - 2 * scale.top), (1 << 21) + 1);
    EXPECT_EQ(scale.den_row_shift, 2);
}

TEST(AdmRowRule, reg18_NoShiftAddsNothing)
{
    EXPECT_EQ(round_shift<int64_t>(7, 0), 7);
    EXPECT_EQ(round_shift<int64_t>(-7, 0), -7);
    EXPECT_EQ(round_shift<uint64_t>(~uint64_t{0}, 0), ~uint64_t{0});
    EXPECT_EQ(round_shift<int64_t>(-7, 1), -3);
}

} // namespace
} // namespace vmafgpu
