// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of xpsnr that plain and fast code share: geometry of blocks, their weights, and sums of
// weighted errors, in double and in FFmpeg's order. A subject of its own, because both forms need
// it. Pixel work: xpsnr_cpu.cpp, xpsnr_ref.cpp.
#include <algorithm>
#include <cmath>

#include "features/xpsnr/xpsnr.h"

namespace vmafgpu::xpsnr {

namespace {

constexpr double kUhdSamples = 3840.0 * 2160.0;
constexpr int64_t kLargeSamples = 2048 * 1152;
constexpr int64_t kSmoothedSamples = 640 * 480;

/// A block's weight from its activity: 1 / the root of its square.
double weight_of(const Config &config, const Block &block, int column, int row)
{
    const Area inner = inner_area(config, column, row);
    if (inner.width() <= 0 || inner.height() <= 0)
        return 1;
    const Area area = block_area(config, 0, column, row);
    double activity =
        static_cast<double>(block.in_space) / (static_cast<double>(inner.width()) * inner.height());
    activity +=
        static_cast<double>(block.in_time) / (static_cast<double>(area.width()) * area.height());
    activity = std::max(activity, static_cast<double>(1 << (config.format.depth - 6)));
    return 1 / std::sqrt(activity * activity);
}

/// Limits the weight before `at` to the larger one of its neighbours, as far as they are known.
/// FFmpeg does so while it goes over the blocks; the order is part of the result.
void smooth(const Config &config, double *weights, int column, int row)
{
    const int columns = config.columns();
    const int at = row * columns + column;
    double limit = 0;
    if (column == 0)
        limit = at > 1 ? weights[at - 2] : 0;
    else
        limit = column > 1 ? std::max(weights[at - 2], weights[at]) : weights[at];
    if (at > columns)
        limit = std::max(limit, weights[at - 1 - columns]);
    if (at > 0)
        weights[at - 1] = std::min(weights[at - 1], limit);
    const bool is_last = column + 1 == columns && row + 1 == config.rows();
    if (is_last && at > columns)
        weights[at] = std::min(weights[at], std::max(weights[at - 1], weights[at - columns]));
}

} // namespace

Config config_of(const Format &format, bool has_chroma, int frame_rate)
{
    const int64_t samples = static_cast<int64_t>(format.width) * format.height;
    const double ratio = static_cast<double>(samples) / kUhdSamples;
    Config config;
    config.format = format;
    config.planes = has_chroma && format.chroma != Chroma::k400 ? kPlanes : 1;
    config.is_fast = frame_rate >= kFastRate;
    // FFmpeg adds a half and cuts. The sum is rounded, too, so that lround() may differ.
    const double quarter = 32 * std::sqrt(ratio) + 0.5;
    config.block = 4 * static_cast<int>(quarter);
    config.is_large = samples > kLargeSamples;
    config.smooths = samples <= kSmoothedSamples;
    config.scale = std::sqrt(16 * static_cast<double>(1 << (2 * format.depth - 9)) /
                             std::sqrt(std::max(0.00001, ratio)));
    return config;
}

Area block_area(const Config &config, int plane, int column, int row)
{
    const int width = config.block_width(plane);
    const int height = config.block_height(plane);
    return {column * width, std::min((column + 1) * width, config.format.plane_width(plane)),
            row * height, std::min((row + 1) * height, config.format.plane_height(plane))};
}

Area inner_area(const Config &config, int column, int row)
{
    const int border = config.is_large ? 2 : 1;
    Area area = block_area(config, 0, column, row);
    area.first_x += column == 0 ? border : 0;
    area.first_y += row == 0 ? border : 0;
    area.last_x -= area.last_x == config.format.width ? border : 0;
    area.last_y -= area.last_y == config.format.height ? border : 0;
    return area;
}

Sums weighted_sums(const Config &config, const Block *blocks, double *weights)
{
    const int columns = config.columns();
    const int count = columns * config.rows();
    for (int i = 0; i < count; ++i) {
        weights[i] = weight_of(config, blocks[i], i % columns, i / columns);
        if (config.smooths)
            smooth(config, weights, i % columns, i / columns);
    }
    Sums sums = {};
    for (int plane = 0; plane < config.planes; ++plane) {
        double error = 0;
        for (int i = 0; i < count; ++i)
            error += static_cast<double>(blocks[i].squares[plane]) * weights[i];
        const double scaled = error * config.scale + 0.5; // rounded as for the block
        sums.errors[plane] = error <= 0 ? 0 : static_cast<uint64_t>(scaled);
    }
    return sums;
}

} // namespace vmafgpu::xpsnr
