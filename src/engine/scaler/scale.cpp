// SPDX-License-Identifier: BSD-2-Clause-Patent
// See scale.h: what is allowed, and the filters of a plan.
#include "scaler/scale.h"

#include <string>

#include "base/error.h"

namespace vmafgpu {
namespace {

std::string size_text(int width, int height)
{
    return std::to_string(width) + "x" + std::to_string(height);
}

/// Formats of FFmpeg that exist. Of other depths there is nothing to be equal to.
bool is_known_depth(int depth)
{
    return depth == 8 || depth == 9 || depth == 10 || depth == 12 || depth == 14 || depth == 16;
}

void check(const Format &source, int width, int height)
{
    if (!has_scalable_size(source.width, source.height))
        throw Error(EINVAL, "pictures of " + size_text(source.width, source.height) +
                                " cannot be scaled: sides of " + std::to_string(kMinScaleSize) +
                                " to " + std::to_string(kMaxScaleSize) + " can");
    if (!is_scale_near(source.width, width) || !is_scale_near(source.height, height))
        throw Error(EINVAL, "pictures of " + size_text(source.width, source.height) +
                                " cannot be scaled to " + size_text(width, height) +
                                ": a side may grow or shrink at most " + std::to_string(kMaxScale) +
                                " times");
}

} // namespace

ScalePlan::ScalePlan(const Format &source, int width, int height) : source_(source), target_(source)
{
    check(source, width, height);
    target_.width = width;
    target_.height = height;
    const int kinds = source.chroma == Chroma::k400 ? 1 : 2;
    for (int p = 0; p < kinds; ++p) {
        PlaneScale &scale = planes_[static_cast<size_t>(p)];
        scale.across =
            make_scale_filter(source_.plane_width(p), target_.plane_width(p), kScaleUnitAcross);
        scale.down =
            make_scale_filter(source_.plane_height(p), target_.plane_height(p), kScaleUnitDown);
    }
}

void check_scale_depth(int depth)
{
    if (!is_known_depth(depth))
        throw Error(EINVAL, "pictures of " + std::to_string(depth) +
                                " bits cannot be scaled: 8, 9, 10, 12, 14 and 16 bits can");
}

} // namespace vmafgpu
