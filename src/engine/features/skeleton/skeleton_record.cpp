// SPDX-License-Identifier: BSD-2-Clause-Patent
// skeleton on a device, host side: the launch of a batch. The kernels are in skeleton_kernels.cpp.
#include "device/device.h"
#include "features/feature.h"
#include "features/skeleton/skeleton.h"

namespace vmafgpu::skeleton {

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    Args args = {};
    for (int i = 0; i < batch.count; ++i) {
        const Plane &reference = batch.pairs[i].reference[0];
        const Plane &distorted = batch.pairs[i].distorted[0];
        args.pairs[i] = {reference.data, distorted.data, reference.pitch, distorted.pitch};
    }
    args.sums = batch.sums;
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    args.width = config.width;
    args.height = config.height;
    const Grid grid = {blocks_of(config.height, kRows), 1, static_cast<unsigned>(batch.count)};
    queue.launch(config.depth > 8 ? kU16 : kU8, grid, args);
}

} // namespace vmafgpu::skeleton
