// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM on a device: what the kernels take and how they are launched. Shared by
// adm_kernels.cpp (device) and adm_record.cpp (host).
//
// One kernel per scale does wavelet, split, weighting and masking of a tile and
// writes only the approximation band, for the next scale, and row sums. Rows
// are rounded when complete, so a second kernel turns row sums into AdmSums.
#pragma once

#include <cstdint>

#include "kernel.h"

namespace vmafgpu {

/// Values summed per row, in the order of AdmScaleSums: num[2][3], den[3],
/// aim[2][3], and one unused.
constexpr int kAdmRowValues = 16;

/// Band samples of a tile: 16 lanes share a row, four samples each.
constexpr int kAdmTileWidth = 64;
/// Rows of a tile; scales 1..3 keep 32-bit wavelet results, so half as many fit.
constexpr int kAdmTileHeightFirst = 16;
constexpr int kAdmTileHeightNext = 8;

struct AdmScaleArgs {
    /// Reference and distorted input of each pair: the picture, or bands of
    /// 32-bit samples.
    const void *input[kMaxBatch][2];
    int64_t input_pitch[kMaxBatch][2]; ///< bytes
    int32_t input_width, input_height;
    int32_t depth; ///< bits of the picture, scale 0

    int32_t *approximation;       ///< of pair 0, reference then distorted; null at scale 3
    int64_t approximation_stride; ///< samples from pair to pair
    int64_t distorted_offset;     ///< samples from the reference's to the distorted's
    int32_t approximation_pitch;  ///< samples

    int32_t width, height; ///< of the bands
    int32_t left, top;     ///< region that counts
    uint32_t multiplier[3];
    int32_t num_cube_shift[3];
    int32_t den_cube_shift;
    int32_t skip_aim;
    int32_t skip_sums; ///< only the approximation is wanted
    double gain_limit[2];

    uint64_t *rows;      ///< of pair 0; kAdmRowValues per row, zeroed
    int64_t rows_stride; ///< values from pair to pair
};

struct AdmRowsArgs {
    const uint64_t *rows; ///< of pair 0, all scales one after the other
    int64_t rows_stride;
    int32_t first_row[4], row_count[4];
    int32_t num_row_shift[4], den_row_shift[4];
    char *sums; ///< AdmSums of pair 0
    int64_t sums_stride;
};

constexpr unsigned kAdmThreadsFirst = 16 * kAdmTileHeightFirst;
constexpr unsigned kAdmThreadsNext = 16 * kAdmTileHeightNext;

// Index: gain limits - 1.
constexpr Kernel<AdmScaleArgs> kAdmScale0U8[2] = {{"adm_scale0_u8_plain", kAdmThreadsFirst, 0},
                                                  {"adm_scale0_u8_both", kAdmThreadsFirst, 0}};
constexpr Kernel<AdmScaleArgs> kAdmScale0U16[2] = {{"adm_scale0_u16_plain", kAdmThreadsFirst, 0},
                                                   {"adm_scale0_u16_both", kAdmThreadsFirst, 0}};
constexpr Kernel<AdmScaleArgs> kAdmScaleNext[3][2] = {
    {{"adm_scale1_plain", kAdmThreadsNext, 0}, {"adm_scale1_both", kAdmThreadsNext, 0}},
    {{"adm_scale2_plain", kAdmThreadsNext, 0}, {"adm_scale2_both", kAdmThreadsNext, 0}},
    {{"adm_scale3_plain", kAdmThreadsNext, 0}, {"adm_scale3_both", kAdmThreadsNext, 0}}};
constexpr Kernel<AdmRowsArgs> kAdmRows = {"adm_rows", 256, 0};

} // namespace vmafgpu
