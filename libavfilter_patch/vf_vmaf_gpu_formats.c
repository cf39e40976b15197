/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: the options formats= and depth=. libavfilter converts what it would
 * convert for libvmaf's filter, so that the scores are those of libvmaf's
 * filter.
 *
 * This file is part of FFmpeg.
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

#include "libavutil/avstring.h"

#include "vf_vmaf_gpu.h"

/* What libvmaf's filter accepts. The first one that loses nothing is taken. */
static const int libvmaf_formats[] = {
    AV_PIX_FMT_YUV444P,
    AV_PIX_FMT_YUV422P,
    AV_PIX_FMT_YUV420P,
    AV_PIX_FMT_YUV444P10,
    AV_PIX_FMT_YUV422P10,
    AV_PIX_FMT_YUV420P10,
#if VG_LIBVMAF_HAS_12_AND_16_BITS
    AV_PIX_FMT_YUV444P12,
    AV_PIX_FMT_YUV422P12,
    AV_PIX_FMT_YUV420P12,
    AV_PIX_FMT_YUV444P16,
    AV_PIX_FMT_YUV422P16,
    AV_PIX_FMT_YUV420P16,
#endif
    -1,
};

/* ------------------------------------ what the filters before will give */

static int is_hw_format(enum AVPixelFormat format)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

    return desc && desc->flags & AV_PIX_FMT_FLAG_HWACCEL;
}

/* What libavfilter negotiates between links. */
enum { OFFER_FORMAT, OFFER_RANGE, OFFER_MATRIX };
#define UNKNOWN_OFFER (-1)

static const AVFilterFormats *offer_list(const AVFilterFormatsConfig *config,
                                         int what)
{
    return what == OFFER_FORMAT  ? config->formats
           : what == OFFER_RANGE ? VG_RANGES(config)
                                 : VG_MATRICES(config);
}

/* Sources of the ffmpeg tool are asked for their formats after this filter. */
static int buffer_offer(const AVFilterContext *source, int what)
{
    static const char *const options[] = { "pix_fmt", "range", "colorspace" };
    int64_t value;

    return av_opt_get_int(source->priv, options[what], 0, &value) < 0
               ? UNKNOWN_OFFER
               : (int)value;
}

static int is_buffer(const AVFilterContext *filter)
{
    return !strcmp(filter->filter->name, "buffer");
}

/* The link before a filter that hands on what it gets, or NULL. */
static const AVFilterLink *link_before(const AVFilterLink *link, int what)
{
    const AVFilterLink *before =
        link->src->nb_inputs ? link->src->inputs[0] : NULL;

    return before && offer_list(&before->outcfg, what) ==
                         offer_list(&link->incfg, what)
               ? before
               : NULL;
}

/* The only format, range or matrix that can come, or UNKNOWN_OFFER. */
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
    /* A filter that can give both, as hwmap, gets them; a source does not. */
    return link_before(link, OFFER_FORMAT)
               ? gets_hw_frames(link_before(link, OFFER_FORMAT))
               : !!link->src->nb_inputs;
}

/* Whether any filter of the graph handles hardware frames. */
static int graph_has_hw_filters(const AVFilterContext *ctx)
{
    for (unsigned i = 0; i < ctx->graph->nb_filters; i++) {
        const AVFilterContext *other = ctx->graph->filters[i];

        if (is_buffer(other) ? is_hw_format(buffer_offer(other, OFFER_FORMAT))
                             : other->filter != ctx->filter &&
                                   VG_INTERNAL_FLAGS(other->filter) &
                                       FF_FILTER_FLAG_HWFRAME_AWARE)
            return 1;
    }
    return 0;
}

/* AVERROR(EAGAIN): libavfilter has to ask other filters first. */
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

/* ----------------------------------------------------------- negotiation */

/*
 * The planar format with the samples of a semi-planar one; a format of
 * libvmaf's list is its own. Anything else is AV_PIX_FMT_NONE.
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
    return !desc[0] || !desc[1] ||
           desc[0]->comp[0].depth != desc[1]->comp[0].depth;
}

/*
 * Whether the samples need no conversion, since they are those that libvmaf's
 * filter would get, in another order (NV12, P010). Before FFmpeg 7.0,
 * libavfilter does not know the range of frames that it is about to convert, so
 * the answer is no.
 */
static int needs_no_conversion(const AVFilterContext *ctx, int is_common)
{
    const enum AVPixelFormat main =
        same_samples(find_offer(ctx->inputs[VMAFGPU_MAIN], OFFER_FORMAT));
    const enum AVPixelFormat reference =
        same_samples(find_offer(ctx->inputs[VMAFGPU_REFERENCE], OFFER_FORMAT));

    return main != AV_PIX_FMT_NONE && reference != AV_PIX_FMT_NONE &&
           (main == reference || !is_common) && has_common_color(ctx);
}

static AVFilterFormats *libvmaf_list(void)
{
    return ff_make_format_list(libvmaf_formats);
}

/* Main and output share a list; the reference may have its own. */
static int set_formats(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    AVFilterFormatsConfig *reference = &ctx->inputs[VMAFGPU_REFERENCE]->outcfg;
    AVFilterFormats *(*make)(void) = libvmaf_list;
    const int is_hw = s->opt.as_is ? 0 : has_hw_input(ctx);
    int is_common = !s->opt.deeper || !may_differ_in_depth(ctx), ret = 0;

    if (s->opt.as_is || is_hw)
        return FFMIN(is_hw, 0);
    if (needs_no_conversion(ctx, is_common)) {
        make = ff_vmafgpu_supported_formats;
        is_common = 0;
    }
    if (!is_common)
        ret = ff_formats_ref(make(), &reference->formats);
    if (ret >= 0)
        ret = ff_set_common_formats(ctx, make());
    return ret < 0 ? ret : 1;
}

/* ---------------------------------------------------- before conversions */

static AVFilterLink *unconverted(AVFilterLink *link)
{
    /* If memory ran out for a name, FFmpeg goes on without one. */
    while (link->src->nb_inputs == 1 && link->src->name &&
           av_strstart(link->src->name, "auto_scale_", NULL))
        link = link->src->inputs[0];
    return link;
}

/* Before FFmpeg 7.0 a link knows no range or matrix: those of frames stay. */
static void describe_original(AVFilterLink *link, VmafGpuInput *input)
{
    AVFilterLink *original = unconverted(link);

#ifdef VG_NO_COLORS
    /* FFmpeg converts full range, tagged or not: no tag is asked for. */
    if (!strcmp(input->range, "unknown"))
        av_strlcpy(input->range, "tv", sizeof(input->range));
#else
    /* Behind a source without a range a link says "limited". */
    const int range = is_buffer(original->src)
                          ? buffer_offer(original->src, OFFER_RANGE)
                          : (int)original->color_range;

    if (range > AVCOL_RANGE_UNSPECIFIED || (!range && is_buffer(original->src)))
        av_strlcpy(input->range, av_color_range_name(range),
                   sizeof(input->range));
    if (original == link)
        return;
    av_strlcpy(input->matrix, av_color_space_name(original->colorspace),
               sizeof(input->matrix));
#endif
    av_strlcpy(input->format,
               av_get_pix_fmt_name(ff_vmafgpu_software_format(original)),
               sizeof(input->format));
}

const struct VmafGpuConversion ff_vmafgpu_conversion = { set_formats,
                                                         describe_original };
