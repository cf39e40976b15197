// SPDX-License-Identifier: BSD-2-Clause-Patent
// The features "psnr", squared differences of luma and chroma equal to libvmaf's integer psnr, and
// "ffmpeg_psnr", the numbers of FFmpeg's filter psnr from the same Sums. registry.h lists both;
// the rest is for the files of this folder and for tests. Device compilers read it, so it uses no
// host library.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::psnr {

extern const FeatureInfo kFeature;
extern const FeatureInfo kFfmpegFeature; ///< psnr_ffmpeg.cpp

constexpr int kPlanes = 3;

/// The Sums of a pair: the squared differences of each plane. A plane that is not asked for has 0.
struct Sums {
    uint64_t squares[kPlanes];
};

/// What one Feature object computes.
struct Config {
    int planes = 1;                                ///< 1: luma only; 3: chroma too
    int depth = 8;                                 ///< bits per sample
    int width[kPlanes] = {}, height[kPlanes] = {}; ///< in samples
};

/// Chroma sizes round down, as libvmaf's do: of an odd size the last column or row is left out.
Config config_of(const Format &format, bool has_chroma);

struct Forms {
    /// psnr_ref.cpp: the oracle.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// psnr_cpu.cpp: the same sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// psnr_record.cpp: the same sums on a device.
    static void record(const Config &config, Queue &queue, const BatchView &batch);
};

/// Rows of a task of the CPU form.
constexpr int kStripRows = 64;

/// Rows first .. last - 1 of a plane. psnr_simd-inl.h does the work.
struct Strip {
    Plane reference, distorted;
    int width, depth;
    int first, last;
    uint64_t *squares; ///< replaced
};

/// A plane of a pair. Device pointers; rows are aligned to 16 bytes; pitches in bytes.
struct PlaneArgs {
    const void *reference;
    const void *distorted;
    int64_t reference_pitch;
    int64_t distorted_pitch;
};

/// One launch covers one plane of a batch: block z takes pair z.
struct Args {
    PlaneArgs pairs[kMaxBatch];
    char *squares; ///< sums of pair 0, zeroed
    int64_t squares_stride;
    int32_t width, height;
    int32_t items_per_row; ///< items of kItemBytes in a row
};

constexpr int kThreads = 256;
constexpr int kItemBytes = 16;
/// A thread sums so many items, one every kThreads items.
constexpr int kItems = 8;

constexpr Kernel<Args> kU8 = {"psnr_u8", kThreads};
constexpr Kernel<Args> kU16 = {"psnr_u16", kThreads};

} // namespace vmafgpu::psnr
