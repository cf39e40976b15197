// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's arithmetic in integers gives what doubles give, or says that it is not sure: for random
// pixels, for quotients beside whole numbers, for the worst estimates of a reciprocal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "features/vif/vif.h"
#include "features/vif/vif_pixels.h"

namespace vmafgpu::vif_share_test {
namespace {

constexpr uint32_t kMost = 0x7fffffff;

/// Values that vif::add_pixel() computes on its way to the logarithms.
struct Doubles {
    uint32_t noise;
    uint32_t signal;
};

Doubles by_doubles(uint32_t both, uint32_t reference, uint32_t distorted, double limit)
{
    const double gain = both / (reference + 65536 * 1e-10);
    const auto residual = static_cast<int32_t>(distorted - gain * both);
    const double limited = std::min(gain, limit);
    const double squared = limited * limited;
    return {static_cast<uint32_t>(vif::kNoise + std::max(residual, 0)),
            static_cast<uint32_t>(squared * reference)};
}

class VifShares : public testing::Test {
protected:
    uint32_t random(uint32_t from, uint32_t to)
    {
        return std::uniform_int_distribution<uint32_t>(from, to)(generator_);
    }

    /// Returns a size from a range in which each magnitude is as likely.
    uint32_t random_size(double from, double to)
    {
        const double power =
            std::uniform_real_distribution<double>(std::log2(from), std::log2(to))(generator_);
        return static_cast<uint32_t>(std::min<double>(std::exp2(power), kMost));
    }

    /// False if the share of the pixel is not sure.
    bool expect_equal(uint32_t both, uint32_t reference)
    {
        const float right = 1.0F / static_cast<float>(reference);
        float reciprocal = right;
        const int units = static_cast<int>(random(0, 4)) - 2;
        for (int i = 0; i < std::abs(units); ++i)
            reciprocal = std::nextafter(reciprocal, units < 0 ? 0.0F : 1.0F);
        const vif::Share share = vif::share_of(both, reference, reciprocal);
        if (!share.is_sure)
            return false;
        for (const uint32_t distorted : {share.explained - 1, share.explained, share.explained + 1,
                                         share.explained + 2, random(1, kMost), kMost}) {
            const Doubles expected = by_doubles(both, reference, distorted, 1e9);
            const auto residual = static_cast<int32_t>(distorted - share.explained);
            const auto noise = static_cast<uint32_t>(vif::kNoise + std::max(residual, 0));
            EXPECT_EQ(noise, expected.noise) << both << " " << reference << " " << distorted;
            EXPECT_EQ(share.signal, expected.signal) << both << " " << reference;
            ++compared_;
        }
        return true;
    }

    int compared_ = 0;

private:
    std::mt19937 generator_{20261124};
};

TEST_F(VifShares, Random)
{
    int unsure = 0;
    for (int i = 0; i < 2000000; ++i) {
        const uint32_t reference = random_size(vif::kNoise, kMost);
        // Gains from 1/4096 to 16, and quotients below 2^30.
        const double most = std::min(16.0 * reference, std::sqrt(reference * 0x1p30));
        const uint32_t both = random_size(reference / 4096.0, std::min<double>(most, kMost) - 1);
        unsure += expect_equal(both, reference) ? 0 : 1;
        if (HasFailure())
            return;
    }
    EXPECT_LT(unsure, 2000000 / 1000);
    RecordProperty("unsure", unsure);
}

/// reference is both^2 / quotient or beside it, so that little is left of the division, or little
/// is missing for one more.
TEST_F(VifShares, BesideWholeQuotients)
{
    int sure = 0;
    for (int i = 0; i < 4000000; ++i) {
        const uint32_t quotient = random_size(1, 0x1p30);
        const double least = std::sqrt(static_cast<double>(vif::kNoise) * quotient);
        const double most = std::sqrt(static_cast<double>(kMost) * quotient);
        const uint64_t both = random_size(least + 1, std::min<double>(most, kMost));
        const uint64_t reference = both * both / quotient + random(0, 2) - 1;
        if (reference < vif::kNoise || reference > kMost)
            continue;
        sure += expect_equal(static_cast<uint32_t>(both), static_cast<uint32_t>(reference)) ? 1 : 0;
        if (HasFailure())
            return;
    }
    EXPECT_GT(sure, 1000000);
}

/// Equal planes, and other multiples: epsilon decides.
TEST_F(VifShares, WholeQuotients)
{
    for (int i = 0; i < 1000000; ++i) {
        const uint32_t reference = random_size(vif::kNoise, 0x1p30 - 2);
        ASSERT_TRUE(expect_equal(reference, reference)) << reference;
        const uint32_t times = random(2, 16);
        if (static_cast<uint64_t>(times) * times * reference < 0x3fffff00) {
            ASSERT_TRUE(expect_equal(times * reference, reference)) << times << " " << reference;
        }
        ASSERT_FALSE(HasFailure());
    }
}

/// Pictures that differ by a constant: their variances are equal but for rounding, and what is left
/// of the division is small.
TEST_F(VifShares, NearlyEqualVariances)
{
    int unsure = 0;
    for (int i = 0; i < 1000000; ++i) {
        const uint32_t reference = random_size(vif::kNoise + 2, 0x1p30 - 3);
        unsure += expect_equal(reference + random(0, 4) - 2, reference) ? 0 : 1;
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(unsure, 500000); // only equal variances are sure: the arithmetic does not guess
    EXPECT_LT(unsure, 900000);
}

/// Where the estimate would not fit, it is never sure.
TEST_F(VifShares, LargeQuotients)
{
    for (int i = 0; i < 1000000; ++i) {
        const uint32_t reference = random_size(vif::kNoise, kMost);
        const double least = std::sqrt(reference * 0x1.0001p30);
        if (least < kMost) {
            const uint32_t both = random_size(least, kMost);
            ASSERT_FALSE(expect_equal(both, reference)) << both << " " << reference;
        }
    }
    EXPECT_FALSE(expect_equal(kMost, kMost));
}

TEST_F(VifShares, KindsOfLimits)
{
    struct Case {
        std::vector<double> values;
        bool are_one, are_other;
    };
    const Case cases[] = {{{1.0}, true, false},
                          {{1.0, 1.0}, true, false},
                          {{std::nextafter(1.0, 2.0)}, false, true},
                          {{std::nextafter(64.0, 0.0)}, false, true},
                          {{64.0}, false, false},
                          {{100.0, 1.0}, false, false},
                          {{1.0, 2.0}, false, true}};
    for (const Case &c : cases) {
        const vif::Limits limits =
            vif::limits_of(c.values.data(), static_cast<int>(c.values.size()));
        EXPECT_EQ(limits.are_one, c.are_one ? ~0u : 0u) << c.values[0];
        EXPECT_EQ(limits.are_other, c.are_other ? ~0u : 0u) << c.values[0];
        EXPECT_EQ(limits.is_not_one[0], c.values[0] == 1 ? 0u : ~0u) << c.values[0];
    }
}

/// The sums of pixels of all kinds, under each kind of limit.
TEST_F(VifShares, Sums)
{
    std::vector<char> tables(vif::Forms::device_tables({}));
    vif::Forms::fill_tables({}, tables.data());
    const vif::Logs logs = {reinterpret_cast<const uint16_t *>(tables.data())};
    for (const double limit : {100.0, 64.0, 63.0, 1.2, 1.0}) {
        const double values[] = {limit, 1.0};
        const vif::Limits limits = vif::limits_of(values, 2);
        vif::ThreadSums sums = {};
        vif::ScaleSums expected = {};
        int left = 0;
        for (int i = 0; i < 40000; ++i) {
            const auto reference = static_cast<int32_t>(random_size(1000, 0x1p30));
            const auto distorted = static_cast<int32_t>(random_size(1, 0x1p30));
            const auto size = static_cast<int32_t>(
                std::sqrt(static_cast<double>(reference) * distorted) * random(0, 1000) / 1000);
            vif::Sigma sigma = {reference, distorted, size};
            if (i % 16 == 0)
                sigma = {reference, reference, reference};
            if (i % 16 == 1)
                sigma = {reference - 2000, distorted - 2000, -size};
            if (!vif::add_integer(sigma, limits, logs, sums)) {
                vif::add_rest(sigma, limits, logs, sums);
                ++left;
            }
            vif::add_pixel(sigma, limits.value, 2, vif::log2_table(), expected);
            ASSERT_EQ(sums.num_log[0], expected.num_log[0]) << limit << " " << sigma.reference;
            ASSERT_EQ(sums.num_log[1], expected.num_log[1]) << limit << " " << sigma.reference;
            ASSERT_EQ(sums.den_log, expected.den_log);
            ASSERT_EQ(sums.num_nl, expected.num_nl);
            ASSERT_EQ(sums.den_nl, expected.den_nl);
        }
        if (limits.are_other != 0)
            EXPECT_GT(left, 20000) << limit;
        else
            EXPECT_LT(left, 1000) << limit;
    }
}

} // namespace
} // namespace vmafgpu::vif_share_test
