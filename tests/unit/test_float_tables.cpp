// SPDX-License-Identifier: BSD-2-Clause-Patent
// The tables of the float features against a second source: a formula, the bits of the floats, or
// the published numbers, typed again.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "features/float_adm/float_adm_tables.h"
#include "features/float_motion/float_motion_tables.h"
#include "features/float_vif/float_vif_tables.h"
#include "picture/float_plane.h"
#include "tables.h"

namespace vmafgpu {
namespace {

uint32_t bits_of(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

template <size_t n>
void expect_bits(const char *name, const float (&table)[n], const std::vector<uint32_t> &second)
{
    ASSERT_EQ(second.size(), n) << name;
    for (size_t i = 0; i < n; ++i)
        EXPECT_EQ(bits_of(table[i]), second[i]) << name << "[" << i << "]";
}

TEST(FloatTables, Blurs)
{
    expect_bits("kFloatMotionBlur3", float_motion::kBlur3, {0x3e2a5f20, 0x3f2ad070, 0x3e2a5f20});
    expect_bits("kFloatMotionBlur5", float_motion::kBlur5,
                {0x3d5f2f87, 0x3e7a0feb, 0x3ece2434, 0x3e7a0feb, 0x3d5f2f87});
}

/// Daubechies' second wavelet, high pass mirrored with alternating signs.
TEST(FloatTables, Wavelet)
{
    const double root3 = std::sqrt(3.0);
    const double scale = 4 * std::sqrt(2.0);
    const double low[4] = {(1 + root3) / scale, (3 + root3) / scale, (3 - root3) / scale,
                           (1 - root3) / scale};
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(float_adm::kLow[i], static_cast<float>(low[i])) << i;
        const double high = (i % 2 == 0 ? 1 : -1) * low[3 - i];
        EXPECT_EQ(float_adm::kHigh[i], static_cast<float>(high)) << i;
    }
    expect_bits("kFloatAdmLow", float_adm::kLow, {0x3ef746ea, 0x3f5625ef, 0x3e6585f8, 0xbe0483ee});
}

TEST(FloatTables, MaskingAndAngle)
{
    EXPECT_EQ(float_adm::kCentreWeight, 0x1.111111fd00e7dp-4);
    EXPECT_EQ(float_adm::kNeighbourWeight, 333333351e-10);
    EXPECT_EQ(bits_of(float_adm::kTiny), 0x0da24260U);
    EXPECT_EQ(bits_of(float_adm::kCosine), 0x3f7fec0aU);
    const double cosine = std::cos(3.14159265358979323846 / 180);
    EXPECT_EQ(float_adm::kCosine, static_cast<float>(cosine * cosine));
}

TEST(FloatTables, Watson)
{
    expect_rows(
        "kFloatAdmWatson", float_adm::kWatson,
        {67234e-5F, 72709e-5F, 41317e-5F, 49428e-5F, 22727e-5F, 28688e-5F, 11792e-5F, 15214e-5F});
}

TEST(FloatTables, Barten)
{
    expect_rows("kFloatAdmBarten", float_adm::kBarten,
                {334278e-6F, 394533e-6F, 379542e-5F, 27755e-4F, 107327e-5F, 116577e-5F, 64635e-4F,
                 745665e-5F});
    expect_rows("kFloatAdmBartenTerms", float_adm::kBartenTerms,
                {424838596301290e-15F, 28e-3F, 572435103936480e-15F, 37e-2F, 167576239164937e-18F,
                 37e0F, 255872352306433e-17F, 36e1F});
}

/// CRC-32 of the mantissas of the reciprocals, as zlib has it.
uint32_t crc_of(const std::vector<uint32_t> &words)
{
    uint32_t crc = ~0U;
    for (const uint32_t word : words)
        for (int byte = 0; byte < 4; ++byte) {
            crc ^= word >> (8 * byte) & 255;
            for (int bit = 0; bit < 8; ++bit)
                crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
        }
    return ~crc;
}

/// The checksum is of the executed instruction.
TEST(FloatTables, ReciprocalsOfAmd)
{
    std::vector<uint32_t> bits;
    for (int i = 0; i < 4096; ++i) {
        const int mantissa = float_adm::kReciprocalCoarse[i >> 8][i >> 4 & 15] -
                             float_adm::kReciprocalFine[i >> 8][i & 15];
        bits.push_back(0x3f000000U + (static_cast<uint32_t>(mantissa) << 11));
        float value;
        std::memcpy(&value, &bits.back(), sizeof(value));
        EXPECT_NEAR(value * (1 + (i + 0.5) / 4096), 1.0, 0x1p-11) << i;
    }
    EXPECT_EQ(crc_of(bits), 0xebd6b180U);
}

TEST(FloatTables, KernelScales)
{
    const double second[] = {1,          0.5,        1.5,        2,    0.66666667, 2.4,
                             3.71134021, 1.33333333, 1.16666667, 1.25, 1.41666667, 1.66666667,
                             3,          0.44444444, 1.4746,     1.54, 1.6,        1.06667,
                             0.711111,   0.74074,    1.111111};
    ASSERT_EQ(std::size(float_vif::kKernelScales), std::size(second));
    for (size_t i = 0; i < std::size(second); ++i)
        EXPECT_EQ(std::lround(float_vif::kKernelScales[i] * 1e5), std::lround(second[i] * 1e5))
            << i;
}

TEST(FloatTables, Logarithm)
{
    expect_bits("kFloatVifLog", float_vif::kLog,
                {0xbc4f9cb1, 0x3d84cb74, 0xbe20d169, 0x3e83ab7d, 0xbeb52559, 0x3ef5d3c9, 0xbf38a80e,
                 0x3fb8aa39, 0});
}

/// Half of each filter of float_vif, and its centre.
TEST(FloatTables, GaussianTaps)
{
    const std::vector<std::vector<uint32_t>> halves = {
        {0x3bf453b8, 0x3c69b9d9, 0x3ccd0e7b, 0x3d24fecf, 0x3d738495, 0x3da4d021, 0x3dcc9a86,
         0x3de8f3b3, 0x3df33fb2},
        {0x3c9b77ec, 0x3d64f57b, 0x3df7a562, 0x3e44ba13, 0x3e658dc1},
        {0x3d5f2f86, 0x3e7a0fea, 0x3ece2433},
        {0x3e2a5f21, 0x3f2ad06f}};
    for (const std::vector<uint32_t> &half : halves) {
        const size_t length = 2 * half.size() - 1;
        const std::vector<float> taps = gaussian_taps(static_cast<int>(length));
        ASSERT_EQ(taps.size(), length);
        for (size_t i = 0; i < length; ++i)
            EXPECT_EQ(bits_of(taps[i]), half[std::min(i, length - 1 - i)]) << length << " " << i;
    }
}

} // namespace
} // namespace vmafgpu
