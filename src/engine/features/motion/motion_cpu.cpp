// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion on the CPU, fast: the same bytes as motion_ref.cpp. Strips of rows run on the thread pool.
// The work on a strip is SIMD code (motion_strip-inl.h). motion.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/motion/motion.h"
#include "features/motion/motion_simd.h"
#include "features/motion/motion_tables.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/motion/motion_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

int strips_of(int height)
{
    return divide_up(height, kMotionStripRows);
}

} // namespace

size_t motion_cpu_scratch(const Format &format)
{
    return strips_of(format.height) * sizeof(uint64_t);
}

void motion_compute(const Format &format, const MotionConfig &config, const PairView &pair,
                    MotionSums &sums, void *scratch, ThreadPool &pool)
{
    std::memset(&sums, 0, sizeof(sums));
    const Plane &earlier = pair.previous[config.distance - 1];
    if (config.skip || !earlier.data)
        return;
    const auto run = VMAFGPU_CHOOSE_FORM(void(const MotionStrip &), motion_run_strip);
    if (run == nullptr)
        return motion_reference(format, config, pair, sums);
    auto *parts = static_cast<uint64_t *>(scratch);
    const int strips = strips_of(format.height);
    pool.parallel_for(strips, [&](int i) {
        MotionStrip strip = {};
        strip.earlier = earlier;
        strip.later = pair.reference[0];
        strip.width = format.width;
        strip.height = format.height;
        strip.depth = format.depth;
        strip.first = i * kMotionStripRows;
        strip.last = std::min(format.height, strip.first + kMotionStripRows);
        strip.blur_first = config.blur_first;
        strip.sad = &parts[i];
        run(strip);
    });
    for (int i = 0; i < strips; ++i)
        sums.sad += parts[i];
}

} // namespace vmafgpu
