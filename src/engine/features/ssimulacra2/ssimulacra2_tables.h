// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of ssimulacra2: the weights of its sums, the filter's sections, the curve of sRGB and
// the colour space XYB. docs/numerics/ssimulacra2.md has the formulas.
#pragma once

#include "simt/simt.h"

namespace vmafgpu::ssimulacra2 {

constexpr int kScales = 6;       ///< at most
constexpr int kPlanes = 3;       ///< X, Y, B
constexpr int kMaps = 3;         ///< structure, artefacts, lost detail
constexpr int kAllMoments = 5;   ///< planes that are blurred: the members of Moments
constexpr int kMeans = 2;        ///< the first kMeans moments; structure alone needs the others
constexpr int kSums = 2 * kMaps; ///< sums of a plane: terms, then fourth powers

/// A weight that is not 0. Its number counts planes, scales, sums, the last ones fastest.
struct Weight {
    int number;
    double weight;
};
constexpr Weight kWeights[] = {
    {1, 0.0007376606707406586},    {4, 0.0007793481682867309},  {7, 0.0004371155730107379},
    {9, 1.1041726426657346},       {10, 0.00066284834129271},   {11, 0.00015231632783718752},
    {13, 0.0016406437456599754},   {15, 1.8422455520539298},    {16, 11.441172603757666},
    {18, 0.0007989109436015163},   {19, 0.000176816438078653},  {21, 1.8787594979546387},
    {22, 10.94906990605142},       {24, 0.0007289346991508072}, {25, 0.9677937080626833},
    {27, 0.00014003424285435884},  {28, 0.9981766977854967},    {29, 0.00031949755934435053},
    {30, 0.0004550992113792063},   {33, 0.0013648766163243398}, {39, 7.466890328078848},
    {41, 17.445833984131262},      {42, 0.0006235601634041466}, {45, 6.683678146179332},
    {46, 0.00037724407979611296},  {47, 1.027889937768264},     {48, 225.20515300849274},
    {51, 19.213238186143016},      {52, 0.0011401524586618361}, {53, 0.001237755635509985},
    {54, 176.39317598450694},      {57, 24.43300999870476},     {58, 0.28520802612117757},
    {59, 0.0004485436923833408},   {63, 34.77906344483772},     {64, 44.835625328877896},
    {73, 0.0008680556573291698},   {79, 0.0005313191874358747}, {81, 0.00016533814161379112},
    {87, 0.0004179171803251336},   {88, 0.0017290828234722833}, {90, 0.0020827005846636437},
    {93, 8.826982764996862},       {94, 23.19243343998926},     {96, 95.1080498811086},
    {97, 0.9863978034400682},      {98, 0.9834382792465353},    {99, 0.0012286405048278493},
    {100, 171.2667255897307},      {101, 0.9807858872435379},   {105, 0.0005130064588990679},
    {107, 0.00010854057858411537},
};

/// The filter's three sections: factors of inputs and of the output before, for the outputs
/// 0 .. 3 of a block.
constexpr int kSections = 3;
constexpr int kBlock = 4;
SIMT_TABLE float kIn[kSections][kBlock] = {
    {0x1.c4fa84p-5F, 0x1.aecee8p-4F, 0x1.287a74p-3F, 0x1.5c87fap-3F},
    {-0x1.e1fd7ap-5F, -0x1.1b4e84p-4F, -0x1.70352cp-6F, 0x1.5e2fb4p-5F},
    {0x1.a8894ap-7F, 0x1.d44a64p-60F, -0x1.a8894ap-7F, -0x1.d44a64p-59F}};
SIMT_TABLE float kBack[kSections][kBlock] = {
    {0x1.e6f0e2p+0F, 0x1.4f1bbcp+1F, 0x1.89f188p+1F, 0x1.9e377ap+1F},
    {0x1.2cf23p+0F, 0x1.87221ap-2F, -0x1.73fd62p-1F, -0x1.3c6ef4p+0F},
    {0x1.1a6264p-53F, -0x1p+0F, -0x1.1a6264p-52F, 0x1p+0F}};
/// Output i is made of the inputs i - 6 and i + 4; outputs begin at -4.
constexpr int kBefore = 6;
constexpr int kAfter = 4;
/// Rows: the first outputs that are made one by one, and how many inputs a block must leave.
constexpr int kHead = 8;
constexpr int kTail = 7;

/// sRGB to linear light: a quotient of polynomials, the constant first.
SIMT_TABLE float kCurveP[5] = {2.200248328e-4F, 1.043637593e-2F, 1.624820318e-1F, 7.961564959e-1F,
                               8.210152774e-1F};
SIMT_TABLE float kCurveQ[5] = {2.631846970e-1F, 1.076976492F, 4.987528350e-1F, -5.512498495e-2F,
                               6.521209011e-3F};
constexpr float kCurveFrom = 0.04045F;
constexpr float kCurveLine = 0x1.3d0722p-4F; ///< 1 / 12.92

/// Linear light to the three receptors.
SIMT_TABLE float kMix[3][3] = {{0x1.333334p-2F, 0x1.3e76c8p-1F, 0x1.3f7ceep-4F},
                               {0x1.d70a3ep-3F, 0x1.624dd2p-1F, 0x1.3f7ceep-4F},
                               {0x1.f28798p-3F, 0x1.a35d1ep-3F, 0x1.1a86d2p-1F}};
constexpr float kBias = 0x1.f12a6cp-9F;
constexpr float kBiasRoot = 0x1.3f64eap-3F;

} // namespace vmafgpu::ssimulacra2
