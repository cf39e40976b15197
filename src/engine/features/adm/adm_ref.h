// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stages of ADM's reference code, one function each, so that tests can look at the planes
// between them. Forms::reference() (adm.h) calls them in order. Whole planes, plain loops, memory
// allocated as needed: written to be read, not for speed. A file of its own, because tests include
// it and device compilers cannot.
#pragma once

#include <vector>

#include "features/adm/adm.h"

namespace vmafgpu::adm {

/// A plane of 32-bit samples without padding. Scale 0 keeps 16-bit values in it.
struct RefPlane {
    int width = 0, height = 0;
    std::vector<int32_t> samples;

    RefPlane() = default;
    RefPlane(int w, int h)
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
struct RefBands {
    RefPlane approximation;
    RefPlane detail[kOrientations];
};

/// Decoupled details of the distorted picture: the part that resembles the reference, and the rest.
struct RefSplit {
    RefPlane restored[kOrientations];
    RefPlane additive[kOrientations];
};

/// Three bands after the contrast sensitivity function; members as in Weighted.
struct RefWeightedPlanes {
    RefPlane contrast[kOrientations];
    RefPlane y[kOrientations];
    RefPlane f[kOrientations];
    RefPlane centre[kOrientations];
};

/// Luma as 32-bit samples, values unchanged.
RefPlane ref_load(const Plane &luma, const Format &format);

/// Bands of both pictures of a pair.
struct RefBandPair {
    RefBands ref, dis;
};

/// Wavelet transforms of `scale` (0..3). The inputs are the pictures of `depth` bits at scale 0,
/// else the approximations of the previous scale. takes_no_mirror() says why one picture's bands
/// may depend on the other.
RefBandPair ref_wavelet(const RefPlane &ref_input, const RefPlane &dis_input, int scale, int depth);

RefSplit ref_split(const RefBands &ref, const RefBands &dis, int scale, double gain_limit);

RefWeightedPlanes ref_weight(const RefPlane (&planes)[kOrientations], const Scale &config,
                             int scale);

/// Masking threshold at (y, x). All orientations share it.
int32_t ref_threshold(const RefWeightedPlanes &masker, int y, int x);

/// Contrast masking: sums of `signal` above the threshold made from `masker`.
void ref_mask(const RefWeightedPlanes &signal, const RefWeightedPlanes &masker, const Scale &config,
              int scale, int64_t (&sums)[kOrientations]);

/// Denominator: sums over the details of the reference.
void ref_energy(const RefBands &ref, const Scale &config, int scale,
                uint64_t (&sums)[kOrientations]);

} // namespace vmafgpu::adm
