// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between float_motion_cpu.cpp and its SIMD code: strips of rows, as plain data. The
// code is in float_motion_strip-inl.h.
#pragma once

#include "picture/float_plane.h"

namespace vmafgpu {

constexpr int kFloatMotionStripRows = 32;

/// One task: rows first..last-1.
struct FloatMotionStrip {
    FloatSource earlier, later;
    int first, last;
    const float *taps;
    int length;
    float *row_sums; ///< of all rows of the picture; those of the strip are replaced
};

} // namespace vmafgpu
