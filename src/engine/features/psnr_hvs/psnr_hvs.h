// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "psnr_hvs", equal to libvmaf's: errors of DCT coefficients, weighted by contrast
// sensitivity and contrast masking. registry.h lists kFeature; the rest is for the files
// of this folder and for tests. Device compilers read it, so it uses no host library.
#pragma once

#include "features/kit/forms.h"
#include "simt/simt.h"

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
    /// psnr_hvs_record.cpp: the same sums on a device.
    static size_t device_scratch(const Format &format);
    static void record(const Format &format, Queue &queue, const BatchView &batch);
};

/// A block of one picture: samples, then coefficients, in raster order. Its functions are what
/// reference code and kernels share; they are inlined, so that a device has it in registers.
struct Block {
    int32_t x[kTerms];

    /// The quarter of a sample.
    SIMT_DEVICE static constexpr int quarter(int i)
    {
        return (i / 8 >= 4 ? 1 : 0) + (i % 8 >= 4 ? 2 : 0);
    }
    SIMT_DEVICE static int32_t half(int32_t a) { return a / 2; }
    /// a * c / 2^k, rounded.
    SIMT_DEVICE static int32_t scaled(int32_t a, int32_t c, int k)
    {
        return (a * c + (1 << (k - 1))) >> k;
    }
    SIMT_DEVICE void transform(int first, int step);
    SIMT_DEVICE float contrast() const;
    SIMT_DEVICE float mask(const Weights &weights);
};

/// Computes one DCT of 8 points, x[first], x[first + step] ..., in place. Names are those of the
/// outputs.
SIMT_DEVICE void Block::transform(int first, int step)
{
    int32_t t0 = x[first];
    int32_t t4 = x[first + step];
    int32_t t2 = x[first + 2 * step];
    int32_t t6 = x[first + 3 * step];
    int32_t t7 = x[first + 4 * step];
    int32_t t3 = x[first + 5 * step];
    int32_t t5 = x[first + 6 * step];
    int32_t t1 = x[first + 7 * step];
    t1 = t0 - t1;
    const int32_t u = half(t1);
    t0 -= u;
    t4 += t5;
    const int32_t v = half(t4);
    t5 -= v;
    t3 = t2 - t3;
    t2 -= half(t3);
    t6 += t7;
    const int32_t z = half(t6);
    t7 = z - t7;
    t0 += z;
    t6 = t0 - t6;
    t2 = v - t2;
    t4 = t2 - t4;
    t0 -= scaled(t4, 13573, 15);
    t4 += scaled(t0, 11585, 14);
    t0 -= scaled(t4, 13573, 15);
    t6 -= scaled(t2, 21895, 15);
    t2 += scaled(t6, 15137, 14);
    t6 -= scaled(t2, 21895, 15);
    t3 += scaled(t5, 19195, 15);
    t5 += scaled(t3, 11585, 14);
    t3 -= scaled(t5, 7489, 13);
    t7 = half(t5) - t7;
    t5 -= t7;
    t3 = u - t3;
    t1 -= t3;
    t7 += scaled(t1, 3227, 15);
    t1 -= scaled(t7, 6393, 15);
    t7 += scaled(t1, 3227, 15);
    t5 += scaled(t3, 2485, 13);
    t3 -= scaled(t5, 18205, 15);
    t5 += scaled(t3, 2485, 13);
    const int32_t out[8] = {t0, t1, t2, t3, t4, t5, t6, t7};
    SIMT_UNROLL
    for (int i = 0; i < 8; ++i)
        x[first + i * step] = out[i];
}

/// Sum of variances of the quarters, in relation to that of the block.
SIMT_DEVICE float Block::contrast() const
{
    int32_t sum = 0;
    int32_t quarter_sums[4] = {};
    SIMT_UNROLL
    for (int i = 0; i < kTerms; ++i) {
        sum += x[i];
        quarter_sums[quarter(i)] += x[i];
    }
    const float mean = static_cast<float>(sum) / 64;
    float variance = 0;
    float variances[4] = {};
    SIMT_UNROLL
    for (int i = 0; i < kTerms; ++i) {
        const auto sample = static_cast<float>(x[i]);
        const float whole = sample - mean;
        const float part = sample - static_cast<float>(quarter_sums[quarter(i)]) / 16;
        variance += whole * whole;
        variances[quarter(i)] += part * part;
    }
    variance *= kBlockVariance;
    SIMT_UNROLL
    for (int k = 0; k < 4; ++k)
        variances[k] *= kQuarterVariance;
    if (variance > 0)
        variance = (((variances[0] + variances[1]) + variances[2]) + variances[3]) / variance;
    return variance;
}

/// Transforms the block; returns how much it masks errors.
SIMT_DEVICE float Block::mask(const Weights &weights)
{
    const float variance = contrast();
    SIMT_UNROLL
    for (int j = 0; j < 8; ++j)
        transform(j, 8);
    SIMT_UNROLL
    for (int i = 0; i < 8; ++i)
        transform(8 * i, 1);
    float mask = 0;
    SIMT_UNROLL
    for (int i = 1; i < kTerms; ++i)
        mask += static_cast<float>(x[i] * x[i]) * weights.mask[i];
    return square_root(mask * variance) / 32;
}

/// The term of coefficient i, whose values differ by `error` and are masked by `mask`.
SIMT_DEVICE float term_of(const Weights &weights, int i, float error, float mask)
{
    if (i > 0) {
        const float threshold = mask / weights.mask[i];
        error = error < threshold ? 0 : error - threshold;
    }
    const float weighted = error * weights.sensitivity[i];
    return weighted * weighted;
}

constexpr int kSlack = 16; ///< floats behind a row's terms that may be overwritten

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

// What the kernels get.

/// Terms of some blocks that follow each other, without those that are 0.
constexpr int kSlotBlocks = 64;
/// Slots of a plane on a device, which fills them again and again: enough for all blocks of 1080p.
/// Slots for all of 4320p would take a gigabyte for four pairs.
constexpr int kMaxSlots = 704;
struct Slot {
    float terms[kSlotBlocks * kTerms];
    int32_t count;
    int32_t unused[3];
};

/// A plane of a batch: block x takes the blocks of a slot, block z a pair.
struct TermArgs {
    struct Pair {
        const void *planes[2]; ///< reference, distorted
        int32_t pitches[2];    ///< bytes
    } pairs[kMaxBatch];
    Weights weights;
    char *slots; ///< result: the plane's slots of the first pair
    int64_t slots_stride;
    int32_t columns, blocks; ///< blocks in a row, and in all
    int32_t first;           ///< block of the first slot
    int32_t unused;
};

/// The sums of a batch: block x takes a plane, block z a pair.
struct SumArgs {
    const char *slots; ///< the slots of the first pair
    int64_t slots_stride;
    char *sums; ///< Sums of the first pair
    int64_t sums_stride;
    int32_t first[3], count[3]; ///< slots of the planes
};

constexpr int kSumThreads = 256;
constexpr Kernel<TermArgs> kTermsU8 = {"psnr_hvs_terms_u8", kSlotBlocks};
constexpr Kernel<TermArgs> kTermsU16 = {"psnr_hvs_terms_u16", kSlotBlocks};
constexpr Kernel<SumArgs> kSum = {"psnr_hvs_sum", kSumThreads};

} // namespace vmafgpu::psnr_hvs
