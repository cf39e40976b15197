/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixel formats of the vmaf_gpu filter: which ones it accepts on its pads, and
 * what a format or a link says about depth, chroma and planes. This is the lowest
 * file of the filter: it calls none of the others. Frames are handled in
 * vf_vmaf_gpu_picture.c (software), _hw.c (CUDA) and _drm.c (VAAPI, DRM_PRIME).
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include "config.h"

#include "libavutil/avutil.h"
#include "libavutil/error.h"
#include "libavutil/hwcontext.h"
#include "libavutil/pixdesc.h"

#include "vf_vmaf_gpu.h"

/* ------------------------------------------------------- accepted formats */

/* A sample of 8 bits is one byte only if it is not shifted. */
static int bytes_per_sample(const AVComponentDescriptor *luma)
{
    return luma->depth + luma->shift > 8 ? 2 : 1;
}

/*
 * A rule, not a list of formats, so that new formats are accepted without a
 * change. Alpha is ignored. Chroma matters only to features that read it.
 */
int ff_vmafgpu_is_supported(const AVPixFmtDescriptor *desc)
{
    const AVComponentDescriptor *luma = &desc->comp[0];
    const uint64_t unwanted = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                              AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_RGB |
                              AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

    if (!desc->nb_components || desc->flags & unwanted)
        return 0;
    if (luma->depth < 8 || luma->depth + luma->shift > 16)
        return 0;
    if (luma->plane || luma->offset || luma->step != bytes_per_sample(luma))
        return 0;
    return luma->step == 1 || !(desc->flags & AV_PIX_FMT_FLAG_BE) == !AV_HAVE_BIGENDIAN;
}

static int add_hw_formats(AVFilterFormats **formats)
{
    int ret = 0;

#if CONFIG_CUDA
    ret = ff_add_format(formats, AV_PIX_FMT_CUDA);
#endif
#if CONFIG_VAAPI
    if (ret >= 0)
        ret = ff_add_format(formats, AV_PIX_FMT_VAAPI);
#endif
#if CONFIG_LIBDRM
    if (ret >= 0)
        ret = ff_add_format(formats, AV_PIX_FMT_DRM_PRIME);
#endif
    return ret;
}

static AVFilterFormats *supported_formats(void)
{
    const AVPixFmtDescriptor *desc = NULL;
    AVFilterFormats *formats = NULL;

    while ((desc = av_pix_fmt_desc_next(desc)))
        if (ff_vmafgpu_is_supported(desc) && ff_add_format(&formats, av_pix_fmt_desc_get_id(desc)) < 0)
            return NULL;
    return add_hw_formats(&formats) < 0 ? NULL : formats;
}

/*
 * The inputs have separate lists: with a common one, libavfilter would convert the
 * reference to the format of main, even from 10 bits down to 8.
 */
int ff_vmafgpu_query_formats(AVFilterContext *ctx)
{
    AVFilterFormats *passed = supported_formats();
    int ret;

    ret = ff_formats_ref(passed, &ctx->inputs[VMAF_GPU_MAIN]->outcfg.formats);
    if (ret < 0)
        return ret;
    ret = ff_formats_ref(passed, &ctx->outputs[0]->incfg.formats);
    if (ret < 0)
        return ret;
    return ff_formats_ref(supported_formats(), &ctx->inputs[VMAF_GPU_REFERENCE]->outcfg.formats);
}

/* ------------------------------------------------------- format of a link */

int ff_vmafgpu_is_drm(enum AVPixelFormat format)
{
    return format == AV_PIX_FMT_VAAPI || format == AV_PIX_FMT_DRM_PRIME;
}

const AVHWFramesContext *ff_vmafgpu_hw_frames(AVFilterLink *link)
{
    AVBufferRef *frames = VG_LINK(link)->hw_frames_ctx;

    return frames ? (const AVHWFramesContext *)frames->data : NULL;
}

int ff_vmafgpu_has_fixed_pool(AVFilterLink *link)
{
    const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(link);

    /* Copies of CUDA frames wait instead: see ff_vmafgpu_leave_pool(). */
    return frames && ff_vmafgpu_is_drm(link->format) && frames->initial_pool_size > 0;
}

enum AVPixelFormat ff_vmafgpu_software_format(AVFilterLink *link)
{
    const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(link);

    return frames ? frames->sw_format : link->format;
}

int ff_vmafgpu_link_depth(AVFilterLink *link)
{
    return av_pix_fmt_desc_get(ff_vmafgpu_software_format(link))->comp[0].depth;
}

/* --------------------------------------------------------- planes and chroma */

/* Whether Cb or Cr has the depth and shift of luma. It may be interleaved. */
static int is_like_luma(const AVComponentDescriptor *chroma, const AVComponentDescriptor *luma)
{
    return chroma->depth == luma->depth && chroma->shift == luma->shift &&
           chroma->plane > 0 && chroma->step % luma->step == 0;
}

/* VmafGpuChroma of a format; 400 also if the engine cannot read its chroma. */
static int chroma_layout(const AVPixFmtDescriptor *desc)
{
    if (desc->nb_components < 3 || !is_like_luma(&desc->comp[1], &desc->comp[0]) ||
        !is_like_luma(&desc->comp[2], &desc->comp[0]))
        return VMAFGPU_CHROMA_400;
    if (desc->log2_chroma_w == 1 && desc->log2_chroma_h == 1)
        return VMAFGPU_CHROMA_420;
    if (desc->log2_chroma_w == 1 && !desc->log2_chroma_h)
        return VMAFGPU_CHROMA_422;
    if (!desc->log2_chroma_w && !desc->log2_chroma_h)
        return VMAFGPU_CHROMA_444;
    return VMAFGPU_CHROMA_400;
}

int ff_vmafgpu_common_chroma(AVFilterContext *ctx)
{
    int chroma[VMAF_GPU_NB_INPUTS];

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        chroma[i] = chroma_layout(
            av_pix_fmt_desc_get(ff_vmafgpu_software_format(ctx->inputs[i])));
    return chroma[0] == chroma[1] ? chroma[0] : VMAFGPU_CHROMA_400;
}

void ff_vmafgpu_describe_planes(VmafGpuPicture *picture, const AVFrame *frame,
                                const AVPixFmtDescriptor *desc)
{
    int planes = chroma_layout(desc) == VMAFGPU_CHROMA_400 ? 1 : 3;

    picture->depth = desc->comp[0].depth;
    picture->shift = desc->comp[0].shift;
    for (int i = 0; i < planes; i++) {
        const AVComponentDescriptor *comp = &desc->comp[i];

        picture->plane[i].data = frame->data[comp->plane] + comp->offset;
        picture->plane[i].pitch = frame->linesize[comp->plane];
        picture->plane[i].step = comp->step;
    }
}
