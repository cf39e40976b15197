// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 on a device, host side: memory and the launches of a batch. ssimulacra2.cpp calls it;
// the kernels are in ssimulacra2_kernels.cpp.
#include <algorithm>

#include "base/numeric.h"
#include "device/device.h"
#include "features/feature.h"
#include "features/ssimulacra2/ssimulacra2.h"

namespace vmafgpu::ssimulacra2 {

namespace {

int moments_of(const Config &config, int task)
{
    const bool is_first_scale = task < kPlanes;
    return is_first_scale && !config.needs_structure(0, task) ? kMeans : kAllMoments;
}

/// Memory of a pair, laid out: returns its floats.
int64_t set_tasks(const Config &config, Args &args)
{
    int64_t all = 0, rows = 0, rows_of_first = 0;
    args.task_count = config.scales * kPlanes;
    for (int i = 0; i < args.task_count; ++i) {
        const int scale = i / kPlanes;
        const int plane = i % kPlanes;
        Args::Task &task = args.tasks[i];
        task.width = config.width[scale];
        task.height = config.height[scale];
        task.pitch = round_up(task.width, kRowUnit);
        task.needed = config.needed[scale][plane];
        const int64_t floats = int64_t{task.pitch} * task.height;
        for (int64_t &of : task.planes) {
            of = all;
            all += floats;
        }
        task.similarity = -1;
        if (config.needs_structure(scale, plane)) {
            task.similarity = all;
            all += floats;
        }
        // At scale 0, X and B are filtered together, and then Y in the memory of both.
        task.rows = scale > 0 ? rows : plane == 2 ? floats * moments_of(config, 0) : 0;
        rows_of_first =
            std::max(rows_of_first, floats * moments_of(config, i) + (scale == 0 ? task.rows : 0));
        rows += scale == 0 || task.needed == 0 ? 0 : floats * kAllMoments;
    }
    for (int i = 0; i < args.task_count; ++i)
        args.tasks[i].rows += all;
    return all + std::max(rows, rows_of_first);
}

Args make_args(const Config &config, const BatchView &batch)
{
    const Format &format = config.format;
    Args args = {};
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
void record_planes(const Config &config, Queue &queue, unsigned pairs, Args &args)
{
    for (int scale = 0; scale < config.scales; ++scale) {
        const unsigned blocks = blocks_of(divide_up(config.width[scale], kPixelColumns) *
                                              divide_up(config.height[scale], kPixelRows),
                                          kPixelThreads);
        args.first_task = scale * kPlanes;
        queue.launch(scale > 0                  ? kNextScale
                     : config.format.depth == 8 ? kLinearU8
                                                : kLinearU16,
                     {blocks, 2, pairs}, args);
    }
}

/// Launches both filters for every step-th plane. The memory of these planes' filtered rows does
/// not overlap.
void record_filters(Queue &queue, unsigned pairs, int first, int end, int step, int moments,
                    Args &args)
{
    unsigned rows = 0, columns = 0;
    for (int i = first; i < end; i += step) {
        rows += blocks_of(args.tasks[i].height, kBlockLines);
        columns += blocks_of(args.tasks[i].width, kBlockLines);
    }
    args.first_task = first;
    args.end_task = end;
    args.task_step = step;
    const bool has_all = moments == kAllMoments;
    queue.launch(has_all ? kFilterRows : kFilterRowsMeans, {rows, 1, pairs}, args);
    queue.launch(has_all ? kFilterColumns : kFilterColumnsMeans, {columns, 1, pairs}, args);
}

int parts_of(const Args::Task &task)
{
    return divide_up(task.pitch * task.height, kPartTerms);
}

/// Launches the sums. The first parts of a plane are added one after the other; many pairs fill a
/// device with that. Each further round takes as many parts as came before, in which a sum mostly
/// doubles.
void record_sums(Queue &queue, unsigned pairs, Args &args)
{
    unsigned count = 0;
    for (int i = 0; i < args.task_count; ++i)
        for (int k = 0; k < kSums; ++k)
            if ((args.tasks[i].needed >> k & 1) != 0)
                args.weighted[count++] = static_cast<uint8_t>(i * kSums + k);
    args.parts = parts_of(args.tasks[0]);
    args.runs = args.tasks[0].rows; // which no filter needs any more
    args.first_part = 0;
    args.end_part = kFirstParts * static_cast<int>(pairs);
    queue.launch(kAddFirst, {pairs, 1, count}, args);
    for (int first = args.end_part; first < args.parts; first *= 2) {
        args.first_part = first;
        args.end_part = std::min(2 * first, args.parts);
        while (parts_of(args.tasks[args.weighted[count - 1] / kSums]) <= first)
            --count;
        queue.launch(kMakeRuns, {static_cast<unsigned>(args.end_part - first), pairs, count}, args);
        queue.launch(kAddParts, {pairs, 1, count}, args);
    }
}

} // namespace

size_t Forms::device_scratch(const Config &config)
{
    Args args = {};
    return static_cast<size_t>(set_tasks(config, args)) * sizeof(float);
}

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    Args args = make_args(config, batch);
    set_tasks(config, args);
    const auto pairs = static_cast<unsigned>(batch.count);
    record_planes(config, queue, pairs, args);
    const int of_x = moments_of(config, 0), of_b = moments_of(config, 2);
    record_filters(queue, pairs, 0, of_x == of_b ? kPlanes : 1, 2, of_x, args);
    if (of_x != of_b)
        record_filters(queue, pairs, 2, 3, 1, of_b, args);
    record_filters(queue, pairs, 1, 2, 1, moments_of(config, 1), args);
    if (config.scales > 1)
        record_filters(queue, pairs, kPlanes, args.task_count, 1, kAllMoments, args);
    record_sums(queue, pairs, args);
}

} // namespace vmafgpu::ssimulacra2
