// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ciede", equal to libvmaf's: the mean colour difference CIEDE2000 of a pair in
// decibels. registry.cpp lists kCiedeFeature; the rest is for the files of this folder and for
// tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kCiedeFeature;

/// The Sums of a pair: the differences of all pixels, added up as doubles in raster order.
struct CiedeSums {
    double difference;
};

/// A pixel's colour as libvmaf rounds it.
struct CiedeLab {
    float l, a, b;
};

/// Where a row of pixels finds its chroma. libvmaf halves the wrong direction in 4:2:2, and reads
/// beyond a row's end there and in the last column of an odd width: docs/numerics/classic.md.
struct CiedeChroma {
    Chroma layout;
    int width, height; ///< of the chroma planes
    int pitch;         ///< samples from row to row in libvmaf's memory
};
CiedeChroma ciede_chroma(const Format &format);

/// The sample that libvmaf takes for element `index` of the memory of a chroma plane.
template <typename Sample>
float ciede_chroma_sample(const CiedeChroma &chroma, const Plane &plane, int64_t index)
{
    const int64_t row = index / chroma.pitch;
    const auto column = static_cast<int>(index % chroma.pitch);
    if (column >= chroma.width || row >= chroma.height)
        return 0;
    return plane_row<Sample>(plane, static_cast<int>(row))[column];
}

/// Element of a chroma plane's memory for the pixel (x, y).
inline int64_t ciede_chroma_index(const CiedeChroma &chroma, int x, int y)
{
    if (chroma.layout == Chroma::k444)
        return static_cast<int64_t>(y) * chroma.pitch + x;
    const int column = chroma.layout == Chroma::k420 ? x / 2 : x;
    return static_cast<int64_t>(y / 2) * chroma.pitch + column;
}

/// ciede_ref.cpp: the plain oracle, and its parts.
void ciede_reference(const Format &format, const PairView &pair, CiedeSums &sums);
CiedeLab ciede_lab(int depth, float y, float u, float v);
float ciede_difference(const CiedeLab &reference, const CiedeLab &distorted);

/// ciede_cpu.cpp: the same sum, fast. `scratch` has ciede_scratch() bytes, aligned to 64.
size_t ciede_scratch(const Format &format);
void ciede_compute(const Format &format, const PairView &pair, CiedeSums &sums, void *scratch,
                   ThreadPool &pool);

} // namespace vmafgpu
