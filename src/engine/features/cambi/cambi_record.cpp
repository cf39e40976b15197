// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on a device: memory layout, tables, and the launches of a batch. Called by
// cambi.cpp; the kernels are in cambi_kernels.cpp.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "device/device.h"
#include "features/cambi/cambi.h"
#include "features/cambi/cambi_args.h"
#include "features/feature.h"
#include "features/kit/arena.h"

namespace vmafgpu::cambi {

namespace {

/// A pair's scratch memory. Both pictures use the same, one after the other.
struct Layout {
    size_t prepared = 0;
    size_t images[kScales] = {};
    size_t contrasts[kScales] = {};
    size_t bytes = 0;
};

Layout layout_of(const Config &config, int picture)
{
    Layout layout;
    Arena arena(nullptr, Arena::kDeviceAlignment);
    arena.reserve(kScales * sizeof(Totals));
    for (int s = 0; s < kScales; ++s) {
        const size_t samples = static_cast<size_t>(config.scale_width(picture, s)) *
                               static_cast<size_t>(config.scale_height(picture, s));
        if (s == 0)
            layout.prepared = arena.reserve(samples * sizeof(uint16_t));
        layout.images[s] = arena.reserve(samples * sizeof(uint16_t));
        layout.contrasts[s] = arena.reserve(samples * sizeof(float));
    }
    layout.bytes = arena.size();
    return layout;
}

size_t align(size_t bytes)
{
    return round_up(bytes, Arena::kDeviceAlignment);
}

bool is_resampled(const Format &format, const Target &target)
{
    return target.width != format.width || target.height != format.height;
}

constexpr size_t kReciprocalBytes = sizeof(float) * kReciprocals;

/// Where a picture's sample maps lie in the tables: columns, then rows.
size_t maps_offset(const Format &format, const Config &config, int picture)
{
    size_t offset = align(kReciprocalBytes);
    for (int p = 0; p < picture; ++p)
        if (is_resampled(format, config.target[p]))
            offset += align(sizeof(int32_t) *
                            static_cast<size_t>(config.target[p].width + config.target[p].height));
    return offset;
}

PrepareArgs prepare_args(const Format &format, const Config &config, int picture,
                         const BatchView &batch, const Layout &layout)
{
    const Target &target = config.target[picture];
    PrepareArgs args = {};
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

ModeArgs mode_args(const Config &config, int picture, int scale, const BatchView &batch,
                   const Layout &layout)
{
    ModeArgs args = {};
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

/// Returns the arguments of cambi_count, with the number of its blocks.
CountArgs count_args(const Config &config, int picture, const BatchView &batch,
                     const Layout &layout, unsigned *block_count)
{
    CountArgs args = {};
    args.scratch = batch.scratch;
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride);
    args.reciprocals = reinterpret_cast<const float *>(batch.tables);
    std::copy(config.thresholds, config.thresholds + kMaxSteps, args.thresholds);
    args.radius = config.target[picture].window / 2;
    args.steps = config.steps;
    args.floor = config.floor;
    args.lowest = config.lowest_scored();
    args.highest = config.highest_scored();
    // A block first fills its window: the more rows, the less that weighs.
    args.rows_per_block = std::max(64, 8 * args.radius);
    unsigned first = 0;
    for (int s = 0; s < kScales; ++s) {
        ScaleArgs &scale = args.scale[s];
        scale.image = static_cast<int64_t>(layout.images[s]);
        scale.contrasts = static_cast<int64_t>(layout.contrasts[s]);
        scale.width = config.scale_width(picture, s);
        scale.height = config.scale_height(picture, s);
        scale.first_block = static_cast<int32_t>(first);
        const unsigned strips = blocks_of(scale.width, kCountColumns);
        scale.strips = static_cast<int32_t>(strips);
        first += strips * blocks_of(scale.height, args.rows_per_block);
    }
    *block_count = first;
    return args;
}

/// Returns the arguments of cambi_digits, with the number of its blocks.
SelectArgs select_args(const Config &config, int picture, const BatchView &batch,
                       const Layout &layout, unsigned *block_count)
{
    SelectArgs args = {};
    args.scratch = batch.scratch;
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride);
    args.sums = batch.sums + sizeof(ScaleSums) * kScales * static_cast<size_t>(picture);
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    int64_t first = 0;
    for (int s = 0; s < kScales; ++s) {
        SelectArgs::Scale &scale = args.scale[s];
        scale.contrasts = static_cast<int64_t>(layout.contrasts[s]);
        scale.count =
            static_cast<int64_t>(config.scale_width(picture, s)) * config.scale_height(picture, s);
        scale.top_count = config.top_count(picture, s);
        scale.first_block = static_cast<int32_t>(first);
        first += divide_up(scale.count, int64_t{kDigitsPart});
    }
    *block_count = static_cast<unsigned>(first);
    return args;
}

void record_picture(const Format &format, const Config &config, int picture, Queue &queue,
                    const BatchView &batch)
{
    const Layout layout = layout_of(config, picture);
    const auto count = static_cast<unsigned>(batch.count);
    const Target &target = config.target[picture];
    const PrepareArgs prepare = prepare_args(format, config, picture, batch, layout);
    queue.launch(
        format.depth > 8 ? kPrepareU16 : kPrepareU8,
        {blocks_of(target.width, kPrepareWidth), blocks_of(target.height, kPrepareHeight), count},
        prepare);
    for (int scale = 0; scale < kScales; ++scale) {
        const ModeArgs args = mode_args(config, picture, scale, batch, layout);
        queue.launch(
            kModeFilter,
            {blocks_of(args.width, kModeWidth), blocks_of(args.height, kModeHeight), count}, args);
    }
    unsigned block_count = 0;
    const CountArgs args = count_args(config, picture, batch, layout, &block_count);
    queue.launch(kCountContrasts, {block_count, 1, count}, args);
    SelectArgs select = select_args(config, picture, batch, layout, &block_count);
    for (; select.place < kPlaces; ++select.place)
        queue.launch(kCountDigits, {block_count, 1, count}, select);
    queue.launch(kSelectSums, {kScales, 1, count}, select);
}

} // namespace

size_t Forms::device_scratch(const Config &config)
{
    size_t bytes = 0;
    for (int picture = 0; picture < config.pictures; ++picture)
        bytes = std::max(bytes, layout_of(config, picture).bytes);
    return bytes;
}

size_t Forms::device_tables(const Config &config)
{
    return maps_offset(config.format, config, config.pictures);
}

void Forms::fill_tables(const Config &config, void *host)
{
    const Format &format = config.format;
    auto *bytes = static_cast<char *>(host);
    std::memcpy(bytes, reciprocals_table(), kReciprocalBytes);
    for (int picture = 0; picture < config.pictures; ++picture) {
        const Target &target = config.target[picture];
        if (!is_resampled(format, target))
            continue;
        char *to = bytes + maps_offset(format, config, picture);
        const std::vector<int32_t> columns = sample_map_of(format.width, target.width);
        const std::vector<int32_t> rows = sample_map_of(format.height, target.height);
        std::memcpy(to, columns.data(), sizeof(int32_t) * columns.size());
        std::memcpy(to + sizeof(int32_t) * columns.size(), rows.data(),
                    sizeof(int32_t) * rows.size());
    }
}

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    for (int picture = 0; picture < config.pictures; ++picture)
        record_picture(config.format, config, picture, queue, batch);
}

} // namespace vmafgpu::cambi
