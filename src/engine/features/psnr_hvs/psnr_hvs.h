// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "psnr_hvs", equal to libvmaf's: errors of DCT coefficients, weighted by contrast
// sensitivity and contrast masking. registry.cpp lists kPsnrHvsFeature; the rest is for the files
// of this folder and for tests.
#pragma once

#include <cstddef>

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kPsnrHvsFeature;

constexpr int kPsnrHvsBlock = 8;
constexpr int kPsnrHvsStep = 7; ///< neighbouring blocks share a row or column
constexpr int kPsnrHvsTerms = kPsnrHvsBlock * kPsnrHvsBlock;

/// The Sums of a pair: of Y, Cb and Cr, the errors added up as floats in the order of blocks.
struct PsnrHvsSums {
    float error[3];
    float unused;
};

/// What the errors of a plane are weighted with, raster order.
struct PsnrHvsWeights {
    float sensitivity[kPsnrHvsTerms];
    float mask[kPsnrHvsTerms];
};
PsnrHvsWeights psnr_hvs_weights(int plane);

/// Blocks along a plane's side.
constexpr int psnr_hvs_blocks(int length)
{
    return length < kPsnrHvsBlock ? 0 : (length - kPsnrHvsBlock) / kPsnrHvsStep + 1;
}

/// Factors that turn sums of squares into variances.
constexpr float kPsnrHvsBlockVariance = 0x1.041042p+0F;
constexpr float kPsnrHvsQuarterVariance = 0x1.111112p+0F;

/// psnr_hvs_ref.cpp: the plain oracle.
void psnr_hvs_reference(const Format &format, const PairView &pair, PsnrHvsSums &sums);

/// psnr_hvs_cpu.cpp: the same sums, fast. `scratch` has psnr_hvs_scratch() bytes, aligned to 64.
size_t psnr_hvs_scratch(const Format &format);
void psnr_hvs_compute(const Format &format, const PairView &pair, PsnrHvsSums &sums, void *scratch,
                      ThreadPool &pool);

} // namespace vmafgpu
