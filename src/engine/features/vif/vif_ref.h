// SPDX-License-Identifier: BSD-2-Clause-Patent
// The steps of VIF's reference code, so that tests can look at each. Only vif_ref.cpp and tests use
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "vif.h"

namespace vmafgpu {

/// Both pictures at one scale; rows are adjacent.
struct VifPlanes {
    int width = 0, height = 0;
    std::vector<uint16_t> reference, distorted;
};

VifPlanes vif_reference_load(const Format &format, const PairView &pair);

/// Computes the planes of scale + 1 from those of `scale`. Width and height are halved, rounded
/// down.
VifPlanes vif_reference_halve(const VifPlanes &planes, int scale, int depth);

/// Local moments, one per pixel, before any limit is applied.
std::vector<VifSigma> vif_reference_sigma(const VifPlanes &planes, int scale, int depth);

} // namespace vmafgpu
