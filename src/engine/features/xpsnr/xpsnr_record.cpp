// SPDX-License-Identifier: BSD-2-Clause-Patent
// xpsnr on a device, host side: memory and the launches of a batch. xpsnr.cpp calls it; the kernels
// are in xpsnr_kernels.cpp.
#include "device/device.h"
#include "features/feature.h"
#include "features/xpsnr/xpsnr.h"

namespace vmafgpu::xpsnr {

namespace {

Args::Pair pair_args(const PairView &pair)
{
    Args::Pair args = {};
    for (int p = 0; p < kPlanes; ++p) {
        const Plane planes[2] = {pair.reference[p], pair.distorted[p]};
        for (int picture = 0; picture < 2; ++picture) {
            args.planes[picture][p] = planes[picture].data;
            args.pitches[picture][p] = static_cast<int32_t>(planes[picture].pitch);
        }
    }
    for (int back = 0; back < 2; ++back) {
        args.previous[back] = pair.previous[back].data;
        args.previous_pitches[back] = static_cast<int32_t>(pair.previous[back].pitch);
    }
    return args;
}

} // namespace

size_t Forms::device_scratch(const Config &config)
{
    return static_cast<size_t>(config.columns * config.rows) * (sizeof(Block) + sizeof(double));
}

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    Args args = {};
    for (int i = 0; i < batch.count; ++i)
        args.pairs[i] = pair_args(batch.pairs[i]);
    args.config = config;
    args.scratch = batch.scratch;
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride);
    args.sums = batch.sums;
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    const auto columns = static_cast<unsigned>(config.columns);
    const auto rows = static_cast<unsigned>(config.rows);
    const auto pairs = static_cast<unsigned>(batch.count);
    queue.launch(config.format.depth > 8 ? kBlocksU16 : kBlocksU8, {columns, rows, pairs}, args);
    queue.launch(kSum, {1, 1, pairs}, args);
}

} // namespace vmafgpu::xpsnr
