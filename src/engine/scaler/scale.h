// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scaler: pictures of one size become pictures of another, equal in every bit to FFmpeg's
// `scale=W:H:flags=bicubic+accurate_rnd+bitexact`. What cannot be equal is refused. Here are the
// plan, which all code shares, the reference code and the CPU's; scale_args.h has the kernel.
#pragma once

#include <array>

#include "base/scale_range.h"
#include "picture/picture.h"
#include "scaler/scale_filter.h"
#include "system/thread_pool.h"

namespace vmafgpu {

/// How one plane is scaled.
struct PlaneScale {
    ScaleFilter across, down;
};

/// How pictures are scaled, whatever their depth.
class ScalePlan {
public:
    /// source: the pictures that come. width, height: of the result. Throws EINVAL with a text for
    /// the user if FFmpeg has no equal result.
    ScalePlan(const Format &source, int width, int height);

    const Format &source() const { return source_; }
    /// Returns the target's format, which differs from the source's in size only.
    const Format &target() const { return target_; }
    const PlaneScale &plane(int p) const { return p == 0 ? planes_[0] : planes_[1]; }

    /// True for a picture of the source's size.
    bool is_source(int width, int height) const
    {
        return width == source_.width && height == source_.height;
    }

private:
    Format source_, target_;
    std::array<PlaneScale, 2> planes_; ///< luma, chroma
};

/// Throws EINVAL for a depth of which FFmpeg has no format.
void check_scale_depth(int depth);

/// Reference code: scales a plane. `from` holds samples below 2^depth, of one byte up to 8 bits,
/// else of two; `to` gets such samples.
void scale_plane_ref(const PlaneScale &scale, int depth, const Plane &from, void *to,
                     ptrdiff_t to_pitch);

/// Scales a plane as scale_plane_ref() does, but fast: on the calling thread and the pool's.
void scale_plane(const PlaneScale &scale, int depth, const Plane &from, void *to,
                 ptrdiff_t to_pitch, ThreadPool &pool);

} // namespace vmafgpu
