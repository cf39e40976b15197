// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel that copies one plane of a device picture into the engine's own
// layout; the device twin of load_plane() in load.h. Used by device_executor.cpp.
#pragma once

#include <cstdint>

#include "kernel.h"

namespace vmafgpu {

struct LoadPlaneArgs {
    const void *from;   ///< device; first sample of the top row
    int64_t from_pitch; ///< bytes; may be negative
    void *to;           ///< device; rows of to_pitch bytes
    int64_t to_pitch;
    int32_t width, height; ///< samples
    int32_t from_bytes;    ///< of a sample: 1 or 2
    int32_t to_bytes;      ///< 1 or 2
    int32_t step;          ///< bytes from a sample to the next
    int32_t shift;         ///< unused low bits
    int32_t mask;          ///< 2^depth - 1 of the source
    int32_t promote;       ///< left shift to the format's depth
};

constexpr Kernel<LoadPlaneArgs> kLoadPlane = {"load_plane_kernel", 256, 0};

/// Samples that one thread copies, so that rows are written in whole words.
constexpr int kLoadRun = 4;

inline Grid load_plane_grid(int width, int height)
{
    const int runs = (width + kLoadRun - 1) / kLoadRun;
    return {static_cast<unsigned>((runs + 255) / 256), static_cast<unsigned>(height), 1};
}

} // namespace vmafgpu
