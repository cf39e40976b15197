// SPDX-License-Identifier: BSD-2-Clause-Patent
// Random numbers that are the same with every C and C++ library: bits, and
// doubles made from them by exact operations. Shared by the tests in this folder.
#pragma once

#include <cstdint>
#include <cstring>

class RandomBits {
public:
    explicit RandomBits(uint64_t seed) : state_(seed) {}

    uint64_t bits()
    {
        state_ += 0x9e3779b97f4a7c15;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    uint64_t below(uint64_t n) { return bits() % n; }
    /// Returns a number from `low` to `high`.
    double between(double low, double high)
    {
        const double unit = static_cast<double>(bits() >> 11) * 0x1p-53;
        return low + (high - low) * unit;
    }
    /// Any double: subnormals, infinities and NaN as well.
    double any()
    {
        const uint64_t pattern = bits();
        double value;
        std::memcpy(&value, &pattern, sizeof value);
        return value;
    }
    float any_float()
    {
        const auto pattern = static_cast<uint32_t>(bits());
        float value;
        std::memcpy(&value, &pattern, sizeof value);
        return value;
    }

private:
    uint64_t state_;
};
