// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs on the CPU, fast: the same bytes as psnr_hvs_ref.cpp. Rows of blocks run on the thread
// pool as SIMD code (psnr_hvs_row-inl.h); their terms are added up in the order of blocks, without
// the zeros, which change no sum. psnr_hvs.cpp calls this.
#include "base/numeric.h"
#include "features/kit/floor_size.h"
#include "features/kit/in_order.h"
#include "features/psnr_hvs/psnr_hvs.h"
#include "features/psnr_hvs/psnr_hvs_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/psnr_hvs/psnr_hvs_row-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

/// Terms of a row of blocks of the luma, which has most.
size_t row_terms(const Format &format)
{
    return static_cast<size_t>(psnr_hvs_blocks(format.width)) * kPsnrHvsTerms;
}

} // namespace

size_t psnr_hvs_scratch(const Format &format)
{
    return kInOrderSlots * row_terms(format) * sizeof(float);
}

void psnr_hvs_compute(const Format &format, const PairView &pair, PsnrHvsSums &sums, void *scratch,
                      ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const PsnrHvsRow &), psnr_hvs_run_row);
    if (run == nullptr)
        return psnr_hvs_reference(format, pair, sums);
    sums = {};
    const size_t stride = row_terms(format);
    auto *terms = static_cast<float *>(scratch);
    for (int plane = 0; plane < 3; ++plane) {
        const PsnrHvsWeights weights = psnr_hvs_weights(plane);
        const int blocks = psnr_hvs_blocks(floor_width(format, plane));
        int counts[kInOrderSlots];
        const auto compute = [&](int part, int slot) {
            PsnrHvsRow row = {};
            row.reference = pair.reference[plane];
            row.distorted = pair.distorted[plane];
            row.depth = format.depth;
            row.y = kPsnrHvsStep * part;
            row.blocks = blocks;
            row.weights = &weights;
            row.terms = terms + stride * static_cast<size_t>(slot);
            row.count = &counts[slot];
            run(row);
        };
        float sum = 0;
        const auto add = [&](int, int slot) {
            const float *from = terms + stride * static_cast<size_t>(slot);
            for (int i = 0; i < counts[slot]; ++i)
                sum += from[i];
        };
        if (blocks > 0)
            run_in_order(pool, psnr_hvs_blocks(floor_height(format, plane)), compute, add);
        sums.error[plane] = sum;
    }
}

} // namespace vmafgpu
