// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between vif_cpu.cpp and VIF's SIMD code: strips of rows, as plain data that is the
// same for every level. The code is in vif_strip-inl.h.
#pragma once

#include "features/vif/vif.h"
#include "picture/picture.h"

namespace vmafgpu {

/// One picture pair at one scale.
struct VifLevel {
    Plane reference, distorted;
    int width, height;
};

/// One task: rows first to last - 1 of a level, and the corresponding rows of the next level.
/// `first` is a multiple of 4.
struct VifStrip {
    VifLevel level;
    VifLevel next; ///< only written; data is null after the last scale
    int scale, depth;
    int first, last;
    bool statistics;
    const VifConfig *config;
    VifScaleSums *sums; ///< overwritten
};

/// Most rows of a strip: the sums of a tile are kept in 32 bits.
constexpr int kVifCpuStripRows = 128;
/// Most columns of a tile.
constexpr int kVifTile = 288;

/// Local second moments of pixels, in any order. Entries from `count` to the next multiple of 32
/// must be 0; they do not count.
struct VifSigmaRow {
    alignas(64) int32_t reference[kVifTile];
    alignas(64) int32_t distorted[kVifTile];
    alignas(64) int32_t both[kVifTile];
};

/// Adds count <= kVifTile pixels to the sums (vif_cpu.cpp; for tests).
void vif_add_pixels(const VifSigmaRow &row, int count, const VifConfig &config, VifScaleSums &sums);

} // namespace vmafgpu
