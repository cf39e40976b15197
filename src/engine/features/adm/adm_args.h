// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM on a device: arguments of the kernels, and how they are launched. Shared by adm_kernels.cpp
// and adm_wavelet.h (device) and adm_record.cpp (host).
//
// One kernel per scale does the wavelet, decoupling, contrast sensitivity and contrast masking. It
// writes only the approximation band, which is the next scale's input, and row sums. A lane owns a
// row of the bands and walks to the right, so that its row sums stay in registers. Rows are rounded
// when they are complete: a second kernel turns row sums into AdmSums.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

/// Values summed per row, in the order of AdmScaleSums: num[2][3], den[3], aim[2][3], and one
/// unused. These constants are their first indices:
constexpr int kAdmRowNum = 0;
constexpr int kAdmRowDen = 6;
constexpr int kAdmRowAim = 9;
constexpr int kAdmRowValues = 16;

constexpr unsigned kAdmThreads = 64;
/// Halo: a wave's first row and last two rows are inputs only.
constexpr int kAdmHaloRows = 3;
/// Fewest rows of a block: two waves of 32.
constexpr int kAdmBlockRows = 2 * (32 - kAdmHaloRows);

/// Band samples that one step to the right produces. It reads twice as many input columns, at
/// most 16 bytes of a row.
constexpr int kAdmStepSamples[4] = {4, 4, 2, 2};

/// Samples in front of a row's first one: an approximation is stored together with the columns
/// beyond the edges that the next scale's wavelet reads.
constexpr int kAdmMargin = 1;

struct AdmScaleArgs {
    /// Reference and distorted input of each pair. Scale 0: the picture, rows aligned to 16 bytes.
    /// Then: the previous scale's approximation, beginning with the margin; 16-bit samples after
    /// scale 0, 32-bit samples after that.
    struct {
        const void *data;
        int64_t pitch; ///< bytes
    } input[kMaxBatch][2];
    int32_t input_width, input_height;
    int32_t depth; ///< bit depth of the picture; scale 0 only

    char *approximation;          ///< of pair 0, reference then distorted; null at scale 3
    int64_t approximation_stride; ///< bytes from pair to pair
    int64_t distorted_offset;     ///< bytes from reference to distorted
    int64_t approximation_pitch;  ///< bytes

    int32_t first_row;              ///< first band row of the blocks with y = 0
    int32_t first_step, steps, run; ///< first step and steps of a row; steps per block
    int32_t width, height;          ///< of the bands
    int32_t left, top;              ///< region that counts
    uint32_t multiplier[3];
    int32_t num_cube_shift[3];
    int64_t num_cube_half[3];
    int32_t den_cube_shift;
    int32_t is_narrow; ///< adm_is_narrow()
    int32_t wraps;     ///< weighted samples may overflow their integer
    int32_t skip_aim;
    int32_t skip_sums; ///< only the approximation is needed
    double gain_limit[2];
    int32_t whole_gain_limit[2]; ///< the same as integer; 0 if it is fractional

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

// Index: number of gain limits, minus 1.
constexpr Kernel<AdmScaleArgs> kAdmScale0U8[2] = {{"adm_scale0_u8_plain", kAdmThreads},
                                                  {"adm_scale0_u8_both", kAdmThreads}};
constexpr Kernel<AdmScaleArgs> kAdmScale0U16[2] = {{"adm_scale0_u16_plain", kAdmThreads},
                                                   {"adm_scale0_u16_both", kAdmThreads}};
constexpr Kernel<AdmScaleArgs> kAdmScaleNext[3][2] = {
    {{"adm_scale1_plain", kAdmThreads}, {"adm_scale1_both", kAdmThreads}},
    {{"adm_scale2_plain", kAdmThreads}, {"adm_scale2_both", kAdmThreads}},
    {{"adm_scale3_plain", kAdmThreads}, {"adm_scale3_both", kAdmThreads}}};
constexpr int kAdmRowsThreads = 1024;
constexpr Kernel<AdmRowsArgs> kAdmRows = {"adm_rows", kAdmRowsThreads};

} // namespace vmafgpu
