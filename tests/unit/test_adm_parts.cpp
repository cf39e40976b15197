// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM's formulas where libvmaf's own results do not show them (tests/golden/test_adm_golden.cpp):
// ties, limits and values that few pictures reach.
#include <gtest/gtest.h>

#include "features/adm/adm.h"
#include "features/adm/adm_math.h"

namespace vmafgpu::adm_parts_test {
namespace {

bool same_angle(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    return adm::has_same_angle(oh * th + ov * tv, oh * oh + ov * ov, th * th + tv * tv);
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
    EXPECT_TRUE(adm::has_same_angle(11593726, 8981395, 14970440));
    EXPECT_TRUE(adm::has_same_angle(13859697, 11645361, 16500109));
    EXPECT_FALSE(adm::has_same_angle(11475557, 11473953, 11480658));
}

TEST(AdmGain, OfNothingIsOne)
{
    EXPECT_EQ(adm::gain_first(0, 123), 32768);
    EXPECT_EQ(adm::gain_next(0, -1), 32768);
}

TEST(AdmRestore, RoundsHalfUp)
{
    EXPECT_EQ(adm::restored_first(16384, 1), 1);
    EXPECT_EQ(adm::restored_first(16384, -1), 0);
    EXPECT_EQ(adm::restored_first(16384, -3), -1);
    EXPECT_EQ(adm::restored_next(32768, 2000000001), 2000000001);
}

TEST(AdmEnhance, reg28_TruncatesAfterTheLimit)
{
    EXPECT_EQ(adm::enhanced(7, 100, 9, 20, true, 1.2), 8);     // 8.4
    EXPECT_EQ(adm::enhanced(-7, 100, -9, -20, true, 1.2), -8); // -8.4: toward zero
    EXPECT_EQ(adm::enhanced(7, 100, 9, 8, true, 1.2), 8);
    EXPECT_EQ(adm::enhanced(7, 100, 9, 8, true, 100.0), 8);
    EXPECT_EQ(adm::enhanced(7, 100, 9, 20, false, 100.0), 7);
    EXPECT_EQ(adm::enhanced(7, 0, 9, 20, true, 100.0), 7);
    EXPECT_EQ(adm::enhanced(7, 100, 0, 20, true, 100.0), 7);
}

/// Repeats what the device does with a row's 64 bits.
TEST(AdmRowRule, NumeratorsAreSigned)
{
    const auto row = static_cast<uint64_t>(INT64_C(-1000));
    EXPECT_EQ(static_cast<int64_t>(adm::rounded_row(row, 4, false)), -62);
    EXPECT_EQ(static_cast<int64_t>(adm::rounded_row(row, 0, false)), -1000);
    EXPECT_EQ(adm::rounded_row(row, 4, true), (UINT64_C(1) << 60) - 62);
    EXPECT_EQ(adm::rounded_row(1000, 4, false), 63u);
}

TEST(AdmConfigTest, ShiftsOfLargePictures)
{
    Format format;
    format.width = 1920;
    format.height = 1080;
    const adm::Config hd = adm::config_of(format, adm::csf_of({}));
    EXPECT_EQ(hd.scale[0].num_row_shift, 10); // shift for all 540 rows; 434 rows count
    EXPECT_EQ(hd.scale[0].den_row_shift, 0);  // 770 * 434 is below 2^20
    EXPECT_EQ(hd.scale[1].num_cube_shift[2], 9);
    EXPECT_EQ(hd.scale[1].den_cube_shift, 9);
    EXPECT_EQ(hd.scale[1].den_row_shift, 8);
    format.width = 2 * 513;
    EXPECT_EQ(adm::config_of(format, adm::csf_of({})).scale[1].den_cube_shift,
              8); // 207 of 257 columns
}

/// One sample more than 2^21 counts: a logarithm in binary32 says 2^21.
TEST(AdmConfigTest, reg25_AreaIsNotRounded)
{
    Format format;
    format.width = 962;
    format.height = 13542;
    const adm::Scale scale = adm::config_of(format, adm::csf_of({})).scale[0];
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
} // namespace vmafgpu::adm_parts_test
