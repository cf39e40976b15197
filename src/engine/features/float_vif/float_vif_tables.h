// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of float_vif, for its reference code, its SIMD code and its options.
#pragma once

namespace vmafgpu::float_vif {

/// libvmaf's vif_kernelscale must be within 0.001 of one of these.
constexpr float kKernelScales[] = {
    1.0F,     1.0F / 2, 3.0F / 2,  2.0F,      2.0F / 3,  2.4F,     360.0F / 97,
    4.0F / 3, 3.5F / 3, 3.75F / 3, 4.25F / 3, 5.0F / 3,  3.0F,     1.0F / 2.25F,
    1.4746F,  1.54F,    1.6F,      1.06667F,  0.711111F, 0.74074F, 1.111111F};

/// Added to variances before divisions.
constexpr float kEpsilon = 1e-10F;

/// log2(1 + z) for z from 0 to 1, highest power first.
constexpr int kLogTerms = 9;
constexpr float kLog[kLogTerms] = {-0.012671635276421F, 0.064841182402670F,  -0.157048836463065F,
                                   0.257167726303123F,  -0.353800560300520F, 0.480131410397451F,
                                   -0.721314327952201F, 1.442694803896991F,  0.0F};

} // namespace vmafgpu::float_vif
