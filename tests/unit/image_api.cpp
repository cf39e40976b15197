// SPDX-License-Identifier: BSD-2-Clause-Patent
// See image_api.h.
#include "image_api.h"

#include "api/context.h"

using vmafgpu::on_context;

struct VmafGpuImage {
    std::shared_ptr<vmafgpu::TakenImage> image;
    bool has_sketch;
};

int vmafgpu_image_take(VmafGpuContext *ctx, const VmafGpuPicture *picture, int flags,
                       VmafGpuImage **image)
{
    *image = nullptr;
    return on_context(ctx, [&] {
        vmafgpu::check_picture(*picture, *ctx->engine, vmafgpu::Use::kImage);
        // First what may fail: afterwards the picture belongs to the engine.
        auto taken = std::make_unique<VmafGpuImage>();
        taken->has_sketch = (flags & VMAFGPU_IMAGE_SKETCH) != 0;
        taken->image =
            ctx->engine->take(std::make_shared<vmafgpu::HeldPicture>(*picture), taken->has_sketch);
        *image = taken.release();
        return 0;
    });
}

int vmafgpu_image_sketch(VmafGpuContext *ctx, VmafGpuImage *image, const uint8_t **sketch)
{
    *sketch = nullptr;
    return on_context(ctx, [&] {
        if (!image->has_sketch)
            throw vmafgpu::Error(EINVAL, "this image was taken without VMAFGPU_IMAGE_SKETCH");
        *sketch = ctx->engine->executor().sketch(*image->image);
        return 0;
    });
}

int vmafgpu_image_compare(VmafGpuContext *ctx, VmafGpuImage *first, VmafGpuImage *second,
                          uint64_t *differing)
{
    return on_context(ctx, [&] {
        *differing = ctx->engine->executor().count_differing(*first->image, *second->image);
        return 0;
    });
}

int vmafgpu_submit_images(VmafGpuContext *ctx, VmafGpuImage *reference, VmafGpuImage *distorted,
                          uint64_t tag)
{
    return on_context(ctx, [&] {
        return ctx->engine->submit_images(reference->image, distorted->image, tag) ? 0 : -EAGAIN;
    });
}

void vmafgpu_image_free(VmafGpuContext *ctx, VmafGpuImage **image)
{
    if (ctx != nullptr)
        delete *image;
    *image = nullptr;
}
