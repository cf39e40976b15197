// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel that makes a sketch of an image in device memory. It does what base/sketch.h does for
// a host picture. images.cpp launches it; its device code is in unpack_kernels.cpp.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

struct SketchArgs {
    const void *luma; ///< device; in the engine's layout
    int64_t pitch;    ///< bytes
    uint8_t *sketch;  ///< device; columns * rows bytes
    int32_t width, height;
    int32_t sample_bytes; ///< 1 or 2
    int32_t shift;        ///< from the sum of a block to its byte
    int32_t columns, rows;
};

/// Grid: x over the sketch's bytes.
constexpr Kernel<SketchArgs> kSketch = {"sketch_luma", 256};

} // namespace vmafgpu
