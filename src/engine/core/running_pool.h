// SPDX-License-Identifier: BSD-2-Clause-Patent
// What stays of the values of a series that are not kept: sums and extremes in the order of the
// values, as pooling.cpp has them, and a histogram for percentiles. Its memory depends on the range
// of the values, not on their number.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

namespace vmafgpu {

/// Counts of values. A bin is 1/4096 of a power of two wide: 0.02 % of the value.
class Histogram {
public:
    /// Allocates what add() of this value needs.
    void prepare(double value) { bins_.try_emplace(key(value) / kBins); }
    void add(double value) { ++bins_[key(value) / kBins][key(value) % kBins]; }

    /// The middle of the bin of the value that has so many before it.
    double value_at(uint64_t before) const
    {
        for (const auto &[chunk, counts] : bins_)
            for (uint32_t i = 0; i < kBins; ++i) {
                if (before < counts[i])
                    return middle(chunk * kBins + i);
                before -= counts[i];
            }
        return NAN;
    }

private:
    static constexpr uint32_t kBins = 4096;
    static constexpr int kShift = 40; ///< sign, exponent and 12 bits stay
    static constexpr uint64_t kSign = uint64_t{1} << 63;

    /// Grows with the value.
    static uint32_t key(double value)
    {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
        return static_cast<uint32_t>(bits >> kShift);
    }
    static double middle(uint32_t key)
    {
        uint64_t bits = (static_cast<uint64_t>(key) << kShift) | (uint64_t{1} << (kShift - 1));
        bits = (bits & kSign) != 0 ? bits & ~kSign : ~bits;
        double value;
        std::memcpy(&value, &bits, sizeof(value));
        return std::isnan(value) ? std::copysign(INFINITY, value) : value; // the bin of infinity
    }

    std::map<uint32_t, std::array<uint64_t, kBins>> bins_;
};

/// How far values lie from their mean (Welford's method, value by value).
struct Spread {
    uint64_t count = 0;
    double mean = 0, squares = 0; ///< of the distances

    void add(double value)
    {
        const double before = value - mean;
        mean += before / static_cast<double>(++count);
        squares += before * (value - mean);
    }
};

struct RunningPool {
    double sum = 0, inverse_sum = 0, min = 0, max = 0;
    Spread spread;
    bool is_empty = true, has_nan = false;
    Histogram histogram;

    /// add() of this value cannot fail then.
    void prepare(double value)
    {
        if (!std::isnan(value))
            histogram.prepare(value);
    }
    void add(double value)
    {
        sum = sum + value;
        spread.add(value);
        inverse_sum = inverse_sum + 1.0 / (value + 1.0);
        if (is_empty || value < min)
            min = value;
        if (is_empty || value > max)
            max = value;
        is_empty = false;
        has_nan = has_nan || std::isnan(value);
        if (!std::isnan(value))
            histogram.add(value);
    }
};

} // namespace vmafgpu
