// SPDX-License-Identifier: BSD-2-Clause-Patent
// The features "float_psnr" and "float_moment", equal to libvmaf's: sums of squared differences,
// and of samples and their squares, over the luma. registry.h lists them; the rest is for the
// files of this folder and for tests. Device compilers read it, so it uses no host library.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::float_sums {

extern const FeatureInfo kPsnrFeature;
extern const FeatureInfo kMomentFeature;

/// Up to here a sum of doubles that are integers has no rounding, so its order does not matter.
constexpr uint64_t kExactSum = uint64_t{1} << 53;

/// Sum of squares, each rounded to float. Beyond kExactSum the result is the sum of doubles in
/// raster order, which a device leaves to the host.
struct SquareSum {
    uint64_t exact;
    double in_order; ///< 0 where `exact` is the result

    bool is_complete() const { return exact <= kExactSum || in_order != 0; }
    double value() const { return exact <= kExactSum ? static_cast<double>(exact) : in_order; }
};

/// Sums of a pair, in native samples.
struct PsnrSums {
    SquareSum noise;
};
struct MomentSums {
    uint64_t first[2]; ///< reference, distorted
    SquareSum second[2];
};

/// reference(): float_sums_ref.cpp; compute(): float_sums_cpu.cpp, the same, fast; record():
/// float_sums_record.cpp, all but `in_order` on a device.
struct PsnrForms {
    static void reference(const Format &format, const PairView &pair, PsnrSums &sums);
    static size_t cpu_scratch(const Format &format);
    static void compute(const Format &format, const PairView &pair, PsnrSums &sums, void *scratch,
                        ThreadPool &pool);
    static void record(const Format &format, Queue &queue, const BatchView &batch);
    static bool is_complete(const Format &format, const PsnrSums &sums);
};
struct MomentForms {
    static void reference(const Format &format, const PairView &pair, MomentSums &sums);
    static size_t cpu_scratch(const Format &format);
    static void compute(const Format &format, const PairView &pair, MomentSums &sums, void *scratch,
                        ThreadPool &pool);
    static void record(const Format &format, Queue &queue, const BatchView &batch);
    static bool is_complete(const Format &format, const MomentSums &sums);
};

inline int32_t sample_at(const Plane &plane, const Format &format, int x, int y)
{
    return format.depth > 8 ? plane_row<uint16_t>(plane, y)[x] : plane_row<uint8_t>(plane, y)[x];
}

/// The sums of doubles in raster order, from the rounded squares of `row(y, x)`.
template <typename Difference>
double sum_in_order(const Format &format, const Difference &difference)
{
    double sum = 0;
    for (int y = 0; y < format.height; ++y)
        for (int x = 0; x < format.width; ++x) {
            const auto value = static_cast<float>(difference(x, y));
            sum += static_cast<double>(value * value);
        }
    return sum;
}

/// Samples of `first`, less those of `second` if that is not null. Device pointers.
struct PictureArgs {
    const void *first;
    const void *second;
    int64_t first_pitch, second_pitch;
    uint64_t *sum;     ///< sum of the values, zeroed; null if it is not wanted
    uint64_t *squares; ///< sum of the rounded squares, zeroed
};

/// One launch covers half a batch of pairs for float_moment: block z takes picture z.
struct Args {
    PictureArgs pictures[kMaxBatch];
    int32_t width, height;
};

constexpr int kThreads = 256;
/// Rows of a block.
constexpr int kBlockRows = 8;

constexpr Kernel<Args> kU8 = {"float_sums_u8", kThreads};
constexpr Kernel<Args> kU16 = {"float_sums_u16", kThreads};

} // namespace vmafgpu::float_sums
