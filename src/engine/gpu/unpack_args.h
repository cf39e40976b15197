// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels that bring planes in device memory, a caller's or those of the inbox, into the
// engine's layout, and that make sketches of images. The CPU backend has picture/unpack.h and
// picture/sketch.h for that. uploader.cpp launches them.
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
    int32_t from_bytes; ///< bytes of a sample: 1 or 2
    int32_t to_bytes;   ///< 1 or 2
    int32_t step;       ///< bytes from a sample to the next
    int32_t shift;      ///< unused low bits
    int32_t mask;       ///< 2^depth - 1 of the source
    int32_t promote;    ///< left shift to the format's depth
};

/// The largest number of images of an upload batch, and of their planes.
constexpr int kMostUploadImages = 16;
constexpr int kMaxUnpackPlanes = 3 * kMostUploadImages;

struct UnpackPlanesArgs {
    UnpackPlane plane[kMaxUnpackPlanes]; ///< one per block_id_z()
};

constexpr Kernel<UnpackPlanesArgs> kUnpackPlanes = {"unpack_planes", 256};

struct SketchLuma {
    const void *data; ///< device; in the engine's format
    int64_t pitch;    ///< bytes
};

struct SketchArgs {
    SketchLuma luma[kMostUploadImages];
    uint8_t *sketches; ///< device; columns * rows bytes each
    int32_t width, height;
    int32_t sample_bytes; ///< 1 or 2
    int32_t shift;        ///< shift from the sum of a block to its byte
    int32_t columns, rows;
};

/// Grid: x over a sketch's bytes, z = image.
constexpr Kernel<SketchArgs> kSketch = {"sketch_luma", 256};

} // namespace vmafgpu
