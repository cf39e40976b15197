// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of the CAMBI feature, shared by the plain reference, the fast CPU code
// and the kernels. What depends on options is computed in cambi.cpp.
#pragma once

#include "simt/simt.h"

namespace vmafgpu::cambi {

constexpr int kScales = 5;
/// Largest distance d of two levels that are compared (max_log_contrast = 5).
constexpr int kMaxSteps = 32;
constexpr int kMaxWindow = 65;

/// Weight of the distance d, at d - 1 (libvmaf's g_contrast_weights).
SIMT_TABLE int kWeights[kMaxSteps] = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                                      8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};

/// Pooling weight of scale s.
SIMT_TABLE int kScaleWeights[kScales] = {16, 8, 4, 2, 1};

/// Half of the square in which the mask counts flat pixels.
constexpr int kMaskHalf = 3;

/// Entries of the table of 1/n: one for every number of pixels in a window, and 0.
constexpr int kReciprocals = kMaxWindow * kMaxWindow + 1;

/// libvmaf's table holds 1/n as read from nine significant decimal digits. Where that
/// is not the float nearest to 1/n it is the next larger or the next smaller one.
constexpr int kReciprocalUp[] = {82,   83,   244,  488,  564,  614,  664,
                                 1419, 1699, 1906, 2443, 2740, 3812, 4130};
constexpr int kReciprocalDown[] = {504,  510,  528,  749,  760,  892,  2040, 2071, 2112, 2223,
                                   2555, 2927, 3285, 3515, 3525, 3705, 3795, 3797, 3837, 3885,
                                   4033, 4080, 4091, 4095, 4142, 4203, 4218, 4224};

} // namespace vmafgpu::cambi
