// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_vif": visual information fidelity at four scales, equal to libvmaf's in
// binary32. registry.cpp lists kFloatVifFeature; the rest is for the files of this folder and for
// tests. No device code: it runs on the host.
#pragma once

#include <cstddef>
#include <vector>

#include "features/feature.h"
#include "picture/float_plane.h"

namespace vmafgpu {

extern const FeatureInfo kFloatVifFeature;

constexpr int kFloatVifScales = 4;

/// The Sums of a pair.
struct FloatVifSums {
    float num[kFloatVifScales];
    float den[kFloatVifScales];
};

/// What one Feature object computes.
struct FloatVifConfig {
    Format format;
    int width = 0, height = 0; ///< of scale 0, after vif_prescale
    FloatResize method = FloatResize::kNearest;
    double noise = 2.0;        ///< vif_sigma_nsq
    float gain_limit = 100.0F; ///< vif_enhn_gain_limit
    bool skip_scale0 = false;  ///< its sums stay 0
    std::vector<float> taps[kFloatVifScales];

    bool resizes() const { return width != format.width || height != format.height; }
};

/// float_vif_ref.cpp: the plain oracle. Allocates.
void float_vif_reference(const FloatVifConfig &config, const PairView &pair, FloatVifSums &sums);

/// float_vif_cpu.cpp: the same numbers, fast. `scratch` has float_vif_scratch() bytes.
size_t float_vif_scratch(const FloatVifConfig &config);
void float_vif_compute(const FloatVifConfig &config, const PairView &pair, FloatVifSums &sums,
                       void *scratch, ThreadPool &pool);

} // namespace vmafgpu
