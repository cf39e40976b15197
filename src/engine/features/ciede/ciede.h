// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ciede", equal to libvmaf's: the mean colour difference CIEDE2000 of a pair in
// decibels. registry.h lists kFeature; the rest is for the files of this folder and for tests. No
// device code: it runs on the host.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::ciede {

extern const FeatureInfo kFeature;

/// The Sums of a pair: the differences of all pixels, added up as doubles in raster order.
struct Sums {
    double difference;
};

/// A pixel's colour as libvmaf rounds it.
struct Lab {
    float l, a, b;
};

/// Where a row of pixels finds its chroma. libvmaf halves the wrong direction in 4:2:2, and reads
/// beyond a row's end there and in the last column of an odd width: docs/numerics/classic.md.
struct ChromaMemory {
    Chroma layout;
    int width, height; ///< size of the chroma planes
    int pitch;         ///< samples from row to row in libvmaf's memory
};
ChromaMemory chroma_of(const Format &format);

/// The sample that libvmaf takes for element `index` of the memory of a chroma plane.
template <typename Sample>
float chroma_sample(const ChromaMemory &chroma, const Plane &plane, int64_t index)
{
    const int64_t row = index / chroma.pitch;
    const auto column = static_cast<int>(index % chroma.pitch);
    if (column >= chroma.width || row >= chroma.height)
        return 0;
    return plane_row<Sample>(plane, static_cast<int>(row))[column];
}

/// Element of a chroma plane's memory for the pixel (x, y).
inline int64_t chroma_index(const ChromaMemory &chroma, int x, int y)
{
    if (chroma.layout == Chroma::k444)
        return static_cast<int64_t>(y) * chroma.pitch + x;
    const int column = chroma.layout == Chroma::k420 ? x / 2 : x;
    return static_cast<int64_t>(y / 2) * chroma.pitch + column;
}

struct Forms {
    /// ciede_ref.cpp: the oracle.
    static void reference(const Format &format, const PairView &pair, Sums &sums);
    /// ciede_cpu.cpp: the same sum, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Format &format);
    static void compute(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
};

/// ciede_ref.cpp: the colour of one pixel, and the difference of two.
Lab lab_of_pixel(int depth, float y, float u, float v);
float difference_of(const Lab &reference, const Lab &distorted);

// Constants of the formulas, which are in docs/numerics/classic.md.
constexpr double kPi = 3.14159265358979323846;
/// Linear light to X, Y, Z.
constexpr double kXyz[3][3] = {{0.4124564390896921, 0.357576077643909, 0.18043748326639894},
                               {0.21267285140562248, 0.715152155287818, 0.07217499330655958},
                               {0.019333895582329317, 0.119192025881303, 0.9503040785363677}};
constexpr double kWhiteX = 1 / 0.95047;
constexpr double kWhiteZ = 1 / 1.08883;
constexpr double kCube = 216.0 / 24389; ///< above it the lightness is a cube root
constexpr double kSlope = 24389.0 / 27;
constexpr double kPower7 = 6103515625; ///< 25 to the power of 7
constexpr float kPower7Float = 6103515648.0F;

/// Rows are padded to a multiple of it.
constexpr int kPad = 16;

/// One row of pixels.
struct Row {
    const float *samples[2][3]; ///< reference, distorted; Y, Cb, Cr for each pixel; padded
    int depth;
    int width;
    float *difference; ///< result; padded
};

} // namespace vmafgpu::ciede
