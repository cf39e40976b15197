// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_motion": how much the blurred reference changes from picture to picture, equal
// to libvmaf's motion in binary32. registry.h lists kFeature; the rest is for the
// files of this folder and for tests. No device code: it runs on the host.
#pragma once

#include <vector>

#include "features/kit/floor_size.h"
#include "features/kit/forms.h"
#include "picture/float_plane.h"

namespace vmafgpu::float_motion {

extern const FeatureInfo kFeature;

/// The Sums of a pair: mean absolute differences of blurred planes; all 0 for the first pair.
struct Sums {
    float difference[3]; ///< luma, Cb, Cr; chroma is 0 unless it is asked for
};

/// What one Feature object computes.
struct Config {
    Format format;
    std::vector<float> taps;
    bool adds_half_size = false; ///< the difference at half size is added
    bool adds_chroma = false;    ///< differences of Cb and Cr too
    bool skip = false;           ///< all variants are forced to zero: no pixel work
};

/// A plane of the two references that are compared. libvmaf leaves out an odd last row or column
/// of chroma.
struct Planes {
    Plane earlier, later;
    int width, height;
};
inline Planes planes_of(const Format &format, const PairView &pair, int plane)
{
    return {plane == 0 ? pair.previous[0] : pair.previous_chroma[plane - 1], pair.reference[plane],
            floor_width(format, plane), floor_height(format, plane)};
}

struct Forms {
    /// float_motion_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// float_motion_cpu.cpp: the same numbers, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
};

/// Rows of a task of the CPU form.
constexpr int kStripRows = 32;

/// Rows first .. last - 1. float_motion_simd-inl.h does the work.
struct Strip {
    FloatSource earlier, later;
    int first, last;
    const float *taps;
    int length;
    float *row_sums; ///< sums of all rows of the picture; the strip's rows are overwritten
};

} // namespace vmafgpu::float_motion
