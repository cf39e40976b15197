// SPDX-License-Identifier: BSD-2-Clause-Patent
// The Sums of CAMBI, and how a contrast value becomes an integer. For host and device
// code; part of cambi.h.
#pragma once

#include <cstdint>

#include "cambi_tables.h"

namespace vmafgpu {

/// The k largest c of one scale. Their sum in units of 2^-24 is exact; libvmaf's is a
/// sum of doubles in the order that its selection leaves. Both are the same if every
/// partial sum fits a double: cambi_is_exact(). Otherwise `ordered` is that sum.
struct CambiScaleSums {
    uint64_t units;
    int32_t exponent;   ///< of the smallest summand but 0: 2^exponent <= c; 0 if units is 0
    int32_t is_ordered; ///< 1: `ordered` holds libvmaf's sum
    double ordered;
};

/// The Sums of a pair: distorted picture, reference picture (full_ref only).
struct CambiSums {
    CambiScaleSums scale[2][kCambiScales];
};

/// A c above 0 is from 0.5 up and below 2^14.
constexpr uint32_t kCambiLowestBits = 0x3f000000;

/// c in units of 2^-24, from the bits of a c.
SIMT_HOST_DEVICE inline uint64_t cambi_units(uint32_t bits)
{
    return bits == 0 ? 0
                     : static_cast<uint64_t>((bits & 0x7fffff) | 0x800000) << ((bits >> 23) - 126);
}

SIMT_HOST_DEVICE inline int32_t cambi_exponent(uint32_t bits)
{
    return static_cast<int32_t>(bits >> 23) - 127;
}

} // namespace vmafgpu
