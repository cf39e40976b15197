// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernel scales: libvmaf's VIF and SpEED know some and fail on any other. Each has its own list.
#pragma once

#include <cerrno>
#include <cmath>
#include <string>

#include "base/error.h"

namespace vmafgpu {

/// Throws Error(EINVAL) unless the option's value is within 0.001 of one that is known.
template <size_t count> void check_kernel_scale(const char *feature, const char *option,
                                                double scale, const float (&known)[count])
{
    constexpr float kTolerance = 1e-3F;
    for (const float one : known)
        if (std::fabs(static_cast<float>(scale) - one) < kTolerance)
            return;
    throw Error(EINVAL, std::string("feature ") + feature + ": option " + option + " is " +
                            std::to_string(scale) +
                            "; only 0.444444, 0.5, 2/3, 0.711111, 0.74074, 1, 1.06667, 1.11111, "
                            "1.16667, 1.25, 1.33333, 1.41667, 1.4746, 1.5, 1.54, 1.6, 1.66667, 2, "
                            "2.4, 3 and 3.71134 have kernels");
}

} // namespace vmafgpu
