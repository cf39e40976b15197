// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about psnr's kernels: arguments and launch geometry. Used by
// psnr_record.cpp and psnr_kernels.cpp. Device compilers read it, so it uses no host library.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

/// A plane of a pair. Device pointers; rows are aligned to 16 bytes; pitches in bytes.
struct PsnrPlaneArgs {
    const void *reference;
    const void *distorted;
    int64_t reference_pitch;
    int64_t distorted_pitch;
};

/// One launch covers one plane of a batch: block z takes pair z.
struct PsnrArgs {
    PsnrPlaneArgs pairs[kMaxBatch];
    char *squares; ///< of pair 0; zeroed
    int64_t squares_stride;
    int32_t width, height;
    int32_t items_per_row; ///< of kPsnrItemBytes
};

constexpr int kPsnrThreads = 256;
constexpr int kPsnrItemBytes = 16;
/// A thread sums so many items, one every kPsnrThreads items.
constexpr int kPsnrItems = 8;

constexpr Kernel<PsnrArgs> kPsnrU8 = {"psnr_u8", kPsnrThreads};
constexpr Kernel<PsnrArgs> kPsnrU16 = {"psnr_u16", kPsnrThreads};

} // namespace vmafgpu
