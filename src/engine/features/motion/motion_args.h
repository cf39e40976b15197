// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about motion's kernels: arguments and launch geometry. Used by
// motion_record.cpp and motion_kernels.cpp. Device compilers read it, so it uses no host library.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

/// Two pictures of the reference and where their difference goes. Device pointers;
/// pitches in bytes.
struct MotionPairArgs {
    const void *earlier;
    const void *later;
    int64_t earlier_pitch;
    int64_t later_pitch;
    uint64_t *sad; ///< zeroed
};

/// One launch covers a batch: block z takes pair z.
struct MotionArgs {
    MotionPairArgs pairs[kMaxBatch];
    int32_t width, height;
    int32_t depth;
};

/// A block computes a tile with kMotionThreads threads. kMotionLanes threads side by
/// side cover the tile's width with kMotionColumns columns each, of which the first
/// and the last are its side columns; each row of threads walks down its own rows.
constexpr int kMotionThreads = 128;
constexpr int kMotionColumns = 4;
constexpr int kMotionRows = 16;
constexpr int kMotionLanes = 32;
constexpr int kMotionTileWidth = kMotionColumns * (kMotionLanes - 2);
constexpr int kMotionTileHeight = kMotionRows * (kMotionThreads / kMotionLanes);

// The difference is blurred.
constexpr Kernel<MotionArgs> kMotionU8 = {"motion_u8", kMotionThreads};
constexpr Kernel<MotionArgs> kMotionU16 = {"motion_u16", kMotionThreads};
// Up to libvmaf 3.1: both pictures are blurred, then subtracted.
constexpr Kernel<MotionArgs> kMotionBlurFirstU8 = {"motion_blur_first_u8", kMotionThreads};
constexpr Kernel<MotionArgs> kMotionBlurFirstU16 = {"motion_blur_first_u16", kMotionThreads};

} // namespace vmafgpu
