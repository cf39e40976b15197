// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between motion_cpu.cpp and motion's SIMD code: strips of rows, as plain data. The
// code is in motion_strip-inl.h.
#pragma once

#include "features/motion/motion.h"
#include "picture/picture.h"

namespace vmafgpu {

/// Most rows of a strip: the sums of a tile are kept in 32 bits.
constexpr int kMotionStripRows = 64;

/// One task: rows first..last-1.
struct MotionStrip {
    Plane earlier, later;
    int width, height, depth;
    int first, last;
    bool blur_first;
    uint64_t *sad; ///< replaced
};

} // namespace vmafgpu
