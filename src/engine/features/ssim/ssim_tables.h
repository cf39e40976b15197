// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of SSIM and MS-SSIM: filters, stabilising constants, weights. libvmaf writes them with
// six decimals; tests/unit compares them with a second source. No code.
#pragma once

#include "simt/simt.h"

namespace vmafgpu {

constexpr int kSsimTaps = 11;

/// The window: a Gaussian of 1.5 samples whose outer product is rounded to sum up to 1.
SIMT_TABLE float kSsimGaussian[kSsimTaps] = {0.001028F, 0.007599F, 0.036001F, 0.109361F,
                                             0.213006F, 0.266012F, 0.213006F, 0.109361F,
                                             0.036001F, 0.007599F, 0.001028F};

constexpr int kSsimHalfReach = 4;

/// Low pass before the pyramid drops every second sample, by distance of row and of column: an
/// outer product, rounded to six decimals.
SIMT_TABLE float kSsimHalf[kSsimHalfReach + 1][kSsimHalfReach + 1] = {
    {0.363505F, 0.160885F, -0.047149F, -0.010146F, 0.016114F},
    {0.160885F, 0.071207F, -0.020867F, -0.004490F, 0.007132F},
    {-0.047149F, -0.020867F, 0.006115F, 0.001316F, -0.002090F},
    {-0.010146F, -0.004490F, 0.001316F, 0.000283F, -0.000450F},
    {0.016114F, 0.007132F, -0.002090F, -0.000450F, 0.000714F}};

/// (0.01 * 255)^2, (0.03 * 255)^2 and half of that, in float; at every depth.
constexpr float kSsimC1 = 0x1.a028f4p+2F;
constexpr float kSsimC2 = 0x1.d42e12p+5F;
constexpr float kSsimC3 = 0x1.d42e12p+4F;

constexpr int kSsimMaxScales = 5;

/// Exponents of a scale's luminance, and of its contrast and its structure.
constexpr float kSsimAlpha[kSsimMaxScales] = {0, 0, 0, 0, 0.1333F};
constexpr float kSsimBeta[kSsimMaxScales] = {0.0448F, 0.2856F, 0.3001F, 0.2363F, 0.1333F};

} // namespace vmafgpu
