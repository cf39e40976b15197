// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "vif": visual information fidelity of the luma at four scales, equal to libvmaf's
// fixed-point VIF. registry.cpp lists kVifFeature; the rest is for the files of this folder and for
// tests. vif_math.h has the arithmetic of a pixel, docs/numerics/vif-motion.md the explanation.
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

/// What one Feature object computes. Its variants differ only in the gain limit and in whether they
/// skip scale 0.
struct VifConfig {
    double limits[kVifMaxLimits] = {100.0, 100.0};
    int limit_count = 1;
    bool skip_scale0 = false; ///< all variants skip it: no statistics of scale 0
};

/// Table of vif_log2() with kVifLog2Entries entries, built at the first call.
const uint16_t *vif_log2_table();

/// Reference code (vif_ref.cpp). It allocates memory.
void vif_reference(const Format &format, const VifConfig &config, const PairView &pair,
                   VifSums &sums);

/// Fast CPU code with the same Sums (vif_cpu.cpp). `scratch` has vif_cpu_scratch() bytes, aligned
/// to 64.
size_t vif_cpu_scratch(const Format &format);
void vif_compute(const Format &format, const VifConfig &config, const PairView &pair, VifSums &sums,
                 void *scratch, ThreadPool &pool);

/// The same Sums on a device (vif_record.cpp); sizes as in MemoryPlan.
size_t vif_device_scratch(const Format &format);
size_t vif_device_tables();
void vif_fill_device_tables(void *host);
void vif_record(const Format &format, const VifConfig &config, Queue &queue,
                const BatchView &batch);

} // namespace vmafgpu
