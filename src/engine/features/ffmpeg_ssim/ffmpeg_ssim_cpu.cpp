// SPDX-License-Identifier: BSD-2-Clause-Patent
// ffmpeg_ssim on the CPU, fast: the same bytes as ffmpeg_ssim_ref.cpp. Strips of rows of windows
// run on the thread pool as SIMD code (ffmpeg_ssim_strip-inl.h), above 12 bits as plain code. The
// sums of rows are added in order. ffmpeg_ssim.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/ffmpeg_ssim/ffmpeg_ssim.h"
#include "features/ffmpeg_ssim/ffmpeg_ssim_simd.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ffmpeg_ssim/ffmpeg_ssim_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

/// Arrays of a strip: four sums of two rows of blocks, and values.
constexpr int kArrays = 9;

int strips_of(const FfmpegSsimConfig &config, int plane)
{
    return plane < config.planes ? divide_up(config.rows(plane), kFfmpegSsimStripRows) : 0;
}

int all_strips(const FfmpegSsimConfig &config)
{
    return strips_of(config, 0) + strips_of(config, 1) + strips_of(config, 2);
}

size_t stride_of(const FfmpegSsimConfig &config)
{
    return static_cast<size_t>(config.columns(0)) + 1 + kFfmpegSsimPad;
}

size_t row_sum_bytes(const FfmpegSsimConfig &config)
{
    return round_up(kFfmpegSsimPlanes * static_cast<size_t>(config.rows(0)) * sizeof(double),
                    size_t{64});
}

} // namespace

size_t ffmpeg_ssim_scratch(const FfmpegSsimConfig &config)
{
    return row_sum_bytes(config) +
           static_cast<size_t>(all_strips(config)) * kArrays * stride_of(config) * sizeof(int32_t);
}

void ffmpeg_ssim_compute(const FfmpegSsimConfig &config, const PairView &pair, FfmpegSsimSums &sums,
                         void *scratch, ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const FfmpegSsimStrip &), ffmpeg_ssim_run_strip);
    const int depth = config.format.depth;
    const bool is_plain = run == nullptr || depth > kFfmpegSsimMostBits;
    auto *row_sums = static_cast<double *>(scratch);
    auto *arrays =
        reinterpret_cast<int32_t *>(static_cast<char *>(scratch) + row_sum_bytes(config));
    const size_t stride = stride_of(config);
    const FfmpegSsimConstants constants = ffmpeg_ssim_constants(depth);
    pool.parallel_for(all_strips(config), [&](int i) {
        int number = i;
        int plane = 0;
        for (; number >= strips_of(config, plane); ++plane)
            number -= strips_of(config, plane);
        FfmpegSsimStrip strip = {};
        strip.row_sums = row_sums + static_cast<ptrdiff_t>(plane) * config.rows(0);
        strip.first = number * kFfmpegSsimStripRows;
        strip.last = std::min(config.rows(plane), strip.first + kFfmpegSsimStripRows);
        if (is_plain) {
            for (int row = strip.first; row < strip.last; ++row)
                strip.row_sums[row] = ffmpeg_ssim_row(config, pair, plane, row);
            return;
        }
        strip.reference = pair.reference[plane];
        strip.distorted = pair.distorted[plane];
        strip.depth = depth;
        strip.blocks = config.columns(plane) + 1;
        strip.mean = static_cast<int32_t>(constants.mean);
        strip.variance = static_cast<int32_t>(constants.variance);
        strip.stride = static_cast<int>(stride);
        strip.sums = arrays + static_cast<size_t>(i) * kArrays * stride;
        strip.values = reinterpret_cast<float *>(strip.sums + (kArrays - 1) * stride);
        std::memset(strip.sums, 0, (kArrays - 1) * stride * sizeof(int32_t));
        run(strip);
    });
    sums = {};
    for (int plane = 0; plane < config.planes; ++plane)
        for (int row = 0; row < config.rows(plane); ++row)
            sums.windows[plane] += row_sums[static_cast<ptrdiff_t>(plane) * config.rows(0) + row];
}

} // namespace vmafgpu
