// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_adm": loss of detail and added impairment at four scales, equal to libvmaf's
// in binary32. registry.cpp lists kFloatAdmFeature; the rest is for the files of this folder and
// for tests. No device code: it runs on the host.
#pragma once

#include <cstddef>

#include "features/feature.h"
#include "features/float_adm/float_adm_reciprocal.h"

namespace vmafgpu {

extern const FeatureInfo kFloatAdmFeature;

constexpr int kFloatAdmScales = 4;
constexpr int kFloatAdmOrientations = 3; ///< horizontal, vertical, diagonal

/// The Sums of a pair: sums of powers, by scale and orientation.
struct FloatAdmSums {
    float den[kFloatAdmScales][kFloatAdmOrientations];
    float num[kFloatAdmScales][kFloatAdmOrientations];
    float aim[kFloatAdmScales][kFloatAdmOrientations]; ///< of the added impairment
};

/// Bands of a scale, and the part of them that is summed.
struct FloatAdmBand {
    int width, height;
    int left, top, right, bottom;
    float factor[kFloatAdmOrientations]; ///< contrast sensitivity
};

/// What one Feature object computes.
struct FloatAdmConfig {
    Format format;
    FloatAdmBand band[kFloatAdmScales];
    double gain_limit = 100.0;              ///< adm_enhn_gain_limit
    float power = 3.0F;                     ///< adm_p_norm
    bool bypasses_masking = false;          ///< adm_bypass_cm
    bool skip_scale0 = false;               ///< its sums stay 0
    const ReciprocalTable *table = nullptr; ///< none: true divisions
};

/// float_adm_csf.cpp: factors of all scales, [scale][0: horizontal and vertical, 1: diagonal].
struct FloatAdmFactors {
    float at[kFloatAdmScales][2];
};
struct FloatAdmCsfOptions {
    double view_distance, scale, diagonal_scale;
    int display_height, mode;
};
FloatAdmFactors float_adm_factors(const FloatAdmCsfOptions &options);

/// float_adm_ref.cpp: the plain oracle. Allocates.
void float_adm_reference(const FloatAdmConfig &config, const PairView &pair, FloatAdmSums &sums);

/// float_adm_cpu.cpp: the same numbers, fast. `scratch` has float_adm_scratch() bytes.
size_t float_adm_scratch(const FloatAdmConfig &config);
void float_adm_compute(const FloatAdmConfig &config, const PairView &pair, FloatAdmSums &sums,
                       void *scratch, ThreadPool &pool);

} // namespace vmafgpu
