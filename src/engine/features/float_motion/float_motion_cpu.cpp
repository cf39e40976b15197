// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on the CPU, fast: the same bytes as float_motion_ref.cpp. Strips of rows run on the
// thread pool; their work is SIMD code (float_motion_strip-inl.h). float_motion.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/float_motion/float_motion.h"
#include "features/float_motion/float_motion_simd.h"
#include "picture/float_plane.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_motion/float_motion_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

size_t float_motion_scratch(const FloatMotionConfig &config)
{
    return static_cast<size_t>(config.format.height) * sizeof(float);
}

void float_motion_compute(const FloatMotionConfig &config, const PairView &pair,
                          FloatMotionSums &sums, void *scratch, ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const FloatMotionStrip &), float_motion_run_strip);
    if (run == nullptr || config.adds_half_size)
        return float_motion_reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    if (config.skip || pair.previous[0].data == nullptr)
        return;
    auto *row_sums = static_cast<float *>(scratch);
    for (int p = 0; p < (config.adds_chroma ? 3 : 1); ++p) {
        const FloatMotionPlanes planes = float_motion_planes(config.format, pair, p);
        const int depth = config.format.depth;
        pool.parallel_for(divide_up(planes.height, kFloatMotionStripRows), [&](int i) {
            FloatMotionStrip strip = {};
            strip.earlier = {planes.earlier, planes.width, planes.height, depth};
            strip.later = {planes.later, planes.width, planes.height, depth};
            strip.first = i * kFloatMotionStripRows;
            strip.last = std::min(planes.height, strip.first + kFloatMotionStripRows);
            strip.taps = config.taps.data();
            strip.length = static_cast<int>(config.taps.size());
            strip.row_sums = row_sums;
            run(strip);
        });
        float sum = 0;
        for (int y = 0; y < planes.height; ++y)
            sum = sum + row_sums[y];
        sums.difference[p] = sum / static_cast<float>(planes.width * planes.height);
    }
}

} // namespace vmafgpu
