// SPDX-License-Identifier: BSD-2-Clause-Patent
// The first stages of CAMBI's reference code, up to the counts, so that tools can look at the
// planes. cambi_reference() (cambi.h) continues from there. Written to be read, not for speed: it
// allocates.
#pragma once

#include <vector>

#include "cambi.h"

namespace vmafgpu {

/// Rows without padding.
template <typename T> struct CambiImage {
    int width = 0, height = 0;
    std::vector<T> samples;

    CambiImage(int w, int h)
        : width(w), height(h), samples(static_cast<size_t>(w) * static_cast<size_t>(h))
    {
    }
    T &at(int x, int y) { return samples[index(x, y)]; }
    const T &at(int x, int y) const { return samples[index(x, y)]; }

private:
    size_t index(int x, int y) const
    {
        return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
    }
};
using CambiLevels = CambiImage<int>; ///< of 10 bits
using CambiMask = CambiImage<uint8_t>;

/// One scale of one picture.
struct CambiRefScale {
    CambiLevels unfiltered; ///< what the mode filter takes
    CambiLevels levels;
    CambiMask mask; ///< 1: flat surroundings, counts
};

/// All kCambiScales of them. `picture`: 0 distorted, 1 reference; of `config` it takes that
/// picture's target, is_filtered and is_halved.
std::vector<CambiRefScale> cambi_ref_scales(const Plane &plane, const Format &format,
                                            const CambiConfig &config, int picture);

} // namespace vmafgpu
