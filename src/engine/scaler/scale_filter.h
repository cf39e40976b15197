// SPDX-License-Identifier: BSD-2-Clause-Patent
// The taps of the bicubic scaler in one direction, equal to those that FFmpeg's libswscale computes
// with flags=bicubic+accurate_rnd+bitexact. docs/numerics/scale.md has the formulas. How samples
// are summed with them is in scale_numeric.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vmafgpu {

/// Sums of a filter's weights, across and down.
constexpr int kScaleUnitAcross = 1 << 14;
constexpr int kScaleUnitDown = 1 << 12;

/// Each of `to` results is the sum of `taps` neighbouring samples of `from`, weighted.
struct ScaleFilter {
    int from = 0, to = 0;        ///< samples of a row or column
    int taps = 0;                ///< 0 < taps < from
    std::vector<int32_t> first;  ///< first sample of each; first + taps <= from; never decreases
    std::vector<int16_t> weight; ///< taps of each result, side by side
    int16_t at(int result, int tap) const
    {
        return weight[static_cast<size_t>(result) * static_cast<size_t>(taps) +
                      static_cast<size_t>(tap)];
    }
};

/// Throws EINVAL if libswscale's result depends on the processor there. from, to: at least 3.
ScaleFilter make_scale_filter(int from, int to, int unit);

} // namespace vmafgpu
