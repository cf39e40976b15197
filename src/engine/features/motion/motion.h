// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "motion": how much the blurred reference luma changes from picture to picture, equal
// to libvmaf's fixed-point motion. registry.cpp lists kMotionFeature; the rest is for the files of
// this folder and for tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kMotionFeature;

/// The Sums of a pair: the sum of absolute blurred differences, 0 where the
/// earlier picture is missing. Unit: 1/256 of an 8-bit level.
struct MotionSums {
    uint64_t sad;
};

/// What one Feature object computes.
struct MotionConfig {
    int distance = 1; ///< pictures between the two that are compared: 1 or 2
    /// libvmaf up to 3.1: both pictures are blurred and rounded, then
    /// subtracted; else the difference is blurred.
    bool blur_first = false;
    bool skip = false; ///< all variants are forced to zero: no pixel work
};

/// motion_ref.cpp: the plain oracle. Allocates.
void motion_reference(const Format &format, const MotionConfig &config, const PairView &pair,
                      MotionSums &sums);

/// motion_cpu.cpp: the same sum, fast. `scratch` has motion_cpu_scratch()
/// bytes, aligned to 64.
size_t motion_cpu_scratch(const Format &format);
void motion_compute(const Format &format, const MotionConfig &config, const PairView &pair,
                    MotionSums &sums, void *scratch, ThreadPool &pool);

/// motion_record.cpp: the same sum on a device.
void motion_record(const Format &format, const MotionConfig &config, Queue &queue,
                   const BatchView &batch);

} // namespace vmafgpu
