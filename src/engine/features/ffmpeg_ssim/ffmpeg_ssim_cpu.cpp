// SPDX-License-Identifier: BSD-2-Clause-Patent
// ffmpeg_ssim on the CPU, fast: the same bytes as ffmpeg_ssim_ref.cpp. Strips of rows of windows
// run on the thread pool as SIMD code (ffmpeg_ssim_simd-inl.h), above 12 bits as plain code. The
// sums of rows are added in order. ffmpeg_ssim.cpp calls this.
#include <cstring>

#include "features/ffmpeg_ssim/ffmpeg_ssim.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ffmpeg_ssim/ffmpeg_ssim_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::ffmpeg_ssim {

namespace {

/// Arrays of a strip: four sums of two rows of blocks, and values.
constexpr int kArrays = 9;

PlaneStrips strips_of(const Config &config)
{
    const auto rows = [&](int plane) {
        return plane < config.planes ? config.rows(plane) : 0;
    };
    return {{rows(0), rows(1), rows(2)}, kStripRows};
}

struct Scratch {
    size_t stride;    ///< elements from array to array
    double *row_sums; ///< sums of each plane, rows(0) places apart
    int32_t *arrays;  ///< kArrays for each strip

    Scratch(Arena &arena, const Config &config)
        : stride(static_cast<size_t>(config.columns(0)) + 1 + kPad),
          row_sums(arena.take<double>(kPlanes * static_cast<size_t>(config.rows(0)))),
          arrays(arena.take<int32_t>(static_cast<size_t>(strips_of(config).count()) * kArrays *
                                     stride))
    {
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
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Strip &), run_strip);
    const int depth = config.format.depth;
    const bool is_plain = run == nullptr || depth > kMostBits;
    Arena arena(scratch);
    const Scratch memory(arena, config);
    const size_t stride = memory.stride;
    const Constants constants = constants_of(depth);
    const PlaneStrips strips = strips_of(config);
    pool.parallel_for(strips.count(), [&](int i) {
        const auto [plane, rows] = strips.at(i);
        Strip strip = {};
        strip.row_sums = memory.row_sums + static_cast<ptrdiff_t>(plane) * config.rows(0);
        strip.first = rows.first;
        strip.last = rows.last;
        if (is_plain) {
            for (int row = strip.first; row < strip.last; ++row)
                strip.row_sums[row] = sum_of_row(config, pair, plane, row);
            return;
        }
        strip.reference = pair.reference[plane];
        strip.distorted = pair.distorted[plane];
        strip.depth = depth;
        strip.blocks = config.columns(plane) + 1;
        strip.mean = static_cast<int32_t>(constants.mean);
        strip.variance = static_cast<int32_t>(constants.variance);
        strip.stride = static_cast<int>(stride);
        strip.sums = memory.arrays + static_cast<size_t>(i) * kArrays * stride;
        strip.values = reinterpret_cast<float *>(strip.sums + (kArrays - 1) * stride);
        std::memset(strip.sums, 0, (kArrays - 1) * stride * sizeof(int32_t));
        run(strip);
    });
    sums = {};
    for (int plane = 0; plane < config.planes; ++plane)
        for (int row = 0; row < config.rows(plane); ++row)
            sums.windows[plane] +=
                memory.row_sums[static_cast<ptrdiff_t>(plane) * config.rows(0) + row];
}

} // namespace vmafgpu::ffmpeg_ssim
