// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF on a device, host side: the memory layout of the smaller scales, the tables, and the launches
// of a batch. vif.cpp calls it. The kernels are in vif_kernels.cpp and, for devices with
// matrix_u8(), vif_matrix_kernels.cpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/numeric.h"
#include "device/device.h"
#include "vif.h"
#include "vif_args.h"

namespace vmafgpu {

namespace {

/// Planes of scales 1 to 3 of one pair in the scratch memory.
struct ScalePlanes {
    size_t offset; ///< of the reference plane; the distorted one follows
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

VifPairArgs pair_args(const BatchView &batch, int index, int scale, const ScalePlanes &planes)
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

VifScaleArgs scale_args(const Format &format, const VifConfig &config, const BatchView &batch,
                        int scale)
{
    VifScaleArgs args = {};
    const ScalePlanes planes = scale_planes(format, scale);
    for (int i = 0; i < batch.count; ++i)
        args.pairs[i] = pair_args(batch, i, scale, planes);
    if (scale + 1 < kVifScales) {
        const ScalePlanes next = scale_planes(format, scale + 1);
        args.next = batch.scratch + next.offset;
        args.next_stride = static_cast<int64_t>(batch.scratch_stride);
        args.next_plane_bytes = static_cast<int64_t>(next.plane_bytes);
        args.next_pitch = static_cast<int64_t>(next.pitch);
    }
    args.sums =
        batch.sums + offsetof(VifSums, scale) + sizeof(VifScaleSums) * static_cast<size_t>(scale);
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    args.logs = reinterpret_cast<const uint16_t *>(batch.tables);
    if (scale < kVifMatrixScales)
        args.taps = reinterpret_cast<const MatrixA *>(batch.tables + kVifLogBytes) +
                    static_cast<ptrdiff_t>(scale) * kVifTapsOfScale;
    for (int i = 0; i < kVifMaxLimits; ++i)
        args.limits[i] = config.limits[i];
    args.limit_count = config.limit_count;
    args.width = planes.width;
    args.height = planes.height;
    args.depth = format.depth;
    args.is_measured = scale > 0 || !config.skip_scale0 ? 1 : 0;
    return args;
}

const Kernel<VifScaleArgs> &tile_kernel(int scale, int depth)
{
    static constexpr Kernel<VifScaleArgs> kSmaller[kVifScales] = {
        {}, kVifScale1, kVifScale2, kVifScale3};
    if (scale > 0)
        return kSmaller[scale];
    return depth > 8 ? kVifScale0U16 : kVifScale0U8;
}

const Kernel<VifScaleArgs> &strip_kernel(int scale, int depth)
{
    if (scale > 0)
        return kVifMatrix1;
    return depth > 8 ? kVifMatrix0U16 : kVifMatrix0U8;
}

/// Grid of the direct kernels.
Grid tile_grid(const VifScaleArgs &args, int scale, int pairs)
{
    return {static_cast<unsigned>(divide_up(args.width, vif_tile_width(scale))),
            static_cast<unsigned>(divide_up(args.height, kVifTileRows)),
            static_cast<unsigned>(pairs)};
}

/// Grid of the kernels with matrix_u8(), and the division of a strip into segments of steps.
/// Segments are short enough that the last round of blocks is not half empty. They are no shorter,
/// because every segment begins with a step that completes no pixels.
Grid strip_grid(VifScaleArgs &args, int pairs, int multiprocessors)
{
    constexpr int kBlocksPerMultiprocessor = 4;
    constexpr int kSetupSteps = 2; // the first step and the work before it
    const int columns = divide_up(args.width, kVifStepColumns);
    const int strips = divide_up(args.height, kVifStripRows);
    int64_t best = INT64_MAX;
    int blocks = 0;
    for (int steps = std::min(columns, kVifMaxSteps); steps > 0; --steps) {
        const int segments = divide_up(columns, steps);
        const int count = divide_up(strips * segments, kVifMatrixWaves);
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

/// Four bytes of a row of taps, from `column` on. The taps begin at column `first`; the bytes are
/// their lower or their upper ones.
uint32_t tap_bytes(int scale, int first, int column, bool is_upper)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
        const int tap = column + i - first;
        if (tap < 0 || tap > 2 * kVifHalf[scale])
            continue;
        const uint32_t value = kVifFilter[scale][tap];
        word |= (is_upper ? value >> 8 : value & 255) << (8 * i);
    }
    return word;
}

MatrixA taps_operand(int scale, VifTaps which, int lane)
{
    MatrixA operand = {};
    for (int word = 0; word < 4; ++word) {
        const int row = matrix_a_row(lane, word), column = matrix_a_column(lane, word);
        operand.word[word] =
            which == kVifTapsNext
                ? tap_bytes(scale + 1, 2 * (row % 8) + 8 - kVifHalf[scale + 1], column, row >= 8)
                : tap_bytes(scale, row + 8 - kVifHalf[scale], column, which == kVifTapsHigh);
    }
    return operand;
}

} // namespace

size_t vif_device_scratch(const Format &format)
{
    const ScalePlanes last = scale_planes(format, kVifScales - 1);
    return last.offset + 2 * last.plane_bytes;
}

size_t vif_device_tables()
{
    return kVifLogBytes + sizeof(MatrixA) * kVifTapsOfScale * kVifMatrixScales;
}

void vif_fill_device_tables(void *host)
{
    const uint16_t *table = vif_log2_table();
    auto *to = static_cast<char *>(host);
    for (int i = 0; i < kVifLogEntries; ++i) {
        const uint16_t *group = table + static_cast<ptrdiff_t>(kVifLogGroup) * i;
        const int same = static_cast<int>(std::count(group, group + kVifLogGroup, group[0]));
        const int carry = same < kVifLogGroup ? (1 << kVifLogShift) - same : 0;
        const auto entry = static_cast<uint16_t>((group[0] - kVifLogFirst) << kVifLogShift | carry);
        std::memcpy(to + sizeof(entry) * static_cast<size_t>(i), &entry, sizeof(entry));
    }
    for (int i = 0; i < kVifTapsOfScale * kVifMatrixScales; ++i) {
        const int at = i % kVifTapsOfScale;
        const MatrixA taps = taps_operand(
            i / kVifTapsOfScale, static_cast<VifTaps>(at / kVifMatrixLanes), at % kVifMatrixLanes);
        std::memcpy(to + kVifLogBytes + sizeof(taps) * static_cast<size_t>(i), &taps, sizeof(taps));
    }
}

void vif_record(const Format &format, const VifConfig &config, Queue &queue, const BatchView &batch)
{
    const DeviceTraits traits = queue.traits();
    for (int scale = 0; scale < kVifScales; ++scale) {
        VifScaleArgs args = scale_args(format, config, batch, scale);
        // Scales 2 and 3 have few taps; there the direct kernels are faster.
        if (traits.has_matrix_u8 && scale < kVifMatrixScales) {
            const Grid grid = strip_grid(args, batch.count, traits.multiprocessors);
            queue.launch(strip_kernel(scale, format.depth), grid, args);
        } else {
            queue.launch(tile_kernel(scale, format.depth), tile_grid(args, scale, batch.count),
                         args);
        }
    }
}

} // namespace vmafgpu
