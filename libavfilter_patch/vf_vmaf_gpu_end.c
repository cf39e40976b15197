/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a vmaf_gpu filter's run where it does not come with the end of the
 * streams: an error, or a graph that is torn down. No score is lost. Called by
 * vf_vmaf_gpu.c, which handles the usual end itself.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include "libavutil/error.h"
#include "libavutil/log.h"

#include "vf_vmaf_gpu.h"

int ff_vmafgpu_engine_error(AVFilterContext *ctx, const char *doing, int ret)
{
    if (ret != AVERROR(EAGAIN) && ret != AVERROR(ENODATA))
        return ret;
    av_log(ctx, AV_LOG_ERROR, "%s: internal error, the engine has no result for a submitted pair\n",
           doing);
    return AVERROR_BUG;
}

int ff_vmafgpu_collect_ready(AVFilterContext *ctx, int wait)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuResult result;
    int ret;

    while ((ret = vmafgpu_collect(s->engine, &result, wait)) >= 0) {
        ret = ff_vmafgpu_report_result(ctx, &result, NULL);
        if (ret < 0)
            return ret;
    }
    if (ret == AVERROR(EAGAIN) || ret == AVERROR(ENODATA))
        return 0;
    return ff_vmafgpu_engine_error(ctx, "collecting scores", ret);
}

/* Frames cannot leave any more. Their scores count, though. */
static void score_held(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    /* With framesync a frame may have met a partner, and yet wait for another one. */
    const int waiting = s->pair == VMAFGPU_PAIR_FRAMESYNC ? 0 : (int)av_fifo_can_read(s->waiting);

    if (vmafgpu_flush(s->engine) >= 0)
        ff_vmafgpu_collect_ready(ctx, 1);
    if (s->held_count || waiting)
        ff_vmafgpu_warn(ctx, "FFmpeg drops %d main frames: %d were scored but could not "
                        "be passed on, %d had not met their partner", s->held_count + waiting,
                        s->held_count, waiting);
}

/*
 * Stopped from outside. If the output has got all frames that it wanted, then only their
 * scores count. Otherwise all pairs do: a stream changed its size, or the program ends.
 */
static void finish_early(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->is_stopped = 1;
    if (!s->opt.metadata || s->is_wanted)
        score_held(ctx);
    else if (vmafgpu_cut(s->engine) < 0)
        return;
    ff_vmafgpu_finish(ctx);
}

/* After an error: what was scored is not lost. */
static void finish_failed(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->is_stopped = 1;
    score_held(ctx);
    ff_vmafgpu_finish(ctx);
}

/* The end of the run, if it did not come with the end of the streams. */
static void conclude(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    if (s->drained || !s->engine || (!s->submitted && (s->error || !s->outputs)))
        return;
    s->drained = 1;
    if (s->error)
        finish_failed(ctx);
    else
        finish_early(ctx);
}

/* FFmpeg frees the filters of a graph in no useful order. So the first one concludes all. */
void ff_vmafgpu_conclude(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    conclude(ctx);
    for (unsigned i = 0; s->graph && i < s->graph->nb_filters; i++)
        if (ff_vmafgpu_is_vmaf_gpu(s->graph->filters[i]))
            conclude(s->graph->filters[i]);
    ff_vmafgpu_print_scores(ctx);
}
