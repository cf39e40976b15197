// SPDX-License-Identifier: BSD-2-Clause-Patent
// The device forms of ADM's samples against the plain ones (both in adm_math.h).
// reciprocal_estimate() is off by a unit here for half of its arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "features/adm/adm_math.h"

namespace vmafgpu::adm_fast_test {
namespace {

constexpr int kCases = 2000000;

/// Sizes spread over all magnitudes.
class Samples {
public:
    explicit Samples(int bits) : bits_(bits) {}

    int32_t next()
    {
        const auto size = static_cast<int32_t>(random_() >> 1 >> (random_() % 31));
        const int32_t value = size & static_cast<int32_t>((UINT32_C(1) << bits_) - 1);
        return random_() % 2 == 0 ? value : -value;
    }
    /// Near v, or anything.
    int32_t beside(int32_t v)
    {
        const auto step = static_cast<int32_t>(random_() % 5) - 2;
        return random_() % 2 == 0 ? next() : v + step;
    }

private:
    std::mt19937 random_{7};
    int bits_;
};

TEST(AdmFast, SameAngle)
{
    Samples samples(30);
    int same = 0;
    for (int i = 0; i < kCases; ++i) {
        const int32_t oh = samples.next(), ov = samples.next();
        const int32_t th = samples.beside(oh), tv = samples.beside(ov);
        const int64_t a = oh, b = ov, c = th, d = tv;
        const bool expected = adm::has_same_angle(a * c + b * d, a * a + b * b, c * c + d * d);
        ASSERT_EQ(adm::has_same_angle_fast(oh, ov, th, tv), expected)
            << oh << ' ' << ov << ' ' << th << ' ' << tv;
        same += expected ? 1 : 0;
    }
    EXPECT_GT(same, kCases / 20);
    EXPECT_LT(same, kCases - kCases / 20);
}

/// Gradients so close to the limit that binary32 cannot decide.
TEST(AdmFast, SameAngleAtTheLimit)
{
    // Where the square of the cosine is the limit.
    const double limit = std::acos(std::sqrt(static_cast<double>(adm::kCosOneDegree)));
    std::mt19937 random(3);
    int differ = 0;
    for (int i = 0; i < kCases; ++i) {
        const double size = 1000.0 + static_cast<double>(random() >> 3);
        const double angle = static_cast<double>(random()) * 1e-9;
        const auto oh = static_cast<int32_t>(size * std::cos(angle));
        const auto ov = static_cast<int32_t>(size * std::sin(angle));
        const double turn = limit + (static_cast<double>(random()) * 0x1p-32 - 0.5) * 1e-5;
        const auto th = static_cast<int32_t>(size * std::cos(angle + turn));
        const auto tv = static_cast<int32_t>(size * std::sin(angle + turn));
        const int64_t a = oh, b = ov, c = th, d = tv;
        const bool expected = adm::has_same_angle(a * c + b * d, a * a + b * b, c * c + d * d);
        ASSERT_EQ(adm::has_same_angle_fast(oh, ov, th, tv), expected);
        differ += expected ? 1 : 0;
    }
    EXPECT_GT(differ, 0);
    EXPECT_LT(differ, kCases);
}

int32_t restored(bool first, int32_t o, int32_t t, bool same_angle, double limit)
{
    const int32_t k = first ? adm::gain_first(o, t) : adm::gain_next(o, t);
    const int32_t r0 = first ? adm::restored_first(k, o) : adm::restored_next(k, o);
    return adm::enhanced(r0, k, o, t, same_angle, limit);
}

int32_t restored_fast(bool first, int32_t o, int32_t t, bool same_angle, double limit,
                      int32_t whole)
{
    const int32_t sign = adm::sign_of(o);
    const int32_t size = adm::flip(o, sign);
    const int32_t target = adm::flip(t, sign);
    int32_t r = first ? adm::restored_first_fast(size, target, sign)
                      : adm::restored_next_fast(size, target, sign);
    if (same_angle && target > 0)
        r = first ? adm::enhance_first_fast(r, target, limit, whole)
                  : adm::enhance_next_fast(r, target, limit, whole);
    return adm::flip(r, sign);
}

TEST(AdmFast, RestoredPart)
{
    for (const bool first : {true, false}) {
        Samples samples(first ? 14 : 31);
        for (int i = 0; i < kCases; ++i) {
            const int32_t o = samples.next(), t = samples.beside(o);
            const double limit = i % 3 == 0 ? 1.0 : (i % 3 == 1 ? 100.0 : 1.2);
            const int32_t whole = i % 3 == 0 ? 1 : (i % 3 == 1 ? 100 : 0);
            ASSERT_EQ(restored_fast(first, o, t, i % 2 == 0, limit, whole),
                      restored(first, o, t, i % 2 == 0, limit))
                << first << ' ' << o << ' ' << t << ' ' << limit;
        }
    }
}

TEST(AdmFast, Shares)
{
    Samples small(15), large(31);
    for (int i = 0; i < kCases; ++i) {
        const int32_t x = small.next() % 22931;
        const bool diagonal = i % 2 == 0;
        const bool wraps = i % 4 < 2;
        const uint32_t multiplier = wraps ? 65535 : (diagonal ? 49417 : 36453);
        const int32_t sign = adm::sign_of(x);
        const adm::Weighted a = adm::weight_first(x, multiplier, diagonal);
        const adm::Share b = adm::share_first(static_cast<uint32_t>(adm::flip(x, sign)), sign,
                                              multiplier, diagonal, wraps);
        ASSERT_EQ(b.contrast, static_cast<uint32_t>(a.contrast)) << x;
        ASSERT_EQ(b.f, a.f) << x << ' ' << diagonal << ' ' << wraps;
        ASSERT_EQ(b.centre, a.centre) << x;

        const int32_t y = large.next();
        const uint32_t next_multiplier = wraps ? 4294967295U : 196165808;
        const int32_t next_sign = adm::sign_of(y);
        const adm::Weighted c = adm::weight_next(y, next_multiplier);
        const adm::Share d = adm::share_next(static_cast<uint32_t>(adm::flip(y, next_sign)),
                                             next_sign, next_multiplier, wraps);
        ASSERT_EQ(d.contrast, static_cast<uint32_t>(c.contrast)) << y;
        ASSERT_EQ(d.f, c.f) << y;
        ASSERT_EQ(d.centre, c.centre) << y;
    }
}

TEST(AdmFast, Cubes)
{
    Samples samples(31);
    for (int i = 0; i < kCases; ++i) {
        const int32_t contrast = adm::flip(samples.next(), 0) & INT32_MAX;
        const int32_t threshold = samples.next() >> 8;
        const int scale = i % 2;
        const int orientation = i % 3;
        const int cube = i % 12;
        const uint64_t half = (UINT64_C(1) << cube) >> 1;
        const int shift = adm::threshold_shift_of(scale, orientation);
        const int square = adm::square_shift_of(scale, orientation);
        ASSERT_EQ(adm::cube_above(static_cast<uint32_t>(contrast), static_cast<uint32_t>(threshold),
                                  shift, square, cube, half),
                  static_cast<uint64_t>(adm::masked_cube(contrast, threshold, shift, square, cube)))
            << contrast << ' ' << threshold;
    }
}

} // namespace
} // namespace vmafgpu::adm_fast_test
