// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ssimulacra2: linear light and its scales, X, Y and B, the filter along rows and
// down columns. Both filters are chains, so a line is one thread's. Sums:
// ssimulacra2_sum_kernels.h. ssimulacra2_record.cpp launches it.
#include "features/ssimulacra2/ssimulacra2.h"
#include "features/ssimulacra2/ssimulacra2_sum_kernels.h"
#include "simt/quad.h"

namespace vmafgpu::ssimulacra2 {
namespace {

/// Four floats that are moved at once. Planes begin at such quads, and so do their rows.
struct alignas(16) FloatQuad {
    float v[4];
};
struct alignas(8) FloatPair {
    float v[2];
};

/// The pixels of a thread: neighbours share chroma, and four of them are one of the next scale.
struct PixelBlock {
    int x, y, picture;

    SIMT_DEVICE explicit PixelBlock(int width)
    {
        const int blocks = divide_up(width, kPixelColumns);
        const int number = block_id_x() * kPixelThreads + thread_id();
        x = number % blocks * kPixelColumns;
        y = number / blocks * kPixelRows;
        picture = block_id_y();
    }
};

/// X, Y, B of a block, and linear light of the next scale. The task is the scale's first one;
/// light(row, column) is the linear light of a pixel of the block; below the picture that of its
/// last row, beside it any.
template <typename Light> SIMT_DEVICE void store_block(const Args &args, int first_task,
                                                       const PixelBlock &block, const Light &light)
{
    const Args::Task *tasks = args.tasks + first_task;
    float *scratch = pair_scratch(args);
    FloatPair sums[kPlanes] = {}; // the upper row first
    Rgb pixel = {};
    SIMT_UNROLL
    for (int row = 0; row < kPixelRows; ++row) {
        FloatQuad made[kPlanes];
        SIMT_UNROLL
        for (int i = 0; i < kPixelColumns; ++i) {
            const Rgb own = light(row, i);
            // Columns beyond the width repeat the last pixel.
            const bool is_inside = block.x + i < tasks[0].width;
            pixel = {is_inside ? own.r : pixel.r, is_inside ? own.g : pixel.g,
                     is_inside ? own.b : pixel.b};
            sums[0].v[i / 2] += pixel.r;
            sums[1].v[i / 2] += pixel.g;
            sums[2].v[i / 2] += pixel.b;
            const Xyb xyb = xyb_of(pixel);
            SIMT_UNROLL
            for (int p = 0; p < kPlanes; ++p)
                made[p].v[i] = xyb.plane[p];
        }
        const int64_t at = static_cast<int64_t>(block.y + row) * tasks[0].pitch + block.x;
        SIMT_UNROLL
        for (int p = 0; p < kPlanes && block.y + row < tasks[0].height; ++p)
            *reinterpret_cast<FloatQuad *>(scratch + tasks[p].planes[block.picture] + at) = made[p];
    }
    if (first_task + kPlanes >= args.task_count)
        return;
    tasks += kPlanes;
    const int64_t at = static_cast<int64_t>(block.y / 2) * tasks[0].pitch + block.x / 2;
    SIMT_UNROLL
    for (int p = 0; p < kPlanes; ++p)
        *reinterpret_cast<FloatPair *>(scratch + tasks[p].planes[block.picture] +
                                       at) = {{sums[p].v[0] * 0.25F, sums[p].v[1] * 0.25F}};
}

/// A plane of a picture.
template <typename Sample> struct SamplePlane {
    const char *data;
    int64_t pitch;

    SIMT_DEVICE SamplePlane(const Args &args, int picture, int plane)
        : data(static_cast<const char *>(args.pairs[block_id_z()].planes[picture][plane])),
          pitch(args.pairs[block_id_z()].pitches[picture][plane])
    {
    }
    SIMT_DEVICE const Sample *row(int y) const
    {
        return reinterpret_cast<const Sample *>(data + pitch * y);
    }
    SIMT_DEVICE int at(int x, int y) const { return load_readonly(row(y) + x); }
};

/// The samples of a block in a plane of the picture's size.
template <typename Sample> struct SampleBlock {
    Quad<Sample> rows[kPixelRows];

    SIMT_DEVICE SampleBlock(const Args &args, const SamplePlane<Sample> &plane,
                            const PixelBlock &block)
    {
        const Args::Task &task = args.tasks[0];
        SIMT_UNROLL
        for (int r = 0; r < kPixelRows; ++r)
            rows[r] = load_quad<Sample, Border::kRepeat>(
                plane.row(block.y + r < task.height ? block.y + r : block.y), block.x, task.width,
                block.x + kPixelColumns <= task.width);
    }
    SIMT_DEVICE int at(int row, int i) const
    {
        return static_cast<Sample>(rows[row] >> (8 * static_cast<int>(sizeof(Sample)) * i));
    }
};

/// Chroma samples of a block as chroma_sample() gives them, less their middle.
struct ChromaBlock {
    int of[kPixelRows][kPixelColumns];

    template <typename Sample>
    SIMT_DEVICE ChromaBlock(const Args &args, const SamplePlane<Sample> &plane, int x, int y)
    {
        // The first one of these columns is the one before the block's first.
        constexpr int kColumns = kPixelColumns / 2 + 3;
        int column[kPixelRows][kColumns];
        SIMT_UNROLL
        for (int i = 0; i < kColumns; ++i) {
            const int at_x = args.is_half_x != 0 ? x / 2 - 1 + i : x + i;
            load_column(args, plane, at_x < 0 ? 0 : limited(at_x, args.chroma_width), y,
                        column[0][i], column[1][i]);
        }
        SIMT_UNROLL
        for (int row = 0; row < kPixelRows; ++row) {
            const int *c = column[row];
            SIMT_UNROLL
            for (int i = 0; i < kPixelColumns; ++i) {
                const int *own = c + i / 2 + 1;
                const int half =
                    i % 2 == 0 ? 16 * own[0] : 9 * (own[0] + own[1]) - own[-1] - own[2];
                of[row][i] = (args.is_half_x != 0 ? half : 16 * c[i]) - args.chroma_middle;
            }
        }
    }

private:
    SIMT_DEVICE static int limited(int i, int n) { return i < n ? i : n - 1; }

    /// A column for both rows of a block. Below the picture is its last row.
    template <typename Sample>
    SIMT_DEVICE static void load_column(const Args &args, const SamplePlane<Sample> &plane, int x,
                                        int y, int &upper, int &lower)
    {
        if (args.is_half_y == 0) {
            upper = 128 * plane.at(x, y);
            lower = 128 * plane.at(x, limited(y + 1, args.chroma_height));
            return;
        }
        int row[5];
        SIMT_UNROLL
        for (int k = 0; k < 5; ++k) {
            const int at_y = y / 2 - 2 + k;
            row[k] = plane.at(x, at_y < 0 ? 0 : limited(at_y, args.chroma_height));
        }
        upper = 111 * row[2] - 9 * row[3] + 29 * row[1] - 3 * row[0];
        lower = 111 * row[2] - 9 * row[1] + 29 * row[3] - 3 * row[4];
        if (y + 1 >= args.tasks[0].height)
            lower = upper;
    }
};

template <typename Sample> SIMT_DEVICE void linear(const Args &args)
{
    const PixelBlock block(args.tasks[0].width);
    const Colour &colour = args.colours[block.picture];
    if (block.y >= args.tasks[0].height)
        return;
    const SamplePlane<Sample> planes[3] = {
        {args, block.picture, 0}, {args, block.picture, 1}, {args, block.picture, 2}};
    const SampleBlock<Sample> first(args, planes[0], block);
    if (colour.is_rgb != 0) {
        const SampleBlock<Sample> blue(args, planes[1], block), red(args, planes[2], block);
        store_block(args, 0, block, [&](int row, int i) {
            return linear_rgb(colour, red.at(row, i), first.at(row, i), blue.at(row, i));
        });
        return;
    }
    const ChromaBlock cb(args, planes[1], block.x, block.y), cr(args, planes[2], block.x, block.y);
    store_block(args, 0, block, [&](int row, int i) {
        return linear_yuv(colour, first.at(row, i), cb.of[row][i], cr.of[row][i]);
    });
}

/// A block of a further scale, whose linear light makes room for X, Y and B.
SIMT_DEVICE void next_scale(const Args &args)
{
    const Args::Task *tasks = args.tasks + args.first_task;
    const PixelBlock block(tasks[0].width);
    const int width = tasks[0].width;
    if (block.y >= tasks[0].height)
        return;
    FloatQuad light[kPixelRows][kPlanes]; // all pixels are computed before the first store
    SIMT_UNROLL
    for (int row = 0; row < kPixelRows; ++row) {
        const int y = block.y + row < tasks[0].height ? block.y + row : block.y;
        SIMT_UNROLL
        for (int p = 0; p < kPlanes; ++p) {
            const float *from = pair_scratch(args) + tasks[p].planes[block.picture] +
                                static_cast<int64_t>(y) * tasks[p].pitch + block.x;
            if (block.x + kPixelColumns <= width) {
                light[row][p] = *reinterpret_cast<const FloatQuad *>(from);
                continue;
            }
            SIMT_UNROLL
            for (int i = 0; i < kPixelColumns; ++i)
                light[row][p].v[i] = block.x + i < width ? from[i] : 0.0F;
        }
    }
    store_block(args, args.first_task, block, [&](int row, int i) -> Rgb {
        return {light[row][0].v[i], light[row][1].v[i], light[row][2].v[i]};
    });
}

/// The task of a block of lines, and the block's number in it.
struct LineBlock {
    int task, block;
};
template <typename Lines> SIMT_DEVICE LineBlock line_block(const Args &args, const Lines &lines)
{
    LineBlock at = {args.first_task, block_id_x()};
    for (; at.task + args.task_step < args.end_task; at.task += args.task_step) {
        const int blocks = divide_up(static_cast<int>(lines(args.tasks[at.task])), kBlockLines);
        if (at.block < blocks)
            break;
        at.block -= blocks;
    }
    return at;
}

constexpr int kTile = 32; ///< columns that a block filters at a time
constexpr int kLead = 8;  ///< columns before the tile at which its inputs begin, at a quad
constexpr int kQuads = (kLead + kTile + kAfter) / 4;
static_assert(kQuads % 2 == 1 && kLead >= kBefore && kLead % 4 == 0 && kBefore + kAfter == 10 &&
                  kBlock == 4 && kHead < kTile,
              "rows lie in different banks; a block of outputs is made of four quads");

/// Loads the samples of both pictures that a tile of a block's rows is made of; 0 outside.
template <int kThreads> SIMT_DEVICE void load_inputs(const Args &args, const Args::Task &task,
                                                     int first_row, int x, FloatQuad *inputs)
{
    constexpr int kAll = 2 * kBlockLines * kQuads;
    constexpr int kCount = (kAll + kThreads - 1) / kThreads;
    const float *scratch = pair_scratch(args);
    FloatQuad quads[kCount]; // all loads before the first store, so that none waits for another
    SIMT_UNROLL
    for (int k = 0; k < kCount; ++k) {
        const int i = thread_id() + k * kThreads;
        const int line = i / kQuads; // lines of the reference, then of the distorted picture
        const int at_x = x - kLead + i % kQuads * 4;
        const int at_y = first_row + line % kBlockLines;
        const bool is_inside = i < kAll && at_x >= 0 && at_x < task.width && at_y < task.height;
        const int64_t plane = task.planes[line >= kBlockLines ? 1 : 0];
        quads[k] = {};
        if (is_inside)
            quads[k] = *reinterpret_cast<const FloatQuad *>(
                scratch + plane + static_cast<int64_t>(at_y) * task.pitch + at_x);
        SIMT_UNROLL
        for (int j = 1; j < 4; ++j)
            quads[k].v[j] = at_x + j < task.width ? quads[k].v[j] : 0.0F;
    }
    SIMT_UNROLL
    for (int k = 0; k < kCount; ++k) {
        const int i = thread_id() + k * kThreads;
        if (i < kAll)
            inputs[i] = quads[k];
    }
}

/// A row that a thread filters: of a picture, or of the product of two.
struct MomentRow {
    const FloatQuad *one, *other;
    bool is_product;

    SIMT_DEVICE MomentRow(const FloatQuad *inputs, int moment, int row)
    {
        const FloatQuad *reference = inputs + row * kQuads;
        const FloatQuad *distorted = reference + kBlockLines * kQuads;
        is_product = moment >= kMeans;
        one = moment == 1 || moment == 3 ? distorted : reference;
        other = moment == 2 ? reference : distorted;
    }
    SIMT_DEVICE FloatQuad quad(int i) const
    {
        FloatQuad result = one[i];
        if (is_product) {
            const FloatQuad factor = other[i];
            SIMT_UNROLL
            for (int j = 0; j < 4; ++j)
                result.v[j] = result.v[j] * factor.v[j];
        }
        return result;
    }
    /// Returns the value of column i of the tile.
    SIMT_DEVICE float at(int i) const
    {
        const float sample = one[(i + kLead) / 4].v[(i + kLead) % 4];
        return is_product ? sample * other[(i + kLead) / 4].v[(i + kLead) % 4] : sample;
    }
    SIMT_DEVICE float input(int i) const { return at(i - kBefore) + at(i + kAfter); }
};

/// Outputs x .. x + kTile - 1 of a row, all of them made in blocks. `to` is where output x goes,
/// null for a row below the picture.
SIMT_DEVICE void filter_tile(const MomentRow &row, State &state, float *to)
{
    FloatQuad quads[3] = {row.quad(0), row.quad(1), row.quad(2)};
    SIMT_UNROLL
    for (int i = 0; i < kTile; i += kBlock) {
        const FloatQuad last = row.quad(i / 4 + 3);
        const float in[kBlock] = {quads[0].v[2] + last.v[0], quads[0].v[3] + last.v[1],
                                  quads[1].v[0] + last.v[2], quads[1].v[1] + last.v[3]};
        FloatQuad out;
        filter_block(state, in, out.v);
        if (to != nullptr)
            *reinterpret_cast<FloatQuad *>(to + i) = out;
        quads[0] = quads[1];
        quads[1] = quads[2];
        quads[2] = last;
    }
}

/// Filters a tile at the begin or the end of a row.
SIMT_DEVICE void filter_end(const MomentRow &row, int x, int width, State &state, float *to)
{
    SIMT_NO_UNROLL
    for (int i = x == 0 ? -kAfter : 0; i < kTile && x + i < width;) {
        const bool is_block = x + i >= kHead && x + i < width - kTail;
        float out[kBlock];
        if (is_block) {
            const float in[kBlock] = {row.input(i), row.input(i + 1), row.input(i + 2),
                                      row.input(i + 3)};
            filter_block(state, in, out);
        } else {
            out[0] = filter_along(state, i < 0 ? row.at(i + kAfter) : row.input(i));
        }
        SIMT_UNROLL
        for (int j = 0; j < kBlock; ++j)
            if (to != nullptr && i >= 0 && (j == 0 || is_block))
                to[i + j] = out[j];
        i += is_block ? kBlock : 1;
    }
}

template <int kMoments> SIMT_DEVICE void filter_rows(const Args &args)
{
    constexpr int kThreads = kMoments * kBlockLines;
    SIMT_SHARED(FloatQuad, inputs, 2 * kBlockLines * kQuads);
    const LineBlock block = line_block(args, [](const Args::Task &task) { return task.height; });
    const Args::Task &task = args.tasks[block.task];
    const int first_row = block.block * kBlockLines;
    const int moment = thread_id() / kBlockLines;
    const int y = first_row + thread_id() % kBlockLines;
    const MomentRow row(inputs, moment, thread_id() % kBlockLines);
    float *to = pair_scratch(args) + task.rows +
                (static_cast<int64_t>(moment) * task.height + y) * task.pitch;
    State state;
    if (task.needed == 0 || first_row >= task.height)
        return;
    for (int x = 0; x < task.width; x += kTile) {
        load_inputs<kThreads>(args, task, first_row, x, inputs);
        barrier();
        float *at = y < task.height ? to + x : nullptr;
        if (x >= kTile && x + kTile <= task.width - kTail + kBlock - 1)
            filter_tile(row, state, at);
        else
            filter_end(row, x, task.width, state, at);
        barrier();
    }
}

/// Rows of a column that a thread loads together. An output is made of the inputs 6 before and 4
/// after it, so those of a group are made of the group before and the one after.
constexpr int kGroup = (kBefore + kAfter) / 2;
static_assert(kAfter + 1 == kGroup, "groups begin at row -1, their outputs at row -5");

/// A column of several planes of a task.
template <int kCount> struct Column {
    float *top[kCount];

    /// Rows y .. y + kGroup - 1; 0 outside.
    SIMT_DEVICE void load(const Args::Task &task, int y, float (&rows)[kGroup][kCount]) const
    {
        const bool is_inside = y >= 0 && y + kGroup <= task.height;
        int64_t at = static_cast<int64_t>(y) * task.pitch;
        SIMT_UNROLL
        for (int i = 0; i < kGroup; ++i, at += task.pitch) {
            SIMT_UNROLL
            for (int k = 0; k < kCount; ++k)
                rows[i][k] = is_inside || (y + i >= 0 && y + i < task.height) ? top[k][at] : 0.0F;
        }
    }
};

/// A thread's column: its filtered rows become means and, with the samples, what terms are made of.
template <int kMoments> struct ColumnFilter {
    const Args::Task &task;
    Column<kMoments> rows;
    Column<2> pictures; ///< samples; then how far they are from their means
    float *similarity;
    State states[kMoments];

    SIMT_DEVICE ColumnFilter(const Args &args, const Args::Task &of, int x)
        : task(of), similarity(pair_scratch(args) + of.similarity + x)
    {
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i)
            pictures.top[i] = pair_scratch(args) + task.planes[i] + x;
        SIMT_UNROLL
        for (int m = 0; m < kMoments; ++m)
            rows.top[m] = pair_scratch(args) + task.rows + x +
                          m * static_cast<int64_t>(task.pitch) * task.height;
    }
    SIMT_DEVICE void make(int y, const float (&before)[kGroup][kMoments],
                          const float (&after)[kGroup][kMoments], const float (&samples)[kGroup][2])
    {
        int64_t at = static_cast<int64_t>(y) * task.pitch;
        SIMT_UNROLL
        for (int i = 0; i < kGroup; ++i, at += task.pitch) {
            float moments[kAllMoments];
            SIMT_UNROLL
            for (int m = 0; m < kMoments; ++m)
                moments[m] = filter_down(states[m], before[i][m] + after[i][m]);
            if (y + i < 0 || y + i >= task.height)
                continue;
            SIMT_UNROLL
            for (int k = 0; k < 2; ++k) {
                const float distance = samples[i][k] - moments[k];
                pictures.top[k][at] = distance < 0 ? -distance : distance;
            }
            if (kMoments == kAllMoments && task.similarity >= 0)
                similarity[at] =
                    similarity_of({moments[0], moments[1], moments[2], moments[3], moments[4]});
        }
    }
};

template <int kMoments> SIMT_DEVICE void filter_columns(const Args &args)
{
    using Rows = float[kGroup][kMoments];
    const LineBlock block = line_block(args, [](const Args::Task &task) { return task.width; });
    const Args::Task &task = args.tasks[block.task];
    const int x = block.block * kBlockLines + thread_id();
    if (task.needed == 0 || x >= task.width)
        return;
    ColumnFilter<kMoments> filter(args, task, x);
    Rows before = {}, between = {}, after, next;
    float samples[kGroup][2];
    filter.rows.load(task, -1, after);
    for (int y = -kGroup; y < task.height; y += kGroup) {
        // The rows that the next round needs are on their way during this one.
        filter.rows.load(task, y + kGroup + kAfter, next);
        filter.pictures.load(task, y, samples);
        filter.make(y, before, after, samples);
        SIMT_UNROLL
        for (int i = 0; i < kGroup; ++i) {
            SIMT_UNROLL
            for (int m = 0; m < kMoments; ++m) {
                before[i][m] = between[i][m];
                between[i][m] = after[i][m];
                after[i][m] = next[i][m];
            }
        }
    }
}

} // namespace

SIMT_KERNEL(ssimulacra2_linear_u8, Args, kPixelThreads, 3)
{
    linear<uint8_t>(args);
}
SIMT_KERNEL(ssimulacra2_linear_u16, Args, kPixelThreads, 3)
{
    linear<uint16_t>(args);
}

SIMT_KERNEL(ssimulacra2_scale, Args, kPixelThreads, 3)
{
    next_scale(args);
}

SIMT_KERNEL(ssimulacra2_rows, Args, kAllMoments *kBlockLines, 3)
{
    filter_rows<kAllMoments>(args);
}
SIMT_KERNEL(ssimulacra2_rows_means, Args, kMeans *kBlockLines, 5)
{
    filter_rows<kMeans>(args);
}

SIMT_KERNEL(ssimulacra2_columns, Args, kBlockLines)
{
    filter_columns<kAllMoments>(args);
}
SIMT_KERNEL(ssimulacra2_columns_means, Args, kBlockLines)
{
    filter_columns<kMeans>(args);
}

SIMT_KERNEL(ssimulacra2_bounds, Args, kSumThreads)
{
    find_bounds(args);
}

SIMT_KERNEL(ssimulacra2_scan, Args, kSumThreads)
{
    for_sums_of_wave(args, [&](const SumPlace &place) { scan_chunks(args, place); });
}

SIMT_KERNEL(ssimulacra2_steps, Args, kSumThreads)
{
    make_steps(args);
}

SIMT_KERNEL(ssimulacra2_finish, Args, kSumThreads)
{
    for_sums_of_wave(args, [&](const SumPlace &place) {
        const double sum = add_chunks(args, place);
        if (lane_id() == 0)
            store_sum(args, place, sum);
    });
}

} // namespace vmafgpu::ssimulacra2
