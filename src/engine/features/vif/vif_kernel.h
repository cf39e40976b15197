// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the host and the device side of VIF's kernels share: arguments, launch
// geometry, the compact table of logarithms. Used by vif_record.cpp and
// vif_kernels.cpp; compiled by device compilers, so no host library here.
#pragma once

#include <cstdint>

#include "kernel.h"
#include "vif_math.h"

namespace vmafgpu {

/// One pair at the scale of the launch. Device pointers; pitches in bytes.
struct VifPairArgs {
    const void *reference;
    const void *distorted;
    int64_t reference_pitch;
    int64_t distorted_pitch;
};

/// One launch covers one scale of a batch: block z takes pair z.
struct VifScaleArgs {
    VifPairArgs pairs[kMaxBatch];
    char *next;               ///< planes of the next scale of pair 0: reference, distorted
    int64_t next_stride;      ///< bytes from a pair to the next
    int64_t next_plane_bytes; ///< bytes from reference to distorted
    int64_t next_pitch;       ///< bytes
    char *sums;               ///< VifScaleSums of this scale of pair 0, zeroed
    int64_t sums_stride;      ///< bytes from a pair to the next
    const uint32_t *logs;     ///< vif_fill_logs()
    double limits[kVifMaxLimits];
    int32_t limit_count;
    int32_t width, height; ///< of this scale
    int32_t depth;         ///< of scale 0
    int32_t is_measured;   ///< 0: only the next scale is made
};

/// A block computes a tile: kVifTileRows rows of vif_tile_width() pixels. Each of
/// its threads first filters one column of the tile with its side columns.
constexpr int kVifThreads = 128;
constexpr int kVifTileColumns = kVifThreads;
constexpr int kVifTileRows = 8;
/// Neighbouring pixels that a thread takes in the horizontal pass.
constexpr int kVifRun = 8;

/// Columns on either side of a tile: at least half a filter, and a multiple of 4
/// so that a tile begins where four samples are loaded at once.
SIMT_HOST_DEVICE constexpr int vif_side_columns(int scale)
{
    return scale == 0 ? 8 : 4;
}

SIMT_HOST_DEVICE constexpr int vif_tile_width(int scale)
{
    return kVifTileColumns - 2 * vif_side_columns(scale);
}

/// 16 neighbouring entries of the table of logarithms in one word: the first in the
/// upper half; bit i says that entry i + 1 is larger than entry i, by one.
constexpr int kVifLogWords = kVifLog2Entries / 16;

constexpr Kernel<VifScaleArgs> kVifScale0U8 = {"vif_scale0_u8", kVifThreads, 0};
constexpr Kernel<VifScaleArgs> kVifScale0U16 = {"vif_scale0_u16", kVifThreads, 0};
constexpr Kernel<VifScaleArgs> kVifScale1 = {"vif_scale1", kVifThreads, 0};
constexpr Kernel<VifScaleArgs> kVifScale2 = {"vif_scale2", kVifThreads, 0};
constexpr Kernel<VifScaleArgs> kVifScale3 = {"vif_scale3", kVifThreads, 0};

} // namespace vmafgpu
