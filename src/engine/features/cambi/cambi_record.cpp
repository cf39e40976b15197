// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on a device: memory layout, tables, and the launches of a batch. Called by
// cambi.cpp; the kernels are in cambi_kernels.cpp.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "cambi.h"
#include "cambi_args.h"
#include "device/device.h"

namespace vmafgpu {

namespace {

size_t align(size_t bytes)
{
    return round_up(bytes, size_t{256});
}

/// A pair's scratch memory. Both pictures use the same, one after the other.
struct Layout {
    size_t prepared = 0;
    size_t images[kCambiScales] = {};
    size_t contrasts[kCambiScales] = {};
    size_t bytes = 0;
};

Layout layout_of(const CambiConfig &config, int picture)
{
    Layout layout;
    layout.bytes = align(kCambiScales * sizeof(CambiTotals));
    const auto add = [&](size_t bytes) {
        const size_t at = layout.bytes;
        layout.bytes += align(bytes);
        return at;
    };
    for (int s = 0; s < kCambiScales; ++s) {
        const size_t samples = static_cast<size_t>(config.scale_width(picture, s)) *
                               static_cast<size_t>(config.scale_height(picture, s));
        if (s == 0)
            layout.prepared = add(samples * sizeof(uint16_t));
        layout.images[s] = add(samples * sizeof(uint16_t));
        layout.contrasts[s] = add(samples * sizeof(float));
    }
    return layout;
}

bool is_resampled(const Format &format, const CambiTarget &target)
{
    return target.width != format.width || target.height != format.height;
}

constexpr size_t kReciprocalBytes = sizeof(float) * kCambiReciprocals;

/// Where a picture's sample maps lie in the tables: columns, then rows.
size_t maps_offset(const Format &format, const CambiConfig &config, int picture)
{
    size_t offset = align(kReciprocalBytes);
    for (int p = 0; p < picture; ++p)
        if (is_resampled(format, config.target[p]))
            offset += align(sizeof(int32_t) *
                            static_cast<size_t>(config.target[p].width + config.target[p].height));
    return offset;
}

CambiPrepareArgs prepare_args(const Format &format, const CambiConfig &config, int picture,
                              const BatchView &batch, const Layout &layout)
{
    const CambiTarget &target = config.target[picture];
    CambiPrepareArgs args = {};
    for (int i = 0; i < batch.count; ++i) {
        const PairView &pair = batch.pairs[i];
        const Plane &plane = picture == 0 ? pair.distorted[0] : pair.reference[0];
        args.planes[i] = plane.data;
        args.pitches[i] = plane.pitch;
    }
    args.scratch = batch.scratch;
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride);
    args.to = static_cast<int64_t>(layout.prepared);
    if (is_resampled(format, target)) {
        args.columns =
            reinterpret_cast<const int32_t *>(batch.tables + maps_offset(format, config, picture));
        args.rows = args.columns + target.width;
    }
    args.width = target.width;
    args.height = target.height;
    args.to_width = config.scale_width(picture, 0);
    args.depth = format.depth;
    args.mask_threshold = target.mask_threshold;
    args.is_filtered = config.is_filtered ? 1 : 0;
    args.is_halved = config.is_halved ? 1 : 0;
    return args;
}

CambiModeArgs mode_args(const CambiConfig &config, int picture, int scale, const BatchView &batch,
                        const Layout &layout)
{
    CambiModeArgs args = {};
    args.scratch = batch.scratch;
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride);
    args.from = static_cast<int64_t>(scale == 0 ? layout.prepared : layout.images[scale - 1]);
    args.to = static_cast<int64_t>(layout.images[scale]);
    args.from_width = config.scale_width(picture, std::max(0, scale - 1));
    args.width = config.scale_width(picture, scale);
    args.height = config.scale_height(picture, scale);
    args.step = scale == 0 ? 1 : 2;
    return args;
}

/// Also says how many blocks cambi_count has.
CambiCountArgs count_args(const CambiConfig &config, int picture, const BatchView &batch,
                          const Layout &layout, unsigned *block_count)
{
    CambiCountArgs args = {};
    args.scratch = batch.scratch;
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride);
    args.reciprocals = reinterpret_cast<const float *>(batch.tables);
    std::copy(config.thresholds, config.thresholds + kCambiMaxSteps, args.thresholds);
    args.radius = config.target[picture].window / 2;
    args.steps = config.steps;
    args.floor = config.floor;
    args.lowest = config.lowest_scored();
    args.highest = config.highest_scored();
    // A block first fills its window: the more rows, the less that weighs.
    args.rows_per_block = std::max(64, 8 * args.radius);
    unsigned first = 0;
    for (int s = 0; s < kCambiScales; ++s) {
        CambiScaleArgs &scale = args.scale[s];
        scale.image = static_cast<int64_t>(layout.images[s]);
        scale.contrasts = static_cast<int64_t>(layout.contrasts[s]);
        scale.width = config.scale_width(picture, s);
        scale.height = config.scale_height(picture, s);
        scale.first_block = static_cast<int32_t>(first);
        const unsigned strips = blocks_of(scale.width, kCambiColumns);
        scale.strips = static_cast<int32_t>(strips);
        first += strips * blocks_of(scale.height, args.rows_per_block);
    }
    *block_count = first;
    return args;
}

/// Also says how many blocks cambi_digits has.
CambiSelectArgs select_args(const CambiConfig &config, int picture, const BatchView &batch,
                            const Layout &layout, unsigned *block_count)
{
    CambiSelectArgs args = {};
    args.scratch = batch.scratch;
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride);
    args.sums = batch.sums + sizeof(CambiScaleSums) * kCambiScales * static_cast<size_t>(picture);
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    int64_t first = 0;
    for (int s = 0; s < kCambiScales; ++s) {
        CambiSelectArgs::Scale &scale = args.scale[s];
        scale.contrasts = static_cast<int64_t>(layout.contrasts[s]);
        scale.count =
            static_cast<int64_t>(config.scale_width(picture, s)) * config.scale_height(picture, s);
        scale.top_count = config.top_count(picture, s);
        scale.first_block = static_cast<int32_t>(first);
        first += divide_up(scale.count, int64_t{kCambiDigitsPart});
    }
    *block_count = static_cast<unsigned>(first);
    return args;
}

void record_picture(const Format &format, const CambiConfig &config, int picture, Queue &queue,
                    const BatchView &batch)
{
    const Layout layout = layout_of(config, picture);
    const auto count = static_cast<unsigned>(batch.count);
    const CambiTarget &target = config.target[picture];
    const CambiPrepareArgs prepare = prepare_args(format, config, picture, batch, layout);
    queue.launch(format.depth > 8 ? kCambiPrepareU16 : kCambiPrepareU8,
                 {blocks_of(target.width, kCambiPrepareWidth),
                  blocks_of(target.height, kCambiPrepareHeight), count},
                 prepare);
    for (int scale = 0; scale < kCambiScales; ++scale) {
        const CambiModeArgs args = mode_args(config, picture, scale, batch, layout);
        queue.launch(kCambiMode,
                     {blocks_of(args.width, kCambiModeWidth),
                      blocks_of(args.height, kCambiModeHeight), count},
                     args);
    }
    unsigned block_count = 0;
    const CambiCountArgs args = count_args(config, picture, batch, layout, &block_count);
    queue.launch(kCambiCount, {block_count, 1, count}, args);
    CambiSelectArgs select = select_args(config, picture, batch, layout, &block_count);
    for (; select.place < kCambiPlaces; ++select.place)
        queue.launch(kCambiDigits, {block_count, 1, count}, select);
    queue.launch(kCambiSelect, {kCambiScales, 1, count}, select);
}

} // namespace

size_t cambi_device_scratch(const Format & /*format*/, const CambiConfig &config)
{
    size_t bytes = 0;
    for (int picture = 0; picture < config.pictures; ++picture)
        bytes = std::max(bytes, layout_of(config, picture).bytes);
    return bytes;
}

size_t cambi_device_tables(const Format &format, const CambiConfig &config)
{
    return maps_offset(format, config, config.pictures);
}

void cambi_fill_device_tables(const Format &format, const CambiConfig &config, void *host)
{
    auto *bytes = static_cast<char *>(host);
    std::memcpy(bytes, cambi_reciprocals(), kReciprocalBytes);
    for (int picture = 0; picture < config.pictures; ++picture) {
        const CambiTarget &target = config.target[picture];
        if (!is_resampled(format, target))
            continue;
        char *to = bytes + maps_offset(format, config, picture);
        const std::vector<int32_t> columns = cambi_sample_map(format.width, target.width);
        const std::vector<int32_t> rows = cambi_sample_map(format.height, target.height);
        std::memcpy(to, columns.data(), sizeof(int32_t) * columns.size());
        std::memcpy(to + sizeof(int32_t) * columns.size(), rows.data(),
                    sizeof(int32_t) * rows.size());
    }
}

void cambi_record(const Format &format, const CambiConfig &config, Queue &queue,
                  const BatchView &batch)
{
    for (int picture = 0; picture < config.pictures; ++picture)
        record_picture(format, config, picture, queue, batch);
}

} // namespace vmafgpu
