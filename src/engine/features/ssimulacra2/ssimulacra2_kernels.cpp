// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ssimulacra2: linear light and its scales, X, Y and B, the filter along rows and
// down columns. Both filters are chains, so a line is one thread's. Sums:
// ssimulacra2_sum_kernels.h. ssimulacra2_record.cpp launches it.
#include "features/ssimulacra2/ssimulacra2.h"
#include "features/ssimulacra2/ssimulacra2_sum_kernels.h"
#include "simt/quad.h"

namespace vmafgpu::ssimulacra2 {
namespace {

// Planes begin at quads of floats, and so do their rows.

SIMT_DEVICE float *pair_scratch(const Args &args)
{
    return pair_scratch(args, block_id_z());
}

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

constexpr int kTile = 32;    ///< columns that a block loads at a time: 128 bytes of a row
constexpr int kOutTile = 16; ///< columns that it filters and stores at a time
constexpr int kTileQuads = kTile / 4, kOutQuads = kOutTile / 4;
static_assert(kBlock == 4 && kBefore == 6 && kAfter == 4 && kHead % 4 == 0,
              "a block is a quad, made of the quads 2 and 1 before it and the one after it");

/// Place of a row's quad in shared memory, where a row has kQuads. Neighbouring threads meet
/// different banks: those that take quads of rows of their own, and those that share rows.
template <int kQuads> SIMT_DEVICE int quad_place(int row, int quad)
{
    constexpr int kRowsOfBanks = 8 / kQuads; // eight quads fill all banks
    return row * kQuads + (quad ^ (row / kRowsOfBanks % kQuads));
}

/// Samples of both pictures for a tile, on their way to shared memory: the same quad of some rows
/// for each thread.
template <int kThreads> struct TileAhead {
    static constexpr int kLoaders = kThreads < 256 ? kThreads : 256;
    static constexpr int kApart = kLoaders / kTileQuads; ///< rows from one to the next
    static constexpr int kRows = kBlockLines / kApart;   ///< rows of a picture
    static_assert(kBlockLines % kApart == 0, "rows of a block");
    const Args::Task &task;
    const float *pictures[2]; ///< the thread's first row
    int x, y;                 ///< its quad in a tile, and that row
    FloatQuad quads[2][kRows];

    SIMT_DEVICE TileAhead(const Args &args, const Args::Task &of, int first_row)
        : task(of), x(thread_id() % kTileQuads * 4), y(first_row + thread_id() / kTileQuads)
    {
        SIMT_UNROLL
        for (int p = 0; p < 2; ++p)
            pictures[p] =
                pair_scratch(args) + task.planes[p] + static_cast<int64_t>(y) * task.pitch + x;
    }
    /// Takes the columns from `tile` on; 0 outside.
    SIMT_DEVICE void load(int tile)
    {
        if (thread_id() >= kLoaders)
            return;
        SIMT_UNROLL
        for (int p = 0; p < 2; ++p) {
            SIMT_UNROLL
            for (int k = 0; k < kRows; ++k) {
                FloatQuad &quad = quads[p][k];
                quad = {};
                if (tile + x < task.width && y + k * kApart < task.height)
                    quad = *reinterpret_cast<const FloatQuad *>(
                        pictures[p] + static_cast<int64_t>(k * kApart) * task.pitch + tile);
            }
        }
    }
    /// Here the loads must have ended, so that what is beside the picture becomes 0 here.
    SIMT_DEVICE void store(int tile, FloatQuad *inputs)
    {
        if (thread_id() >= kLoaders)
            return;
        SIMT_UNROLL
        for (int p = 0; p < 2; ++p) {
            SIMT_UNROLL
            for (int k = 0; k < kRows; ++k) {
                FloatQuad &quad = quads[p][k];
                SIMT_UNROLL
                for (int j = 1; j < 4; ++j)
                    quad.v[j] = tile + x + j < task.width ? quad.v[j] : 0.0F;
                const int row = p * kBlockLines + thread_id() / kTileQuads + k * kApart;
                inputs[quad_place<kTileQuads>(row, x / 4)] = quad;
            }
        }
    }
};

/// A row that a thread filters: of a picture, or of the product of two.
struct MomentRow {
    int one, other; ///< rows of the inputs; the same for a square
    bool is_product;
    State state;
    FloatQuad before[3] = {}; ///< the two quads before the output's, and that quad

    SIMT_DEVICE MomentRow(int moment, int line)
        : one(line + (moment == 1 || moment == 3 ? kBlockLines : 0)),
          other(line + (moment == 2 ? 0 : kBlockLines)), is_product(moment >= kMeans)
    {
    }
    SIMT_DEVICE FloatQuad input(const FloatQuad *inputs, int quad) const
    {
        FloatQuad result = inputs[quad_place<kTileQuads>(one, quad)];
        if (is_product) {
            const FloatQuad factor = inputs[quad_place<kTileQuads>(other, quad)];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                result.v[i] = result.v[i] * factor.v[i];
        }
        return result;
    }
    /// The next four outputs, from the quad after theirs.
    SIMT_DEVICE FloatQuad make(const FloatQuad &after, bool is_block)
    {
        const float in[kBlock] = {before[0].v[2] + after.v[0], before[0].v[3] + after.v[1],
                                  before[1].v[0] + after.v[2], before[1].v[1] + after.v[3]};
        FloatQuad out;
        if (is_block) {
            filter_block(state, in, out.v);
        } else {
            SIMT_UNROLL
            for (int i = 0; i < kBlock; ++i)
                out.v[i] = filter_along(state, in[i]);
        }
        before[0] = before[1];
        before[1] = before[2];
        before[2] = after;
        return out;
    }
};

/// Makes outputs from column x on, from the quads of a tile from `first` on. Each thread has a row
/// of the outputs, too.
SIMT_DEVICE void filter_tile(MomentRow &row, int x, int width, const FloatQuad *inputs, int first,
                             FloatQuad *outputs)
{
    if (x >= kHead && x + kOutTile - kBlock < width - kTail) {
        SIMT_UNROLL
        for (int quad = 0; quad < kOutQuads; ++quad)
            outputs[quad_place<kOutQuads>(thread_id(), quad)] =
                row.make(row.input(inputs, first + quad), true);
        return;
    }
    SIMT_NO_UNROLL
    for (int quad = 0; quad < kOutQuads; ++quad) {
        const int at = x + quad * 4;
        outputs[quad_place<kOutQuads>(thread_id(), quad)] =
            row.make(row.input(inputs, first + quad), at >= kHead && at < width - kTail);
    }
}

/// What a thread stores of outputs: the same quad of some rows of its moment.
struct OutputRows {
    static constexpr int kApart = kBlockLines / kOutQuads;
    float *to; ///< the first row
    int64_t pitch;
    int first, count;

    SIMT_DEVICE OutputRows(const Args &args, const Args::Task &task, int first_row)
        : pitch(task.pitch)
    {
        const int line = thread_id() % kBlockLines / kOutQuads;
        const int moment = thread_id() / kBlockLines;
        first = moment * kBlockLines + line;
        count = divide_up(task.height - first_row - line, kApart);
        to = pair_scratch(args) + task.rows + thread_id() % kOutQuads * 4 +
             (static_cast<int64_t>(moment) * task.height + first_row + line) * pitch;
    }
    SIMT_DEVICE void store(const FloatQuad *outputs, int x) const
    {
        SIMT_UNROLL
        for (int k = 0; k < kOutQuads; ++k)
            if (k < count)
                *reinterpret_cast<FloatQuad *>(to + k * kApart * pitch + x) =
                    outputs[quad_place<kOutQuads>(first + k * kApart, thread_id() % kOutQuads)];
    }
};

template <int kMoments> SIMT_DEVICE void filter_rows(const Args &args)
{
    SIMT_SHARED(FloatQuad, inputs, 2 * kBlockLines * kTileQuads);
    SIMT_SHARED(FloatQuad, outputs, kMoments * kBlockLines * kOutQuads);
    const LineBlock block = line_block(args, [](const Args::Task &task) { return task.height; });
    const Args::Task &task = args.tasks[block.task];
    const int first_row = block.block * kBlockLines;
    if (task.needed == 0 || first_row >= task.height)
        return;
    MomentRow row(thread_id() / kBlockLines, thread_id() % kBlockLines);
    TileAhead<kMoments * kBlockLines> ahead(args, task, first_row);
    const OutputRows output_rows(args, task, first_row);
    // The first quad makes outputs before the row's.
    ahead.load(0);
    ahead.store(0, inputs);
    barrier();
    row.make(row.input(inputs, 0), false);
    ahead.load(kAfter);
    barrier();
    ahead.store(kAfter, inputs);
    barrier();
    for (int x = 0; x < task.width; x += kOutTile) {
        const int first = x % kTile;
        if (first == 0)
            ahead.load(x + kTile + kAfter);
        filter_tile(row, x, task.width, inputs, first / 4, outputs);
        barrier();
        output_rows.store(outputs, x);
        if (first + kOutTile == kTile)
            ahead.store(x + kOutTile + kAfter, inputs);
        barrier();
    }
}

/// Rows of a column that a thread loads together. An output is made of the inputs 6 before and 4
/// after it, so the former are those of two groups before.
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
    Column<2> pictures; ///< samples; then halves of the edges
    float *similarity;
    State states[kMoments];
    float *kept; ///< the thread's rows of the last two groups, in shared memory

    static constexpr int kKept = 2 * kGroup * kMoments * kBlockLines;

    SIMT_DEVICE ColumnFilter(const Args &args, const Args::Task &of, int x, float *shared)
        : task(of), similarity(pair_scratch(args) + of.similarity + x), kept(shared + thread_id())
    {
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i)
            pictures.top[i] = pair_scratch(args) + task.planes[i] + x;
        SIMT_UNROLL
        for (int m = 0; m < kMoments; ++m)
            rows.top[m] = pair_scratch(args) + task.rows + x +
                          m * static_cast<int64_t>(task.pitch) * task.height;
        for (int i = 0; i < 2 * kGroup * kMoments; ++i)
            kept[i * kBlockLines] = 0;
    }
    SIMT_DEVICE static bool has_structure(const Args::Task &task)
    {
        return kMoments == kAllMoments && task.similarity >= 0;
    }
    /// Between the rows of a plane: nothing differs.
    SIMT_DEVICE void clear()
    {
        for (int64_t y = 0; y < task.height; ++y) {
            store_halves(0, pictures.top[0] + y * task.pitch, pictures.top[1] + y * task.pitch);
            if (has_structure(task))
                similarity[y * task.pitch] = 1;
        }
    }
    /// Rows `after` become moments. `half` says which group before is the one of two before.
    SIMT_DEVICE void filter(int half, float (&after)[kGroup][kMoments])
    {
        SIMT_UNROLL
        for (int i = 0; i < kGroup; ++i) {
            SIMT_UNROLL
            for (int m = 0; m < kMoments; ++m) {
                float &before = kept[((half * kGroup + i) * kMoments + m) * kBlockLines];
                const float in = before + after[i][m];
                before = after[i][m];
                after[i][m] = filter_down(states[m], in);
            }
        }
    }
    /// Stores what terms are made of, for the rows from y on.
    SIMT_DEVICE void store(int y, const float (&moments)[kGroup][kMoments],
                           const float (&samples)[kGroup][2])
    {
        int64_t at = static_cast<int64_t>(y) * task.pitch;
        SIMT_UNROLL
        for (int i = 0; i < kGroup; ++i, at += task.pitch) {
            if (y + i < 0 || y + i >= task.height)
                continue;
            const float *m = moments[i];
            float distances[2];
            SIMT_UNROLL
            for (int k = 0; k < 2; ++k) {
                const float distance = samples[i][k] - m[k];
                distances[k] = distance < 0 ? -distance : distance;
            }
            store_halves(edges_of(distances[0], distances[1]), pictures.top[0] + at,
                         pictures.top[1] + at);
            if (has_structure(task))
                similarity[at] = similarity_of({m[0], m[1], m[2], m[3], m[4]});
        }
    }
};

template <int kMoments> SIMT_DEVICE void filter_columns(const Args &args)
{
    SIMT_SHARED(float, kept, ColumnFilter<kMoments>::kKept);
    const LineBlock block = line_block(args, [](const Args::Task &task) { return task.width; });
    const Args::Task &task = args.tasks[block.task];
    const int x = block.block * kBlockLines + thread_id();
    if (task.needed == 0 || x >= task.pitch)
        return;
    ColumnFilter<kMoments> filter(args, task, x, kept);
    if (x >= task.width) {
        filter.clear();
        return;
    }
    float after[kGroup][kMoments], next[kGroup][kMoments];
    float samples[kGroup][2];
    filter.rows.load(task, -1, after);
    int half = 0;
    for (int y = -kGroup; y < task.height; y += kGroup) {
        // Samples are on their way while rows are filtered, and what the next round needs.
        filter.pictures.load(task, y, samples);
        filter.rows.load(task, y + kGroup + kAfter, next);
        filter.filter(half, after);
        filter.store(y, after, samples);
        half = 1 - half;
        SIMT_UNROLL
        for (int i = 0; i < kGroup; ++i) {
            SIMT_UNROLL
            for (int m = 0; m < kMoments; ++m)
                after[i][m] = next[i][m];
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

SIMT_KERNEL(ssimulacra2_rows, Args, kAllMoments *kBlockLines, 2)
{
    filter_rows<kAllMoments>(args);
}
SIMT_KERNEL(ssimulacra2_rows_means, Args, kMeans *kBlockLines, 5)
{
    filter_rows<kMeans>(args);
}

SIMT_KERNEL(ssimulacra2_columns, Args, kBlockLines, 8)
{
    filter_columns<kAllMoments>(args);
}
SIMT_KERNEL(ssimulacra2_columns_means, Args, kBlockLines, 16)
{
    filter_columns<kMeans>(args);
}

SIMT_KERNEL(ssimulacra2_add_first, Args, kSumThreads)
{
    add_first(args);
}
SIMT_KERNEL(ssimulacra2_runs, Args, kSumThreads, 3)
{
    make_runs(args);
}
SIMT_KERNEL(ssimulacra2_add_parts, Args, kSumThreads)
{
    add_parts(args);
}

} // namespace vmafgpu::ssimulacra2
