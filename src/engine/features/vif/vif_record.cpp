// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF on a device, host side: the memory layout of the smaller scales, the tables, and the launches
// of a batch. vif.cpp calls it. The kernels are in vif_kernels.cpp and, for devices with
// matrix words, vif_matrix_kernels.cpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/numeric.h"
#include "device/device.h"
#include "features/feature.h"
#include "features/vif/vif.h"

namespace vmafgpu::vif {

namespace {

/// Planes of scales 1 to 3 of one pair in the scratch memory.
struct ScalePlanes {
    size_t offset; ///< offset of the reference plane; the distorted one follows
    size_t pitch, plane_bytes;
    int width, height;
};

constexpr size_t kRowAlignment = 64;

ScalePlanes scale_planes(const Format &format, int scale)
{
    ScalePlanes planes = {0, 0, 0, format.width, format.height};
    for (int k = 1; k <= scale; ++k) {
        planes.offset += 2 * planes.plane_bytes;
        planes.width /= 2;
        planes.height /= 2;
        const size_t row = static_cast<size_t>(planes.width) * sizeof(uint16_t);
        planes.pitch = round_up(row, kRowAlignment);
        planes.plane_bytes = planes.pitch * static_cast<size_t>(planes.height);
    }
    return planes;
}

PairArgs pair_args(const BatchView &batch, int index, int scale, const ScalePlanes &planes)
{
    if (scale == 0) {
        const PairView &pair = batch.pairs[index];
        return {pair.reference[0].data, pair.distorted[0].data, pair.reference[0].pitch,
                pair.distorted[0].pitch};
    }
    const char *reference =
        batch.scratch + batch.scratch_stride * static_cast<size_t>(index) + planes.offset;
    const auto pitch = static_cast<int64_t>(planes.pitch);
    return {reference, reference + planes.plane_bytes, pitch, pitch};
}

/// Where the taps of a scale are in the tables: first all of one layout.
template <typename Layout> constexpr size_t taps_offset(int scale)
{
    constexpr size_t kOfU8 = size_t{taps_bytes<LayoutU8>()} * LayoutU8::kScales;
    return kLogBytes + (Layout::kIsSigned ? kOfU8 : 0) +
           size_t{taps_bytes<Layout>()} * static_cast<size_t>(scale);
}

ScaleArgs scale_args(const Format &format, const Config &config, const BatchView &batch, int scale)
{
    ScaleArgs args = {};
    const ScalePlanes planes = scale_planes(format, scale);
    for (int i = 0; i < batch.count; ++i)
        args.pairs[i] = pair_args(batch, i, scale, planes);
    if (scale + 1 < kScales) {
        const ScalePlanes next = scale_planes(format, scale + 1);
        args.next = batch.scratch + next.offset;
        args.next_stride = static_cast<int64_t>(batch.scratch_stride);
        args.next_plane_bytes = static_cast<int64_t>(next.plane_bytes);
        args.next_pitch = static_cast<int64_t>(next.pitch);
    }
    args.sums = batch.sums + offsetof(Sums, scale) + sizeof(ScaleSums) * static_cast<size_t>(scale);
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    args.logs = reinterpret_cast<const uint16_t *>(batch.tables);
    args.limits = limits_of(config.limits, config.limit_count);
    args.width = planes.width;
    args.height = planes.height;
    args.depth = format.depth;
    args.is_measured = scale > 0 || !config.skip_scale0 ? 1 : 0;
    return args;
}

const Kernel<ScaleArgs> &tile_kernel(int scale, int depth)
{
    static constexpr Kernel<ScaleArgs> kSmaller[kScales] = {{}, kScale1, kScale2, kScale3};
    if (scale > 0)
        return kSmaller[scale];
    return depth > 8 ? kScale0U16 : kScale0U8;
}

/// Grid of the direct kernels.
Grid tile_grid(const ScaleArgs &args, int scale, int pairs)
{
    return {static_cast<unsigned>(divide_up(args.width, tile_width(scale))),
            static_cast<unsigned>(divide_up(args.height, kTileRows)), static_cast<unsigned>(pairs)};
}

/// Grid of the kernels with matrix words, and the division of a strip into segments of steps.
/// Segments are short enough that the last round of blocks is not half empty. They are no shorter,
/// because every segment begins with a step that completes no pixels.
Grid strip_grid(ScaleArgs &args, int pairs, int multiprocessors)
{
    constexpr int kBlocksPerMultiprocessor = 4;
    constexpr int kSetupSteps = 2; // the first step and the work before it
    const int columns = divide_up(args.width, kStepColumns);
    const int strips = divide_up(args.height, kStripRows);
    int64_t best = INT64_MAX;
    int blocks = 0;
    for (int steps = std::min(columns, kMaxSteps); steps > 0; --steps) {
        const int segments = divide_up(columns, steps);
        const int count = divide_up(strips * segments, kMatrixWaves);
        const int rounds = divide_up(count * pairs, kBlocksPerMultiprocessor * multiprocessors);
        const int64_t cost = static_cast<int64_t>(rounds) * (steps + kSetupSteps);
        if (cost >= best)
            continue;
        best = cost;
        blocks = count;
        args.segments = segments;
        args.steps = steps;
    }
    return {static_cast<unsigned>(blocks), 1, static_cast<unsigned>(pairs)};
}

/// Four bytes of a row of taps, from `place` on. The taps begin at place `first`; the bytes are
/// their lower or their upper ones. A lower byte that is below 0 makes the upper one greater.
template <typename Layout> uint32_t tap_bytes(int scale, int first, int place, bool is_upper)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
        const int tap = place + i - first;
        if (tap < 0 || tap > 2 * kHalfWidth[scale])
            continue;
        const uint32_t value = kFilter[scale][tap];
        const uint32_t upper = (value + (Layout::kIsSigned ? 128 : 0)) >> 8;
        word |= (is_upper ? upper : value & 255) << (8 * i);
    }
    return word;
}

/// See TapWords.
template <typename Layout> uint32_t tap_word(int scale, int which, int row, int place)
{
    if (which < kTapsNext)
        return tap_bytes<Layout>(scale, row + 8 - kHalfWidth[scale], place, which == kTapsHigh);
    const int next = which - kTapsNext, first = 2 * (row % 8) + 8 - kHalfWidth[scale + 1];
    if (!Layout::kIsSigned)
        return tap_bytes<Layout>(scale + 1, first, place, row >= 8);
    return row / 8 == next / 2 ? tap_bytes<Layout>(scale + 1, first, place, next % 2 != 0) : 0;
}

template <typename Layout> void fill_taps(char *tables)
{
    using Taps = typename Layout::Taps;
    for (int scale = 0; scale < Layout::kScales; ++scale) {
        char *to = tables + taps_offset<Layout>(scale);
        for (int i = 0; i < taps_count<Layout>() * Layout::kLanes; ++i) {
            const int which = i / Layout::kLanes, lane = i % Layout::kLanes;
            Taps taps = {};
            int word = 0;
            for (uint32_t &value : taps.word) {
                value = tap_word<Layout>(scale, which, Layout::tap_row(lane, word),
                                         Layout::tap_place(lane, word));
                ++word;
            }
            std::memcpy(to + sizeof(taps) * static_cast<size_t>(i), &taps, sizeof(taps));
        }
    }
}

} // namespace

size_t Forms::device_scratch(const Config &config)
{
    const ScalePlanes last = scale_planes(config.format, kScales - 1);
    return last.offset + 2 * last.plane_bytes;
}

size_t Forms::device_tables(const Config & /*config*/)
{
    return taps_offset<LayoutS8>(LayoutS8::kScales);
}

void Forms::fill_tables(const Config & /*config*/, void *host)
{
    const uint16_t *table = log2_table();
    auto *to = static_cast<char *>(host);
    for (int i = 0; i < kLogEntries; ++i) {
        const uint16_t *group = table + static_cast<ptrdiff_t>(kLogGroup) * i;
        const int same = static_cast<int>(std::count(group, group + kLogGroup, group[0]));
        const int carry = same < kLogGroup ? (1 << kLogShift) - same : 0;
        const auto entry = static_cast<uint16_t>((group[0] - kLogFirst) << kLogShift | carry);
        std::memcpy(to + sizeof(entry) * static_cast<size_t>(i), &entry, sizeof(entry));
    }
    fill_taps<LayoutU8>(to);
    fill_taps<LayoutS8>(to);
}

namespace {

/// Selects matrix words if the device has them in this layout and if they are faster at this scale:
/// later scales have few taps.
template <typename Layout>
bool launch_strips(ScaleArgs &args, int scale, int depth, Queue &queue, const BatchView &batch)
{
    const DeviceTraits traits = queue.traits();
    if (traits.matrix_lanes != Layout::kLanes || scale >= Layout::kScales)
        return false;
    args.taps = batch.tables + taps_offset<Layout>(scale);
    const Grid grid = strip_grid(args, batch.count, traits.multiprocessors);
    queue.launch(strip_kernel(scale, depth, Layout::kLanes), grid, args);
    return true;
}

} // namespace

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    const Format &format = config.format;
    for (int scale = 0; scale < kScales; ++scale) {
        ScaleArgs args = scale_args(format, config, batch, scale);
        if (!launch_strips<LayoutU8>(args, scale, format.depth, queue, batch) &&
            !launch_strips<LayoutS8>(args, scale, format.depth, queue, batch))
            queue.launch(tile_kernel(scale, format.depth), tile_grid(args, scale, batch.count),
                         args);
    }
}

} // namespace vmafgpu::vif
