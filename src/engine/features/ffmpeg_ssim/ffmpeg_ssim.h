// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ffmpeg_ssim": the numbers of FFmpeg's filter ssim, as its C code computes them on
// one thread. registry.cpp lists kFfmpegSsimFeature; the rest is for the files of this folder and
// for tests. No device code: it runs on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kFfmpegSsimFeature;

constexpr int kFfmpegSsimPlanes = 3;
/// Windows of 8x8 samples begin every 4 samples. Sums of blocks of 4x4 make them.
constexpr int kFfmpegSsimBlock = 4;

/// The Sums of a pair: the windows' values of each plane. A plane that is not asked for has 0.
struct FfmpegSsimSums {
    double windows[kFfmpegSsimPlanes];
    double unused;
};

/// What one Feature object computes.
struct FfmpegSsimConfig {
    Format format;
    int planes = 1; ///< 1: luma only; 3: chroma too

    /// Windows along a plane's side. Never negative: no plane has less than 8 samples.
    int columns(int plane) const { return format.plane_width(plane) / kFfmpegSsimBlock - 1; }
    int rows(int plane) const { return format.plane_height(plane) / kFfmpegSsimBlock - 1; }
};

/// What keeps the quotients of flat windows finite.
struct FfmpegSsimConstants {
    int64_t mean, variance;
};
FfmpegSsimConstants ffmpeg_ssim_constants(int depth);

/// ffmpeg_ssim_ref.cpp: the plain oracle, and its sum of one row of windows.
void ffmpeg_ssim_reference(const FfmpegSsimConfig &config, const PairView &pair,
                           FfmpegSsimSums &sums);
double ffmpeg_ssim_row(const FfmpegSsimConfig &config, const PairView &pair, int plane, int row);

/// ffmpeg_ssim_cpu.cpp: the same sums, fast. `scratch` has ffmpeg_ssim_scratch() bytes.
size_t ffmpeg_ssim_scratch(const FfmpegSsimConfig &config);
void ffmpeg_ssim_compute(const FfmpegSsimConfig &config, const PairView &pair, FfmpegSsimSums &sums,
                         void *scratch, ThreadPool &pool);

} // namespace vmafgpu
