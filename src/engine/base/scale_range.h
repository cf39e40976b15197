// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which sizes the scaler takes and gives. How it scales: scaler/scale.h.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vmafgpu {

/// The largest factor by which a side may grow or shrink.
constexpr int kMaxScale = 16;
/// Smallest and largest side of what is scaled, in luma samples.
constexpr int kMinScaleSize = 17;
constexpr int kMaxScaleSize = 65535;

constexpr bool has_scalable_size(int width, int height)
{
    return std::min(width, height) >= kMinScaleSize && std::max(width, height) <= kMaxScaleSize;
}

/// Whether a side of one length can get the other one.
constexpr bool is_scale_near(int a, int b)
{
    return static_cast<int64_t>(std::max(a, b)) <= static_cast<int64_t>(std::min(a, b)) * kMaxScale;
}

constexpr bool can_scale(int width, int height, int to_width, int to_height)
{
    return has_scalable_size(width, height) && is_scale_near(width, to_width) &&
           is_scale_near(height, to_height);
}

} // namespace vmafgpu
