// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scaler: pictures of one size become pictures of another, equal in every bit to FFmpeg's
// `scale=W:H:flags=bicubic+accurate_rnd+bitexact`. What cannot be equal is refused. Here is what
// reference code, CPU code and kernels share, and the reference code itself.
#pragma once

#include <array>

#include "base/picture.h"
#include "scale/scale_filter.h"

namespace vmafgpu {

/// Most times a side may grow or shrink.
constexpr int kMaxScale = 16;
/// Smallest side of what is scaled, in luma samples.
constexpr int kMinScaleSize = 17;

/// How one plane is scaled.
struct PlaneScale {
    ScaleFilter across, down;
};

/// How pictures are scaled.
class ScalePlan {
public:
    /// source: the pictures that come, in their own depth. width, height: of the result. Throws
    /// EINVAL with a text for the user if FFmpeg has no equal result.
    ScalePlan(const Format &source, int width, int height);

    const Format &source() const { return source_; }
    /// As the source, but for the size.
    const Format &target() const { return target_; }
    const PlaneScale &plane(int p) const { return p == 0 ? planes_[0] : planes_[1]; }

private:
    Format source_, target_;
    std::array<PlaneScale, 2> planes_; ///< luma, chroma
};

/// Reference code: one plane of a plan. Samples of `from` are below 2^depth.
void scale_plane_ref(const ScalePlan &plan, int plane, const Plane &from, void *to,
                     ptrdiff_t to_pitch);

} // namespace vmafgpu
