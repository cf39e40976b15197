// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_ansnr", equal to libvmaf's: the signal of a smoothed reference in relation to
// its distance from a smoothed distorted picture, luma only. registry.cpp lists kFloatAnsnrFeature;
// the rest is for the files of this folder and for tests.
#pragma once

#include <cstddef>

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kFloatAnsnrFeature;

/// The Sums of a pair: floats that were added along rows, then over the rows.
struct FloatAnsnrSums {
    float signal, noise;
};

/// float_ansnr_ref.cpp: the plain oracle.
void float_ansnr_reference(const Format &format, const PairView &pair, FloatAnsnrSums &sums);

/// float_ansnr_cpu.cpp: the same sums, fast. `scratch` has float_ansnr_scratch() bytes.
size_t float_ansnr_scratch(const Format &format);
void float_ansnr_compute(const Format &format, const PairView &pair, FloatAnsnrSums &sums,
                         void *scratch, ThreadPool &pool);

/// float_ansnr_record.cpp: the same sums on a device, by way of those of the rows.
size_t float_ansnr_device_scratch(const Format &format);
void float_ansnr_record(const Format &format, Queue &queue, const BatchView &batch);

} // namespace vmafgpu
