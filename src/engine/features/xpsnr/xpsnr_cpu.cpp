// SPDX-License-Identifier: BSD-2-Clause-Patent
// xpsnr on the CPU, fast: the same bytes as xpsnr_ref.cpp. A task per row of blocks; loops over a
// row of samples that the compiler vectorises. All of it are integers; the weights are
// xpsnr_weights.cpp's.
#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "features/kit/arena.h"
#include "features/xpsnr/xpsnr.h"
#include "simd/cpu_recompile.h"
#include "system/thread_pool.h"

namespace vmafgpu::xpsnr {

namespace {

/// A task computes a row of blocks. The fields of `blocks` are overwritten.
struct BlockRow {
    const Config &config;
    const PairView &pair;
    Plane luma[3]; ///< the reference's luma: this picture, and the ones 1 and 2 before
    int row;
    Block *blocks;
};

/// Samples of luma have a sign: those of 16 bits wrap around, as in FFmpeg.
template <typename Sample> using Signed = std::conditional_t<sizeof(Sample) == 1, Sample, int16_t>;

/// Up to 12 bits, 64 squares fit 32 bits.
constexpr int kChunk = 64;

template <typename Sample, bool is_deep>
VMAFGPU_ALWAYS_INLINE uint64_t squares_of(const Sample *a, const Sample *b, int count)
{
    uint64_t sum = 0;
    for (int begin = 0; begin < count; begin += kChunk) {
        const int end = std::min(count, begin + kChunk);
        std::conditional_t<is_deep, uint64_t, uint32_t> part = 0;
        for (int x = begin; x < end; ++x) {
            const int32_t error = static_cast<int32_t>(a[x]) - b[x];
            part += static_cast<uint32_t>(error) * static_cast<uint32_t>(error);
        }
        sum += part;
    }
    return sum;
}

template <typename Sample, bool is_deep>
VMAFGPU_ALWAYS_INLINE uint64_t squares_of_area(const PairView &pair, int plane, const Area &area)
{
    uint64_t sum = 0;
    for (int y = area.first_y; y < area.last_y; ++y)
        sum += squares_of<Sample, is_deep>(
            plane_row<Sample>(pair.reference[plane], y) + area.first_x,
            plane_row<Sample>(pair.distorted[plane], y) + area.first_x, area.width());
    return sum;
}

/// A row of a block has at most 2912 samples, and a value at most 24 * 2^15: sums fit 32 bits.
template <typename T>
VMAFGPU_ALWAYS_INLINE uint64_t space_of_samples(const Plane &luma, const Area &area)
{
    uint64_t sum = 0;
    for (int y = area.first_y; y < area.last_y; ++y) {
        const T *up = plane_row<T>(luma, y - 1);
        const T *at = plane_row<T>(luma, y);
        const T *down = plane_row<T>(luma, y + 1);
        uint32_t part = 0;
        for (int x = area.first_x; x < area.last_x; ++x) {
            const int32_t middle = at[x - 1] + at[x + 1] + up[x] + down[x];
            const int32_t corners = up[x - 1] + up[x + 1] + down[x - 1] + down[x + 1];
            part += static_cast<uint32_t>(std::abs(12 * at[x] - 2 * middle - corners));
        }
        sum += part;
    }
    return sum;
}

template <typename T>
VMAFGPU_ALWAYS_INLINE uint64_t space_of_cells(const Plane &luma, const Area &area)
{
    uint64_t sum = 0;
    for (int y = area.first_y; y < area.last_y; y += 2) {
        const T *rows[6];
        for (int v = 0; v < 6; ++v)
            rows[v] = plane_row<T>(luma, y + v - 2);
        uint32_t part = 0;
        for (int x = area.first_x; x < area.last_x; x += 2) {
            const auto far = [x](const T *row) {
                return row[x - 1] + row[x] + row[x + 1] + row[x + 2];
            };
            const auto middle = [x](const T *row) {
                return row[x] + row[x + 1];
            };
            const auto beside = [x](const T *row) {
                return row[x - 1] + row[x + 2];
            };
            const auto ends = [x](const T *row) {
                return row[x - 2] + row[x + 3];
            };
            const int32_t value =
                12 * (middle(rows[2]) + middle(rows[3])) -
                3 * (middle(rows[1]) + middle(rows[4]) + beside(rows[2]) + beside(rows[3])) -
                2 * (beside(rows[1]) + beside(rows[4])) -
                (far(rows[0]) + far(rows[5]) + ends(rows[1]) + ends(rows[2]) + ends(rows[3]) +
                 ends(rows[4]));
            part += static_cast<uint32_t>(std::abs(value));
        }
        sum += part;
    }
    return sum;
}

/// `cell`: 1, or 2 for cells of 2x2 samples.
template <typename T, int cell, bool is_fast>
VMAFGPU_ALWAYS_INLINE uint64_t activity_in_time(const Plane *luma, const Area &area)
{
    uint64_t sum = 0;
    for (int y = area.first_y; y < area.last_y; y += cell) {
        const T *rows[3][cell];
        for (int t = 0; t < 3; ++t)
            for (int v = 0; v < cell; ++v)
                rows[t][v] = plane_row<T>(luma[t], y + v);
        uint32_t part = 0;
        for (int x = area.first_x; x < area.last_x; x += cell) {
            const auto value = [&](int t) {
                int32_t samples = 0;
                for (int v = 0; v < cell; ++v)
                    for (int u = 0; u < cell; ++u)
                        samples += rows[t][v][x + u];
                return samples;
            };
            part += static_cast<uint32_t>(
                std::abs(is_fast ? value(0) - 2 * value(1) + value(2) : value(0) - value(1)));
        }
        sum += part;
    }
    return 2 * sum;
}

template <typename T, bool is_fast>
VMAFGPU_ALWAYS_INLINE void add_activity(const BlockRow &task, int column, Block &block)
{
    const Config &config = task.config;
    const Area area = block_area(config, 0, column, task.row);
    const Area inner = inner_area(config, column, task.row);
    if (!config.is_large) {
        block.in_space = space_of_samples<T>(task.luma[0], inner);
        block.in_time = activity_in_time<T, 1, is_fast>(task.luma, area);
        return;
    }
    block.in_space = inner.width() > kNarrow ? space_of_cells<T>(task.luma[0], inner) : 0;
    block.in_time = activity_in_time<T, 2, is_fast>(task.luma, area);
}

template <typename Sample, bool is_deep> VMAFGPU_ALWAYS_INLINE void run_typed(const BlockRow &task)
{
    const Config &config = task.config;
    for (int column = 0; column < config.columns; ++column) {
        Block &block = task.blocks[column];
        block = {};
        for (int p = 0; p < config.planes; ++p)
            block.squares[p] = squares_of_area<Sample, is_deep>(
                task.pair, p, block_area(config, p, column, task.row));
        if (config.is_fast)
            add_activity<Signed<Sample>, true>(task, column, block);
        else
            add_activity<Signed<Sample>, false>(task, column, block);
    }
}

VMAFGPU_ALWAYS_INLINE void run_any(const BlockRow &task)
{
    if (task.config.format.depth == 8)
        run_typed<uint8_t, false>(task);
    else if (task.config.format.depth <= 12)
        run_typed<uint16_t, false>(task);
    else
        run_typed<uint16_t, true>(task);
}

void run_plain(const BlockRow &task)
{
    run_any(task);
}
VMAFGPU_TARGET_AVX2 void run_avx2(const BlockRow &task)
{
    run_any(task);
}
VMAFGPU_TARGET_AVX512 void run_avx512(const BlockRow &task)
{
    run_any(task);
}

struct Scratch {
    Block *blocks;
    double *weights;
    uint16_t *black; ///< a row

    Scratch(Arena &arena, const Config &config)
    {
        const auto count = static_cast<size_t>(config.columns) * static_cast<size_t>(config.rows);
        blocks = arena.take<Block>(count);
        weights = arena.take<double>(count);
        black = arena.take<uint16_t>(static_cast<size_t>(config.format.width));
    }
};

} // namespace

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Scratch>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    Arena arena(scratch);
    const Scratch memory(arena, config);
    std::fill_n(memory.black, config.format.width, uint16_t{0});
    Plane luma[3] = {pair.reference[0], pair.previous[0], pair.previous[1]};
    for (Plane &plane : luma)
        if (plane.data == nullptr)
            plane = {memory.black, 0}; // one row of zeros serves as every row
    const auto run = choose_level(run_plain, run_avx2, run_avx512);
    pool.parallel_for(config.rows, [&](int row) {
        run({config,
             pair,
             {luma[0], luma[1], luma[2]},
             row,
             memory.blocks + static_cast<ptrdiff_t>(row) * config.columns});
    });
    sums = weighted_sums(config, memory.blocks, memory.weights);
}

} // namespace vmafgpu::xpsnr
