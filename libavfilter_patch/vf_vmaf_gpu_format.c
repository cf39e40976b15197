/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixel formats of the vmaf_gpu filter: which ones it accepts on its pads, so that
 * libavfilter converts what libvmaf's filter would have converted, and what a format
 * or a link says about depth, chroma and planes. This is the lowest file of the
 * filter: it calls none of the others. Frames are handled in vf_vmaf_gpu_picture.c
 * (software), _hw.c (CUDA) and _drm.c (VAAPI, DRM_PRIME).
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <string.h>

#include "config.h"

#include "libavutil/avstring.h"
#include "libavutil/avutil.h"
#include "libavutil/error.h"
#include "libavutil/hwcontext.h"
#include "libavutil/opt.h"
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
#if VG_HAS_VULKAN
    if (ret >= 0)
        ret = ff_add_format(formats, AV_PIX_FMT_VULKAN);
#endif
#if CONFIG_D3D11VA
    if (ret >= 0)
        ret = ff_add_format(formats, AV_PIX_FMT_D3D11);
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
 * What libvmaf's filter accepts in this FFmpeg. The order counts as well: it decides
 * between formats that lose nothing.
 */
static const int libvmaf_formats[] = {
    AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV420P,
    AV_PIX_FMT_YUV444P10, AV_PIX_FMT_YUV422P10, AV_PIX_FMT_YUV420P10,
#if VG_LIBVMAF_HAS_12_AND_16_BITS
    AV_PIX_FMT_YUV444P12, AV_PIX_FMT_YUV422P12, AV_PIX_FMT_YUV420P12,
    AV_PIX_FMT_YUV444P16, AV_PIX_FMT_YUV422P16, AV_PIX_FMT_YUV420P16,
#endif
    -1,
};

/* ------------------------------------------- what the filters before will give */

static int is_hw_format(enum AVPixelFormat format)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

    return desc && desc->flags & AV_PIX_FMT_FLAG_HWACCEL;
}

/* What libavfilter negotiates between links, and the options of its source "buffer". */
enum { OFFER_FORMAT, OFFER_RANGE, OFFER_MATRIX };
#define UNKNOWN_OFFER (-1)

static const AVFilterFormats *offer_list(const AVFilterFormatsConfig *config, int what)
{
    return what == OFFER_FORMAT  ? config->formats
           : what == OFFER_RANGE ? VG_RANGES(config)
                                 : VG_MATRICES(config);
}

/* Sources made by the ffmpeg tool are asked for their formats after this filter. */
static int buffer_offer(const AVFilterContext *source, int what)
{
    static const char *const options[] = {"pix_fmt", "range", "colorspace"};
    enum AVPixelFormat format;
    int64_t value;

    if (what == OFFER_FORMAT)
        return av_opt_get_pixel_fmt(source->priv, options[what], 0, &format) < 0 ? UNKNOWN_OFFER
                                                                                : (int)format;
    return av_opt_get_int(source->priv, options[what], 0, &value) < 0 ? UNKNOWN_OFFER : (int)value;
}

static int is_buffer(const AVFilterContext *filter)
{
    return !strcmp(filter->filter->name, "buffer");
}

/* The link before a filter that hands on what it gets, or NULL. */
static const AVFilterLink *link_before(const AVFilterLink *link, int what)
{
    const AVFilterLink *before = link->src->nb_inputs ? link->src->inputs[0] : NULL;

    return before && offer_list(&before->outcfg, what) == offer_list(&link->incfg, what) ? before
                                                                                          : NULL;
}

/* The one format, range or matrix that the filters before can give, or UNKNOWN_OFFER. */
static int find_offer(const AVFilterLink *link, int what)
{
    const AVFilterFormats *list;
    int value;

    if (is_buffer(link->src))
        return buffer_offer(link->src, what);
    list = offer_list(&link->incfg, what);
    if (!list)
        return UNKNOWN_OFFER;
    if (list->nb_formats == 1)
        return list->formats[0];
    link = link_before(link, what);
    value = link ? find_offer(link, what) : UNKNOWN_OFFER;
    for (unsigned i = 0; i < list->nb_formats; i++)
        if (list->formats[i] == value)
            return value;
    return UNKNOWN_OFFER;
}

/* Whether a link, whose list is known, will get hardware frames. */
static int gets_hw_frames(const AVFilterLink *link)
{
    const AVFilterFormats *list = link->incfg.formats;
    const int offer = find_offer(link, OFFER_FORMAT);
    unsigned count = 0;

    if (offer != UNKNOWN_OFFER)
        return is_hw_format(offer);
    for (unsigned i = 0; i < list->nb_formats; i++)
        count += is_hw_format(list->formats[i]);
    if (!count || count == list->nb_formats)
        return !!count;
    /* A filter that can give both, e.g. hwmap, gets hardware frames; a source makes pictures. */
    return link_before(link, OFFER_FORMAT) ? gets_hw_frames(link_before(link, OFFER_FORMAT))
                                           : !!link->src->nb_inputs;
}

/* Whether any filter of the graph handles hardware frames. */
static int graph_has_hw_filters(const AVFilterContext *ctx)
{
    for (unsigned i = 0; i < ctx->graph->nb_filters; i++) {
        const AVFilterContext *other = ctx->graph->filters[i];

        if (is_buffer(other) ? is_hw_format(buffer_offer(other, OFFER_FORMAT))
                             : other->filter != ctx->filter &&
                                   VG_INTERNAL_FLAGS(other->filter) & FF_FILTER_FLAG_HWFRAME_AWARE)
            return 1;
    }
    return 0;
}

/* 1 if an input has hardware frames. AVERROR(EAGAIN): libavfilter has to ask others first. */
static int has_hw_input(AVFilterContext *ctx)
{
    if (!graph_has_hw_filters(ctx))
        return 0;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (!ctx->inputs[i]->incfg.formats && !is_buffer(ctx->inputs[i]->src))
            return AVERROR(EAGAIN);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (gets_hw_frames(ctx->inputs[i]))
            return 1;
    return 0;
}

/* ------------------------------------------------------------------ negotiation */

/*
 * The planar format with the samples of a semi-planar one; a format of libvmaf's list is
 * its own. Anything else is AV_PIX_FMT_NONE.
 */
static enum AVPixelFormat same_samples(int format)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format), *planar;
    int is_semi_planar;

    if (!desc || !ff_vmafgpu_is_supported(desc) || desc->nb_components != 3)
        return AV_PIX_FMT_NONE;
    is_semi_planar = desc->comp[1].plane == desc->comp[2].plane;
    for (const int *entry = libvmaf_formats; *entry >= 0; entry++) {
        planar = av_pix_fmt_desc_get(*entry);
        if (*entry == format ||
            (is_semi_planar && planar->comp[0].depth == desc->comp[0].depth &&
             planar->log2_chroma_w == desc->log2_chroma_w &&
             planar->log2_chroma_h == desc->log2_chroma_h))
            return *entry;
    }
    return AV_PIX_FMT_NONE;
}

/* Whether libavfilter will find the same range and matrix on both inputs. */
static int has_common_color(const AVFilterContext *ctx)
{
    for (int what = OFFER_RANGE; what <= OFFER_MATRIX; what++) {
        int offers[VMAF_GPU_NB_INPUTS];

        for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
            offers[i] = find_offer(ctx->inputs[i], what);
            /* libavfilter promotes one to the other without a conversion. */
            if (what == OFFER_RANGE && offers[i] == AVCOL_RANGE_UNSPECIFIED)
                offers[i] = AVCOL_RANGE_MPEG;
        }
        if (offers[0] == UNKNOWN_OFFER || offers[0] != offers[1])
            return 0;
    }
    return 1;
}

/* Whether the inputs are not known to have the same depth. */
static int may_differ_in_depth(const AVFilterContext *ctx)
{
    const AVPixFmtDescriptor *desc[VMAF_GPU_NB_INPUTS];

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        desc[i] = av_pix_fmt_desc_get(find_offer(ctx->inputs[i], OFFER_FORMAT));
    return !desc[0] || !desc[1] || desc[0]->comp[0].depth != desc[1]->comp[0].depth;
}

/*
 * Whether the samples need no conversion, since they are those that libvmaf's filter
 * would get, in another order (NV12, P010). Before FFmpeg 7.0, libavfilter does not
 * know the range of frames that it is about to convert, so the answer is no.
 */
static int needs_no_conversion(const AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    const enum AVPixelFormat format =
        same_samples(find_offer(ctx->inputs[VMAF_GPU_MAIN], OFFER_FORMAT));
    const enum AVPixelFormat reference =
        same_samples(find_offer(ctx->inputs[VMAF_GPU_REFERENCE], OFFER_FORMAT));

    return format != AV_PIX_FMT_NONE && reference != AV_PIX_FMT_NONE &&
           (format == reference || (s->deeper && may_differ_in_depth(ctx))) &&
           has_common_color(ctx);
}

static AVFilterFormats *libvmaf_list(void)
{
    return ff_make_format_list(libvmaf_formats);
}

/* Main and output share a list, since frames pass through; the reference may have its own. */
static int set_formats(AVFilterContext *ctx, AVFilterFormats *(*make)(void), int is_common)
{
    AVFilterFormats *list = make();
    int ret;

    if ((ret = ff_formats_ref(list, &ctx->inputs[VMAF_GPU_MAIN]->outcfg.formats)) < 0 ||
        (ret = ff_formats_ref(list, &ctx->outputs[0]->incfg.formats)) < 0)
        return ret;
    return ff_formats_ref(is_common ? list : make(),
                          &ctx->inputs[VMAF_GPU_REFERENCE]->outcfg.formats);
}

/* Every format that can be read, and separate lists, so that nothing is converted. */
static int accept_as_is(AVFilterContext *ctx)
{
    AVFilterLink *const *inputs = ctx->inputs;
    int ret;

    if ((ret = set_formats(ctx, supported_formats, 0)) < 0 ||
        (ret = vg_accept_all_colors(&inputs[VMAF_GPU_MAIN]->outcfg, &ctx->outputs[0]->incfg)) < 0)
        return ret;
    return vg_accept_all_colors(&inputs[VMAF_GPU_REFERENCE]->outcfg, NULL);
}

int ff_vmafgpu_query_formats(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    int ret = s->as_is ? 1 : has_hw_input(ctx);

    if (ret < 0)
        return ret;
    if (ret)
        return accept_as_is(ctx);
    if (needs_no_conversion(ctx))
        return set_formats(ctx, supported_formats, 0);
    return set_formats(ctx, libvmaf_list, !s->deeper || !may_differ_in_depth(ctx));
}

/* ------------------------------------------------------- format of a link */

AVFilterLink *ff_vmafgpu_unconverted(AVFilterLink *link)
{
    /* If memory ran out for a name, FFmpeg goes on without one. */
    while (link->src->nb_inputs == 1 && link->src->name &&
           av_strstart(link->src->name, "auto_scale_", NULL))
        link = link->src->inputs[0];
    return link;
}

int ff_vmafgpu_is_drm(enum AVPixelFormat format)
{
    return format == AV_PIX_FMT_VAAPI || format == AV_PIX_FMT_DRM_PRIME ||
           format == AV_PIX_FMT_VULKAN || format == AV_PIX_FMT_D3D11;
}

const AVHWFramesContext *ff_vmafgpu_hw_frames(AVFilterLink *link)
{
    AVBufferRef *frames = VG_LINK(link)->hw_frames_ctx;

    return frames ? (const AVHWFramesContext *)frames->data : NULL;
}

int ff_vmafgpu_has_fixed_pool(AVFilterLink *link)
{
    const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(link);

    /* Copies of CUDA frames wait instead: see ff_vmafgpu_leave_pool(). Vulkan's pools grow. */
    return frames && ff_vmafgpu_is_drm(link->format) && link->format != AV_PIX_FMT_VULKAN &&
           frames->initial_pool_size > 0;
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
