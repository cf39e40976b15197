// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "vif": visual information fidelity of the luma at four scales, equal to libvmaf's
// fixed-point VIF. registry.cpp lists kVifFeature; the rest is for the files of this folder and for
// tests. vif_math.h has the arithmetic of a pixel, docs/numerics-vif-motion.md the explanation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/feature.h"
#include "vif_math.h"

namespace vmafgpu {

extern const FeatureInfo kVifFeature;

/// The Sums of a pair.
struct VifSums {
    VifScaleSums scale[kVifScales];
};
static_assert(sizeof(VifSums) == kVifScales * 5 * sizeof(int64_t), "Sums must have no padding");

/// What one Feature object computes: the variants that it serves differ in
/// the gain limit and in whether they leave out scale 0.
struct VifConfig {
    double limits[kVifMaxLimits] = {100.0, 100.0};
    int limit_count = 1;
    bool skip_scale0 = false; ///< all variants do: no statistics of scale 0
};

/// Table of vif_log2(), kVifLog2Entries long; built at the first call.
const uint16_t *vif_log2_table();

/// vif_ref.cpp: the plain oracle. Allocates.
void vif_reference(const Format &format, const VifConfig &config, const PairView &pair,
                   VifSums &sums);

/// vif_cpu.cpp: the same sums, fast. `scratch` has vif_cpu_scratch() bytes,
/// aligned to 64.
size_t vif_cpu_scratch(const Format &format);
void vif_compute(const Format &format, const VifConfig &config, const PairView &pair, VifSums &sums,
                 void *scratch, ThreadPool &pool);

/// vif_record.cpp: the same sums on a device; sizes are those of a MemoryPlan.
size_t vif_device_scratch(const Format &format);
size_t vif_device_tables();
void vif_fill_device_tables(void *host);
void vif_record(const Format &format, const VifConfig &config, Queue &queue,
                const BatchView &batch);

} // namespace vmafgpu
