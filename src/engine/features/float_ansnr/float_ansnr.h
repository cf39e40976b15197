// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_ansnr", equal to libvmaf's: the signal of a smoothed reference in relation to
// its distance from a smoothed distorted picture, luma only. registry.h lists kFeature;
// the rest is for the files of this folder and for tests. Device compilers read it, so it uses no
// host library.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::float_ansnr {

extern const FeatureInfo kFeature;

/// The Sums of a pair: floats that were added along rows, then over the rows.
struct Sums {
    float signal, noise;
};

struct Forms {
    /// float_ansnr_ref.cpp: the oracle.
    static void reference(const Format &format, const PairView &pair, Sums &sums);
    /// float_ansnr_cpu.cpp: the same sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Format &format);
    static void compute(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// float_ansnr_record.cpp: the same sums on a device, by way of those of the rows.
    static size_t device_scratch(const Format &format);
    static void record(const Format &format, Queue &queue, const BatchView &batch);
};

/// Device pointers; pitches in bytes.
struct PairArgs {
    const void *reference;
    const void *distorted;
    int64_t reference_pitch, distorted_pitch;
    float *rows; ///< scratch: the signal of each row, then the noise of each row
    float *sums; ///< signal, noise
};

/// One launch covers a batch: block z takes pair z.
struct Args {
    PairArgs pairs[kMaxBatch];
    int32_t width, height;
    float scale; ///< factor from a sample to a level of 8 bits; a power of two
};

/// A block adds up kBlockRows rows, kBlockColumns columns at a time. So many rows that two blocks
/// share 64 KiB.
constexpr int kThreads = 256;
constexpr int kBlockRows = 28;
constexpr int kBlockColumns = 64;
constexpr int kHalf = 2; ///< half width of the wider filter

constexpr Kernel<Args> kRowsU8 = {"float_ansnr_rows_u8", kThreads};
constexpr Kernel<Args> kRowsU16 = {"float_ansnr_rows_u16", kThreads};
/// Then the rows: one block a pair.
constexpr Kernel<Args> kSumRows = {"float_ansnr_sum", kThreads};

} // namespace vmafgpu::float_ansnr
