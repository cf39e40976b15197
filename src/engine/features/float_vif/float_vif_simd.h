// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between float_vif_cpu.cpp and its SIMD code: strips of rows, as plain data. The
// code is in float_vif_strip-inl.h.
#pragma once

#include "features/float_vif/float_vif.h"
#include "picture/float_plane.h"

namespace vmafgpu {

constexpr int kFloatVifStripRows = 32;

/// One task: the statistics of rows first..last-1 of a scale.
struct FloatVifStrip {
    FloatSource reference, distorted;
    int first, last;
    const FloatVifConfig *config;
    const std::vector<float> *taps;
    float *num_rows, *den_rows; ///< sums of all rows of the scale; those of the strip are replaced
};

/// One task: rows first..last-1 of the next scale's two planes. Their pitch is a multiple of 64
/// bytes, and whole vectors are written.
struct FloatVifHalving {
    FloatSource from[2];
    float *to[2];
    size_t pitch; ///< of `to`, in samples
    int first, last;
    const std::vector<float> *taps;
};

} // namespace vmafgpu
