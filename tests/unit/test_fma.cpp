// SPDX-License-Identifier: BSD-2-Clause-Patent
// The software fma: against the processor's on random and on hard operands, and
// on cases whose result follows from the definition, which need no such processor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "libm/fma.h"
#include "random_bits.h"
#include "simt/simt.h"

namespace vmafgpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

uint64_t bits_of(double value)
{
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return std::isnan(value) ? 0x7ff8000000000000 : bits;
}

double double_of(uint64_t bits)
{
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

#if defined(__x86_64__)
[[gnu::target("fma")]] double hardware_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
bool has_hardware_fma()
{
    return __builtin_cpu_supports("fma") != 0;
}
#elif defined(__aarch64__)
double hardware_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
bool has_hardware_fma()
{
    return true;
}
#else
double hardware_fma(double, double, double)
{
    return kNan;
}
bool has_hardware_fma()
{
    return false;
}
#endif

struct Operands {
    double a, b, c;
};

double with_exponent(RandomBits &random, int low, int high)
{
    const auto range = static_cast<uint64_t>(high - low + 1);
    const auto exponent = low + static_cast<int>(random.below(range));
    // Few bits set in every second mantissa: ties and exact cancellation need them.
    uint64_t mantissa = random.bits() & ((1ULL << 52) - 1);
    if (random.below(2) == 0)
        mantissa &= ~0ULL << random.below(53);
    const uint64_t sign = random.bits() & (1ULL << 63);
    const auto field = static_cast<uint64_t>(exponent + 1023);
    return double_of(sign | field << 52 | mantissa);
}

/// A few units in the last place from the value.
double near(RandomBits &random, double value)
{
    return double_of(bits_of(value) + random.below(5) - 2);
}

Operands hard(RandomBits &random)
{
    double a, b;
    switch (random.below(8)) {
    case 0:
        return {random.any(), random.any(), random.any()};
    case 1: // cancellation
        a = with_exponent(random, -300, 300);
        b = with_exponent(random, -300, 300);
        return {a, b, near(random, -(a * b))};
    case 2: // the operands some 53 and 106 bits apart
        a = with_exponent(random, -60, 60);
        b = with_exponent(random, -60, 60);
        return {a, b, with_exponent(random, -230, 230)};
    case 3: // a subnormal result, or half of the smallest
        a = with_exponent(random, -600, -480);
        b = with_exponent(random, -600, -480);
        return {a, b, random.below(2) == 0 ? with_exponent(random, -1023, -960) : kSmallest};
    case 4: // subnormal operands
        return {double_of(random.bits() >> (12 + random.below(52))), with_exponent(random, -10, 60),
                double_of(random.bits() >> (12 + random.below(52)))};
    case 5: // overflow
        a = with_exponent(random, 500, 515);
        b = with_exponent(random, 500, 515);
        return {a, b, with_exponent(random, 960, 1023)};
    case 6: // a tie that a tiny addend breaks
        a = static_cast<double>(random.bits() >> 37);
        b = static_cast<double>((1ULL << 27) + 1);
        return {a, b, with_exponent(random, -1022, 10)};
    default: // cancellation down to a subnormal
        a = with_exponent(random, -530, -470);
        b = with_exponent(random, -530, -470);
        return {a, b, near(random, -(a * b))};
    }
}

TEST(SoftFmaTest, EqualsHardware)
{
    if (!has_hardware_fma())
        GTEST_SKIP() << "NOT COMPARED with hardware fma: the CPU has none";
    const char *text = std::getenv("VMAFGPU_LIBM_COUNT");
    const int64_t count = text != nullptr ? std::atoll(text) : 4000000;
    RandomBits random(0xfa);
    int64_t subnormals = 0;
    int64_t infinities = 0;
    int64_t numbers = 0;
    for (int64_t i = 0; i < count; ++i) {
        const Operands at = hard(random);
        const double wanted = hardware_fma(at.a, at.b, at.c);
        const double got = libm::soft_fma(at.a, at.b, at.c);
        subnormals += std::fpclassify(wanted) == FP_SUBNORMAL ? 1 : 0;
        infinities += std::isinf(wanted) ? 1 : 0;
        numbers += std::isnormal(wanted) ? 1 : 0;
        ASSERT_EQ(bits_of(got), bits_of(wanted))
            << std::hexfloat << "fma(" << at.a << ", " << at.b << ", " << at.c << ") is " << got
            << ", not " << wanted;
    }
    EXPECT_GT(subnormals, count / 20);
    EXPECT_GT(infinities, count / 100);
    EXPECT_GT(numbers, count / 3);
}

TEST(SoftFmaTest, SpecialValuesEqualHardware)
{
    if (!has_hardware_fma())
        GTEST_SKIP() << "NOT COMPARED with hardware fma: the CPU has none";
    std::vector<double> values = {kNan};
    for (const double v :
         {0.0, kSmallest, 0x1.fffffffffffffp-1023, 0x1p-1022, 0x1p-538, 0x1p-537, 0x1p-536, 0x1p-54,
          0x1p-53, 1.0, 0x1.0000000000001p0, 0x1.fffffffffffffp0, 3.0, 0x1p53, 0x1p511, 0x1p512,
          0x1p1023, kLargest, kInfinity}) {
        values.push_back(v);
        values.push_back(-v);
    }
    for (const double a : values)
        for (const double b : values)
            for (const double c : values)
                ASSERT_EQ(bits_of(libm::soft_fma(a, b, c)), bits_of(hardware_fma(a, b, c)))
                    << std::hexfloat << "fma(" << a << ", " << b << ", " << c << ")";
}

/// The exact value is known by definition, and so is its rounding.
TEST(SoftFmaTest, Directed)
{
    const double up = 0x1.0000000000001p0; // 1 + e, e = 2^-52
    // (1 + e)^2 = 1 + 2e + e^2: a product alone loses e^2.
    EXPECT_EQ(libm::soft_fma(up, up, -0x1.0000000000002p0), 0x1p-104);
    EXPECT_EQ(libm::soft_fma(up, up, -1.0), 0x1.0000000000000p-51 + 0x1p-104);
    // 1 + e / 2 is a tie, and goes to even; anything more goes up.
    EXPECT_EQ(libm::soft_fma(0x1p-53, 1.0, 1.0), 1.0);
    EXPECT_EQ(libm::soft_fma(0x1p-53, up, 1.0), up);
    EXPECT_EQ(libm::soft_fma(0x1p-53, 1.0, up), 0x1.0000000000002p0);
    EXPECT_EQ(libm::soft_fma(kSmallest, kSmallest, up), up);
    EXPECT_EQ(libm::soft_fma(kSmallest, -kSmallest, 0x1p-1022), 0x1p-1022);
    // The product alone is a tie; an addend far below decides it.
    EXPECT_EQ(libm::soft_fma(0x1.0000004p0, 0x1.0000002p0, 0.0), 0x1.0000006p0);
    EXPECT_EQ(libm::soft_fma(0x1.0000004p0, 0x1.0000002p0, kSmallest), 0x1.0000006000001p0);
    EXPECT_EQ(libm::soft_fma(0x1.0000004p0, 0x1.0000002p0, -kSmallest), 0x1.0000006p0);
    // Half of the smallest subnormal: to even, so to 0; more than half: up.
    EXPECT_EQ(bits_of(libm::soft_fma(0x1p-537, -0x1p-538, 0.0)), bits_of(-0.0));
    EXPECT_EQ(libm::soft_fma(0x1p-537, 0x1.0000000000001p-538, 0.0), kSmallest);
    EXPECT_EQ(libm::soft_fma(0x1p-537, 0x1p-538, kSmallest), 2 * kSmallest);
    EXPECT_EQ(libm::soft_fma(0x1p-537, -0x1p-538, kSmallest), 0.0);
    // A product beyond the range that the addend brings back.
    EXPECT_EQ(libm::soft_fma(kLargest, 2.0, -kLargest), kLargest);
    EXPECT_EQ(libm::soft_fma(kLargest, 1.0, 0x1p969), kLargest);
    EXPECT_EQ(libm::soft_fma(kLargest, 1.0, 0x1p970), kInfinity);
    // Signs of zero: exact cancellation is +0, a product that vanishes keeps its sign.
    EXPECT_EQ(bits_of(libm::soft_fma(2.0, 3.0, -6.0)), bits_of(0.0));
    EXPECT_EQ(bits_of(libm::soft_fma(-kSmallest, kSmallest, 0.0)), bits_of(-0.0));
    EXPECT_EQ(bits_of(libm::soft_fma(-0.0, 1.0, -0.0)), bits_of(-0.0));
    EXPECT_TRUE(std::isnan(libm::soft_fma(kInfinity, 1.0, -kInfinity)));
    EXPECT_TRUE(std::isnan(libm::soft_fma(kInfinity, 0.0, 1.0)));
    EXPECT_EQ(libm::soft_fma(1e300, 1e300, -kInfinity), -kInfinity);
}

#if defined(__x86_64__)
[[gnu::target("fma")]] float hardware_fma_float(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

/// The word of the device language, as host code and the emulator have it.
TEST(SoftFma, FloatsEqualHardware)
{
    if (!has_hardware_fma())
        GTEST_SKIP() << "this processor has no fma";
    RandomBits random(77);
    int64_t halves = 0;
    for (int i = 0; i < 3000000; ++i) {
        // Exponents around 1; few bits in half of the cases, so that sums are half-way.
        const auto operand = [&](uint32_t spread) {
            const auto bits = static_cast<uint32_t>(random.bits());
            const uint32_t mask = i % 2 == 0 ? 0x7fffffu : 0x7ff000u;
            return float_of_bits((bits & (0x80000000u | mask)) |
                                 (127 - spread / 2 + (bits >> 23 & 255) % spread) << 23);
        };
        const float a = operand(4);
        const float b = operand(4);
        const float c = i % 3 == 0 ? operand(4) * 0x1p-24F : operand(80);
        const float wanted = hardware_fma_float(a, b, c);
        halves += a * b + c != wanted ? 1 : 0;
        ASSERT_EQ(bits_of_float(multiply_add(a, b, c)), bits_of_float(wanted))
            << a << " " << b << " " << c;
    }
    EXPECT_GT(halves, 1000); // where two roundings would show
}
#endif

} // namespace
} // namespace vmafgpu
