// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion on a device, host side: the launch of a batch. motion.cpp calls it; the kernels are in
// motion_kernels.cpp.
#include "device/device.h"
#include "features/feature.h"
#include "features/motion/motion.h"

namespace vmafgpu::motion {

namespace {

const Kernel<Args> &kernel_of(const Config &config)
{
    const int depth = config.format.depth;
    if (config.blur_first)
        return depth > 8 ? kBlurFirstU16 : kBlurFirstU8;
    return depth > 8 ? kU16 : kU8;
}

} // namespace

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    if (config.skip)
        return;
    const Format &format = config.format;
    Args args = {};
    args.width = format.width;
    args.height = format.height;
    args.depth = format.depth;
    unsigned count = 0;
    for (int i = 0; i < batch.count; ++i) {
        const Plane &earlier = batch.pairs[i].previous[config.distance - 1];
        const Plane &later = batch.pairs[i].reference[0];
        if (earlier.data == nullptr) // a segment's start: the sum stays 0
            continue;
        char *sums = batch.sums + batch.sums_stride * static_cast<size_t>(i);
        args.pairs[count++] = {earlier.data, later.data, earlier.pitch, later.pitch,
                               &reinterpret_cast<Sums *>(sums)->sad};
    }
    if (count == 0)
        return;
    const Grid grid = {blocks_of(format.width, kTileWidth), blocks_of(format.height, kTileHeight),
                       count};
    queue.launch(kernel_of(config), grid, args);
}

} // namespace vmafgpu::motion
