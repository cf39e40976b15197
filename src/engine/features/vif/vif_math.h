// SPDX-License-Identifier: BSD-2-Clause-Patent
// What VIF computes at one pixel from its local moments. Reference code, fast CPU code and kernels
// share it. Floating-point operations here must be neither contracted nor reordered:
// docs/numerics/vif-motion.md.
#pragma once

#include <cstdint>

#include "vif_tables.h"

namespace vmafgpu {

constexpr int kVifMaxLimits = 2;

/// Sums of one scale of one pair. The fields have the names of libvmaf's accumulators. Logarithms
/// are in units of 1/2048.
struct VifScaleSums {
    int64_t num_log[kVifMaxLimits]; ///< one per gain limit
    int64_t den_log;
    int64_t num_nl; ///< sum of the distorted variances of flat pixels
    int64_t den_nl; ///< number of flat pixels
};

/// Local second moments of a pixel around the local means.
struct VifSigma {
    int32_t reference, distorted, both;
};

/// log2(v) * 2048 for 65536 <= v. The 16 leading bits are looked up; the others are dropped without
/// rounding (libvmaf: get_best16_from64).
SIMT_HOST_DEVICE inline int32_t vif_log2(uint32_t v, const uint16_t *table)
{
    const int shift = 16 - clz32(v);
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): v is 2^17 or more
    return static_cast<int32_t>(table[(v >> shift) - 32768]) + 2048 * shift;
}

/// Second moment minus product of the means. m1 and m2 have 16 more
/// fractional bits than the means of `moment`.
SIMT_HOST_DEVICE inline int32_t vif_sigma(uint32_t moment, uint32_t m1, uint32_t m2)
{
    const uint64_t product = static_cast<uint64_t>(m1) * m2;
    return static_cast<int32_t>(moment - static_cast<uint32_t>((product + 0x80000000u) >> 32));
}

/// Adds one pixel to the sums (libvmaf: vif_statistic_8, _16). `limits` are the vif_enhn_gain_limit
/// of `count` variants. `table` is what vif_log2() takes. `sums` has the fields of VifScaleSums,
/// with types wide enough for the caller's number of pixels.
template <typename Table, typename Sums> SIMT_HOST_DEVICE inline void
vif_add_pixel(VifSigma sigma, const double *limits, int count, const Table &table, Sums &sums)
{
    const int32_t distorted = sigma.distorted > 0 ? sigma.distorted : 0;
    if (sigma.reference < kVifNoise) {
        sums.num_nl += distorted;
        sums.den_nl += 1;
        return;
    }
    sums.den_log += vif_log2(static_cast<uint32_t>(kVifNoise + sigma.reference), table);
    sums.den_log -= kVifLog2Noise;
    if (sigma.both <= 0 || distorted == 0)
        return;

    // The small addend changes quotients near a rounding boundary.
    const double epsilon = 65536 * 1e-10;
    double gain = sigma.both / (sigma.reference + epsilon);
    // The residual uses the gain before the limit is applied.
    const double explained = gain * sigma.both;
    const int32_t residual = static_cast<int32_t>(distorted - explained);
    const uint32_t noise = static_cast<uint32_t>(kVifNoise + (residual > 0 ? residual : 0));
    const int32_t log_noise = vif_log2(noise, table);
    SIMT_UNROLL
    for (int i = 0; i < kVifMaxLimits; ++i) {
        if (i < count) { // not in the loop condition: kernels need it unrolled
            const double limited = gain < limits[i] ? gain : limits[i];
            const double squared = limited * limited;
            const auto signal = static_cast<uint32_t>(squared * sigma.reference);
            sums.num_log[i] += vif_log2(noise + signal, table) - log_noise;
        }
    }
}

} // namespace vmafgpu
