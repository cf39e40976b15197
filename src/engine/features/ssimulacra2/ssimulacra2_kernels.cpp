// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ssimulacra2: linear light and its scales, X, Y and B, the filter along rows and
// down columns. Both filters are chains, so a line is one thread's. Sums:
// ssimulacra2_sum_kernels.h. ssimulacra2_record.cpp launches it.
#include "features/ssimulacra2/ssimulacra2_args.h"
#include "features/ssimulacra2/ssimulacra2_sum_kernels.h"

namespace vmafgpu {
namespace {

SIMT_DEVICE int pixel_of_thread()
{
    return block_id_x() * kSsimulacra2Threads + thread_id();
}

template <typename Sample> SIMT_DEVICE void linear(const Ssimulacra2Args &args)
{
    const int picture = block_id_y();
    const Ssimulacra2Args::Pair &pair = args.pairs[block_id_z()];
    const Ssimulacra2Args::Task *tasks = args.tasks;
    const Ssimulacra2Colour &colour = args.colours[picture];
    const int pixel = pixel_of_thread();
    const int y = pixel / tasks[0].width;
    const int x = pixel % tasks[0].width;
    if (y >= tasks[0].height)
        return;
    const auto sample = [&](int plane, int at_x, int at_y) {
        const char *row = static_cast<const char *>(pair.planes[picture][plane]) +
                          static_cast<int64_t>(pair.pitches[picture][plane]) * at_y;
        return static_cast<int>(load_readonly(reinterpret_cast<const Sample *>(row) + at_x));
    };
    // One place that calls it, so that it is no function of its own, which would need a stack.
    int chroma[2] = {};
    SIMT_NO_UNROLL
    for (int plane = 1; plane < 3 && colour.is_rgb == 0; ++plane) {
        chroma[0] = chroma[1];
        chroma[1] =
            ssimulacra2_chroma(args.is_half_x != 0, args.is_half_y != 0, args.chroma_width,
                               args.chroma_height, x, y,
                               [&](int at_x, int at_y) { return sample(plane, at_x, at_y); }) -
            args.chroma_middle;
    }
    const Ssimulacra2Rgb light =
        colour.is_rgb != 0
            ? ssimulacra2_linear_rgb(colour, sample(2, x, y), sample(0, x, y), sample(1, x, y))
            : ssimulacra2_linear_yuv(colour, sample(0, x, y), chroma[0], chroma[1]);
    const int64_t at = static_cast<int64_t>(y) * tasks[0].pitch + x;
    pair_scratch(args)[tasks[0].planes[picture] + at] = light.r;
    pair_scratch(args)[tasks[1].planes[picture] + at] = light.g;
    pair_scratch(args)[tasks[2].planes[picture] + at] = light.b;
}

/// The task of a block of lines, and the block's number in it.
struct LineBlock {
    int task, block;
};
template <typename Lines>
SIMT_DEVICE LineBlock line_block(const Ssimulacra2Args &args, const Lines &lines)
{
    LineBlock at = {args.first_task, block_id_x()};
    for (; at.task + args.task_step < args.end_task; at.task += args.task_step) {
        const int blocks =
            divide_up(static_cast<int>(lines(args.tasks[at.task])), kSsimulacra2Lines);
        if (at.block < blocks)
            break;
        at.block -= blocks;
    }
    return at;
}

constexpr int kTile = 16; ///< columns that a block filters at a time
constexpr int kInputs = kTile + kSsimulacra2Before + kSsimulacra2After;
constexpr int kInputPitch = kInputs + 1; // odd, so that rows
constexpr int kOutputPitch = kTile + 1;  // lie in different banks
static_assert(kInputPitch % 2 == 1 && kOutputPitch % 2 == 1 && kTile % kSsimulacra2Block == 0 &&
                  kSsimulacra2Head % kSsimulacra2Block == 0,
              "blocks of outputs lie in one tile");

/// Both pictures' samples that a tile of a block's rows is made of, from x on; 0 outside.
template <int kThreads> SIMT_DEVICE void load_inputs(const Ssimulacra2Args &args,
                                                     const Ssimulacra2Args::Task &task,
                                                     int first_row, int x, float *inputs)
{
    constexpr int kAll = 2 * kSsimulacra2Lines * kInputs;
    constexpr int kCount = (kAll + kThreads - 1) / kThreads;
    const float *scratch = pair_scratch(args);
    float values[kCount]; // all loads before the first store, so that none waits for another
    SIMT_UNROLL
    for (int k = 0; k < kCount; ++k) {
        const int i = thread_id() + k * kThreads;
        const int line = i / kInputs; // of the reference, then of the distorted picture
        const int at_x = x - kSsimulacra2Before + i % kInputs;
        const int at_y = first_row + line % kSsimulacra2Lines;
        const bool is_inside = i < kAll && at_x >= 0 && at_x < task.width && at_y < task.height;
        const int64_t plane = task.planes[line >= kSsimulacra2Lines ? 1 : 0];
        values[k] =
            is_inside ? scratch[plane + static_cast<int64_t>(at_y) * task.pitch + at_x] : 0.0F;
    }
    SIMT_UNROLL
    for (int k = 0; k < kCount; ++k) {
        const int i = thread_id() + k * kThreads;
        if (i < kAll)
            inputs[i / kInputs * kInputPitch + i % kInputs] = values[k];
    }
}

/// What a thread filters: a row of a picture, or the product of two.
struct MomentRow {
    const float *one, *other;
    bool is_product;

    SIMT_DEVICE MomentRow(const float *inputs, int moment, int row)
    {
        const float *reference = inputs + row * kInputPitch;
        const float *distorted = reference + kSsimulacra2Lines * kInputPitch;
        is_product = moment >= kSsimulacra2Means;
        one = moment == 1 || moment == 3 ? distorted : reference;
        other = moment == 2 ? reference : distorted;
    }
    SIMT_DEVICE float at(int i) const { return is_product ? one[i] * other[i] : one[i]; }
    /// Input of output i of the tile.
    SIMT_DEVICE float input(int i) const
    {
        return at(i) + at(i + kSsimulacra2Before + kSsimulacra2After);
    }
};

/// Outputs x .. x + kTile - 1 of a row.
SIMT_DEVICE void filter_tile(const MomentRow &row, int x, int width, Ssimulacra2State &state,
                             float *outputs)
{
    if (x == 0)
        for (int i = -kSsimulacra2After; i < 0; ++i) // inputs before the line are 0
            ssimulacra2_along(state, row.at(i + kSsimulacra2Before + kSsimulacra2After));
    for (int i = 0; i < kTile; i += kSsimulacra2Block) {
        if (x + i >= kSsimulacra2Head && x + i < width - kSsimulacra2Tail) {
            const float in[kSsimulacra2Block] = {row.input(i), row.input(i + 1), row.input(i + 2),
                                                 row.input(i + 3)};
            ssimulacra2_block(state, in, outputs + i);
        } else {
            for (int j = i; j < i + kSsimulacra2Block; ++j)
                if (x + j < width)
                    outputs[j] = ssimulacra2_along(state, row.input(j));
        }
    }
}

template <int kMoments> SIMT_DEVICE void filter_rows(const Ssimulacra2Args &args)
{
    constexpr int kThreads = kMoments * kSsimulacra2Lines;
    SIMT_SHARED(float, inputs, 2 * kSsimulacra2Lines * kInputPitch);
    SIMT_SHARED(float, outputs, kMoments *kSsimulacra2Lines *kOutputPitch);
    const LineBlock block =
        line_block(args, [](const Ssimulacra2Args::Task &task) { return task.height; });
    const Ssimulacra2Args::Task &task = args.tasks[block.task];
    const int first_row = block.block * kSsimulacra2Lines;
    const MomentRow row(inputs, thread_id() / kSsimulacra2Lines, thread_id() % kSsimulacra2Lines);
    const int64_t plane = static_cast<int64_t>(task.pitch) * task.height;
    float *to = pair_scratch(args) + task.rows;
    Ssimulacra2State state;
    if (task.needed == 0 || first_row >= task.height)
        return;
    for (int x = 0; x < task.width; x += kTile) {
        load_inputs<kThreads>(args, task, first_row, x, inputs);
        barrier();
        filter_tile(row, x, task.width, state, outputs + thread_id() * kOutputPitch);
        barrier();
        for (int i = thread_id(); i < kThreads * kTile; i += kThreads) {
            const int line = i / kTile;
            const int at_y = first_row + line % kSsimulacra2Lines;
            const int at_x = x + i % kTile;
            if (at_y < task.height && at_x < task.width)
                to[line / kSsimulacra2Lines * plane + static_cast<int64_t>(at_y) * task.pitch +
                   at_x] = outputs[line * kOutputPitch + i % kTile];
        }
    }
}

/// What a pixel's terms are made of takes the place of its samples.
template <int kMoments> SIMT_DEVICE void store_pixel(const Ssimulacra2Args &args,
                                                     const Ssimulacra2Args::Task &task, int64_t at,
                                                     const float *samples, const float *moments)
{
    float *scratch = pair_scratch(args);
    SIMT_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
        const float distance = samples[picture] - moments[picture];
        scratch[task.planes[picture] + at] = distance < 0 ? -distance : distance;
    }
    if (kMoments == kSsimulacra2Moments && task.similarity >= 0)
        scratch[task.similarity + at] =
            ssimulacra2_similarity({moments[0], moments[1], moments[2], moments[3], moments[4]});
}

constexpr int kRowsAhead = 4; ///< that a thread loads at once

/// Row y of a column; 0 outside.
SIMT_DEVICE float row_or_zero(const Ssimulacra2Args::Task &task, const float *column, int y)
{
    return y >= 0 && y < task.height ? column[static_cast<int64_t>(y) * task.pitch] : 0.0F;
}

template <int kMoments> SIMT_DEVICE void filter_columns(const Ssimulacra2Args &args)
{
    const LineBlock block =
        line_block(args, [](const Ssimulacra2Args::Task &task) { return task.width; });
    const Ssimulacra2Args::Task &task = args.tasks[block.task];
    const int x = block.block * kSsimulacra2Lines + thread_id();
    if (task.needed == 0 || x >= task.width)
        return;
    const int64_t plane = static_cast<int64_t>(task.pitch) * task.height;
    const float *rows = pair_scratch(args) + task.rows + x;
    Ssimulacra2State states[kMoments];
    for (int y = -kSsimulacra2After; y < task.height; y += kRowsAhead) {
        // All loads before the first store, so that they do not wait for each other.
        float inputs[kRowsAhead][kMoments];
        float samples[kRowsAhead][2];
        SIMT_UNROLL
        for (int i = 0; i < kRowsAhead; ++i) {
            SIMT_UNROLL
            for (int picture = 0; picture < 2; ++picture)
                samples[i][picture] =
                    row_or_zero(task, pair_scratch(args) + task.planes[picture] + x, y + i);
            SIMT_UNROLL
            for (int m = 0; m < kMoments; ++m) {
                const float *of = rows + m * plane;
                inputs[i][m] = row_or_zero(task, of, y + i - kSsimulacra2Before) +
                               row_or_zero(task, of, y + i + kSsimulacra2After);
            }
        }
        SIMT_UNROLL
        for (int i = 0; i < kRowsAhead; ++i) {
            float moments[kSsimulacra2Moments];
            SIMT_UNROLL
            for (int m = 0; m < kMoments; ++m)
                moments[m] = ssimulacra2_down(states[m], inputs[i][m]);
            if (y + i >= 0 && y + i < task.height)
                store_pixel<kMoments>(args, task, static_cast<int64_t>(y + i) * task.pitch + x,
                                      samples[i], moments);
        }
    }
}

} // namespace

SIMT_KERNEL(ssimulacra2_linear_u8, Ssimulacra2Args, kSsimulacra2Threads)
{
    linear<uint8_t>(args);
}
SIMT_KERNEL(ssimulacra2_linear_u16, Ssimulacra2Args, kSsimulacra2Threads)
{
    linear<uint16_t>(args);
}

SIMT_KERNEL(ssimulacra2_half, Ssimulacra2Args, kSsimulacra2Threads)
{
    const int picture = block_id_y() / kSsimulacra2Planes;
    const int plane = block_id_y() % kSsimulacra2Planes;
    const Ssimulacra2Args::Task &to = args.tasks[args.first_task + plane];
    const Ssimulacra2Args::Task &from = args.tasks[args.first_task - kSsimulacra2Planes + plane];
    const int pixel = pixel_of_thread();
    const int y = pixel / to.width;
    const int x = pixel % to.width;
    if (y < to.height) {
        const float *upper = pair_scratch(args) + from.planes[picture] +
                             static_cast<int64_t>(2 * y) * from.pitch + 2 * x;
        const float *lower = 2 * y + 1 < from.height ? upper + from.pitch : upper;
        const int right = 2 * x + 1 < from.width ? 1 : 0;
        pair_scratch(args)[to.planes[picture] + static_cast<int64_t>(y) * to.pitch + x] =
            ssimulacra2_quarter(upper[0], upper[right], lower[0], lower[right]);
    }
}

SIMT_KERNEL(ssimulacra2_xyb, Ssimulacra2Args, kSsimulacra2Threads)
{
    const int picture = block_id_y();
    int64_t pixel = pixel_of_thread();
    int first = 0;
    while (first + kSsimulacra2Planes < args.task_count &&
           pixel >= static_cast<int64_t>(args.tasks[first].width) * args.tasks[first].height) {
        pixel -= static_cast<int64_t>(args.tasks[first].width) * args.tasks[first].height;
        first += kSsimulacra2Planes;
    }
    const Ssimulacra2Args::Task *tasks = args.tasks + first;
    const int64_t y = pixel / tasks[0].width;
    const int64_t at = y * tasks[0].pitch + pixel % tasks[0].width;
    if (y < tasks[0].height) {
        float *of[kSsimulacra2Planes];
        SIMT_UNROLL
        for (int p = 0; p < kSsimulacra2Planes; ++p)
            of[p] = pair_scratch(args) + tasks[p].planes[picture] + at;
        const Ssimulacra2Xyb xyb = ssimulacra2_xyb({*of[0], *of[1], *of[2]});
        SIMT_UNROLL
        for (int p = 0; p < kSsimulacra2Planes; ++p)
            *of[p] = xyb.plane[p];
    }
}

SIMT_KERNEL(ssimulacra2_rows, Ssimulacra2Args, kSsimulacra2Moments *kSsimulacra2Lines, 3)
{
    filter_rows<kSsimulacra2Moments>(args);
}
SIMT_KERNEL(ssimulacra2_rows_means, Ssimulacra2Args, kSsimulacra2Means *kSsimulacra2Lines)
{
    filter_rows<kSsimulacra2Means>(args);
}

SIMT_KERNEL(ssimulacra2_columns, Ssimulacra2Args, kSsimulacra2Lines)
{
    filter_columns<kSsimulacra2Moments>(args);
}
SIMT_KERNEL(ssimulacra2_columns_means, Ssimulacra2Args, kSsimulacra2Lines)
{
    filter_columns<kSsimulacra2Means>(args);
}

SIMT_KERNEL(ssimulacra2_bounds, Ssimulacra2Args, kSsimulacra2Threads)
{
    find_bounds(args);
}

SIMT_KERNEL(ssimulacra2_scan, Ssimulacra2Args, 64)
{
    for_sums_of_wave(args, [&](const SumPlace &place) { scan_chunks(args, place); });
}

SIMT_KERNEL(ssimulacra2_steps, Ssimulacra2Args, kSsimulacra2Threads)
{
    make_steps(args);
}

SIMT_KERNEL(ssimulacra2_finish, Ssimulacra2Args, 64)
{
    for_sums_of_wave(args, [&](const SumPlace &place) {
        const double sum = add_chunks(args, place);
        if (lane_id() == 0)
            store_sum(args, place, sum);
    });
}

} // namespace vmafgpu
