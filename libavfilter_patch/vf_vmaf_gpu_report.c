/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Output of a vmaf_gpu filter: metadata of frames, lines of the stats file, and
 * at the end the summary, the log and the score lines, in this order. Called by
 * vf_vmaf_gpu.c, which decides when a score is final. The engine writes the log.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libavutil/bprint.h"
#include "libavutil/dict.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/time.h"

#include "vf_vmaf_gpu.h"

#define KEY_PREFIX "lavfi.vmaf_gpu."

/* ------------------------------------------------------------ output files */

static int output_error(AVFilterContext *ctx, const VmafGpuError *error)
{
    av_log(ctx, AV_LOG_ERROR, "%s\n", error->text);
    return error->code;
}

static int open_output(AVFilterContext *ctx, VmafGpuOutput **output, const char *path,
                       const char *kind, int flags)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = {0};
    int ret;

    flags |= s->opt.overwrite ? VMAFGPU_OUTPUT_OVERWRITE : 0;
    ret = vmafgpu_output_open(output, path, kind, flags, &error);
    if (ret < 0)
        return output_error(ctx, &error);
    if (strcmp(vmafgpu_output_path(*output), path))
        ff_vmafgpu_warn(ctx, "this process has another output '%s': writing '%s'", path,
                        vmafgpu_output_path(*output));
    if (*vmafgpu_output_note(*output))
        av_log(ctx, AV_LOG_VERBOSE, "%s\n", vmafgpu_output_note(*output));
    return 0;
}

/* A graph that was stopped keeps its names: the next one would replace what it wrote. */
static int finish_output(AVFilterContext *ctx, VmafGpuOutput **output)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = {0};
    int ret = 0;

    if (*output && vmafgpu_output_finish(*output, !s->is_stopped || s->error, &error) < 0)
        ret = output_error(ctx, &error);
    return ret;
}

/* The name of the log in use, for programs. */
static int export_name(VmafGpuFilter *s)
{
    av_free(s->opt.log_written);
    s->opt.log_written = av_strdup(vmafgpu_output_path(s->log));
    return s->opt.log_written ? 0 : AVERROR(ENOMEM);
}

/* A file of the user may have come to the name during the run. It stays. */
static int finish_log(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = finish_output(ctx, &s->log);

    if (ret >= 0 && strcmp(vmafgpu_output_path(s->log), s->opt.log_written)) {
        av_log(ctx, AV_LOG_WARNING, "'%s' has become another file during the run: wrote '%s'\n",
               s->opt.log_written, vmafgpu_output_path(s->log));
        ret = export_name(s);
    }
    vmafgpu_output_close(&s->log);
    return ret;
}

int ff_vmafgpu_check_log_path(AVFilterContext *ctx)
{
    const VmafGpuOptions *opt = &((VmafGpuFilter *)ctx->priv)->opt;
    const char *drive = opt->log_path, *rest = opt->log_fmt;

    if (!drive || !rest || strlen(drive) != 1 || (*rest != '/' && *rest != '\\'))
        return 0;
    av_log(ctx, AV_LOG_ERROR, "log_path=%s:%s was cut at the colon; write it as log_path=%s\\\\:%s or "
           "log_path='%s\\:%s'\n", drive, rest, drive, rest, drive, rest);
    return AVERROR(EINVAL);
}

static int open_log(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    if (!s->opt.log_path)
        return 0;
    ret = open_output(ctx, &s->log, s->opt.log_path, "log", 0);
    return ret < 0 ? ret : export_name(s);
}

/*
 * Only what is asked for is kept, so that a run may last for ever: nothing without a log,
 * and no rows of a log that can be written as they come.
 */
static int limit_memory(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuLog log = {0};

    if (!s->log)
        return vmafgpu_stream_log(s->engine, NULL);
    if (strcmp(s->log_format, "csv") && strcmp(s->log_format, "sub"))
        return 0;
    log.output = s->log;
    log.format = ff_vmafgpu_log_format(s);
    log.precision = s->precision;
    return vmafgpu_stream_log(s->engine, &log);
}

static int open_stats(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    return s->opt.stats_path ? open_output(ctx, &s->stats, s->opt.stats_path, "stats_file",
                                           VMAFGPU_OUTPUT_LIVE) : 0;
}

/*
 * As in the log, with one exception: precision 6 always prints six digits. The
 * log prints 16 for tiny fractions, as libvmaf does, but readers of metadata
 * expect "%f".
 */
static int format_score(const VmafGpuFilter *s, char *out, size_t size, double value)
{
    if (s->precision != 6 || !isfinite(value))
        return vmafgpu_format_score(out, size, value, s->precision);
    return snprintf(out, size, "%.6f", fabs(value) < 5e-7 ? 0.0 : value);
}

/* ----------------------------------------------------------- stats file */

/* Time of the partner, in the time base of the reference. */
static int64_t reference_pts(const VmafGpuResult *result)
{
    return (int64_t)result->reference_tag;
}

/* "n:1 pts:512 ref_pts:512 vmaf:93.123456 ...". */
static int format_stats_line(const VmafGpuFilter *s, const VmafGpuResult *result, AVBPrint *line)
{
    char value[64];

    av_bprintf(line, "n:%" PRId64 " pts:%" PRId64, result->index + 1, result->time);
    if (reference_pts(result) != AV_NOPTS_VALUE)
        av_bprintf(line, " ref_pts:%" PRId64, reference_pts(result));
    for (int i = 0; i < result->score_count; i++) {
        int ret = format_score(s, value, sizeof(value), result->scores[i]);

        if (ret < 0)
            return ret;
        av_bprintf(line, " %s:%s", vmafgpu_score_name(s->engine, i), value);
    }
    av_bprint_chars(line, '\n', 1);
    return av_bprint_is_complete(line) ? 0 : AVERROR(ENOMEM);
}

static int write_stats_line(AVFilterContext *ctx, const VmafGpuResult *result)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = {0};
    AVBPrint line;
    int ret;

    av_bprint_init(&line, 0, AV_BPRINT_SIZE_UNLIMITED);
    ret = format_stats_line(s, result, &line);
    if (ret >= 0 && vmafgpu_output_write(s->stats, line.str, line.len, &error) < 0)
        ret = output_error(ctx, &error);
    av_bprint_finalize(&line, NULL);
    return ret;
}

/* ------------------------------------------------------------- metadata */

static int name_metadata(VmafGpuFilter *s)
{
    int count = vmafgpu_score_count(s->engine);

    s->metadata_keys = av_calloc(FFMAX(count, 1), sizeof(*s->metadata_keys));
    if (!s->metadata_keys)
        return AVERROR(ENOMEM);
    for (s->score_count = 0; s->score_count < count; s->score_count++) {
        char *key = av_asprintf(KEY_PREFIX "%s", vmafgpu_score_name(s->engine, s->score_count));

        if (!key)
            return AVERROR(ENOMEM);
        s->metadata_keys[s->score_count] = key;
    }
    return 0;
}

static int set_metadata(const VmafGpuFilter *s, const VmafGpuResult *result, AVFrame *frame)
{
    char value[64];
    int ret = 0;

    if (reference_pts(result) != AV_NOPTS_VALUE)
        ret = av_dict_set_int(&frame->metadata, KEY_PREFIX "ref_pts", reference_pts(result), 0);
    for (int i = 0; ret >= 0 && i < result->score_count; i++) {
        if (!isfinite(result->scores[i])) /* readers of metadata expect decimals */
            continue;
        ret = format_score(s, value, sizeof(value), result->scores[i]);
        if (ret >= 0)
            ret = av_dict_set(&frame->metadata, s->metadata_keys[i], value, 0);
    }
    return ret < 0 ? ret : 0;
}

/* Index of the score that fail_below= is about, negative if there is no such score. */
static int find_fail_score(const VmafGpuFilter *s)
{
    if (!s->fail_name)
        return s->model_count ? vmafgpu_model_score(s->engine, 0) : -1;
    for (int i = 0; i < vmafgpu_score_count(s->engine); i++)
        if (!strcmp(vmafgpu_score_name(s->engine, i), s->fail_name))
            return i;
    return -1;
}

static int check_fail_score(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    AVBPrint known;

    if (!s->opt.fail_below || find_fail_score(s) >= 0)
        return 0;
    av_bprint_init(&known, 0, AV_BPRINT_SIZE_AUTOMATIC);
    for (int i = 0; i < vmafgpu_score_count(s->engine); i++)
        av_bprintf(&known, " %s", vmafgpu_score_name(s->engine, i));
    if (s->fail_name)
        av_log(ctx, AV_LOG_ERROR, "fail_below: unknown score '%s' (known:%s)\n", s->fail_name, known.str);
    else
        av_log(ctx, AV_LOG_ERROR, "fail_below: there is no model, so write NAME:%s (known:%s)\n",
               s->opt.fail_below, known.str);
    return AVERROR(EINVAL);
}

int ff_vmafgpu_open_reports(AVFilterContext *ctx)
{
    int ret;

    if ((ret = name_metadata(ctx->priv)) < 0 || (ret = check_fail_score(ctx)) < 0 ||
        (ret = open_log(ctx)) < 0 || (ret = limit_memory(ctx)) < 0)
        return ret;
    return open_stats(ctx);
}

int ff_vmafgpu_report_result(AVFilterContext *ctx, const VmafGpuResult *result, AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = 0;

    s->collected++;
    if ((ret = ff_vmafgpu_keep_time(s, result)) < 0)
        return ret;
    if (!result->scored || !ff_vmafgpu_is_in_chunk(s, result->index))
        return 0;
    s->scored++;
    if (frame)
        ret = set_metadata(s, result, frame);
    if (ret >= 0 && s->stats && (s->stats_error = write_stats_line(ctx, result)) < 0)
        vmafgpu_output_close(&s->stats); /* the log must not suffer; the run fails at its end */
    return ret;
}

/* ------------------------------------------------------- end of the run */

static double frames_per_second(const VmafGpuFilter *s)
{
    int64_t elapsed = av_gettime_relative() - s->start_time;

    return elapsed > 0 ? s->collected * 1e6 / elapsed : 0.0;
}

static void print_summary(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuDevice device = {0};
    VmafGpuPairing pairing;
    int is_offset;

    vmafgpu_pairing(s->engine, &pairing);
    is_offset = s->has_offset && !pairing.pairs && !pairing.disabled_main;
    vmafgpu_device_info(s->engine, &device);
    av_log(ctx, AV_LOG_INFO, "%" PRId64 " frames, backend %s (%s), %.1f fps\n", s->collected,
           device.backend, device.name, frames_per_second(s));
    if (!s->scored && !s->chunk.is_given) /* subsampling may leave out all of a chunk */
        ff_vmafgpu_warn(ctx, "no pair of frames was scored%s%s%s", is_offset ? ": offset=" : "",
                        is_offset ? s->opt.offset : "", is_offset ? " leaves none" : "");
}

/* Count the frames, and say what became of them. */
static int finish_pairing(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const char *warning;
    int ret;

    s->is_finishing = 1;
    ret = vmafgpu_finish(s->engine, s->error ? VMAFGPU_FINISH_FAILED : s->is_stopped ?
                         VMAFGPU_FINISH_STOPPED : VMAFGPU_FINISH_END);
    s->is_finishing = 0;
    /* A part has more warnings than were said. */
    for (int i = 0; (warning = vmafgpu_pairing_warning(s->engine, i)); i++)
        ff_vmafgpu_keep_warning(s, warning);
    return ret;
}

static int write_log(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPairing pairing;
    int ret;

    if (!s->log)
        return 0;
    vmafgpu_pairing(s->engine, &pairing);
    ret = ff_vmafgpu_write_log(ctx, &pairing, frames_per_second(s));
    return ret < 0 ? ret : finish_log(ctx);
}

static int pool_scores(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->pooled = av_calloc(s->model_count, sizeof(*s->pooled));
    if (!s->pooled)
        return AVERROR(ENOMEM);
    for (int i = 0; i < s->model_count; i++) {
        int series = vmafgpu_model_score(s->engine, i);
        int ret = vmafgpu_pooled(s->engine, series, s->pool, &s->pooled[i]);

        if (ret < 0) {
            av_log(ctx, AV_LOG_ERROR, "pool=%s: %s\n", s->opt.pool, vmafgpu_strerror(ret));
            av_freep(&s->pooled);
            return ret;
        }
    }
    return 0;
}

/* No pair, chunk=, strict=1 and fail_below=: everything is written, and yet the run fails. */
static int check_demands(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *fault = vmafgpu_pairing_fault(s->engine);
    const int series = find_fail_score(s);
    char lacks[200];
    double score;
    int ret;

    if (!s->scored && !s->chunk.is_given && !s->is_stopped) {
        av_log(ctx, AV_LOG_ERROR, "there is no score\n");
        return AVERROR_INVALIDDATA;
    }
    if (ff_vmafgpu_chunk_lacks(s, lacks, sizeof(lacks))) {
        av_log(ctx, AV_LOG_ERROR, "chunk: %s\n", lacks);
        return AVERROR_INVALIDDATA;
    }
    if (s->opt.strict && *fault && !s->is_stopped) {
        av_log(ctx, AV_LOG_ERROR, "strict: %s\n", fault);
        return AVERROR_INVALIDDATA;
    }
    if (isnan(s->fail_limit))
        return 0;
    ret = vmafgpu_pooled(s->engine, series, s->pool, &score);
    if (ret >= 0 && score >= s->fail_limit)
        return 0;
    if (ret < 0)
        av_log(ctx, AV_LOG_ERROR, "fail_below: %s has no score\n", vmafgpu_score_name(s->engine, series));
    else
        av_log(ctx, AV_LOG_ERROR, "fail_below: %s is %f, less than %s\n",
               vmafgpu_score_name(s->engine, series), score,
               s->opt.fail_below + (s->fail_name ? strlen(s->fail_name) + 1 : 0));
    return AVERROR_INVALIDDATA;
}

int ff_vmafgpu_finish(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int counts, stats, log, pooled, demands;

    if (s->finished || !s->engine)
        return 0;
    s->finished = 1;
    print_summary(ctx);
    counts = finish_pairing(ctx);
    stats = finish_output(ctx, &s->stats);
    vmafgpu_output_close(&s->stats);
    stats = s->stats_error < 0 ? s->stats_error : stats;
    log = write_log(ctx);
    if (s->error) /* what was scored is in the log, but it is no result */
        return s->error;
    pooled = s->scored ? pool_scores(ctx) : 0; /* valid even if a file failed */
    demands = check_demands(ctx);
    return counts < 0 ? counts : log < 0 ? log : stats < 0 ? stats : pooled < 0 ? pooled : demands;
}

int ff_vmafgpu_is_vmaf_gpu(const AVFilterContext *filter)
{
    return !strcmp(filter->filter->name, "vmaf_gpu");
}

void ff_vmafgpu_note_graph(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->graph = ctx->graph;
    s->is_lone = 1;
    for (unsigned i = 0; s->graph && i < s->graph->nb_filters; i++)
        if (s->graph->filters[i] != ctx && ff_vmafgpu_is_vmaf_gpu(s->graph->filters[i]))
            s->is_lone = 0;
}

/*
 * What a score line is about. Nothing if it can only be one score: then the line is that
 * of libvmaf. Names that users gave come first.
 */
static const char *score_label(const AVFilterContext *ctx, int model)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *name = vmafgpu_score_name(s->engine, vmafgpu_model_score(s->engine, model));

    if (strcmp(name, "vmaf") || s->model_count > 1)
        return name;
    return s->is_lone ? NULL : ctx->name;
}

/* Values that features give once per run, in one line. */
static void print_run_values(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    AVBPrint line;
    double value;

    av_bprint_init(&line, 0, AV_BPRINT_SIZE_UNLIMITED);
    for (int i = 0; i < vmafgpu_aggregate_count(s->engine); i++)
        if (!vmafgpu_aggregate(s->engine, i, &value))
            av_bprintf(&line, "%s%s: %f", line.len ? ", " : "",
                       vmafgpu_aggregate_name(s->engine, i), value);
    if (line.len && av_bprint_is_complete(&line))
        av_log(ctx, AV_LOG_INFO, "of the run: %s\n", line.str);
    av_bprint_finalize(&line, NULL);
}

static void print_own_scores(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->is_printed = 1;
    /* Other programs parse the number behind "VMAF score: ": never change that part. */
    for (int i = 0; s->pooled && i < s->model_count; i++) {
        const char *label = score_label(ctx, i);

        av_log(ctx, AV_LOG_INFO, "%s%sVMAF score: %f\n", label ? label : "", label ? ": " : "",
               s->pooled[i] + 0.0);
    }
    if (s->pooled)
        print_run_values(ctx);
}

/* The first filter in the graph whose lines are not printed, and could be, or NULL. */
static AVFilterContext *next_unprinted(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    AVFilterContext *first = s->is_printed ? NULL : ctx;

    for (unsigned i = 0; s->graph && i < s->graph->nb_filters; i++) {
        AVFilterContext *other = s->graph->filters[i];
        const VmafGpuFilter *o = other->priv;

        if (ff_vmafgpu_is_vmaf_gpu(other) && o->finished && !o->is_printed &&
            (!first || o->number < ((VmafGpuFilter *)first->priv)->number))
            first = other;
    }
    return first;
}

void ff_vmafgpu_print_scores(AVFilterContext *ctx)
{
    AVFilterContext *next;

    while ((next = next_unprinted(ctx)))
        print_own_scores(next);
}

void ff_vmafgpu_close_reports(VmafGpuFilter *s)
{
    vmafgpu_output_close(&s->stats);
    vmafgpu_output_close(&s->log);
    av_freep(&s->pooled);
    ff_vmafgpu_free_log(s);
    for (int i = 0; i < s->score_count; i++)
        av_freep(&s->metadata_keys[i]);
    av_freep(&s->metadata_keys);
    s->score_count = 0;
}
