// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel that makes sketches of images in device memory. It does what base/sketch.h does for a
// host picture. uploader.cpp launches it; its device code is in unpack_kernels.cpp.
#pragma once

#include <cstdint>

#include "gpu/unpack_args.h"

namespace vmafgpu {

struct SketchArgs {
    const void *luma[kMostGathered]; ///< device; in the engine's layout
    int64_t pitch;                   ///< bytes
    uint8_t *sketches;               ///< device; columns * rows bytes each
    int32_t width, height;
    int32_t sample_bytes; ///< 1 or 2
    int32_t shift;        ///< from the sum of a block to its byte
    int32_t columns, rows;
};

/// Grid: x over a sketch's bytes, z = image.
constexpr Kernel<SketchArgs> kSketch = {"sketch_luma", 256};

} // namespace vmafgpu
