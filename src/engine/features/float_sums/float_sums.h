// SPDX-License-Identifier: BSD-2-Clause-Patent
// The features "float_psnr" and "float_moment", equal to libvmaf's: sums of squared differences,
// and of samples and their squares, over the luma. registry.cpp lists them; the rest is for the
// files of this folder and for tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kFloatPsnrFeature;
extern const FeatureInfo kFloatMomentFeature;

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
struct FloatPsnrSums {
    SquareSum noise;
};
struct FloatMomentSums {
    uint64_t first[2]; ///< reference, distorted
    SquareSum second[2];
};

/// float_sums_ref.cpp: the plain oracle.
void float_psnr_reference(const Format &format, const PairView &pair, FloatPsnrSums &sums);
void float_moment_reference(const Format &format, const PairView &pair, FloatMomentSums &sums);

/// float_sums_cpu.cpp: the same, fast. `scratch` has float_sums_scratch() bytes.
size_t float_sums_scratch(const Format &format);
void float_psnr_compute(const Format &format, const PairView &pair, FloatPsnrSums &sums,
                        void *scratch, ThreadPool &pool);
void float_moment_compute(const Format &format, const PairView &pair, FloatMomentSums &sums,
                          void *scratch, ThreadPool &pool);

/// float_sums_record.cpp: all but `in_order` on a device.
void float_psnr_record(const Format &format, Queue &queue, const BatchView &batch);
void float_moment_record(const Format &format, Queue &queue, const BatchView &batch);

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

} // namespace vmafgpu
