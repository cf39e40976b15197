// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr on the CPU, fast: the same bytes as float_ansnr_ref.cpp. Strips of rows run on the
// thread pool, tile by tile. The compiler vectorises the filters along the rows; the sums of the
// rows of a strip are separate chains of additions, which the processor overlaps. float_ansnr.cpp
// calls this.
#include <algorithm>

#include "base/numeric.h"
#include "features/float_ansnr/float_ansnr.h"
#include "features/float_ansnr/float_ansnr_tables.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "simd/cpu_recompile.h"

namespace vmafgpu::float_ansnr {

namespace {

constexpr int kRows = 8;   ///< rows of a strip
constexpr int kTile = 256; ///< columns done at once

/// Levels of a tile and what surrounds it; column 0 is kHalf columns left of the tile.
struct Levels {
    alignas(64) float row[kRows + 2 * kHalf][kTile + 2 * kHalf + 12];
};

/// Squares of a tile, which are added up along the rows.
struct Squares {
    alignas(64) float signal[kRows][kTile], noise[kRows][kTile];
};

struct Strip {
    Plane reference, distorted;
    int width, height, depth;
    int first, last;       ///< rows
    float *signal, *noise; ///< sums of each row of the picture
};

template <typename Sample> VMAFGPU_ALWAYS_INLINE void load(const Plane &plane, const Strip &strip,
                                                           int x0, int x1, Levels &levels)
{
    const int left = std::max(0, x0 - kHalf);
    const int right = std::min(strip.width, x1 + kHalf);
    const float scale = 1.0F / static_cast<float>(1 << (strip.depth - 8)); // a power of two
    for (int i = 0; i < strip.last - strip.first + 2 * kHalf; ++i) {
        const int y = mirror_high_repeat(strip.first - kHalf + i, strip.height);
        const Sample *samples = plane_row<Sample>(plane, y);
        float *column0 = levels.row[i] + kHalf - x0;
        for (int x = left; x < right; ++x)
            column0[x] = static_cast<float>(samples[x]) * scale - 128;
        for (int x = x0 - kHalf; x < 0; ++x)
            column0[x] = column0[-x];
        for (int x = strip.width; x < x1 + kHalf; ++x)
            column0[x] = column0[mirror_high_repeat(x, strip.width)];
    }
}

/// All levels are +0 or not 0, so a sum may begin with its first product.
template <int size> VMAFGPU_ALWAYS_INLINE float filtered(const Levels &levels, int row, int x,
                                                         const float (&taps)[size][size])
{
    constexpr int kReach = size / 2;
    float sum = 0;
    for (int v = 0; v < size; ++v) {
        const float *from = levels.row[row + v + kHalf - kReach] + x + kHalf - kReach;
        float of_row = taps[v][0] * from[0];
        for (int u = 1; u < size; ++u)
            of_row += taps[v][u] * from[u];
        sum = v == 0 ? of_row : sum + of_row;
    }
    return sum;
}

VMAFGPU_ALWAYS_INLINE void square_row(const Levels &reference, const Levels &distorted, int row,
                                      int columns, float *__restrict signal,
                                      float *__restrict noise)
{
    for (int x = 0; x < columns; ++x) {
        const float a = filtered(reference, row, x, kReferenceTaps);
        const float b = filtered(distorted, row, x, kDistortedTaps);
        const float error = a - b;
        signal[x] = a * a;
        noise[x] = error * error;
    }
}

template <typename Sample> VMAFGPU_ALWAYS_INLINE void run_strip(const Strip &strip)
{
    Levels reference;
    Levels distorted;
    Squares squares = {};
    float signal[kRows] = {};
    float noise[kRows] = {};
    const int rows = strip.last - strip.first;
    for (int x0 = 0; x0 < strip.width; x0 += kTile) {
        const int x1 = std::min(strip.width, x0 + kTile);
        load<Sample>(strip.reference, strip, x0, x1, reference);
        load<Sample>(strip.distorted, strip, x0, x1, distorted);
        for (int row = 0; row < rows; ++row)
            square_row(reference, distorted, row, x1 - x0, squares.signal[row], squares.noise[row]);
        for (int x = 0; x < x1 - x0; ++x) {
            for (int row = 0; row < kRows; ++row) { // rows that are not there add 0
                signal[row] += squares.signal[row][x];
                noise[row] += squares.noise[row][x];
            }
        }
    }
    for (int row = 0; row < rows; ++row) {
        strip.signal[strip.first + row] = signal[row];
        strip.noise[strip.first + row] = noise[row];
    }
}

VMAFGPU_ALWAYS_INLINE void any_strip(const Strip &strip)
{
    strip.depth > 8 ? run_strip<uint16_t>(strip) : run_strip<uint8_t>(strip);
}

void plain_strip(const Strip &strip)
{
    any_strip(strip);
}
VMAFGPU_TARGET_AVX2 void avx2_strip(const Strip &strip)
{
    any_strip(strip);
}
VMAFGPU_TARGET_AVX512 void avx512_strip(const Strip &strip)
{
    any_strip(strip);
}

/// Sums of each row of the picture.
struct Scratch {
    float *signal, *noise;

    Scratch(Arena &arena, const Format &format)
        : signal(arena.take<float>(static_cast<size_t>(format.height))),
          noise(arena.take<float>(static_cast<size_t>(format.height)))
    {
    }
};

} // namespace

size_t Forms::cpu_scratch(const Format &format)
{
    return arena_size<Scratch>(format);
}

void Forms::compute(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    Arena arena(scratch);
    const Scratch memory(arena, format);
    const auto run = choose_level(plain_strip, avx2_strip, avx512_strip);
    for_strips(pool, format.height, kRows, [&](const StripOfRows &rows) {
        Strip strip = {};
        strip.reference = pair.reference[0];
        strip.distorted = pair.distorted[0];
        strip.width = format.width;
        strip.height = format.height;
        strip.depth = format.depth;
        strip.first = rows.first;
        strip.last = rows.last;
        strip.signal = memory.signal;
        strip.noise = memory.noise;
        run(strip);
    });
    sums = {};
    for (int y = 0; y < format.height; ++y) {
        sums.signal += memory.signal[y];
        sums.noise += memory.noise[y];
    }
}

} // namespace vmafgpu::float_ansnr
