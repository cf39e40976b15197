// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about the kernels of speed_chroma: arguments, launch geometry, memory
// layout. A file of its own, because device compilers read it and the vectors of Config are not for
// them.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "simt/simt.h"

namespace vmafgpu::speed_chroma {

constexpr int kEdge = 5;               ///< side of a block
constexpr int kVector = kEdge * kEdge; ///< samples of a block
constexpr int kPairs = kVector * (kVector + 1) / 2;
constexpr int kPlanes = 4;     ///< Cb reference, Cb distorted, Cr reference, Cr distorted
constexpr int kMaxFilter = 40; ///< longest filter, rounded up

/// All of the feature's kernels take these; block z takes plane z.
struct Args {
    struct Source {
        const void *data;
        int64_t pitch; ///< bytes
    } planes[kMaxBatch * kPlanes];
    float *scratch; ///< scratch memory of the first plane; see PlaneScratch
    int64_t scratch_stride, pair_scratch_stride; ///< floats; from plane to plane, pair to pair
    char *sums;                                  ///< Sums of the first pair
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
struct PlaneScratch {
    int32_t residual, covariance, q, r, total;
};
SIMT_HOST_DEVICE constexpr PlaneScratch plane_layout(int low_width, int low_height)
{
    const int samples = low_width * low_height;
    const int matrix = kVector * kVector;
    return {samples, 2 * samples, 2 * samples + matrix, 2 * samples + 2 * matrix,
            2 * samples + 3 * matrix};
}

constexpr int kThreads = 256;      ///< threads of reduce, residual, factor
constexpr int kReduceColumns = 16; ///< low-pass samples of a block of reduce
constexpr int kChainThreads = 64;  ///< threads of the kernel of blocks: a serial chain each
/// Threads of covariance: a serial chain each. The more, the fewer blocks centre the same elements.
constexpr int kCovarianceThreads = 128;

// Low-pass plane. The samples are bytes or words; taken as they are, or resized.
constexpr Kernel<Args> kReduceU8 = {"speed_chroma_reduce_u8", kThreads};
constexpr Kernel<Args> kReduceU16 = {"speed_chroma_reduce_u16", kThreads};
constexpr Kernel<Args> kResizeU8 = {"speed_chroma_resize_u8", kThreads};
constexpr Kernel<Args> kResizeU16 = {"speed_chroma_resize_u16", kThreads};
constexpr Kernel<Args> kResidual = {"speed_chroma_residual", kThreads};
constexpr Kernel<Args> kCovariance = {"speed_chroma_covariance", kCovarianceThreads};
/// Block y 0: eigenvalues; block y 1: Q and R.
constexpr Kernel<Args> kFactor = {"speed_chroma_factor", kThreads};
constexpr Kernel<Args> kBlocks = {"speed_chroma_blocks", kChainThreads};

} // namespace vmafgpu::speed_chroma
