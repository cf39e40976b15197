/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: everything before the first frame: options, models, pixel formats,
 * the engine. And how a frame is described to the engine.
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

#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "libavutil/avstring.h"
#include "libavutil/bprint.h"
#include "libavutil/dovi_meta.h"
#include "libavutil/mem.h"

#include "vf_vmaf_gpu.h"

#if CONFIG_CUDA
#include "libavutil/hwcontext_cuda_internal.h"
#endif

#define OFFSET(field) offsetof(VmafGpuFilter, opt.field)
#define FLAGS (AV_OPT_FLAG_FILTERING_PARAM | AV_OPT_FLAG_VIDEO_PARAM)
#if VMAF_GPU_OLD_OPTIONS
#define OLD (FLAGS | AV_OPT_FLAG_DEPRECATED)
#endif
/* clang-format off */
#define TEXT(name, field, value, help) { name, help, OFFSET(field), AV_OPT_TYPE_STRING, { .str = value }, .flags = FLAGS }
/* It may have names: the constants below it. */
#define NUMBER(name, field, value, low, high, help) { name, help, OFFSET(field), AV_OPT_TYPE_INT, { .i64 = value }, low, high, .flags = FLAGS, .unit = name }
#define SWITCH(name, field, value, flag, help) { name, help, OFFSET(field), AV_OPT_TYPE_BOOL, { .i64 = value }, 0, 1, .flags = flag }
/* A text that names one of the constants below it, in any case. */
#define CHOICE(name, field, value, help) { name, help, OFFSET(field), AV_OPT_TYPE_STRING, { .str = value }, .flags = FLAGS, .unit = name }
#define CONSTANT(option, name, number, help) { name, help, 0, AV_OPT_TYPE_CONST, { .i64 = number }, .flags = FLAGS, .unit = option }

/*
 * libavutil gives values without a name to the options in this order. So the
 * first ones are in the order of FFmpeg 7.1's libvmaf and later. The last ones
 * are those of FFmpeg's framesync, which other filters with two inputs have:
 * -1 says that the user has not given the option.
 */
const AVOption ff_vmafgpu_options[] = {
    TEXT("log_path", run.log_path, NULL, "file for the log of all frames, - for standard output"),
    CHOICE("log_fmt", log_fmt.text, "xml", "format of the log"),
    CONSTANT("log_fmt", "xml", 0, "XML, as libvmaf writes it"),
    CONSTANT("log_fmt", "json", 0, "JSON, as libvmaf writes it"),
    CONSTANT("log_fmt", "csv", 0, "one line per frame, as libvmaf writes it"),
    CONSTANT("log_fmt", "sub", 0, "MicroDVD subtitles, as libvmaf writes them"),
    CONSTANT("log_fmt", "html", 0, "a page with curves, worst frames and pooled values"),
    CONSTANT("log_fmt", "part", 0, "for vmaf_gpu merge: the scores of a chunk, in full"),
    CHOICE("pool", pool.text, "mean", "pooling method of the final score"),
    CONSTANT("pool", "mean", VMAFGPU_POOL_MEAN, "arithmetic mean"),
    CONSTANT("pool", "min", VMAFGPU_POOL_MIN, "minimum"),
    CONSTANT("pool", "harmonic_mean", VMAFGPU_POOL_HARMONIC_MEAN, "harmonic mean"),
    CONSTANT("pool", "max", VMAFGPU_POOL_MAX, "maximum"),
    CONSTANT("pool", "perc1", VMAFGPU_POOL_PERC1, "1st percentile"),
    CONSTANT("pool", "perc5", VMAFGPU_POOL_PERC5, "5th percentile"),
    CONSTANT("pool", "perc10", VMAFGPU_POOL_PERC10, "10th percentile"),
    CONSTANT("pool", "perc20", VMAFGPU_POOL_PERC20, "20th percentile"),
    NUMBER("n_threads", n_threads, 0, 0, 1024, "threads of the CPU backend, 0 for all cores"),
    NUMBER("n_subsample", n_subsample, 1, 1, INT_MAX, "score every n-th pair of frames"),
    TEXT("model", model, "version=vmaf_v0.6.1", "models, separated by '|': version=, path=, name=, ..."),
    TEXT("feature", feature, NULL, "features in addition to the models', separated by '|': name=..."),
    TEXT("title", run.title, NULL, "title of the run, for the log"),
    NUMBER("pair", pairing.rule, -1, -1, VMAFGPU_PAIR_FRAMESYNC,
           "which reference frame a main frame is compared with: auto, or framesync if one of its options is given"),
    CONSTANT("pair", "auto", VMAFGPU_PAIR_AUTO, "by times; by pictures where times mislead"),
    CONSTANT("pair", "time", VMAFGPU_PAIR_TIME, "by times"),
    CONSTANT("pair", "index", VMAFGPU_PAIR_INDEX, "the n-th with the n-th"),
    CONSTANT("pair", "framesync", VMAFGPU_PAIR_FRAMESYNC, "as the filter libvmaf does"),
    TEXT("offset", offset, NULL, "reference frame that the first main frame is compared with, or auto"),
    NUMBER("offset_window", pairing.offset_window, -1, -1, 60, "how far offset=auto looks, in seconds: 5 if not set"),
    SWITCH("strict", run.strict, 0, FLAGS, "fail if any frame of the inputs is unpaired, repeated or damaged"),
    TEXT("fail_below", run.fail_below, NULL, "fail if the pooled score is less than X, or score NAME:X"),
    CHOICE("backend", backend.text, "auto", "where to compute"),
    CONSTANT("backend", "auto", 0, "the first that opens of cuda, hip, cpu"),
    CONSTANT("backend", "cpu", 0, "the CPU"),
    CONSTANT("backend", "cuda", 0, "NVIDIA GPUs"),
    CONSTANT("backend", "hip", 0, "AMD GPUs"),
    CONSTANT("backend", "opencl", 0, "any GPU with an OpenCL driver"),
    CONSTANT("backend", "emu", 0, "emulated GPU, for tests"),
    TEXT("device", device, NULL, "number or PCI address of the device"),
    NUMBER("inflight", inflight, 4, 1, VMAF_GPU_MAX_INFLIGHT, "pairs of frames in flight"),
    SWITCH("metadata", metadata, 1, FLAGS, "attach the scores to the frames; 0 passes frames on at once"),
    NUMBER("precision", run.precision, 6, VMAFGPU_PRECISION_MAX, 17, "digits after the decimal point: 6 to 17, or max"),
    CONSTANT("precision", "max", VMAFGPU_PRECISION_MAX, "as many as it takes to read back the same number"),
    CHOICE("compat", compat.text, "3.2", "libvmaf version whose motion scores are computed"),
    CONSTANT("compat", "3.2", VMAFGPU_COMPAT_3_2, "libvmaf 3.2"),
    CONSTANT("compat", "3.1", VMAFGPU_COMPAT_3_1, "libvmaf up to 3.1"),
#if VMAF_GPU_FORMATS
    NUMBER("csv", csv_strict, 0, 0, 1, "layout of log_fmt=csv"),
    CONSTANT("csv", "libvmaf", 0, "every line ends with a comma, as libvmaf writes it"),
    CONSTANT("csv", "strict", 1, "no line ends with a comma"),
    NUMBER("formats", as_is, 0, 0, 1, "what FFmpeg converts before the comparison"),
    CONSTANT("formats", "libvmaf", 0, "what it converts for libvmaf: gray, full range, RGB, ..."),
    CONSTANT("formats", "asis", 1, "nothing that can be read: the samples are compared as they are"),
    NUMBER("depth", deeper, 0, 0, 1, "bits at which inputs of different bit depth are compared"),
    CONSTANT("depth", "libvmaf", 0, "those of libvmaf: FFmpeg converts one input to the other's format"),
    CONSTANT("depth", "deeper", 1, "those of the deeper input; no bit is lost"),
#endif
    NUMBER("scale", scales, 0, 0, 1, "how a main of another size is scaled to the reference's size"),
    CONSTANT("scale", "none", 0, "not: other sizes are an error"),
    CONSTANT("scale", "bicubic", 1, "on the device, as scale=flags=bicubic+accurate_rnd+bitexact does"),
    TEXT("stats_file", run.stats_path, NULL, "file for one line per frame, - for standard output"),
    TEXT("f", run.stats_path, NULL, "same as stats_file"),
    SWITCH("overwrite", run.overwrite, 0, FLAGS, "write log and statistics also over what is no log"),
    TEXT("chunk", chunk, NULL, "score a part of a run: FIRST-BEGIN-END-TOTAL, in pairs; see the manual"),
    TEXT("shots", shots, NULL, "shots in the log: 1 to find them, or a file with their first pairs"),
#if VMAF_GPU_OLD_OPTIONS
    { "model_path", "use model=path=...", OFFSET(model_path), AV_OPT_TYPE_STRING, { .str = NULL }, .flags = OLD },
    SWITCH("enable_transform", enable_transform, 0, OLD, "use model=...:enable_transform=true"),
    SWITCH("phone_model", phone_model, 0, OLD, "use model=...:enable_transform=true"),
    SWITCH("psnr", psnr, 0, OLD, "use feature=name=psnr, or for psnr_y alone, in single quotes, feature=name=psnr\\\\:enable_chroma=false"),
    SWITCH("ssim", ssim, 0, OLD, "use feature=name=float_ssim"),
    SWITCH("ms_ssim", ms_ssim, 0, OLD, "use feature=name=float_ms_ssim"),
    SWITCH("enable_conf_interval", conf_interval, 0, OLD, "a bootstrap model gives its interval without it"),
#endif
    NUMBER("eof_action", pairing.eof_action, -1, -1, VMAFGPU_EOF_PASS, "pair=framesync: what comes after the end of the reference: repeat if not set"),
    CONSTANT("eof_action", "repeat", VMAFGPU_EOF_REPEAT, "its last frame, again and again"),
    CONSTANT("eof_action", "endall", VMAFGPU_EOF_ENDALL, "the end of the output"),
    CONSTANT("eof_action", "pass", VMAFGPU_EOF_PASS, "main frames without a partner"),
    SWITCH("shortest", pairing.shortest, 0, FLAGS, "end the output with the shorter input"),
    { "repeatlast", "pair=framesync: 0: as eof_action=pass; 1 if not set", OFFSET(pairing.repeatlast), AV_OPT_TYPE_BOOL, { .i64 = -1 }, -1, 1, .flags = FLAGS },
    NUMBER("ts_sync_mode", pairing.nearest, -1, -1, 1, "pair=framesync: which frame of the reference: default if not set"),
    CONSTANT("ts_sync_mode", "default", 0, "the last one before"),
    CONSTANT("ts_sync_mode", "nearest", 1, "the nearest one"),
    { NULL },
};
/* clang-format on */

/* A constant of an option: of that name, in any case, or of that number. */
static const AVOption *find_constant(const AVOption *option, const char *name,
                                     int number)
{
    while ((++option)->type == AV_OPT_TYPE_CONST)
        if (name ? !av_strcasecmp(option->name, name)
                 : option->default_val.i64 == number)
            return option;
    return NULL;
}

/*
 * Options that are not at their defaults, as in a filter graph. But not where
 * and how scores were computed and written: chunks of a run may differ in it,
 * and the log of the merged chunks has to be that of the whole run.
 */
static int describe_options(VmafGpuFilter *s)
{
    AVBPrint text;

    av_bprint_init(&text, 0, AV_BPRINT_SIZE_UNLIMITED);
    for (const AVOption *o = ff_vmafgpu_options; o->name; o++) {
        const void *field = (const char *)s + o->offset;
        const AVOption *constant;

        if (o->type == AV_OPT_TYPE_CONST || av_opt_is_set_to_default(s, o) ||
            av_match_name(o->name,
                          "log_path,log_fmt,csv,stats_file,f,overwrite,chunk,"
                          "backend,device,n_threads,inflight"))
            continue;
        av_bprintf(&text, "%s%s=", text.len ? ":" : "", o->name);
        if (o->type == AV_OPT_TYPE_STRING)
            av_bprint_escape(&text, *(char *const *)field,
                             "=:", AV_ESCAPE_MODE_BACKSLASH, 0);
        else if (o->type == AV_OPT_TYPE_BOOL)
            av_bprintf(&text, "%s", *(const int *)field ? "true" : "false");
        else if ((constant = find_constant(o, NULL, *(const int *)field)))
            av_bprintf(&text, "%s", constant->name);
        else
            av_bprintf(&text, "%d", *(const int *)field);
    }
    return av_bprint_finalize(&text, &s->options);
}

/* Find what words mean; describe the options while they are the user's. */
static int read_words(AVFilterContext *ctx)
{
    for (const AVOption *o = ff_vmafgpu_options; o->name; o++) {
        VmafGpuWord *word = (VmafGpuWord *)((char *)ctx->priv + o->offset);
        AVBPrint known;

        if (o->type != AV_OPT_TYPE_STRING || !o->default_val.str)
            continue;
        /* If memory ran out for a default, FFmpeg goes on without it. */
        if (!word->text)
            return AVERROR(ENOMEM);
        if (!o->unit || (word->constant = find_constant(o, word->text, 0)))
            continue;
        av_bprint_init(&known, 0, AV_BPRINT_SIZE_AUTOMATIC);
        for (const AVOption *c = o + 1; c->type == AV_OPT_TYPE_CONST; c++)
            av_bprintf(&known, " %s", c->name);
        av_log(ctx, AV_LOG_ERROR, "unknown %s '%s' (known:%s)\n", o->name,
               word->text, known.str);
        return AVERROR(EINVAL);
    }
    return describe_options(ctx->priv);
}

/* Log an error of the engine; return its code. */
static int told(AVFilterContext *ctx, const VmafGpuError *error)
{
    av_log(ctx, AV_LOG_ERROR, "%s\n", error->text);
    return error->code;
}

#if VMAF_GPU_OLD_OPTIONS
/*
 * With the options of libvmaf until FFmpeg 6.1. The whole of model_path is the
 * path: no character has a meaning. Its features come first.
 */
static int take_old_options(AVFilterContext *ctx, VmafGpuOptions *opt)
{
    const int transforms = opt->enable_transform || opt->phone_model;
    AVBPrint models, features;
    int ret;

    if (opt->csv_strict && !strcmp(opt->run.log_format, "csv"))
        opt->run.log_format = "csv_strict";
    if ((opt->model_path || transforms) &&
        !av_opt_is_set_to_default_by_name(ctx->priv, "model", 0)) {
        av_log(ctx, AV_LOG_ERROR,
               "model_path, enable_transform and phone_model are old names of "
               "parts of model: use only one\n");
        return AVERROR(EINVAL);
    }
    av_bprint_init(&models, 0, AV_BPRINT_SIZE_UNLIMITED);
    av_bprint_init(&features, 0, AV_BPRINT_SIZE_UNLIMITED);
    av_bprintf(&models, "%s", opt->model_path ? "path=" : opt->model);
    if (opt->model_path)
        av_bprint_escape(&models, opt->model_path, ":|",
                         AV_ESCAPE_MODE_BACKSLASH, AV_ESCAPE_FLAG_WHITESPACE);
    if (transforms)
        av_bprintf(&models, ":enable_transform=true");
    av_bprintf(&features, "%s%s%s%s",
               opt->psnr ? "name=psnr:enable_chroma=false|" : "",
               opt->ssim ? "name=float_ssim|" : "",
               opt->ms_ssim ? "name=float_ms_ssim|" : "",
               opt->feature ? opt->feature : "");
    av_freep(&opt->model);
    av_freep(&opt->feature);
    ret = av_bprint_finalize(&models, &opt->model);
    return FFMIN(ret, av_bprint_finalize(&features, &opt->feature));
}
#endif

/* What only pair=framesync has means that rule, if none is given. */
static int choose_rule(AVFilterContext *ctx, VmafGpuPairingSettings *pairing)
{
    const int is_framesync = pairing->eof_action >= 0 ||
                             pairing->repeatlast >= 0 || pairing->nearest >= 0;

    if (pairing->rule < 0)
        pairing->rule =
            is_framesync ? VMAFGPU_PAIR_FRAMESYNC : VMAFGPU_PAIR_AUTO;
    if (is_framesync && pairing->rule != VMAFGPU_PAIR_FRAMESYNC) {
        av_log(ctx, AV_LOG_ERROR,
               "eof_action, repeatlast and ts_sync_mode need pair=framesync\n");
        return AVERROR(EINVAL);
    }
    if (pairing->eof_action < 0)
        pairing->eof_action = VMAFGPU_EOF_REPEAT;
    pairing->repeatlast = pairing->repeatlast != 0;
    pairing->nearest = pairing->nearest > 0;
    return 0;
}

int ff_vmafgpu_read_options(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuOptions *opt = &s->opt;
    VmafGpuPairingSettings *pairing = &opt->pairing;
    VmafGpuError error = { 0 };
    int ret = read_words(ctx);

    if (ret < 0)
        return ret;
    opt->run.pool = opt->pool.constant->default_val.i64;
    opt->run.log_format = opt->log_fmt.constant->name;
    /* A part without chunk= is the whole run: its pairs are found as in any. */
    pairing->is_part = !strcmp(opt->run.log_format, "part");
    if ((ret = choose_rule(ctx, pairing)) < 0)
        return ret;
#if VMAF_GPU_OLD_OPTIONS
    if ((ret = take_old_options(ctx, opt)) < 0)
        return ret;
#endif
    if ((opt->offset &&
         vmafgpu_read_offset(pairing, opt->offset, &error) < 0) ||
        (opt->chunk && vmafgpu_read_chunk(&s->range, opt->chunk, &error) < 0) ||
        vmafgpu_choose_models(&s->choice, opt->model, &error) < 0 ||
        (opt->feature &&
         vmafgpu_choose_features(&s->choice, opt->feature, &error) < 0))
        return told(ctx, &error);
    return 0;
}

/*
 * A rule, not a list of formats: luma is a plane of its own, of 8 to 16 bits,
 * in native byte order. Alpha is ignored. Chroma matters only to features that
 * read it.
 */
int ff_vmafgpu_is_supported(const AVPixFmtDescriptor *desc)
{
    const AVComponentDescriptor *luma = &desc->comp[0];
    const int bits = luma->depth + luma->shift;
    const uint64_t unwanted = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                              AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_RGB |
                              AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

    /* A sample of 8 bits is one byte only if it is not shifted. */
    return !(desc->flags & unwanted) && luma->depth >= 8 && bits <= 16 &&
           !luma->plane && !luma->offset && luma->step == 1 + (bits > 8) &&
           (bits == 8 ||
            !(desc->flags & AV_PIX_FMT_FLAG_BE) == !AV_HAVE_BIGENDIAN);
}

#if VMAF_GPU_SURFACES
static int is_surface(enum AVPixelFormat format)
{
    for (int i = 0; ff_vmafgpu_surfaces.formats[i] != AV_PIX_FMT_NONE; i++)
        if (ff_vmafgpu_surfaces.formats[i] == format)
            return 1;
    return 0;
}
#endif

AVFilterFormats *ff_vmafgpu_supported_formats(void)
{
    const AVPixFmtDescriptor *desc = NULL;
    AVFilterFormats *formats = NULL;

    while ((desc = av_pix_fmt_desc_next(desc))) {
        const enum AVPixelFormat format = av_pix_fmt_desc_get_id(desc);

        if ((ff_vmafgpu_is_supported(desc) ||
#if VMAF_GPU_SURFACES
             is_surface(format) ||
#endif
             (CONFIG_CUDA && format == AV_PIX_FMT_CUDA)) &&
            ff_add_format(&formats, format) < 0)
            return NULL;
    }
    return formats;
}

/*
 * Separate lists, so that nothing that can be read is converted. Main and
 * output get common ranges and matrices by default.
 */
int ff_vmafgpu_query_formats(AVFilterContext *ctx)
{
    AVFilterFormatsConfig *reference = &ctx->inputs[VMAFGPU_REFERENCE]->outcfg;
    int ret;

#if VMAF_GPU_FORMATS
    if ((ret = ff_vmafgpu_conversion.set_formats(ctx)))
        return FFMIN(ret, 0);
#endif
#ifndef VG_NO_COLORS
    if ((ret = ff_formats_ref(ff_all_color_ranges(),
                              &reference->color_ranges)) < 0 ||
        (ret = ff_formats_ref(ff_all_color_spaces(),
                              &reference->color_spaces)) < 0)
        return ret;
#endif
    ret = ff_formats_ref(ff_vmafgpu_supported_formats(), &reference->formats);
    return ret < 0 ? ret
                   : ff_set_common_formats(ctx, ff_vmafgpu_supported_formats());
}

const AVHWFramesContext *ff_vmafgpu_hw_frames(AVFilterLink *link)
{
    const AVBufferRef *frames = ff_filter_link(link)->hw_frames_ctx;

    return frames ? (const AVHWFramesContext *)frames->data : NULL;
}

enum AVPixelFormat ff_vmafgpu_software_format(AVFilterLink *link)
{
    const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(link);

    return frames ? frames->sw_format : link->format;
}

/* VmafGpuChroma of a format; 400 also if the engine cannot read its chroma. */
static int chroma_layout(const AVPixFmtDescriptor *desc)
{
    const AVComponentDescriptor *luma = &desc->comp[0];

    /* Cb and Cr, which may be interleaved, have the samples of luma. */
    for (const AVComponentDescriptor *comp = luma + 1; comp < luma + 3; comp++)
        if (comp->depth != luma->depth || comp->shift != luma->shift ||
            !comp->plane || comp->step % luma->step)
            return VMAFGPU_CHROMA_400;
    if (desc->log2_chroma_w > 1 || desc->log2_chroma_h > desc->log2_chroma_w)
        return VMAFGPU_CHROMA_400;
    return VMAFGPU_CHROMA_444 - desc->log2_chroma_w - desc->log2_chroma_h;
}

static void engine_log(void *opaque, int level, const char *text)
{
    /* Both have error, warning, info and verbose in this order. */
    av_log(opaque, AV_LOG_ERROR + level * (AV_LOG_WARNING - AV_LOG_ERROR),
           "%s\n", text);
}

/*
 * Whether an input has filters of the user. The ffmpeg tool numbers those of a
 * graph, or has the names that were given to them; its own ones stay nameless.
 */
static int has_filters(const AVFilterLink *link)
{
    for (; link; link = link->src->nb_inputs ? link->src->inputs[0] : NULL) {
        const char *name = link->src->name;

        /* It is NULL if an application gave none. */
        if (name && (av_strstart(name, "Parsed_", NULL) || strchr(name, '@')))
            return 1;
    }
    return 0;
}

/* A graph; or filters for where they have to be put. */
static void word_filters(AVBPrint *text, const AVFilterContext *ctx,
                         const VmafGpuAdvice *advice)
{
    static const char *const streams[] = { "[0:v]", "[1:v]" };
    static const char *const labels[] = { "[d]", "[r]" };
    const VmafGpuFilter *s = ctx->priv;
    const int is_behind =
        has_filters(ctx->inputs[0]) || has_filters(ctx->inputs[1]);

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (is_behind && *advice->filter[i])
            av_bprintf(text, "%s%s behind your filters of %s",
                       i && *advice->filter[0] ? ", and " : "",
                       advice->filter[i], ctx->input_pads[i].name);
        else if (*advice->filter[i])
            av_bprintf(text, "%s%s%s;", streams[i], advice->filter[i],
                       labels[i]);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS && !is_behind; i++)
        av_bprintf(text, "%s", *advice->filter[i] ? labels[i] : streams[i]);
    if (!is_behind)
        av_bprintf(text, "vmaf_gpu%s", s->opt.scales ? "=scale=bicubic" : "");
}

/* What the engine says of the inputs, for users of FFmpeg. */
static void advise(void *opaque, const VmafGpuAdvice *advice)
{
    const AVFilterContext *ctx = opaque;
    const VmafGpuFilter *s = ctx->priv;
    const char *before = ", e.g. ";
    AVBPrint text;

    av_bprint_init(&text, 0, AV_BPRINT_SIZE_AUTOMATIC);
    av_bprintf(&text, "%s", advice->text);
    if (advice->is_scaling_enough) {
        av_bprintf(&text, "%sscale=bicubic", before);
        before = ", or ";
    }
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        if (!*advice->option[i] || VG_LACKS_OPTION(advice->option[i]))
            continue;
        av_bprintf(&text, "%s%s before the -i of %s", before, advice->option[i],
                   ctx->input_pads[i].name);
        before = ", or ";
    }
    if (*advice->filter[0] || *advice->filter[1]) {
        av_bprintf(&text, "%s", before);
        word_filters(&text, ctx, advice);
    }
    if (*advice->model)
        av_bprintf(&text, "%smodel=version=%s", before, advice->model);
    if (s->engine)
        vmafgpu_log(s->engine, advice->level, text.str);
    else if (advice->level == VMAFGPU_LOG_ERROR)
        engine_log(opaque, advice->level, text.str);
    av_bprint_finalize(&text, NULL);
}

/* Refuse what cannot be compared. All else waits for the first frames. */
static int check_inputs(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    VmafGpuFilter *s = ctx->priv;

    vmafgpu_inputs_default(&s->inputs);
    s->inputs.advise = advise;
    s->inputs.advise_opaque = ctx;
    s->inputs.is_scaling = s->opt.scales;
    s->inputs.models = s->choice->builtins;
    s->inputs.model_count = s->choice->builtin_count;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        AVFilterLink *link = ctx->inputs[i];
        const AVPixFmtDescriptor *desc =
            av_pix_fmt_desc_get(ff_vmafgpu_software_format(link));
        const int chroma = chroma_layout(desc);
        VmafGpuInput *input = &s->inputs.compared[i];

        if (!ff_vmafgpu_is_supported(desc)) {
            av_log(ctx, AV_LOG_ERROR,
                   "%s: unsupported hardware frame format %s (supported: nv12, "
                   "p010, p016, yuv420p, yuv444p, yuv444p16, ..., all with a "
                   "hw_frames_ctx); use hwdownload, scale_cuda=format=nv12 or "
                   "scale_vaapi=format=nv12\n",
                   ctx->input_pads[i].name, desc->name);
            return AVERROR(EINVAL);
        }
        s->inputs.depth = FFMAX(s->inputs.depth, desc->comp[0].depth);
        /* No feature can compare chroma that differs in layout. */
        if (!i || chroma != settings->chroma)
            settings->chroma = i ? VMAFGPU_CHROMA_400 : chroma;
        av_strlcpy(input->format, desc->name, sizeof(input->format));
        input->width = link->w;
        input->height = link->h;
        input->sar_num = link->sample_aspect_ratio.num;
        input->sar_den = link->sample_aspect_ratio.den;
        input->rate_num = ff_filter_link(link)->frame_rate.num;
        input->rate_den = ff_filter_link(link)->frame_rate.den;
        input->is_hardware = !!ff_vmafgpu_hw_frames(link);
        s->inputs.input[i] = *input;
    }
    settings->depth = s->inputs.depth;
    return vmafgpu_inputs_check(&s->inputs, NULL);
}

/* The original's format and size stay. */
static void follow_tags(VmafGpuInput *original, const VmafGpuInput *input)
{
    memcpy(original->range, input->range, sizeof(input->range));
    memcpy(original->matrix, input->matrix, sizeof(input->matrix));
    memcpy(original->primaries, input->primaries, sizeof(input->primaries));
    memcpy(original->transfer, input->transfer, sizeof(input->transfer));
}

/*
 * Dolby Vision of profile 5, or 10.0 in AV1: its base layer is in colours that
 * only it defines. Their header has profile 0 and full range.
 */
static int has_own_colours(const AVFrame *frame)
{
    const AVFrameSideData *data =
        av_frame_get_side_data(frame, AV_FRAME_DATA_DOVI_METADATA);
    const AVDOVIRpuDataHeader *header =
        data ? av_dovi_get_header((const AVDOVIMetadata *)data->data) : NULL;

    return header && !header->vdr_rpu_profile &&
           header->bl_video_full_range_flag;
}

#define SET_TAG(tag, name) av_strlcpy(tag, (name) ? (name) : "", sizeof(tag))

/*
 * Once both inputs have had a frame, the engine says what it thinks of them.
 * Features that read colours may refuse them, and tags that change later. Of
 * these it warns if the tags of a pair differ.
 */
static int see_frame(AVFilterContext *ctx, int i, const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuInput *input = &s->inputs.compared[i], before = *input;
    const int64_t number = s->seen[i]++;
    VmafGpuError error = { 0 };

    if (number > 0 && !s->seen[!i])
        return 0;
    SET_TAG(input->range, av_color_range_name(frame->color_range));
    SET_TAG(input->matrix, av_color_space_name(frame->colorspace));
    SET_TAG(input->primaries, av_color_primaries_name(frame->color_primaries));
    SET_TAG(input->transfer, av_color_transfer_name(frame->color_trc));
    if (number > 0 && !memcmp(input, &before, sizeof(before)))
        return 0;
    if (number == 0) {
        input->is_interlaced = VG_IS_INTERLACED(frame);
        input->is_bottom_first = !VG_IS_TOP_FIRST(frame);
        input->has_own_colours = has_own_colours(frame);
        s->inputs.input[i] = *input;
#if VMAF_GPU_FORMATS
        ff_vmafgpu_conversion.describe_original(ctx->inputs[i],
                                                &s->inputs.input[i]);
#endif
    } else {
        follow_tags(&s->inputs.input[i], input);
    }
    if (!s->seen[!i])
        return 0;
    if (number == 0)
        vmafgpu_inputs_check(&s->inputs, NULL);
    if (vmafgpu_set_inputs(s->engine, &s->inputs, &error) >= 0)
        return 0;
    if (number == 0)
        return told(ctx, &error);
    av_log(ctx, AV_LOG_ERROR, "frame %" PRId64 " of %s: %s\n", number,
           ctx->input_pads[i].name, error.text);
    return error.code;
}

static void release_frame(void *opaque)
{
    AVFrame *frame = opaque;

    av_frame_free(&frame);
}

void ff_vmafgpu_describe_frame(VmafGpuPicture *picture, AVFrame *frame,
                               enum AVPixelFormat format)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
    const int planes = chroma_layout(desc) == VMAFGPU_CHROMA_400 ? 1 : 3;

    picture->memory =
        frame->format == format ? VMAFGPU_MEMORY_HOST : VMAFGPU_MEMORY_DEVICE;
    picture->depth = desc->comp[0].depth;
    picture->shift = desc->comp[0].shift;
    picture->opaque = frame;
    picture->release = release_frame;
    for (int i = 0; i < planes; i++) {
        const AVComponentDescriptor *comp = &desc->comp[i];

        picture->plane[i].data = frame->data[comp->plane] + comp->offset;
        picture->plane[i].pitch = frame->linesize[comp->plane];
        picture->plane[i].step = comp->step;
    }
}

static int check_frame(AVFilterContext *ctx, int input, const AVFrame *frame)
{
    AVFilterLink *link = ctx->inputs[input];
    const char *name = ctx->input_pads[input].name;
    const AVHWFramesContext *pool = ff_vmafgpu_hw_frames(link), *frames = NULL;

    if (frame->hw_frames_ctx)
        frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    if (frame->width != link->w || frame->height != link->h ||
        frame->format != link->format)
        av_log(ctx, AV_LOG_ERROR,
               "%s changed from %dx%d %s to %dx%d %s in mid-stream; insert a "
               "scale filter before vmaf_gpu\n",
               name, link->w, link->h, av_get_pix_fmt_name(link->format),
               frame->width, frame->height, av_get_pix_fmt_name(frame->format));
    else if (pool && (!frames || frames->sw_format != pool->sw_format ||
                      frames->device_ctx != pool->device_ctx))
        av_log(ctx, AV_LOG_ERROR,
               "%s: a hardware frame has another format or device than its "
               "input, or no hw_frames_ctx; use hwdownload\n",
               name);
    else
        return 0;
    return AVERROR(EINVAL);
}

/*
 * Replace a main frame of CUDA by a copy in the output's own pool, which the
 * engine reads where it is: nobody writes there before the engine's reference
 * is gone. The decoder has its surface back at once.
 */
static int leave_pool(AVFilterContext *ctx, VmafGpuPicture *picture,
                      AVFrame **frame)
{
    AVFrame *copy;
    int ret;

    if (!(copy = av_frame_alloc()))
        return AVERROR(ENOMEM);
    if ((ret = av_hwframe_get_buffer(
             ff_filter_link(ctx->outputs[0])->hw_frames_ctx, copy, 0)) < 0 ||
        (ret = av_hwframe_transfer_data(copy, *frame, 0)) < 0 ||
        (ret = av_frame_copy_props(copy, *frame)) < 0) {
        av_frame_free(&copy);
        /* It was mapped from elsewhere: it waits itself. */
        return ret == AVERROR(ENOSYS) ? 0 : ret;
    }
    copy->width = (*frame)->width;
    copy->height = (*frame)->height;
    av_frame_free(frame);
    *frame = copy;
    picture->flags = VMAFGPU_PICTURE_HOLD;
    return 0;
}

int ff_vmafgpu_wrap(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                    AVFrame **frame)
{
    AVFrame *clone;
    int ret = check_frame(ctx, input, *frame);

    if (ret < 0 || (ret = see_frame(ctx, input, *frame)) < 0)
        return ret;
    picture->width = (*frame)->width;
    picture->height = (*frame)->height;
#if VMAF_GPU_SURFACES
    if (is_surface((*frame)->format))
        return ff_vmafgpu_surfaces.wrap(ctx, picture, input, *frame);
#endif
    if (input == VMAFGPU_MAIN && (*frame)->format == AV_PIX_FMT_CUDA &&
        (ret = leave_pool(ctx, picture, frame)) < 0)
        return ret;
    if (!(clone = av_frame_clone(*frame)))
        return AVERROR(ENOMEM);
    ff_vmafgpu_describe_frame(picture, clone,
                              ff_vmafgpu_software_format(ctx->inputs[input]));
    return 0;
}

/*
 * Main's CUDA frames wait in the filter, in a pool of its own: a decoder has
 * few. Frames of other kinds pass in their own pool.
 */
static int pass_hw_frames(AVFilterContext *ctx)
{
    AVFilterLink *link = ctx->inputs[VMAFGPU_MAIN];
    AVBufferRef **pool = &ff_filter_link(ctx->outputs[0])->hw_frames_ctx;
    const AVHWFramesContext *like = ff_vmafgpu_hw_frames(link);
    AVHWFramesContext *frames;

    if (!like || like->format != AV_PIX_FMT_CUDA)
        return av_buffer_replace(pool, ff_filter_link(link)->hw_frames_ctx);
    av_buffer_unref(pool);
    if (!(*pool = av_hwframe_ctx_alloc(like->device_ref)))
        return AVERROR(ENOMEM);
    frames = (AVHWFramesContext *)(*pool)->data;
    frames->format = like->format;
    frames->sw_format = like->sw_format;
    frames->width = like->width;
    frames->height = like->height;
    return av_hwframe_ctx_init(*pool);
}

#if CONFIG_CUDA
static int use_cuda(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *backend = s->opt.backend.constant->name;
    const AVCUDADeviceContext *used = NULL;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(ctx->inputs[i]);
        const AVCUDADeviceContext *cuda;

        if (!frames || frames->format != AV_PIX_FMT_CUDA)
            continue;
        cuda = frames->device_ctx->hwctx;
        if (used && (used->cuda_ctx != cuda->cuda_ctx ||
                     used->stream != cuda->stream)) {
            av_log(ctx, AV_LOG_ERROR,
                   "main and reference are on different devices (contexts %p "
                   "and %p) or use different CUDA streams; use one "
                   "-init_hw_device\n",
                   (void *)used->cuda_ctx, (void *)cuda->cuda_ctx);
            return AVERROR(EINVAL);
        }
        used = cuda;
    }
    if (used && strcmp(backend, "auto") && strcmp(backend, "cuda")) {
        av_log(ctx, AV_LOG_ERROR,
               "backend=%s was requested but frames are CUDA; hwdownload first "
               "or use backend=cuda\n",
               backend);
        return AVERROR(EINVAL);
    }
    if (used) {
        settings->native_context = used->cuda_ctx;
        settings->native_stream = used->stream;
    }
    return 0;
}
#endif

static void fill_settings(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPairingSettings *pairing = &s->opt.pairing;

    settings->pairing = pairing;
    pairing->struct_size = sizeof(*pairing);
    settings->width = ctx->inputs[VMAFGPU_REFERENCE]->w;
    settings->height = ctx->inputs[VMAFGPU_REFERENCE]->h;
    settings->distorted_width = ctx->inputs[VMAFGPU_MAIN]->w;
    settings->distorted_height = ctx->inputs[VMAFGPU_MAIN]->h;
    settings->models = s->choice->models;
    settings->model_count = s->choice->model_count;
    settings->features = s->choice->features;
    settings->feature_count = s->choice->feature_count;
#if VMAF_GPU_OLD_OPTIONS
    settings->first_features = s->opt.psnr + s->opt.ssim + s->opt.ms_ssim;
#endif
    /* The oldest held pair and `inflight` pairs after it. */
    settings->ring_depth = s->opt.inflight + 1;
    settings->threads = s->opt.n_threads;
    settings->subsample = s->opt.n_subsample;
    settings->compat = s->opt.compat.constant->default_val.i64;
    settings->chunk = s->opt.chunk || pairing->is_part ? &s->range : NULL;
    settings->shots = s->opt.shots;
    settings->log = engine_log;
    settings->log_opaque = ctx;
    if (av_log_get_level() >= AV_LOG_VERBOSE)
        settings->log_level = VMAFGPU_LOG_VERBOSE;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        AVFilterLink *link = ctx->inputs[i];
        const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(link);
        const AVRational base = link->time_base;
        const AVRational rate = ff_filter_link(link)->frame_rate;

        pairing->input[i] =
            (VmafGpuPairingInput){ base.num, base.den, rate.num, rate.den };
        /* A decoder has few: NVDEC four in FFmpeg 5.1, and it fails without. */
        if (frames && frames->initial_pool_size > 0)
            settings->most_held = 2;
#if VMAF_GPU_SURFACES
        /*
         * Copies of Vulkan frames have few buffers. Other pools may grow, by
         * surfaces that are imported one by one and stay.
         */
        if (frames && frames->format == AV_PIX_FMT_VULKAN) {
            settings->most_held = 2;
        } else if (frames && frames->format != AV_PIX_FMT_CUDA) {
            settings->most_held = FFMIN(settings->most_held, 8);
            if (i == VMAFGPU_MAIN)
                pairing->has_fixed_pool = frames->initial_pool_size > 0;
        }
#endif
    }
}

/* The engine's name of the device: that of the frames, if none is given. */
static int choose_device(AVFilterContext *ctx, VmafGpuSettings *settings,
                         char *selector, size_t size)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *device = s->opt.device;
    const char *backend = s->opt.backend.constant->name;

#if CONFIG_CUDA
    int ret = use_cuda(ctx, settings);

    if (ret < 0)
        return ret;
    if (settings->native_context)
        backend = "cuda";
#endif
    snprintf(selector, size, "%s%s%s", backend, device ? ":" : "",
             device ? device : "");
    settings->device = selector;
#if VMAF_GPU_SURFACES
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (!device && !settings->native_context &&
            is_surface(ctx->inputs[i]->format) &&
            ff_vmafgpu_surfaces.probe(ctx, i, selector, size))
            break;
#endif
    return 0;
}

/* What feeds an input, if it is a stream of the ffmpeg tool. */
static void describe_source(AVFilterContext *ctx, int input)
{
    static const char words[] = " input from stream ";
    VmafGpuPlace *place = &((VmafGpuFilter *)ctx->priv)->place;
    VmafGpuInput *source = &place->source[input];
    AVFilterLink *link = ctx->inputs[input];
    const char *name, *stream;

    while (link->src->nb_inputs)
        link = link->src->inputs[0];
    name = link->src->name;
    if (!name || !(stream = strstr(name, words)))
        return;
    snprintf(place->name, sizeof(place->name), "%.*s %s", (int)(stream - name),
             name, ctx->name);
    av_strlcpy(place->stream[input], stream + strlen(words),
               sizeof(place->stream[input]));
    /* A filter sees no more of a still. */
    if (!av_cmp_q(link->time_base, (AVRational){ 1, 1 }))
        av_log(ctx, AV_LOG_INFO,
               "%s is stream %s with the clock of stills in AVIF and HEIC: if "
               "their picture is a Tile Grid, this is one tile\n",
               ctx->input_pads[input].name, place->stream[input]);
    av_strlcpy(source->format,
               av_get_pix_fmt_name(ff_vmafgpu_software_format(link)),
               sizeof(source->format));
    source->width = link->w;
    source->height = link->h;
#ifndef VG_NO_COLORS
    SET_TAG(source->range, av_color_range_name(link->color_range));
    SET_TAG(source->matrix, av_color_space_name(link->colorspace));
#endif
}

/*
 * The ffmpeg tool frees its graph when the frames of an input change, with all
 * frames in it, and makes a new one. Its graphs are known by the names of their
 * sources; those of other programs are nobody's second half.
 */
static int enter_place(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = { 0 };

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        describe_source(ctx, i);
    if (!s->place.name[0])
        return 0;
    s->opt.run.place = &s->place;
    return vmafgpu_run_enter(&s->place, &error) < 0 ? told(ctx, &error) : 0;
}

int ff_vmafgpu_configure(AVFilterLink *outlink)
{
    AVFilterContext *ctx = outlink->src;
    VmafGpuFilter *s = ctx->priv;
    const AVFilterLink *link = ctx->inputs[VMAFGPU_MAIN];
    const AVFilterLink *reference = ctx->inputs[VMAFGPU_REFERENCE];
    VmafGpuSettings settings;
    VmafGpuError error = { 0 };
    char selector[64];
    int ret;

    for (unsigned i = 0; ctx->graph && i < ctx->graph->nb_filters; i++)
        if (ctx->graph->filters[i] != ctx &&
            ctx->graph->filters[i]->filter == ctx->filter)
            s->label = ctx->name;
    vmafgpu_settings_default(&settings);
    if ((ret = enter_place(ctx)) < 0 ||
        (ret = check_inputs(ctx, &settings)) < 0 ||
        (ret = pass_hw_frames(ctx)) < 0)
        return ret;
    av_log(ctx, AV_LOG_VERBOSE,
           "main (distorted) = %dx%d %s, reference = %dx%d %s\n", link->w,
           link->h, av_get_pix_fmt_name(link->format), reference->w,
           reference->h, av_get_pix_fmt_name(reference->format));
    fill_settings(ctx, &settings);
    if ((ret = choose_device(ctx, &settings, selector, sizeof(selector))) < 0)
        return ret;
    ret = vmafgpu_open(&s->engine, &settings, &error);
    /* A setting that no backend takes is not this backend's fault. */
    if (ret == AVERROR(EINVAL))
        return told(ctx, &error);
    if (ret < 0) {
        av_log(ctx, AV_LOG_ERROR, "backend=%s: %s\n",
               s->opt.backend.constant->name, error.text);
        return ret;
    }
    s->opt.run.struct_size = sizeof(s->opt.run);
    s->opt.run.options = s->options;
    s->opt.run.keep_pictures = 1;
    return vmafgpu_run_begin(s->engine, &s->opt.run);
}
