// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 on a device, host side: memory and the launches of a batch. ssimulacra2.cpp calls it;
// the kernels are in ssimulacra2_kernels.cpp.
#include <algorithm>

#include "base/numeric.h"
#include "device/device.h"
#include "features/ssimulacra2/ssimulacra2.h"
#include "features/ssimulacra2/ssimulacra2_args.h"
#include "features/ssimulacra2/ssimulacra2_sum.h"

namespace vmafgpu {

namespace {

constexpr int kPitchUnit = 32; ///< a row begins at a multiple of 128 bytes

int moments_of(const Ssimulacra2Config &config, int task)
{
    const bool is_first_scale = task < kSsimulacra2Planes;
    return is_first_scale && !config.needs_structure(0, task) ? kSsimulacra2Means
                                                              : kSsimulacra2Moments;
}

/// Memory of a pair, laid out: returns its floats, and how many chunks it has.
struct Layout {
    int64_t floats = 0;
    int chunks = 0;
};
Layout set_tasks(const Ssimulacra2Config &config, Ssimulacra2Args &args)
{
    Layout layout;
    int64_t rows = 0, rows_of_first = 0;
    args.task_count = config.scales * kSsimulacra2Planes;
    for (int i = 0; i < args.task_count; ++i) {
        const int scale = i / kSsimulacra2Planes;
        const int plane = i % kSsimulacra2Planes;
        Ssimulacra2Args::Task &task = args.tasks[i];
        task.width = config.width[scale];
        task.height = config.height[scale];
        task.pitch = round_up(task.width, kPitchUnit);
        task.needed = config.needed[scale][plane];
        const int64_t floats = int64_t{task.pitch} * task.height;
        for (int64_t &of : task.planes) {
            of = layout.floats;
            layout.floats += floats;
        }
        task.similarity = -1;
        if (config.needs_structure(scale, plane)) {
            task.similarity = layout.floats;
            layout.floats += floats;
        }
        // Of scale 0, X and B are filtered together, and then Y in the memory of both.
        task.rows = scale > 0 ? rows : plane == 2 ? floats * moments_of(config, 0) : 0;
        rows_of_first =
            std::max(rows_of_first, floats * moments_of(config, i) + (scale == 0 ? task.rows : 0));
        rows += scale == 0 || task.needed == 0 ? 0 : floats * kSsimulacra2Moments;
        task.first_chunk = layout.chunks;
        layout.chunks +=
            task.needed == 0 ? 0 : divide_up(task.width * task.height, kSsimulacra2Chunk);
    }
    for (int i = 0; i < args.task_count; ++i)
        args.tasks[i].rows += layout.floats;
    layout.floats += std::max(rows, rows_of_first);
    args.chunks = layout.floats;
    layout.floats += int64_t{layout.chunks} * kSsimulacra2Sums *
                     static_cast<int64_t>(sizeof(Ssimulacra2ChunkState) / sizeof(float));
    return layout;
}

Ssimulacra2Args make_args(const Ssimulacra2Config &config, const BatchView &batch)
{
    const Format &format = config.format;
    Ssimulacra2Args args = {};
    for (int i = 0; i < batch.count; ++i)
        for (int p = 0; p < 3; ++p) {
            const Plane planes[2] = {batch.pairs[i].reference[p], batch.pairs[i].distorted[p]};
            for (int picture = 0; picture < 2; ++picture) {
                args.pairs[i].planes[picture][p] = planes[picture].data;
                args.pairs[i].pitches[picture][p] = static_cast<int32_t>(planes[picture].pitch);
            }
        }
    for (int picture = 0; picture < 2; ++picture)
        args.colours[picture] = config.colours[picture];
    args.scratch = reinterpret_cast<float *>(batch.scratch);
    args.scratch_stride = static_cast<int64_t>(batch.scratch_stride / sizeof(float));
    args.sums = batch.sums;
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    args.is_half_x = format.chroma != Chroma::k444 ? 1 : 0;
    args.is_half_y = format.chroma == Chroma::k420 ? 1 : 0;
    args.chroma_width = format.plane_width(1);
    args.chroma_height = format.plane_height(1);
    args.chroma_middle = config.chroma_middle();
    return args;
}

/// X, Y and B of all scales, each made of what the one before leaves.
void record_planes(const Ssimulacra2Config &config, Queue &queue, unsigned pairs,
                   Ssimulacra2Args &args)
{
    for (int scale = 0; scale < config.scales; ++scale) {
        const unsigned blocks =
            blocks_of(divide_up(config.width[scale], kSsimulacra2PixelColumns) *
                          divide_up(config.height[scale], kSsimulacra2PixelRows),
                      kSsimulacra2Threads);
        args.first_task = scale * kSsimulacra2Planes;
        queue.launch(scale > 0                  ? kSsimulacra2Scale
                     : config.format.depth == 8 ? kSsimulacra2LinearU8
                                                : kSsimulacra2LinearU16,
                     {blocks, 2, pairs}, args);
    }
}

/// Both filters of every step-th plane, whose memory for filtered rows does not overlap.
void record_filters(Queue &queue, unsigned pairs, int first, int end, int step, int moments,
                    Ssimulacra2Args &args)
{
    unsigned rows = 0, columns = 0;
    for (int i = first; i < end; i += step) {
        rows += blocks_of(args.tasks[i].height, kSsimulacra2Lines);
        columns += blocks_of(args.tasks[i].width, kSsimulacra2Lines);
    }
    args.first_task = first;
    args.end_task = end;
    args.task_step = step;
    const bool has_all = moments == kSsimulacra2Moments;
    queue.launch(has_all ? kSsimulacra2Rows : kSsimulacra2RowsMeans, {rows, 1, pairs}, args);
    queue.launch(has_all ? kSsimulacra2Columns : kSsimulacra2ColumnsMeans, {columns, 1, pairs},
                 args);
}

} // namespace

size_t ssimulacra2_device_scratch(const Ssimulacra2Config &config)
{
    Ssimulacra2Args args = {};
    return static_cast<size_t>(set_tasks(config, args).floats) * sizeof(float);
}

void ssimulacra2_record(const Ssimulacra2Config &config, Queue &queue, const BatchView &batch)
{
    Ssimulacra2Args args = make_args(config, batch);
    const auto chunks = static_cast<unsigned>(set_tasks(config, args).chunks);
    const auto pairs = static_cast<unsigned>(batch.count);
    record_planes(config, queue, pairs, args);
    const int of_x = moments_of(config, 0), of_b = moments_of(config, 2);
    record_filters(queue, pairs, 0, of_x == of_b ? kSsimulacra2Planes : 1, 2, of_x, args);
    if (of_x != of_b)
        record_filters(queue, pairs, 2, 3, 1, of_b, args);
    record_filters(queue, pairs, 1, 2, 1, moments_of(config, 1), args);
    if (config.scales > 1)
        record_filters(queue, pairs, kSsimulacra2Planes, args.task_count, 1, kSsimulacra2Moments,
                       args);
    constexpr unsigned kSumBlocks = kSsimulacra2Tasks * kSsimulacra2Sums / 2;
    queue.launch(kSsimulacra2Bounds, {chunks, 1, pairs}, args);
    queue.launch(kSsimulacra2Scan, {kSumBlocks, 1, pairs}, args);
    queue.launch(kSsimulacra2Steps, {chunks, 1, pairs}, args);
    queue.launch(kSsimulacra2Finish, {kSumBlocks, 1, pairs}, args);
}

} // namespace vmafgpu
