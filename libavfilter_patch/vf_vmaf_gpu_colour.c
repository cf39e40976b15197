/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: what only frames tell of two inputs that are not made for each other: ranges,
 * fields and colours. The first frame of each input is looked at. See vf_vmaf_gpu_advice.h.
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

#include <stdio.h>
#include <string.h>

#include "libavutil/bprint.h"
#include "libavutil/log.h"
#include "libavutil/mem.h"
#include "libavutil/opt.h"
#include "libavutil/pixdesc.h"

#include "vf_vmaf_gpu_advice.h"

/* What a frame says of its samples. */
struct VmafGpuTags {
    int is_known, is_interlaced;
    enum AVColorRange range;
    enum AVColorPrimaries primaries;
    enum AVColorTransferCharacteristic transfer;
    enum AVColorSpace matrix;
};

/* The example with filters before one of the inputs. */
static void add_example_for(AVBPrint *text, AVFilterContext *ctx, int input, const char *filter)
{
    const char *filters[VMAF_GPU_NB_INPUTS] = {NULL};

    filters[input] = filter;
    ff_vmafgpu_add_example(text, ctx, filters);
}

/* ----------------------------------------------------------------------- ranges */

static int is_rgb(const AVFilterLink *link)
{
    return !!(av_pix_fmt_desc_get(link->format)->flags & AV_PIX_FMT_FLAG_RGB);
}

static int is_gray(enum AVPixelFormat format)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

    return desc->nb_components < 3 && !(desc->flags & AV_PIX_FMT_FLAG_HWACCEL);
}

/* The range that a format implies. FFmpeg takes gray for full range. */
static enum AVColorRange format_range(enum AVPixelFormat format)
{
    return is_gray(format) || !strncmp(av_get_pix_fmt_name(format), "yuvj", 4)
               ? AVCOL_RANGE_JPEG
               : AVCOL_RANGE_UNSPECIFIED;
}

static int is_source(const AVFilterLink *link)
{
    return !strcmp(link->src->filter->name, "buffer");
}

#define HIDDEN_RANGE (-1)

/*
 * The range of an input before libavfilter converted it. Before FFmpeg 7.0 a link does
 * not know it, and frames that were converted have another one.
 */
static int original_range(AVFilterLink *link, const struct VmafGpuTags *tags)
{
    AVFilterLink *original = ff_vmafgpu_unconverted(link);
    const enum AVColorRange range = format_range(original->format);
    int64_t value;

    if (range != AVCOL_RANGE_UNSPECIFIED)
        return range;
    /* A link after a source without a range says "limited", the source says the truth. */
    if (is_source(original) && av_opt_get_int(original->src->priv, "range", 0, &value) >= 0)
        return value;
    if (VG_LINK_RANGE(original) != AVCOL_RANGE_UNSPECIFIED)
        return VG_LINK_RANGE(original);
    return original == link ? (int)tags->range : HIDDEN_RANGE;
}

static const char *range_name(AVFilterLink *link, int range)
{
    return is_gray(ff_vmafgpu_unconverted(link)->format) ? "full range, as FFmpeg takes gray for it"
           : range == AVCOL_RANGE_JPEG                   ? "full range"
           : range == AVCOL_RANGE_MPEG                   ? "limited range"
           : range == HIDDEN_RANGE                       ? "another range"
                                                         : "no tagged range";
}

/* Without a tag, everyone takes YUV for limited range. */
static int is_full(int range)
{
    return range == AVCOL_RANGE_JPEG;
}

/*
 * One range, or libavfilter hid what it was. FFmpeg's scale tags its pictures as limited
 * and other filters do not, so that this tag says something only of an input itself.
 */
static int has_nothing_to_say(AVFilterContext *ctx, const int original[], const int compared[])
{
    if (is_full(compared[0]) != is_full(compared[1]))
        return 0;
    if (original[0] == original[1] || original[0] == HIDDEN_RANGE || original[1] == HIDDEN_RANGE)
        return 1;
    return !is_full(original[0]) && !is_full(original[1]) &&
           !(is_source(ctx->inputs[0]) && is_source(ctx->inputs[1]));
}

/* What to do if the input without a tag has full range. */
static void add_range_tag(AVBPrint *text, AVFilterContext *ctx, const int original[])
{
    const int untagged =
        original[VMAFGPU_MAIN] == AVCOL_RANGE_UNSPECIFIED ? VMAFGPU_MAIN : VMAFGPU_REFERENCE;

    if (original[untagged] != AVCOL_RANGE_UNSPECIFIED)
        return;
    av_bprintf(text, "; if %s has full range", ctx->input_pads[untagged].name);
    add_example_for(text, ctx, untagged, "setparams=range=pc");
}

static void add_range_remedy(AVBPrint *text, AVFilterContext *ctx, const int original[],
                             const int compared[])
{
    const char *filters[VMAF_GPU_NB_INPUTS] = {NULL};

    if (is_full(compared[0]) != is_full(compared[1])) {
        const int full = is_full(compared[VMAFGPU_MAIN]) ? VMAFGPU_MAIN : VMAFGPU_REFERENCE;

        av_bprintf(text, "the samples are compared as they are; to convert %s",
                   ctx->input_pads[full].name);
        filters[full] = "scale=in_range=pc:out_range=tv";
        filters[!full] = "setparams=range=tv";
        ff_vmafgpu_add_example(text, ctx, filters);
    } else if (is_full(original[0]) != is_full(original[1])) {
        const int converted = is_full(original[VMAFGPU_MAIN]) != is_full(compared[VMAFGPU_MAIN])
                                  ? VMAFGPU_MAIN
                                  : VMAFGPU_REFERENCE;

        av_bprintf(text, "FFmpeg converts %s, as for libvmaf (formats=asis: no conversion)",
                   ctx->input_pads[converted].name);
        /* Before 7.0 a tag does not keep FFmpeg from converting the yuvj input. */
        if (VG_CONVERTS_TAGGED_RANGES)
            add_range_tag(text, ctx, original);
    } else {
        av_bprintf(text, "both are taken for limited");
        add_range_tag(text, ctx, original);
    }
}

static void warn_range(AVFilterContext *ctx, const struct VmafGpuTags tags[])
{
    int original[VMAF_GPU_NB_INPUTS], compared[VMAF_GPU_NB_INPUTS];
    AVBPrint text;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        /* FFmpeg knows what to do with RGB; the range of gray that it leaves alone, nobody knows. */
        if (is_rgb(ff_vmafgpu_unconverted(ctx->inputs[i])) || is_gray(ctx->inputs[i]->format))
            return;
        compared[i] = tags[i].range;
        original[i] = original_range(ctx->inputs[i], &tags[i]);
    }
    if (has_nothing_to_say(ctx, original, compared))
        return;
    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    av_bprintf(&text, "main has %s, reference has %s: ", range_name(ctx->inputs[0], original[0]),
               range_name(ctx->inputs[1], original[1]));
    add_range_remedy(&text, ctx, original, compared);
    /* Of two copies of one file, Matroska's has the tag "limited", MP4's may have none. */
    if (is_full(original[0]) || is_full(original[1]))
        ff_vmafgpu_warn(ctx, "%s", text.str);
    else
        av_log(ctx, AV_LOG_VERBOSE, "%s\n", text.str);
}

/* --------------------------------------------------------------- fields, colours */

static void warn_fields(AVFilterContext *ctx, const struct VmafGpuTags tags[])
{
    const int interlaced =
        tags[VMAFGPU_MAIN].is_interlaced ? VMAFGPU_MAIN : VMAFGPU_REFERENCE;
    const char *name = ctx->input_pads[interlaced].name;
    AVBPrint text;

    if (!tags[0].is_interlaced == !tags[1].is_interlaced)
        return;
    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    av_bprintf(&text, "%s is interlaced, %s is progressive: deinterlace %s", name,
               ctx->input_pads[!interlaced].name, name);
    add_example_for(&text, ctx, interlaced, "bwdif=mode=send_frame");
    ff_vmafgpu_warn(ctx, "%s", text.str);
}

static int is_hdr(const struct VmafGpuTags *tags)
{
    return tags->transfer == AVCOL_TRC_SMPTE2084 || tags->transfer == AVCOL_TRC_ARIB_STD_B67;
}

/* Several names of one curve: BT.601, BT.709 and BT.2020 define the same. */
static int transfer_curve(enum AVColorTransferCharacteristic transfer)
{
    switch (transfer) {
    case AVCOL_TRC_SMPTE170M:
    case AVCOL_TRC_BT2020_10:
    case AVCOL_TRC_BT2020_12:
        return AVCOL_TRC_BT709;
    default:
        return transfer;
    }
}

static int primaries_kind(enum AVColorPrimaries primaries)
{
    return primaries == AVCOL_PRI_SMPTE240M ? AVCOL_PRI_SMPTE170M : primaries;
}

/* Matrices of BT.601 for 525 and 625 lines are the same. */
static int matrix_kind(enum AVColorSpace matrix)
{
    return matrix == AVCOL_SPC_BT470BG ? AVCOL_SPC_SMPTE170M : matrix;
}

static int add_difference(AVBPrint *text, const char *what, const char *name, const char *reference)
{
    av_bprintf(text, "%s%s (%s, %s)", text->len ? ", " : "main and reference differ in ", what,
               name ? name : "unknown", reference ? reference : "unknown");
    return 1;
}

/* 0 is no value of these tags in use, 2 is "unknown" in all three. */
static int differ(int kind, int reference)
{
    return kind != 2 && reference != 2 && kind != reference;
}

static int add_colour_differences(AVBPrint *text, const struct VmafGpuTags *a, const struct VmafGpuTags *b)
{
    int found = 0;

    if (differ(primaries_kind(a->primaries), primaries_kind(b->primaries)))
        found += add_difference(text, "primaries", av_color_primaries_name(a->primaries),
                                av_color_primaries_name(b->primaries));
    if (differ(transfer_curve(a->transfer), transfer_curve(b->transfer)))
        found += add_difference(text, "transfer", av_color_transfer_name(a->transfer),
                                av_color_transfer_name(b->transfer));
    if (differ(matrix_kind(a->matrix), matrix_kind(b->matrix)))
        found += add_difference(text, "matrix", av_color_space_name(a->matrix),
                                av_color_space_name(b->matrix));
    return found;
}

/*
 * From FFmpeg 7.0 on, libavfilter converts between matrices. It takes an input without a
 * tag for BT.601, so that one missing tag changes the luma of that input.
 */
static void warn_matrix(AVFilterContext *ctx)
{
    const char *matrix_names[VMAF_GPU_NB_INPUTS], *filters[VMAF_GPU_NB_INPUTS] = {NULL};
    int converted = -1, untagged = -1;
    char filter[64];
    AVBPrint text;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        AVFilterLink *original = ff_vmafgpu_unconverted(ctx->inputs[i]);
        const int matrix = VG_LINK_MATRIX(original);

        if (is_rgb(original) || is_gray(original->format))
            return;
        matrix_names[i] = av_color_space_name(matrix);
        if (matrix == AVCOL_SPC_UNSPECIFIED) {
            untagged = i;
            matrix_names[i] = "no tagged matrix";
        }
        if (matrix_kind(matrix) != matrix_kind(VG_LINK_MATRIX(ctx->inputs[i])))
            converted = i;
    }
    if (converted < 0)
        return;
    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    av_bprintf(&text, "main has %s%s, reference has %s%s: FFmpeg converts %s, as for libvmaf "
               "(formats=asis: no conversion)", untagged == 0 ? "" : "matrix ", matrix_names[0],
               untagged == 1 ? "" : "matrix ", matrix_names[1], ctx->input_pads[converted].name);
    if (untagged >= 0) {
        snprintf(filter, sizeof(filter), "setparams=colorspace=%s", matrix_names[!untagged]);
        filters[untagged] = filter;
        av_bprintf(&text, "; if both have the same");
        ff_vmafgpu_add_example(&text, ctx, filters);
    }
    ff_vmafgpu_warn(ctx, "%s", text.str);
}

/* Whether FFmpeg's filter colorspace knows all tags. */
static int is_convertible(const struct VmafGpuTags *tags)
{
    return differ(tags->primaries, 0) && differ(tags->transfer, 0) && differ(tags->matrix, 0) &&
           !is_hdr(tags);
}

static int warn_colour(AVFilterContext *ctx, const struct VmafGpuTags tags[])
{
    const struct VmafGpuTags *reference = &tags[VMAFGPU_REFERENCE];
    char filter[128];
    AVBPrint text;

    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    if (!add_colour_differences(&text, &tags[VMAFGPU_MAIN], reference))
        return 0;
    av_bprintf(&text, ": the samples are compared as they are");
    if (is_convertible(&tags[VMAFGPU_MAIN]) && is_convertible(reference)) {
        snprintf(filter, sizeof(filter), "colorspace=space=%s:primaries=%s:trc=%s",
                 av_color_space_name(reference->matrix),
                 av_color_primaries_name(reference->primaries),
                 av_color_transfer_name(reference->transfer));
        av_bprintf(&text, "; convert main");
        add_example_for(&text, ctx, VMAFGPU_MAIN, filter);
    }
    ff_vmafgpu_warn(ctx, "%s", text.str);
    return 1;
}

/* All built-in models were made with pictures of standard dynamic range. */
static void warn_hdr(AVFilterContext *ctx, const struct VmafGpuTags tags[])
{
    const VmafGpuFilter *s = ctx->priv;
    const struct VmafGpuTags *hdr = is_hdr(&tags[0]) ? &tags[0] : &tags[1];

    if (!is_hdr(hdr))
        return;
    for (int i = 0; i < s->model_count; i++) {
        if (!s->builtin_names[i])
            continue;
        ff_vmafgpu_warn(ctx, "the pictures are HDR (%s), but model %s was made for SDR: its scores "
                        "can rank encodes of one source, and mean nothing else",
                        av_color_transfer_name(hdr->transfer), s->builtin_names[i]);
        return;
    }
}

static void advise_frame(AVFilterContext *ctx, int input, const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    const enum AVColorRange range = format_range(frame->format);

    /* Without memory there is no advice. */
    if (!s->tags && !(s->tags = av_calloc(VMAF_GPU_NB_INPUTS, sizeof(*s->tags))))
        return;
    if (s->tags[input].is_known)
        return;
    s->tags[input] = (struct VmafGpuTags){
        .is_known = 1,
        .is_interlaced = VG_IS_INTERLACED(frame),
        .range = range == AVCOL_RANGE_UNSPECIFIED ? frame->color_range : range,
        .primaries = frame->color_primaries,
        .transfer = frame->color_trc,
        .matrix = frame->colorspace,
    };
    if (!s->tags[!input].is_known)
        return;
    warn_range(ctx, s->tags);
    warn_fields(ctx, s->tags);
    warn_matrix(ctx);
    if (!warn_colour(ctx, s->tags))
        warn_hdr(ctx, s->tags);
}

const VmafGpuAdvice ff_vmafgpu_advice = {
    ff_vmafgpu_advise_size,
    ff_vmafgpu_advise_links,
    advise_frame,
};
