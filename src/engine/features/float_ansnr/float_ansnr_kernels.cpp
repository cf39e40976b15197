// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of float_ansnr. A block filters a tile of its rows; then one thread a row adds the
// squares in the order of columns, and goes on in the next tile. A second kernel adds up the rows.
// float_ansnr_record.cpp launches them.
#include "features/float_ansnr/float_ansnr.h"
#include "features/float_ansnr/float_ansnr_tables.h"
#include "simt/simt.h"

namespace vmafgpu::float_ansnr {
namespace {

constexpr int kLevelRows = kBlockRows + 2 * kHalf;
constexpr int kLevelColumns = kBlockColumns + 2 * kHalf;
/// Rows of squares lie one word apart from a whole number of banks.
constexpr int kSquareRow = kBlockColumns + 1;

using LevelRow = float[kLevelColumns];
using SquareRow = float[kSquareRow];
static_assert(2 * kLevelRows * sizeof(LevelRow) + 2 * kBlockRows * sizeof(SquareRow) <= 32768,
              "two blocks share 64 KiB");

/// Where to read row or column i of n; beyond one reflection no result depends on the place.
SIMT_DEVICE int place_of(int i, int n)
{
    const int at = mirror_high_repeat(i, n);
    return at < 0 ? 0 : (at >= n ? n - 1 : at);
}

/// Levels of the tile at (x0, y0) with kHalf rows and columns around it.
template <typename Sample> SIMT_DEVICE void
load_levels(const Args &args, const void *picture, int64_t pitch, int x0, int y0, LevelRow *levels)
{
    for (int i = thread_id(); i < kLevelRows * kLevelColumns; i += kThreads) {
        const int row = i / kLevelColumns;
        const int column = i % kLevelColumns;
        const int y = place_of(y0 + row - kHalf, args.height);
        const int x = place_of(x0 + column - kHalf, args.width);
        const auto *samples =
            reinterpret_cast<const Sample *>(static_cast<const char *>(picture) + pitch * y);
        levels[row][column] = static_cast<float>(load_readonly(samples + x)) * args.scale - 128.0f;
    }
}

template <int size>
SIMT_DEVICE float filtered(const LevelRow *levels, int x, int y, const float (&taps)[size][size])
{
    constexpr int kInset = kHalf - size / 2;
    float sum = 0;
    SIMT_UNROLL
    for (int v = 0; v < size; ++v) {
        const float *from = &levels[y + v + kInset][x + kInset];
        float of_row = 0;
        SIMT_UNROLL
        for (int u = 0; u < size; ++u)
            of_row += taps[v][u] * from[u];
        sum += of_row;
    }
    return sum;
}

template <typename Sample> SIMT_DEVICE void add_rows(const Args &args)
{
    SIMT_SHARED(LevelRow, reference, kLevelRows);
    SIMT_SHARED(LevelRow, distorted, kLevelRows);
    SIMT_SHARED(SquareRow, squares, 2 * kBlockRows);
    const PairArgs &pair = args.pairs[block_id_z()];
    const int y0 = block_id_y() * kBlockRows;
    float sum = 0; // signal in the first kBlockRows threads, noise in the next kBlockRows
    for (int x0 = 0; x0 < args.width; x0 += kBlockColumns) {
        load_levels<Sample>(args, pair.reference, pair.reference_pitch, x0, y0, reference);
        load_levels<Sample>(args, pair.distorted, pair.distorted_pitch, x0, y0, distorted);
        barrier();
        for (int i = thread_id(); i < kBlockRows * kBlockColumns; i += kThreads) {
            const int row = i / kBlockColumns;
            const int column = i % kBlockColumns;
            const float a = filtered(reference, column, row, kReferenceTaps);
            const float error = a - filtered(distorted, column, row, kDistortedTaps);
            squares[row][column] = a * a;
            squares[kBlockRows + row][column] = error * error;
        }
        barrier();
        const int columns = args.width - x0 < kBlockColumns ? args.width - x0 : kBlockColumns;
        if (thread_id() < 2 * kBlockRows)
            for (int column = 0; column < columns; ++column)
                sum += squares[thread_id()][column];
    }
    const int which = thread_id() / kBlockRows;
    const int y = y0 + thread_id() % kBlockRows;
    if (which < 2 && y < args.height)
        pair.rows[static_cast<int64_t>(which) * args.height + y] = sum;
}

} // namespace

SIMT_KERNEL(float_ansnr_rows_u8, Args, kThreads)
{
    add_rows<uint8_t>(args);
}

SIMT_KERNEL(float_ansnr_rows_u16, Args, kThreads)
{
    add_rows<uint16_t>(args);
}

SIMT_KERNEL(float_ansnr_sum, Args, kThreads)
{
    SIMT_SHARED(float, rows, 2 * kThreads);
    const PairArgs &pair = args.pairs[block_id_z()];
    float sum = 0;
    for (int first = 0; first < args.height; first += kThreads) {
        const int y = first + thread_id();
        barrier(); // the rows before have been added
        if (y < args.height) {
            rows[thread_id()] = pair.rows[y];
            rows[kThreads + thread_id()] = pair.rows[args.height + y];
        }
        barrier();
        const int count = args.height - first < kThreads ? args.height - first : kThreads;
        if (thread_id() < 2)
            for (int i = 0; i < count; ++i)
                sum += rows[thread_id() * kThreads + i];
    }
    if (thread_id() < 2)
        pair.sums[thread_id()] = sum;
}

} // namespace vmafgpu::float_ansnr
