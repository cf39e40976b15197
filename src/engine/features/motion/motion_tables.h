// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of motion, shared by the reference code, the fast CPU code and the kernels.
#pragma once

#include <cstdint>

#include "simt/simt.h"

namespace vmafgpu::motion {

/// Gaussian whose taps add up to 65536 (libvmaf's motion filter; the same as
/// VIF's of scale 2).
constexpr int kHalf = 2;
SIMT_TABLE int32_t kFilter[2 * kHalf + 1] = {3571, 16004, 26386, 16004, 3571};

} // namespace vmafgpu::motion
