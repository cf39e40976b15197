// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIM and MS-SSIM on a device, host side: the launches of a batch. ssim.cpp calls it; the kernels
// are in ssim_kernels.cpp.
#include "base/numeric.h"
#include "device/clear_args.h"
#include "device/device.h"
#include "features/feature.h"
#include "features/ssim/ssim.h"
#include "features/ssim/ssim_sum.h"

namespace vmafgpu::ssim {

namespace {

int groups_of(const Config &config, int scale)
{
    return config.has_pixels(scale) ? divide_up(config.pixels_y(scale), kGroupRows) : 0;
}

int tiles_y(const Config &config, int scale)
{
    return divide_up(groups_of(config, scale), kTileGroups);
}

/// A row begins at a multiple of 128 bytes.
int pitch_of(int width)
{
    return round_up(width, 32);
}

/// Scale 0 has planes of its own only if it is not the pictures.
bool has_planes(const Config &config, int scale)
{
    return scale > 0 || !config.starts_with_samples();
}

/// Fills in the scales; returns floats of planes and words of groups of a pair.
struct Sizes {
    int64_t floats = 0, words = 0;
};
Sizes set_scales(const Config &config, Args &args)
{
    Sizes sizes;
    int tiles = 0;
    for (int i = 0; i < config.scales; ++i) {
        Args::Scale &scale = args.scales[i];
        scale.width = config.scale_width[i];
        scale.height = config.scale_height[i];
        scale.pitch = pitch_of(scale.width);
        if (has_planes(config, i)) {
            for (int64_t &plane : scale.planes) {
                plane = sizes.floats;
                sizes.floats += int64_t{scale.pitch} * scale.height;
            }
        }
        scale.groups = sizes.words;
        sizes.words += int64_t{kMeans} * groups_of(config, i) * kGroupWords;
        scale.first_tile = tiles;
        if (!config.has_pixels(i))
            continue;
        scale.tiles_x = divide_up(config.pixels_x(i), kTileWidth);
        scale.tile_groups = divide_up(groups_of(config, i),
                                      tiles_y(config, i)); // the groups of a tile have equal height
        if (has_planes(config, i))
            tiles += scale.tiles_x * tiles_y(config, i);
    }
    return sizes;
}

Args make_args(const Config &config, const BatchView &batch)
{
    Args args = {};
    for (int i = 0; i < batch.count; ++i) {
        const PairView &pair = batch.pairs[i];
        args.pairs[i] = {{pair.reference[0].data, pair.distorted[0].data},
                         {pair.reference[0].pitch, pair.distorted[0].pitch}};
    }
    args.groups_stride = set_scales(config, args).words;
    args.planes = reinterpret_cast<float *>(batch.scratch);
    args.planes_stride = static_cast<int64_t>(batch.scratch_stride / sizeof(float));
    args.groups = reinterpret_cast<uint64_t *>(batch.shared_scratch);
    args.sums = batch.sums;
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    args.width = config.width;
    args.height = config.height;
    args.first_kind = config.first_mean();
    args.scale_count = config.scales;
    args.factor = config.factor;
    args.weight = 1.0F / static_cast<float>(config.factor * config.factor);
    args.unit = 1.0F / static_cast<float>(1 << (config.depth - 8));
    return args;
}

/// Scale 0 of float_ssim, or the scales 1 .. 4 of float_ms_ssim.
void record_planes(const Config &config, Queue &queue, unsigned pairs, Args &args)
{
    const bool is_byte = config.depth == 8;
    const unsigned pictures = pairs * kPictures;
    if (!config.starts_with_samples()) {
        const int samples = config.scale_width[0] * config.scale_height[0];
        queue.launch(is_byte ? kBoxU8 : kBoxU16, {blocks_of(samples, kThreads), 1, pictures}, args);
    }
    for (int scale = 0; scale + 1 < config.scales; ++scale) {
        args.first_scale = scale;
        const Kernel<Args> &of_samples = is_byte ? kHalfU8 : kHalfU16;
        queue.launch(scale == 0 ? of_samples : kHalfF32,
                     {blocks_of(config.scale_width[scale + 1], kHalfTileWidth),
                      blocks_of(config.scale_height[scale + 1], kHalfTileHeight), pictures},
                     args);
    }
}

void record_core(const Config &config, Queue &queue, unsigned pairs, Args &args)
{
    const auto tiles = [&](int scale) {
        return static_cast<unsigned>(args.scales[scale].tiles_x * tiles_y(config, scale));
    };
    if (config.starts_with_samples() && config.has_pixels(0)) {
        args.first_scale = 0;
        queue.launch(config.depth == 8 ? kCoreU8 : kCoreU16, {tiles(0), 1, pairs}, args);
    }
    args.first_scale = config.starts_with_samples() ? 1 : 0;
    unsigned of_planes = 0;
    for (int scale = args.first_scale; scale < config.scales; ++scale)
        of_planes += tiles(scale);
    if (of_planes > 0)
        queue.launch(kCoreF32, {of_planes, 1, pairs}, args);
}

} // namespace

size_t Forms::device_scratch(const Config &config)
{
    Args args = {};
    return static_cast<size_t>(set_scales(config, args).floats) * sizeof(float);
}

size_t Forms::shared_scratch(const Config &config)
{
    Args args = {};
    return static_cast<size_t>(set_scales(config, args).words) * sizeof(uint64_t);
}

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    Args args = make_args(config, batch);
    const auto pairs = static_cast<unsigned>(batch.count);
    const int64_t words = args.groups_stride * batch.count;
    if (words == 0)
        return;
    queue.launch(kClear, clear_grid(words), {args.groups, words});
    record_planes(config, queue, pairs, args);
    record_core(config, queue, pairs, args);
    queue.launch(kFinish, {1, 1, pairs}, args);
}

} // namespace vmafgpu::ssim
