// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of ADM: wavelet taps, and tables for the contrast sensitivity factors. Used by the
// reference code, the CPU code, the kernels and adm.cpp.
#pragma once

#include <cstdint>

namespace vmafgpu::adm {

/// Taps of the wavelet (Daubechies, 4 taps) in Q15. Output n reads positions 2n-1 to 2n+2.
constexpr int32_t kLowTaps[4] = {15826, 27411, 7345, -4240};
constexpr int32_t kHighTaps[4] = {-4240, -7345, 27411, -15826};

/// Rounding shifts of the wavelet. Index: scale. Vertically, scale 0 shifts by the bit depth
/// instead.
constexpr int kVerticalShift[4] = {-1, 0, 16, 16};
constexpr int kHorizontalShift[4] = {16, 15, 16, 15};

/// Binary32 square of the cosine of one degree, the limit of the angle test.
constexpr float kCosOneDegree = 0x1.ffd814p-1F;

/// Multipliers of |y|: 1/30 and 1/15 in Q17 (scale 0) and Q32.
constexpr int32_t kThirtieth16 = 4369;
constexpr int32_t kFifteenth16 = 8738;
constexpr int64_t kThirtieth32 = 143165577;
constexpr int64_t kFifteenth32 = 286331153;

/// Exponent q of the squares in the denominator, scales 1..3.
constexpr int kEnergySquareShift[4] = {0, 31, 30, 31};

/// Exponents that bring the sums of a numerator (h, v, d) and of a denominator to one
/// unit. Index: scale.
constexpr int kNumExponent[4][3] = {{52, 52, 57}, {45, 45, 45}, {39, 39, 39}, {36, 36, 36}};
constexpr int kDenExponent[4] = {18, 32, 27, 23};

/// adm_csf_mode 0: divisors B for h/v and for d. Index: scale.
constexpr float kWatsonDivisors[4][2] = {
    {0.67234F, 0.72709F}, {0.41317F, 0.49428F}, {0.22727F, 0.28688F}, {0.11792F, 0.15214F}};

/// adm_csf_mode 1: Barten's parameters p0 .. p3 at luminances of 20 and of 150, and the
/// terms a * exp(-b * frequency) of the masking, {a, b}.
constexpr float kBartenParameters[4][2] = {
    {0.334278F, 0.394533F}, {3.79542F, 2.7755F}, {1.07327F, 1.16577F}, {6.4635F, 7.45665F}};
constexpr float kBartenTerms[4][2] = {{0.424838596301290F, 0.028F},
                                      {0.572435103936480F, 0.37F},
                                      {0.000167576239164937F, 37.0F},
                                      {0.00255872352306433F, 360.0F}};

/// adm_csf_mode 2 and 3: factors tabulated for a few viewing conditions.
struct Blend {
    int display_height;
    double view_distance;
    float factors[2][2][4]; ///< [mode - 2][h/v, d][scale]
};

constexpr Blend kBlends[] = {
    {1080,
     3.0,
     {{{.01183F, .025026F, .04295F, .058621F}, {.004302F, .011778F, .023918F, .035901F}},
      {{.011249F, .022606F, .035930F, .045673F}, {.004097F, .010921F, .021430F, .031313F}}}},
    {2160,
     1.5,
     {{{.01183F, .025026F, .04295F, .058621F}, {.004302F, .011778F, .023918F, .035901F}},
      {{.011249F, .022606F, .035930F, .045673F}, {.004097F, .010921F, .021430F, .031313F}}}},
    {1080,
     5.0,
     {{{.004212F, .014809F, .029642F, .047464F}, {.000984F, .005852F, .0146F, .027574F}},
      {{.004052F, .013939F, .026298F, .038833F}, {.000927F, .005544F, .013415F, .024515F}}}},
    {2160,
     3.0,
     {{{.00226F, .01183F, .025026F, .04295F}, {.000479F, .004302F, .011778F, .023918F}},
      {{.002166F, .011249F, .022606F, .035930F}, {.000447F, .004097F, .010921F, .021430F}}}},
    {2160,
     5.0,
     {{{.000092F, .004212F, .014809F, .029642F}, {.000050F, .000984F, .005852F, .0146F}},
      {{.000077F, .004052F, .013939F, .026298F}, {.000045F, .000927F, .005544F, .013415F}}}},
    {720,
     5.0,
     {{{.010144F, .022561F, .040309F, .05672F}, {.003463F, .010282F, .021839F, .034641F}},
      {{.009689F, .020577F, .034162F, .044523F}, {.003302F, .009579F, .019661F, .030318F}}}},
};

} // namespace vmafgpu::adm
