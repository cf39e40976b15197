/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: pair=framesync, which is the pairing of FFmpeg's libvmaf filter: the
 * last reference frame at or before a main frame, and what eof_action, shortest,
 * repeatlast and ts_sync_mode say. The other rules are in vf_vmaf_gpu_queue.c.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/mathematics.h"

#include "vf_vmaf_gpu.h"

/* The event's time in the output's time base. Repeated frames need increasing times. */
static int64_t output_pts(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int64_t pts = av_rescale_q(s->fs.pts, s->fs.time_base, ctx->outputs[0]->time_base);

    if (s->last_pts != AV_NOPTS_VALUE && pts <= s->last_pts)
        pts = s->last_pts + 1;
    s->last_pts = pts;
    return pts;
}

/* FFmpeg before 6.0 has no ts_sync_mode: the frame after is taken if it is nearer. */
static int is_next_nearer(const VmafGpuFilter *s)
{
    const FFFrameSyncIn *in = &s->fs.in[VMAF_GPU_REFERENCE];

    return s->sync_nearest && in->frame && in->frame_next && in->pts_next != INT64_MAX &&
           in->pts != AV_NOPTS_VALUE &&
           av_sat_sub64(in->pts_next, s->fs.pts) < av_sat_sub64(s->fs.pts, in->pts);
}

static int64_t nanoseconds(const FFFrameSync *fs, int64_t pts)
{
    return av_rescale_q(pts, fs->time_base, (AVRational){1, 1000000000});
}

/* Time of the event less that of its reference frame; 0 if one of them has no usable time. */
static int64_t distance(const VmafGpuFilter *s)
{
    const int64_t time =
        nanoseconds(&s->fs, av_sat_sub64(s->fs.pts, s->event.reference_pts));

    return FFABS64U(time) > VMAF_GPU_MOST_TIME ? 0 : time;
}

/*
 * The latest main frame had no reference frame, and is not the main frame of a later event.
 * With `eof_action=repeat` a frame can have several events, the first ones without a reference.
 */
static void count_waiting(VmafGpuFilter *s)
{
    if (s->waits_for_reference)
        ff_vmafgpu_count_unpaired(s, VMAF_GPU_MAIN, s->waiting_time);
    s->waits_for_reference = 0;
}

/* Frames of an input before `end` that no event used. */
static void count_unused(AVFilterContext *ctx, int input, int64_t end)
{
    VmafGpuFilter *s = ctx->priv;

    for (; s->synced[input] < end; s->synced[input]++)
        ff_vmafgpu_count_unpaired(s, input, nanoseconds(&s->fs, s->fs.pts));
}

/*
 * Count the frames since the event before, of which the latest one is used. 1: it is new.
 * framesync looks one frame ahead.
 */
static int count_frames(AVFilterContext *ctx, int input, const AVFrame *frame, int is_next)
{
    VmafGpuFilter *s = ctx->priv;
    const int64_t number = VG_LINK(ctx->inputs[input])->frame_count_out - 1 -
                           (s->fs.in[input].frame_next && !is_next);

    if (!frame || number < s->synced[input])
        return 0;
    if (input == VMAF_GPU_MAIN)
        count_waiting(s);
    count_unused(ctx, input, number);
    s->synced[input]++;
    ff_vmafgpu_count_damage(s, input, frame);
    return 1;
}

static int on_event(FFFrameSync *fs)
{
    AVFilterContext *ctx = fs->parent;
    VmafGpuFilter *s = ctx->priv;
    const FFFrameSyncIn *in = &fs->in[VMAF_GPU_REFERENCE];
    AVFrame *frame = NULL, *reference = NULL;
    int ret, is_next;

    /* get = 0 borrows the frames. With get = 1, FFmpeg before 7.1 copies the picture. */
    if ((ret = ff_framesync_get_frame(fs, VMAF_GPU_MAIN, &frame, 0)) < 0 ||
        (ret = ff_framesync_get_frame(fs, VMAF_GPU_REFERENCE, &reference, 0)) < 0)
        return ret;
    if ((is_next = is_next_nearer(s)))
        reference = in->frame_next;
    /* FFmpeg before 6.0 makes an event of a frame that the event before took ahead. */
    s->event.has_new_main = count_frames(ctx, VMAF_GPU_MAIN, frame, 0);
    s->has_event = count_frames(ctx, VMAF_GPU_REFERENCE, reference, is_next) ||
                   s->event.has_new_main || !s->sync_nearest;
    s->event.frame = frame;
    s->event.reference = reference;
    s->event.reference_pts = !reference ? AV_NOPTS_VALUE : is_next ? in->pts_next : in->pts;
    s->events++;
    return 0;
}

/* Take both pictures of the event, and the frame that goes on. */
static int take_event(AVFilterContext *ctx, VmafGpuNext *next)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = 0;

    next->frame = av_frame_clone(s->event.frame);
    if (!next->frame)
        return AVERROR(ENOMEM);
    next->frame->pts = output_pts(ctx);
    next->reference_pts = s->event.reference_pts;
    next->is_scored = s->event.reference && !ctx->is_disabled;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        next->number[i] = s->synced[i] - 1;
    if (next->is_scored) {
        s->waits_for_reference = 0;
        ff_vmafgpu_count_pair(s, next->number[VMAF_GPU_MAIN], next->number[VMAF_GPU_REFERENCE],
                              distance(s));
        if ((ret = ff_vmafgpu_take_picture(ctx, VMAF_GPU_MAIN, s->event.frame, 0,
                                           &next->image[VMAF_GPU_MAIN])) >= 0)
            ret = ff_vmafgpu_take_picture(ctx, VMAF_GPU_REFERENCE, s->event.reference, 0,
                                          &next->image[VMAF_GPU_REFERENCE]);
    } else if (ctx->is_disabled) {
        s->waits_for_reference = 0;
        ff_vmafgpu_count_disabled(s, next->number[VMAF_GPU_MAIN],
                                  s->event.reference ? next->number[VMAF_GPU_REFERENCE] : -1);
    } else if (s->event.has_new_main) {
        s->waits_for_reference = 1;
        s->waiting_time = nanoseconds(&s->fs, s->fs.pts);
    }
    return ret < 0 ? ret : ff_vmafgpu_leave_pool(ctx, &next->frame);
}

/*
 * Whether no event can come any more. framesync would end the output at its next call, and
 * since FFmpeg 7.0 an output that has ended cannot fail.
 */
static int is_over(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (s->fs.in[i].frame_next || ff_inlink_queued_frames(ctx->inputs[i]) ||
            !ff_outlink_get_status(ctx->inputs[i]))
            return 0;
    return 1;
}

int ff_vmafgpu_open_sync(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = ff_framesync_init_dualinput(&s->fs, ctx);

    if (ret < 0)
        return ret;
    s->fs.on_event = on_event;
    return ff_framesync_configure(&s->fs);
}

int ff_vmafgpu_next_synced(AVFilterContext *ctx, VmafGpuNext *next)
{
    VmafGpuFilter *s = ctx->priv;
    int64_t events;
    int ret;

    *next = (VmafGpuNext){.reference_pts = AV_NOPTS_VALUE};
    s->has_event = 0;
    do {
        events = s->events;
        ret = is_over(ctx) ? 0 : ff_framesync_activate(&s->fs);
        if (ret < 0)
            return ret;
    } while (s->events != events && !s->has_event);
    if (s->has_event) {
        ret = take_event(ctx, next);
        return ret < 0 ? ret : 1;
    }
    if (!s->fs.eof && !is_over(ctx))
        return 0;
    count_waiting(s);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        count_unused(ctx, i, VG_LINK(ctx->inputs[i])->frame_count_out);
    return AVERROR_EOF;
}
