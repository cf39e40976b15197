// SPDX-License-Identifier: BSD-2-Clause-Patent
// Range and limit of the decibels of libvmaf's float features, which see samples of any depth as
// levels of 8 bits. Host code of the features.
#pragma once

#include "picture/picture.h"

namespace vmafgpu {

/// The largest sample, in levels of 8 bits.
inline double float_peak(const Format &format)
{
    return 256 - 1.0 / (1 << (format.depth - 8));
}

/// Largest result in decibels.
inline double float_limit(const Format &format)
{
    return 6 * format.depth + 12;
}

} // namespace vmafgpu
