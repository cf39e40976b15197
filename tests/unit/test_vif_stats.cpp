// SPDX-License-Identifier: BSD-2-Clause-Patent
// What one pixel adds to VIF's sums, with inputs chosen so that each shortcut
// one might take (fused multiply-add, float, another association, no epsilon)
// gives another number; and the facts known of libvmaf's logarithm. What
// float_vif computes before it begins, too.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "../golden/sums_window.h"
#include "base/numeric.h"
#include "features/float_vif/float_vif.h"
#include "features/vif/vif.h"
#include "features/vif/vif_pixels.h"
#include "simd/cpu_level.h"

namespace vmafgpu::vif_stats_test {
namespace {

struct PixelCase {
    vif::Sigma sigma;
    double limit;
    int64_t num_log, den_log, num_nl, den_nl;
    const char *catches;
};

constexpr PixelCase kPixelCases[] = {
    {{131071, 500, 400}, 100, 0, 0, 500, 1, "threshold"},
    {{-40000, -3, 5}, 100, 0, 0, 0, 1, "signs"},
    {{131072, -7, 5}, 100, 0, 2048, 0, 0, "sigma2 <= 0"},
    {{131072, 1, 0}, 100, 0, 2048, 0, 0, "sigma12 = 0"},
    {{131072, 131072, 131073}, 100, 2048, 2048, 0, 0, "sv clamp"},
    {{200000, 50, 4000}, 100, 2, 2738, 0, 0, "negative sv"},
    {{1000000, 4000000, 1990000}, 100, 9410, 6368, 0, 0, "g about 1.99"},
    {{1000000, 4000000, 1990000}, 1.2, 6628, 6368, 0, 0, "limit after sv"},
    {{1000000, 4000000, 1990000}, 1, 5685, 6368, 0, 0, "NEG"},
    {{131072, 1073741824, 11863283}, 100, 26623, 2048, 0, 0, "large g"},
    {{1073741824, 1073741824, 1073741824}, 100, 26624, 26624, 0, 0, "top of range"},
    {{1073741824, 1073741824, -1073741824}, 100, 0, 26624, 0, 0, "sigma12 < 0"},
    {{812046881, 601272049, 698756805}, 100, 24910, 25799, 0, 0, "FMA in sv gives 24911"},
    {{832537676, 778160306, 804889901}, 100, 25672, 25873, 0, 0, "FMA in sv gives 25673"},
    {{593363951, 577639981, 585449167}, 100, 24792, 24872, 0, 0, "FMA in sv gives 24793"},
    {{330162740, 228654874, 274742858}, 100, 21459, 23141, 0, 0, "dropping epsilon gives 21460"},
    {{856540584, 257823077, 469849941}, 100, 20867, 25957, 0, 0, "dropping epsilon gives 20868"},
    {{818165933, 707870721, 760948072}, 100, 23257, 25821, 0, 0, "g*(g*sigma1) gives 23258"},
    {{311045393, 51415160, 126422834}, 100, 17021, 22965, 0, 0, "f32 arithmetic gives 17020"},
};

template <class Sums>
void expect_sums(const Sums &sums, const PixelCase &c, const std::string &text)
{
    EXPECT_EQ(sums.num_log[0], c.num_log) << text;
    EXPECT_EQ(sums.den_log, c.den_log) << text;
    EXPECT_EQ(sums.num_nl, c.num_nl) << text;
    EXPECT_EQ(sums.den_nl, c.den_nl) << text;
}

TEST(VifStats, Pixels)
{
    for (const PixelCase &c : kPixelCases) {
        vif::ScaleSums sums = {};
        vif::add_pixel(c.sigma, &c.limit, 1, vif::log2_table(), sums);
        expect_sums(sums, c, c.catches);
    }
}

/// The form that the CPU code uses at every SIMD level, each case at several places
/// of a row of otherwise flat pixels.
TEST(VifStats, PixelsInRows)
{
    const CpuLevel best = cpu_level();
    for (const CpuLevel level : kCpuLevels) {
        if (!cpu_has_level(level))
            continue;
        set_cpu_level(level);
        for (const PixelCase &c : kPixelCases) {
            for (const int place : {0, 3, 16, 126}) {
                vif::SigmaRow row = {};
                row.reference[place] = c.sigma.reference;
                row.distorted[place] = c.sigma.distorted;
                row.both[place] = c.sigma.both;
                vif::Config config;
                config.limits[0] = c.limit;
                vif::ScaleSums sums = {};
                vif::add_row(row, 127, config, sums);
                sums.den_nl -= 126;
                expect_sums(sums, c, std::string(c.catches) + ", " + cpu_level_name(level));
            }
        }
    }
    set_cpu_level(best);
}

/// The SIMD levels compute the logarithm, or look it up: all mantissas, one pixel
/// at a time, at the smallest and the largest exponents and with all low bits set.
TEST(VifStats, LogarithmsInRows)
{
    const CpuLevel best = cpu_level();
    for (const CpuLevel level : kCpuLevels) {
        if (!cpu_has_level(level))
            continue;
        set_cpu_level(level);
        for (uint32_t mantissa = 32768; mantissa < 65536; ++mantissa) {
            for (const int shift : {2, 9, 14}) {
                const uint32_t value = (mantissa << shift) | ((1u << shift) - 1);
                vif::SigmaRow row = {};
                row.reference[0] = static_cast<int32_t>(value) - vif::kNoise;
                if (row.reference[0] < vif::kNoise)
                    continue;
                vif::ScaleSums sums = {};
                vif::add_row(row, 1, vif::Config(), sums);
                ASSERT_EQ(sums.den_log, vif::log2_units(value, vif::log2_table()) - vif::kLog2Noise)
                    << value << ", " << cpu_level_name(level);
            }
        }
    }
    set_cpu_level(best);
}

/// The form of the kernels, with their table.
class VifDeviceStats : public testing::Test {
protected:
    VifDeviceStats() : tables_(vif::Forms::device_tables({}))
    {
        vif::Forms::fill_tables({}, tables_.data());
        entries_.resize(vif::kLogEntries);
        std::memcpy(entries_.data(), tables_.data(), vif::kLogBytes);
    }

    vif::Logs logs() const { return {entries_.data()}; }

private:
    std::vector<char> tables_;
    std::vector<uint16_t> entries_;
};

TEST_F(VifDeviceStats, Logarithms)
{
    for (uint32_t v = 32768; v < 65536; ++v) {
        for (const int shift : {2, 7, 15}) {
            const uint32_t least = v << shift, most = least + (1u << shift) - 1;
            ASSERT_EQ(vif::log2_units(least, logs()), vif::log2_units(least, vif::log2_table()))
                << least;
            ASSERT_EQ(vif::log2_units(most, logs()), vif::log2_units(most, vif::log2_table()))
                << most;
        }
    }
}

TEST_F(VifDeviceStats, Pixels)
{
    for (const PixelCase &c : kPixelCases) {
        const double values[] = {c.limit, 100};
        const vif::Limits limits = vif::limits_of(values, 2);
        vif::ThreadSums sums = {}, both = {};
        vif::add_fast<1>(c.sigma, limits, logs(), sums);
        vif::add_fast<2>(c.sigma, limits, logs(), both);
        expect_sums(sums, c, c.catches);
        EXPECT_EQ(both.num_log[0], c.num_log) << c.catches;
        EXPECT_GE(both.num_log[1], c.num_log) << c.catches;
    }
}

TEST(VifStats, TwoLimitsAreTwoVariants)
{
    const double limits[] = {1.0, 1.2};
    vif::ScaleSums sums = {};
    vif::add_pixel({1000000, 4000000, 1990000}, limits, 2, vif::log2_table(), sums);
    EXPECT_EQ(sums.num_log[0], 5685);
    EXPECT_EQ(sums.num_log[1], 6628);
    EXPECT_EQ(sums.den_log, 6368);
}

/// Flat pixels hardly count in pictures, so golden clips say little about
/// their part of the scores.
TEST(VifScores, FlatPixels)
{
    Format format;
    format.width = format.height = 64;
    const auto groups = vif::kFeature.create(format, Compat::k3_2, {vif::kFeature.defaults});
    vif::Sums sums = {};
    sums.scale[0].den_nl = 10;
    sums.scale[0].num_nl = INT64_C(16384) * 65025 * 3;
    sums.scale[1].den_nl = 4096;
    sums.scale[1].num_nl = (INT64_C(1) << 53) + 1; // rounded to even: 2^53
    sums.scale[2].den_nl = 1;
    sums.scale[2].num_log[0] = 2048 * 3 + 1024;
    sums.scale[2].den_log = 2048 * 6;
    sums.scale[3].den_nl = (1 << 24) + 1; // a float cannot hold this number
    SegmentSums segment(*groups[0].feature);
    std::memcpy(segment.add(), &sums, sizeof(sums));
    const std::vector<double> scores = segment.scores(0, 1, 15).at(0);
    EXPECT_EQ(scores[0], 0.7F);
    EXPECT_EQ(scores[7], 7.0);
    EXPECT_EQ(scores[8], 10.0);
    EXPECT_EQ(scores[9], static_cast<float>(4096 - 0x1p39 / 65025));
    EXPECT_EQ(scores[2], 4.5F / 7.0F);
    EXPECT_EQ(scores[13], 16777216.0);
    EXPECT_EQ(scores[14], 16777216.0);
    EXPECT_EQ(scores[3], 1.0);
}

TEST(VifLog2, PowersOfTwoAreExactAndLowBitsAreDropped)
{
    const uint16_t *table = vif::log2_table();
    for (int n = 17; n < 32; ++n)
        EXPECT_EQ(vif::log2_units(1u << n, table), 2048 * n);
    EXPECT_EQ(vif::log2_units((50000u << 5) + 31, table), 31969 + 5 * 2048);
    EXPECT_EQ(vif::log2_units(0xFFFFFFFFu, table), 32768 + 16 * 2048);
}

TEST(VifSigma, RoundsTheProductOfTheMeans)
{
    EXPECT_EQ(vif::second_moment(5, 65536, 65536), 4);
    EXPECT_EQ(vif::second_moment(5, 65536, 98304), 3); // 1.5 is rounded up
    EXPECT_EQ(vif::second_moment(0, 4294901760u, 4294901760u), static_cast<int32_t>(131071));
}

// The product of two floats is exact in double. powf() misses its nearest float in 346 of these.
TEST(FloatVifFlat, SquaresTheNoiseWithOneRounding)
{
    for (int i = 0; i <= 500000; ++i) {
        const double noise = i / 100000.0;
        const auto single = static_cast<double>(static_cast<float>(noise));
        const auto square = static_cast<double>(static_cast<float>(single * single));
        ASSERT_EQ(float_vif::flat_factor(noise), static_cast<float>(square / (255.0 * 255.0)))
            << noise;
    }
}

} // namespace
} // namespace vmafgpu::vif_stats_test
