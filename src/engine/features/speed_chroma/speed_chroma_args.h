// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about the kernels of speed_chroma: arguments, launch geometry, memory
// layout. Used by speed_chroma_record.cpp and speed_chroma_kernels.cpp. Device compilers read it,
// so it uses no host library.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "simt/simt.h"

namespace vmafgpu {

/// 5x5 samples, and the pairs of them that a symmetric matrix has.
constexpr int kSpeedChromaSide = 5;
constexpr int kSpeedChromaSize = kSpeedChromaSide * kSpeedChromaSide;
constexpr int kSpeedChromaProducts = kSpeedChromaSize * (kSpeedChromaSize + 1) / 2;
constexpr int kSpeedChromaPlanesOfPair = 4;
constexpr int kSpeedChromaMaxFilter = 40; ///< longest filter, rounded up

/// All of the feature's kernels take these; block z takes plane z.
struct SpeedChromaArgs {
    struct Source {
        const void *data;
        int64_t pitch; ///< bytes
    } planes[kMaxBatch * kSpeedChromaPlanesOfPair];
    float *scratch;                              ///< of the first plane; see SpeedChromaScratch
    int64_t scratch_stride, pair_scratch_stride; ///< floats; from plane to plane, pair to pair
    char *sums;                                  ///< of the first pair
    int64_t sums_stride;                         ///< bytes
    const float *low_pass, *local_mean;          ///< filters
    /// Resizing: for each resized column (row) `taps` indices and weights.
    const int32_t *column_index, *row_index;
    const float *column_weight, *row_weight;
    int32_t taps;    ///< 0: none
    int32_t divides; ///< by the sum of the weights
    int32_t depth;
    int32_t resized_width, resized_height;
    int32_t low_width, low_height;
    int32_t blocks_x, blocks_y;
    int32_t low_pass_length, local_mean_length;
    float sigma;
};

/// Floats of one plane in scratch: the low-pass plane and its residual (rows of
/// low_width), covariance, Q and R (25 x 25).
struct SpeedChromaScratch {
    int32_t residual, covariance, q, r, total;
};
SIMT_HOST_DEVICE constexpr SpeedChromaScratch speed_chroma_scratch(int low_width, int low_height)
{
    const int samples = low_width * low_height;
    const int matrix = kSpeedChromaSize * kSpeedChromaSize;
    return {samples, 2 * samples, 2 * samples + matrix, 2 * samples + 2 * matrix,
            2 * samples + 3 * matrix};
}

constexpr int kSpeedChromaThreads = 256;      ///< of reduce, residual, factor
constexpr int kSpeedChromaReduceColumns = 16; ///< low-pass samples of a block of reduce
constexpr int kSpeedChromaChainThreads = 64;  ///< of blocks: a serial chain each
/// Of covariance: a serial chain each. The more, the fewer blocks centre the same elements.
constexpr int kSpeedChromaCovarianceThreads = 128;

// Low-pass plane. The samples are bytes or words; taken as they are, or resized.
constexpr Kernel<SpeedChromaArgs> kSpeedChromaReduceU8 = {"speed_chroma_reduce_u8",
                                                          kSpeedChromaThreads};
constexpr Kernel<SpeedChromaArgs> kSpeedChromaReduceU16 = {"speed_chroma_reduce_u16",
                                                           kSpeedChromaThreads};
constexpr Kernel<SpeedChromaArgs> kSpeedChromaResizeU8 = {"speed_chroma_resize_u8",
                                                          kSpeedChromaThreads};
constexpr Kernel<SpeedChromaArgs> kSpeedChromaResizeU16 = {"speed_chroma_resize_u16",
                                                           kSpeedChromaThreads};
constexpr Kernel<SpeedChromaArgs> kSpeedChromaResidual = {"speed_chroma_residual",
                                                          kSpeedChromaThreads};
constexpr Kernel<SpeedChromaArgs> kSpeedChromaCovariance = {"speed_chroma_covariance",
                                                            kSpeedChromaCovarianceThreads};
/// Block y 0: eigenvalues; block y 1: Q and R.
constexpr Kernel<SpeedChromaArgs> kSpeedChromaFactor = {"speed_chroma_factor", kSpeedChromaThreads};
constexpr Kernel<SpeedChromaArgs> kSpeedChromaBlocks = {"speed_chroma_blocks",
                                                        kSpeedChromaChainThreads};

} // namespace vmafgpu
