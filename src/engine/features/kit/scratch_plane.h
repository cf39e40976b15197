// SPDX-License-Identifier: BSD-2-Clause-Patent
// A plane of binary32 samples in scratch memory, which SIMD code writes and reads.
#pragma once

#include <cstddef>

#include "base/numeric.h"
#include "features/kit/arena.h"
#include "picture/float_plane.h"

namespace vmafgpu {

/// Rows begin at whole vectors, and whole vectors can be written to their ends.
struct ScratchPlane {
    float *samples;
    int width, height;

    static ScratchPlane take(Arena &arena, int width, int height)
    {
        ScratchPlane plane = {nullptr, width, height};
        plane.samples = arena.take<float>(plane.pitch() * static_cast<size_t>(height));
        return plane;
    }
    /// Returns the distance of rows in samples.
    size_t pitch() const { return round_up(static_cast<size_t>(width), size_t{16}); }
    FloatSource source() const
    {
        return {{samples, static_cast<ptrdiff_t>(pitch() * sizeof(float))}, width, height, 0};
    }
};

} // namespace vmafgpu
