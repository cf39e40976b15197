/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: scores the first input (distorted) against the second (reference)
 * and passes the first on with the scores as metadata. This file gives frames to the
 * engine, which pairs and scores them, holds and sends them; the entry points are at its
 * end. Options, engine, pictures and reports are in the files that vf_vmaf_gpu.h lists.
 * libavfilter_patch/apply.sh copies all of them into an FFmpeg tree.
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

/* For uselocale(); vf_vmaf_gpu_shim.h has its user. */
#undef _POSIX_C_SOURCE
#undef _XOPEN_SOURCE
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
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

static atomic_int filters_made;

AVFILTER_DEFINE_CLASS(vmaf_gpu);

/* ------------------------------------------------------- scores and frames */

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
        return ff_vmafgpu_engine_error(ctx, "waiting for scores", ret);
    ret = ff_vmafgpu_report_result(ctx, &result, frame);
    if (ret < 0)
        return ret;
    s->held_count--;
    memmove(&s->held[0], &s->held[1], s->held_count * sizeof(*s->held));
    return send_frame(ctx, frame);
}

/* The engine has ended a run of pairs: every held frame is sent. */
static int send_held(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;

    while (s->held_count) {
        int ret = send_oldest(ctx);

        if (ret < 0)
            return ret;
    }
    return s->opt.metadata ? 0 : ff_vmafgpu_collect_ready(ctx, 1);
}

/* ----------------------------------------------------------- frames that come */

static int is_damaged(const AVFrame *frame)
{
    return frame->decode_error_flags || frame->flags & AV_FRAME_FLAG_CORRUPT;
}

/* Have the engine take the picture of a frame. */
static int push_picture(AVFilterContext *ctx, int input, const AVFrame *frame, int flags)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPicture picture;
    int ret = ff_vmafgpu_wrap_frame(ctx, &picture, input, frame);

    if (ret < 0)
        return ret;
    ret = vmafgpu_push(s->engine, input, &picture, frame->pts, flags, frame->pts);
    if (ret < 0)
        picture.release(picture.opaque);
    return ret < 0 ? ff_vmafgpu_engine_error(ctx, "giving a frame", ret) : 0;
}

static int push_main(AVFilterContext *ctx, AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    /* Before FFmpeg 7.1 the next frame of either input overwrites is_disabled. */
    const int flags = (is_damaged(frame) ? VMAFGPU_PUSH_DAMAGED : 0) |
                      (ctx->is_disabled ? VMAFGPU_PUSH_DISABLED : 0);
    VmafGpuWaiting waiting = {frame, s->main_frames};
    int ret;

    if ((av_fifo_can_write(s->waiting) || (ret = av_fifo_grow2(s->waiting, 16)) >= 0) &&
        (ret = push_picture(ctx, VMAF_GPU_MAIN, frame, flags)) >= 0 &&
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
    const int flags = is_damaged(frame) ? VMAFGPU_PUSH_DAMAGED : 0;
    int ret = is_counted ? vmafgpu_push(s->engine, VMAF_GPU_REFERENCE, NULL, frame->pts, flags, 0)
                         : push_picture(ctx, VMAF_GPU_REFERENCE, frame, flags);

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
    if (ret) {
        ret = input == VMAF_GPU_MAIN ? push_main(ctx, frame) : push_reference(ctx, frame, is_counted);
        return ret < 0 ? ret : 1;
    }
    if (!ff_inlink_acknowledge_status(ctx->inputs[input], &ret, &pts))
        return 0;
    ret = vmafgpu_push_end(s->engine, input);
    return ret < 0 ? ret : 1;
}

static int take_needed(AVFilterContext *ctx, int needs)
{
    int taken = 0;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        int ret = needs >> i & 1 ? take_frame(ctx, i, needs & VMAFGPU_NEEDS_COUNT) : 0;

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
 * The frame that the engine returned, out of those that wait. With pair=framesync some are passed
 * over, and one may come again.
 */
static int take_waiting(AVFilterContext *ctx, const VmafGpuMatch *match, AVFrame **frame)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuWaiting waiting;

    while (av_fifo_peek(s->waiting, &waiting, 1, 0) >= 0 &&
           waiting.number < match->number[VMAF_GPU_MAIN]) {
        av_fifo_drain2(s->waiting, 1);
        av_frame_free(&waiting.frame);
    }
    *frame = waiting.frame;
    if (s->pair != VMAFGPU_PAIR_FRAMESYNC) {
        av_fifo_drain2(s->waiting, 1);
        return 0;
    }
    if (!(*frame = av_frame_clone(waiting.frame)))
        return AVERROR(ENOMEM);
    (*frame)->pts = match->time;
    return 0;
}

/*
 * Main frames that may wait for their scores, which depend on the pair after. Those that
 * wait for a partner hold surfaces, too.
 */
static int most_held(const VmafGpuFilter *s)
{
    if (!s->has_fixed_pool || s->pair == VMAFGPU_PAIR_FRAMESYNC)
        return s->opt.inflight;
    return FFMAX(s->opt.inflight - (int)av_fifo_can_read(s->waiting), 1);
}

/* A pair was submitted. Its frame is sent at once, or after `inflight` more pairs. */
static int hold_frame(AVFilterContext *ctx, AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    int ret = 0;

    if (!s->submitted++)
        s->start_time = av_gettime_relative();
    if (!s->opt.metadata) {
        ret = send_frame(ctx, frame);
        return ret < 0 ? ret : ff_vmafgpu_collect_ready(ctx, 0);
    }
    s->held[s->held_count++] = frame;
    while (ret >= 0 && s->held_count > most_held(s))
        ret = send_oldest(ctx);
    return ret;
}

/* A frame without scores. The pairs before it get no successor. */
static int pass_frame(AVFilterContext *ctx, AVFrame *frame)
{
    int ret = send_held(ctx);

    if (ret < 0) {
        av_frame_free(&frame);
        return ret;
    }
    return send_frame(ctx, frame);
}

/* What became of a main frame, for tests of the pairing. */
static void trace(AVFilterContext *ctx, const VmafGpuMatch *match)
{
    if (match->number[VMAF_GPU_REFERENCE] < 0)
        av_log(ctx, AV_LOG_DEBUG, "pair: main %" PRId64 " unpaired\n", match->number[VMAF_GPU_MAIN]);
    else
        av_log(ctx, AV_LOG_DEBUG, "pair: main %" PRId64 " reference %" PRId64 "%s\n",
               match->number[VMAF_GPU_MAIN], match->number[VMAF_GPU_REFERENCE],
               match->kind == VMAFGPU_MATCH_PAIR ? "" : " disabled");
}

static int handle(AVFilterContext *ctx, const VmafGpuMatch *match)
{
    AVFrame *frame;
    int ret;

    trace(ctx, match);
    if ((ret = take_waiting(ctx, match, &frame)) < 0)
        return ret;
    if (match->number[VMAF_GPU_REFERENCE] >= 0 && (ret = ff_vmafgpu_check_match(ctx, match)) < 0) {
        av_frame_free(&frame);
        return ret;
    }
    return match->kind == VMAFGPU_MATCH_PAIR ? hold_frame(ctx, frame) : pass_frame(ctx, frame);
}

/* The engine's ring is full. */
static int make_room(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuResult result;
    int ret;

    if (s->held_count)
        return send_oldest(ctx);
    ret = vmafgpu_collect(s->engine, &result, 1);
    return ret < 0 ? ff_vmafgpu_engine_error(ctx, "waiting for scores", ret)
                   : ff_vmafgpu_report_result(ctx, &result, NULL);
}

/*
 * Handle the next main frame. 1: there is more to do. 0: frames have to come first; they were
 * asked for. While frames wait in the links, the engine need not wait for its device. Without any,
 * what can be decided is, so that a live output is not late.
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
        if (!match.needs)
            return (ret = make_room(ctx)) < 0 ? ret : 1;
        if ((ret = take_needed(ctx, match.needs)))
            return ret;
    }
    request(ctx, match.needs);
    return 0;
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

/* The end of both inputs. Links deliver the frames sent here before they report EOF. */
static int drain(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    s->drained = 1;
    if ((ret = check_inputs_seen(ctx)) < 0 || (ret = vmafgpu_flush(s->engine)) < 0 ||
        (ret = send_held(ctx)) < 0)
        return ret;
    s->failure = ff_vmafgpu_finish(ctx);
    if (s->failure >= 0)
        ff_outlink_set_status(ctx->outputs[0], AVERROR_EOF, AV_NOPTS_VALUE);
    /* FFmpeg before 8.0 does not ask again if no frame answered the last request. */
    return VG_FAIL_AT_ONCE || ff_outlink_frame_wanted(ctx->outputs[0]) ? s->failure : 0;
}

/* Whether a filter behind this one has frames that nobody has taken. */
static int is_frame_waiting(const AVFilterContext *filter)
{
    for (unsigned i = 0; i < filter->nb_outputs; i++)
        if (filter->outputs[i] && (ff_inlink_queued_frames(filter->outputs[i]) ||
                                   is_frame_waiting(filter->outputs[i]->dst)))
            return 1;
    return 0;
}

/*
 * Whether to go on. Frames behind the last one that is wanted must not be looked at. But
 * at the end all is done at once where later failures are not reported. (If nobody wants
 * a frame, and all were taken, then the program stopped early and empties its decoders.)
 */
static int is_wanted(AVFilterContext *ctx)
{
    if (ff_outlink_frame_wanted(ctx->outputs[0]))
        return 1;
    return VG_FAIL_AT_ONCE && ff_outlink_get_status(ctx->inputs[VMAF_GPU_MAIN]) &&
           ff_outlink_get_status(ctx->inputs[VMAF_GPU_REFERENCE]) && is_frame_waiting(ctx);
}

/*
 * After a frame without output nobody requests more, and FFmpeg before 8.0 would stop for
 * good. So go on until one is sent.
 */
static int run(AVFilterContext *ctx)
{
    int ret = 1;

    while (ret > 0 && is_wanted(ctx))
        ret = advance(ctx);
    return ret == AVERROR_EOF ? drain(ctx) : FFMIN(ret, 0);
}

static int activate(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    if (s->error)
        return s->error;
    FF_FILTER_FORWARD_STATUS_BACK_ALL(ctx->outputs[0], ctx);
    if (s->drained) /* a failure waits until all frames were taken */
        return ff_outlink_frame_wanted(ctx->outputs[0]) ? s->failure : 0;
    ret = run(ctx);
    s->is_wanted = ff_outlink_frame_wanted(ctx->outputs[0]);
    if (ret < 0 && ret != FFERROR_NOT_READY)
        s->error = ret;
    return ret;
}

static int activate_in_c_locale(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    VG_IN_C_LOCALE(&s->c_locale, ret = activate(ctx));
    return ret;
}

/* ---------------------------------------------------------- configuration */

static int check_links(AVFilterContext *ctx)
{
    int ret;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if ((ret = ff_vmafgpu_check_hw_link(ctx, i)) < 0)
            return ret;
    return 0;
}

static int configure(AVFilterLink *outlink)
{
    AVFilterContext *ctx = outlink->src;
    VmafGpuFilter *s = ctx->priv;
    AVFilterLink *main_link = ctx->inputs[VMAF_GPU_MAIN];
    int ret;

    ff_vmafgpu_note_graph(ctx);
    if ((ret = check_links(ctx)) < 0 || (ret = ff_vmafgpu_compare_links(ctx, &s->depth)) < 0 ||
        (ret = ff_vmafgpu_pass_hw_frames(ctx)) < 0)
        return ret;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        s->time_base[i] = ctx->inputs[i]->time_base;
        s->frame_rate[i] = VG_LINK(ctx->inputs[i])->frame_rate;
        s->format_names[i] = av_get_pix_fmt_name(ff_vmafgpu_software_format(ctx->inputs[i]));
    }
    outlink->w = main_link->w;
    outlink->h = main_link->h;
    outlink->time_base = main_link->time_base;
    outlink->sample_aspect_ratio = main_link->sample_aspect_ratio;
    VG_LINK(outlink)->frame_rate = VG_LINK(main_link)->frame_rate;
    s->has_fixed_pool = ff_vmafgpu_has_fixed_pool(main_link);
    if ((ret = ff_vmafgpu_open_engine(ctx, s->depth)) < 0 || (ret = ff_vmafgpu_begin_chunk(ctx)) < 0)
        return ret;
    return ff_vmafgpu_open_reports(ctx);
}

static int config_output(AVFilterLink *outlink)
{
    VmafGpuFilter *s = outlink->src->priv;
    int ret;

    VG_IN_C_LOCALE(&s->c_locale, ret = configure(outlink));
    return ret;
}

/* Must be silent: the ffmpeg tool creates an extra instance only to count its pads. */
static av_cold int init(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    int ret;

    s->number = atomic_fetch_add(&filters_made, 1);
    if (!(s->waiting = av_fifo_alloc2(16, sizeof(VmafGpuWaiting), 0)))
        return AVERROR(ENOMEM);
    if ((ret = ff_vmafgpu_check_log_path(ctx)) < 0)
        return ret;
    VG_IN_C_LOCALE(&s->c_locale, ret = ff_vmafgpu_parse_options(ctx));
    return ret;
}

static av_cold void uninit(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuWaiting waiting;

    VG_IN_C_LOCALE(&s->c_locale, ff_vmafgpu_conclude(ctx));
    vg_free_c_locale(&s->c_locale);
    while (s->held_count)
        av_frame_free(&s->held[--s->held_count]);
    while (s->waiting && av_fifo_read(s->waiting, &waiting, 1) >= 0)
        av_frame_free(&waiting.frame);
    av_fifo_freep2(&s->waiting);
    vmafgpu_close(&s->engine);
    av_buffer_unref(&s->main_pool);
    ff_vmafgpu_free_drm(s);
    ff_vmafgpu_close_reports(s);
    ff_vmafgpu_free_options(s);
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
    .init = init,
    .uninit = uninit,
    .activate = activate_in_c_locale,
    FILTER_INPUTS(inputs),
    FILTER_OUTPUTS(outputs),
    FILTER_QUERY_FUNC(ff_vmafgpu_query_formats),
};
