// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of xpsnr: squared errors and activity of the blocks, then their weights and the weighted
// errors. xpsnr_record.cpp launches them.
#include "features/xpsnr/xpsnr.h"
#include "simt/reduce.h"

namespace vmafgpu::xpsnr {
namespace {

/// Samples of luma have a sign: those of 16 bits wrap around, as in FFmpeg.
template <typename Sample> struct SignedOf;
template <> struct SignedOf<uint8_t> {
    using Type = uint8_t;
};
template <> struct SignedOf<uint16_t> {
    using Type = int16_t;
};

SIMT_DEVICE Block *blocks_of(const Args &args)
{
    return reinterpret_cast<Block *>(args.scratch + args.scratch_stride * block_id_z());
}

/// A plane of samples of type T. Without data it is black.
template <typename T> struct Samples {
    const void *data;
    int64_t pitch;

    SIMT_DEVICE const T *row(int y) const
    {
        return reinterpret_cast<const T *>(static_cast<const char *>(data) + pitch * y);
    }
    /// Sum of the samples of a cell: of one, or of 2x2.
    template <int cell> SIMT_DEVICE int32_t of_cell(int x, int y) const
    {
        if (data == nullptr)
            return 0;
        int32_t sum = 0;
        SIMT_UNROLL
        for (int i = 0; i < cell * cell; ++i)
            sum += load_readonly(row(y + i / cell) + x + i % cell);
        return sum;
    }
};

SIMT_DEVICE uint32_t magnitude_of(int32_t v)
{
    return static_cast<uint32_t>(v < 0 ? -v : v);
}

constexpr int kThreadBits = 7;
static_assert(kBlockThreads == 1 << kThreadBits, "a power of 2");

/// visit(x, first, last): rows first .. last - 1 of column x of an area of this size. Threads that
/// follow each other take columns that do.
template <typename Visit> SIMT_DEVICE void for_columns(int width, int height, const Visit &visit)
{
    if (width <= 0 || height <= 0)
        return;
    int bits = ceil_log2(static_cast<uint32_t>(width)); // a power of 2 of threads to a row
    bits = bits < kThreadBits ? bits : kThreadBits;
    const int rows = ((height - 1) >> (kThreadBits - bits)) + 1;
    const int first = (thread_id() >> bits) * rows;
    const int last = first + rows < height ? first + rows : height;
    for (int x = thread_id() & ((1 << bits) - 1); x < width; x += kBlockThreads)
        visit(x, first, last);
}

template <typename Sample>
SIMT_DEVICE uint64_t squares_of(const Args::Pair &pair, int plane, const Area &area)
{
    const Samples<Sample> reference = {pair.planes[0][plane], pair.pitches[0][plane]};
    const Samples<Sample> distorted = {pair.planes[1][plane], pair.pitches[1][plane]};
    uint64_t sum = 0;
    for_columns(area.width(), area.height(), [&](int x, int first, int last) {
        for (int y = area.first_y + first; y < area.first_y + last; ++y) {
            const int32_t a = load_readonly(reference.row(y) + area.first_x + x);
            const int32_t b = load_readonly(distorted.row(y) + area.first_x + x);
            const uint32_t error = magnitude_of(a - b);
            sum += error * error; // at most 65535 squared: fits 32 bits
        }
    });
    return sum;
}

/// What a high-pass filter around a cell needs of a row: sums of the samples of the cell, of those
/// beside it, and of those beside these.
template <int cell> struct RowPart {
    int32_t middle = 0, beside = 0, ends = 0;

    RowPart() = default;
    template <typename T> SIMT_DEVICE RowPart(const T *row, int x)
    {
        middle = load_readonly(row + x);
        beside = load_readonly(row + x - 1) + load_readonly(row + x + cell);
        if (cell == 1)
            return;
        middle += load_readonly(row + x + 1);
        ends = load_readonly(row + x - 2) + load_readonly(row + x + cell + 1);
    }
};

/// Filters of 3x3 samples, and of 6x6 without corners.
SIMT_DEVICE int32_t high_pass(const RowPart<1> (&rows)[3])
{
    return 12 * rows[1].middle - 2 * (rows[1].beside + rows[0].middle + rows[2].middle) -
           (rows[0].beside + rows[2].beside);
}
SIMT_DEVICE int32_t high_pass(const RowPart<2> (&rows)[6])
{
    return 12 * (rows[2].middle + rows[3].middle) -
           3 * (rows[1].middle + rows[4].middle + rows[2].beside + rows[3].beside) -
           2 * (rows[1].beside + rows[4].beside) -
           (rows[0].middle + rows[0].beside + rows[5].middle + rows[5].beside + rows[1].ends +
            rows[2].ends + rows[3].ends + rows[4].ends);
}

template <int cell, typename T>
SIMT_DEVICE uint64_t activity_in_space(const Samples<T> &luma, const Area &area)
{
    constexpr int kRows = 3 * cell; // a cell's own ones are the middle third
    uint64_t sum = 0;
    for_columns(area.width() / cell, area.height() / cell, [&](int column, int first, int last) {
        const int x = area.first_x + column * cell;
        RowPart<cell> rows[kRows];
        for (int at = first; at < last; ++at) {
            const int y = area.first_y + at * cell;
            SIMT_UNROLL
            for (int i = 0; i < kRows; ++i) {
                const bool is_new = i >= 2 * cell || at == first;
                rows[i] =
                    is_new ? RowPart<cell>(luma.row(y + i - cell), x) : rows[(i + cell) % kRows];
            }
            sum += magnitude_of(high_pass(rows));
        }
    });
    return sum;
}

template <int cell, typename T>
SIMT_DEVICE uint64_t activity_in_time(const Samples<T> (&luma)[3], bool is_fast, const Area &area)
{
    uint64_t sum = 0;
    for_columns(area.width() / cell, area.height() / cell, [&](int column, int first, int last) {
        const int x = area.first_x + column * cell;
        for (int y = area.first_y + first * cell; y < area.first_y + last * cell; y += cell) {
            const int32_t now = luma[0].template of_cell<cell>(x, y);
            const int32_t before = luma[1].template of_cell<cell>(x, y);
            sum += magnitude_of(is_fast ? now - 2 * before + luma[2].template of_cell<cell>(x, y)
                                        : now - before);
        }
    });
    return 2 * sum;
}

/// The thread's part of a block's activity.
template <int cell, typename T>
SIMT_DEVICE void add_activity(const Args &args, int column, int row, Block &block)
{
    const Args::Pair &pair = args.pairs[block_id_z()];
    const Samples<T> luma[3] = {{pair.planes[0][0], pair.pitches[0][0]},
                                {pair.previous[0], pair.previous_pitches[0]},
                                {pair.previous[1], pair.previous_pitches[1]}};
    const Area inner = inner_area(args.config, column, row);
    if (cell == 1 || inner.width() > kNarrow)
        block.in_space = activity_in_space<cell>(luma[0], inner);
    block.in_time =
        activity_in_time<cell>(luma, args.config.is_fast, block_area(args.config, 0, column, row));
}

template <typename Sample> SIMT_DEVICE void measure_block(const Args &args)
{
    using T = typename SignedOf<Sample>::Type;
    const Config &config = args.config;
    const int column = block_id_x();
    const int row = block_id_y();
    Block block = {};
    SIMT_UNROLL
    for (int p = 0; p < kPlanes; ++p)
        if (p < config.planes)
            block.squares[p] =
                squares_of<Sample>(args.pairs[block_id_z()], p, block_area(config, p, column, row));
    if (config.is_large)
        add_activity<2, T>(args, column, row, block);
    else
        add_activity<1, T>(args, column, row, block);
    SIMT_UNROLL
    for (int p = 0; p < kPlanes; ++p)
        block.squares[p] = block_sum(block.squares[p]);
    block.in_space = block_sum(block.in_space);
    block.in_time = block_sum(block.in_time);
    if (thread_id() == 0)
        blocks_of(args)[row * config.columns + column] = block;
}

} // namespace

SIMT_KERNEL(xpsnr_blocks_u8, Args, kBlockThreads)
{
    measure_block<uint8_t>(args);
}

SIMT_KERNEL(xpsnr_blocks_u16, Args, kBlockThreads)
{
    measure_block<uint16_t>(args);
}

SIMT_KERNEL(xpsnr_sum, Args, kSumThreads)
{
    const Config &config = args.config;
    const int columns = config.columns;
    const int count = columns * config.rows;
    const Block *blocks = blocks_of(args);
    auto *weights = reinterpret_cast<double *>(blocks_of(args) + count);
    for (int i = thread_id(); i < count; i += kSumThreads)
        weights[i] = weight_of(config, blocks[i], i % columns, i / columns);
    barrier();
    if (config.smooths && thread_id() == 0)
        for (int i = 0; i < count; ++i)
            smooth(config, weights, i);
    barrier();
    auto *sums = reinterpret_cast<Sums *>(args.sums + args.sums_stride * block_id_z());
    if (thread_id() < config.planes)
        sums->errors[thread_id()] = weighted_error(config, blocks, weights, count, thread_id());
}

} // namespace vmafgpu::xpsnr
