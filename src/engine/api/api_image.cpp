// SPDX-License-Identifier: BSD-2-Clause-Patent
// The checks of pictures, and vmafgpu_compare().
#include "api/context.h"

namespace vmafgpu {

namespace {

constexpr const char *kUseNames[] = {"reference", "distorted", "the"};

/// The format that a picture of its size must have. Throws if its size is not allowed.
Format format_of(const VmafGpuPicture &picture, const Engine &engine, Use use)
{
    const Format &format = engine.settings().format;
    const ScalePlan *scale = engine.settings().scale.get();
    const auto is = [&picture](const Format &wanted) {
        return picture.width == wanted.width && picture.height == wanted.height;
    };
    if (scale != nullptr && use != Use::kReference && is(scale->source())) {
        check_scale_depth(picture.depth);
        Format source = scale->source();
        source.depth = format.depth;
        return source;
    }
    const bool is_only_scaled = scale != nullptr && use == Use::kDistorted;
    if (is(format) && !is_only_scaled)
        return format;
    const auto text = [](int width, int height) {
        return std::to_string(width) + "x" + std::to_string(height);
    };
    std::string wanted = is_only_scaled ? "" : text(format.width, format.height);
    if (scale != nullptr && use != Use::kReference)
        wanted += (wanted.empty() ? "" : " or ") +
                  text(scale->source().width, scale->source().height) + " for distorted pictures";
    throw Error(EINVAL, std::string(kUseNames[static_cast<int>(use)]) + " picture is " +
                            text(picture.width, picture.height) + ", the context " + wanted);
}

} // namespace

void check_picture(const VmafGpuPicture &picture, const Engine &engine, Use use)
{
    const std::string which = kUseNames[static_cast<int>(use)];
    const Format format = format_of(picture, engine, use);
    require_within("picture depth", picture.depth, 8, format.depth);
    const int container = picture.depth > 8 ? 16 : 8;
    require_within("picture shift", picture.shift, 0, container - picture.depth,
                   "0 to the container's bits less the depth");
    require((picture.flags & ~VMAFGPU_PICTURE_HOLD) == 0, "picture flags", picture.flags,
            "VMAFGPU_PICTURE_HOLD or 0");
    const int planes = engine.plan().needs_chroma() ? 3 : 1;
    for (int p = 0; p < planes; ++p) {
        const VmafGpuPlane &plane = picture.plane[p];
        if (plane.data == nullptr)
            throw Error(EINVAL, which + " picture: plane " + std::to_string(p) + " is NULL");
        const int bytes = container / 8;
        const int step = plane.step == 0 ? bytes : plane.step;
        require(plane.step == 0 || plane.step >= bytes, "plane step", plane.step,
                "0 or at least the bytes of a sample");
        const ptrdiff_t row = static_cast<ptrdiff_t>(step) * (format.plane_width(p) - 1) + bytes;
        require(plane.pitch >= row || plane.pitch <= -row, "plane pitch", plane.pitch,
                "at least a row of samples, or as much negative");
    }
}

} // namespace vmafgpu

int vmafgpu_compare(VmafGpuContext *ctx, const VmafGpuPicture *first, const VmafGpuPicture *second,
                    uint64_t *differing)
{
    if (differing != nullptr)
        *differing = 0;
    return vmafgpu::on_context(ctx, [&] {
        vmafgpu::require_given("vmafgpu_compare: no argument may be NULL", first, second,
                               differing);
        vmafgpu::check_picture(*first, *ctx->engine, vmafgpu::Use::kImage);
        vmafgpu::check_picture(*second, *ctx->engine, vmafgpu::Use::kImage);
        *differing = ctx->engine->compare(*first, *second);
        return 0;
    });
}
