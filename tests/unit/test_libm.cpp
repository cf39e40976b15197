// SPDX-License-Identifier: BSD-2-Clause-Patent
// Every elementary function of the engine against the C library's, bit by bit,
// where that is the definition: glibc 2.28 or later on a CPU with FMA. Everywhere, its two forms
// against each other and against checksums that were taken there. GLIBC_TUNABLES hides FMA from
// glibc, VMAFGPU_FMA=software from the engine. VMAFGPU_LIBM_COUNT: arguments per function.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "libm/fma.h"
#include "libm/libm.h"
#include "libm_functions.h"
#include "random_bits.h"

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace vmafgpu {

inline void PrintTo(const Function &function, std::ostream *out)
{
    *out << function.name;
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// And their negatives.
// clang-format off
constexpr double kSpecialMagnitudes[] = {
    0.0, 0x1p-1074, 0x1.8p-1073, 0x1p-1023, 0x1.fffffffffffffp-1023, 0x1p-1022, 0x1p-150, 0x1p-149,
    0x1.8p-140, 0x1p-126, 0x1p-66, 0x1p-65, 0x1p-54, 0x1p-27, 0x1p-26, 0.126, 0.25, 1.0 / 3, 0.5,
    0x1.fffffep-1, 0x1.fffffffffffffp-1, 1.0, 0x1.0000000000001p0, 0x1.000002p0, 1.5, 2.0, 2.5, 3.0,
    4.0, 5.0, 7.0, 10.0, 12.0, 20.0, 100.0, 127.0, 128.0, 149.5, 150.0, 709.0, 0x1.62e42fefa39efp9,
    0x1.62e42fefa39fp9, 744.0, 745.1, 746.0, 1023.0, 1024.0, 1075.0, 0x1.fffffep127, 0x1p128,
    0x1p52, 0x1.8p52, 0x1.fffffffffffffp52, 0x1p53, 0x1p54, 0x1p62, 0x1p63, 0x1p64,
    0x1.fffffffffffffp1023, kInfinity,
};
// clang-format on

/// Every pair of these is tried too.
const std::vector<double> &special_values()
{
    static const std::vector<double> values = [] {
        std::vector<double> list = {kNan};
        for (const double v : kSpecialMagnitudes) {
            list.push_back(v);
            list.push_back(-v);
        }
        return list;
    }();
    return values;
}

std::string describe(const Function &function, const Arguments &at, double got, double wanted)
{
    char text[200];
    std::snprintf(text, sizeof text, "%s(%a, %a) is %a, not %a", function.name, at.x, at.y, got,
                  wanted);
    return text;
}

int64_t argument_count()
{
    const char *text = std::getenv("VMAFGPU_LIBM_COUNT");
    return text != nullptr ? std::atoll(text) : 1000000;
}

/// Why the C library's function is not the definition here; empty if it is.
std::string why_no_reference(const Function &function)
{
#if !defined(__GLIBC__)
    static_cast<void>(function);
    return "the C library is not glibc";
#else
    if (std::strtod(gnu_get_libc_version(), nullptr) < 2.275)
        return "glibc is older than 2.28";
    if (std::strcmp(function.name, "atan2") == 0 &&
        std::strtod(gnu_get_libc_version(), nullptr) < 2.335)
        return "glibc is older than 2.34";
    const char *tunables = std::getenv("GLIBC_TUNABLES");
    if (tunables != nullptr && std::strstr(tunables, "hwcaps") != nullptr)
        return "GLIBC_TUNABLES changes what glibc knows of the CPU";
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
        return "the CPU has no FMA";
    return "";
#elif defined(__aarch64__)
    return "";
#else
    return "the CPU is neither x86-64 nor AArch64";
#endif
#endif
}

class LibmTest : public testing::TestWithParam<Function> {
protected:
    void TearDown() override { libm::set_fma(initial_); }

    const libm::Fma initial_ = libm::fma_in_use();
};

TEST_P(LibmTest, EqualsSystem)
{
    const Function &function = GetParam();
    const std::string missing = why_no_reference(function);
    if (!missing.empty())
        GTEST_SKIP() << "NOT COMPARED with the C library: " << missing;
    RandomBits random(0x5eed);
    const int64_t count = argument_count();
    ASSERT_GE(count, 1000);
    int64_t different = 0;
    int64_t numbers = 0;
    for (int64_t i = 0; i < count; ++i) {
        const Arguments at = arguments_in_domain(function, random);
        const double wanted = function.system(at.x, at.y);
        const double got = function.ours(at.x, at.y);
        numbers += std::isnormal(wanted) ? 1 : 0;
        if (bits_of(got) != bits_of(wanted) && ++different <= 5)
            ADD_FAILURE() << describe(function, at, got, wanted);
    }
    EXPECT_EQ(different, 0) << "of " << count;
    EXPECT_GT(numbers, count / 2) << "most results must be normal numbers";
    RecordProperty("arguments", std::to_string(count));
}

TEST_P(LibmTest, SpecialValues)
{
    const Function &function = GetParam();
    const std::string missing = why_no_reference(function);
    if (!missing.empty())
        GTEST_SKIP() << "NOT COMPARED with the C library: " << missing;
    const std::vector<double> &values = special_values();
    const std::vector<double> second = function.is_binary ? values : std::vector<double>{0};
    for (const double x : values)
        for (const double y : second) {
            if (!is_in_domain(function, x))
                continue;
            const double wanted = function.system(x, y);
            for (const libm::Fma form : {libm::Fma::kHardware, libm::Fma::kSoftware}) {
                libm::set_fma(form);
                const double got = function.ours(x, y);
                EXPECT_EQ(bits_of(got), bits_of(wanted)) << describe(function, {x, y}, got, wanted);
            }
        }
}

TEST_P(LibmTest, FormsAreEqual)
{
    libm::set_fma(libm::Fma::kHardware);
    if (libm::fma_in_use() != libm::Fma::kHardware)
        GTEST_SKIP() << "NOT COMPARED with hardware fma: the CPU has none";
    const Function &function = GetParam();
    RandomBits random(0xf0f);
    for (int64_t i = 0; i < argument_count() / 4; ++i) {
        const Arguments at = arguments_in_domain(function, random);
        libm::set_fma(libm::Fma::kHardware);
        const double wanted = function.ours(at.x, at.y);
        libm::set_fma(libm::Fma::kSoftware);
        const double got = function.ours(at.x, at.y);
        ASSERT_EQ(bits_of(got), bits_of(wanted)) << describe(function, at, got, wanted);
    }
}

/// The checksums were taken where EqualsSystem compares; they say the same of every other platform.
TEST_P(LibmTest, Checksums)
{
    const Function &function = GetParam();
    for (const libm::Fma form : {libm::Fma::kHardware, libm::Fma::kSoftware}) {
        libm::set_fma(form);
        const uint64_t sum = checksum_of(function, function.ours);
        EXPECT_EQ(sum, function.checksum) << std::hex << "0x" << sum;
    }
}

/// A run that is to show what a CPU without FMA does must be one: glibc chooses by hwcaps.
TEST(LibmHiddenTest, SystemHasNoFma)
{
    const char *tunables = std::getenv("GLIBC_TUNABLES");
    if (tunables == nullptr || std::strstr(tunables, "hwcaps") == nullptr)
        GTEST_SKIP() << "only where GLIBC_TUNABLES hides FMA";
    EXPECT_EQ(libm::fma_in_use(), libm::Fma::kSoftware) << "VMAFGPU_FMA=software is missing";
    for (const Function &function : kFunctions) {
        if (std::strcmp(function.name, "powf") == 0)
            continue; // equal without FMA too
        EXPECT_NE(checksum_of(function, function.system), function.checksum) << function.name;
    }
}

TEST(LibmSinTest, BeyondItsDomain)
{
    for (const double x : {1e8, -1e8, 1e300, kInfinity, -kInfinity, kNan})
        EXPECT_TRUE(std::isnan(libm::sin(x)) && std::isnan(libm::cos(x))) << x;
}

INSTANTIATE_TEST_SUITE_P(Functions, LibmTest, testing::ValuesIn(kFunctions),
                         [](const auto &info) { return std::string(info.param.name); });

/// Logs show it: libvmaf's have "-nan" where x86 divides 0 by 0.
TEST(Libm, ResultsThatDoNotExistHaveTheSignOfX86)
{
    for (const double none : {libm::pow(-2, 0.5), static_cast<double>(libm::powf(-2, 1.0F / 3)),
                              libm::log2(-1), libm::log10(-1)}) {
        EXPECT_TRUE(std::isnan(none));
        EXPECT_TRUE(std::signbit(none));
    }
}

} // namespace
} // namespace vmafgpu
