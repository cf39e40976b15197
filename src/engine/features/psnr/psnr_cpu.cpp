// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on the CPU, fast: the same sums as psnr_ref.cpp. Strips of rows run on the thread pool. The
// work on a strip is SIMD code (psnr_simd-inl.h). psnr.cpp calls this.
#include <cstring>

#include "base/numeric.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "features/psnr/psnr.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/psnr/psnr_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::psnr {

namespace {

int strips_of(const Config &config, int plane)
{
    return plane < config.planes ? divide_up(config.height[plane], kStripRows) : 0;
}

int all_strips(const Config &config)
{
    return strips_of(config, 0) + strips_of(config, 1) + strips_of(config, 2);
}

struct Task {
    int plane;
    StripOfRows rows;
};

/// Strip `i` of those of all planes, one plane after the other.
Task task_of(const Config &config, int i)
{
    int plane = 0;
    for (; i >= strips_of(config, plane); ++plane)
        i -= strips_of(config, plane);
    return {plane, strip_of_rows(config.height[plane], kStripRows, i)};
}

struct Scratch {
    uint64_t *parts; ///< one for each task

    Scratch(Arena &arena, const Config &config)
        : parts(arena.take<uint64_t>(static_cast<size_t>(all_strips(config))))
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
    const int strips = all_strips(config);
    pool.parallel_for(strips, [&](int i) {
        const Task task = task_of(config, i);
        Strip strip = {};
        strip.reference = pair.reference[task.plane];
        strip.distorted = pair.distorted[task.plane];
        strip.width = config.width[task.plane];
        strip.depth = config.depth;
        strip.first = task.rows.first;
        strip.last = task.rows.last;
        strip.squares = &memory.parts[i];
        run(strip);
    });
    for (int i = 0; i < strips; ++i)
        sums.squares[task_of(config, i).plane] += memory.parts[i];
}

} // namespace vmafgpu::psnr
