// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "motion": how much the blurred reference luma changes from picture to picture, equal
// to libvmaf's fixed-point motion. registry.h lists kFeature; the rest is for the files of this
// folder and for tests. Device compilers read it, so it uses no host library.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::motion {

extern const FeatureInfo kFeature;

/// The Sums of a pair: the sum of absolute blurred differences, 0 where the
/// earlier picture is missing. Unit: 1/256 of an 8-bit level.
struct Sums {
    uint64_t sad;
};

/// What one Feature object computes.
struct Config {
    Format format;
    int distance = 1; ///< pictures between the two that are compared: 1 or 2
    /// libvmaf up to 3.1: both pictures are blurred and rounded, then
    /// subtracted; else the difference is blurred.
    bool blur_first = false;
    bool skip = false; ///< all variants are forced to zero: no pixel work
};

struct Forms {
    /// motion_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// motion_cpu.cpp: the same sum, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// motion_record.cpp: the same sum on a device.
    static void record(const Config &config, Queue &queue, const BatchView &batch);
};

/// Most rows of a task of the CPU form: the sums of a tile are kept in 32 bits.
constexpr int kStripRows = 64;

/// Rows first .. last - 1. motion_simd-inl.h does the work.
struct Strip {
    Plane earlier, later;
    int width, height, depth;
    int first, last;
    bool blur_first;
    uint64_t *sad; ///< replaced
};

/// Two pictures of the reference and where their difference goes. Device pointers;
/// pitches in bytes.
struct PairArgs {
    const void *earlier;
    const void *later;
    int64_t earlier_pitch;
    int64_t later_pitch;
    uint64_t *sad; ///< zeroed
};

/// One launch covers a batch: block z takes pair z.
struct Args {
    PairArgs pairs[kMaxBatch];
    int32_t width, height;
    int32_t depth;
};

/// A block computes a tile with kThreads threads. kRowLanes threads side by side cover the tile's
/// width with kThreadColumns columns each, of which the first and the last are its side columns;
/// each row of threads walks down its own rows.
constexpr int kThreads = 128;
constexpr int kThreadColumns = 4;
constexpr int kThreadRows = 16;
constexpr int kRowLanes = 32;
constexpr int kTileWidth = kThreadColumns * (kRowLanes - 2);
constexpr int kTileHeight = kThreadRows * (kThreads / kRowLanes);

// The difference is blurred.
constexpr Kernel<Args> kU8 = {"motion_u8", kThreads};
constexpr Kernel<Args> kU16 = {"motion_u16", kThreads};
// Up to libvmaf 3.1: both pictures are blurred, then subtracted.
constexpr Kernel<Args> kBlurFirstU8 = {"motion_blur_first_u8", kThreads};
constexpr Kernel<Args> kBlurFirstU16 = {"motion_blur_first_u16", kThreads};

} // namespace vmafgpu::motion
