// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs in plain loops: what psnr_hvs_cpu.cpp and psnr_hvs_kernels.cpp must equal. The
// arithmetic of a block is in psnr_hvs.h.
#include <cstdlib>

#include "features/kit/floor_size.h"
#include "features/psnr_hvs/psnr_hvs.h"

namespace vmafgpu::psnr_hvs {

namespace {

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
    const float of_reference = reference.mask(weights);
    const float of_distorted = distorted.mask(weights);
    const float mask = of_distorted > of_reference ? of_distorted : of_reference;
    for (int i = 0; i < kTerms; ++i) {
        const auto error = static_cast<float>(std::abs(reference.x[i] - distorted.x[i]));
        sum += term_of(weights, i, error, mask);
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
