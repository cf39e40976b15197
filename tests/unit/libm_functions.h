// SPDX-License-Identifier: BSD-2-Clause-Patent
// The elementary functions, ours and the C library's, with the arguments at which they are
// tried and the checksums of their results. Shared by test_libm.cpp and print_bits.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "libm/libm.h"
#include "random_bits.h"

namespace vmafgpu {

constexpr float kThird = 1.0F / 3.0F;

struct Arguments {
    double x, y;
};

/// A function of one or two doubles, ours and the C library's, and where to try it.
struct Function {
    const char *name;
    double (*ours)(double, double);
    double (*system)(double, double);
    Arguments (*random)(RandomBits &random);
    bool is_binary;
    uint64_t checksum; ///< checksum of the first kChecked results
};

constexpr int64_t kChecked = 200000;

inline Arguments exp_random(RandomBits &random)
{
    switch (random.below(8)) {
    case 0:
        return {random.any(), 0};
    case 1:
        return {random.between(-750, 715), 0};
    case 2: // results that are subnormal
        return {random.between(-746, -707), 0};
    case 3:
        return {random.between(-0x1p-20, 0x1p-20), 0};
    default: // a support vector's distance
        return {random.between(-30, 1), 0};
    }
}

inline Arguments pow_random(RandomBits &random)
{
    switch (random.below(10)) {
    case 0:
        return {random.any(), random.any()};
    case 1: // results that are subnormal
        return {random.between(0.4, 0.6), random.between(700, 1100)};
    case 2: // subnormal arguments
        return {random.between(0, 0x1p-1022), random.between(-1.1, 1.1)};
    case 3:
        return {random.between(-100, 100),
                static_cast<double>(static_cast<int64_t>(random.below(401)) - 200)};
    case 4:
        return {random.between(0.999, 1.001), random.between(-600000, 600000)};
    case 5: // the spread of an ensemble's scores
        return {random.between(-100, 100), 2};
    case 6: // ADM's and CAMBI's set-up
        return {10, random.between(-5, 5)};
    case 7:
        return {random.between(0, 2), random.between(0, 7)};
    default:
        return {std::fabs(random.any()), random.between(-2, 2)};
    }
}

inline Arguments powf_random(RandomBits &random)
{
    switch (random.below(6)) {
    case 0:
        return {random.any_float(), random.any_float()};
    case 1: // subnormal results
        return {random.between(0.4, 0.6), random.between(90, 130)};
    case 2:
        return {random.between(-10, 10),
                static_cast<double>(static_cast<int64_t>(random.below(81)) - 40)};
    case 3:
        return {std::fabs(random.any_float()), random.between(-2, 2)};
    default: // ADM's cube root
        return {std::fabs(random.any_float()), kThird};
    }
}

inline Arguments log_random(RandomBits &random)
{
    switch (random.below(6)) {
    case 0:
        return {random.any(), 0};
    case 1:
        return {random.between(0, 0x1p-1022), 0};
    case 2:
        return {random.between(0.95, 1.05), 0};
    case 3: // SpEED: 1 + variance, as a float
        return {static_cast<float>(random.between(1, 70000)), 0};
    case 4:
        return {random.between(0.4, 4), 0};
    default:
        return {std::fabs(random.any()), 0};
    }
}

inline Arguments sin_random(RandomBits &random)
{
    constexpr double kPi = 3.14159265358979323846;
    switch (random.below(6)) {
    case 0:
        return {random.between(-1e8, 1e8), 0};
    case 1:
        return {random.between(-1, 1), 0};
    case 2: // near multiples of pi / 2
        return {static_cast<double>(random.below(1000)) * (kPi / 2) +
                    random.between(-0x1p-10, 0x1p-10),
                0};
    case 3:
        return {random.any() * 0x1p-512, 0};
    default: // Lanczos
        return {kPi * static_cast<float>(random.between(-4, 4)), 0};
    }
}

inline Arguments atan2_random(RandomBits &random)
{
    switch (random.below(8)) {
    case 0:
        return {random.any(), random.any()};
    case 1: // exponents near each other, at any scale
        return {random.any() * 0x1p-512, random.any() * 0x1p-512};
    case 2: // ratios around the first entry of the table
        return {random.between(-0.07, 0.07), random.between(-1, 1)};
    case 3: // hardly a slope, and hardly none
        return {random.between(-1, 1) * 0x1p-50, random.between(-1, 1)};
    case 4:
        return {random.between(-1, 1), random.between(-1, 1) * 0x1p-50};
    default: // CIEDE's a and b
        return {static_cast<float>(random.between(-130, 130)),
                static_cast<float>(random.between(-130, 130))};
    }
}

template <double (*kFunction)(double)> double of_one(double x, double)
{
    return kFunction(x);
}
template <float (*kFunction)(float, float)> double of_floats(double x, double y)
{
    return kFunction(static_cast<float>(x), static_cast<float>(y));
}

constexpr Function kFunctions[] = {
    {"exp", of_one<libm::exp>, of_one<std::exp>, exp_random, false, 0xb30e01468a4b8245},
    {"pow", libm::pow, std::pow, pow_random, true, 0x4d14485770ed153a},
    {"powf", of_floats<libm::powf>, of_floats<::powf>, powf_random, true, 0xc553d8bb333d9606},
    {"log2", of_one<libm::log2>, of_one<std::log2>, log_random, false, 0x10345660d4fc4bc5},
    {"log10", of_one<libm::log10>, of_one<std::log10>, log_random, false, 0x185eb1bffadd2859},
    {"sin", of_one<libm::sin>, of_one<std::sin>, sin_random, false, 0xc273b27c636a5fad},
    {"cos", of_one<libm::cos>, of_one<std::cos>, sin_random, false, 0x665b916058bfc62e},
    {"atan2", libm::atan2, std::atan2, atan2_random, true, 0x50678b83a04641f5},
};

inline uint64_t bits_of(double value)
{
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return std::isnan(value) ? 0x7ff8000000000000 : bits; // NaN has no sign here
}

/// sin and cos are not made for numbers beyond 1e8.
inline bool is_in_domain(const Function &function, double x)
{
    const bool is_wave =
        std::strcmp(function.name, "sin") == 0 || std::strcmp(function.name, "cos") == 0;
    return !is_wave || !(std::fabs(x) >= 1e8);
}

inline Arguments arguments_in_domain(const Function &function, RandomBits &random)
{
    for (;;) {
        const Arguments at = function.random(random);
        if (is_in_domain(function, at.x))
            return at;
    }
}

/// FNV-1a over the bytes of the first kChecked results.
inline uint64_t checksum_of(const Function &function, double (*compute)(double, double))
{
    RandomBits random(0xc0de);
    uint64_t sum = 0xcbf29ce484222325;
    for (int64_t i = 0; i < kChecked; ++i) {
        const Arguments at = arguments_in_domain(function, random);
        const uint64_t bits = bits_of(compute(at.x, at.y));
        for (int byte = 0; byte < 8; ++byte)
            sum = (sum ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3;
    }
    return sum;
}

} // namespace vmafgpu
