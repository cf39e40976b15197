/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: calls of libva. Exports a surface as DRM_PRIME, and has the driver's video
 * processor copy a tiled surface to a linear one, so that the picture stays on the GPU.
 * vf_vmaf_gpu_drm.c decides when, and vf_vmaf_gpu_verify.c shows whether such a copy is
 * exact. Without VAAPI these functions find nothing to do.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * FFmpeg is distributed in the hope that it will be useful,
 * but WITHOUT ANY WARRANTY; without even the implied warranty of
 * MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
 * Lesser General Public License for more details.
 *
 * You should have received a copy of the GNU Lesser General Public
 * License along with FFmpeg; if not, write to the Free Software
 * Foundation, Inc., 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA
 */

#include "vf_vmaf_gpu_drm.h"

#if CONFIG_VAAPI && VMAF_GPU_CAN_IMPORT
#include <va/va.h>
#include <va/va_drmcommon.h>
#include <va/va_vpp.h>

#include "libavutil/hwcontext_vaapi.h"
#endif

#include "libavutil/common.h"
#include "libavutil/error.h"

#define CAN_COPY 0
#if CONFIG_VAAPI && VMAF_GPU_CAN_IMPORT
#if VA_CHECK_VERSION(1, 12, 0) /* VADRMFormatModifierList came with libva 2.12 */
#undef CAN_COPY
#define CAN_COPY 1
#endif
#endif

/* ------------------------------------------------------------------ exports */

#if VMAF_GPU_CAN_IMPORT
AVFrame *ff_vmafgpu_export_surface(const AVFrame *frame, char *reason)
{
    AVFrame *mapped;
    int ret = AVERROR(ENOSYS);

    if (frame->format == AV_PIX_FMT_DRM_PRIME)
        return av_frame_clone(frame);
    mapped = av_frame_alloc();
    if (!mapped)
        return NULL;
    mapped->format = AV_PIX_FMT_DRM_PRIME;
#if CONFIG_VAAPI && LIBAVUTIL_VERSION_MAJOR < 59
    /* FFmpeg 5.1 and 6.0 export without waiting for the decoder. */
    {
        const AVHWFramesContext *frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;
        const AVVAAPIDeviceContext *vaapi = frames->device_ctx->hwctx;

        if (vaSyncSurface(vaapi->display, (VASurfaceID)(uintptr_t)frame->data[3]) !=
            VA_STATUS_SUCCESS) {
            ff_vmafgpu_reason(reason, "not synchronised (vaSyncSurface failed)");
            av_frame_free(&mapped);
            return NULL;
        }
    }
#endif
    ret = av_hwframe_map(mapped, frame, AV_HWFRAME_MAP_READ);
    if (ret < 0) {
        ff_vmafgpu_reason(reason, "not exported by their driver (%s)", av_err2str(ret));
        av_frame_free(&mapped);
    }
    return mapped;
}
#endif

/* ------------------------------------------------------------------- copies */

#if CAN_COPY
struct VmafGpuCopier {
    AVBufferRef *pool; /* of linear surfaces, on the device of the source */
    VADisplay display;
    VAConfigID config;
    VAContextID context;
};

static int refuse(char *reason, const char *call, VAStatus status)
{
    return ff_vmafgpu_reason(reason, "not possible (%s: %s)", call, vaErrorStr(status));
}

static int make_linear_pool(VmafGpuCopier *copier, const AVHWFramesContext *like, char *reason)
{
    /* FFmpeg's pool keeps the pointers. */
    static uint64_t modifier = 0; /* DRM_FORMAT_MOD_LINEAR */
    static VADRMFormatModifierList list = {1, &modifier};
    VASurfaceAttrib attribute = {
        .type = VASurfaceAttribDRMFormatModifiers,
        .flags = VA_SURFACE_ATTRIB_SETTABLE,
        .value = {.type = VAGenericValueTypePointer, .value.p = &list},
    };
    AVVAAPIFramesContext *vaapi;
    AVHWFramesContext *frames;
    int ret;

    copier->pool = av_hwframe_ctx_alloc(like->device_ref);
    if (!copier->pool)
        return AVERROR(ENOMEM);
    frames = (AVHWFramesContext *)copier->pool->data;
    frames->format = like->format;
    frames->sw_format = like->sw_format;
    frames->width = like->width;
    frames->height = like->height;
    vaapi = frames->hwctx;
    vaapi->attributes = &attribute;
    vaapi->nb_attributes = 1;
    ret = av_hwframe_ctx_init(copier->pool);
    vaapi->attributes = NULL; /* FFmpeg has a copy */
    vaapi->nb_attributes = 0;
    if (ret < 0)
        return ff_vmafgpu_reason(reason, "not possible (no linear surfaces: %s)", av_err2str(ret));
    return 1;
}

static int open_processor(VmafGpuCopier *copier, const AVHWFramesContext *frames, char *reason)
{
    const AVVAAPIDeviceContext *vaapi = frames->device_ctx->hwctx;
    VAStatus status;

    copier->display = vaapi->display;
    status = vaCreateConfig(copier->display, VAProfileNone, VAEntrypointVideoProc, NULL, 0,
                            &copier->config);
    if (status != VA_STATUS_SUCCESS)
        return refuse(reason, "vaCreateConfig", status);
    status = vaCreateContext(copier->display, copier->config, frames->width, frames->height,
                             VA_PROGRESSIVE, NULL, 0, &copier->context);
    return status == VA_STATUS_SUCCESS ? 1 : refuse(reason, "vaCreateContext", status);
}

static int open_copier(VmafGpuCopier **out, const AVHWFramesContext *frames, char *reason)
{
    VmafGpuCopier *copier = av_mallocz(sizeof(*copier));
    int ret;

    if (!copier)
        return AVERROR(ENOMEM);
    copier->config = VA_INVALID_ID;
    copier->context = VA_INVALID_ID;
    *out = copier;
    ret = make_linear_pool(copier, frames, reason); /* first: it keeps the display open */
    return ret > 0 ? open_processor(copier, frames, reason) : ret;
}

/* One picture from surface to surface: the same region and, by zeros, the same colours. */
static int process(const VmafGpuCopier *copier, VASurfaceID from, VASurfaceID to,
                   const VARectangle *all, char *reason)
{
    VAProcPipelineParameterBuffer parameters = {
        .surface = from,
        .surface_region = all,
        .output_region = all,
        .output_background_color = 0xff000000,
        .filter_flags = VA_FRAME_PICTURE,
    };
    VABufferID buffer = VA_INVALID_ID;
    VAStatus status, ended;

    status = vaCreateBuffer(copier->display, copier->context, VAProcPipelineParameterBufferType,
                            sizeof(parameters), 1, &parameters, &buffer);
    if (status != VA_STATUS_SUCCESS)
        return refuse(reason, "vaCreateBuffer", status);
    status = vaBeginPicture(copier->display, copier->context, to);
    if (status == VA_STATUS_SUCCESS) {
        status = vaRenderPicture(copier->display, copier->context, &buffer, 1);
        ended = vaEndPicture(copier->display, copier->context); /* in any case */
        if (status == VA_STATUS_SUCCESS)
            status = ended;
    }
    vaDestroyBuffer(copier->display, buffer);
    return status == VA_STATUS_SUCCESS ? 1 : refuse(reason, "video processing", status);
}

int ff_vmafgpu_copy_to_linear(VmafGpuCopier **copier, const AVFrame *frame, AVFrame **copy,
                              char *reason)
{
    const AVHWFramesContext *frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    const VARectangle all = {0, 0, frames->width, frames->height};
    int ret = *copier ? 1 : open_copier(copier, frames, reason);

    if (ret <= 0)
        return ret;
    *copy = av_frame_alloc();
    if (!*copy)
        return AVERROR(ENOMEM);
    ret = av_hwframe_get_buffer((*copier)->pool, *copy, 0);
    if (ret < 0)
        ret = ff_vmafgpu_reason(reason, "not possible (no linear surface is left)");
    else
        ret = process(*copier, (VASurfaceID)(uintptr_t)frame->data[3],
                      (VASurfaceID)(uintptr_t)(*copy)->data[3], &all, reason);
    if (ret <= 0) {
        av_frame_free(copy);
        return ret;
    }
    (*copy)->width = frame->width;
    (*copy)->height = frame->height;
    return 1;
}

void ff_vmafgpu_free_copier(VmafGpuCopier **out)
{
    VmafGpuCopier *copier = *out;

    if (!copier)
        return;
    if (copier->context != VA_INVALID_ID)
        vaDestroyContext(copier->display, copier->context);
    if (copier->config != VA_INVALID_ID)
        vaDestroyConfig(copier->display, copier->config);
    av_buffer_unref(&copier->pool);
    av_freep(out);
}
#else
int ff_vmafgpu_copy_to_linear(VmafGpuCopier **copier, const AVFrame *frame, AVFrame **copy,
                              char *reason)
{
    return ff_vmafgpu_reason(reason, "not possible (libva 2.12 is needed)");
}

void ff_vmafgpu_free_copier(VmafGpuCopier **copier)
{
}
#endif
