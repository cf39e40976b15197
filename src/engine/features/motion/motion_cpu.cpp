// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion on the CPU, fast: the same bytes as motion_ref.cpp. Strips of rows run on the thread pool.
// The work on a strip is SIMD code (motion_simd-inl.h). motion.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "features/motion/motion.h"
#include "features/motion/motion_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/motion/motion_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::motion {

namespace {

struct Scratch {
    int strips;
    uint64_t *parts; ///< one for each strip

    Scratch(Arena &arena, const Config &config)
        : strips(divide_up(config.format.height, kStripRows)),
          parts(arena.take<uint64_t>(static_cast<size_t>(strips)))
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
    std::memset(&sums, 0, sizeof(sums));
    const Plane &earlier = pair.previous[config.distance - 1];
    if (config.skip || !earlier.data)
        return;
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Strip &), run_strip);
    if (run == nullptr)
        return reference(config, pair, sums);
    Arena arena(scratch);
    const Scratch memory(arena, config);
    const Format &format = config.format;
    for_strips(pool, format.height, kStripRows, [&](const StripOfRows &rows) {
        Strip strip = {};
        strip.earlier = earlier;
        strip.later = pair.reference[0];
        strip.width = format.width;
        strip.height = format.height;
        strip.depth = format.depth;
        strip.first = rows.first;
        strip.last = rows.last;
        strip.blur_first = config.blur_first;
        strip.sad = &memory.parts[rows.number];
        run(strip);
    });
    for (int i = 0; i < memory.strips; ++i)
        sums.sad += memory.parts[i];
}

} // namespace vmafgpu::motion
