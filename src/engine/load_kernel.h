// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel that copies planes of device pictures into the engine's own
// layout, the device twin of load_plane() in load.h, used by device_executor.cpp; and
// one that clears memory, for features whose clearing must not get lost unseen.
#pragma once

#include <cstdint>

#include "kernel.h"

namespace vmafgpu {

struct LoadPlane {
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

/// Most pairs that one launch loads, and their planes.
constexpr int kMaxLoadPairs = 8;
constexpr int kMaxLoadPlanes = 6 * kMaxLoadPairs;

struct LoadPlanesArgs {
    LoadPlane plane[kMaxLoadPlanes]; ///< one per block_id_z()
};

constexpr Kernel<LoadPlanesArgs> kLoadPlanes = {"load_planes", 256, 0};

/// A fill with 0 that is counted as launches are (Queue::count_launches), which a
/// device's own fill is not.
struct ClearArgs {
    uint64_t *to; ///< device
    int64_t words;
};

constexpr int kClearWordsPerThread = 4;
constexpr Kernel<ClearArgs> kClear = {"clear_words", 256, 0};

inline Grid clear_grid(int64_t words)
{
    constexpr int64_t kWordsPerBlock = int64_t{256} * kClearWordsPerThread;
    return {static_cast<unsigned>((words + kWordsPerBlock - 1) / kWordsPerBlock), 1, 1};
}

} // namespace vmafgpu
