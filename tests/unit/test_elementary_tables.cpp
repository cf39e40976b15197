// SPDX-License-Identifier: BSD-2-Clause-Patent
// The elementary functions of kernels, simt/elementary.h, against those of libm/: arguments at
// random where ciede has them, and all bits.
#include <random>

#include <gtest/gtest.h>

#include "libm/libm.h"
#include "simt/elementary_tables.h"

namespace vmafgpu {
namespace {

class ElementaryFunctions : public testing::Test {
protected:
    ElementaryFunctions() { elementary::fill(tables); }

    double number(double from, double to)
    {
        return std::uniform_real_distribution<double>(from, to)(random);
    }

    static constexpr int kCount = 100000;
    ElementaryTables tables = {};
    ElementaryConstants constants = elementary::constants();
    Elementary functions = {constants, &tables};
    std::mt19937_64 random{1};
};

TEST_F(ElementaryFunctions, ExponentialAndPowers)
{
    for (int i = 0; i < kCount; ++i) {
        const double x = number(-180, 4);
        ASSERT_EQ(functions.exponential(x), libm::exp(x)) << x;
        const double light = number(0.004, 2.5);
        ASSERT_EQ(functions.power(light, 2.4), libm::pow(light, 2.4)) << light;
        ASSERT_EQ(functions.power(light, 1.0 / 3), libm::pow(light, 1.0 / 3)) << light;
        const auto chroma = static_cast<float>(number(0, 400) * number(0, 1) * number(0, 1));
        ASSERT_EQ(functions.power(static_cast<double>(chroma), 7),
                  libm::pow(static_cast<double>(chroma), 7))
            << chroma;
        ASSERT_EQ(functions.power7(chroma), libm::powf(chroma, 7)) << chroma;
    }
    EXPECT_EQ(functions.power(0, 7), 0);
    EXPECT_EQ(functions.power7(0), 0);
}

TEST_F(ElementaryFunctions, WavesAndAngles)
{
    for (int i = 0; i < kCount; ++i) {
        for (const double x : {number(-30, 30), number(-3, 3), number(-0.2, 0.2)}) {
            ASSERT_EQ(functions.sine(x), libm::sin(x)) << x;
            ASSERT_EQ(functions.cosine(x), libm::cos(x)) << x;
        }
        const auto a = static_cast<float>(number(-200, 200));
        const auto b = static_cast<float>(number(-200, 200) * (i % 4 == 0 ? 0.01 : 1));
        ASSERT_EQ(functions.angle(b, a), libm::atan2(b, a)) << b << " " << a;
        ASSERT_EQ(functions.angle(a, b), libm::atan2(a, b)) << a << " " << b;
    }
    for (const double x : {-1.0, 1.0}) {
        EXPECT_EQ(functions.angle(x, 0), libm::atan2(x, 0));
        EXPECT_EQ(functions.angle(0, x), libm::atan2(0, x));
        EXPECT_EQ(functions.angle(x, 1), libm::atan2(x, 1));
    }
    EXPECT_EQ(functions.sine(0), 0);
    EXPECT_EQ(functions.cosine(0), 1);
}

} // namespace
} // namespace vmafgpu
