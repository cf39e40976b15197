// SPDX-License-Identifier: BSD-2-Clause-Patent
// A sketch: a picture of 64x36 bytes by which similar pictures are told from others. Host memory
// only; gpu/unpack_args.h is the same for device memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

constexpr int kSketchBlock = 4; ///< width and height of the block that a byte is the mean of
constexpr int kSketchWidth = 64, kSketchHeight = 36;
constexpr int kSketchBytes = kSketchWidth * kSketchHeight;

using Sketch = std::array<uint8_t, kSketchBytes>;

/// The first row or column of block `i` of `count`; `length`: the picture's width or height.
constexpr int sketch_begin(int i, int count, int length)
{
    return i * (length - kSketchBlock) / (count - 1);
}

/// Writes kSketchHeight rows of kSketchWidth bytes. Each is the mean of a block of luma samples,
/// its upper 8 bits: (sum of the 16 samples) >> (4 + depth - 8). Blocks of small pictures overlap.
void make_sketch(const VmafGpuPicture &picture, uint8_t *sketch);

/// Sum of the absolute differences of so many samples.
inline int absolute_difference(const uint8_t *a, const uint8_t *b, size_t count = kSketchBytes)
{
    int sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += std::abs(a[i] - b[i]);
    return sum;
}

} // namespace vmafgpu
