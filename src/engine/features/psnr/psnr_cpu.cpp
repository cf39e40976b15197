// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on the CPU, fast: the same sums as psnr_ref.cpp. Strips of rows run on the thread pool. The
// work on a strip is SIMD code (psnr_simd-inl.h). psnr.cpp calls this.
#include <cstring>

#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "features/psnr/psnr.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/psnr/psnr_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::psnr {

namespace {

PlaneStrips strips_of(const Config &config)
{
    return {{config.height[0], config.height[1], config.height[2]}, kStripRows};
}

struct Scratch {
    uint64_t *parts; ///< one for each strip

    Scratch(Arena &arena, const Config &config)
        : parts(arena.take<uint64_t>(static_cast<size_t>(strips_of(config).count())))
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
    if (run == nullptr)
        return reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    Arena arena(scratch);
    const Scratch memory(arena, config);
    const PlaneStrips strips = strips_of(config);
    pool.parallel_for(strips.count(), [&](int i) {
        const auto [plane, rows] = strips.at(i);
        Strip strip = {};
        strip.reference = pair.reference[plane];
        strip.distorted = pair.distorted[plane];
        strip.width = config.width[plane];
        strip.depth = config.depth;
        strip.first = rows.first;
        strip.last = rows.last;
        strip.squares = &memory.parts[i];
        run(strip);
    });
    for (int i = 0; i < strips.count(); ++i)
        sums.squares[strips.at(i).plane] += memory.parts[i];
}

} // namespace vmafgpu::psnr
