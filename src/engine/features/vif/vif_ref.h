// SPDX-License-Identifier: BSD-2-Clause-Patent
// The steps of VIF's reference code, so that tests can look at each. Only vif_ref.cpp and tests use
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "vif.h"

namespace vmafgpu {

/// Both pictures at one scale, tightly packed rows.
struct VifPlanes {
    int width = 0, height = 0;
    std::vector<uint16_t> reference, distorted;
};

VifPlanes vif_reference_load(const Format &format, const PairView &pair);

/// `planes` is of scale `scale`; the result of scale + 1 has half the width
/// and height, rounded down.
VifPlanes vif_reference_halve(const VifPlanes &planes, int scale, int depth);

/// One per pixel, before anything is clamped.
std::vector<VifSigma> vif_reference_sigma(const VifPlanes &planes, int scale, int depth);

} // namespace vmafgpu
