// SPDX-License-Identifier: BSD-2-Clause-Patent
// The double arithmetic of vif_add_pixel() as integers, for GPUs on which double takes 16 to 64
// times as long. Included by vif_args.h.
//
// With q = both^2 / reference, the double arithmetic computes
//   explained = q / (1 + e) * (1 + a)      |a| < 3.1 * 2^-53
//   signal    = q / (1 + e)^2 * (1 + b)    |b| < 6.1 * 2^-53
// where e = 65536 * 1e-10 / reference, and rounds both to whole numbers: explained upwards (it is
// subtracted from a whole number, with an error of at most 2^-23, before the fraction is dropped),
// signal downwards. Let k be floor(q) and m the remainder of the division, in 0 .. reference - 1.
// Both numbers lie between q - m / reference and the next whole number above q if
//   m > 2 * q * 65536 * 1e-10 + q * reference * 2^-50 + reference * 2^-22   and
//   reference - m > q * reference * 2^-50.
// With reference < 2^31 the terms in q are less than q / 65536. Then explained is k + 1, and signal
// k. If m is 0, epsilon decides, as e is greater than a and b: explained is k, and signal k - 1.
// What lies between is one pixel in some ten thousands, and is left to double arithmetic. There are
// more where the pictures differ by a constant: both is then near reference, and m small.
#pragma once

#include "vif_math.h"

namespace vmafgpu {

/// What double arithmetic would give for a pixel, if is_sure.
struct VifShare {
    uint32_t explained; ///< of the distorted variance, rounded up
    uint32_t signal;    ///< without a limit of the gain, rounded down
    bool is_sure;
};

/// For reference >= kVifNoise. `reciprocal` is 1 / reference as a float, wrong by two units in the
/// last place at most. Not sure if the quotient is 2^30 or more. Without branches.
SIMT_HOST_DEVICE inline VifShare vif_share(uint32_t both, uint32_t reference, float reciprocal)
{
    // The estimate is wrong by less than kSlack, so `first` is not above the quotient.
    constexpr uint32_t kSlack = 1024;
    const auto size = static_cast<float>(both);
    const float estimate = size * size * reciprocal;
    const bool is_small = estimate < 0x1p30F;
    const uint32_t whole = is_small ? static_cast<uint32_t>(estimate) : 0;
    const uint32_t first = whole > kSlack ? whole - kSlack : 0;
    const uint64_t factor = is_small ? both : 1; // 1: the remainder is 1, and so not sure
    const uint64_t rest = factor * factor - static_cast<uint64_t>(first) * reference;
    const float rest_size = static_cast<float>(static_cast<uint32_t>(rest >> 32)) * 0x1p32F +
                            static_cast<float>(static_cast<uint32_t>(rest));
    // The float is wrong by less than 2^-10: never too large, and too small by one at most.
    const auto more = static_cast<uint32_t>(rest_size * reciprocal - 0x1p-10F);
    uint32_t quotient = first + more;
    uint32_t remainder = static_cast<uint32_t>(rest) - more * reference;
    if (remainder >= reference) {
        remainder -= reference;
        ++quotient;
    }
    const uint32_t margin = (quotient >> 16) + (reference >> 22) + 3;
    const bool is_between = remainder - margin - 1 < reference - 2 * margin - 1;
    const bool is_whole = remainder == 0;
    return {quotient + (is_whole ? 0 : 1), quotient - (is_whole ? 1 : 0), is_between || is_whole};
}

/// Gain limits of variants (vif_enhn_gain_limit), and what arithmetic in integers has to know of
/// them: a limit of 1 makes the signal of a gain above 1, which is both > reference, the
/// reference's variance. One of 64 or more is never reached by a gain below 64. Others are left to
/// double arithmetic. Masks are 0 or all ones.
struct VifLimits {
    double value[kVifMaxLimits];
    uint32_t is_not_one[kVifMaxLimits];
    uint32_t are_one;   ///< all of them
    uint32_t are_other; ///< one of them at least is neither 1 nor 64 or more
    int32_t count;
};

inline VifLimits vif_limits(const double *values, int count)
{
    VifLimits limits = {};
    limits.are_one = ~0u;
    limits.count = count;
    for (int i = 0; i < count; ++i) {
        limits.value[i] = values[i];
        limits.is_not_one[i] = values[i] == 1 ? 0 : ~0u;
        limits.are_one &= ~limits.is_not_one[i];
        limits.are_other |= values[i] == 1 || values[i] >= 64 ? 0 : ~0u;
    }
    return limits;
}

/// Whether a limit leaves the pixel to double arithmetic.
SIMT_HOST_DEVICE inline bool vif_is_beyond(const VifLimits &limits, uint32_t both,
                                           uint32_t reference)
{
    return (both / 64 | limits.are_other) >= (reference | limits.are_one);
}

/// The signal under limit i.
SIMT_HOST_DEVICE inline uint32_t vif_limited_signal(const VifLimits &limits, int i, uint32_t both,
                                                    uint32_t reference, uint32_t signal)
{
    return both > (reference | limits.is_not_one[i]) ? reference : signal;
}

} // namespace vmafgpu
