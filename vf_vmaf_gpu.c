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

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libavutil/dict.h"
#include "libavutil/mem.h"

#include "vf_vmaf_gpu.h"

#ifndef IS_WANTED /* releases before 7.0 have more to ask */
#define IS_WANTED(ctx) ff_outlink_frame_wanted((ctx)->outputs[0])
#define FAILS_AT_ONCE 0
#endif

AVFILTER_DEFINE_CLASS_EXT(vmaf_gpu, "vmaf_gpu", ff_vmafgpu_options);

/* Log, scores, and whether the run fails. */
static int finish(VmafGpuFilter *s, int reason)
{
    int ret = vmafgpu_run_end(s->engine, reason,
                              s->error ? av_err2str(s->error) : NULL);

    s->finished = 1;
    return ret == AVERROR(ERANGE) ? AVERROR_INVALIDDATA : ret;
}

typedef struct MetadataSink {
    AVDictionary **metadata;
    int ret;
} MetadataSink;

static void set_metadata(void *opaque, const char *name, const char *value)
{
    MetadataSink *sink = opaque;
    char key[300]; /* names of scores end behind 255 characters */

    snprintf(key, sizeof(key), "lavfi.vmaf_gpu.%s", name);
    if (sink->ret >= 0)
        sink->ret = av_dict_set(sink->metadata, key, value, 0);
}

static AVFrame *remove_frame(VmafGpuFilter *s, int at)
{
    AVFrame *frame = s->frames[at];

    s->nb_frames--;
    memmove(&s->frames[at], &s->frames[at + 1],
            (s->nb_frames - at) * sizeof(*s->frames));
    return frame;
}

/* Collect the scores of the oldest pair; pass its frame on if it is held. */
static int emit_oldest(AVFilterContext *ctx, int wait)
{
    VmafGpuFilter *s = ctx->priv;
    AVFrame *frame = s->nb_held ? s->frames[0] : NULL;
    VmafGpuResult result;
    MetadataSink sink = { 0 };
    int ret = vmafgpu_collect(s->engine, &result, wait);

    if (ret < 0 || !frame)
        return ret;
    sink.metadata = &frame->metadata;
    ret = vmafgpu_run_each(s->engine, &result, set_metadata, &sink);
    if (ret < 0 || sink.ret < 0)
        return FFMIN(ret, sink.ret);
    s->nb_held--;
    return ff_filter_frame(ctx->outputs[0], remove_frame(s, 0));
}

/* All pairs that are ready; with wait, all pairs of a run that has ended. */
static int emit_all(AVFilterContext *ctx, int wait)
{
    int ret;

    do
        ret = emit_oldest(ctx, wait);
    while (ret >= 0);
    return ret == AVERROR(EAGAIN) || ret == AVERROR(ENODATA) ? 0 : ret;
}

/* What is counted of a frame. Film grain that was added leaves no trace. */
static int flags_of(const AVFilterContext *ctx, int input, const AVFrame *frame)
{
    int flags = 0;

    if (frame->decode_error_flags || frame->flags & AV_FRAME_FLAG_CORRUPT)
        flags |= VMAFGPU_PUSH_DAMAGED;
    if (av_frame_get_side_data(frame, AV_FRAME_DATA_FILM_GRAIN_PARAMS))
        flags |= VMAFGPU_PUSH_GRAIN;
    if (input == VMAFGPU_MAIN && ctx->is_disabled)
        flags |= VMAFGPU_PUSH_DISABLED;
    return flags;
}

/* The engine keeps what it needs of the frame, which may become a copy. */
static int push_frame(AVFilterContext *ctx, int input, AVFrame **frame,
                      int is_counted)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPicture picture = { 0 };
    int ret = is_counted ? 0 : ff_vmafgpu_wrap(ctx, &picture, input, frame);

    if (ret < 0)
        return ret;
    ret = vmafgpu_push(s->engine, input, is_counted ? NULL : &picture,
                       (*frame)->pts, flags_of(ctx, input, *frame),
                       (*frame)->pts);
    if (ret < 0 && !is_counted)
        picture.release(picture.opaque);
    return ret;
}

/* Take one frame of an input that brings one, or see its end. 0: neither. */
static int take_frame(AVFilterContext *ctx, int input, int needs)
{
    const int is_main = input == VMAFGPU_MAIN;
    VmafGpuFilter *s = ctx->priv;
    AVFrame *frame;
    int64_t pts;
    int ret = ff_inlink_consume_frame(ctx->inputs[input], &frame);

    if (!ret) {
        if (!ff_inlink_acknowledge_status(ctx->inputs[input], &ret, &pts))
            return 0;
        ret = vmafgpu_push_end(s->engine, input);
        return ret < 0 ? ret : 1;
    }
    if (ret < 0)
        return ret;
    ret =
        push_frame(ctx, input, &frame, !is_main && needs & VMAFGPU_NEEDS_COUNT);
    if (ret >= 0 && is_main &&
        (ret = av_dynarray_add_nofree(&s->frames, &s->nb_frames, frame)) >= 0) {
        s->main_frames++;
        return 1;
    }
    av_frame_free(&frame);
    return ret < 0 ? ret : 1;
}

static int take_needed(AVFilterContext *ctx, int needs)
{
    int taken = 0;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        int ret = needs >> i & 1 ? take_frame(ctx, i, needs) : 0;

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

/*
 * Put the frame that the engine returned behind those that are held. With
 * pair=framesync some are passed over, and one may come again.
 */
static int find_frame(VmafGpuFilter *s, const VmafGpuMatch *match)
{
    const int at = s->nb_held;
    const int64_t kept = s->main_frames - match->number[VMAFGPU_MAIN];
    AVFrame *frame;
    int ret;

    while (s->nb_frames - at > kept) {
        frame = remove_frame(s, at);
        av_frame_free(&frame);
    }
    if (s->opt.pairing.rule != VMAFGPU_PAIR_FRAMESYNC)
        return 0;
    if (!(frame = av_frame_clone(s->frames[at])))
        return AVERROR(ENOMEM);
    ret = av_dynarray_add_nofree(&s->frames, &s->nb_frames, frame);
    if (ret < 0) {
        av_frame_free(&frame);
        return ret;
    }
    memmove(&s->frames[at + 1], &s->frames[at],
            (s->nb_frames - at - 1) * sizeof(*s->frames));
    s->frames[at] = frame;
    frame->pts = match->time;
    return 0;
}

/* Main frames that wait for a partner. */
static int waiting_frames(const VmafGpuFilter *s)
{
    /* Framesync's frame may have met a partner, and wait for another one. */
    return s->opt.pairing.rule == VMAFGPU_PAIR_FRAMESYNC
               ? 0
               : s->nb_frames - s->nb_held;
}

/*
 * Send the frame of a pair at once, or `inflight` pairs later: scores depend on
 * the pair after.
 */
static int hold_frame(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int most = s->opt.inflight, ret = 0;

#if VMAF_GPU_SURFACES
    /* Frames that wait for a partner hold surfaces, too. */
    if (s->opt.pairing.has_fixed_pool)
        most = FFMAX(most - waiting_frames(s), 1);
#endif

    s->has_pairs = 1;
    if (!s->opt.metadata) {
        ret = ff_filter_frame(ctx->outputs[0], remove_frame(s, 0));
        return ret < 0 ? ret : emit_all(ctx, 0);
    }
    s->nb_held++;
    while (ret >= 0 && s->nb_held > most)
        ret = emit_oldest(ctx, 1);
    return ret;
}

/* A frame without scores. The pairs before it get no successor. */
static int pass_frame(AVFilterContext *ctx)
{
    int ret = emit_all(ctx, 1);

    return ret < 0
               ? ret
               : ff_filter_frame(ctx->outputs[0], remove_frame(ctx->priv, 0));
}

static int handle(AVFilterContext *ctx, const VmafGpuMatch *match)
{
    int ret;

    /* A line for tests of the pairing. */
    av_log(ctx, AV_LOG_DEBUG,
           "pair: main %" PRId64 " reference %" PRId64 " kind %d\n",
           match->number[VMAFGPU_MAIN], match->number[VMAFGPU_REFERENCE],
           match->kind);
    if ((ret = find_frame(ctx->priv, match)) < 0)
        return ret;
    return match->kind == VMAFGPU_MATCH_PAIR ? hold_frame(ctx)
                                             : pass_frame(ctx);
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
            return (ret = emit_oldest(ctx, 1)) < 0 ? ret : 1;
        if ((ret = take_needed(ctx, match.needs)))
            return ret;
    }
    request(ctx, match.needs);
    return 0;
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
    VmafGpuResult result;
    char text[200];
    int ret;

    if (s->finished || !s->engine ||
        (!s->has_pairs && (s->error || !s->main_frames)))
        return;
    if (!s->error && s->opt.metadata && !s->is_wanted) {
        if (vmafgpu_cut(s->engine) < 0)
            return;
    } else {
        for (ret = vmafgpu_flush(s->engine); ret >= 0;)
            ret = vmafgpu_collect(s->engine, &result, 1);
        snprintf(text, sizeof(text),
                 "FFmpeg drops %d main frames: %d were scored but could not be "
                 "passed on, %d had not met their partner",
                 s->nb_held + waiting, s->nb_held, waiting);
        if (s->nb_held || waiting)
            vmafgpu_log(s->engine, VMAFGPU_LOG_WARNING, text);
    }
    if (s->error)
        finish(s, VMAFGPU_FINISH_FAILED);
    else if (finish(s, VMAFGPU_FINISH_STOPPED) < 0)
        av_log(
            ctx, AV_LOG_ERROR,
            "FFmpeg ended the filter before its inputs ended: its exit status "
            "does not tell this failure; put -ss and -t before each -i, in "
            "place of -ss, -t, -frames:v or -shortest behind the inputs\n");
}

/* Both inputs have ended. Links deliver what is sent here before their EOF. */
static int drain(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (!ff_filter_link(ctx->inputs[i])->frame_count_in &&
            ff_outlink_get_status(ctx->inputs[i])) {
            av_log(ctx, AV_LOG_ERROR, "the %s input has no frames\n",
                   i == VMAFGPU_MAIN ? "main (distorted)" : "reference");
            return AVERROR(EINVAL);
        }
    if ((ret = vmafgpu_flush(s->engine)) < 0 || (ret = emit_all(ctx, 1)) < 0)
        return ret;
    s->failure = finish(s, VMAFGPU_FINISH_END);
    if (s->failure >= 0)
        ff_outlink_set_status(ctx->outputs[0], AVERROR_EOF, AV_NOPTS_VALUE);
    /* FFmpeg before 8.0 asks again only if a frame answered. */
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
    if (s->finished) /* a failure waits until all frames were taken */
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

/* Silent: the ffmpeg tool makes one instance more only to count its pads. */
static av_cold int init(AVFilterContext *ctx)
{
    return ff_vmafgpu_read_options(ctx);
}

static av_cold void uninit(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    conclude(ctx);
    /* Only to count pads, as the ffmpeg tool does before its job begins. */
    if (!s->engine)
        vmafgpu_run_forget();
    /* The last output: other programs parse the number at its end. */
    vmafgpu_run_print(s->engine, s->label);
    while (s->nb_frames)
        av_frame_free(&s->frames[--s->nb_frames]);
    av_freep(&s->frames);
    vmafgpu_close(&s->engine);
#if VMAF_GPU_SURFACES
    ff_vmafgpu_surfaces.free(s);
#endif
    vmafgpu_choice_free(&s->choice);
    av_freep(&s->options);
}

static const AVFilterPad inputs[] = {
    { .name = "main", .type = AVMEDIA_TYPE_VIDEO },
    { .name = "reference", .type = AVMEDIA_TYPE_VIDEO },
};

static const AVFilterPad outputs[] = {
    {
        .name = "default",
        .type = AVMEDIA_TYPE_VIDEO,
        .config_props = ff_vmafgpu_configure,
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
