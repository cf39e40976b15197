/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: hardware frames: checks of every kind, and CUDA frames, which are
 * not downloaded. VAAPI and DRM_PRIME frames are in vf_vmaf_gpu_drm.c, software
 * frames in vf_vmaf_gpu_picture.c.
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

#include <string.h>

#include "config.h"

#include "libavutil/buffer.h"
#include "libavutil/error.h"
#include "libavutil/hwcontext.h"
#include "libavutil/log.h"
#include "libavutil/pixdesc.h"

#if CONFIG_CUDA
#include "libavutil/hwcontext_cuda_internal.h"
#endif

#include "vf_vmaf_gpu.h"

/* ------------------------------------------------------------------ pools */

/* A pool of frames like those of another one, on the same device. */
static int make_pool(const AVHWFramesContext *like, AVBufferRef **pool)
{
    AVHWFramesContext *frames;
    int ret;

    *pool = av_hwframe_ctx_alloc(like->device_ref);
    if (!*pool)
        return AVERROR(ENOMEM);
    frames = (AVHWFramesContext *)(*pool)->data;
    frames->format = like->format;
    frames->sw_format = like->sw_format;
    frames->width = like->width;
    frames->height = like->height;
    ret = av_hwframe_ctx_init(*pool);
    if (ret < 0)
        av_buffer_unref(pool);
    return ret;
}

int ff_vmafgpu_pass_hw_frames(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    AVFilterLink *from = ctx->inputs[VMAF_GPU_MAIN], *to = ctx->outputs[0];
    AVBufferRef *frames = VG_LINK(from)->hw_frames_ctx;
    int ret;

    if (!frames)
        return 0;
    av_buffer_unref(&VG_LINK(to)->hw_frames_ctx);
    av_buffer_unref(&s->main_pool);
    if (from->format == AV_PIX_FMT_CUDA) {
        ret = make_pool((const AVHWFramesContext *)frames->data, &s->main_pool);
        if (ret < 0)
            return ret;
        frames = s->main_pool;
    }
    VG_LINK(to)->hw_frames_ctx = av_buffer_ref(frames);
    return VG_LINK(to)->hw_frames_ctx ? 0 : AVERROR(ENOMEM);
}

int ff_vmafgpu_leave_pool(AVFilterContext *ctx, AVFrame **frame)
{
    const VmafGpuFilter *s = ctx->priv;
    AVFrame *copy;
    int ret;

    if (!s->main_pool)
        return 0;
    copy = av_frame_alloc();
    if (!copy)
        return AVERROR(ENOMEM);
    if ((ret = av_hwframe_get_buffer(s->main_pool, copy, 0)) < 0 ||
        (ret = av_hwframe_transfer_data(copy, *frame, 0)) < 0 ||
        (ret = av_frame_copy_props(copy, *frame)) < 0) {
        av_frame_free(&copy);
        return ret == AVERROR(ENOSYS) ? 0 : ret; /* mapped from elsewhere: it waits itself */
    }
    copy->width = (*frame)->width;
    copy->height = (*frame)->height;
    av_frame_free(frame);
    *frame = copy;
    return 0;
}

/* ----------------------------------------------------------------- devices */

static int check_software_format(AVFilterContext *ctx, const AVHWFramesContext *frames)
{
    if (ff_vmafgpu_is_supported(av_pix_fmt_desc_get(frames->sw_format)))
        return 0;
    av_log(ctx, AV_LOG_ERROR,
           "unsupported hardware frame format %s (supported: nv12, p010, p016, yuv420p, yuv444p, "
           "yuv444p16, ...); use hwdownload, scale_cuda=format=nv12 or scale_vaapi=format=nv12\n",
           av_get_pix_fmt_name(frames->sw_format));
    return AVERROR(EINVAL);
}

#if CONFIG_CUDA
static int take_cuda(AVFilterContext *ctx, VmafGpuSettings *settings,
                     const AVCUDADeviceContext *cuda)
{
    if (settings->native_context && settings->native_context != cuda->cuda_ctx) {
        av_log(ctx, AV_LOG_ERROR, "main and reference are on different devices (contexts %p and "
               "%p); use one -init_hw_device\n", settings->native_context, (void *)cuda->cuda_ctx);
        return AVERROR(EINVAL);
    }
    if (settings->native_context && settings->native_stream != cuda->stream) {
        av_log(ctx, AV_LOG_ERROR, "main and reference use different CUDA streams; use one "
               "-init_hw_device\n");
        return AVERROR(EINVAL);
    }
    settings->native_context = cuda->cuda_ctx;
    settings->native_stream = cuda->stream;
    return 0;
}

/* Software frames use the device of -filter_hw_device, if there is one. */
static void take_filter_device(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    const AVHWDeviceContext *device =
        ctx->hw_device_ctx ? (AVHWDeviceContext *)ctx->hw_device_ctx->data : NULL;
    const VmafGpuFilter *s = ctx->priv;

    if (!device || device->type != AV_HWDEVICE_TYPE_CUDA || s->opt.device ||
        strcmp(s->backend, "cuda"))
        return;
    take_cuda(ctx, settings, device->hwctx);
}

static int use_cuda(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    const VmafGpuFilter *s = ctx->priv;
    int ret;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(ctx->inputs[i]);

        if (frames && ctx->inputs[i]->format == AV_PIX_FMT_CUDA &&
            (ret = take_cuda(ctx, settings, frames->device_ctx->hwctx)) < 0)
            return ret;
    }
    if (!settings->native_context) {
        take_filter_device(ctx, settings);
        return 0;
    }
    if (strcmp(s->backend, "auto") && strcmp(s->backend, "cuda")) {
        av_log(ctx, AV_LOG_ERROR, "backend=%s was requested but frames are CUDA; hwdownload first "
               "or use backend=cuda\n", s->backend);
        return AVERROR(EINVAL);
    }
    return 1;
}
#else
static int use_cuda(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    return 0;
}
#endif

int ff_vmafgpu_use_hw_device(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(ctx->inputs[i]);
        int ret = frames ? check_software_format(ctx, frames) : 0;

        if (ret < 0)
            return ret;
    }
    return use_cuda(ctx, settings);
}

int ff_vmafgpu_check_hw_link(AVFilterContext *ctx, int input)
{
    const AVFilterLink *link = ctx->inputs[input];

    if (!(av_pix_fmt_desc_get(link->format)->flags & AV_PIX_FMT_FLAG_HWACCEL) ||
        VG_LINK(ctx->inputs[input])->hw_frames_ctx)
        return 0;
    av_log(ctx, AV_LOG_ERROR, "%s: %s frames without a hw_frames_ctx; use hwdownload\n",
           ctx->input_pads[input].name, av_get_pix_fmt_name(link->format));
    return AVERROR(EINVAL);
}

int ff_vmafgpu_check_hw_frame(AVFilterContext *ctx, int input, const AVFrame *frame)
{
    const AVHWFramesContext *pool = ff_vmafgpu_hw_frames(ctx->inputs[input]);
    const AVHWFramesContext *frames =
        frame->hw_frames_ctx ? (const AVHWFramesContext *)frame->hw_frames_ctx->data : NULL;
    const char *what = !frames ? "has no hw_frames_ctx"
                       : !pool || frames->sw_format != pool->sw_format
                           ? "is not from its input's pool"
                       : frames->device_ctx != pool->device_ctx ? "is on another device than its input"
                                                                : NULL;

    if (!what)
        return 0;
    av_log(ctx, AV_LOG_ERROR, "%s: a hardware frame %s; use hwdownload\n", ctx->input_pads[input].name,
           what);
    return AVERROR(EINVAL);
}

void ff_vmafgpu_describe_hw_frame(VmafGpuPicture *picture, const AVFrame *frame)
{
    const AVHWFramesContext *frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;

    picture->memory = VMAFGPU_MEMORY_DEVICE;
    ff_vmafgpu_describe_planes(picture, frame, av_pix_fmt_desc_get(frames->sw_format));
}
