// SPDX-License-Identifier: BSD-2-Clause-Patent
// The steps of VIF's reference code, so that tests can look at each. A file of its own, because
// device compilers cannot read it.
#pragma once

#include <cstdint>
#include <vector>

#include "features/vif/vif.h"

namespace vmafgpu::vif {

/// Both pictures at one scale; rows are adjacent.
struct Planes {
    int width = 0, height = 0;
    std::vector<uint16_t> reference, distorted;
};

Planes reference_load(const Format &format, const PairView &pair);

/// Computes the planes of scale + 1 from those of `scale`. Width and height are halved, rounded
/// down.
Planes reference_halve(const Planes &planes, int scale, int depth);

/// Local moments, one per pixel, before any limit is applied.
std::vector<Sigma> reference_sigma(const Planes &planes, int scale, int depth);

} // namespace vmafgpu::vif
