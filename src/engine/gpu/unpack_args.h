// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel that brings planes in device memory, a caller's or those of the inbox, into the
// engine's layout. The CPU backend has base/unpack.h for that. uploader.cpp launches it.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

struct UnpackPlane {
    const void *from;   ///< device; first sample of the top row
    int64_t from_pitch; ///< bytes; may be negative
    void *to;           ///< device; rows of to_pitch bytes, a multiple of 16
    int64_t to_pitch;
    int32_t width, height; ///< samples
    /// What a thread copies: 16 bytes if samples keep their size, else one sample.
    int32_t items_per_row;
    int32_t is_plain;
    int32_t from_bytes; ///< of a sample: 1 or 2
    int32_t to_bytes;   ///< 1 or 2
    int32_t step;       ///< bytes from a sample to the next
    int32_t shift;      ///< unused low bits
    int32_t mask;       ///< 2^depth - 1 of the source
    int32_t promote;    ///< left shift to the format's depth
};

/// Most pictures that are made together, and their planes.
constexpr int kMostGathered = 16;
constexpr int kMaxUnpackPlanes = 3 * kMostGathered;

struct UnpackPlanesArgs {
    UnpackPlane plane[kMaxUnpackPlanes]; ///< one per block_id_z()
};

constexpr Kernel<UnpackPlanesArgs> kUnpackPlanes = {"unpack_planes", 256};

} // namespace vmafgpu
