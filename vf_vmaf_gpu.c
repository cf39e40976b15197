/* SPDX-License-Identifier: LGPL-2.1-or-later
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

/**
 * @file
 * Scores the first input (distorted) against the second (reference) and passes
 * the first on with the scores as metadata. libvmaf_gpu pairs the frames and
 * computes the scores; this file gives frames to it, holds and sends them, and
 * reports. The entry points are at the end.
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libavutil/bprint.h"
#include "libavutil/common.h"
#include "libavutil/dict.h"
#include "libavutil/mem.h"
#include "libavutil/time.h"

#include "vf_vmaf_gpu.h"

#define KEY_PREFIX "lavfi.vmaf_gpu."

#ifndef IS_WANTED /* releases before 7.0 have more to ask */
#define IS_WANTED(ctx) ff_outlink_frame_wanted((ctx)->outputs[0])
#define FAILS_AT_ONCE 0
#endif

AVFILTER_DEFINE_CLASS_EXT(vmaf_gpu, "vmaf_gpu", ff_vmafgpu_options);

/* ---------------------------------------------------------------- outputs */

static int open_output(AVFilterContext *ctx, VmafGpuOutput **output,
                       const char *path, const char *kind, int flags)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = { 0 };
    const char *note;

    flags |= s->opt.overwrite ? VMAFGPU_OUTPUT_OVERWRITE : 0;
    if (vmafgpu_output_open(output, path, kind, flags, &error) < 0)
        return ff_vmafgpu_told(ctx, &error);
    if (strcmp(vmafgpu_output_path(*output), path))
        ff_vmafgpu_warn(ctx, "another output has '%s': writing '%s'", path,
                        vmafgpu_output_path(*output));
    note = vmafgpu_output_note(*output);
    if (*note)
        av_log(ctx, AV_LOG_VERBOSE, "%s\n", note);
    return 0;
}

/* A graph that was stopped keeps its names: the next one would replace them. */
static int finish_output(AVFilterContext *ctx, VmafGpuOutput *output,
                         int reason)
{
    VmafGpuError error = { 0 };

    if (output &&
        vmafgpu_output_finish(output, reason != VMAFGPU_FINISH_STOPPED,
                              &error) < 0)
        return ff_vmafgpu_told(ctx, &error);
    return 0;
}

/* The name of the log in use, for programs. */
static int export_name(VmafGpuFilter *s)
{
    av_free(s->opt.log_written);
    s->opt.log_written = av_strdup(vmafgpu_output_path(s->log));
    return s->opt.log_written ? 0 : AVERROR(ENOMEM);
}

static int open_reports(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuLog log = { .format = s->log_format, .precision = s->precision };
    VmafGpuError error = { 0 };
    int ret;

    if (s->opt.fail_below &&
        vmafgpu_set_limit(s->engine, s->opt.fail_below, &error) < 0)
        return ff_vmafgpu_told(ctx, &error);
    if (s->opt.log_path &&
        ((ret = open_output(ctx, &s->log, s->opt.log_path, "log", 0)) < 0 ||
         (ret = export_name(s)) < 0))
        return ret;
    /* Only what is asked for is kept, so that a run may last for ever. */
    log.output = s->log;
    ret = vmafgpu_stream_log(s->engine, s->log ? &log : NULL);
    if (ret < 0 || !s->opt.stats_path)
        return ret;
    return open_output(ctx, &s->stats, s->opt.stats_path, "stats_file",
                       VMAFGPU_OUTPUT_LIVE);
}

/* ----------------------------------------------------------------- scores */

static int set_metadata(const VmafGpuFilter *s, const VmafGpuResult *result,
                        AVFrame *frame)
{
    const int64_t reference = (int64_t)result->reference_tag;
    char key[300], value[64]; /* names of scores end behind 255 characters */
    int ret = 0;

    if (reference != AV_NOPTS_VALUE)
        ret = av_dict_set_int(&frame->metadata, KEY_PREFIX "ref_pts", reference,
                              0);
    if (ret >= 0 && result->shot >= 0)
        ret = av_dict_set_int(&frame->metadata, KEY_PREFIX "shot", result->shot,
                              0);
    for (int i = 0; ret >= 0 && i < result->score_count; i++) {
        /* Readers of metadata expect decimals. */
        if (!isfinite(result->scores[i]))
            continue;
        snprintf(key, sizeof(key), KEY_PREFIX "%s",
                 vmafgpu_score_name(s->engine, i));
        ret = vmafgpu_format_result(value, sizeof(value), result, i,
                                    s->precision);
        if (ret >= 0)
            ret = av_dict_set(&frame->metadata, key, value, 0);
    }
    return FFMIN(ret, 0);
}

/* The log must not suffer from a full disk: the run fails at its end. */
static int write_stats(AVFilterContext *ctx, const VmafGpuResult *result)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuError error = { 0 };
    const char *line;
    int ret = vmafgpu_stats_line(s->engine, result, s->precision, &line);

    if (ret < 0)
        return ret;
    if (vmafgpu_output_write(s->stats, line, ret, &error) >= 0)
        return 0;
    s->stats_error = ff_vmafgpu_told(ctx, &error);
    vmafgpu_output_close(&s->stats);
    return 0;
}

/* A pair is final. frame gets metadata; it may be NULL. */
static int report_result(AVFilterContext *ctx, const VmafGpuResult *result,
                         AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = 0;

    s->collected++;
    if (!result->scored || result->index < s->range.begin ||
        (s->range.end && result->index >= s->range.end))
        return 0;
    s->scored++;
    if (frame)
        ret = set_metadata(s, result, frame);
    return ret < 0 || !s->stats ? ret : write_stats(ctx, result);
}

/* Collect the scores of pairs whose frames are not held. */
static int collect_ready(AVFilterContext *ctx, int wait)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuResult result;
    int ret;

    while ((ret = vmafgpu_collect(s->engine, &result, wait)) >= 0)
        if ((ret = report_result(ctx, &result, NULL)) < 0)
            return ret;
    return ret == AVERROR(EAGAIN) || ret == AVERROR(ENODATA) ? 0 : ret;
}

/* Wait for the scores of the oldest pair; pass its frame on if it is held. */
static int emit_oldest(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    AVFrame *frame = s->held_count ? s->held[0] : NULL;
    VmafGpuResult result;
    int ret = vmafgpu_collect(s->engine, &result, 1);

    if (ret == AVERROR(EAGAIN) || ret == AVERROR(ENODATA))
        return AVERROR_BUG; /* a pair was submitted */
    if (ret < 0 || (ret = report_result(ctx, &result, frame)) < 0 || !frame)
        return ret;
    s->held_count--;
    memmove(&s->held[0], &s->held[1], s->held_count * sizeof(*s->held));
    return ff_filter_frame(ctx->outputs[0], frame);
}

/* The engine has ended a run of pairs: every held frame is sent. */
static int emit_held(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = 0;

    while (s->held_count && ret >= 0)
        ret = emit_oldest(ctx);
    return ret < 0 || s->opt.metadata ? ret : collect_ready(ctx, 1);
}

/* ------------------------------------------------------- frames that come */

/* What is counted of a frame. Film grain that was added leaves no trace. */
static int flags_of(const AVFrame *frame)
{
    const int is_damaged =
        frame->decode_error_flags || frame->flags & AV_FRAME_FLAG_CORRUPT;
    const int lacks_grain =
        !!av_frame_get_side_data(frame, AV_FRAME_DATA_FILM_GRAIN_PARAMS);

    return is_damaged * VMAFGPU_PUSH_DAMAGED + lacks_grain * VMAFGPU_PUSH_GRAIN;
}

/* Have the engine take the picture of a frame. */
static int push_picture(AVFilterContext *ctx, int input, const AVFrame *frame,
                        int flags)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPicture picture = { 0 };
    int ret = ff_vmafgpu_wrap(ctx, &picture, input, frame);

    if (ret < 0)
        return ret;
    ret =
        vmafgpu_push(s->engine, input, &picture, frame->pts, flags, frame->pts);
    if (ret < 0)
        picture.release(picture.opaque);
    return ret;
}

static int push_main(AVFilterContext *ctx, AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    const int flags =
        flags_of(frame) | (ctx->is_disabled ? VMAFGPU_PUSH_DISABLED : 0);
    VmafGpuWaiting waiting = { frame, s->main_frames };
    int ret = av_fifo_can_write(s->waiting) ? 0 : av_fifo_grow2(s->waiting, 16);

    if (ret >= 0 &&
        (ret = push_picture(ctx, VMAFGPU_MAIN, frame, flags)) >= 0 &&
        (ret = ff_vmafgpu_leave_pool(ctx, &waiting.frame)) >= 0) {
        s->main_frames++;
        return av_fifo_write(s->waiting, &waiting, 1);
    }
    av_frame_free(&waiting.frame);
    return ret;
}

/* The engine keeps what it needs of it. */
static int push_reference(AVFilterContext *ctx, AVFrame *frame, int is_counted)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = is_counted ? vmafgpu_push(s->engine, VMAFGPU_REFERENCE, NULL,
                                        frame->pts, flags_of(frame), 0)
                         : push_picture(ctx, VMAFGPU_REFERENCE, frame,
                                        flags_of(frame));

    av_frame_free(&frame);
    return ret;
}

/* Take one frame of an input that brings one, or see its end. 0: neither. */
static int take_frame(AVFilterContext *ctx, int input, int is_counted)
{
    VmafGpuFilter *s = ctx->priv;
    AVFrame *frame;
    int64_t pts;
    int ret = ff_inlink_consume_frame(ctx->inputs[input], &frame);

    if (ret < 0)
        return ret;
    if (ret)
        ret = input == VMAFGPU_MAIN ? push_main(ctx, frame)
                                    : push_reference(ctx, frame, is_counted);
    else if (ff_inlink_acknowledge_status(ctx->inputs[input], &ret, &pts))
        ret = vmafgpu_push_end(s->engine, input);
    else
        return 0;
    return ret < 0 ? ret : 1;
}

static int take_needed(AVFilterContext *ctx, int needs)
{
    int taken = 0;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        int ret = needs >> i & 1
                      ? take_frame(ctx, i, needs & VMAFGPU_NEEDS_COUNT)
                      : 0;

        if (ret < 0)
            return ret;
        taken += ret;
    }
    return taken;
}

/* Ask for what is missing, if anybody wants the output. */
static void request(AVFilterContext *ctx, int needs)
{
    if (!ff_outlink_frame_wanted(ctx->outputs[0]))
        return;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (needs >> i & 1 && !ff_outlink_get_status(ctx->inputs[i]))
            ff_inlink_request_frame(ctx->inputs[i]);
}

/* --------------------------------------------------------- one main frame */

/*
 * The frame that the engine returned, out of those that wait. With
 * pair=framesync some are passed over, and one may come again.
 */
static int take_waiting(VmafGpuFilter *s, const VmafGpuMatch *match,
                        AVFrame **frame)
{
    VmafGpuWaiting waiting = { NULL };

    while (av_fifo_peek(s->waiting, &waiting, 1, 0) >= 0 &&
           waiting.number < match->number[VMAFGPU_MAIN]) {
        av_fifo_drain2(s->waiting, 1);
        av_frame_free(&waiting.frame);
    }
    *frame = waiting.frame;
    if (s->opt.pairing.rule != VMAFGPU_PAIR_FRAMESYNC) {
        av_fifo_drain2(s->waiting, 1);
        return 0;
    }
    if (!(*frame = av_frame_clone(waiting.frame)))
        return AVERROR(ENOMEM);
    (*frame)->pts = match->time;
    return 0;
}

/* Main frames that wait for a partner. */
static int waiting_frames(const VmafGpuFilter *s)
{
    /* With framesync one may have met a partner, and wait for another one. */
    return s->opt.pairing.rule == VMAFGPU_PAIR_FRAMESYNC
               ? 0
               : (int)av_fifo_can_read(s->waiting);
}

/*
 * Main frames that may wait for their scores, which depend on the pair after.
 * Those that wait for a partner hold surfaces, too.
 */
static int most_held(const VmafGpuFilter *s)
{
    return s->opt.pairing.has_fixed_pool
               ? FFMAX(s->opt.inflight - waiting_frames(s), 1)
               : s->opt.inflight;
}

/* Send the frame of a pair at once, or `inflight` pairs later. */
static int hold_frame(AVFilterContext *ctx, AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = 0;

    if (!s->submitted++)
        s->start_time = av_gettime_relative();
    if (!s->opt.metadata) {
        ret = ff_filter_frame(ctx->outputs[0], frame);
        return ret < 0 ? ret : collect_ready(ctx, 0);
    }
    s->held[s->held_count++] = frame;
    while (ret >= 0 && s->held_count > most_held(s))
        ret = emit_oldest(ctx);
    return ret;
}

/* A frame without scores. The pairs before it get no successor. */
static int pass_frame(AVFilterContext *ctx, AVFrame *frame)
{
    int ret = emit_held(ctx);

    if (ret >= 0)
        return ff_filter_frame(ctx->outputs[0], frame);
    av_frame_free(&frame);
    return ret;
}

static int handle(AVFilterContext *ctx, const VmafGpuMatch *match)
{
    AVFrame *frame;
    int ret;

    /* For tests of the pairing. */
    if (match->number[VMAFGPU_REFERENCE] < 0)
        av_log(ctx, AV_LOG_DEBUG, "pair: main %" PRId64 " unpaired\n",
               match->number[VMAFGPU_MAIN]);
    else
        av_log(ctx, AV_LOG_DEBUG,
               "pair: main %" PRId64 " reference %" PRId64 "%s\n",
               match->number[VMAFGPU_MAIN], match->number[VMAFGPU_REFERENCE],
               match->kind == VMAFGPU_MATCH_PAIR ? "" : " disabled");
    if ((ret = take_waiting(ctx->priv, match, &frame)) < 0)
        return ret;
    return match->kind == VMAFGPU_MATCH_PAIR ? hold_frame(ctx, frame)
                                             : pass_frame(ctx, frame);
}

/*
 * Handle the next main frame. 1: there is more to do. 0: frames have to come
 * first; they were asked for. While frames wait in the links, the engine need
 * not wait for its device. Without any, what can be decided is, so that live
 * output is not late.
 */
static int advance(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuMatch match;
    int ret;

    for (int wait = 0; wait < 2; wait++) {
        ret = vmafgpu_next(s->engine, &match, wait);
        if (ret >= 0)
            return (ret = handle(ctx, &match)) < 0 ? ret : 1;
        if (ret == AVERROR(ENODATA))
            return AVERROR_EOF;
        if (ret != AVERROR(EAGAIN))
            return ret;
        if (!match.needs) /* the engine's ring is full */
            return (ret = emit_oldest(ctx)) < 0 ? ret : 1;
        if ((ret = take_needed(ctx, match.needs)))
            return ret;
    }
    request(ctx, match.needs);
    return 0;
}

/* --------------------------------------------------------- end of the run */

static double frames_per_second(const VmafGpuFilter *s)
{
    const int64_t elapsed = av_gettime_relative() - s->start_time;

    return elapsed > 0 ? s->collected * 1e6 / elapsed : 0.0;
}

static void print_summary(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuDevice device = { 0 };
    VmafGpuPairing pairing = { 0 };
    char fps[64] = "";
    int is_offset;

    vmafgpu_device_info(s->engine, &device);
    vmafgpu_pairing(s->engine, &pairing);
    vmafgpu_format_number(fps, sizeof(fps), frames_per_second(s), 1);
    av_log(ctx, AV_LOG_INFO, "%" PRId64 " frames, backend %s (%s), %s fps\n",
           s->collected, device.backend, device.name, fps);
    is_offset = s->opt.pairing.has_offset == VMAFGPU_OFFSET_GIVEN &&
                !pairing.pairs && !pairing.disabled_main;
    /* Subsampling may leave out all of a chunk. */
    if (!s->scored && !s->opt.chunk)
        ff_vmafgpu_warn(ctx, "no pair of frames was scored%s%s%s",
                        is_offset ? ": offset=" : "",
                        is_offset ? s->opt.offset : "",
                        is_offset ? " leaves none" : "");
}

static int write_log(AVFilterContext *ctx, int reason)
{
    VmafGpuFilter *s = ctx->priv;
    char error[AV_ERROR_MAX_STRING_SIZE];
    VmafGpuPairing pairing = { 0 };
    VmafGpuRun run = { sizeof(run) };
    VmafGpuLog log = { 0 };
    char *options = NULL;
    int ret;

    if (!s->log)
        return 0;
    if ((ret = vmafgpu_pairing(s->engine, &pairing)) < 0 ||
        (ret = vmafgpu_describe_run(s->engine, &run)) < 0 ||
        (ret = ff_vmafgpu_describe_options(s, &options)) < 0)
        return ret;
    run.main_format = s->inputs.compared[VMAFGPU_MAIN].format;
    run.reference_format = s->inputs.compared[VMAFGPU_REFERENCE].format;
    run.options = options;
    log.output = s->log;
    log.format = s->log_format;
    log.title = s->opt.title;
    log.precision = s->precision;
    log.fps = frames_per_second(s);
    log.pairing = &pairing;
    log.repeated_main = pairing.repeated_main;
    log.repeated_reference = pairing.repeated_reference;
    log.run = &run;
    if (!strcmp(log.format, "xml")) /* which has no times */
        run.pts = NULL;
    log.incomplete = s->error
                         ? av_make_error_string(error, sizeof(error), s->error)
                         : vmafgpu_chunk_lacks(s->engine);
    ret = vmafgpu_write_log(s->engine, &log); /* the engine logs a failure */
    av_free(options);
    if (ret >= 0)
        ret = finish_output(ctx, s->log, reason);
    /* A file of the user may have come to the name during the run. It stays. */
    if (ret >= 0 && strcmp(vmafgpu_output_path(s->log), s->opt.log_written)) {
        av_log(ctx, AV_LOG_WARNING,
               "'%s' has become another file during the run: wrote '%s'\n",
               s->opt.log_written, vmafgpu_output_path(s->log));
        ret = export_name(s);
    }
    vmafgpu_output_close(&s->log);
    return ret;
}

static int pool_scores(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->pooled = av_calloc(s->choice->model_count, sizeof(*s->pooled));
    if (!s->pooled)
        return AVERROR(ENOMEM);
    for (int i = 0; i < s->choice->model_count; i++) {
        const int series = vmafgpu_model_score(s->engine, i);
        const int ret =
            vmafgpu_pooled(s->engine, series, s->pool, &s->pooled[i]);

        if (ret >= 0)
            continue;
        av_log(ctx, AV_LOG_ERROR, "pool=%s: %s\n", s->opt.pool,
               vmafgpu_strerror(ret));
        av_freep(&s->pooled);
        return ret;
    }
    return 0;
}

/* Everything is written, and yet the run fails. */
static int check_demands(AVFilterContext *ctx, int reason)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *fault = vmafgpu_pairing_fault(s->engine);
    const char *lacks = vmafgpu_chunk_lacks(s->engine);
    VmafGpuError error = { 0 };

    if (!s->scored && !s->opt.chunk && reason == VMAFGPU_FINISH_END)
        av_log(ctx, AV_LOG_ERROR, "there is no score\n");
    else if (lacks)
        av_log(ctx, AV_LOG_ERROR, "chunk: %s\n", lacks);
    else if (s->opt.strict && *fault && reason == VMAFGPU_FINISH_END)
        av_log(ctx, AV_LOG_ERROR, "strict: %s\n", fault);
    else if (vmafgpu_check_limit(s->engine, s->pool, &error) < 0)
        ff_vmafgpu_told(ctx, &error);
    else
        return 0;
    return AVERROR_INVALIDDATA;
}

/* Summary, warnings, log, pooled scores. Only the first call does it. */
static int finish(AVFilterContext *ctx, int reason)
{
    VmafGpuFilter *s = ctx->priv;
    int counts, stats, log, pooled, demands;

    if (s->finished || !s->engine)
        return 0;
    s->finished = 1;
    print_summary(ctx);
    counts = vmafgpu_finish(s->engine, reason);
    stats = finish_output(ctx, s->stats, reason);
    vmafgpu_output_close(&s->stats);
    log = write_log(ctx, reason);
    if (s->error) /* what was scored is in the log, but it is no result */
        return s->error;
    pooled = s->scored ? pool_scores(ctx) : 0; /* valid even if a file failed */
    demands = check_demands(ctx, reason);
    return counts < 0       ? counts
           : log < 0        ? log
           : s->stats_error ? s->stats_error
           : stats < 0      ? stats
           : pooled < 0     ? pooled
                            : demands;
}

/*
 * Stopped from outside, or after an error. If the output has got all frames
 * that it wanted, then only their scores count. Otherwise all pairs do: a
 * stream changed its size, or the program ends.
 */
static void conclude(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const int waiting = waiting_frames(s);

    if (s->finished || !s->engine ||
        (!s->submitted && (s->error || !s->main_frames)))
        return;
    if (!s->error && s->opt.metadata && !s->is_wanted) {
        if (vmafgpu_cut(s->engine) < 0)
            return;
    } else {
        if (vmafgpu_flush(s->engine) >= 0)
            collect_ready(ctx, 1);
        if (s->held_count || waiting)
            ff_vmafgpu_warn(
                ctx,
                "FFmpeg drops %d main frames: %d were scored but could "
                "not be passed on, %d had not met their partner",
                s->held_count + waiting, s->held_count, waiting);
    }
    if (s->error)
        finish(ctx, VMAFGPU_FINISH_FAILED);
    else if (finish(ctx, VMAFGPU_FINISH_STOPPED) < 0)
        av_log(ctx, AV_LOG_ERROR,
               "FFmpeg stopped the filter before the inputs ended: its exit "
               "status does not tell this failure; put -t before each -i\n");
}

/*
 * What a score line is about. Nothing if it can only be one score: then the
 * line is that of libvmaf. Names that users gave come first.
 */
static const char *score_label(const AVFilterContext *ctx, int model)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *name =
        vmafgpu_score_name(s->engine, vmafgpu_model_score(s->engine, model));

    if (strcmp(name, "vmaf") || s->choice->model_count > 1)
        return name;
    return s->is_lone ? NULL : ctx->name;
}

/* Nothing if all pairs were scored. */
static void print_interval(AVFilterContext *ctx, int model)
{
    const VmafGpuFilter *s = ctx->priv;
    const int series = vmafgpu_model_score(s->engine, model);
    char low[400], high[400];
    double ends[2];

    if (s->pool == VMAFGPU_POOL_MEAN &&
        vmafgpu_mean_interval(s->engine, series, ends) >= 0 &&
        vmafgpu_format_number(low, sizeof(low), ends[0], 6) >= 0 &&
        vmafgpu_format_number(high, sizeof(high), ends[1], 6) >= 0)
        av_log(ctx, AV_LOG_INFO, "%s, 95 %% interval of the mean: %s to %s\n",
               vmafgpu_score_name(s->engine, series), low, high);
}

/* They must be the last output, so only uninit() calls this. */
static void print_scores(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    char text[400];
    AVBPrint line;
    double value;

    if (!s->pooled)
        return;
    /* Other programs parse the number behind "VMAF score: ". */
    for (int i = 0; i < s->choice->model_count; i++) {
        const char *label = score_label(ctx, i);

        print_interval(ctx, i);
        if (vmafgpu_format_number(text, sizeof(text), s->pooled[i], 6) >= 0)
            av_log(ctx, AV_LOG_INFO, "%s%sVMAF score: %s\n", label ? label : "",
                   label ? ": " : "", text);
    }
    av_bprint_init(&line, 0, AV_BPRINT_SIZE_UNLIMITED);
    for (int i = 0; i < vmafgpu_aggregate_count(s->engine); i++)
        if (vmafgpu_aggregate(s->engine, i, &value) >= 0 &&
            vmafgpu_format_number(text, sizeof(text), value, 6) >= 0)
            av_bprintf(&line, "%s%s: %s", line.len ? ", " : "",
                       vmafgpu_aggregate_name(s->engine, i), text);
    if (line.len && av_bprint_is_complete(&line))
        av_log(ctx, AV_LOG_INFO, "of the run: %s\n", line.str);
    av_bprint_finalize(&line, NULL);
}

/* ------------------------------------------------------------- activation */

/* Both inputs have ended. Links deliver what is sent here before their EOF. */
static int drain(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    s->drained = 1;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        AVFilterLink *link = ctx->inputs[i];

        /* A user error, not a short video. */
        if (!ff_filter_link(link)->frame_count_in &&
            ff_outlink_get_status(link)) {
            av_log(ctx, AV_LOG_ERROR, "the %s input has no frames\n",
                   i == VMAFGPU_MAIN ? "main (distorted)" : "reference");
            return AVERROR(EINVAL);
        }
    }
    if ((ret = vmafgpu_flush(s->engine)) < 0 || (ret = emit_held(ctx)) < 0)
        return ret;
    s->failure = finish(ctx, VMAFGPU_FINISH_END);
    if (s->failure >= 0)
        ff_outlink_set_status(ctx->outputs[0], AVERROR_EOF, AV_NOPTS_VALUE);
    /* Before 8.0 FFmpeg asks again only if a frame answered. */
    return FAILS_AT_ONCE || ff_outlink_frame_wanted(ctx->outputs[0])
               ? s->failure
               : 0;
}

static int activate(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = 1;

    if (s->error)
        return s->error;
    FF_FILTER_FORWARD_STATUS_BACK_ALL(ctx->outputs[0], ctx);
    if (s->drained) /* a failure waits until all frames were taken */
        return ff_outlink_frame_wanted(ctx->outputs[0]) ? s->failure : 0;
    /* Frames behind the last one that is wanted must not be looked at. */
    while (ret > 0 && IS_WANTED(ctx))
        ret = advance(ctx);
    ret = ret == AVERROR_EOF ? drain(ctx) : FFMIN(ret, 0);
    s->is_wanted = ff_outlink_frame_wanted(ctx->outputs[0]);
    if (ret < 0 && ret != FFERROR_NOT_READY)
        s->error = ret;
    return ret;
}

/* ------------------------------------------------------------ entry points */

static int config_output(AVFilterLink *outlink)
{
    AVFilterContext *ctx = outlink->src;
    int ret = ff_vmafgpu_configure(ctx);

    return ret < 0 ? ret : open_reports(ctx);
}

/* Silent: the ffmpeg tool makes one instance more only to count its pads. */
static av_cold int init(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->waiting = av_fifo_alloc2(16, sizeof(VmafGpuWaiting), 0);
    return s->waiting ? ff_vmafgpu_read_options(ctx) : AVERROR(ENOMEM);
}

static av_cold void uninit(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuWaiting waiting;

    if (s->waiting)
        conclude(ctx);
    print_scores(ctx);
    while (s->held_count)
        av_frame_free(&s->held[--s->held_count]);
    while (s->waiting && av_fifo_read(s->waiting, &waiting, 1) >= 0)
        av_frame_free(&waiting.frame);
    av_fifo_freep2(&s->waiting);
    vmafgpu_close(&s->engine);
    vmafgpu_output_close(&s->stats);
    vmafgpu_output_close(&s->log);
    av_freep(&s->pooled);
    ff_vmafgpu_free_setup(s);
}

static const AVFilterPad inputs[] = {
    { .name = "main", .type = AVMEDIA_TYPE_VIDEO },
    { .name = "reference", .type = AVMEDIA_TYPE_VIDEO },
};

static const AVFilterPad outputs[] = {
    {
        .name = "default",
        .type = AVMEDIA_TYPE_VIDEO,
        .config_props = config_output,
    },
};

const FFFilter ff_vf_vmaf_gpu = {
    .p.name = "vmaf_gpu",
    .p.description = NULL_IF_CONFIG_SMALL(
        "Calculate VMAF between two videos, on a GPU or the CPU."),
    .p.priv_class = &vmaf_gpu_class,
    .p.flags =
        AVFILTER_FLAG_SUPPORT_TIMELINE_INTERNAL | AVFILTER_FLAG_METADATA_ONLY,
    .flags_internal = FF_FILTER_FLAG_HWFRAME_AWARE,
    .priv_size = sizeof(VmafGpuFilter),
    .init = init,
    .uninit = uninit,
    .activate = activate,
    FILTER_INPUTS(inputs),
    FILTER_OUTPUTS(outputs),
    FILTER_QUERY_FUNC(ff_vmafgpu_query_formats),
};
