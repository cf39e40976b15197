// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif on the CPU, fast: the same bytes as float_vif_ref.cpp. Strips of rows run on the thread
// pool; the planes of the smaller scales, and of a resized picture, lie in the caller's scratch
// memory. The work on a strip is SIMD code (float_vif_simd-inl.h). float_vif.cpp calls this.
#include <cmath>
#include <cstring>

#include "features/float_vif/float_vif.h"
#include "features/float_vif/float_vif_tables.h"
#include "features/kit/scratch_plane.h"
#include "features/kit/strips.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_vif/float_vif_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::float_vif {

namespace {

struct Scratch {
    float *num_rows, *den_rows;
    ScratchPlane planes[kScales][2] =
        {}; ///< reference, distorted; of scale 0 if pictures are resized

    Scratch(Arena &arena, const Config &config)
        : num_rows(arena.take<float>(static_cast<size_t>(config.height))),
          den_rows(arena.take<float>(static_cast<size_t>(config.height)))
    {
        int width = config.width;
        int height = config.height;
        for (int scale = 0; scale < kScales; ++scale) {
            for (ScratchPlane &plane : planes[scale])
                if (scale > 0 || config.resizes())
                    plane = ScratchPlane::take(arena, width, height);
            width /= 2;
            height /= 2;
        }
    }
};

struct Level {
    FloatSource picture[2]; ///< reference, distorted
};

Level resized_level(const Config &config, const PairView &pair, const ScratchPlane *to,
                    ThreadPool &pool)
{
    const Format &format = config.format;
    const ResizeAxis columns = resize_axis(config.method, format.width, config.width);
    const ResizeAxis rows = resize_axis(config.method, format.height, config.height);
    Level level = {};
    for (int p = 0; p < 2; ++p) {
        const FloatPlane plane = to_float(p == 0 ? pair.reference[0] : pair.distorted[0],
                                          format.width, format.height, format.depth);
        pool.parallel_for(config.height, [&](int y) {
            resize_row(plane.view(), config.method, columns, rows, y,
                       to[p].samples + static_cast<size_t>(y) * to[p].pitch());
        });
        level.picture[p] = to[p].source();
    }
    return level;
}

Level halve(const Level &from, const std::vector<float> &taps, const ScratchPlane *to,
            ThreadPool &pool)
{
    Halving all = {};
    Level level = {};
    for (int p = 0; p < 2; ++p) {
        all.from[p] = from.picture[p];
        all.to[p] = to[p].samples;
        level.picture[p] = to[p].source();
    }
    all.pitch = to[0].pitch();
    all.taps = &taps;
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Halving &), halve_strip);
    for_strips(pool, to[0].height, kStripRows, [&](const StripOfRows &rows) {
        Halving task = all;
        task.first = rows.first;
        task.last = rows.last;
        run(task);
    });
    return level;
}

float sum_of(const float *rows, int count)
{
    float sum = 0;
    for (int y = 0; y < count; ++y)
        sum = sum + rows[y];
    return sum;
}

} // namespace

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Scratch>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Strip &), run_strip);
    if (run == nullptr)
        return reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    Arena arena(scratch);
    const Scratch memory(arena, config);
    const Format &format = config.format;
    Level level = {{{pair.reference[0], format.width, format.height, format.depth},
                    {pair.distorted[0], format.width, format.height, format.depth}}};
    if (config.resizes())
        level = resized_level(config, pair, memory.planes[0], pool);
    for (int scale = 0; scale < kScales; ++scale) {
        if (scale > 0)
            level = halve(level, config.taps[scale], memory.planes[scale], pool);
        else if (config.skip_scale0)
            continue;
        const int height = level.picture[0].height;
        for_strips(pool, height, kStripRows, [&](const StripOfRows &rows) {
            Strip strip = {};
            strip.reference = level.picture[0];
            strip.distorted = level.picture[1];
            strip.first = rows.first;
            strip.last = rows.last;
            strip.config = &config;
            strip.taps = &config.taps[scale];
            strip.num_rows = memory.num_rows;
            strip.den_rows = memory.den_rows;
            run(strip);
        });
        sums.num[scale] = sum_of(memory.num_rows, height);
        sums.den[scale] = sum_of(memory.den_rows, height);
    }
}

} // namespace vmafgpu::float_vif
