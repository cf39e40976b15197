// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between float_adm_cpu.cpp and its SIMD code: strips of rows, as plain data. The
// code is in float_adm_strip-inl.h.
#pragma once

#include "features/float_adm/float_adm.h"
#include "picture/float_plane.h"

namespace vmafgpu {

/// Rows of bands in a tile: those of a strip, and one above and below for masking.
constexpr int kFloatAdmTileRows = 64;
constexpr int kFloatAdmStripRows = kFloatAdmTileRows - 2;

/// Sums of a row: denominator, numerator, added impairment, each of three orientations.
constexpr int kFloatAdmRowSums = 3 * kFloatAdmOrientations;

/// One task: rows first..last-1 of the bands of a scale.
struct FloatAdmStrip {
    FloatSource picture[2]; ///< reference, distorted
    const FloatAdmConfig *config;
    const FloatAdmBand *band;
    int first, last;
    bool only_approximation; ///< no sums
    float *approximation[2]; ///< the next scale's pictures; null at the last scale
    size_t pitch;            ///< of those, in samples; whole vectors are written
    float *row_sums;         ///< [kFloatAdmRowSums][height of the band]; the strip's replaced
};

} // namespace vmafgpu
