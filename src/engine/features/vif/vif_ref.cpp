// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF in plain loops: the reference code for vif_cpu.cpp and for the kernels. It follows
// docs/numerics/vif-motion.md line by line, and is not fast.
#include "features/vif/vif_ref.h"

#include <cstring>

namespace vmafgpu::vif {

namespace {

template <typename T> std::vector<uint16_t> load(const Plane &plane, int width, int height)
{
    std::vector<uint16_t> samples;
    samples.reserve(static_cast<size_t>(width) * height);
    for (int y = 0; y < height; ++y) {
        const T *row = plane_row<T>(plane, y);
        samples.insert(samples.end(), row, row + width);
    }
    return samples;
}

/// Vertical filter: the sum of taps * values in column x around row y. `product(i)` is the value at
/// index i of the plane.
template <typename Product>
uint64_t filter_column(int x, int y, int width, int height, int scale, Product product)
{
    const int half = kHalfWidth[scale];
    uint64_t sum = 0;
    for (int t = -half; t <= half; ++t) {
        const int row = mirror(y + t, height);
        const uint64_t tap = kFilter[scale][t + half];
        sum += tap * product(static_cast<size_t>(row) * width + x);
    }
    return sum;
}

/// Horizontal filter: the sum of taps * values in a row around column x.
uint64_t filter_row(const std::vector<uint32_t> &row, int x, int scale)
{
    const int half = kHalfWidth[scale];
    uint64_t sum = 0;
    for (int t = -half; t <= half; ++t) {
        const uint64_t tap = kFilter[scale][t + half];
        sum += tap * row[mirror(x + t, static_cast<int>(row.size()))];
    }
    return sum;
}

/// One row after the vertical filter: means and second moments.
struct Row {
    std::vector<uint32_t> mean1, mean2, square1, square2, both;
};

Row filter_columns(const Planes &planes, int y, int scale, int depth)
{
    const int shift_mean = mean_shift(scale, depth);
    const int shift_square = square_shift(scale, depth);
    const std::vector<uint16_t> &r = planes.reference;
    const std::vector<uint16_t> &d = planes.distorted;
    Row row;
    for (int x = 0; x < planes.width; ++x) {
        const auto filtered = [&](int shift, auto product) {
            const uint64_t sum = filter_column(x, y, planes.width, planes.height, scale, product);
            return static_cast<uint32_t>(round_shift(sum, shift));
        };
        row.mean1.push_back(filtered(shift_mean, [&](size_t i) { return uint64_t{r[i]}; }));
        row.mean2.push_back(filtered(shift_mean, [&](size_t i) { return uint64_t{d[i]}; }));
        row.square1.push_back(
            filtered(shift_square, [&](size_t i) { return uint64_t{r[i]} * r[i]; }));
        row.square2.push_back(
            filtered(shift_square, [&](size_t i) { return uint64_t{d[i]} * d[i]; }));
        row.both.push_back(filtered(shift_square, [&](size_t i) { return uint64_t{r[i]} * d[i]; }));
    }
    return row;
}

std::vector<uint16_t> halve(const std::vector<uint16_t> &plane, int width, int height, int scale,
                            int depth)
{
    std::vector<uint16_t> result;
    for (int y = 0; y < height / 2; ++y) {
        std::vector<uint32_t> column_sums;
        for (int x = 0; x < width; ++x) {
            const uint64_t sum = filter_column(x, 2 * y, width, height, scale + 1,
                                               [&](size_t i) { return uint64_t{plane[i]}; });
            column_sums.push_back(
                static_cast<uint32_t>(round_shift(sum, mean_shift(scale, depth))));
        }
        for (int x = 0; x < width / 2; ++x) {
            const uint64_t sum = filter_row(column_sums, 2 * x, scale + 1);
            result.push_back(static_cast<uint16_t>(round_shift(sum, 16)));
        }
    }
    return result;
}

} // namespace

Planes reference_load(const Format &format, const PairView &pair)
{
    const auto load_plane = format.depth > 8 ? load<uint16_t> : load<uint8_t>;
    Planes planes;
    planes.width = format.width;
    planes.height = format.height;
    planes.reference = load_plane(pair.reference[0], format.width, format.height);
    planes.distorted = load_plane(pair.distorted[0], format.width, format.height);
    return planes;
}

Planes reference_halve(const Planes &planes, int scale, int depth)
{
    Planes result;
    result.width = planes.width / 2;
    result.height = planes.height / 2;
    result.reference = halve(planes.reference, planes.width, planes.height, scale, depth);
    result.distorted = halve(planes.distorted, planes.width, planes.height, scale, depth);
    return result;
}

std::vector<Sigma> reference_sigma(const Planes &planes, int scale, int depth)
{
    std::vector<Sigma> sigmas;
    for (int y = 0; y < planes.height; ++y) {
        const Row row = filter_columns(planes, y, scale, depth);
        const auto moment = [&](const std::vector<uint32_t> &squares, int x) {
            return static_cast<uint32_t>(round_shift(filter_row(squares, x, scale), 16));
        };
        for (int x = 0; x < planes.width; ++x) {
            // The means keep the 16 fractional bits of the horizontal pass.
            const uint32_t m1 = static_cast<uint32_t>(filter_row(row.mean1, x, scale));
            const uint32_t m2 = static_cast<uint32_t>(filter_row(row.mean2, x, scale));
            sigmas.push_back({second_moment(moment(row.square1, x), m1, m1),
                              second_moment(moment(row.square2, x), m2, m2),
                              second_moment(moment(row.both, x), m1, m2)});
        }
    }
    return sigmas;
}

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    const Format &format = config.format;
    std::memset(&sums, 0, sizeof(sums));
    Planes planes = reference_load(format, pair);
    for (int scale = 0; scale < kScales; ++scale) {
        if (scale > 0)
            planes = reference_halve(planes, scale - 1, format.depth);
        if (scale == 0 && config.skip_scale0)
            continue;
        for (const Sigma &sigma : reference_sigma(planes, scale, format.depth))
            add_pixel(sigma, config.limits, config.limit_count, log2_table(), sums.scale[scale]);
    }
}

} // namespace vmafgpu::vif
