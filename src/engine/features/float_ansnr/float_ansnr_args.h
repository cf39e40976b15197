// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about float_ansnr's kernels: arguments and launch geometry. Used by
// float_ansnr_record.cpp and float_ansnr_kernels.cpp. Device compilers read it, so it uses no host
// library.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

/// Device pointers; pitches in bytes.
struct FloatAnsnrPairArgs {
    const void *reference;
    const void *distorted;
    int64_t reference_pitch, distorted_pitch;
    float *rows; ///< scratch: the signal of each row, then the noise of each row
    float *sums; ///< signal, noise
};

/// One launch covers a batch: block z takes pair z.
struct FloatAnsnrArgs {
    FloatAnsnrPairArgs pairs[kMaxBatch];
    int32_t width, height;
    float scale; ///< of a sample to a level of 8 bits; a power of two
};

/// A block adds up kAnsnrRows rows, kAnsnrColumns columns at a time. So many rows that two blocks
/// share 64 KiB.
constexpr int kAnsnrThreads = 256;
constexpr int kAnsnrRows = 28;
constexpr int kAnsnrColumns = 64;
constexpr int kAnsnrHalf = 2; ///< of the wider filter

constexpr Kernel<FloatAnsnrArgs> kFloatAnsnrRowsU8 = {"float_ansnr_rows_u8", kAnsnrThreads};
constexpr Kernel<FloatAnsnrArgs> kFloatAnsnrRowsU16 = {"float_ansnr_rows_u16", kAnsnrThreads};
/// Then the rows: one block a pair.
constexpr Kernel<FloatAnsnrArgs> kFloatAnsnrSum = {"float_ansnr_sum", kAnsnrThreads};

} // namespace vmafgpu
