// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs in plain loops: the reference code for psnr_hvs_cpu.cpp.
#include <cmath>
#include <cstdlib>

#include "features/kit/floor_size.h"
#include "features/psnr_hvs/psnr_hvs.h"

namespace vmafgpu::psnr_hvs {

namespace {

int32_t half(int32_t a)
{
    return a / 2;
}

/// a * c / 2^k, rounded.
int32_t scaled(int32_t a, int32_t c, int k)
{
    return (a * c + (1 << (k - 1))) >> k;
}

/// Computes one DCT of 8 points, x[0], x[step] ..., in place. Names are those of the outputs.
void transform(int32_t *x, int step)
{
    int32_t t0 = x[0];
    int32_t t4 = x[step];
    int32_t t2 = x[2 * step];
    int32_t t6 = x[3 * step];
    int32_t t7 = x[4 * step];
    int32_t t3 = x[5 * step];
    int32_t t5 = x[6 * step];
    int32_t t1 = x[7 * step];
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
    for (int i = 0; i < 8; ++i)
        x[i * step] = out[i];
}

/// One block of one picture.
struct Block {
    int32_t x[kTerms]; ///< samples, then coefficients
};

/// Sum of variances of the quarters, in relation to that of the block.
float contrast_of(const Block &block)
{
    int32_t sum = 0;
    int32_t quarter_sums[4] = {};
    const auto quarter = [](int i) {
        return (i / 8 >= 4 ? 1 : 0) + (i % 8 >= 4 ? 2 : 0);
    };
    for (int i = 0; i < kTerms; ++i) {
        sum += block.x[i];
        quarter_sums[quarter(i)] += block.x[i];
    }
    const float mean = static_cast<float>(sum) / 64;
    float variance = 0;
    float variances[4] = {};
    for (int i = 0; i < kTerms; ++i) {
        const auto sample = static_cast<float>(block.x[i]);
        const float whole = sample - mean;
        const float part = sample - static_cast<float>(quarter_sums[quarter(i)]) / 16;
        variance += whole * whole;
        variances[quarter(i)] += part * part;
    }
    variance *= kBlockVariance;
    for (float &of_quarter : variances)
        of_quarter *= kQuarterVariance;
    if (variance > 0)
        variance = (((variances[0] + variances[1]) + variances[2]) + variances[3]) / variance;
    return variance;
}

/// Transforms the block; returns how much it masks errors.
float mask_of(Block &block, const Weights &weights)
{
    const float contrast = contrast_of(block);
    for (int j = 0; j < 8; ++j)
        transform(block.x + j, 8);
    for (int i = 0; i < 8; ++i)
        transform(block.x + 8 * i, 1);
    float mask = 0;
    for (int i = 1; i < kTerms; ++i)
        mask += static_cast<float>(block.x[i] * block.x[i]) * weights.mask[i];
    return std::sqrt(mask * contrast) / 32;
}

Block load(const Plane &plane, int x, int y, int depth)
{
    Block block = {};
    for (int i = 0; i < kTerms; ++i)
        block.x[i] = depth > 8 ? plane_row<uint16_t>(plane, y + i / 8)[x + i % 8]
                               : plane_row<uint8_t>(plane, y + i / 8)[x + i % 8];
    return block;
}

void add_block(Block reference, Block distorted, const Weights &weights, float &sum)
{
    const float of_reference = mask_of(reference, weights);
    const float of_distorted = mask_of(distorted, weights);
    const float mask = of_distorted > of_reference ? of_distorted : of_reference;
    for (int i = 0; i < kTerms; ++i) {
        auto error = static_cast<float>(std::abs(reference.x[i] - distorted.x[i]));
        if (i > 0) {
            const float threshold = mask / weights.mask[i];
            error = error < threshold ? 0 : error - threshold;
        }
        const float weighted = error * weights.sensitivity[i];
        sum += weighted * weighted;
    }
}

} // namespace

void Forms::reference(const Format &format, const PairView &pair, Sums &sums)
{
    sums = {};
    for (int plane = 0; plane < 3; ++plane) {
        const Weights weights = weights_of(plane);
        for (int y = 0; y < blocks_along(floor_height(format, plane)); ++y)
            for (int x = 0; x < blocks_along(floor_width(format, plane)); ++x)
                add_block(load(pair.reference[plane], kStep * x, kStep * y, format.depth),
                          load(pair.distorted[plane], kStep * x, kStep * y, format.depth), weights,
                          sums.error[plane]);
    }
}

} // namespace vmafgpu::psnr_hvs
