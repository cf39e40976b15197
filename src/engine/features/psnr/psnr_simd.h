// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between psnr_cpu.cpp and psnr's SIMD code: strips of rows, as plain data. The code
// is in psnr_strip-inl.h.
#pragma once

#include "picture/picture.h"

namespace vmafgpu {

constexpr int kPsnrStripRows = 64;

/// One task: rows first..last-1 of a plane.
struct PsnrStrip {
    Plane reference, distorted;
    int width, depth;
    int first, last;
    uint64_t *squares; ///< replaced
};

} // namespace vmafgpu
