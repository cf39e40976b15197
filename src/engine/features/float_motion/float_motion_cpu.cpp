// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on the CPU, fast: the same bytes as float_motion_ref.cpp. Strips of rows run on the
// thread pool; their work is SIMD code (float_motion_strip-inl.h). float_motion.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/float_plane.h"
#include "base/numeric.h"
#include "base/thread_pool.h"
#include "features/float_motion/float_motion.h"
#include "features/float_motion/float_motion_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_motion/float_motion_strip-inl.h"
#include "cpu/simd_targets.h"

namespace vmafgpu {

size_t float_motion_scratch(const FloatMotionConfig &config)
{
    return static_cast<size_t>(config.format.height) * sizeof(float);
}

void float_motion_compute(const FloatMotionConfig &config, const PairView &pair,
                          FloatMotionSums &sums, void *scratch, ThreadPool &pool)
{
    const Format &format = config.format;
    const auto run = VMAFGPU_CHOOSE_FORM(void(const FloatMotionStrip &), float_motion_run_strip);
    if (run == nullptr || config.adds_half_size)
        return float_motion_reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    if (config.skip || pair.previous[0].data == nullptr)
        return;
    auto *row_sums = static_cast<float *>(scratch);
    pool.parallel_for(divide_up(format.height, kFloatMotionStripRows), [&](int i) {
        FloatMotionStrip strip = {};
        strip.earlier = {pair.previous[0], format.width, format.height, format.depth};
        strip.later = {pair.reference[0], format.width, format.height, format.depth};
        strip.first = i * kFloatMotionStripRows;
        strip.last = std::min(format.height, strip.first + kFloatMotionStripRows);
        strip.taps = config.taps.data();
        strip.length = static_cast<int>(config.taps.size());
        strip.row_sums = row_sums;
        run(strip);
    });
    float sum = 0;
    for (int y = 0; y < format.height; ++y)
        sum = sum + row_sums[y];
    sums.difference[0] = sum / static_cast<float>(format.width * format.height);
}

} // namespace vmafgpu
