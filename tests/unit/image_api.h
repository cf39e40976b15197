// SPDX-License-Identifier: BSD-2-Clause-Patent
// Single images, by calls like those of the C API: how the engine takes pictures ahead, makes
// sketches and uses a picture in several pairs. Programs have vmafgpu_submit() and vmafgpu_push().
#pragma once

#include <cstdint>

#include "vmaf_gpu/vmaf_gpu.h"

/// A picture that the engine holds, in its own memory where it needs a copy: that of a device.
struct VmafGpuImage;

enum {
    VMAFGPU_IMAGE_SKETCH = 1 ///< vmafgpu_image_sketch() will be asked for
};

/// Take a picture, to use it in any number of pairs. On 0 the samples belong to the engine until it
/// calls release, within this call or a later one on the context. Features that run on the CPU read
/// some layouts in place; the engine then keeps the samples until the image is freed. flags:
/// VMAFGPU_IMAGE_SKETCH or 0. On failure *image is NULL and the picture remains the caller's. Never
/// -EAGAIN.
int vmafgpu_image_take(VmafGpuContext *ctx, const VmafGpuPicture *picture, int flags,
                       VmafGpuImage **image);

/// picture/sketch.h has the formula; a scaled picture's sketch is that of the result. Valid until
/// the image is freed. -EINVAL: taken without VMAFGPU_IMAGE_SKETCH.
int vmafgpu_image_sketch(VmafGpuContext *ctx, VmafGpuImage *image, const uint8_t **sketch);

/// Compares images as vmafgpu_compare() compares pictures.
int vmafgpu_image_compare(VmafGpuContext *ctx, VmafGpuImage *first, VmafGpuImage *second,
                          uint64_t *differing);

/// vmafgpu_submit() with images, which stay the caller's and may be freed at once. An image may be
/// both images of a pair. Pairs of pictures and of images may be mixed.
int vmafgpu_submit_images(VmafGpuContext *ctx, VmafGpuImage *reference, VmafGpuImage *distorted,
                          uint64_t tag);

/// Free an image, before vmafgpu_close(), and set *image to NULL; nothing if it or ctx is NULL.
/// vmafgpu_reset() and vmafgpu_cut() keep images.
void vmafgpu_image_free(VmafGpuContext *ctx, VmafGpuImage **image);
