/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the log of a vmaf_gpu filter says besides the scores: times of the pairs,
 * pixel formats, options, warnings, counts. Called by vf_vmaf_gpu_report.c, which
 * opens and finishes the file. The engine writes it and adds what it knows itself.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libavutil/avstring.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/mem.h"
#include "libavutil/opt.h"

#include "vf_vmaf_gpu.h"

/* What a message has space for. */
#define LONGEST_WARNING 1024

/* More of them would say nothing new. */
#define MOST_WARNINGS 64

/* ------------------------------------------------------------- warnings */

/* Without memory the warning is only printed. */
void ff_vmafgpu_keep_warning(VmafGpuFilter *s, const char *text)
{
    char **list;

    if (s->warning_count == MOST_WARNINGS)
        return;
    for (int i = 0; i < s->warning_count; i++)
        if (!strcmp(s->warnings[i], text))
            return;
    list = av_realloc_array(s->warnings, s->warning_count + 1, sizeof(*list));
    if (!list)
        return;
    s->warnings = list;
    if ((list[s->warning_count] = av_strdup(text)))
        s->warning_count++;
}

void ff_vmafgpu_warn(AVFilterContext *ctx, const char *format, ...)
{
    char text[LONGEST_WARNING];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    av_log(ctx, AV_LOG_WARNING, "%s\n", text);
    ff_vmafgpu_keep_warning(ctx->priv, text);
}

/* ---------------------------------------------------------------- times */

int ff_vmafgpu_keep_time(VmafGpuFilter *s, const VmafGpuResult *result)
{
    const int64_t at = result->index - s->chunk.range.first;
    int64_t *pts;

    if (!s->opt.log_path || (strcmp(s->log_format, "html") && strcmp(s->log_format, "json") &&
                             !ff_vmafgpu_is_part(s)))
        return 0;
    pts = av_fast_realloc(s->pts, &s->pts_size, ((size_t)at + 1) * sizeof(*pts));
    if (!pts)
        return AVERROR(ENOMEM);
    s->pts = pts;
    s->pts[at] = result->time;
    s->pts_count = at + 1;
    return 0;
}

/* ------------------------------------------------------------- the log */

/*
 * Where and how scores were computed and written. Chunks of a run may differ in it, and the log
 * of the merged chunks has to be that of the whole run.
 */
static void hide_place(VmafGpuFilter *s)
{
    static const char *const names[] = {"log_path", "log_fmt", "csv", "stats_file", "overwrite",
                                        "log_written", "chunk", "backend", "device", "n_threads",
                                        "inflight"};

    for (int i = 0; i < FF_ARRAY_ELEMS(names); i++) {
        const AVOption *option = av_opt_find(s, names[i], NULL, 0, 0);
        void *value = (uint8_t *)s + option->offset;

        if (option->type == AV_OPT_TYPE_STRING)
            *(const char **)value = option->default_val.str;
        else
            *(int *)value = option->default_val.i64;
    }
}

/* Options that are not at their defaults, as in a filter graph. */
static int describe_options(VmafGpuFilter *s, char **out)
{
    const VmafGpuOptions given = s->opt;
    int ret;

    *out = NULL;
    hide_place(s);
    ret = av_opt_serialize(s, 0, AV_OPT_SERIALIZE_SKIP_DEFAULTS, out, '=', ':');
    s->opt = given;
    return ret;
}

static void fill_run(const VmafGpuFilter *s, const char *options, VmafGpuRun *run)
{
    run->struct_size = sizeof(*run);
    run->main_format = s->format_names[VMAF_GPU_MAIN];
    run->reference_format = s->format_names[VMAF_GPU_REFERENCE];
    run->options = options;
    run->warnings = (const char *const *)s->warnings;
    run->warning_count = s->warning_count;
    run->pts = s->pts;
    run->pts_first = s->chunk.range.first;
    run->pts_count = s->pts_count;
    run->time_base_num = s->time_base[VMAF_GPU_MAIN].num;
    run->time_base_den = s->time_base[VMAF_GPU_MAIN].den;
}

const char *ff_vmafgpu_log_format(const VmafGpuFilter *s)
{
    return s->csv_strict && !strcmp(s->log_format, "csv") ? "csv_strict" : s->log_format;
}

int ff_vmafgpu_write_log(AVFilterContext *ctx, const VmafGpuPairing *pairing, double fps)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuRun run = {0};
    VmafGpuLog log = {0};
    char reason[AV_ERROR_MAX_STRING_SIZE], lacks[200];
    char *options;
    int ret = describe_options(s, &options);

    if (ret < 0)
        return ret;
    fill_run(s, options, &run);
    log.output = s->log;
    log.format = ff_vmafgpu_log_format(s);
    log.title = s->opt.title;
    log.precision = s->precision;
    log.fps = fps;
    log.pairing = pairing;
    log.repeated_main = pairing->repeated_main;
    log.repeated_reference = pairing->repeated_reference;
    log.run = &run;
    if (s->error)
        log.incomplete = av_make_error_string(reason, sizeof(reason), s->error);
    else
        log.incomplete = ff_vmafgpu_chunk_lacks(s, lacks, sizeof(lacks));
    ret = vmafgpu_write_log(s->engine, &log); /* the engine logs a failure */
    av_free(options);
    return ret;
}

void ff_vmafgpu_free_log(VmafGpuFilter *s)
{
    for (int i = 0; i < s->warning_count; i++)
        av_freep(&s->warnings[i]);
    av_freep(&s->warnings);
    s->warning_count = 0;
    av_freep(&s->pts);
    s->pts_size = 0;
    s->pts_count = 0;
}
