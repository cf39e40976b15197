// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scores that a model can give.
#pragma once

#include <limits>

namespace vmafgpu {

struct ScoreRange {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
};

} // namespace vmafgpu
