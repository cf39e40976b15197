// SPDX-License-Identifier: BSD-2-Clause-Patent
// The last step of VIF's kernels: logarithms from the compact table in shared memory, the sums of a
// thread, several pixels at once. A file of its own, because both kernel files and tests include
// it.
#pragma once

#include "features/vif/vif.h"

namespace vmafgpu::vif {

/// The compact table of logarithms, filled by Forms::fill_tables().
struct Logs {
    const uint16_t *entries;
};

/// log2_units() is log2_part() plus this constant.
constexpr int32_t kTableOffset = kLogFirst - 2048 * (127 + 15);

/// The part of log2_units() that depends on v. The exponent and the argument's number in its group
/// are added to the entry in one addition; the bits of the key that select the entry are masked.
SIMT_DEVICE int32_t log2_part(uint32_t v, const Logs &logs)
{
    static_assert(kLogGroup == 8 && kLogShift == 4, "2048 << 4 is the exponent's unit");
    const uint32_t key = float_bits_about(v) >> 8;
    const uint32_t entry = logs.entries[key / kLogGroup % kLogEntries];
    return static_cast<int32_t>(((key & 0xffff8007u) + entry) >> kLogShift);
}

/// Overload of log2_units() that add_pixel() finds by the type of its table.
SIMT_DEVICE int32_t log2_units(uint32_t v, const Logs &logs)
{
    return log2_part(v, logs) + kTableOffset;
}

/// Sums of one thread. The logarithms of a whole block or strip fit 32 bits too.
struct ThreadSums {
    int32_t num_log[kMaxLimits];
    int32_t den_log, den_nl;
    int64_t num_nl;
};
constexpr int kSums = sizeof(ScaleSums) / sizeof(int64_t);

/// Four words of shared memory that are moved at once.
struct alignas(16) ValueQuad {
    uint32_t word[4];
};

/// A thread's share of copying the table from args.logs; a barrier must follow.
SIMT_DEVICE void copy_logs(const uint16_t *from, int thread, int threads, ValueQuad *logs)
{
    for (int i = thread; i < kLogBytes / 16; i += threads)
        logs[i] = load_readonly(reinterpret_cast<const ValueQuad *>(from) + i);
}

/// copy_logs() in two steps, so that a thread does something else while its share is on its way.
template <int threads> struct LogShare {
    static constexpr int kQuads = kLogBytes / 16 / threads;
    static_assert(kQuads * threads * 16 == kLogBytes, "equal shares");
    ValueQuad quad[kQuads];

    SIMT_DEVICE void load(const uint16_t *from, int thread)
    {
        SIMT_UNROLL
        for (int i = 0; i < kQuads; ++i)
            quad[i] =
                load_readonly(reinterpret_cast<const ValueQuad *>(from) + thread + i * threads);
    }
    SIMT_DEVICE void store(ValueQuad *logs, int thread) const
    {
        SIMT_UNROLL
        for (int i = 0; i < kQuads; ++i)
            logs[thread + i * threads] = quad[i];
    }
};

/// A pixel's part of num_log, if `adds`.
struct Textured {
    uint32_t reference; ///< variance, 0 of a flat pixel
    uint32_t distorted; ///< variance
    uint32_t both;      ///< 0 if nothing is added
    bool adds;
};

/// Does what add_pixel() does, except for num_log.
SIMT_DEVICE Textured add_variances(Sigma sigma, const Logs &logs, ThreadSums &sums)
{
    const int32_t distorted = sigma.distorted > 0 ? sigma.distorted : 0;
    const bool is_flat = sigma.reference < kNoise;
    const int32_t variance = is_flat ? 0 : sigma.reference;
    sums.num_nl += is_flat ? distorted : 0;
    sums.den_nl += is_flat ? 1 : 0;
    sums.den_log +=
        log2_part(static_cast<uint32_t>(kNoise + variance), logs) + (kTableOffset - kLog2Noise);
    const bool adds = !is_flat && sigma.both > 0 && distorted > 0;
    return {static_cast<uint32_t>(variance), static_cast<uint32_t>(distorted),
            static_cast<uint32_t>(adds ? sigma.both : 0), adds};
}

/// num_log of add_pixel(), for the first `limit_count` limits.
SIMT_DEVICE void add_pixel_logs(const Textured &pixel, const Limits &limits, int limit_count,
                                const Logs &logs, ThreadSums &sums)
{
    const double both = double_from(pixel.both);
    const double reference = double_from(pixel.reference);
    const double epsilon = 65536 * 1e-10;
    const double gain = divide(both, reference + epsilon);
    const double explained = gain * both;
    const double residual = double_from(pixel.distorted) - explained;
    const uint32_t noise = kNoise + (residual < 0 ? 0 : truncated(residual));
    const int32_t log_noise = log2_part(noise, logs);
    SIMT_UNROLL
    for (int i = 0; i < kMaxLimits; ++i) {
        if (i < limit_count) {
            const double limited = gain < limits.value[i] ? gain : limits.value[i];
            const double squared = limited * limited;
            const uint32_t signal = truncated(squared * reference);
            sums.num_log[i] += log2_part(noise + signal, logs) - log_noise;
        }
    }
}

/// add_pixel() without branches, so that the instructions of several pixels overlap. A pixel
/// that adds nothing to a sum uses two values with equal logarithms.
template <int limit_count>
SIMT_DEVICE void add_fast(Sigma sigma, const Limits &limits, const Logs &logs, ThreadSums &sums)
{
    add_pixel_logs(add_variances(sigma, logs, sums), limits, limit_count, logs, sums);
}

/// add_fast() without double arithmetic. Returns false if num_log is left to add_rest(), with
/// nothing added to it.
SIMT_DEVICE bool add_integer(Sigma sigma, const Limits &limits, const Logs &logs, ThreadSums &sums)
{
    const Textured pixel = add_variances(sigma, logs, sums);
    const uint32_t reference = pixel.adds ? pixel.reference : kNoise;
    const Share share =
        share_of(pixel.both, reference, reciprocal_estimate(static_cast<float>(reference)));
    const bool is_beyond = lies_beyond(limits, pixel.both, reference);
    const bool is_sure = share.is_sure && !is_beyond;
    const auto residual = static_cast<int32_t>(pixel.distorted - share.explained);
    const uint32_t noise = kNoise + static_cast<uint32_t>(residual > 0 ? residual : 0);
    const int32_t log_noise = log2_part(noise, logs);
    const bool adds = pixel.adds && is_sure;
    SIMT_UNROLL
    for (int i = 0; i < kMaxLimits; ++i) {
        if (i < limits.count) {
            const uint32_t signal = limited_signal(limits, i, pixel.both, reference, share.signal);
            sums.num_log[i] += log2_part(noise + (adds ? signal : 0), logs) - log_noise;
        }
    }
    return is_sure || !pixel.adds;
}

/// num_log of a pixel that add_integer() has left.
SIMT_DEVICE void add_rest(Sigma sigma, const Limits &limits, const Logs &logs, ThreadSums &sums)
{
    add_pixel_logs({static_cast<uint32_t>(sigma.reference), static_cast<uint32_t>(sigma.distorted),
                    static_cast<uint32_t>(sigma.both), true},
                   limits, limits.count, logs, sums);
}

// The pixels of a thread by the arithmetic that suits the device: double or integer.

/// The first `used` of `count` pixels; sigma_of(i) is the Sigma of pixel i. limit_count:
/// limits.count, or any number where double is scarce.
template <int limit_count, int count, typename SigmaOf> SIMT_DEVICE void
add_all(const SigmaOf &sigma_of, int used, const Limits &limits, const Logs &logs, ThreadSums &sums)
{
    uint32_t left = 0; // bit i: pixel i
    SIMT_UNROLL
    for (int i = 0; i < count; ++i) {
        if (i >= used)
            break;
        if (!has_scarce_double())
            add_fast<limit_count>(sigma_of(i), limits, logs, sums);
        else if (!add_integer(sigma_of(i), limits, logs, sums))
            left |= 1u << i;
    }
    // Seldom any: one copy of the code, which finds its pixel by comparisons.
    SIMT_NO_UNROLL
    while (left != 0) {
        const int which = 31 - clz32(left);
        left ^= 1u << which;
        Sigma sigma = {};
        SIMT_UNROLL
        for (int i = 0; i < count; ++i)
            if (i == which)
                sigma = sigma_of(i);
        add_rest(sigma, limits, logs, sums);
    }
}

/// Whether one limit is all that add_all() has to know of at compile time.
SIMT_DEVICE bool has_one_limit(const Limits &limits)
{
    return has_scarce_double() || limits.count == 1;
}

} // namespace vmafgpu::vif
