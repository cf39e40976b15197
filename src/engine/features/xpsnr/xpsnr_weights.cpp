// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of xpsnr that plain and fast code share: the size of blocks, and sums of weighted
// errors. A subject of its own, because both forms need it. Arithmetic: xpsnr.h; pixel work:
// xpsnr_cpu.cpp, xpsnr_ref.cpp, xpsnr_kernels.cpp.
#include <algorithm>
#include <cmath>

#include "features/xpsnr/xpsnr.h"

namespace vmafgpu::xpsnr {

namespace {

constexpr double kUhdSamples = 3840.0 * 2160.0;
constexpr int64_t kLargeSamples = 2048 * 1152;
constexpr int64_t kSmoothedSamples = 640 * 480;

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
    for (int p = 0; p < kPlanes; ++p) {
        config.width[p] = format.plane_width(p);
        config.height[p] = format.plane_height(p);
        const auto of_block = [&](int side, int side_of_luma) {
            return config.block == 0
                       ? side
                       : static_cast<int>(int64_t{config.block} * side / side_of_luma);
        };
        config.block_width[p] = of_block(config.width[p], format.width);
        config.block_height[p] = of_block(config.height[p], format.height);
    }
    config.columns = divide_up(config.width[0], config.block_width[0]);
    config.rows = divide_up(config.height[0], config.block_height[0]);
    config.is_large = samples > kLargeSamples;
    config.smooths = samples <= kSmoothedSamples;
    config.scale = std::sqrt(16 * static_cast<double>(1 << (2 * format.depth - 9)) /
                             std::sqrt(std::max(0.00001, ratio)));
    return config;
}

Sums weighted_sums(const Config &config, const Block *blocks, double *weights)
{
    const int columns = config.columns;
    const int count = columns * config.rows;
    for (int i = 0; i < count; ++i) {
        weights[i] = weight_of(config, blocks[i], i % columns, i / columns);
        if (config.smooths)
            smooth(config, weights, i);
    }
    Sums sums = {};
    for (int plane = 0; plane < config.planes; ++plane)
        sums.errors[plane] = weighted_error(config, blocks, weights, count, plane);
    return sums;
}

} // namespace vmafgpu::xpsnr
