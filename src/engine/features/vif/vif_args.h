// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about VIF's kernels: arguments, launch geometry, the compact table of
// logarithms. Used by vif_record.cpp and vif_kernels.cpp. Device compilers read it, so it uses no
// host library.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "vif_math.h"
#include "vif_share.h"

namespace vmafgpu {

/// One pair at the scale of the launch. Device pointers; pitches in bytes.
struct VifPairArgs {
    const void *reference;
    const void *distorted;
    int64_t reference_pitch;
    int64_t distorted_pitch;
};

/// Arguments of a launch, which covers one scale of a batch; grid z is the pair.
struct VifScaleArgs {
    VifPairArgs pairs[kMaxBatch];
    char *next;               ///< planes of the next scale of pair 0: reference, distorted
    int64_t next_stride;      ///< bytes from a pair to the next
    int64_t next_plane_bytes; ///< bytes from reference to distorted
    int64_t next_pitch;       ///< bytes
    char *sums;               ///< VifScaleSums of this scale of pair 0, zeroed
    int64_t sums_stride;      ///< bytes from a pair to the next
    const uint16_t *logs;     ///< kVifLogEntries entries
    VifLimits limits;
    int32_t width, height; ///< of this scale
    int32_t depth;         ///< of scale 0
    int32_t is_measured;   ///< 0: only the next scale is computed
    // Kernels with matrix words only.
    int32_t segments, steps; ///< segments of a strip, steps of a segment
    const char *taps;        ///< of this scale and layout: [VifTaps][lane]
};

/// A block computes a tile of kVifTileRows rows and vif_tile_width() pixels per row. First, each
/// thread filters one column of the tile or of its halo.
constexpr int kVifThreads = 128;
constexpr int kVifTileColumns = kVifThreads;
constexpr int kVifTileRows = 8;
/// Adjacent pixels that one thread computes in the horizontal pass.
constexpr int kVifRun = 8;

/// Halo columns on either side of a tile: at least half a filter, and a multiple of 4, so that a
/// tile begins at a group of four samples that are loaded together.
SIMT_HOST_DEVICE constexpr int vif_side_columns(int scale)
{
    return scale == 0 ? 8 : 4;
}

SIMT_HOST_DEVICE constexpr int vif_tile_width(int scale)
{
    return kVifTileColumns - 2 * vif_side_columns(scale);
}

/// The table of logarithms on a device has one entry for kVifLogGroup consecutive arguments, whose
/// logarithms increase by one at most once. The upper bits of an entry are the first logarithm
/// minus kVifLogFirst. The lower kVifLogShift bits are chosen so that adding the argument's number
/// in the group carries into the upper bits where the increase is.
constexpr int kVifLogGroup = 8;
constexpr int kVifLogShift = 4;
constexpr int kVifLogFirst = 30720;
constexpr int kVifLogEntries = kVifLog2Entries / kVifLogGroup;
constexpr int kVifLogBytes = kVifLogEntries * 2;

/// The kernels with matrix words, for the first scales (vif_layout.h). A wave computes a segment of
/// a strip of kVifStripRows rows, walking to the right in steps of kVifStepColumns.
constexpr int kVifStripRows = 16;
constexpr int kVifStepColumns = 16;
constexpr int kVifMatrixWaves = 4; ///< of a block
/// With this many, the sums of a wave still fit 32 bits (at most 28672 per pixel).
constexpr int kVifMaxSteps = 256;

constexpr Kernel<VifScaleArgs> kVifScale0U8 = {"vif_scale0_u8", kVifThreads};
constexpr Kernel<VifScaleArgs> kVifScale0U16 = {"vif_scale0_u16", kVifThreads};
constexpr Kernel<VifScaleArgs> kVifScale1 = {"vif_scale1", kVifThreads};
constexpr Kernel<VifScaleArgs> kVifScale2 = {"vif_scale2", kVifThreads};
constexpr Kernel<VifScaleArgs> kVifScale3 = {"vif_scale3", kVifThreads};

/// Theirs; `lanes`: of a wave.
constexpr Kernel<VifScaleArgs> vif_strip_kernel(int scale, int depth, int lanes)
{
    const char *name = depth > 8 ? "vif_matrix0_u16" : "vif_matrix0_u8";
    return {scale > 0 ? "vif_matrix1" : name, static_cast<unsigned>(kVifMatrixWaves * lanes)};
}

} // namespace vmafgpu
