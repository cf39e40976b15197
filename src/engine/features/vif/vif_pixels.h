// SPDX-License-Identifier: BSD-2-Clause-Patent
// The last step of VIF's kernels: logarithms from the compact table in shared memory, the sums of a
// thread, several pixels at once. Included by the kernel files and by tests.
#pragma once

#include "vif_args.h"

namespace vmafgpu {

/// The compact table of logarithms, filled by vif_fill_device_tables().
struct VifLogs {
    const uint16_t *entries;
};

/// vif_log2() is vif_log2_part() plus this constant.
constexpr int32_t kVifLogOffset = kVifLogFirst - 2048 * (127 + 15);

/// The part of vif_log2() that depends on v. The exponent and the argument's number in its group
/// are added to the entry in one addition; the bits of the key that select the entry are masked.
SIMT_DEVICE int32_t vif_log2_part(uint32_t v, const VifLogs &logs)
{
    static_assert(kVifLogGroup == 8 && kVifLogShift == 4, "2048 << 4 is the exponent's unit");
    const uint32_t key = float_bits_below(v) >> 8;
    const uint32_t entry = logs.entries[key / kVifLogGroup % kVifLogEntries];
    return static_cast<int32_t>(((key & 0xffff8007u) + entry) >> kVifLogShift);
}

/// See vif_math.h. Overload that vif_add_pixel() finds by the type of its table.
SIMT_DEVICE int32_t vif_log2(uint32_t v, const VifLogs &logs)
{
    return vif_log2_part(v, logs) + kVifLogOffset;
}

/// Sums of one thread. The logarithms of a whole block or strip fit 32 bits too.
struct VifThreadSums {
    int32_t num_log[kVifMaxLimits];
    int32_t den_log, den_nl;
    int64_t num_nl;
};
constexpr int kVifSums = sizeof(VifScaleSums) / sizeof(int64_t);

/// Four words of shared memory that are moved at once.
struct alignas(16) VifQuad {
    uint32_t word[4];
};

/// A thread's share of copying the table from args.logs; a barrier must follow.
SIMT_DEVICE void vif_copy_logs(const uint16_t *from, int thread, int threads, VifQuad *logs)
{
    for (int i = thread; i < kVifLogBytes / 16; i += threads)
        logs[i] = load_readonly(reinterpret_cast<const VifQuad *>(from) + i);
}

/// The same in two steps, so that a thread does something else while its share is on its way.
template <int threads> struct VifLogShare {
    static constexpr int kQuads = kVifLogBytes / 16 / threads;
    static_assert(kQuads * threads * 16 == kVifLogBytes, "equal shares");
    VifQuad quad[kQuads];

    SIMT_DEVICE void load(const uint16_t *from, int thread)
    {
        SIMT_UNROLL
        for (int i = 0; i < kQuads; ++i)
            quad[i] = load_readonly(reinterpret_cast<const VifQuad *>(from) + thread + i * threads);
    }
    SIMT_DEVICE void store(VifQuad *logs, int thread) const
    {
        SIMT_UNROLL
        for (int i = 0; i < kQuads; ++i)
            logs[thread + i * threads] = quad[i];
    }
};

/// vif_add_pixel() without branches, so that the instructions of several pixels overlap. A pixel
/// that adds nothing to a sum uses two values with equal logarithms.
template <int limit_count> SIMT_DEVICE void vif_add_fast(VifSigma sigma, const double *limits,
                                                         const VifLogs &logs, VifThreadSums &sums)
{
    const int32_t distorted = sigma.distorted > 0 ? sigma.distorted : 0;
    const bool is_flat = sigma.reference < kVifNoise;
    const int32_t variance = is_flat ? 0 : sigma.reference;
    sums.num_nl += is_flat ? distorted : 0;
    sums.den_nl += is_flat ? 1 : 0;
    sums.den_log += vif_log2_part(static_cast<uint32_t>(kVifNoise + variance), logs) +
                    (kVifLogOffset - kVifLog2Noise);

    const bool adds = !is_flat && sigma.both > 0 && distorted > 0;
    const double both = double_from(static_cast<uint32_t>(adds ? sigma.both : 0));
    const double reference = double_from(static_cast<uint32_t>(variance));
    const double epsilon = 65536 * 1e-10;
    const double gain = divide(both, reference + epsilon);
    const double explained = gain * both;
    const double residual = double_from(static_cast<uint32_t>(distorted)) - explained;
    const uint32_t noise = kVifNoise + (residual < 0 ? 0 : truncated(residual));
    const int32_t log_noise = vif_log2_part(noise, logs);
    SIMT_UNROLL
    for (int i = 0; i < limit_count; ++i) {
        const double limited = gain < limits[i] ? gain : limits[i];
        const double squared = limited * limited;
        const uint32_t signal = truncated(squared * reference);
        sums.num_log[i] += vif_log2_part(noise + signal, logs) - log_noise;
    }
}

} // namespace vmafgpu
