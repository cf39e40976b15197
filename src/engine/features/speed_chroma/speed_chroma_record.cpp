// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma on a device, host side: tables, and the launches of a batch. speed_chroma.cpp calls
// it; the kernels are in speed_chroma_kernels.cpp.
#include <cstring>

#include "device/device.h"
#include "features/speed_chroma/speed_chroma.h"
#include "features/speed_chroma/speed_chroma_args.h"

namespace vmafgpu {

static_assert(kSpeedChromaSize == kSpeedChromaVector &&
                  kSpeedChromaPlanesOfPair == kSpeedChromaPlanes,
              "host and device side agree");

namespace {

/// Places in the tables, in words of four bytes.
struct TableLayout {
    explicit TableLayout(const SpeedChromaConfig &config)
        : local_mean(kSpeedChromaMaxFilter), column_index(2 * kSpeedChromaMaxFilter),
          column_weight(column_index + config.columns.index.size()),
          row_index(column_weight + config.columns.weight.size()),
          row_weight(row_index + config.rows.index.size()),
          total(row_weight + config.rows.weight.size())
    {
    }
    size_t local_mean, column_index, column_weight, row_index, row_weight, total;
};

const Kernel<SpeedChromaArgs> &reduce_kernel(const SpeedChromaConfig &config)
{
    if (config.taps == 0)
        return config.depth == 8 ? kSpeedChromaReduceU8 : kSpeedChromaReduceU16;
    return config.depth == 8 ? kSpeedChromaResizeU8 : kSpeedChromaResizeU16;
}

void set_tables(SpeedChromaArgs &args, const SpeedChromaConfig &config, const char *tables)
{
    const TableLayout layout(config);
    const auto *floats = reinterpret_cast<const float *>(tables);
    const auto *indices = reinterpret_cast<const int32_t *>(tables);
    args.low_pass = floats;
    args.local_mean = floats + layout.local_mean;
    args.column_index = indices + layout.column_index;
    args.column_weight = floats + layout.column_weight;
    args.row_index = indices + layout.row_index;
    args.row_weight = floats + layout.row_weight;
}

SpeedChromaArgs make_args(const SpeedChromaConfig &config, const BatchView &batch)
{
    SpeedChromaArgs args = {};
    for (int i = 0; i < batch.count; ++i) {
        for (int p = 0; p < kSpeedChromaPlanes; ++p) {
            const Plane &plane = speed_chroma_plane(batch.pairs[i], p);
            args.planes[i * kSpeedChromaPlanes + p] = {plane.data, plane.pitch};
        }
    }
    args.scratch = reinterpret_cast<float *>(batch.scratch);
    args.scratch_stride = speed_chroma_scratch(config.low_width, config.low_height).total;
    args.pair_scratch_stride = static_cast<int64_t>(batch.scratch_stride / sizeof(float));
    args.sums = batch.sums;
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    set_tables(args, config, batch.tables);
    args.taps = config.taps;
    args.divides = config.resize == SpeedChromaResize::kLanczos4 ? 1 : 0;
    args.depth = config.depth;
    args.resized_width = config.resized_width;
    args.resized_height = config.resized_height;
    args.low_width = config.low_width;
    args.low_height = config.low_height;
    args.blocks_x = config.blocks_x;
    args.blocks_y = config.blocks_y;
    args.low_pass_length = static_cast<int32_t>(config.low_pass.size());
    args.local_mean_length = static_cast<int32_t>(config.local_mean.size());
    args.sigma = config.sigma;
    return args;
}

} // namespace

size_t speed_chroma_device_scratch(const SpeedChromaConfig &config)
{
    const auto plane =
        static_cast<size_t>(speed_chroma_scratch(config.low_width, config.low_height).total);
    return kSpeedChromaPlanes * plane * sizeof(float);
}

size_t speed_chroma_device_tables(const SpeedChromaConfig &config)
{
    return TableLayout(config).total * 4;
}

void speed_chroma_fill_tables(const SpeedChromaConfig &config, void *host)
{
    const TableLayout layout(config);
    const auto put = [&](size_t at, const auto &values) {
        std::memcpy(static_cast<char *>(host) + at * 4, values.data(), values.size() * 4);
    };
    std::memset(host, 0, layout.total * 4);
    put(0, config.low_pass);
    put(layout.local_mean, config.local_mean);
    put(layout.column_index, config.columns.index);
    put(layout.column_weight, config.columns.weight);
    put(layout.row_index, config.rows.index);
    put(layout.row_weight, config.rows.weight);
}

void speed_chroma_record(const SpeedChromaConfig &config, Queue &queue, const BatchView &batch)
{
    const SpeedChromaArgs args = make_args(config, batch);
    const auto planes = static_cast<unsigned>(batch.count * kSpeedChromaPlanes);
    queue.launch(reduce_kernel(config),
                 {blocks_of(config.low_width, kSpeedChromaReduceColumns),
                  static_cast<unsigned>(config.low_height), planes},
                 args);
    queue.launch(
        kSpeedChromaResidual,
        {blocks_of(config.used_width() * config.used_height(), kSpeedChromaThreads), 1, planes},
        args);
    queue.launch(kSpeedChromaCovariance,
                 {blocks_of(kSpeedChromaPairs, kSpeedChromaCovarianceThreads), 1, planes}, args);
    queue.launch(kSpeedChromaFactor, {1, 2, planes}, args);
    queue.launch(kSpeedChromaBlocks,
                 {blocks_of(config.blocks(), kSpeedChromaChainThreads), 1, planes}, args);
}

} // namespace vmafgpu
