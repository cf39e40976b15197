// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ffmpeg_ssim": the numbers of FFmpeg's filter ssim, as its C code computes them on
// one thread. registry.h lists kFeature; the rest is for the files of this folder and
// for tests. No device code: it runs on the host.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::ffmpeg_ssim {

extern const FeatureInfo kFeature;

constexpr int kPlanes = 3;
/// Windows of 8x8 samples begin every 4 samples. Sums of blocks of 4x4 make them.
constexpr int kBlock = 4;

/// The Sums of a pair: the windows' values of each plane. A plane that is not asked for has 0.
struct Sums {
    double windows[kPlanes];
    double unused;
};

/// What one Feature object computes.
struct Config {
    Format format;
    int planes = 1; ///< 1: luma only; 3: chroma too

    /// Windows along a plane's side. Never negative: no plane has less than 8 samples.
    int columns(int plane) const { return format.plane_width(plane) / kBlock - 1; }
    int rows(int plane) const { return format.plane_height(plane) / kBlock - 1; }
};

/// Constants that keep the quotients of flat windows finite.
struct Constants {
    int64_t mean, variance;
};
Constants constants_of(int depth);

struct Forms {
    /// ffmpeg_ssim_ref.cpp: the oracle.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// ffmpeg_ssim_cpu.cpp: the same sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
};

/// ffmpeg_ssim_ref.cpp: the sum of one row of windows.
double sum_of_row(const Config &config, const PairView &pair, int plane, int row);

/// Rows of windows of a task of the CPU form.
constexpr int kStripRows = 16;
/// Deepest samples whose squares fit 32 bits when a window adds them up.
constexpr int kMostBits = 12;
/// Elements by which arrays of a row are longer than its blocks, for whole vectors.
constexpr int kPad = 64;

/// Rows first .. last - 1 of a plane's windows. ffmpeg_ssim_simd-inl.h does the work.
struct Strip {
    Plane reference, distorted;
    int depth;
    int blocks; ///< number of 4x4 blocks in a row; there is one window less
    int first, last;
    int32_t mean, variance; ///< Constants
    int32_t *sums;          ///< memory: 8 arrays of `stride` elements
    float *values;          ///< memory: `stride` elements
    int stride;
    double *row_sums; ///< sums of all rows of the plane; the strip's rows are overwritten
};

} // namespace vmafgpu::ffmpeg_ssim
