// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between psnr_hvs_cpu.cpp and psnr_hvs's SIMD code: rows of blocks, as plain data.
// The code is in psnr_hvs_row-inl.h.
#pragma once

#include "features/psnr_hvs/psnr_hvs.h"
#include "picture/picture.h"

namespace vmafgpu {

/// One row of blocks of one plane.
struct PsnrHvsRow {
    Plane reference, distorted;
    int depth;
    int y;      ///< first row of samples
    int blocks; ///< at least 1
    const PsnrHvsWeights *weights;
    float *terms; ///< result: terms that are not 0, in order; room for all
    int *count;   ///< result: how many
};

} // namespace vmafgpu
