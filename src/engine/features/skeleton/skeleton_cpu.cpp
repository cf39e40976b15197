// SPDX-License-Identifier: BSD-2-Clause-Patent
// skeleton on the CPU: strips of rows on the thread pool. The work on a strip is SIMD code
// (skeleton_simd-inl.h), which is compiled once for each level of processors.
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "features/skeleton/skeleton.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/skeleton/skeleton_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::skeleton {

namespace {

/// The scratch memory of a pair.
struct Scratch {
    Scratch(Arena &arena, const Config &config)
        : strips(divide_up(config.height, kStripRows)),
          differences(arena.take<uint64_t>(static_cast<size_t>(strips)))
    {
    }

    int strips;
    uint64_t *differences; ///< one a strip
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
    if (run == nullptr) // a processor without any of the levels
        return reference(config, pair, sums);
    Arena arena(scratch);
    const Scratch memory(arena, config);
    for_strips(pool, config.height, kStripRows, [&](const StripOfRows &rows) {
        run({pair.reference[0], pair.distorted[0], config.width, config.depth, rows.first,
             rows.last, &memory.differences[rows.number]});
    });
    sums.difference = 0;
    for (int i = 0; i < memory.strips; ++i)
        sums.difference += memory.differences[i];
}

} // namespace vmafgpu::skeleton
