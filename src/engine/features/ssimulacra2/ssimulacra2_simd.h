// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between ssimulacra2_cpu.cpp and its SIMD code (ssimulacra2_row-inl.h,
// ssimulacra2_plane-inl.h): rows and planes as plain data.
#pragma once

#include <cstdint>

#include "features/ssimulacra2/ssimulacra2_math.h"

namespace vmafgpu {

/// Floats that rows are padded to; one more than the picture's at least.
constexpr int kSsimulacra2Pad = 16;

/// A row of samples that becomes linear light: Y, Cb, Cr as in Ssimulacra2Colour, or R, G, B.
struct Ssimulacra2Row {
    const Ssimulacra2Colour *colour;
    const int32_t *in[3]; ///< padded
    float *out[3];
    int width;
};

/// A plane of both pictures, from which sums are made.
struct Ssimulacra2PlaneTask {
    const float *planes[2]; ///< reference, distorted
    int width, height;
    int pitch; ///< floats
    bool has_structure;
    float *scratch; ///< ssimulacra2_plane_floats(pitch)
    double *sums;   ///< result: kSsimulacra2Sums
};

// Areas of a plane's scratch, for as many lanes as any level has.
constexpr int kSsimulacra2MostLanes = 16;
constexpr int kSsimulacra2RingRows = 2 * kSsimulacra2MostLanes + 1;      ///< one is of zeros
constexpr int kSsimulacra2Lead = kSsimulacra2Before + kSsimulacra2After; ///< before a line
constexpr int64_t ssimulacra2_plane_floats(int pitch)
{
    const int64_t turned = int64_t{2} * (pitch + 2 * kSsimulacra2Pad) * kSsimulacra2MostLanes;
    const int64_t ring = int64_t{kSsimulacra2Moments} * kSsimulacra2RingRows * pitch;
    const int64_t states = int64_t{kSsimulacra2Moments} * 2 * kSsimulacra2Sections * pitch;
    const int64_t terms = int64_t{kSsimulacra2Maps} * kSsimulacra2MostLanes * pitch;
    return turned + ring + states + terms;
}

/// One level's functions; null without a fused multiply-add, where the reference code runs.
struct Ssimulacra2Forms {
    void (*linear_row)(const Ssimulacra2Row &row);
    /// In place: linear light becomes X, Y, B.
    void (*xyb_row)(float *const *rows, int width);
    /// A row of half the size. Rows of an odd width have their last sample once more.
    void (*half_row)(const float *upper, const float *lower, float *to, int width);
    void (*add_plane)(const Ssimulacra2PlaneTask &task);
};

} // namespace vmafgpu
