/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: what of the two inputs, before the first frame, makes their comparison
 * impossible or of little meaning: sizes, pixel shapes, bit depths, and pictures that the
 * model was not made for. A message is one line, and ends with a filter graph that helps,
 * where there is one. What only frames tell is in vf_vmaf_gpu_colour.c.
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

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libavutil/avstring.h"
#include "libavutil/bprint.h"
#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/opt.h"
#include "libavutil/pixdesc.h"
#include "libavutil/rational.h"

#include "vf_vmaf_gpu_advice.h"

/* Pixels of a coded picture that are not for display are fewer than a macroblock. */
#define MAX_CODING_ROWS 16

AVFilterLink *ff_vmafgpu_unconverted(AVFilterLink *link)
{
    /* If memory ran out for a name, FFmpeg goes on without one. */
    while (link->src->nb_inputs == 1 && link->src->name &&
           av_strstart(link->src->name, "auto_scale_", NULL))
        link = link->src->inputs[0];
    return link;
}

/* ------------------------------------------------------------------- messages */

void ff_vmafgpu_add_example(AVBPrint *text, AVFilterContext *ctx, const char *const filters[])
{
    static const char labels[VMAF_GPU_NB_INPUTS] = {'d', 'r'};
    const VmafGpuFilter *s = ctx->priv;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (filters[i] && ff_vmafgpu_hw_frames(ctx->inputs[i]))
            return;
    av_bprintf(text, ", e.g. ");
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (filters[i])
            av_bprintf(text, "[%d:v]%s[%c];", i, filters[i], labels[i]);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (filters[i])
            av_bprintf(text, "[%c]", labels[i]);
        else
            av_bprintf(text, "[%d:v]", i);
    av_bprintf(text, "vmaf_gpu%s", s->opt.scales ? "=scale=bicubic" : "");
}

/* The example with filters before main, reference or both. */
static void add_example(AVBPrint *text, AVFilterContext *ctx, const char *main_filters,
                        const char *reference_filters)
{
    const char *const filters[VMAF_GPU_NB_INPUTS] = {main_filters, reference_filters};

    ff_vmafgpu_add_example(text, ctx, filters);
}

/* ------------------------------------------------------------------------ sizes */

static double pixel_aspect(const AVFilterLink *link)
{
    const AVRational sar = link->sample_aspect_ratio;

    return sar.num > 0 && sar.den > 0 ? av_q2d(sar) : 1;
}

/* Width to height of the displayed picture. */
static double display_aspect(const AVFilterLink *link)
{
    return pixel_aspect(link) * link->w / link->h;
}

/* Whether ratios are equal but for the rounding of sizes, within some hundredths. */
static int is_close(double a, double b, double hundredths)
{
    return FFMAX(a, b) < FFMIN(a, b) * (1 + hundredths / 100);
}

/* 4:2:0 needs even sizes. */
static int round_to_even(double length)
{
    return FFMAX(2, 2 * (int)lrint(length / 2));
}

/*
 * The filter that cuts a picture to a size. A few rows or columns more are the coder's,
 * at the right and at the bottom; otherwise they are bars, on both sides.
 */
static void print_crop(char *out, size_t size, int from_w, int from_h, int w, int h)
{
    const int x = from_w - w < MAX_CODING_ROWS ? 0 : (from_w - w) / 4 * 2;
    const int y = from_h - h < MAX_CODING_ROWS ? 0 : (from_h - h) / 4 * 2;

    snprintf(out, size, "crop=%d:%d:%d:%d%s", w, h, x, y, (w | h) & 1 ? ":exact=1" : "");
}

/* One picture holds the other at the same scale. */
static void suggest_crop(AVBPrint *text, AVFilterContext *ctx)
{
    const AVFilterLink *a = ctx->inputs[VMAFGPU_MAIN], *b = ctx->inputs[VMAFGPU_REFERENCE];
    const int larger = a->w > b->w || a->h > b->h ? VMAFGPU_MAIN : VMAFGPU_REFERENCE;
    const AVFilterLink *from = ctx->inputs[larger], *to = ctx->inputs[!larger];
    char filter[64];

    print_crop(filter, sizeof(filter), from->w, from->h, to->w, to->h);
    av_bprintf(text, "crop %s or pad %s", ctx->input_pads[larger].name,
               ctx->input_pads[!larger].name);
    add_example(text, ctx, larger == VMAFGPU_MAIN ? filter : NULL,
                larger == VMAFGPU_MAIN ? NULL : filter);
}

/*
 * Pictures of different shape and scale, e.g. 1280x534 of 1920x1080. The one of 16:9 has
 * the bars, since bars are added to get that shape; else the higher one. The reference
 * keeps its scale.
 */
static void suggest_crop_and_scale(AVBPrint *text, AVFilterContext *ctx)
{
    const AVFilterLink *a = ctx->inputs[VMAFGPU_MAIN], *b = ctx->inputs[VMAFGPU_REFERENCE];
    const double shape = display_aspect(a) / pixel_aspect(b); /* of main, in reference's pixels */
    const int is_wider = display_aspect(a) > display_aspect(b);
    const int main_has_bars = is_close(display_aspect(a), 16 / 9., 1) ||
                              (!is_wider && !is_close(display_aspect(b), 16 / 9., 1));
    const int keeps_width = is_wider != main_has_bars;
    const int w = keeps_width ? b->w : round_to_even(b->h * shape);
    const int h = keeps_width ? round_to_even(b->w / shape) : b->h;
    char filters[128], crop[64];

    if (main_has_bars) {
        print_crop(crop, sizeof(crop), w, h, b->w, b->h);
        snprintf(filters, sizeof(filters), "scale=%d:%d:flags=bicubic,%s", w, h, crop);
        av_bprintf(text, "scale main, then crop it to the shape of reference");
        add_example(text, ctx, filters, NULL);
    } else {
        print_crop(crop, sizeof(crop), b->w, b->h, w, h);
        snprintf(filters, sizeof(filters), "scale=%d:%d:flags=bicubic", w, h);
        av_bprintf(text, "crop reference to the shape of main, and scale main");
        add_example(text, ctx, filters, crop);
    }
}

void ff_vmafgpu_advise_size(AVFilterContext *ctx, AVBPrint *text)
{
    const AVFilterLink *a = ctx->inputs[VMAFGPU_MAIN], *b = ctx->inputs[VMAFGPU_REFERENCE];
    const int has_same_side = a->w == b->w || a->h == b->h;
    const int has_same_pixels = is_close(pixel_aspect(a), pixel_aspect(b), 2);
    char filter[64];

    if (a->w == b->h && a->h == b->w) {
        av_bprintf(text, "turn one of them (transpose=clock or cclock), or put -noautorotate before its -i");
        add_example(text, ctx, "transpose=clock", NULL);
    } else if (has_same_side && has_same_pixels) {
        suggest_crop(text, ctx);
    } else if (is_close(display_aspect(a), display_aspect(b), 1)) {
        snprintf(filter, sizeof(filter), "scale=%d:%d:flags=bicubic", b->w, b->h);
        av_bprintf(text, "add scale=bicubic, or scale one of them");
        add_example(text, ctx, filter, NULL);
    } else {
        suggest_crop_and_scale(text, ctx);
    }
}

/*
 * Scaling rounds sizes, which gives ratios such as 1281:1280. They are no difference. Of pictures
 * that scale= brings to one size, the shapes count.
 */
static void warn_pixel_aspect(AVFilterContext *ctx)
{
    const AVFilterLink *main_link = ctx->inputs[VMAFGPU_MAIN];
    const AVFilterLink *reference = ctx->inputs[VMAFGPU_REFERENCE];
    const AVRational a = main_link->sample_aspect_ratio;
    const AVRational b = reference->sample_aspect_ratio;
    AVRational same; /* that of main, if it has the shape of the reference */
    AVBPrint text;
    char filter[64];

    if (a.num <= 0 || b.num <= 0)
        return;
    av_reduce(&same.num, &same.den, (int64_t)b.num * reference->w * main_link->h,
              (int64_t)b.den * reference->h * main_link->w, INT_MAX);
    if (is_close(av_q2d(a), av_q2d(same), 2))
        return;
    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    if (main_link->w == reference->w && main_link->h == reference->h)
        av_bprintf(&text, "main has sample aspect ratio %d:%d, reference has %d:%d: the pictures have "
                   "different shapes; if it is only the tag that is wrong", a.num, a.den, b.num, b.den);
    else
        av_bprintf(&text, "main is %dx%d with sample aspect ratio %d:%d, reference %dx%d with %d:%d: the "
                   "pictures have different shapes; if only the tag of main is wrong", main_link->w,
                   main_link->h, a.num, a.den, reference->w, reference->h, b.num, b.den);
    snprintf(filter, sizeof(filter), "setsar=%d/%d", same.num, same.den);
    add_example(&text, ctx, filter, NULL);
    ff_vmafgpu_warn(ctx, "%s", text.str);
}

/* ------------------------------------------------------------------------ depth */

/* The depth before conversions that libavfilter inserted. */
static int original_depth(AVFilterLink *link)
{
    return av_pix_fmt_desc_get(ff_vmafgpu_software_format(ff_vmafgpu_unconverted(link)))->comp[0].depth;
}

static void warn_depth(AVFilterContext *ctx, int depth)
{
    const int original = original_depth(ctx->inputs[VMAFGPU_MAIN]);
    const int reference = original_depth(ctx->inputs[VMAFGPU_REFERENCE]);

    if (original == reference && original <= depth)
        return;
    if (FFMAX(original, reference) <= depth)
        ff_vmafgpu_warn(ctx, "main is %d bit, reference is %d bit: comparing at %d bit",
                        original, reference, depth);
    else
        ff_vmafgpu_warn(ctx, "main is %d bit, reference is %d bit: FFmpeg converts to %d bit, as "
                        "for libvmaf (%s: no bit is lost)", original, reference, depth,
                        original == reference ? "formats=asis" : "depth=deeper");
}

/* ------------------------------------------------------------------------ models */

/* Built-in models of one kind for 1080p and for 2160p. */
static const struct {
    const char *hd, *uhd;
} model_sizes[] = {
    {"vmaf_v0.6.1", "vmaf_4k_v0.6.1"},
    {"vmaf_v0.6.1neg", "vmaf_4k_v0.6.1neg"},
    {"vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_1d5h_2160"},
    {"vmaf_v1.0.16_5d0h", "vmaf_v1.0.16_3d0h_2160"},
    {"vmaf_v1.0.16_hfr_3d0h", "vmaf_v1.0.16_hfr_1d5h_2160"},
    {"vmaf_v1.0.16_hfr_5d0h", "vmaf_v1.0.16_hfr_3d0h_2160"},
};

/* The model for the other size, or NULL. */
static const char *model_of_other_size(const char *name, int is_uhd)
{
    for (int i = 0; i < FF_ARRAY_ELEMS(model_sizes); i++)
        if (!strcmp(name, is_uhd ? model_sizes[i].uhd : model_sizes[i].hd))
            return ff_vmafgpu_find_builtin(is_uhd ? model_sizes[i].hd : model_sizes[i].uhd);
    return NULL;
}

/*
 * Far from the model's size: for 1080p, below 480x270 or above 3200x1800 pixels; for
 * 2160p, below 2560x1440. Pictures with bars cut off are between these limits.
 */
static int warn_model_size(AVFilterContext *ctx, const char *model)
{
    const VmafGpuFilter *s = ctx->priv;
    const AVFilterLink *link = ctx->inputs[VMAFGPU_REFERENCE]; /* main may be scaled to it */
    const int64_t pixels = (int64_t)link->w * link->h;
    const int is_uhd = strstr(model, "4k") || strstr(model, "2160");
    const char *other = model_of_other_size(model, is_uhd);
    const int is_large = pixels > 3200 * 1800;
    AVBPrint text;

    if (is_uhd ? pixels >= 2560 * 1440 : pixels >= 480 * 270 && !is_large)
        return 0;
    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    av_bprintf(&text, "the pictures are %dx%d, but model %s was made for %s", link->w, link->h,
               model, is_uhd ? "3840x2160" : "1920x1080");
    if (is_uhd || is_large) {
        if (other)
            av_bprintf(&text, ": take the model for this size, e.g. "
                       "[0:v][1:v]vmaf_gpu=model=version=%s%s", other,
                       s->opt.scales ? ":scale=bicubic" : "");
    } else {
        av_bprintf(&text, ": scale both to the size at which they are watched");
        add_example(&text, ctx, "scale=-2:1080:flags=bicubic", "scale=-2:1080:flags=bicubic");
    }
    ff_vmafgpu_warn(ctx, "%s", text.str);
    return 1;
}

static int warn_model_depth(AVFilterContext *ctx, const char *model, int depth)
{
    static const char *const filters[] = {
        [VMAFGPU_CHROMA_420] = "format=yuv420p10",
        [VMAFGPU_CHROMA_422] = "format=yuv422p10",
        [VMAFGPU_CHROMA_444] = "format=yuv444p10",
    };
    const int chroma = ff_vmafgpu_common_chroma(ctx);
    AVBPrint text;

    if (depth > 8 || !av_strstart(model, "vmaf_v1", NULL))
        return 0;
    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    av_bprintf(&text, "the pictures are 8 bit, but model %s was made for 10 bit: convert both",
               model);
    if (chroma >= 0 && chroma < FF_ARRAY_ELEMS(filters) && filters[chroma])
        add_example(&text, ctx, filters[chroma], filters[chroma]);
    ff_vmafgpu_warn(ctx, "%s", text.str);
    return 1;
}

/* One model of a kind is enough: with several models the remedy is the same. */
static void warn_models(AVFilterContext *ctx, int depth)
{
    const VmafGpuFilter *s = ctx->priv;
    int said_size = 0, said_depth = 0;

    for (int i = 0; i < s->model_count; i++) {
        if (!s->builtin_names[i])
            continue;
        said_size = said_size || warn_model_size(ctx, s->builtin_names[i]);
        said_depth = said_depth || warn_model_depth(ctx, s->builtin_names[i], depth);
    }
}

void ff_vmafgpu_advise_links(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;

    warn_pixel_aspect(ctx);
    warn_depth(ctx, s->depth);
    warn_models(ctx, s->depth);
}
