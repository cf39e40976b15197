// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr on a device, host side: the launches of a batch. float_ansnr.cpp calls it; the
// kernels are in float_ansnr_kernels.cpp.
#include "device/device.h"
#include "float_ansnr.h"
#include "float_ansnr_args.h"

namespace vmafgpu {

size_t float_ansnr_device_scratch(const Format &format)
{
    return 2 * static_cast<size_t>(format.height) * sizeof(float);
}

void float_ansnr_record(const Format &format, Queue &queue, const BatchView &batch)
{
    FloatAnsnrArgs args = {};
    args.width = format.width;
    args.height = format.height;
    args.scale = 1.0F / static_cast<float>(1 << (format.depth - 8));
    for (int i = 0; i < batch.count; ++i) {
        const Plane &reference = batch.pairs[i].reference[0];
        const Plane &distorted = batch.pairs[i].distorted[0];
        const auto at = static_cast<size_t>(i);
        args.pairs[i] = {reference.data,
                         distorted.data,
                         reference.pitch,
                         distorted.pitch,
                         reinterpret_cast<float *>(batch.scratch + batch.scratch_stride * at),
                         reinterpret_cast<float *>(batch.sums + batch.sums_stride * at)};
    }
    const auto pairs = static_cast<unsigned>(batch.count);
    const Grid rows = {1, blocks_of(format.height, kAnsnrRows), pairs};
    queue.launch(format.depth > 8 ? kFloatAnsnrRowsU16 : kFloatAnsnrRowsU8, rows, args);
    queue.launch(kFloatAnsnrSum, {1, 1, pairs}, args);
}

} // namespace vmafgpu
