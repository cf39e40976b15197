// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on the CPU, fast: the same bytes as float_motion_ref.cpp. Strips of rows run on the
// thread pool; their work is SIMD code (float_motion_simd-inl.h). float_motion.cpp calls this.
#include <cstring>

#include "features/float_motion/float_motion.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_motion/float_motion_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::float_motion {

namespace {

struct Scratch {
    float *row_sums;

    Scratch(Arena &arena, const Config &config)
        : row_sums(arena.take<float>(static_cast<size_t>(config.format.height)))
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
    if (run == nullptr || config.adds_half_size)
        return reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    if (config.skip || pair.previous[0].data == nullptr)
        return;
    Arena arena(scratch);
    const Scratch memory(arena, config);
    for (int p = 0; p < (config.adds_chroma ? 3 : 1); ++p) {
        const Planes planes = planes_of(config.format, pair, p);
        const int depth = config.format.depth;
        for_strips(pool, planes.height, kStripRows, [&](const StripOfRows &rows) {
            Strip strip = {};
            strip.earlier = {planes.earlier, planes.width, planes.height, depth};
            strip.later = {planes.later, planes.width, planes.height, depth};
            strip.first = rows.first;
            strip.last = rows.last;
            strip.taps = config.taps.data();
            strip.length = static_cast<int>(config.taps.size());
            strip.row_sums = memory.row_sums;
            run(strip);
        });
        float sum = 0;
        for (int y = 0; y < planes.height; ++y)
            sum = sum + memory.row_sums[y];
        sums.difference[p] = sum / static_cast<float>(planes.width * planes.height);
    }
}

} // namespace vmafgpu::float_motion
