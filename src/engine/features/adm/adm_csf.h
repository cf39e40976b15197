// SPDX-License-Identifier: BSD-2-Clause-Patent
// Contrast sensitivity (CSF) factors of ADM from the viewing conditions. adm.cpp calls this once
// per variant. Weighting of samples is in adm_math.h.
#pragma once

#include <cstdint>

namespace vmafgpu {

/// The options that determine the factors, with libvmaf's defaults.
struct AdmCsfOptions {
    double view_distance = 3.0; ///< adm_norm_view_dist, in picture heights
    int display_height = 1080;  ///< adm_ref_display_height, in lines
    int mode = 0;               ///< adm_csf_mode: 0 Watson, 1 Barten, 2 and 3 tabulated
    double scale = 1.0;         ///< adm_csf_scale, mode 1 only
    double diag_scale = 1.0;    ///< adm_csf_diag_scale, mode 1 only
};

/// Index of both: [scale][0 = horizontal and vertical, 1 = diagonal].
struct AdmCsf {
    float factor[4][2];        ///< real factors, used by the denominator
    uint32_t multiplier[4][2]; ///< the same in fixed point, used per pixel
    bool exceeds;              ///< a multiplier has lost its upper bits; mode 1 only
};

/// Throws Error(EINVAL), naming the options, where libvmaf refuses them too, and where libvmaf
/// would take an error code for a factor.
AdmCsf adm_csf(const AdmCsfOptions &options);

} // namespace vmafgpu
