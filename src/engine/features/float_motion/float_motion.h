// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_motion": how much the blurred reference changes from picture to picture, equal
// to libvmaf's motion in binary32. registry.cpp lists kFloatMotionFeature; the rest is for the
// files of this folder and for tests. No device code: it runs on the host.
#pragma once

#include <cstddef>
#include <vector>

#include "features/feature.h"
#include "features/kit/floor_size.h"

namespace vmafgpu {

extern const FeatureInfo kFloatMotionFeature;

/// The Sums of a pair: mean absolute differences of blurred planes; all 0 for the first pair.
struct FloatMotionSums {
    float difference[3]; ///< luma, Cb, Cr; chroma is 0 unless it is asked for
};

/// What one Feature object computes.
struct FloatMotionConfig {
    Format format;
    std::vector<float> taps;
    bool adds_half_size = false; ///< the difference at half size is added
    bool adds_chroma = false;    ///< differences of Cb and Cr too
    bool skip = false;           ///< all variants are forced to zero: no pixel work
};

/// A plane of the two references that are compared. libvmaf leaves out an odd last row or column
/// of chroma.
struct FloatMotionPlanes {
    Plane earlier, later;
    int width, height;
};
inline FloatMotionPlanes float_motion_planes(const Format &format, const PairView &pair, int plane)
{
    return {plane == 0 ? pair.previous[0] : pair.previous_chroma[plane - 1], pair.reference[plane],
            floor_width(format, plane), floor_height(format, plane)};
}

/// float_motion_ref.cpp: the plain oracle. Allocates.
void float_motion_reference(const FloatMotionConfig &config, const PairView &pair,
                            FloatMotionSums &sums);

/// float_motion_cpu.cpp: the same numbers, fast. `scratch` has float_motion_scratch() bytes.
size_t float_motion_scratch(const FloatMotionConfig &config);
void float_motion_compute(const FloatMotionConfig &config, const PairView &pair,
                          FloatMotionSums &sums, void *scratch, ThreadPool &pool);

} // namespace vmafgpu
