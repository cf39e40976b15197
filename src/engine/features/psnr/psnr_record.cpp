// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on a device, host side: the launches of a batch, one per plane. psnr.cpp calls it; the
// kernels are in psnr_kernels.cpp.
#include "device/device.h"
#include "features/feature.h"
#include "features/psnr/psnr.h"

namespace vmafgpu::psnr {

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    const int sample_bytes = config.depth > 8 ? 2 : 1;
    for (int p = 0; p < config.planes; ++p) {
        Args args = {};
        for (int i = 0; i < batch.count; ++i) {
            const Plane &reference = batch.pairs[i].reference[p];
            const Plane &distorted = batch.pairs[i].distorted[p];
            args.pairs[i] = {reference.data, distorted.data, reference.pitch, distorted.pitch};
        }
        args.squares = batch.sums + static_cast<size_t>(p) * sizeof(uint64_t);
        args.squares_stride = static_cast<int64_t>(batch.sums_stride);
        args.width = config.width[p];
        args.height = config.height[p];
        args.items_per_row = (args.width * sample_bytes + kItemBytes - 1) / kItemBytes;
        const Grid grid = {blocks_of(args.items_per_row * args.height, kThreads * kItems), 1,
                           static_cast<unsigned>(batch.count)};
        queue.launch(config.depth > 8 ? kU16 : kU8, grid, args);
    }
}

} // namespace vmafgpu::psnr
