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
    const uint32_t key = float_bits_about(v) >> 8;
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

/// What of a pixel goes into num_log, if `adds`.
struct VifTextured {
    uint32_t reference; ///< variance, 0 of a flat pixel
    uint32_t distorted; ///< variance
    uint32_t both;      ///< 0 if nothing is added
    bool adds;
};

/// All of vif_add_pixel() but num_log.
SIMT_DEVICE VifTextured vif_add_variances(VifSigma sigma, const VifLogs &logs, VifThreadSums &sums)
{
    const int32_t distorted = sigma.distorted > 0 ? sigma.distorted : 0;
    const bool is_flat = sigma.reference < kVifNoise;
    const int32_t variance = is_flat ? 0 : sigma.reference;
    sums.num_nl += is_flat ? distorted : 0;
    sums.den_nl += is_flat ? 1 : 0;
    sums.den_log += vif_log2_part(static_cast<uint32_t>(kVifNoise + variance), logs) +
                    (kVifLogOffset - kVifLog2Noise);
    const bool adds = !is_flat && sigma.both > 0 && distorted > 0;
    return {static_cast<uint32_t>(variance), static_cast<uint32_t>(distorted),
            static_cast<uint32_t>(adds ? sigma.both : 0), adds};
}

/// num_log of vif_add_pixel(), for the first `limit_count` limits.
SIMT_DEVICE void vif_add_logs(const VifTextured &pixel, const VifLimits &limits, int limit_count,
                              const VifLogs &logs, VifThreadSums &sums)
{
    const double both = double_from(pixel.both);
    const double reference = double_from(pixel.reference);
    const double epsilon = 65536 * 1e-10;
    const double gain = divide(both, reference + epsilon);
    const double explained = gain * both;
    const double residual = double_from(pixel.distorted) - explained;
    const uint32_t noise = kVifNoise + (residual < 0 ? 0 : truncated(residual));
    const int32_t log_noise = vif_log2_part(noise, logs);
    SIMT_UNROLL
    for (int i = 0; i < kVifMaxLimits; ++i) {
        if (i < limit_count) {
            const double limited = gain < limits.value[i] ? gain : limits.value[i];
            const double squared = limited * limited;
            const uint32_t signal = truncated(squared * reference);
            sums.num_log[i] += vif_log2_part(noise + signal, logs) - log_noise;
        }
    }
}

/// vif_add_pixel() without branches, so that the instructions of several pixels overlap. A pixel
/// that adds nothing to a sum uses two values with equal logarithms.
template <int limit_count> SIMT_DEVICE void vif_add_fast(VifSigma sigma, const VifLimits &limits,
                                                         const VifLogs &logs, VifThreadSums &sums)
{
    vif_add_logs(vif_add_variances(sigma, logs, sums), limits, limit_count, logs, sums);
}

/// The same without double arithmetic. False if num_log is left to vif_add_rest(), with nothing
/// added to it.
SIMT_DEVICE bool vif_add_integer(VifSigma sigma, const VifLimits &limits, const VifLogs &logs,
                                 VifThreadSums &sums)
{
    const VifTextured pixel = vif_add_variances(sigma, logs, sums);
    const uint32_t reference = pixel.adds ? pixel.reference : kVifNoise;
    const VifShare share =
        vif_share(pixel.both, reference, reciprocal_estimate(static_cast<float>(reference)));
    const bool is_beyond = vif_is_beyond(limits, pixel.both, reference);
    const bool is_sure = share.is_sure && !is_beyond;
    const auto residual = static_cast<int32_t>(pixel.distorted - share.explained);
    const uint32_t noise = kVifNoise + static_cast<uint32_t>(residual > 0 ? residual : 0);
    const int32_t log_noise = vif_log2_part(noise, logs);
    const bool adds = pixel.adds && is_sure;
    SIMT_UNROLL
    for (int i = 0; i < kVifMaxLimits; ++i) {
        if (i < limits.count) {
            const uint32_t signal =
                vif_limited_signal(limits, i, pixel.both, reference, share.signal);
            sums.num_log[i] += vif_log2_part(noise + (adds ? signal : 0), logs) - log_noise;
        }
    }
    return is_sure || !pixel.adds;
}

/// num_log of a pixel that vif_add_integer() has left.
SIMT_DEVICE void vif_add_rest(VifSigma sigma, const VifLimits &limits, const VifLogs &logs,
                              VifThreadSums &sums)
{
    vif_add_logs({static_cast<uint32_t>(sigma.reference), static_cast<uint32_t>(sigma.distorted),
                  static_cast<uint32_t>(sigma.both), true},
                 limits, limits.count, logs, sums);
}

} // namespace vmafgpu
