/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: how an AVFrame becomes a VmafGpuPicture. Software frames are described
 * here; hardware frames go to vf_vmaf_gpu_hw.c and vf_vmaf_gpu_drm.c. Called by
 * vf_vmaf_gpu.c, which has the engine take the picture. No sample is read here.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include "libavutil/avutil.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/pixdesc.h"

#include "vf_vmaf_gpu.h"

static const char *const input_names[VMAF_GPU_NB_INPUTS] = {"main", "reference"};

static int check_frame(AVFilterContext *ctx, int input, const AVFrame *frame)
{
    const AVFilterLink *link = ctx->inputs[input];

    if (frame->width == link->w && frame->height == link->h && frame->format == link->format)
        return 0;
    av_log(ctx, AV_LOG_ERROR,
           "%s changed from %dx%d %s to %dx%d %s in mid-stream; insert a scale filter before "
           "vmaf_gpu\n",
           input_names[input], link->w, link->h, av_get_pix_fmt_name(link->format), frame->width,
           frame->height, av_get_pix_fmt_name(frame->format));
    return AVERROR(EINVAL);
}

static void release_frame(void *opaque)
{
    AVFrame *frame = opaque;

    av_frame_free(&frame);
}

static int wrap(AVFilterContext *ctx, VmafGpuPicture *picture, int input, const AVFrame *frame)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frame->format);

    memset(picture, 0, sizeof(*picture));
    picture->width = frame->width;
    picture->height = frame->height;
    if (desc->flags & AV_PIX_FMT_FLAG_HWACCEL) {
        int ret = ff_vmafgpu_check_hw_frame(ctx, input, frame);

        if (ret < 0)
            return ret;
        if (ff_vmafgpu_is_drm(frame->format))
            return ff_vmafgpu_wrap_drm_frame(ctx, picture, input, frame);
        ff_vmafgpu_describe_hw_frame(picture, frame);
    } else {
        picture->memory = VMAFGPU_MEMORY_HOST;
        ff_vmafgpu_describe_planes(picture, frame, desc);
    }

    picture->opaque = av_frame_clone(frame);
    if (!picture->opaque)
        return AVERROR(ENOMEM);
    picture->release = release_frame;
    return 0;
}

int ff_vmafgpu_wrap_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                          const AVFrame *frame)
{
    int ret = check_frame(ctx, input, frame);

    if (ret < 0)
        return ret;
    do {
        if ((ret = wrap(ctx, picture, input, frame)) < 0)
            return ret;
        ff_vmafgpu_compare_frame(ctx, input, frame);
        if (!ff_vmafgpu_is_drm(frame->format))
            return 0;
        ret = ff_vmafgpu_verify_drm_frame(ctx, picture, input, frame);
    } while (ret == VMAF_GPU_DIFFERENT);
    if (ret == VMAF_GPU_UNVERIFIED)
        return 0;
    return ret < 0 ? ret : wrap(ctx, picture, input, frame);
}
