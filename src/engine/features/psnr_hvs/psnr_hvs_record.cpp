// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs on a device, host side: memory and the launches of a batch. psnr_hvs.cpp calls it; the
// kernels are in psnr_hvs_kernels.cpp.
#include <algorithm>

#include "base/numeric.h"
#include "device/device.h"
#include "features/feature.h"
#include "features/kit/floor_size.h"
#include "features/psnr_hvs/psnr_hvs.h"

namespace vmafgpu::psnr_hvs {

namespace {

int blocks_of_plane(const Format &format, int plane)
{
    return blocks_along(floor_width(format, plane)) * blocks_along(floor_height(format, plane));
}

int slots_of_plane(const Format &format, int plane)
{
    return divide_up(blocks_of_plane(format, plane), kSlotBlocks);
}

/// Fills in which slots the planes have in one pass; returns how many there are.
int set_slots(const Format &format, int pass, SumArgs &args)
{
    int slots = 0;
    for (int plane = 0; plane < 3; ++plane) {
        const int left = slots_of_plane(format, plane) - pass * kMaxSlots;
        args.first[plane] = slots;
        args.count[plane] = std::clamp(left, 0, kMaxSlots);
        slots += args.count[plane];
    }
    return slots;
}

TermArgs make_args(const Format &format, const BatchView &batch, int plane)
{
    TermArgs args = {};
    for (int i = 0; i < batch.count; ++i) {
        const Plane planes[2] = {batch.pairs[i].reference[plane], batch.pairs[i].distorted[plane]};
        for (int picture = 0; picture < 2; ++picture) {
            args.pairs[i].planes[picture] = planes[picture].data;
            args.pairs[i].pitches[picture] = static_cast<int32_t>(planes[picture].pitch);
        }
    }
    args.weights = weights_of(plane);
    args.slots_stride = static_cast<int64_t>(batch.scratch_stride);
    args.columns = blocks_along(floor_width(format, plane));
    args.blocks = blocks_of_plane(format, plane);
    return args;
}

} // namespace

size_t Forms::device_scratch(const Format &format)
{
    SumArgs args = {};
    return static_cast<size_t>(set_slots(format, 0, args)) * sizeof(Slot);
}

void Forms::record(const Format &format, Queue &queue, const BatchView &batch)
{
    const auto pairs = static_cast<unsigned>(batch.count);
    SumArgs sum_args = {};
    sum_args.slots = batch.scratch;
    sum_args.slots_stride = static_cast<int64_t>(batch.scratch_stride);
    sum_args.sums = batch.sums;
    sum_args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    // Luma has the most slots. No block fits into a small plane: its sum is 0.
    for (int pass = 0; pass * kMaxSlots < std::max(slots_of_plane(format, 0), 1); ++pass) {
        set_slots(format, pass, sum_args);
        for (int plane = 0; plane < 3; ++plane) {
            if (sum_args.count[plane] == 0)
                continue;
            TermArgs args = make_args(format, batch, plane);
            args.slots = batch.scratch + static_cast<size_t>(sum_args.first[plane]) * sizeof(Slot);
            args.first = pass * kMaxSlots * kSlotBlocks;
            queue.launch(format.depth > 8 ? kTermsU16 : kTermsU8,
                         {static_cast<unsigned>(sum_args.count[plane]), 1, pairs}, args);
        }
        queue.launch(kSum, {3, 1, pairs}, sum_args);
    }
}

} // namespace vmafgpu::psnr_hvs
