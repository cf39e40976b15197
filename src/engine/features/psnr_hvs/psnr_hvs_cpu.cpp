// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs on the CPU, fast: the same bytes as psnr_hvs_ref.cpp. Rows of blocks run on the thread
// pool as SIMD code (psnr_hvs_simd-inl.h); their terms are added up in the order of blocks, without
// the zeros, which change no sum. psnr_hvs.cpp calls this.
#include "features/kit/arena.h"
#include "features/kit/floor_size.h"
#include "features/kit/in_order.h"
#include "features/psnr_hvs/psnr_hvs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/psnr_hvs/psnr_hvs_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::psnr_hvs {

namespace {

struct Scratch {
    size_t stride; ///< terms of a row of blocks of the luma, which has most
    float *terms;  ///< terms of each row that is computed or added up

    Scratch(Arena &arena, const Format &format)
        : stride(static_cast<size_t>(blocks_along(format.width)) * kTerms + kSlack),
          terms(arena.take<float>(kInOrderSlots * stride))
    {
    }
    float *of(int slot) const { return terms + stride * static_cast<size_t>(slot); }
};

} // namespace

size_t Forms::cpu_scratch(const Format &format)
{
    return arena_size<Scratch>(format);
}

void Forms::compute(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Row &), run_row);
    if (run == nullptr)
        return reference(format, pair, sums);
    Arena arena(scratch);
    const Scratch memory(arena, format);
    sums = {};
    for (int plane = 0; plane < 3; ++plane) {
        const Weights weights = weights_of(plane);
        const int blocks = blocks_along(floor_width(format, plane));
        int counts[kInOrderSlots];
        const auto compute = [&](int part, int slot) {
            Row row = {};
            row.reference = pair.reference[plane];
            row.distorted = pair.distorted[plane];
            row.depth = format.depth;
            row.y = kStep * part;
            row.blocks = blocks;
            row.weights = &weights;
            row.terms = memory.of(slot);
            row.count = &counts[slot];
            run(row);
        };
        float sum = 0;
        const auto add = [&](int, int slot) {
            const float *from = memory.of(slot);
            for (int i = 0; i < counts[slot]; ++i)
                sum += from[i];
        };
        if (blocks > 0)
            run_in_order(pool, blocks_along(floor_height(format, plane)), compute, add);
        sums.error[plane] = sum;
    }
}

} // namespace vmafgpu::psnr_hvs
