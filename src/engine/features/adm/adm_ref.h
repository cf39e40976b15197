// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stages of ADM's reference code, one function each, so that tests can look at the planes
// between them. adm_reference() (adm.h) calls them in order. Whole planes, plain loops, memory
// allocated as needed: written to be read, not for speed.
#pragma once

#include <vector>

#include "features/adm/adm.h"

namespace vmafgpu {

/// A plane of 32-bit samples without padding. Scale 0 keeps 16-bit values in it.
struct AdmPlane {
    int width = 0, height = 0;
    std::vector<int32_t> samples;

    AdmPlane() = default;
    AdmPlane(int w, int h)
        : width(w), height(h), samples(static_cast<size_t>(w) * static_cast<size_t>(h))
    {
    }
    int32_t &at(int y, int x) { return samples[index(y, x)]; }
    int32_t at(int y, int x) const { return samples[index(y, x)]; }

private:
    size_t index(int y, int x) const
    {
        return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
    }
};

/// Output of one wavelet step: the approximation and the details h, v, d.
struct AdmBands {
    AdmPlane approximation;
    AdmPlane detail[kAdmOrientations];
};

/// Decoupled details of the distorted picture: the part that resembles the reference, and the rest.
struct AdmSplit {
    AdmPlane restored[kAdmOrientations];
    AdmPlane additive[kAdmOrientations];
};

/// Three bands after the contrast sensitivity function; members as in AdmWeighted.
struct AdmWeightedPlanes {
    AdmPlane contrast[kAdmOrientations];
    AdmPlane y[kAdmOrientations];
    AdmPlane f[kAdmOrientations];
    AdmPlane centre[kAdmOrientations];
};

/// Luma as 32-bit samples, values unchanged.
AdmPlane adm_ref_load(const Plane &luma, const Format &format);

/// Bands of both pictures of a pair.
struct AdmBandPair {
    AdmBands ref, dis;
};

/// Wavelet transforms of `scale` (0..3). The inputs are the pictures of `depth` bits at scale 0,
/// else the approximations of the previous scale. adm_is_narrow() says why one picture's bands may
/// depend on the other.
AdmBandPair adm_ref_wavelet(const AdmPlane &ref_input, const AdmPlane &dis_input, int scale,
                            int depth);

AdmSplit adm_ref_split(const AdmBands &ref, const AdmBands &dis, int scale, double gain_limit);

AdmWeightedPlanes adm_ref_weight(const AdmPlane (&planes)[kAdmOrientations], const AdmScale &config,
                                 int scale);

/// Masking threshold at (y, x). All orientations share it.
int32_t adm_ref_threshold(const AdmWeightedPlanes &masker, int y, int x);

/// Contrast masking: sums of `signal` above the threshold made from `masker`.
void adm_ref_mask(const AdmWeightedPlanes &signal, const AdmWeightedPlanes &masker,
                  const AdmScale &config, int scale, int64_t (&sums)[kAdmOrientations]);

/// Denominator: sums over the details of the reference.
void adm_ref_energy(const AdmBands &ref, const AdmScale &config, int scale,
                    uint64_t (&sums)[kAdmOrientations]);

} // namespace vmafgpu
