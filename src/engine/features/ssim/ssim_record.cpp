// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIM and MS-SSIM on a device, host side: the launches of a batch. ssim.cpp calls it; the kernels
// are in ssim_kernels.cpp.
#include "base/numeric.h"
#include "device/clear_args.h"
#include "device/device.h"
#include "features/ssim/ssim.h"
#include "features/ssim/ssim_args.h"
#include "features/ssim/ssim_sum.h"

namespace vmafgpu {

static_assert(kSsimKinds == kSsimMeans, "host and device side agree");

namespace {

int groups_of(const SsimConfig &config, int scale)
{
    return config.has_pixels(scale) ? divide_up(config.pixels_y(scale), kSsimGroupRows) : 0;
}

int tiles_y(const SsimConfig &config, int scale)
{
    return divide_up(groups_of(config, scale), kSsimTileGroups);
}

/// A row begins at a multiple of 128 bytes.
int pitch_of(int width)
{
    return round_up(width, 32);
}

/// Scale 0 has planes of its own only if it is not the pictures.
bool has_planes(const SsimConfig &config, int scale)
{
    return scale > 0 || !config.starts_with_samples();
}

/// Fills in the scales; returns floats of planes and words of groups of a pair.
struct Sizes {
    int64_t floats = 0, words = 0;
};
Sizes set_scales(const SsimConfig &config, SsimArgs &args)
{
    Sizes sizes;
    int tiles = 0;
    for (int i = 0; i < config.scales; ++i) {
        SsimArgs::Scale &scale = args.scales[i];
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
        sizes.words += int64_t{kSsimMeans} * groups_of(config, i) * kSsimGroupWords;
        scale.first_tile = tiles;
        if (!config.has_pixels(i))
            continue;
        scale.tiles_x = divide_up(config.pixels_x(i), kSsimTileWidth);
        scale.tile_groups = divide_up(groups_of(config, i), tiles_y(config, i)); // of equal height
        if (has_planes(config, i))
            tiles += scale.tiles_x * tiles_y(config, i);
    }
    return sizes;
}

SsimArgs make_args(const SsimConfig &config, const BatchView &batch)
{
    SsimArgs args = {};
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
void record_planes(const SsimConfig &config, Queue &queue, unsigned pairs, SsimArgs &args)
{
    const bool is_byte = config.depth == 8;
    const unsigned pictures = pairs * kSsimPictures;
    if (!config.starts_with_samples()) {
        const int samples = config.scale_width[0] * config.scale_height[0];
        if (samples > 0)
            queue.launch(is_byte ? kSsimBoxU8 : kSsimBoxU16,
                         {blocks_of(samples, kSsimThreads), 1, pictures}, args);
    }
    for (int scale = 0; scale + 1 < config.scales; ++scale) {
        args.first_scale = scale;
        const Kernel<SsimArgs> &of_samples = is_byte ? kSsimHalfU8 : kSsimHalfU16;
        queue.launch(scale == 0 ? of_samples : kSsimHalfF32,
                     {blocks_of(config.scale_width[scale + 1], kSsimHalfTileWidth),
                      blocks_of(config.scale_height[scale + 1], kSsimHalfTileHeight), pictures},
                     args);
    }
}

void record_core(const SsimConfig &config, Queue &queue, unsigned pairs, SsimArgs &args)
{
    const auto tiles = [&](int scale) {
        return static_cast<unsigned>(args.scales[scale].tiles_x * tiles_y(config, scale));
    };
    if (config.starts_with_samples() && config.has_pixels(0)) {
        args.first_scale = 0;
        queue.launch(config.depth == 8 ? kSsimCoreU8 : kSsimCoreU16, {tiles(0), 1, pairs}, args);
    }
    args.first_scale = config.starts_with_samples() ? 1 : 0;
    unsigned of_planes = 0;
    for (int scale = args.first_scale; scale < config.scales; ++scale)
        of_planes += tiles(scale);
    if (of_planes > 0)
        queue.launch(kSsimCoreF32, {of_planes, 1, pairs}, args);
}

} // namespace

size_t ssim_device_scratch(const SsimConfig &config)
{
    SsimArgs args = {};
    return static_cast<size_t>(set_scales(config, args).floats) * sizeof(float);
}

size_t ssim_device_shared_scratch(const SsimConfig &config)
{
    SsimArgs args = {};
    return static_cast<size_t>(set_scales(config, args).words) * sizeof(uint64_t);
}

void ssim_record(const SsimConfig &config, Queue &queue, const BatchView &batch)
{
    SsimArgs args = make_args(config, batch);
    const auto pairs = static_cast<unsigned>(batch.count);
    const int64_t words = args.groups_stride * batch.count;
    if (words == 0)
        return;
    queue.launch(kClear, clear_grid(words), {args.groups, words});
    record_planes(config, queue, pairs, args);
    record_core(config, queue, pairs, args);
    queue.launch(kSsimFinish, {1, 1, pairs}, args);
}

} // namespace vmafgpu
