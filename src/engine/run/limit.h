// SPDX-License-Identifier: BSD-2-Clause-Patent
// A score that a run has to reach: VmafGpuRunSettings.fail_below.
#pragma once

#include <string>

#include "plan/score_plan.h"

namespace vmafgpu {

struct Limit {
    size_t score = 0; ///< its column
    double least = 0;
    std::string text; ///< the number as it was given
};

/// From "93", of the first model, or "NAME:93". Throws Error(EINVAL).
Limit read_limit(const ScorePlan &plan, const std::string &text);

} // namespace vmafgpu
