/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: takes frames from both inputs, has the engine take their pictures, and
 * brings main frames with their partners. vf_vmaf_gpu_pair.c decides about partners;
 * vf_vmaf_gpu.c scores and sends. pair=framesync is in vf_vmaf_gpu_sync.c.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <string.h>

#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/mathematics.h"

#include "vf_vmaf_gpu.h"

/* Bytes of pictures that wait for a decision. Fewer frames are held of large pictures. */
#define MOST_BYTES (INT64_C(256) << 20)
/* With fewer frames to look at, pictures decide nothing. */
#define LEAST_MAIN 4
#define LEAST_REFERENCE 6
#define USUAL_MAIN 14
#define USUAL_REFERENCE 23

/* ------------------------------------------------------------ one frame */

static void free_frame(VmafGpuFilter *s, VmafGpuQueued **queued)
{
    if (!*queued)
        return;
    vmafgpu_image_free(s->engine, &(*queued)->image);
    av_frame_free(&(*queued)->frame);
    av_freep(queued);
}

static int64_t nanoseconds(const VmafGpuFilter *s, int input, int64_t pts)
{
    int64_t time;

    if (pts == AV_NOPTS_VALUE)
        return VMAF_GPU_NO_TIME;
    time = av_rescale_q(pts, s->time_base[input], (AVRational){1, 1000000000});
    return FFABS64U(time) > VMAF_GPU_MOST_TIME ? VMAF_GPU_NO_TIME : time;
}

static int add_frame(AVFilterContext *ctx, int input, AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuQueued *queued = av_mallocz(sizeof(*queued));
    const VmafGpuFrameCounts before = ff_vmafgpu_frame_counts(s, input);
    int ret;

    if (!queued) {
        av_frame_free(&frame);
        return AVERROR(ENOMEM);
    }
    queued->frame = frame;
    queued->pts = frame->pts;
    /* Before FFmpeg 7.1 the next frame of either input overwrites this flag. */
    queued->is_disabled = input == VMAF_GPU_MAIN && ctx->is_disabled;
    ff_vmafgpu_count_frame(s, input, frame);
    ret = ff_vmafgpu_take_picture(ctx, input, frame,
                                  s->rule->mode == VMAF_GPU_PAIR_AUTO ? VMAFGPU_IMAGE_SKETCH : 0,
                                  &queued->image);
    if (ret >= 0 && input == VMAF_GPU_MAIN)
        ret = ff_vmafgpu_leave_pool(ctx, &queued->frame);
    if (ret < 0) {
        free_frame(s, &queued);
        return ret;
    }
    if (input == VMAF_GPU_REFERENCE) /* the engine keeps what it needs of it */
        av_frame_free(&queued->frame);
    ff_vmafgpu_pair_add(s->rule, input, nanoseconds(s, input, queued->pts), queued);
    ff_vmafgpu_assign_frame(s, input, before);
    return 0;
}

static const uint8_t *get_sketch(void *opaque, VmafGpuPairItem *item)
{
    VmafGpuFilter *s = opaque;
    const uint8_t *sketch = NULL;

    s->sketch_error = vmafgpu_image_sketch(s->engine, ((VmafGpuQueued *)item->frame)->image, &sketch);
    return s->sketch_error < 0 ? NULL : sketch;
}

/* ------------------------------------------------------------ the queues */

/*
 * Frames of each input that may be held. It follows from the size of the pictures
 * alone, so that all backends and kinds of frames pair alike.
 */
static void limit_frames(AVFilterContext *ctx, VmafGpuPairRule *rule)
{
    VmafGpuFilter *s = ctx->priv;
    const AVFilterLink *link = ctx->inputs[VMAF_GPU_REFERENCE]; /* main may be scaled to it */
    const int bytes = s->depth > 8 ? 2 : 1;
    const int64_t frames = MOST_BYTES / ((int64_t)link->w * link->h * bytes * 3 / 2);

    if (frames < LEAST_MAIN + LEAST_REFERENCE && rule->mode == VMAF_GPU_PAIR_AUTO) {
        rule->mode = VMAF_GPU_PAIR_TIME;
        s->rule_name = "auto-without-pictures";
        av_log(ctx, AV_LOG_INFO, "pictures of %dx%d are too large to hold many: paired by time\n",
               link->w, link->h);
    }
    if (rule->mode != VMAF_GPU_PAIR_AUTO)
        return;
    rule->most_main = av_clip64(frames * USUAL_MAIN / (USUAL_MAIN + USUAL_REFERENCE), LEAST_MAIN,
                                VMAF_GPU_QUEUE);
    rule->most_reference = av_clip64(frames - rule->most_main, LEAST_REFERENCE, VMAF_GPU_QUEUE);
}

static int64_t nominal_interval(AVRational rate)
{
    if (rate.num <= 0 || rate.den <= 0)
        return 0;
    return av_rescale(1000000000, rate.den, rate.num);
}

int ff_vmafgpu_open_queue(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->rule = av_malloc(sizeof(*s->rule));
    if (!s->rule)
        return AVERROR(ENOMEM);
    ff_vmafgpu_pair_init(s->rule, s->pair);
    s->rule->get_sketch = get_sketch;
    s->rule->opaque = s;
    s->rule->has_offset = s->has_offset;
    s->rule->offset = s->offset;
    if (s->pair == VMAF_GPU_PAIR_AUTO && ff_vmafgpu_has_fixed_pool(ctx->inputs[VMAF_GPU_MAIN])) {
        s->rule->mode = VMAF_GPU_PAIR_TIME;
        s->rule_name = "auto-without-pictures";
        av_log(ctx, AV_LOG_INFO, "main has few surfaces, which cannot wait for later frames: "
               "paired by time\n");
    }
    limit_frames(ctx, s->rule);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        s->rule->in[i].nominal = nominal_interval(s->frame_rate[i]);
    return 0;
}

void ff_vmafgpu_close_queue(VmafGpuFilter *s)
{
    if (!s->rule)
        return;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        for (int k = 0; k < s->rule->in[i].count; k++)
            free_frame(s, (VmafGpuQueued **)&s->rule->in[i].item[k].frame);
    av_freep(&s->rule);
}

/* Drop the oldest reference frame. */
static void drop_reference(VmafGpuFilter *s)
{
    VmafGpuPairItem *item = &s->rule->in[VMAF_GPU_REFERENCE].item[0];
    VmafGpuQueued *queued = item->frame;
    const int64_t time = item->time;

    if (ff_vmafgpu_pair_drop_reference(s->rule))
        ff_vmafgpu_count_unpaired(s, VMAF_GPU_REFERENCE, time);
    free_frame(s, &queued);
}

/* Take one frame of an input that brings one, or see its end. 0: neither. */
static int take_frame(AVFilterContext *ctx, int input)
{
    VmafGpuFilter *s = ctx->priv;
    AVFilterLink *link = ctx->inputs[input];
    AVFrame *frame;
    int64_t pts;
    int ret = ff_inlink_consume_frame(link, &frame);

    if (ret < 0)
        return ret;
    if (ret) {
        ret = add_frame(ctx, input, frame);
        return ret < 0 ? ret : 1;
    }
    if (!ff_inlink_acknowledge_status(link, &ret, &pts))
        return 0;
    s->rule->in[input].ended = 1;
    return 1;
}

static int take_needed(AVFilterContext *ctx, unsigned needs)
{
    int taken = 0;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        int ret = needs >> i & 1 ? take_frame(ctx, i) : 0;

        if (ret < 0)
            return ret;
        taken += ret;
    }
    return taken;
}

/* Ask for what is missing, if anybody wants the output. */
static void request(AVFilterContext *ctx, unsigned needs)
{
    const VmafGpuFilter *s = ctx->priv;

    if (!ff_outlink_frame_wanted(ctx->outputs[0]))
        return;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (needs >> i & 1 && !s->rule->in[i].ended)
            ff_inlink_request_frame(ctx->inputs[i]);
}

/* Main has ended: count the rest of the reference. Nobody looks at its pictures. */
static int read_rest(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPairInput *in = &s->rule->in[VMAF_GPU_REFERENCE];
    AVFrame *frame;
    int64_t pts;
    int ret;

    while (in->count)
        drop_reference(s);
    while ((ret = ff_inlink_consume_frame(ctx->inputs[VMAF_GPU_REFERENCE], &frame)) > 0) {
        const VmafGpuFrameCounts before = ff_vmafgpu_frame_counts(s, VMAF_GPU_REFERENCE);

        ff_vmafgpu_count_frame(s, VMAF_GPU_REFERENCE, frame);
        ff_vmafgpu_assign_frame(s, VMAF_GPU_REFERENCE, before);
        ff_vmafgpu_count_unpaired(s, VMAF_GPU_REFERENCE,
                                  nanoseconds(s, VMAF_GPU_REFERENCE, frame->pts));
        av_frame_free(&frame);
    }
    if (ret < 0)
        return ret;
    if (!in->ended && ff_inlink_acknowledge_status(ctx->inputs[VMAF_GPU_REFERENCE], &ret, &pts))
        in->ended = 1;
    if (in->ended)
        return AVERROR_EOF;
    request(ctx, 1U << VMAF_GPU_REFERENCE);
    return 0;
}

/* ------------------------------------------------------------- next frame */

/* Hand the oldest main frame out, with its partner if it has one. */
static void hand_out(VmafGpuFilter *s, const VmafGpuPairChoice *choice, VmafGpuNext *next)
{
    VmafGpuPairInput *in = s->rule->in;
    const VmafGpuPairItem *main_item = &in[VMAF_GPU_MAIN].item[0];
    VmafGpuQueued *queued = main_item->frame;
    VmafGpuPairChoice partner = *choice;
    const int64_t number = main_item->number, time = main_item->time;

    *next = (VmafGpuNext){.frame = queued->frame, .reference_pts = AV_NOPTS_VALUE};
    queued->frame = NULL;
    while (partner.reference > 0) {
        drop_reference(s);
        partner.reference--;
    }
    if (partner.reference == 0) {
        const VmafGpuPairItem *item = &in[VMAF_GPU_REFERENCE].item[0];
        VmafGpuQueued *reference = item->frame;

        next->is_scored = !queued->is_disabled;
        next->reference_pts = reference->pts;
        next->image[VMAF_GPU_REFERENCE] = reference->image;
        if (next->is_scored)
            ff_vmafgpu_count_pair(s, number, item->number, choice->distance);
        else
            ff_vmafgpu_count_disabled(s, number, item->number);
    } else if (queued->is_disabled) {
        ff_vmafgpu_count_disabled(s, number, -1);
    } else {
        ff_vmafgpu_count_unpaired(s, VMAF_GPU_MAIN, time);
    }
    next->number[VMAF_GPU_MAIN] = number;
    next->number[VMAF_GPU_REFERENCE] =
        partner.reference < 0 ? -1 : in[VMAF_GPU_REFERENCE].item[0].number;
    next->image[VMAF_GPU_MAIN] = queued->image;
    queued->image = NULL;
    ff_vmafgpu_pair_drop_main(s->rule, &partner);
    free_frame(s, &queued);
}

/* shortest=1: the output ends where the reference ended. */
static int is_cut_short(const VmafGpuFilter *s, const VmafGpuPairChoice *choice)
{
    return s->fs.opt_shortest && s->rule->in[VMAF_GPU_REFERENCE].ended && choice->reference < 0 &&
           s->rule->has_pair;
}

int ff_vmafgpu_next_queued(AVFilterContext *ctx, VmafGpuNext *next)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPairChoice choice;
    int ret = 1;

    if (ff_vmafgpu_chunk_is_full(s))
        return AVERROR_EOF;
    while (ret > 0) {
        switch (ff_vmafgpu_pair_decide(s->rule, &choice)) {
        case VMAF_GPU_PAIR_FAILED:
            return s->sketch_error;
        case VMAF_GPU_PAIR_END:
            s->is_cut_short |= s->fs.opt_shortest && !s->rule->in[VMAF_GPU_REFERENCE].ended;
            return s->is_cut_short ? AVERROR_EOF : read_rest(ctx);
        case VMAF_GPU_PAIR_DECIDED:
            if (is_cut_short(s, &choice)) {
                s->is_cut_short = 1;
                return AVERROR_EOF;
            }
            hand_out(s, &choice, next);
            return 1;
        case VMAF_GPU_PAIR_NEEDS_FRAMES:
            for (int i = 0; i < choice.unused; i++)
                drop_reference(s);
            ret = choice.unused ? 1 : take_needed(ctx, choice.needs);
        }
    }
    if (ret == 0)
        request(ctx, choice.needs);
    return ret;
}
