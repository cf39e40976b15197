// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about the scaler's kernel: arguments and launch geometry. The kernel
// reads a caller's layout, as unpack_planes does, and writes the engine's. scale_record.h launches
// it. Device compilers read this file, so it uses no host library.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

/// Threads of a block side by side: columns of its tile.
constexpr int kScaleColumns = 64;
constexpr int kScaleThreads = 256;
/// Rows, scaled across, that a block holds; and most rows of its tile.
constexpr int kScaleHeldRows = 128;
constexpr int kScaleTileRows = 32;
/// Rows that a thread scales across at once, with the same weights.
constexpr int kScaleRowsAtOnce = 4;

struct ScalePlaneArgs {
    const void *from;   ///< device; first sample of the top row
    int64_t from_pitch; ///< bytes; may be negative
    void *to;           ///< device
    int64_t to_pitch;
    const int32_t *across_first;  ///< first source column of each column
    const int32_t *across_weight; ///< weights by column: first tap, second ...
    const int32_t *down_first;    ///< first source row of each row
    const int32_t *down_weight;   ///< all taps of the first row, then of the second ...
    int32_t width, height;        ///< size of the result
    int32_t across_taps, down_taps;
    int32_t tile_rows;  ///< rows of a tile, so few that it needs at most kScaleHeldRows source rows
    int32_t from_bytes; ///< bytes of a sample: 1 or 2
    int32_t to_bytes;   ///< 1 or 2
    int32_t step;       ///< bytes from a sample to the next
    int32_t shift;      ///< unused low bits
    int32_t depth;      ///< depth of the source
    int32_t promote;    ///< left shift of results to the format's depth
};

struct ScaleArgs {
    ScalePlaneArgs plane[3]; ///< one per block_id_z()
};

constexpr Kernel<ScaleArgs> kScalePlanes = {"scale_planes", kScaleThreads};

} // namespace vmafgpu
