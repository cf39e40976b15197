// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr on a device, host side: the launches of a batch. float_ansnr.cpp calls it; the
// kernels are in float_ansnr_kernels.cpp.
#include "device/device.h"
#include "features/feature.h"
#include "features/float_ansnr/float_ansnr.h"

namespace vmafgpu::float_ansnr {

size_t Forms::device_scratch(const Format &format)
{
    return 2 * static_cast<size_t>(format.height) * sizeof(float);
}

void Forms::record(const Format &format, Queue &queue, const BatchView &batch)
{
    Args args = {};
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
    const Grid rows = {1, blocks_of(format.height, kBlockRows), pairs};
    queue.launch(format.depth > 8 ? kRowsU16 : kRowsU8, rows, args);
    queue.launch(kSumRows, {1, 1, pairs}, args);
}

} // namespace vmafgpu::float_ansnr
