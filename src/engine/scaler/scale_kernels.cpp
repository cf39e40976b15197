// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of the scaler. A block makes one tile of the result: it scales the rows that the tile
// needs across into shared memory, then the columns down. Grid: x and y over tiles, z = plane.
#include "scaler/scale_args.h"
#include "scaler/scale_numeric.h"
#include "simt/simt.h"

namespace vmafgpu {
namespace {

constexpr int kRowGroups = kScaleThreads / kScaleColumns;

SIMT_DEVICE int32_t sample_at(const ScalePlaneArgs &plane, int row, int column)
{
    const char *at = static_cast<const char *>(plane.from) + plane.from_pitch * row +
                     static_cast<int64_t>(column) * plane.step;
    uint32_t sample = 0;
    if (plane.from_bytes == 1)
        sample = load_readonly(reinterpret_cast<const uint8_t *>(at));
    else
        sample = load_readonly(reinterpret_cast<const uint16_t *>(at));
    return static_cast<int32_t>((sample >> plane.shift) & ((1u << plane.depth) - 1));
}

/// Rows first .. first + count - 1 of column x, scaled across, into this thread's column.
SIMT_DEVICE void scale_rows(const ScalePlaneArgs &plane, int first, int count, int x, int32_t *to)
{
    const int left = load_readonly(plane.across_first + x);
    for (int at = thread_id() / kScaleColumns * kScaleRowsAtOnce; at < count;
         at += kRowGroups * kScaleRowsAtOnce) {
        int32_t sums[kScaleRowsAtOnce] = {};
        for (int tap = 0; tap < plane.across_taps; ++tap) {
            const int32_t weight =
                load_readonly(plane.across_weight + static_cast<int64_t>(tap) * plane.width + x);
            SIMT_UNROLL
            for (int i = 0; i < kScaleRowsAtOnce; ++i) {
                const int row = at + i < count ? at + i : count - 1;
                sums[i] += weight * sample_at(plane, first + row, left + tap);
            }
        }
        SIMT_UNROLL
        for (int i = 0; i < kScaleRowsAtOnce; ++i)
            if (at + i < count)
                to[(at + i) * kScaleColumns] = scale_across(sums[i], plane.depth);
    }
}

SIMT_DEVICE void write_sample(const ScalePlaneArgs &plane, int row, int x, int32_t sample)
{
    char *to = static_cast<char *>(plane.to) + plane.to_pitch * row;
    const int32_t value = sample << plane.promote;
    if (plane.to_bytes == 1)
        reinterpret_cast<uint8_t *>(to)[x] = static_cast<uint8_t>(value);
    else
        reinterpret_cast<uint16_t *>(to)[x] = static_cast<uint16_t>(value);
}

/// Rows top .. bottom - 1 of the result in column x. `held` is this thread's column, from row
/// `first` on.
SIMT_DEVICE void scale_columns(const ScalePlaneArgs &plane, int first, int top, int bottom, int x,
                               const int32_t *held)
{
    for (int row = top + thread_id() / kScaleColumns; row < bottom; row += kRowGroups) {
        const int32_t *column =
            held + (load_readonly(plane.down_first + row) - first) * kScaleColumns;
        const int32_t *weight = plane.down_weight + static_cast<int64_t>(row) * plane.down_taps;
        uint32_t sum = 0;
        for (int tap = 0; tap < plane.down_taps; ++tap)
            sum += static_cast<uint32_t>(column[tap * kScaleColumns]) *
                   static_cast<uint32_t>(load_readonly(weight + tap));
        write_sample(plane, row, x, scale_down(sum, plane.depth));
    }
}

} // namespace

SIMT_KERNEL(scale_planes, ScaleArgs, kScaleThreads)
{
    SIMT_SHARED(int32_t, held, kScaleHeldRows * kScaleColumns);
    const ScalePlaneArgs &plane = args.plane[block_id_z()];
    const int column = thread_id() % kScaleColumns;
    const int x = block_id_x() * kScaleColumns + column;
    // Chroma planes have fewer tiles than the grid: there, bottom is top or less.
    const int top = block_id_y() * plane.tile_rows;
    const int end = top + plane.tile_rows;
    const int bottom = end < plane.height ? end : plane.height;
    const bool is_inside = x < plane.width && top < bottom;
    int first = 0;
    if (is_inside) {
        first = load_readonly(plane.down_first + top);
        const int last = load_readonly(plane.down_first + bottom - 1) + plane.down_taps;
        scale_rows(plane, first, last - first, x, held + column);
    }
    barrier();
    if (is_inside)
        scale_columns(plane, first, top, bottom, x, held + column);
}

} // namespace vmafgpu
