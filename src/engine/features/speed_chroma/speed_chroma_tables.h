// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of speed_chroma that are lists in the reference. Used by speed_chroma.cpp; the filters
// themselves are computed there.
#pragma once

namespace vmafgpu::speed_chroma {

/// The kernel scales that libvmaf knows; it fails on any other.
constexpr float kKernelScales[] = {1.0F,      0.5F,      1.5F,     2.0F,  0.666667F, 2.4F,
                                   3.71134F,  1.33333F,  1.16667F, 1.25F, 1.41667F,  1.66667F,
                                   3.0F,      0.444444F, 1.4746F,  1.54F, 1.6F,      1.06667F,
                                   0.711111F, 0.74074F,  1.11111F};

/// Lengths of the low-pass and the local mean filter at kernel scale 1, before they are
/// made odd.
constexpr int kLowPassLength = 9, kLocalMeanLength = 2;

} // namespace vmafgpu::speed_chroma
