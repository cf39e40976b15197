// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between ffmpeg_ssim_cpu.cpp and its SIMD code: strips of rows of windows, as plain
// data. The code is in ffmpeg_ssim_strip-inl.h.
#pragma once

#include "picture/picture.h"

namespace vmafgpu {

constexpr int kFfmpegSsimStripRows = 16;
/// Of more bits a window's squares overflow 32 bits.
constexpr int kFfmpegSsimMostBits = 12;
/// Elements by which arrays of a row are longer than its blocks, for whole vectors.
constexpr int kFfmpegSsimPad = 64;

/// One task: rows first..last-1 of a plane's windows.
struct FfmpegSsimStrip {
    Plane reference, distorted;
    int depth;
    int blocks; ///< of 4x4 samples in a row; windows are one less
    int first, last;
    int32_t mean, variance; ///< FfmpegSsimConstants
    int32_t *sums;          ///< memory: 8 arrays of `stride` elements
    float *values;          ///< memory: `stride` elements
    int stride;
    double *row_sums; ///< of all rows of the plane; those of the strip are replaced
};

} // namespace vmafgpu
