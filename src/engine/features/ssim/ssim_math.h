// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arithmetic of SSIM that reference code, fast CPU code and kernels share: where borders are
// mirrored, and the terms of one pixel. Each operation is rounded in the type that is written.
#pragma once

#include "features/ssim/ssim_tables.h"
#include "simt/simt.h"

namespace vmafgpu {

/// Reflection that repeats the border sample on both sides, for one bounce: -1 -> 0, n -> n-1.
SIMT_HOST_DEVICE inline constexpr int ssim_mirror(int i, int n)
{
    return i < 0 ? -1 - i : (i >= n ? 2 * n - 1 - i : i);
}

/// What the window says about one pixel of both pictures.
struct SsimMoments {
    float mean1, mean2;
    float square1, square2, product; ///< means of a * a, c * c and a * c
};

/// Luminance, contrast and structure.
struct SsimTerms {
    double l, c, s;
    SIMT_HOST_DEVICE double product() const { return l * c * s; }
};

SIMT_HOST_DEVICE inline SsimTerms ssim_terms(const SsimMoments &m)
{
    const float power1 = m.mean1 * m.mean1;
    const float power2 = m.mean2 * m.mean2;
    const float difference1 = m.square1 - power1;
    const float difference2 = m.square2 - power2;
    const float variance1 = difference1 < 0 ? 0 : difference1;
    const float variance2 = difference2 < 0 ? 0 : difference2;
    const float covariance = m.product - m.mean1 * m.mean2;
    const float deviation = square_root(variance1 * variance2);
    const float joint = covariance < 0 && deviation <= 0 ? 0 : covariance;
    const double mean_product = 2.0 * static_cast<double>(m.mean1) * static_cast<double>(m.mean2);
    return {(mean_product + static_cast<double>(kSsimC1)) /
                static_cast<double>(power1 + power2 + kSsimC1),
            (2.0 * static_cast<double>(deviation) + static_cast<double>(kSsimC2)) /
                static_cast<double>(variance1 + variance2 + kSsimC2),
            static_cast<double>((joint + kSsimC3) / (deviation + kSsimC3))};
}

} // namespace vmafgpu
