// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about the kernels of float_psnr and float_moment: arguments and launch
// geometry. Used by float_sums_record.cpp and float_sums_kernels.cpp. Device compilers read it, so
// it uses no host library.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

/// Samples of `first`, less those of `second` if that is not null. Device pointers.
struct FloatSumsPictureArgs {
    const void *first;
    const void *second;
    int64_t first_pitch, second_pitch;
    uint64_t *sum;     ///< of the values; zeroed; null: not wanted
    uint64_t *squares; ///< of the rounded squares; zeroed
};

/// One launch covers half a batch of pairs for float_moment: block z takes picture z.
struct FloatSumsArgs {
    FloatSumsPictureArgs pictures[kMaxBatch];
    int32_t width, height;
};

constexpr int kFloatSumsThreads = 256;
/// Rows of a block.
constexpr int kFloatSumsRows = 8;

constexpr Kernel<FloatSumsArgs> kFloatSumsU8 = {"float_sums_u8", kFloatSumsThreads};
constexpr Kernel<FloatSumsArgs> kFloatSumsU16 = {"float_sums_u16", kFloatSumsThreads};

} // namespace vmafgpu
