// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between ciede_cpu.cpp and ciede's SIMD code: rows of pixels, as plain data. The
// code is in ciede_row-inl.h and ciede_libm-inl.h.
#pragma once

#include "features/ciede/ciede.h"
#include "features/ciede/ciede_math.h"
#include "libm/libm_atan.h"

namespace vmafgpu {

/// Rows are padded to a multiple of it.
constexpr int kCiedePad = 16;

/// One row of pixels.
struct CiedeRow {
    const float *samples[2][3]; ///< reference, distorted; Y, Cb, Cr for each pixel; padded
    int depth;
    int width;
    float *difference; ///< result; padded
};

} // namespace vmafgpu
