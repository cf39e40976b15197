// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma on a device, host side: tables, and the launches of a batch. speed_chroma.cpp calls
// it; the kernels are in speed_chroma_kernels.cpp.
#include <cstring>

#include "device/device.h"
#include "features/feature.h"
#include "features/speed_chroma/speed_chroma.h"

namespace vmafgpu::speed_chroma {

namespace {

/// Places in the tables, in words of four bytes.
struct TableLayout {
    explicit TableLayout(const Config &config)
        : local_mean(kMaxFilter), column_index(2 * kMaxFilter),
          column_weight(column_index + config.columns.index.size()),
          row_index(column_weight + config.columns.weight.size()),
          row_weight(row_index + config.rows.index.size()),
          total(row_weight + config.rows.weight.size())
    {
    }
    size_t local_mean, column_index, column_weight, row_index, row_weight, total;
};

const Kernel<Args> &reduce_kernel(const Config &config)
{
    if (config.taps == 0)
        return config.depth == 8 ? kReduceU8 : kReduceU16;
    return config.depth == 8 ? kResizeU8 : kResizeU16;
}

void set_tables(Args &args, const Config &config, const char *tables)
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

Args make_args(const Config &config, const BatchView &batch)
{
    Args args = {};
    for (int i = 0; i < batch.count; ++i) {
        for (int p = 0; p < kPlanes; ++p) {
            const Plane &plane = plane_of(batch.pairs[i], p);
            args.planes[i * kPlanes + p] = {plane.data, plane.pitch};
        }
    }
    args.scratch = reinterpret_cast<float *>(batch.scratch);
    args.scratch_stride = plane_layout(config.low_width, config.low_height).total;
    args.pair_scratch_stride = static_cast<int64_t>(batch.scratch_stride / sizeof(float));
    args.sums = batch.sums;
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    set_tables(args, config, batch.tables);
    args.taps = config.taps;
    args.divides = config.resize == FloatResize::kLanczos4 ? 1 : 0;
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

size_t Forms::device_scratch(const Config &config)
{
    const auto plane = static_cast<size_t>(plane_layout(config.low_width, config.low_height).total);
    return kPlanes * plane * sizeof(float);
}

size_t Forms::device_tables(const Config &config)
{
    return TableLayout(config).total * 4;
}

void Forms::fill_tables(const Config &config, void *host)
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

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    const Args args = make_args(config, batch);
    const auto planes = static_cast<unsigned>(batch.count * kPlanes);
    queue.launch(reduce_kernel(config),
                 {blocks_of(config.low_width, kReduceColumns),
                  static_cast<unsigned>(config.low_height), planes},
                 args);
    queue.launch(kResidual,
                 {blocks_of(config.used_width() * config.used_height(), kThreads), 1, planes},
                 args);
    queue.launch(kCovariance, {blocks_of(kPairs, kCovarianceThreads), 1, planes}, args);
    queue.launch(kFactor, {1, 2, planes}, args);
    queue.launch(kBlocks, {blocks_of(config.blocks(), kChainThreads), 1, planes}, args);
}

} // namespace vmafgpu::speed_chroma
