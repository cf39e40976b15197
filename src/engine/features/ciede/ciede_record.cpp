// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede on a device, host side: memory, tables and the launches of a batch. ciede.cpp calls it; the
// kernels are in ciede_kernels.cpp.
#include "device/device.h"
#include "features/ciede/ciede.h"
#include "features/feature.h"
#include "simt/elementary_tables.h"

namespace vmafgpu::ciede {

namespace {

Args::Pair pair_args(const PairView &pair)
{
    Args::Pair args = {};
    for (int p = 0; p < 3; ++p) {
        const Plane planes[2] = {pair.reference[p], pair.distorted[p]};
        for (int picture = 0; picture < 2; ++picture) {
            args.planes[picture][p] = planes[picture].data;
            args.pitches[picture][p] = static_cast<int32_t>(planes[picture].pitch);
        }
    }
    return args;
}

} // namespace

size_t Forms::device_scratch(const Format &format)
{
    return static_cast<size_t>(format.width) * static_cast<size_t>(format.height) * sizeof(float);
}

size_t Forms::device_tables(const Format &format)
{
    return sizeof(ElementaryTables) + (format.depth > 8 ? 0 : sizeof(LightTables));
}

void Forms::fill_tables(const Format &format, void *host)
{
    auto *tables = static_cast<ElementaryTables *>(host);
    elementary::fill(*tables);
    if (format.depth == 8)
        *reinterpret_cast<LightTables *>(tables + 1) = light_tables();
}

void Forms::record(const Format &format, Queue &queue, const BatchView &batch)
{
    Args args = {};
    for (int i = 0; i < batch.count; ++i)
        args.pairs[i] = pair_args(batch.pairs[i]);
    args.constants = elementary::constants();
    args.scale = scale_of(format.depth);
    args.tables = reinterpret_cast<const ElementaryTables *>(batch.tables);
    args.light = reinterpret_cast<const LightTables *>(args.tables + 1);
    args.differences = reinterpret_cast<float *>(batch.scratch);
    args.differences_stride = static_cast<int64_t>(batch.scratch_stride / sizeof(float));
    args.sums = batch.sums;
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    args.chroma = chroma_of(format);
    args.width = format.width;
    args.height = format.height;
    const auto pairs = static_cast<unsigned>(batch.count);
    queue.launch(format.depth > 8 ? kPixelsU16 : kPixelsU8,
                 {blocks_of(format.width, kThreads), static_cast<unsigned>(format.height), pairs},
                 args);
    queue.launch(kSum, {1, 1, pairs}, args);
}

} // namespace vmafgpu::ciede
