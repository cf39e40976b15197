// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion on a device, host side: the launch of a batch. motion.cpp calls it; the kernels are in
// motion_kernels.cpp.
#include "device/device.h"
#include "motion.h"
#include "motion_args.h"

namespace vmafgpu {

namespace {

const Kernel<MotionArgs> &motion_kernel(const MotionConfig &config, int depth)
{
    if (config.blur_first)
        return depth > 8 ? kMotionBlurFirstU16 : kMotionBlurFirstU8;
    return depth > 8 ? kMotionU16 : kMotionU8;
}

} // namespace

void motion_record(const Format &format, const MotionConfig &config, Queue &queue,
                   const BatchView &batch)
{
    if (config.skip)
        return;
    MotionArgs args = {};
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
                               &reinterpret_cast<MotionSums *>(sums)->sad};
    }
    if (count == 0)
        return;
    const Grid grid = {blocks_of(format.width, kMotionTileWidth),
                       blocks_of(format.height, kMotionTileHeight), count};
    queue.launch(motion_kernel(config, format.depth), grid, args);
}

} // namespace vmafgpu
