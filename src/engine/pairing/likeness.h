// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whether two pictures show the same, however bright, blurred or coarse one of them is, and
// whatever lies over a part of it.
#pragma once

#include "picture/sketch.h"

namespace vmafgpu {

/// Alike are pictures of one video, even after a bad encode.
constexpr double kAlike = 0.6;
/// There is nothing to compare.
constexpr double kNoLikeness = 2;

/// Correlation: at most 1; 0 if one of them is blank; or kNoLikeness.
double likeness_of(const Sketch &main, const Sketch &reference);

} // namespace vmafgpu
