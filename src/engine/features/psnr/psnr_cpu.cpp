// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on the CPU, fast: the same sums as psnr_ref.cpp. Strips of rows run on the thread pool. The
// work on a strip is SIMD code (psnr_strip-inl.h). psnr.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/psnr/psnr.h"
#include "features/psnr/psnr_simd.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/psnr/psnr_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

int strips_of(const PsnrConfig &config, int plane)
{
    return plane < config.planes ? divide_up(config.height[plane], kPsnrStripRows) : 0;
}

int all_strips(const PsnrConfig &config)
{
    return strips_of(config, 0) + strips_of(config, 1) + strips_of(config, 2);
}

} // namespace

size_t psnr_cpu_scratch(const PsnrConfig &config)
{
    return static_cast<size_t>(all_strips(config)) * sizeof(uint64_t);
}

void psnr_compute(const PsnrConfig &config, const PairView &pair, PsnrSums &sums, void *scratch,
                  ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const PsnrStrip &), psnr_run_strip);
    if (run == nullptr)
        return psnr_reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    auto *parts = static_cast<uint64_t *>(scratch);
    const auto plane_of = [&](int &strip) { // leaves the strip's number within its plane
        int plane = 0;
        for (; strip >= strips_of(config, plane); ++plane)
            strip -= strips_of(config, plane);
        return plane;
    };
    const int strips = all_strips(config);
    pool.parallel_for(strips, [&](int i) {
        int number = i;
        const int plane = plane_of(number);
        PsnrStrip strip = {};
        strip.reference = pair.reference[plane];
        strip.distorted = pair.distorted[plane];
        strip.width = config.width[plane];
        strip.depth = config.depth;
        strip.first = number * kPsnrStripRows;
        strip.last = std::min(config.height[plane], strip.first + kPsnrStripRows);
        strip.squares = &parts[i];
        run(strip);
    });
    for (int i = 0; i < strips; ++i) {
        int number = i;
        const int plane = plane_of(number);
        sums.squares[plane] += parts[i];
    }
}

} // namespace vmafgpu
