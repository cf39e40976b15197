// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "psnr_hvs", equal to libvmaf's: errors of DCT coefficients, weighted by contrast
// sensitivity and contrast masking. registry.h lists kFeature; the rest is for the files
// of this folder and for tests. No device code: it runs on the host.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::psnr_hvs {

extern const FeatureInfo kFeature;

constexpr int kBlock = 8;
constexpr int kStep = 7; ///< neighbouring blocks share a row or column
constexpr int kTerms = kBlock * kBlock;

/// The Sums of a pair: of Y, Cb and Cr, the errors added up as floats in the order of blocks.
struct Sums {
    float error[3];
    float unused;
};

/// Weights of the errors of a plane, in raster order.
struct Weights {
    float sensitivity[kTerms];
    float mask[kTerms];
};
Weights weights_of(int plane);

/// Blocks along a plane's side.
constexpr int blocks_along(int length)
{
    return length < kBlock ? 0 : (length - kBlock) / kStep + 1;
}

/// Factors that turn sums of squares into variances.
constexpr float kBlockVariance = 0x1.041042p+0F;
constexpr float kQuarterVariance = 0x1.111112p+0F;

struct Forms {
    /// psnr_hvs_ref.cpp: the oracle.
    static void reference(const Format &format, const PairView &pair, Sums &sums);
    /// psnr_hvs_cpu.cpp: the same sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Format &format);
    static void compute(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
};

/// One row of blocks of one plane. psnr_hvs_simd-inl.h does the work.
struct Row {
    Plane reference, distorted;
    int depth;
    int y;      ///< first row of samples
    int blocks; ///< at least 1
    const Weights *weights;
    float *terms; ///< result: terms that are not 0, in order; room for all
    int *count;   ///< result: how many
};

} // namespace vmafgpu::psnr_hvs
