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

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libavutil/avstring.h"
#include "libavutil/bprint.h"
#include "libavutil/buffer.h"
#include "libavutil/dict.h"
#include "libavutil/mem.h"

#include "vf_vmaf_gpu.h"

#if CONFIG_CUDA
#include "libavutil/hwcontext_cuda_internal.h"
#endif

/* ---------------------------------------------------------------- options */

#define OFFSET(field) offsetof(VmafGpuFilter, opt.field)
#define FLAGS (AV_OPT_FLAG_FILTERING_PARAM | AV_OPT_FLAG_VIDEO_PARAM)
#define EXPORTED (FLAGS | AV_OPT_FLAG_EXPORT | AV_OPT_FLAG_READONLY)
#if VMAF_GPU_OLD_OPTIONS
#define OLD (FLAGS | AV_OPT_FLAG_DEPRECATED)
#endif
/* clang-format off */
#define TEXT(name, field, value, help) { name, help, OFFSET(field), AV_OPT_TYPE_STRING, { .str = value }, .flags = FLAGS }
#define NUMBER(name, field, value, low, high, help) { name, help, OFFSET(field), AV_OPT_TYPE_INT, { .i64 = value }, low, high, .flags = FLAGS }
#define SWITCH(name, field, value, flag, help) { name, help, OFFSET(field), AV_OPT_TYPE_BOOL, { .i64 = value }, 0, 1, .flags = flag }
/* A text that names one of the constants below it, in any case. */
#define CHOICE(name, field, value, help) { name, help, OFFSET(field), AV_OPT_TYPE_STRING, { .str = value }, .flags = FLAGS, .unit = name }
/* A number with names. */
#define NAMED(name, field, value, low, high, help) { name, help, OFFSET(field), AV_OPT_TYPE_INT, { .i64 = value }, low, high, .flags = FLAGS, .unit = name }
#define CONSTANT(option, name, number, help) { name, help, 0, AV_OPT_TYPE_CONST, { .i64 = number }, .flags = FLAGS, .unit = option }

/*
 * libavutil gives values without a name to the options in this order. So the
 * first ones are in the order of FFmpeg 7.1's libvmaf and later. The last ones
 * are those of FFmpeg's framesync, which other filters with two inputs have.
 */
const AVOption ff_vmafgpu_options[] = {
    TEXT("log_path", run.log_path, NULL, "file for the log of all frames, - for standard output"),
    CHOICE("log_fmt", log_fmt, "xml", "format of the log"),
    CONSTANT("log_fmt", "xml", 0, "XML, as libvmaf writes it"),
    CONSTANT("log_fmt", "json", 0, "JSON, as libvmaf writes it"),
    CONSTANT("log_fmt", "csv", 0, "one line per frame, as libvmaf writes it"),
    CONSTANT("log_fmt", "sub", 0, "MicroDVD subtitles, as libvmaf writes them"),
    CONSTANT("log_fmt", "html", 0, "a page with curves, worst frames and pooled values"),
    CONSTANT("log_fmt", "part", 0, "for vmaf_gpu merge: the scores of a chunk, in full"),
    CHOICE("pool", pool, "mean", "pooling method of the final score"),
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
    TEXT("model", model, VMAF_GPU_DEFAULT_MODEL_CFG, "models, separated by '|': version=, path=, name=, ..."),
    TEXT("feature", feature, NULL, "features in addition to the models', separated by '|': name=..."),
    NAMED("csv", csv_strict, 0, 0, 1, "layout of log_fmt=csv"),
    CONSTANT("csv", "libvmaf", 0, "every line ends with a comma, as libvmaf writes it"),
    CONSTANT("csv", "strict", 1, "no line ends with a comma"),
    TEXT("title", run.title, NULL, "title of the run, for the log"),
    NAMED("pair", pair, -1, -1, VMAFGPU_PAIR_FRAMESYNC,
          "which reference frame a main frame is compared with: auto, or framesync if one of its options is given"),
    CONSTANT("pair", "auto", VMAFGPU_PAIR_AUTO, "by times; by pictures where times mislead"),
    CONSTANT("pair", "time", VMAFGPU_PAIR_TIME, "by times"),
    CONSTANT("pair", "index", VMAFGPU_PAIR_INDEX, "the n-th with the n-th"),
    CONSTANT("pair", "framesync", VMAFGPU_PAIR_FRAMESYNC, "as the filter libvmaf does"),
    TEXT("offset", offset, NULL, "reference frame that the first main frame is compared with, or auto"),
    NUMBER("offset_window", pairing.offset_window, -1, -1, 60, "how far offset=auto looks, in seconds: 5 if not set"),
    SWITCH("strict", run.strict, 0, FLAGS, "fail if any frame of the inputs is unpaired, repeated or damaged"),
    TEXT("fail_below", run.fail_below, NULL, "fail if the pooled score is less than X, or score NAME:X"),
    CHOICE("backend", backend, "auto", "where to compute"),
    CONSTANT("backend", "auto", 0, "the first that opens of cuda, hip, cpu"),
    CONSTANT("backend", "cpu", 0, "the CPU"),
    CONSTANT("backend", "cuda", 0, "NVIDIA GPUs"),
    CONSTANT("backend", "hip", 0, "AMD GPUs"),
    CONSTANT("backend", "emu", 0, "emulated GPU, for tests"),
    TEXT("device", device, NULL, "number or PCI address of the device"),
    NUMBER("inflight", inflight, 4, 1, VMAF_GPU_MAX_INFLIGHT, "pairs of frames in flight"),
    SWITCH("metadata", metadata, 1, FLAGS, "attach the scores to the frames; 0 passes frames on at once"),
    NAMED("precision", run.precision, 6, VMAFGPU_PRECISION_MAX, 17, "digits after the decimal point: 6 to 17, or max"),
    CONSTANT("precision", "max", VMAFGPU_PRECISION_MAX, "as many as it takes to read back the same number"),
    CHOICE("compat", compat, "3.2", "libvmaf version whose motion scores are computed"),
    CONSTANT("compat", "3.2", VMAFGPU_COMPAT_3_2, "libvmaf 3.2"),
    CONSTANT("compat", "3.1", VMAFGPU_COMPAT_3_1, "libvmaf up to 3.1"),
#if VMAF_GPU_FORMATS
    NAMED("formats", as_is, 0, 0, 1, "what FFmpeg converts before the comparison"),
    CONSTANT("formats", "libvmaf", 0, "what it converts for libvmaf: gray, full range, RGB, ..."),
    CONSTANT("formats", "asis", 1, "nothing that can be read: the samples are compared as they are"),
    NAMED("depth", deeper, 0, 0, 1, "bits at which inputs of different bit depth are compared"),
    CONSTANT("depth", "libvmaf", 0, "those of libvmaf: FFmpeg converts one input to the other's format"),
    CONSTANT("depth", "deeper", 1, "those of the deeper input; no bit is lost"),
#endif
    NAMED("scale", scales, 0, 0, 1, "how a main of another size is scaled to the reference's size"),
    CONSTANT("scale", "none", 0, "not: other sizes are an error"),
    CONSTANT("scale", "bicubic", 1, "on the device, as scale=flags=bicubic+accurate_rnd+bitexact does"),
    TEXT("stats_file", run.stats_path, NULL, "file for one line per frame, - for standard output"),
    TEXT("f", run.stats_path, NULL, "same as stats_file"),
    SWITCH("overwrite", run.overwrite, 0, FLAGS, "write log and statistics also over what is no log"),
    TEXT("chunk", chunk, NULL, "score a part of a run: FIRST-BEGIN-END-TOTAL, in pairs; see the manual"),
    TEXT("shots", shots, NULL, "shots in the log: 1 to find them, or a file with their first pairs"),
    { "log_written", "name of the log that is written, for programs to read", OFFSET(log_written), AV_OPT_TYPE_STRING, { .str = NULL }, .flags = EXPORTED },
#if VMAF_GPU_OLD_OPTIONS
    { "model_path", "use model=path=...", OFFSET(model_path), AV_OPT_TYPE_STRING, { .str = NULL }, .flags = OLD },
    SWITCH("enable_transform", enable_transform, 0, OLD, "use model=...:enable_transform=true"),
    SWITCH("phone_model", phone_model, 0, OLD, "use model=...:enable_transform=true"),
    SWITCH("psnr", psnr, 0, OLD, "use feature=name=psnr"),
    SWITCH("ssim", ssim, 0, OLD, "use feature=name=float_ssim"),
    SWITCH("ms_ssim", ms_ssim, 0, OLD, "use feature=name=float_ms_ssim"),
    SWITCH("enable_conf_interval", conf_interval, 0, OLD, "a bootstrap model gives its interval without it"),
#endif
    NAMED("eof_action", pairing.eof_action, VMAFGPU_EOF_REPEAT, 0, VMAFGPU_EOF_PASS, "pair=framesync: what comes after the end of the reference"),
    CONSTANT("eof_action", "repeat", VMAFGPU_EOF_REPEAT, "its last frame, again and again"),
    CONSTANT("eof_action", "endall", VMAFGPU_EOF_ENDALL, "the end of the output"),
    CONSTANT("eof_action", "pass", VMAFGPU_EOF_PASS, "main frames without a partner"),
    SWITCH("shortest", pairing.shortest, 0, FLAGS, "end the output with the shorter input"),
    SWITCH("repeatlast", pairing.repeatlast, 1, FLAGS, "pair=framesync: 0: as eof_action=pass"),
    NAMED("ts_sync_mode", pairing.nearest, 0, 0, 1, "pair=framesync: which frame of the reference"),
    CONSTANT("ts_sync_mode", "default", 0, "the last one before"),
    CONSTANT("ts_sync_mode", "nearest", 1, "the nearest one"),
    { NULL },
};
/* clang-format on */

/*
 * The constant of an option with a name, in upper or lower case; or, without
 * one, with a number. NULL: there is none; those that were seen are in known.
 */
static const AVOption *find_constant(const void *filter, const char *option,
                                     const char *name, int64_t number,
                                     AVBPrint *known)
{
    const AVOption *constant = NULL;

    while ((constant = av_opt_next(filter, constant))) {
        if (constant->type != AV_OPT_TYPE_CONST ||
            strcmp(constant->unit, option))
            continue;
        if (name ? !av_strcasecmp(constant->name, name)
                 : constant->default_val.i64 == number)
            break;
        av_bprintf(known, " %s", constant->name);
    }
    return constant;
}

static int read_constant(AVFilterContext *ctx, const char *option,
                         const char *text, const AVOption **out)
{
    AVBPrint known;

    /* If memory ran out for a default, FFmpeg goes on without it. */
    if (!text)
        return AVERROR(ENOMEM);
    av_bprint_init(&known, 0, AV_BPRINT_SIZE_AUTOMATIC);
    *out = find_constant(ctx->priv, option, text, 0, &known);
    if (*out)
        return 0;
    av_log(ctx, AV_LOG_ERROR, "unknown %s '%s' (known:%s)\n", option, text,
           known.str);
    return AVERROR(EINVAL);
}

/*
 * Options that are not at their defaults, as in a filter graph. But not where
 * and how scores were computed and written: chunks of a run may differ in it,
 * and the log of the merged chunks has to be that of the whole run.
 */
int ff_vmafgpu_describe_options(VmafGpuFilter *s, char **out)
{
    static const char hidden[] =
        " log_path log_fmt csv stats_file f overwrite log_written "
        "chunk backend device n_threads inflight ";
    const AVOption *option = NULL, *constant;
    AVBPrint text, known;
    char name[40];

    av_bprint_init(&text, 0, AV_BPRINT_SIZE_UNLIMITED);
    av_bprint_init(&known, 0, AV_BPRINT_SIZE_COUNT_ONLY);
    while ((option = av_opt_next(s, option))) {
        const void *field = (const uint8_t *)s + option->offset;
        const char *value = NULL;

        snprintf(name, sizeof(name), " %s ", option->name);
        if (option->type == AV_OPT_TYPE_CONST || strstr(hidden, name) ||
            av_opt_is_set_to_default(s, option))
            continue;
        if (option->type == AV_OPT_TYPE_STRING)
            value = *(char *const *)field;
        else if (option->type == AV_OPT_TYPE_BOOL)
            value = *(const int *)field ? "true" : "false";
        else if (option->unit &&
                 (constant = find_constant(s, option->unit, NULL,
                                           *(const int *)field, &known)))
            value = constant->name;
        av_bprintf(&text, "%s%s=", text.len ? ":" : "", option->name);
        if (value)
            av_bprint_escape(&text, value, "=:", AV_ESCAPE_MODE_BACKSLASH, 0);
        else
            av_bprintf(&text, "%d", *(const int *)field);
    }
    return av_bprint_finalize(&text, out);
}

/* Log an error of the engine; return its code. */
static int told(AVFilterContext *ctx, const VmafGpuError *error)
{
    av_log(ctx, AV_LOG_ERROR, "%s\n", error->text);
    return error->code;
}

static int choose(AVFilterContext *ctx, const char *models,
                  const char *features)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = { 0 };

    if (vmafgpu_choose_models(&s->choice, models, &error) < 0 ||
        (features && vmafgpu_choose_features(&s->choice, features, &error) < 0))
        return told(ctx, &error);
    return 0;
}

#if VMAF_GPU_OLD_OPTIONS
/*
 * With the options of libvmaf until FFmpeg 6.1. The whole of model_path is the
 * path: no character has a meaning. Its features come first.
 */
static int choose_with_old(AVFilterContext *ctx, const VmafGpuOptions *opt)
{
    const int transforms = opt->enable_transform || opt->phone_model;
    AVBPrint models, features;
    int ret;

    if ((opt->model_path || transforms) &&
        strcmp(opt->model, VMAF_GPU_DEFAULT_MODEL_CFG)) {
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
    ret = av_bprint_is_complete(&models) && av_bprint_is_complete(&features)
              ? choose(ctx, models.str, features.str)
              : AVERROR(ENOMEM);
    av_bprint_finalize(&models, NULL);
    av_bprint_finalize(&features, NULL);
    return ret;
}
#endif

/* ----------------------------------------------------------- other options */

/* What only pair=framesync has means that rule, if none is given. */
static int read_pairing(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPairingSettings *pairing = &s->opt.pairing;
    const int is_framesync = pairing->eof_action != VMAFGPU_EOF_REPEAT ||
                             !pairing->repeatlast || pairing->nearest;
    VmafGpuError error = { 0 };

    pairing->rule = s->opt.pair >= 0 ? s->opt.pair
                    : is_framesync   ? VMAFGPU_PAIR_FRAMESYNC
                                     : VMAFGPU_PAIR_AUTO;
    /* A part without chunk= is the whole run: its pairs are found as in any. */
    pairing->is_part = !strcmp(s->opt.run.log_format, "part");
    if (s->opt.offset &&
        vmafgpu_read_offset(pairing, s->opt.offset, &error) < 0)
        return told(ctx, &error);
    if (!s->opt.chunk ||
        vmafgpu_read_chunk(&s->range, s->opt.chunk, &error) >= 0)
        return 0;
    av_log(ctx, AV_LOG_ERROR, "chunk=%s: %s\n", s->opt.chunk, error.text);
    return error.code;
}

static int read_constants(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const AVOption *format, *pool, *backend, *compat;
    int ret;

    if ((ret = read_constant(ctx, "log_fmt", s->opt.log_fmt, &format)) < 0 ||
        (ret = read_constant(ctx, "pool", s->opt.pool, &pool)) < 0 ||
        (ret = read_constant(ctx, "compat", s->opt.compat, &compat)) < 0 ||
        (ret = read_constant(ctx, "backend", s->opt.backend, &backend)) < 0)
        return ret;
    if (!s->opt.model)
        return AVERROR(ENOMEM);
    s->opt.run.log_format = s->opt.csv_strict && !strcmp(format->name, "csv")
                                ? "csv_strict"
                                : format->name;
    s->opt.run.pool = pool->default_val.i64;
    s->compat = compat->default_val.i64;
    s->backend = backend->name;
    return 0;
}

int ff_vmafgpu_read_options(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    int ret;

    if ((ret = read_constants(ctx)) < 0 || (ret = read_pairing(ctx)) < 0)
        return ret;
#if VMAF_GPU_OLD_OPTIONS
    return choose_with_old(ctx, &s->opt);
#else
    return choose(ctx, s->opt.model, s->opt.feature);
#endif
}

/* ------------------------------------------------------------ pixel formats */

/*
 * A rule, not a list of formats: luma is a plane of its own, of 8 to 16 bits,
 * in native byte order. Alpha is ignored. Chroma matters only to features that
 * read it.
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
    /* A sample of 8 bits is one byte only if it is not shifted. */
    if (luma->plane || luma->offset ||
        luma->step != 1 + (luma->depth + luma->shift > 8))
        return 0;
    return luma->step == 1 ||
           !(desc->flags & AV_PIX_FMT_FLAG_BE) == !AV_HAVE_BIGENDIAN;
}

/* Frames that an optional file reads, or NULL. */
static const VmafGpuFrames *kind_of(enum AVPixelFormat format)
{
#if VMAF_GPU_SURFACES
    for (int i = 0; ff_vmafgpu_surfaces.formats[i] != AV_PIX_FMT_NONE; i++)
        if (ff_vmafgpu_surfaces.formats[i] == format)
            return &ff_vmafgpu_surfaces;
#endif
    return NULL;
}

AVFilterFormats *ff_vmafgpu_supported_formats(void)
{
    const AVPixFmtDescriptor *desc = NULL;
    AVFilterFormats *formats = NULL;

    while ((desc = av_pix_fmt_desc_next(desc))) {
        const enum AVPixelFormat format = av_pix_fmt_desc_get_id(desc);

        if ((ff_vmafgpu_is_supported(desc) || kind_of(format) ||
             (CONFIG_CUDA && format == AV_PIX_FMT_CUDA)) &&
            ff_add_format(&formats, format) < 0)
            return NULL;
    }
    return formats;
}

int ff_vmafgpu_set_formats(AVFilterContext *ctx, AVFilterFormats *(*make)(void),
                           int is_common)
{
    AVFilterFormatsConfig *reference = &ctx->inputs[VMAFGPU_REFERENCE]->outcfg;
    int ret = is_common ? 0 : ff_formats_ref(make(), &reference->formats);

    return ret < 0 ? ret : ff_set_common_formats(ctx, make());
}

/*
 * Separate lists, so that nothing that can be read is converted. Main and
 * output get common ranges and matrices by default.
 */
int ff_vmafgpu_query_formats(AVFilterContext *ctx)
{
#ifndef VG_NO_COLORS
    AVFilterFormatsConfig *reference = &ctx->inputs[VMAFGPU_REFERENCE]->outcfg;
#endif
    int ret;

#if VMAF_GPU_FORMATS
    if ((ret = ff_vmafgpu_conversion.set_formats(ctx)))
        return FFMIN(ret, 0);
#endif
    ret = ff_vmafgpu_set_formats(ctx, ff_vmafgpu_supported_formats, 0);
#ifndef VG_NO_COLORS
    if (ret >= 0)
        ret = ff_formats_ref(ff_all_color_ranges(), &reference->color_ranges);
    if (ret >= 0)
        ret = ff_formats_ref(ff_all_color_spaces(), &reference->color_spaces);
#endif
    return ret;
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

/* Whether Cb or Cr has the depth and shift of luma. It may be interleaved. */
static int is_like_luma(const AVComponentDescriptor *chroma,
                        const AVComponentDescriptor *luma)
{
    return chroma->depth == luma->depth && chroma->shift == luma->shift &&
           chroma->plane > 0 && !(chroma->step % luma->step);
}

/* VmafGpuChroma of a format; 400 also if the engine cannot read its chroma. */
static int chroma_layout(const AVPixFmtDescriptor *desc)
{
    if (desc->nb_components < 3 ||
        !is_like_luma(&desc->comp[1], &desc->comp[0]) ||
        !is_like_luma(&desc->comp[2], &desc->comp[0]))
        return VMAFGPU_CHROMA_400;
    if (desc->log2_chroma_w == 1 && desc->log2_chroma_h <= 1)
        return desc->log2_chroma_h ? VMAFGPU_CHROMA_420 : VMAFGPU_CHROMA_422;
    return desc->log2_chroma_w || desc->log2_chroma_h ? VMAFGPU_CHROMA_400
                                                      : VMAFGPU_CHROMA_444;
}

/* ------------------------------------------- what the engine says of inputs */

static void engine_log(void *opaque, int level, const char *text)
{
    /* Both have error, warning, info and verbose in this order. */
    av_log(opaque, AV_LOG_ERROR + level * (AV_LOG_WARNING - AV_LOG_ERROR),
           "%s\n", text);
}

static void set_tag(char *out, size_t size, const char *name)
{
    av_strlcpy(out, name ? name : "", size);
}

#define SET_TAG(field, name) set_tag(field, sizeof(field), name)

/* Refuse what cannot be compared. All else waits for the first frames. */
static int check_inputs(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = { 0 };
    int chroma[VMAF_GPU_NB_INPUTS];

    vmafgpu_inputs_default(&s->inputs);
    s->inputs.is_scaling = s->opt.scales;
    s->inputs.models = s->choice->builtins;
    s->inputs.model_count = s->choice->builtin_count;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        AVFilterLink *link = ctx->inputs[i];
        const AVPixFmtDescriptor *desc =
            av_pix_fmt_desc_get(ff_vmafgpu_software_format(link));
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
        chroma[i] = chroma_layout(desc);
        SET_TAG(input->format, desc->name);
        input->width = link->w;
        input->height = link->h;
        input->sar_num = link->sample_aspect_ratio.num;
        input->sar_den = link->sample_aspect_ratio.den;
        input->is_hardware = !!ff_vmafgpu_hw_frames(link);
        s->inputs.input[i] = *input;
    }
    /* No feature can compare chroma that differs in layout. */
    s->chroma = chroma[0] == chroma[1] ? chroma[0] : VMAFGPU_CHROMA_400;
    return vmafgpu_inputs_check(&s->inputs, &error) < 0 ? told(ctx, &error) : 0;
}

/*
 * Once both inputs have had a frame, the engine says what it thinks of them.
 * Features that read colours may refuse them, and tags that change later.
 */
static int see_frame(AVFilterContext *ctx, int i, const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuInput *input = &s->inputs.compared[i];
    const int64_t number = s->seen[i]++;
    const int tags[] = { frame->color_range, frame->colorspace,
                         frame->color_primaries, frame->color_trc };
    VmafGpuError error = { 0 };

    if (number > 0 && (!s->seen[!i] || !memcmp(tags, s->tags[i], sizeof(tags))))
        return 0;
    memcpy(s->tags[i], tags, sizeof(tags));
    SET_TAG(input->range, av_color_range_name(frame->color_range));
    SET_TAG(input->matrix, av_color_space_name(frame->colorspace));
    SET_TAG(input->primaries, av_color_primaries_name(frame->color_primaries));
    SET_TAG(input->transfer, av_color_transfer_name(frame->color_trc));
    input->is_interlaced = VG_IS_INTERLACED(frame);
    s->inputs.input[i] = *input;
#if VMAF_GPU_FORMATS
    ff_vmafgpu_conversion.describe_original(ctx->inputs[i],
                                            &s->inputs.input[i]);
#endif
    if (!s->seen[!i])
        return 0;
    s->inputs.log = vmafgpu_log;
    s->inputs.log_opaque = s->engine;
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

/* ------------------------------------------------------------------ frames */

void ff_vmafgpu_describe_planes(VmafGpuPicture *picture, const AVFrame *frame,
                                const AVPixFmtDescriptor *desc)
{
    const int planes = chroma_layout(desc) == VMAFGPU_CHROMA_400 ? 1 : 3;

    picture->depth = desc->comp[0].depth;
    picture->shift = desc->comp[0].shift;
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
    const AVHWFramesContext *pool = ff_vmafgpu_hw_frames(link);
    const AVHWFramesContext *frames =
        frame->hw_frames_ctx
            ? (const AVHWFramesContext *)frame->hw_frames_ctx->data
            : NULL;

    if (frame->width != link->w || frame->height != link->h ||
        frame->format != link->format)
        av_log(ctx, AV_LOG_ERROR,
               "%s changed from %dx%d %s to %dx%d %s in mid-stream; insert a "
               "scale filter before vmaf_gpu\n",
               ctx->input_pads[input].name, link->w, link->h,
               av_get_pix_fmt_name(link->format), frame->width, frame->height,
               av_get_pix_fmt_name(frame->format));
    else if (pool && (!frames || frames->sw_format != pool->sw_format ||
                      frames->device_ctx != pool->device_ctx))
        av_log(ctx, AV_LOG_ERROR,
               "%s: a hardware frame has another format or device than its "
               "input, or no hw_frames_ctx; use hwdownload\n",
               ctx->input_pads[input].name);
    else
        return 0;
    return AVERROR(EINVAL);
}

static void release_frame(void *opaque)
{
    AVFrame *frame = opaque;

    av_frame_free(&frame);
}

void ff_vmafgpu_describe_frame(VmafGpuPicture *picture, AVFrame *frame,
                               enum AVPixelFormat format)
{
    picture->memory =
        frame->format == format ? VMAFGPU_MEMORY_HOST : VMAFGPU_MEMORY_DEVICE;
    ff_vmafgpu_describe_planes(picture, frame, av_pix_fmt_desc_get(format));
    picture->opaque = frame;
    picture->release = release_frame;
}

int ff_vmafgpu_wrap(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                    const AVFrame *frame)
{
    const VmafGpuFrames *kind = kind_of(frame->format);
    AVFrame *clone;
    int ret = check_frame(ctx, input, frame);

    if (ret < 0 || (ret = see_frame(ctx, input, frame)) < 0)
        return ret;
    picture->width = frame->width;
    picture->height = frame->height;
    if (kind)
        return kind->wrap(ctx, picture, input, frame);
    if (!(clone = av_frame_clone(frame)))
        return AVERROR(ENOMEM);
    ff_vmafgpu_describe_frame(picture, clone,
                              ff_vmafgpu_software_format(ctx->inputs[input]));
    return 0;
}

/* -------------------------------------------------------------------- CUDA */

/*
 * A pool for main's CUDA frames, which wait in the filter: those of a decoder
 * are few. Frames of other kinds pass in their own pool.
 */
static int pass_hw_frames(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const AVHWFramesContext *like =
        ff_vmafgpu_hw_frames(ctx->inputs[VMAFGPU_MAIN]);
    AVHWFramesContext *frames;
    int ret;

    if (!like)
        return 0;
    av_buffer_unref(&s->main_pool);
    if (like->format == AV_PIX_FMT_CUDA) {
        if (!(s->main_pool = av_hwframe_ctx_alloc(like->device_ref)))
            return AVERROR(ENOMEM);
        frames = (AVHWFramesContext *)s->main_pool->data;
        frames->format = like->format;
        frames->sw_format = like->sw_format;
        frames->width = like->width;
        frames->height = like->height;
        if ((ret = av_hwframe_ctx_init(s->main_pool)) < 0)
            return ret;
    }
    return av_buffer_replace(
        &ff_filter_link(ctx->outputs[0])->hw_frames_ctx,
        s->main_pool
            ? s->main_pool
            : ff_filter_link(ctx->inputs[VMAFGPU_MAIN])->hw_frames_ctx);
}

int ff_vmafgpu_leave_pool(AVFilterContext *ctx, AVFrame **frame)
{
    const VmafGpuFilter *s = ctx->priv;
    AVFrame *copy;
    int ret;

    if (!s->main_pool)
        return 0;
    if (!(copy = av_frame_alloc()))
        return AVERROR(ENOMEM);
    if ((ret = av_hwframe_get_buffer(s->main_pool, copy, 0)) < 0 ||
        (ret = av_hwframe_transfer_data(copy, *frame, 0)) < 0 ||
        (ret = av_frame_copy_props(copy, *frame)) < 0) {
        av_frame_free(&copy);
        return ret == AVERROR(ENOSYS)
                   ? 0
                   : ret; /* mapped from elsewhere: it waits itself */
    }
    copy->width = (*frame)->width;
    copy->height = (*frame)->height;
    av_frame_free(frame);
    *frame = copy;
    return 0;
}

#if CONFIG_CUDA
static int take_cuda(AVFilterContext *ctx, VmafGpuSettings *settings,
                     const AVCUDADeviceContext *cuda)
{
    if (settings->native_context &&
        (settings->native_context != cuda->cuda_ctx ||
         settings->native_stream != cuda->stream)) {
        av_log(ctx, AV_LOG_ERROR,
               "main and reference are on different devices (contexts %p and "
               "%p) or use different CUDA streams; use one -init_hw_device\n",
               settings->native_context, (void *)cuda->cuda_ctx);
        return AVERROR(EINVAL);
    }
    settings->native_context = cuda->cuda_ctx;
    settings->native_stream = cuda->stream;
    return 0;
}

/* Software frames may use that of -filter_hw_device. */
static int use_cuda(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    const VmafGpuFilter *s = ctx->priv;
    const AVHWDeviceContext *device =
        ctx->hw_device_ctx ? (AVHWDeviceContext *)ctx->hw_device_ctx->data
                           : NULL;
    int ret;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(ctx->inputs[i]);

        if (frames && frames->format == AV_PIX_FMT_CUDA &&
            (ret = take_cuda(ctx, settings, frames->device_ctx->hwctx)) < 0)
            return ret;
    }
    if (!settings->native_context)
        return device && device->type == AV_HWDEVICE_TYPE_CUDA &&
                       !s->opt.device && !strcmp(s->backend, "cuda")
                   ? take_cuda(ctx, settings, device->hwctx)
                   : 0;
    if (!strcmp(s->backend, "auto") || !strcmp(s->backend, "cuda"))
        return 0;
    av_log(ctx, AV_LOG_ERROR,
           "backend=%s was requested but frames are CUDA; hwdownload first "
           "or use backend=cuda\n",
           s->backend);
    return AVERROR(EINVAL);
}
#endif

/* ------------------------------------------------------------------ engine */

static void fill_settings(AVFilterContext *ctx, VmafGpuSettings *settings)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPairingSettings *pairing = &s->opt.pairing;

    vmafgpu_settings_default(settings);
    settings->pairing = pairing;
    pairing->struct_size = sizeof(*pairing);
    settings->width = ctx->inputs[VMAFGPU_REFERENCE]->w;
    settings->height = ctx->inputs[VMAFGPU_REFERENCE]->h;
    settings->distorted_width = ctx->inputs[VMAFGPU_MAIN]->w;
    settings->distorted_height = ctx->inputs[VMAFGPU_MAIN]->h;
    settings->depth = s->inputs.depth;
    settings->chroma = s->chroma;
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
    /*
     * A decoder has few surfaces to spare: NVDEC four in FFmpeg 5.1, and it
     * fails without one. Copies of Vulkan frames have few buffers. Other pools
     * grow, by surfaces that are imported one by one and stay.
     */
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(ctx->inputs[i]);
        const enum AVPixelFormat format = ctx->inputs[i]->format;
        const int is_fixed = frames && frames->initial_pool_size > 0;
        const AVRational base = ctx->inputs[i]->time_base;
        const AVRational rate = ff_filter_link(ctx->inputs[i])->frame_rate;

        pairing->input[i] =
            (VmafGpuPairingInput){ base.num, base.den, rate.num, rate.den };
        if (is_fixed || format == AV_PIX_FMT_VULKAN)
            settings->most_held = 2;
        else if (frames && format != AV_PIX_FMT_CUDA)
            settings->most_held = FFMIN(settings->most_held, 8);
        /* Copies of CUDA frames wait instead. Vulkan's pools grow. */
        if (i == VMAFGPU_MAIN)
            pairing->has_fixed_pool = is_fixed && format != AV_PIX_FMT_CUDA &&
                                      format != AV_PIX_FMT_VULKAN;
    }
    settings->subsample = s->opt.n_subsample;
    settings->compat = s->compat;
    settings->chunk = s->opt.chunk || pairing->is_part ? &s->range : NULL;
    settings->shots = s->opt.shots;
    settings->log = engine_log;
    settings->log_opaque = ctx;
    if (av_log_get_level() >= AV_LOG_VERBOSE)
        settings->log_level = VMAFGPU_LOG_VERBOSE;
}

/* The engine's name of the device: that of the frames, if none is given. */
static int choose_device(AVFilterContext *ctx, VmafGpuSettings *settings,
                         char *selector, size_t size)
{
    VmafGpuFilter *s = ctx->priv;
    const char *device = s->opt.device, *backend = s->backend;

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
    for (int i = 0; i < VMAF_GPU_NB_INPUTS && !device; i++) {
        const VmafGpuFrames *kind = kind_of(ctx->inputs[i]->format);

        if (kind && !settings->native_context &&
            kind->probe(ctx, i, selector, size))
            break;
    }
    return 0;
}

static int open_engine(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuSettings settings;
    VmafGpuError error = { 0 };
    char selector[64];
    int ret;

    fill_settings(ctx, &settings);
    ret = choose_device(ctx, &settings, selector, sizeof(selector));
    if (ret < 0)
        return ret;
    ret = vmafgpu_open(&s->engine, &settings, &error);
    if (ret >= 0)
        return 0;
    /* A setting that no backend takes is not this backend's fault. */
    if (ret == AVERROR(EINVAL))
        av_log(ctx, AV_LOG_ERROR, "%s\n", error.text);
    else
        av_log(ctx, AV_LOG_ERROR, "backend=%s: %s\n", s->backend, error.text);
    return ret;
}

int ff_vmafgpu_configure(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const AVFilterLink *link = ctx->inputs[VMAFGPU_MAIN];
    const AVFilterLink *reference = ctx->inputs[VMAFGPU_REFERENCE];
    int ret;

    s->is_lone = 1;
    for (unsigned i = 0; ctx->graph && i < ctx->graph->nb_filters; i++)
        if (ctx->graph->filters[i] != ctx &&
            ctx->graph->filters[i]->filter == ctx->filter)
            s->is_lone = 0;
    if ((ret = check_inputs(ctx)) < 0 || (ret = pass_hw_frames(ctx)) < 0)
        return ret;
    av_log(ctx, AV_LOG_VERBOSE,
           "main (distorted) = %dx%d %s, reference = %dx%d %s\n", link->w,
           link->h, av_get_pix_fmt_name(link->format), reference->w,
           reference->h, av_get_pix_fmt_name(reference->format));
    return open_engine(ctx);
}
