// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the host and the device side of speed_chroma's kernels share: arguments, launch
// geometry, where things lie in memory. Used by speed_chroma_record.cpp and
// speed_chroma_kernels.cpp; compiled by device compilers, so no host library here.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "simt/simt.h"

namespace vmafgpu {

/// 5x5 samples, and the pairs of them that a symmetric matrix has.
constexpr int kSpeedSide = 5;
constexpr int kSpeedSize = kSpeedSide * kSpeedSide;
constexpr int kSpeedProducts = kSpeedSize * (kSpeedSize + 1) / 2;
constexpr int kSpeedPlanesOfPair = 4;
constexpr int kSpeedMaxFilter = 40; ///< longest filter, rounded up

/// All of the feature's kernels take these; block z takes plane z.
struct SpeedArgs {
    struct Source {
        const void *data;
        int64_t pitch; ///< bytes
    } planes[kMaxBatch * kSpeedPlanesOfPair];
    float *scratch;                              ///< of the first plane; see SpeedScratch
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
struct SpeedScratch {
    int32_t residual, covariance, q, r, total;
};
SIMT_HOST_DEVICE constexpr SpeedScratch speed_scratch(int low_width, int low_height)
{
    const int samples = low_width * low_height;
    const int matrix = kSpeedSize * kSpeedSize;
    return {samples, 2 * samples, 2 * samples + matrix, 2 * samples + 2 * matrix,
            2 * samples + 3 * matrix};
}

constexpr int kSpeedThreads = 256;      ///< of reduce, residual, factor
constexpr int kSpeedReduceColumns = 16; ///< low-pass samples of a block of reduce
constexpr int kSpeedChainThreads = 64;  ///< of covariance and blocks: a serial chain each

// Low-pass plane. The samples are bytes or words; taken as they are, or resized.
constexpr Kernel<SpeedArgs> kSpeedReduceU8 = {"speed_reduce_u8", kSpeedThreads, 0};
constexpr Kernel<SpeedArgs> kSpeedReduceU16 = {"speed_reduce_u16", kSpeedThreads, 0};
constexpr Kernel<SpeedArgs> kSpeedResizeU8 = {"speed_resize_u8", kSpeedThreads, 0};
constexpr Kernel<SpeedArgs> kSpeedResizeU16 = {"speed_resize_u16", kSpeedThreads, 0};
constexpr Kernel<SpeedArgs> kSpeedResidual = {"speed_residual", kSpeedThreads, 0};
constexpr Kernel<SpeedArgs> kSpeedCovariance = {"speed_covariance", kSpeedChainThreads, 0};
/// Block y 0: eigenvalues; block y 1: Q and R.
constexpr Kernel<SpeedArgs> kSpeedFactor = {"speed_factor", kSpeedThreads, 0};
constexpr Kernel<SpeedArgs> kSpeedBlocks = {"speed_blocks", kSpeedChainThreads, 0};

} // namespace vmafgpu
