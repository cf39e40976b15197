// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between ssim_cpu.cpp and SSIM's SIMD code: strips of rows, as plain data that is
// the same for every level. The code is in ssim_strip-inl.h.
#pragma once

#include "features/ssim/ssim.h"
#include "picture/picture.h"

namespace vmafgpu {

/// A plane of samples or of floats.
struct SsimPlane {
    Plane plane;
    int width, height;
    int sample_bytes; ///< 1, 2; 4: floats
    float unit;       ///< value of the sample 1
};

/// Rows first .. last-1 of pixels: their terms.
struct SsimTermsStrip {
    SsimPlane pictures[kSsimPictures];
    int first, last;
    int first_mean;
    /// Row by row; of a row first SsimTerms::product of every pixel, then l, c, s.
    double *terms;
    size_t pitch; ///< doubles between two of them
};

/// Rows first .. last-1 of a plane that another one makes.
struct SsimPlaneStrip {
    SsimPlane from, to;
    int first, last;
    int factor; ///< of a box; a pyramid's step ignores it
};

/// Boxes up to this one have exact sums, so that their order is free: docs/numerics/ssim.md.
constexpr int kSsimExactFactor = 64;

} // namespace vmafgpu
