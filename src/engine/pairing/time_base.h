// SPDX-License-Identifier: BSD-2-Clause-Patent
// Times of frames and the units that they come in. No frame is known here.
#pragma once

#include <cstdint>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

constexpr int64_t kNoTime = VMAFGPU_NO_TIME;
constexpr int64_t kMillisecond = 1000000; ///< in nanoseconds, as all times of the rules
/// Times further from 0 (69 years) are taken for errors of the container. Four of them can be
/// added.
constexpr int64_t kMostTime = 2200000000000000000;

/// Seconds, or frames a second. num 0: unknown.
struct Rational {
    int num = 0, den = 1;

    bool is_known() const { return num > 0 && den > 0; }
    double value() const { return is_known() ? static_cast<double>(num) / den : 0; }
};

constexpr Rational kNanosecond = {1, 1000000000};

/// A time in other units: to the nearest one, halves away from zero. kNoTime if it is none, or has
/// no place there.
int64_t rescale(int64_t time, Rational from, Rational to);

/// kNoTime for times that no container means.
int64_t nanoseconds(int64_t time, Rational base);

/// The units in which two inputs can be compared without rounding, or microseconds if those would
/// be below two of them.
Rational common_base(Rational a, Rational b);

} // namespace vmafgpu
