// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "skeleton": the mean absolute difference of the luma. It is there to be copied
// (CONTRIBUTING.md, "Adding a feature"); only builds with tests have it. This header has what the
// forms share: the reference code, the CPU's and the device's. Device compilers read it.
#pragma once

#include "features/kit/forms.h"
#include "simt/simt.h"

namespace vmafgpu::skeleton {

extern const FeatureInfo kFeature;

/// What is computed from the samples of a pair, equal in every form.
struct Sums {
    uint64_t difference; ///< sum over the samples of the luma
};

/// What the forms need to know.
using Config = Format;

/// The arithmetic of a sample. Signed, because clang 19 for AMD makes "a > b ? a - b : b - a" of
/// samples a plain a - b.
SIMT_HOST_DEVICE inline uint32_t difference_of(uint32_t reference, uint32_t distorted)
{
    const auto difference = static_cast<int32_t>(reference) - static_cast<int32_t>(distorted);
    return static_cast<uint32_t>(difference < 0 ? -difference : difference);
}

struct Forms {
    /// skeleton_ref.cpp: plain code, which the other forms must equal.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// skeleton_cpu.cpp: `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// skeleton_record.cpp: the launches of a batch.
    static void record(const Config &config, Queue &queue, const BatchView &batch);
};

/// A task of the CPU: rows first .. last - 1. skeleton_simd-inl.h computes it.
struct Strip {
    Plane reference, distorted;
    int width, depth;
    int first, last;
    uint64_t *difference; ///< replaced
};
constexpr int kStripRows = 64;

/// A pair on a device. Pitches are in bytes.
struct PairArgs {
    const void *reference, *distorted;
    int64_t reference_pitch, distorted_pitch;
};

/// One launch covers a batch: block z takes pair z.
struct Args {
    PairArgs pairs[kMaxBatch];
    char *sums; ///< Sums of pair 0; zeroed
    int64_t sums_stride;
    int32_t width, height;
};

/// A block takes kRows rows; each thread, every kThreads-th sample of them.
constexpr int kThreads = 128;
constexpr int kRows = 8;

constexpr Kernel<Args> kU8 = {"skeleton_u8", kThreads};
constexpr Kernel<Args> kU16 = {"skeleton_u16", kThreads};

} // namespace vmafgpu::skeleton
