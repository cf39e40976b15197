// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_vif": visual information fidelity at four scales, equal to libvmaf's in
// binary32. registry.h lists kFeature; the rest is for the files of this folder and for
// tests. No device code: it runs on the host.
#pragma once

#include <vector>

#include "features/kit/forms.h"
#include "picture/float_plane.h"

namespace vmafgpu::float_vif {

extern const FeatureInfo kFeature;

constexpr int kScales = 4;

/// The Sums of a pair.
struct Sums {
    float num[kScales];
    float den[kScales];
};

/// What one Feature object computes.
struct Config {
    Format format;
    int width = 0, height = 0; ///< size of scale 0, after vif_prescale
    FloatResize method = FloatResize::kNearest;
    double noise = 2.0;        ///< vif_sigma_nsq
    float gain_limit = 100.0F; ///< vif_enhn_gain_limit
    bool skip_scale0 = false;  ///< its sums stay 0
    std::vector<float> taps[kScales];

    bool resizes() const { return width != format.width || height != format.height; }
};

struct Forms {
    /// float_vif_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// float_vif_cpu.cpp: the same numbers, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
};

/// Factor of the distorted variance where the reference is flat: the noise squared over 255
/// squared. Compilers make a product of libvmaf's powf(noise, 2), which rounds once.
inline float flat_factor(double noise)
{
    const auto single = static_cast<float>(noise);
    const float square = single * single;
    return static_cast<float>(static_cast<double>(square) / (255.0 * 255.0));
}

/// Rows of a task of the CPU form.
constexpr int kStripRows = 32;

/// The statistics of rows first .. last - 1 of a scale. float_vif_simd-inl.h does the work of both.
struct Strip {
    FloatSource reference, distorted;
    int first, last;
    const Config *config;
    const std::vector<float> *taps;
    float *num_rows, *den_rows; ///< sums of all rows of the scale; those of the strip are replaced
};

/// Rows first .. last - 1 of the next scale's two planes. Their pitch is a multiple of 64
/// bytes, and whole vectors are written.
struct Halving {
    FloatSource from[2];
    float *to[2];
    size_t pitch; ///< distance of the rows of `to`, in samples
    int first, last;
    const std::vector<float> *taps;
};

} // namespace vmafgpu::float_vif
