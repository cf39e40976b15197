// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about the kernels of SSIM and MS-SSIM: arguments and launch geometry.
// Used by ssim_record.cpp and ssim_kernels.cpp. Device compilers read it, so it uses no host
// library.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "features/ssim/ssim_tables.h"

namespace vmafgpu {

constexpr int kSsimKinds = 4; ///< means of a scale, as SsimMean counts them

/// One launch covers a batch.
struct SsimArgs {
    struct Pair {
        const void *pictures[2]; ///< luma: reference, distorted
        int64_t pitches[2];      ///< bytes
    } pairs[kMaxBatch];
    struct Scale {
        int32_t width, height;
        int32_t pitch;       ///< floats
        int32_t tiles_x;     ///< of the scale's plane of pixels; 0: the window does not fit
        int32_t tile_groups; ///< of a tile, below each other
        int32_t first_tile;  ///< in a launch of ssim_core_f32
        int64_t planes[2];   ///< floats, from `planes`; unused by samples
        int64_t groups;      ///< from `groups`; kSsimKinds times the groups of a scale
    } scales[kSsimMaxScales];
    float *planes; ///< of the first pair
    int64_t planes_stride;
    uint64_t *groups; ///< words of the first pair's SsimGroup; zeroed
    int64_t groups_stride;
    char *sums; ///< SsimScaleSums of the first pair
    int64_t sums_stride;
    int32_t width, height;
    int32_t first_kind;  ///< SsimMean
    int32_t scale_count; ///< of the feature
    int32_t first_scale; ///< of a launch
    int32_t factor;      ///< of ssim_box
    float weight;        ///< likewise
    float unit;          ///< value of the sample 1
};

/// Of the kernels that make planes.
constexpr int kSsimThreads = 128;
/// Of ssim_core: 64 for each of its five quantities.
constexpr int kSsimCoreThreads = 320;

/// A block of ssim_core walks down a tile of pixels, a group of rows at a time.
constexpr int kSsimTileWidth = 64;
constexpr int kSsimTileGroups = 8; ///< at most

/// A block of ssim_half makes a tile of the next scale.
constexpr int kSsimHalfTileWidth = 32;
constexpr int kSsimHalfTileHeight = 16;

// From samples, or from the floats of a scale. Block z takes a pair.
constexpr Kernel<SsimArgs> kSsimCoreU8 = {"ssim_core_u8", kSsimCoreThreads};
constexpr Kernel<SsimArgs> kSsimCoreU16 = {"ssim_core_u16", kSsimCoreThreads};
constexpr Kernel<SsimArgs> kSsimCoreF32 = {"ssim_core_f32", kSsimCoreThreads};
// The scale after first_scale. Block z takes a picture.
constexpr Kernel<SsimArgs> kSsimHalfU8 = {"ssim_half_u8", kSsimThreads};
constexpr Kernel<SsimArgs> kSsimHalfU16 = {"ssim_half_u16", kSsimThreads};
constexpr Kernel<SsimArgs> kSsimHalfF32 = {"ssim_half_f32", kSsimThreads};
// Scale 0 from boxes of samples. Block z takes a picture.
constexpr Kernel<SsimArgs> kSsimBoxU8 = {"ssim_box_u8", kSsimThreads};
constexpr Kernel<SsimArgs> kSsimBoxU16 = {"ssim_box_u16", kSsimThreads};
/// The Sums. A thread per mean; block z takes a pair.
constexpr Kernel<SsimArgs> kSsimFinish = {"ssim_finish", 64};

} // namespace vmafgpu
