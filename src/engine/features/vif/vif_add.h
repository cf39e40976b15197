// SPDX-License-Identifier: BSD-2-Clause-Patent
// Adds the pixels of a thread by the arithmetic that suits the device: double or integer. Included
// by the kernel files.
#pragma once

#include "vif_pixels.h"

namespace vmafgpu {

/// The first `used` of `count` pixels; sigma_of(i) is the VifSigma of pixel i. limit_count:
/// limits.count, or any number where double is scarce.
template <int limit_count, int count, typename SigmaOf>
SIMT_DEVICE void vif_add_all(const SigmaOf &sigma_of, int used, const VifLimits &limits,
                             const VifLogs &logs, VifThreadSums &sums)
{
    uint32_t left = 0; // bit i: pixel i
    SIMT_UNROLL
    for (int i = 0; i < count; ++i) {
        if (i >= used)
            break;
        if (!has_scarce_double())
            vif_add_fast<limit_count>(sigma_of(i), limits, logs, sums);
        else if (!vif_add_integer(sigma_of(i), limits, logs, sums))
            left |= 1u << i;
    }
    // Seldom any: one copy of the code, which finds its pixel by comparisons.
    SIMT_NO_UNROLL
    while (left != 0) {
        const int which = 31 - clz32(left);
        left ^= 1u << which;
        VifSigma sigma = {};
        SIMT_UNROLL
        for (int i = 0; i < count; ++i)
            if (i == which)
                sigma = sigma_of(i);
        vif_add_rest(sigma, limits, logs, sums);
    }
}

/// Whether one limit is all that vif_add_all() has to know of at compile time.
SIMT_DEVICE bool vif_has_one_limit(const VifLimits &limits)
{
    return has_scarce_double() || limits.count == 1;
}

} // namespace vmafgpu
