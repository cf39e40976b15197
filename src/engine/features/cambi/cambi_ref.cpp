// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI in plain loops: the reference code for cambi_cpu.cpp and for the kernels. cambi.cpp and
// tests call it.
#include <algorithm>
#include <cstring>
#include <functional>

#include "features/cambi/cambi.h"

namespace vmafgpu::cambi {

namespace {

int to_ten_bits(int sample, int depth)
{
    return depth <= 10 ? sample << (10 - depth) : (sample + (1 << (depth - 11))) >> (depth - 10);
}

/// The picture at the target's size, nearest samples, as 10-bit levels.
RefLevels load(const Plane &plane, const Format &format, const Target &target)
{
    const std::vector<int32_t> columns = sample_map_of(format.width, target.width);
    const std::vector<int32_t> rows = sample_map_of(format.height, target.height);
    RefLevels levels(target.width, target.height);
    for (int y = 0; y < target.height; ++y) {
        for (int x = 0; x < target.width; ++x) {
            const int from_x = columns[static_cast<size_t>(x)];
            const int from_y = rows[static_cast<size_t>(y)];
            const int sample = format.depth > 8 ? plane_row<uint16_t>(plane, from_y)[from_x]
                                                : plane_row<uint8_t>(plane, from_y)[from_x];
            levels.at(x, y) = to_ten_bits(sample, format.depth);
        }
    }
    return levels;
}

/// Mean of 2x2 samples, rounded down: takes the dither of sources below 10 bits out.
RefLevels filter(const RefLevels &from)
{
    RefLevels to = from;
    for (int y = 0; y < from.height; ++y) {
        for (int x = 0; x < from.width; ++x) {
            const bool has_right = x + 1 < from.width;
            const bool has_lower = y + 1 < from.height;
            int sum = from.at(x, y);
            if (has_right)
                sum += from.at(x + 1, y);
            if (has_lower)
                sum += from.at(x, y + 1);
            if (has_right && has_lower)
                sum += from.at(x + 1, y + 1);
            to.at(x, y) = sum >> ((has_right ? 1 : 0) + (has_lower ? 1 : 0));
        }
    }
    return to;
}

/// 1 where enough pixels around equal their right and lower neighbours.
RefMask flat_regions(const RefLevels &levels, int threshold)
{
    const auto is_flat = [&](int x, int y) {
        if (x < 0 || y < 0 || x >= levels.width || y >= levels.height)
            return 0;
        const int level = levels.at(x, y);
        return (x + 1 == levels.width || levels.at(x + 1, y) == level) &&
                       (y + 1 == levels.height || levels.at(x, y + 1) == level)
                   ? 1
                   : 0;
    };
    RefMask flat(levels.width, levels.height);
    for (int y = 0; y < levels.height; ++y)
        for (int x = 0; x < levels.width; ++x)
            flat.at(x, y) = static_cast<uint8_t>(is_flat(x, y));
    RefMask mask(levels.width, levels.height);
    for (int y = 0; y < levels.height; ++y) {
        for (int x = 0; x < levels.width; ++x) {
            int count = 0;
            for (int v = std::max(0, y - kMaskHalf);
                 v <= std::min(levels.height - 1, y + kMaskHalf); ++v)
                for (int u = std::max(0, x - kMaskHalf);
                     u <= std::min(levels.width - 1, x + kMaskHalf); ++u)
                    count += flat.at(u, v);
            mask.at(x, y) = count > threshold ? 1 : 0;
        }
    }
    return mask;
}

template <typename T> RefImage<T> halve(const RefImage<T> &from)
{
    RefImage<T> to((from.width + 1) / 2, (from.height + 1) / 2);
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
            to.at(x, y) = from.at(2 * x, 2 * y);
    return to;
}

int mode(int a, int b, int c)
{
    if (a == b || a == c)
        return a;
    return b == c ? b : std::min({a, b, c});
}

/// Replaces each sample by the most frequent one of three, along rows, then down columns. Edges are
/// not filtered across; the first and the last row not at all.
RefLevels mode_filter(const RefLevels &from)
{
    RefLevels rows = from;
    for (int y = 0; y < from.height; ++y)
        for (int x = 1; x + 1 < from.width; ++x)
            rows.at(x, y) = mode(from.at(x - 1, y), from.at(x, y), from.at(x + 1, y));
    RefLevels to = from;
    for (int y = 1; y + 1 < from.height; ++y)
        for (int x = 0; x < from.width; ++x)
            to.at(x, y) = mode(rows.at(x, y - 1), rows.at(x, y), rows.at(x, y + 1));
    return to;
}

/// How often each level occurs among the marked pixels of a window that moves along a row.
class Window {
public:
    Window(const RefLevels &levels, const RefMask &mask, int y, int radius)
        : levels_(levels), mask_(mask), radius_(radius), top_(std::max(0, y - radius)),
          bottom_(std::min(levels.height - 1, y + radius)), counts_(1025 + 2 * kMaxSteps)
    {
        for (int x = 0; x < std::min(radius, levels.width); ++x)
            add(x, 1);
    }

    void move_to(int x)
    {
        if (x + radius_ < levels_.width)
            add(x + radius_, 1);
        if (x - radius_ > 0)
            add(x - radius_ - 1, -1);
    }
    int count(int level) const
    {
        const int at = level + kMaxSteps;
        return counts_[static_cast<size_t>(at)];
    }

private:
    void add(int x, int change)
    {
        for (int y = top_; y <= bottom_; ++y)
            if (mask_.at(x, y) != 0)
                // NOLINTNEXTLINE(bugprone-misplaced-widening-cast): a level has 16 bits
                counts_[static_cast<size_t>(levels_.at(x, y) + kMaxSteps)] += change;
    }

    const RefLevels &levels_;
    const RefMask &mask_;
    int radius_, top_, bottom_;
    std::vector<int> counts_;
};

float contrast(const Config &config, const Window &window, int level)
{
    const float *reciprocals = reciprocals_table();
    const int own = window.count(level);
    float largest = 0;
    for (int d = 1; d <= config.steps; ++d) {
        if (level > config.thresholds[d - 1] || level + config.steps + d <= config.floor)
            continue;
        const int other = std::max(window.count(level + d), window.count(level - d));
        const auto product = static_cast<float>(kWeights[d - 1] * own * other);
        largest = std::max(largest, product * reciprocals[own + other]);
    }
    return largest;
}

std::vector<float> contrasts(const Config &config, const RefLevels &levels, const RefMask &mask,
                             int radius)
{
    std::vector<float> c;
    for (int y = 0; y < levels.height; ++y) {
        Window window(levels, mask, y, radius);
        for (int x = 0; x < levels.width; ++x) {
            window.move_to(x);
            c.push_back(mask.at(x, y) != 0 ? contrast(config, window, levels.at(x, y)) : 0.0f);
        }
    }
    return c;
}

ScaleSums pool(std::vector<float> &c, int64_t k)
{
    std::vector<float> sorted = c;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    ScaleSums sums = {};
    for (int64_t i = 0; i < k; ++i) {
        uint32_t bits = 0;
        std::memcpy(&bits, &sorted[static_cast<size_t>(i)], sizeof(bits));
        if (bits == 0)
            break;
        sums.units += units_of(bits);
        sums.exponent = exponent_of(bits);
    }
    if (!is_exact_sum(sums)) {
        sums.is_ordered = 1;
        sums.ordered = ordered_sum(c.data(), static_cast<int64_t>(c.size()), k);
    }
    return sums;
}

} // namespace

std::vector<RefScale> ref_scales(const Plane &plane, const Format &format, const Config &config,
                                 int picture)
{
    const Target &target = config.target[picture];
    RefLevels levels = load(plane, format, target);
    if (config.is_filtered)
        levels = filter(levels);
    RefMask mask = flat_regions(levels, target.mask_threshold);
    std::vector<RefScale> scales;
    for (int scale = 0; scale < kScales; ++scale) {
        if (scale > 0 || config.is_halved) {
            levels = halve(levels);
            mask = halve(mask);
        }
        RefLevels unfiltered = levels;
        levels = mode_filter(levels);
        scales.push_back({std::move(unfiltered), levels, mask});
    }
    return scales;
}

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    std::memset(&sums, 0, sizeof(sums));
    const Plane *planes[2] = {&pair.distorted[0], &pair.reference[0]};
    for (int picture = 0; picture < config.pictures; ++picture) {
        const auto scales = ref_scales(*planes[picture], config.format, config, picture);
        for (int s = 0; s < kScales; ++s) {
            const RefScale &scale = scales[static_cast<size_t>(s)];
            std::vector<float> c =
                contrasts(config, scale.levels, scale.mask, config.target[picture].window / 2);
            sums.scale[picture][s] = pool(c, config.top_count(picture, s));
        }
    }
}

} // namespace vmafgpu::cambi
