/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: scores the first input (distorted) against the second (reference)
 * and passes the first on with the scores as metadata. This file pairs, holds and
 * sends frames; the entry points are at its end. Options, engine, pictures and
 * reports are in the files that vf_vmaf_gpu.h lists. libavfilter_patch/apply.sh
 * copies all of them into an FFmpeg tree.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
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

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/mathematics.h"
#include "libavutil/pixdesc.h"
#include "libavutil/time.h"

#include "vf_vmaf_gpu.h"
#include "vf_vmaf_gpu_options.h"

FRAMESYNC_DEFINE_CLASS(vmaf_gpu, VmafGpuFilter, fs);

/* ------------------------------------------------------- scores and frames */

/* The engine logs its own failures. Only "nothing to collect" needs a message here. */
static int engine_error(AVFilterContext *ctx, const char *doing, int ret)
{
    if (ret != AVERROR(EAGAIN) && ret != AVERROR(ENODATA))
        return ret;
    av_log(ctx, AV_LOG_ERROR, "%s: internal error, the engine has no result for a submitted pair\n",
           doing);
    return AVERROR_BUG;
}

static int send_frame(AVFilterContext *ctx, AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;

    s->outputs++;
    return ff_filter_frame(ctx->outputs[0], frame);
}

/* Wait for the scores of the oldest held frame and pass it on. */
static int send_oldest(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    AVFrame *frame = s->held[0];
    VmafGpuResult result;
    int ret;

    ret = vmafgpu_collect(s->engine, &result, 1);
    if (ret < 0)
        return engine_error(ctx, "waiting for scores", ret);
    ret = ff_vmafgpu_report_result(ctx, &result, frame);
    if (ret < 0)
        return ret;
    s->held_count--;
    memmove(&s->held[0], &s->held[1], s->held_count * sizeof(*s->held));
    return send_frame(ctx, frame);
}

/* Collect the scores of pairs whose frames are not held (metadata=0). */
static int collect_ready(AVFilterContext *ctx, int wait)
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
    return engine_error(ctx, "collecting scores", ret);
}

/*
 * The end of a run of scored pairs: scores that depend on the next pair become
 * final without it, and every held frame is sent.
 */
static int end_segment(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    if (!s->segment_open)
        return 0;
    s->segment_open = 0;
    ret = vmafgpu_flush(s->engine);
    if (ret < 0)
        return engine_error(ctx, "ending a segment", ret);
    while (s->held_count) {
        ret = send_oldest(ctx);
        if (ret < 0)
            return ret;
    }
    return s->opt.metadata ? 0 : collect_ready(ctx, 1);
}

/* ------------------------------------------------------------ one event */

static enum AVColorRange frame_range(const AVFrame *frame)
{
    if (!strncmp(av_get_pix_fmt_name(frame->format), "yuvj", 4))
        return AVCOL_RANGE_JPEG;
    return frame->color_range;
}

static void warn_range(AVFilterContext *ctx, const AVFrame *frame, const AVFrame *reference)
{
    VmafGpuFilter *s = ctx->priv;
    enum AVColorRange range = frame_range(frame), reference_range = frame_range(reference);

    if (s->warned_range || range == reference_range || range == AVCOL_RANGE_UNSPECIFIED ||
        reference_range == AVCOL_RANGE_UNSPECIFIED)
        return;
    s->warned_range = 1;
    av_log(ctx, AV_LOG_WARNING, "main has color range %s, reference has %s: samples are compared "
           "without conversion\n",
           av_color_range_name(range), av_color_range_name(reference_range));
}

static void count_repeats(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const FFFrameSyncIn *in = s->fs.in;

    if (in[VMAF_GPU_MAIN].pts == s->previous_pts[VMAF_GPU_MAIN])
        s->repeated_main++;
    if (in[VMAF_GPU_REFERENCE].pts == s->previous_pts[VMAF_GPU_REFERENCE]) {
        s->repeated_reference++;
        /* Before an event, framesync has the next frame or knows that the input ended. */
        if (ff_outlink_get_status(ctx->inputs[VMAF_GPU_REFERENCE]))
            s->repeated_ended++;
    }
}

/* Submit a pair. If the engine's ring is full, collect the oldest scores first. */
static int submit_pictures(AVFilterContext *ctx, const VmafGpuPicture *pictures, uint64_t tag)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    while ((ret = vmafgpu_submit(s->engine, &pictures[VMAF_GPU_REFERENCE],
                                 &pictures[VMAF_GPU_MAIN], tag)) == AVERROR(EAGAIN)) {
        VmafGpuResult result;

        if (s->held_count) {
            ret = send_oldest(ctx);
        } else {
            ret = vmafgpu_collect(s->engine, &result, 1);
            ret = ret < 0 ? engine_error(ctx, "waiting for scores", ret)
                          : ff_vmafgpu_report_result(ctx, &result, NULL);
        }
        if (ret < 0)
            return ret;
    }
    return ret < 0 ? engine_error(ctx, "submitting a pair", ret) : 0;
}

static int submit_pair(AVFilterContext *ctx, const AVFrame *frame, const AVFrame *reference)
{
    VmafGpuFilter *s = ctx->priv;
    const AVFrame *frames[VMAF_GPU_NB_INPUTS] = {frame, reference};
    VmafGpuPicture pictures[VMAF_GPU_NB_INPUTS] = {{0}};
    int ret = 0;

    if (!s->pairs)
        s->start_time = av_gettime_relative();
    for (int i = 0; i < VMAF_GPU_NB_INPUTS && ret >= 0; i++)
        ret = ff_vmafgpu_wrap_frame(ctx, &pictures[i], i, frames[i]);
    if (ret >= 0)
        ret = submit_pictures(ctx, pictures, frame->pts);
    if (ret < 0) {
        for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
            ff_vmafgpu_unwrap(&pictures[i]);
        return ret;
    }
    s->pairs++;
    s->segment_open = 1;
    return 0;
}

/* Score a pair. The frame is sent at once, or after `inflight` more pairs. */
static int score_frame(AVFilterContext *ctx, AVFrame *frame, const AVFrame *reference)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    count_repeats(ctx);
    warn_range(ctx, frame, reference);
    ret = submit_pair(ctx, frame, reference);
    if (ret < 0) {
        av_frame_free(&frame);
        return ret;
    }
    if (!s->opt.metadata) {
        ret = send_frame(ctx, frame);
        return ret < 0 ? ret : collect_ready(ctx, 0);
    }
    s->held[s->held_count++] = frame;
    return s->held_count > s->opt.inflight ? send_oldest(ctx) : 0;
}

/* A frame without a partner ends the segment: the pairs before it get no successor. */
static int pass_frame(AVFilterContext *ctx, AVFrame *frame)
{
    int ret = end_segment(ctx);

    if (ret < 0) {
        av_frame_free(&frame);
        return ret;
    }
    return send_frame(ctx, frame);
}

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

static int on_event(FFFrameSync *fs)
{
    AVFilterContext *ctx = fs->parent;
    VmafGpuFilter *s = ctx->priv;
    AVFrame *frame = NULL, *reference = NULL;
    int ret;

    s->events++;
    /* get = 0 borrows the frames. With get = 1, FFmpeg before 7.1 copies the picture. */
    if ((ret = ff_framesync_get_frame(fs, VMAF_GPU_MAIN, &frame, 0)) < 0 ||
        (ret = ff_framesync_get_frame(fs, VMAF_GPU_REFERENCE, &reference, 0)) < 0)
        return ret;
    if ((ret = ff_vmafgpu_check_frame(ctx, VMAF_GPU_MAIN, frame)) < 0 ||
        (reference && (ret = ff_vmafgpu_check_frame(ctx, VMAF_GPU_REFERENCE, reference)) < 0))
        return ret;
    frame = av_frame_clone(frame);
    if (!frame)
        return AVERROR(ENOMEM);
    frame->pts = output_pts(ctx);
    if (!reference || ctx->is_disabled)
        ret = pass_frame(ctx, frame);
    else
        ret = score_frame(ctx, frame, reference);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        s->previous_pts[i] = fs->in[i].pts;
    return ret;
}

/* ------------------------------------------------------------ activation */

/* An input without any frame is a user error, not a short video. */
static int check_inputs_seen(AVFilterContext *ctx)
{
    static const char *const names[VMAF_GPU_NB_INPUTS] = {"main (distorted)", "reference"};

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        AVFilterLink *link = ctx->inputs[i];

        if (VG_LINK(link)->frame_count_in || !ff_outlink_get_status(link))
            continue;
        av_log(ctx, AV_LOG_ERROR, "the %s input has no frames\n", names[i]);
        return AVERROR(EINVAL);
    }
    return 0;
}

static int drain(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    s->drained = 1;
    if ((ret = check_inputs_seen(ctx)) < 0 || (ret = end_segment(ctx)) < 0)
        return ret;
    return ff_vmafgpu_finish(ctx);
}

static int run_framesync(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int64_t events, outputs;
    int ret;

    /*
     * After an event without output, nobody requests more frames, and FFmpeg
     * before 8.0 stops for good. So repeat until there is output.
     */
    do {
        events = s->events;
        outputs = s->outputs;
        ret = ff_framesync_activate(&s->fs);
        if (ret < 0)
            return ret;
    } while (s->events != events && s->outputs == outputs && !s->fs.eof);

    /* Frames can still be sent: the link delivers them before it reports EOF. */
    return s->fs.eof && !s->drained ? drain(ctx) : 0;
}

static int activate(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    if (s->error)
        return s->error;
    /* Framesync itself does this from FFmpeg 7.0 on. */
    FF_FILTER_FORWARD_STATUS_BACK_ALL(ctx->outputs[0], ctx);
    ret = run_framesync(ctx);
    if (ret < 0 && ret != FFERROR_NOT_READY)
        s->error = ret;
    return ret;
}

/* ---------------------------------------------------------- configuration */

static int check_links(AVFilterContext *ctx)
{
    const AVFilterLink *main_link = ctx->inputs[VMAF_GPU_MAIN];
    const AVFilterLink *reference = ctx->inputs[VMAF_GPU_REFERENCE];
    int ret;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if ((ret = ff_vmafgpu_check_hw_link(ctx, i)) < 0)
            return ret;
    if (main_link->w != reference->w || main_link->h != reference->h) {
        av_log(ctx, AV_LOG_ERROR,
               "main is %dx%d but reference is %dx%d; scale one of them, e.g. "
               "[0:v]scale=%d:%d:flags=bicubic\n",
               main_link->w, main_link->h, reference->w, reference->h, reference->w, reference->h);
        return AVERROR(EINVAL);
    }
    if (main_link->w < VMAFGPU_MIN_SIZE || main_link->h < VMAFGPU_MIN_SIZE) {
        av_log(ctx, AV_LOG_ERROR, "picture %dx%d is smaller than the minimum %dx%d of the features\n",
               main_link->w, main_link->h, VMAFGPU_MIN_SIZE, VMAFGPU_MIN_SIZE);
        return AVERROR(EINVAL);
    }
    av_log(ctx, AV_LOG_VERBOSE, "main (distorted) = %dx%d %s, reference = %dx%d %s\n",
           main_link->w, main_link->h, av_get_pix_fmt_name(main_link->format), reference->w,
           reference->h, av_get_pix_fmt_name(reference->format));
    return 0;
}

/* The higher bit depth of the two inputs. The engine promotes the other input. */
static int common_depth(AVFilterContext *ctx)
{
    int depth = ff_vmafgpu_link_depth(ctx->inputs[VMAF_GPU_MAIN]);
    int reference = ff_vmafgpu_link_depth(ctx->inputs[VMAF_GPU_REFERENCE]);

    if (depth != reference)
        av_log(ctx, AV_LOG_WARNING, "main is %d bit, reference is %d bit: comparing at %d bit\n",
               depth, reference, FFMAX(depth, reference));
    return FFMAX(depth, reference);
}

static int config_output(AVFilterLink *outlink)
{
    AVFilterContext *ctx = outlink->src;
    VmafGpuFilter *s = ctx->priv;
    AVFilterLink *main_link = ctx->inputs[VMAF_GPU_MAIN];
    int ret;

    if ((ret = check_links(ctx)) < 0 ||
        (ret = ff_vmafgpu_pass_hw_frames(main_link, outlink)) < 0 ||
        (ret = ff_framesync_init_dualinput(&s->fs, ctx)) < 0)
        return ret;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        s->time_base[i] = ctx->inputs[i]->time_base;
    outlink->w = main_link->w;
    outlink->h = main_link->h;
    outlink->time_base = main_link->time_base;
    outlink->sample_aspect_ratio = main_link->sample_aspect_ratio;
    VG_LINK(outlink)->frame_rate = VG_LINK(main_link)->frame_rate;
    if ((ret = ff_framesync_configure(&s->fs)) < 0 ||
        (ret = ff_vmafgpu_open_engine(ctx, common_depth(ctx))) < 0)
        return ret;
    return ff_vmafgpu_open_reports(ctx);
}

/* Must be silent: the ffmpeg tool creates an extra instance only to count its pads. */
static av_cold int init(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    s->last_pts = AV_NOPTS_VALUE;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        s->previous_pts[i] = AV_NOPTS_VALUE;
    s->fs.on_event = on_event;
    return ff_vmafgpu_parse_options(ctx);
}

static av_cold void uninit(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    /* Stopped early: held frames were never output, so their scores do not count. */
    if (s->events && !s->error) {
        if (!s->opt.metadata)
            end_segment(ctx);
        ff_vmafgpu_finish(ctx);
    }
    ff_vmafgpu_print_scores(ctx);
    while (s->held_count)
        av_frame_free(&s->held[--s->held_count]);
    vmafgpu_close(&s->engine);
    ff_vmafgpu_free_drm(s);
    ff_vmafgpu_close_reports(s);
    ff_vmafgpu_free_options(s);
    /* If framesync ran out of memory, it has a count of inputs but no inputs. */
    if (s->fs.in)
        ff_framesync_uninit(&s->fs);
}

static const AVFilterPad inputs[] = {
    {.name = "main", .type = AVMEDIA_TYPE_VIDEO},
    {.name = "reference", .type = AVMEDIA_TYPE_VIDEO},
};

static const AVFilterPad outputs[] = {
    {.name = "default", .type = AVMEDIA_TYPE_VIDEO, .config_props = config_output},
};

const VG_FILTER ff_vf_vmaf_gpu = {
    .VG_PUB name = "vmaf_gpu",
    .VG_PUB description = NULL_IF_CONFIG_SMALL("Calculate VMAF between two videos, on a GPU or the CPU."),
    .VG_PUB priv_class = &vmaf_gpu_class,
    .VG_PUB flags = AVFILTER_FLAG_SUPPORT_TIMELINE_INTERNAL | AVFILTER_FLAG_METADATA_ONLY,
    .flags_internal = FF_FILTER_FLAG_HWFRAME_AWARE,
    .priv_size = sizeof(VmafGpuFilter),
    .preinit = vmaf_gpu_framesync_preinit,
    .init = init,
    .uninit = uninit,
    .activate = activate,
    FILTER_INPUTS(inputs),
    FILTER_OUTPUTS(outputs),
    FILTER_QUERY_FUNC(ff_vmafgpu_query_formats),
};
