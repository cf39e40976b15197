// SPDX-License-Identifier: BSD-2-Clause-Patent
// See scale_filter.h. All of it is integers, but for one comparison with a fraction.
#include "scaler/scale_filter.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.h"

namespace vmafgpu {
namespace {

/// Weights while they are computed: `reach` of each result, 64 bits each.
struct WideFilter {
    int from, to;
    int reach;
    int64_t one; ///< the scale of weights; a filter's add up to about 6 of it
    std::vector<int64_t> first;
    std::vector<int64_t> weight;

    int64_t *of(int result)
    {
        return weight.data() + static_cast<size_t>(result) * static_cast<size_t>(reach);
    }
};

/// Mitchell and Netravali's cubic with B = 0 and C = 0.6, times 6 * 2^54. distance: 2^30 is one.
int64_t cubic(int64_t distance)
{
    constexpr int64_t kUnit = 1 << 24;
    constexpr int64_t kC = 10066329; // 0.6 * kUnit, rounded down
    if (distance >= static_cast<int64_t>(2) << 30)
        return 0;
    const int64_t square = (distance * distance) >> 30;
    const int64_t cube = (square * distance) >> 30;
    if (distance < static_cast<int64_t>(1) << 30)
        return (12 * kUnit - 6 * kC) * cube + (6 * kC - 18 * kUnit) * square +
               6 * kUnit * (static_cast<int64_t>(1) << 30);
    return -6 * kC * cube + 30 * kC * square - 48 * kC * distance +
           24 * kC * (static_cast<int64_t>(1) << 30);
}

int floor_log2(int value)
{
    int log = 0;
    while (value >> (log + 1) != 0)
        ++log;
    return log;
}

/// The filter as formulas give it: taps may lie outside, and many are near 0.
WideFilter raw_filter(int from, int to)
{
    const int64_t step = ((static_cast<int64_t>(from) << 16) + (to >> 1)) / to;
    WideFilter wide = {from, to, 1, 0, {}, {}};
    wide.one = static_cast<int64_t>(1) << (54 - std::min(floor_log2(std::max(from / to, 1)), 8));
    wide.first.resize(static_cast<size_t>(to));
    const bool is_copy = std::abs(step - 65536) < 10;
    const bool is_wider = step > 65536;
    if (!is_copy) {
        const int64_t whole = is_wider ? 1 + (static_cast<int64_t>(from) * 4 + to - 1) / to : 5;
        wide.reach = static_cast<int>(std::max<int64_t>(std::min<int64_t>(whole, from - 2), 1));
    }
    wide.weight.assign(static_cast<size_t>(to) * static_cast<size_t>(wide.reach), 0);
    for (int i = 0; i < to; ++i) {
        if (is_copy) {
            wide.first[static_cast<size_t>(i)] = i;
            *wide.of(i) = wide.one;
            continue;
        }
        // Half of 1/65536 of a sample. Division rounds to 0, so left of the picture it rounds up.
        const int64_t centre = (2 * static_cast<int64_t>(i) + 1) * step - 65536;
        const int64_t first =
            (centre - (static_cast<int64_t>(wide.reach) - 2) * 65536) / (2 * 65536);
        wide.first[static_cast<size_t>(i)] = first;
        for (int tap = 0; tap < wide.reach; ++tap) {
            int64_t distance = std::abs((first + tap) * (2 * 65536) - centre) << 13;
            if (is_wider)
                distance = distance * to / from;
            wide.of(i)[tap] = cubic(distance) / ((static_cast<int64_t>(1) << 54) / wide.one);
        }
    }
    return wide;
}

/// Drops weights near 0 on both sides: on the left by moving the filter. Returns the taps left.
int drop_small(WideFilter &wide)
{
    const double most = 0.002 * static_cast<double>(wide.one);
    int taps = 0;
    for (int i = wide.to - 1; i >= 0; --i) {
        int64_t *weight = wide.of(i);
        int64_t &first = wide.first[static_cast<size_t>(i)];
        int64_t dropped = 0;
        for (int n = 0; n < wide.reach; ++n) {
            dropped += std::abs(weight[0]);
            const bool would_pass =
                i < wide.to - 1 && first >= wide.first[static_cast<size_t>(i) + 1];
            if (static_cast<double>(dropped) > most || would_pass)
                break;
            std::copy(weight + 1, weight + wide.reach, weight);
            weight[wide.reach - 1] = 0;
            ++first;
        }
        int used = wide.reach;
        dropped = 0;
        for (int tap = wide.reach - 1; tap > 0; --tap) {
            dropped += std::abs(weight[tap]);
            if (static_cast<double>(dropped) > most)
                break;
            --used;
        }
        taps = std::max(taps, used);
    }
    return taps;
}

int64_t rounded_quotient(int64_t value, int64_t divisor)
{
    const int64_t half = divisor >> 1;
    return (value >= 0 ? value + half : value - half) / divisor;
}

/// Weights of one result as integers that add up to `unit`: each takes over the one before's error.
void normalise(const std::vector<int64_t> &wide, int unit, int16_t *weight, const ScaleFilter &all)
{
    int64_t sum = 0;
    for (const int64_t value : wide)
        sum += value;
    sum = (sum + unit / 2) / unit;
    int64_t error = 0;
    bool is_clear = sum != 0;
    for (size_t tap = 0; tap < wide.size() && is_clear; ++tap) {
        const int64_t value = wide[tap] + error;
        const int64_t rounded = rounded_quotient(value, sum);
        is_clear = rounded >= INT16_MIN && rounded <= INT16_MAX;
        weight[tap] = static_cast<int16_t>(rounded);
        error = value - rounded * sum;
    }
    // libswscale pads filters as the processor likes. A padding tap would take over half a unit.
    if (!is_clear || rounded_quotient(error, sum) != 0)
        throw Error(EINVAL, "scaling " + std::to_string(all.from) + " samples to " +
                                std::to_string(all.to) +
                                " is not supported: the result of FFmpeg depends on the processor");
}

} // namespace

ScaleFilter make_scale_filter(int from, int to, int unit)
{
    WideFilter wide = raw_filter(from, to);
    ScaleFilter filter;
    filter.from = from;
    filter.to = to;
    filter.taps = drop_small(wide);
    filter.first.resize(static_cast<size_t>(to));
    filter.weight.resize(static_cast<size_t>(to) * static_cast<size_t>(filter.taps));
    std::vector<int64_t> inside(static_cast<size_t>(filter.taps));
    for (int i = 0; i < to; ++i) {
        const int64_t before = wide.first[static_cast<size_t>(i)];
        const int64_t first =
            std::clamp<int64_t>(before, 0, static_cast<int64_t>(from) - filter.taps);
        // Outside of the picture its first or last sample counts.
        std::fill(inside.begin(), inside.end(), 0);
        for (int tap = 0; tap < filter.taps; ++tap) {
            const int64_t at = std::clamp<int64_t>(before + tap, 0, from - 1);
            inside[static_cast<size_t>(at - first)] += wide.of(i)[tap];
        }
        filter.first[static_cast<size_t>(i)] = static_cast<int32_t>(first);
        normalise(inside, unit,
                  filter.weight.data() + static_cast<size_t>(i) * static_cast<size_t>(filter.taps),
                  filter);
    }
    return filter;
}

} // namespace vmafgpu
