// SPDX-License-Identifier: BSD-2-Clause-Patent
// The flags that decide what a floating-point expression means, read back from
// the build: equality with the reference rests on them, so nobody may
// "optimise" them away. Device compilers are found in build.ninja.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

const char *const kBuildRoot = VMAFGPU_BUILD_ROOT; // defined by tests/unit/meson.build

std::string read_file(const std::string &path)
{
    std::ifstream file(path);
    EXPECT_TRUE(file.good()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> words(const std::string &command)
{
    std::istringstream stream(command);
    return {std::istream_iterator<std::string>(stream), {}};
}

void expect_strict(const std::vector<std::string> &command, const std::string &what)
{
    const char *const forbidden[] = {"-ffast-math",
                                     "-Ofast",
                                     "-funsafe-math-optimizations",
                                     "-fassociative-math",
                                     "-freciprocal-math",
                                     "-ffinite-math-only",
                                     "-fno-signed-zeros",
                                     "-fsingle-precision-constant",
                                     "-mfpmath=387",
                                     "-ffp-contract=fast",
                                     "-ffp-contract=on",
                                     "-ffp-model=fast",
                                     "-mrecip",
                                     "-fmad=true",
                                     "--use_fast_math",
                                     "-use_fast_math"};
    for (const std::string &word : command)
        for (const char *flag : forbidden)
            EXPECT_NE(flag, word) << what;
}

bool has(const std::vector<std::string> &command, const std::string &flag)
{
    for (const std::string &word : command)
        if (word == flag)
            return true;
    return false;
}

TEST(numeric_flags, every_engine_source)
{
    const auto commands =
        nlohmann::json::parse(read_file(std::string(kBuildRoot) + "/compile_commands.json"));
    int engine_sources = 0;
    for (const auto &entry : commands) {
        const std::string file = entry.at("file");
        const auto command = words(entry.at("command"));
        expect_strict(command, file);
        EXPECT_TRUE(has(command, "-ffp-contract=off")) << file;
        engine_sources += file.find("src/engine/") != std::string::npos;
    }
    EXPECT_GT(engine_sources, 20); // fewer sources would mean that they lie elsewhere
}

/// Commands of device compilers: nvcc to a fat binary, clang to a code object.
TEST(numeric_flags, every_device_compiler)
{
    std::istringstream ninja(read_file(std::string(kBuildRoot) + "/build.ninja"));
    std::string line;
    int commands = 0;
    while (std::getline(ninja, line)) {
        const auto command = words(line);
        const bool is_nvcc = has(command, "-fatbin") || has(command, "--fatbin");
        const bool is_clang = has(command, "--cuda-device-only") || has(command, "--genco");
        if (!is_nvcc && !is_clang)
            continue;
        ++commands;
        expect_strict(command, line);
        const bool is_strict = is_nvcc ? has(command, "-fmad=false") || has(command, "--fmad=false")
                                       : has(command, "-ffp-contract=off");
        EXPECT_TRUE(is_strict) << line;
    }
    if (commands == 0)
        GTEST_SKIP() << "SKIP: this build compiles no device code";
}

// With the instruction at hand and no -ffp-contract=off, gcc would fuse these.
#if defined(__x86_64__) && defined(__GNUC__)
#define VMAFGPU_TEST_FMA __attribute__((target("fma"), noinline))
#else
#define VMAFGPU_TEST_FMA __attribute__((noinline))
#endif

VMAFGPU_TEST_FMA double multiply_add(double a, double b, double c)
{
    return a * b + c;
}
VMAFGPU_TEST_FMA float multiply_add(float a, float b, float c)
{
    return a * b + c;
}

TEST(numeric_flags, reg23_products_are_rounded_before_the_sum)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (!__builtin_cpu_supports("fma"))
        GTEST_SKIP() << "SKIP: this CPU has no FMA, nothing could be fused";
#endif
    volatile double a = 1 + 0x1p-27; // a * a = 1 + 2^-26 + 2^-54
    EXPECT_EQ(0.0, multiply_add(a, a, -(1 + 0x1p-26)));
    volatile float f = 1 + 0x1p-13F;
    EXPECT_EQ(0.0F, multiply_add(f, f, -(1 + 0x1p-12F)));
}

TEST(numeric_flags, division_and_square_root_are_ieee)
{
    volatile float one = 1.0F;
    volatile float three = 3.0F;
    EXPECT_EQ(0x1.555556p-2F, one / three);
    volatile double two = 2.0;
    EXPECT_EQ(0x1.6a09e667f3bcdp+0, __builtin_sqrt(two));
    volatile float tiny = 0x1p-126F; // no flush to zero
    EXPECT_EQ(0x1p-127F, tiny / 2);
}

} // namespace
