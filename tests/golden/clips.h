// SPDX-License-Identifier: BSD-2-Clause-Patent
// The clips of the golden tests by their names in the JSON files, "FAMILY/CLIP". Each family has
// its formulas in a header of its own.
#pragma once

#include <functional>
#include <string>

#include "yuv_pair.h"

namespace vmafgpu {

struct GoldenClip {
    Format format;
    std::function<YuvPair(int frame)> pair;
};

/// Throws Error for an unknown name.
GoldenClip golden_clip(const std::string &name);

} // namespace vmafgpu
