/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: counts what became of every frame of both inputs, and says at the end
 * what a user has to know about the pairs. The files that pair call it per frame;
 * vf_vmaf_gpu_report.c writes the counts into the log. No frame is touched here.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libavutil/avassert.h"
#include "libavutil/avstring.h"
#include "libavutil/error.h"
#include "libavutil/log.h"

#include "vf_vmaf_gpu.h"

#define MICROSECOND 1000
#define MILLISECOND 1000000

static const char *const names[VMAF_GPU_NB_INPUTS] = {"main", "reference"};

/* -------------------------------------------------------------- per frame */

void ff_vmafgpu_count_damage(VmafGpuFilter *s, int input, const AVFrame *frame)
{
    s->counts.damaged[input] += frame->decode_error_flags || frame->flags & AV_FRAME_FLAG_CORRUPT;
}

void ff_vmafgpu_count_frame(VmafGpuFilter *s, int input, const AVFrame *frame)
{
    s->counts.frames[input]++;
    ff_vmafgpu_count_damage(s, input, frame);
}

void ff_vmafgpu_count_unpaired(VmafGpuFilter *s, int input, int64_t time)
{
    VmafGpuCounts *c = &s->counts;

    if (!c->pairs) {
        c->unpaired[input][VMAF_GPU_BEGIN]++;
        return;
    }
    /* At the end unless another pair comes. */
    if (!c->unpaired[input][VMAF_GPU_END]++ && !c->unpaired[input][VMAF_GPU_MIDDLE])
        c->first_missing[input] = time;
}

/* A frame of a pair, or of a main frame that is disabled and its partner. 1: its first use. */
static int use_frame(VmafGpuCounts *c, int input, int64_t number)
{
    const int is_new = number != c->last_used[input];

    c->last_used[input] = number;
    return is_new;
}

void ff_vmafgpu_count_pair(VmafGpuFilter *s, int64_t main_number, int64_t reference_number,
                           int64_t distance)
{
    VmafGpuCounts *c = &s->counts;
    VmafGpuCountedPair *pair = &c->recent[c->pairs % VMAF_GPU_MOST_PENDING];
    const int64_t number[VMAF_GPU_NB_INPUTS] = {main_number, reference_number};

    if (!ff_vmafgpu_is_in_chunk(s, s->chunk.range.first + main_number)) {
        for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
            use_frame(c, i, number[i]);
        return;
    }
    c->pairs++;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        c->unpaired[i][VMAF_GPU_MIDDLE] += c->unpaired[i][VMAF_GPU_END];
        c->unpaired[i][VMAF_GPU_END] = 0;
        pair->is_repeat[i] = !use_frame(c, i, number[i]);
        c->repeated[i] += pair->is_repeat[i];
    }
    pair->is_by_number = main_number == reference_number;
    pair->distance = distance;
    c->by_number += pair->is_by_number;
    pair->largest_before = c->largest_distance;
    c->largest_distance = FFMAX(c->largest_distance, llabs(distance));
    c->unequal += !!distance;
    if (distance)
        ff_vmafgpu_add_distance(&c->distances, llabs(distance));
}

void ff_vmafgpu_count_disabled(VmafGpuFilter *s, int64_t main_number, int64_t reference_number)
{
    VmafGpuCounts *c = &s->counts;

    c->disabled[VMAF_GPU_MAIN] += use_frame(c, VMAF_GPU_MAIN, main_number);
    c->disabled[VMAF_GPU_REFERENCE] +=
        reference_number >= 0 && use_frame(c, VMAF_GPU_REFERENCE, reference_number);
}

/* --------------------------------------------------------------- summary */

/* Pairs without distance are not in the list. */
static int64_t median_distance(const VmafGpuCounts *c)
{
    const int64_t zeros = c->pairs - c->unequal, middle = c->pairs / 2;

    return middle < zeros ? 0 : ff_vmafgpu_distance_at(&c->distances, middle - zeros);
}

static void check_identities(const VmafGpuCounts *c)
{
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        av_assert1(c->frames[i] == c->pairs - c->repeated[i] + c->disabled[i] +
                                       c->unpaired[i][VMAF_GPU_BEGIN] +
                                       c->unpaired[i][VMAF_GPU_MIDDLE] + c->unpaired[i][VMAF_GPU_END]);
}

static double seconds(int64_t nanoseconds)
{
    return nanoseconds / 1e9;
}

static int64_t unpaired(const VmafGpuCounts *c, int input)
{
    return c->unpaired[input][VMAF_GPU_BEGIN] + c->unpaired[input][VMAF_GPU_MIDDLE] +
           c->unpaired[input][VMAF_GPU_END];
}

/* Frames per second that an input declares; 0: it declares none. */
static double rate(const VmafGpuFilter *s, int input)
{
    const AVRational declared = s->frame_rate[input];

    return declared.num > 0 && declared.den > 0 ? av_q2d(declared) : 0;
}

void ff_vmafgpu_fill_pairing(VmafGpuFilter *s, VmafGpuPairing *out)
{
    static const char *const starts[] = {"together", "pictures_first", "pictures_time", "undecided",
                                         "by_option"};
    VmafGpuCounts *c = &s->counts;

    memset(out, 0, sizeof(*out));
    out->struct_size = sizeof(*out);
    out->rule = s->rule_name;
    out->start = starts[s->rule ? s->rule->start : VMAF_GPU_START_TOGETHER];
    out->main_frames = c->frames[VMAF_GPU_MAIN];
    out->reference_frames = c->frames[VMAF_GPU_REFERENCE];
    out->pairs = c->pairs;
    out->repeated_main = c->repeated[VMAF_GPU_MAIN];
    out->repeated_reference = c->repeated[VMAF_GPU_REFERENCE];
    memcpy(out->unpaired_main, c->unpaired[VMAF_GPU_MAIN], sizeof(out->unpaired_main));
    memcpy(out->unpaired_reference, c->unpaired[VMAF_GPU_REFERENCE], sizeof(out->unpaired_reference));
    out->disabled_main = c->disabled[VMAF_GPU_MAIN];
    out->disabled_reference = c->disabled[VMAF_GPU_REFERENCE];
    out->by_number = c->by_number;
    out->distance_median = seconds(c->median_distance);
    out->distance_largest = seconds(c->largest_distance);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        out->damaged[i] = c->damaged[i];
        out->without_time[i] = s->rule ? s->rule->in[i].without_time : 0;
        out->backward_time[i] = s->rule ? s->rule->in[i].backward : 0;
    }
    if (s->rule) {
        out->start_offset = seconds(s->rule->start_offset);
        out->shift = seconds(s->rule->shift);
        out->corrections = s->rule->corrections;
    }
    out->at_least = c->is_stopped;
    out->warnings = c->warnings;
}

/* Frames that wait for a partner. The latest partner is kept, too. */
static int64_t waiting(const VmafGpuFilter *s, int input)
{
    const VmafGpuPairInput *in;

    if (!s->rule)
        return 0;
    in = &s->rule->in[input];
    return in->count - (input == VMAF_GPU_REFERENCE && s->rule->has_pair && in->count &&
                        in->item[0].number == s->rule->last_used);
}

/* Take the latest pair back. */
static void forget_pair(VmafGpuCounts *c)
{
    const VmafGpuCountedPair *pair = &c->recent[--c->pairs % VMAF_GPU_MOST_PENDING];

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        c->frames[i] -= !pair->is_repeat[i];
        c->repeated[i] -= pair->is_repeat[i];
    }
    c->by_number -= pair->is_by_number;
    c->largest_distance = pair->largest_before;
    c->unequal -= !!pair->distance;
    if (pair->distance)
        ff_vmafgpu_remove_distance(&c->distances, llabs(pair->distance));
}

/* An early stop: frames that wait for a partner or their scores do not count. */
static void forget_waiting(VmafGpuFilter *s)
{
    VmafGpuCounts *c = &s->counts;

    for (int64_t pair = s->submitted - 1; pair >= s->collected; pair--)
        if (ff_vmafgpu_is_in_chunk(s, s->chunk.range.first + pair))
            forget_pair(c);
    if (!ff_vmafgpu_is_in_chunk(s, s->chunk.range.first + s->submitted))
        return;
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        c->frames[i] = FFMAX(c->frames[i] - waiting(s, i), 0);
}

/* --------------------------------------------------------------- messages */

/*
 * Say something about the pairs. A fault makes strict=1 fail, with the first one as its
 * reason.
 */
static void av_printf_format(4, 5) say(AVFilterContext *ctx, int level, int is_fault,
                                       const char *format, ...)
{
    VmafGpuFilter *s = ctx->priv;
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (level == AV_LOG_WARNING)
        ff_vmafgpu_warn(ctx, "%s", text);
    else
        av_log(ctx, level, "%s\n", text);
    s->counts.warnings += level == AV_LOG_WARNING;
    if (is_fault && !*s->fault)
        av_strlcpy(s->fault, text, sizeof(s->fault));
}

/*
 * Say how many frames have a fault. Merging adds up what parts say. They say it of no frames, too,
 * so that all have the same order.
 */
static void av_printf_format(3, 4) say_frames(AVFilterContext *ctx, int64_t frames,
                                              const char *format, ...)
{
    VmafGpuFilter *s = ctx->priv;
    char fault[400], none[450];
    va_list args;

    va_start(args, format);
    vsnprintf(fault, sizeof(fault), format, args);
    va_end(args);
    if (frames) {
        say(ctx, AV_LOG_WARNING, 1, "%" PRId64 " frames of %s", frames, fault);
    } else if (ff_vmafgpu_is_part(s)) {
        snprintf(none, sizeof(none), "0 frames of %s", fault);
        ff_vmafgpu_keep_warning(s, none);
        s->counts.warnings++;
    }
}

static void say_start(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const VmafGpuPairRule *rule = s->rule;
    const int64_t frames = rule->first_frame_offset;
    const char *where = frames < 0 ? "before" : "after";
    char other[40];

    switch (rule->start) {
    case VMAF_GPU_START_TOGETHER:
        if (llabs(rule->start_offset) > MILLISECOND && s->pair != VMAF_GPU_PAIR_INDEX)
            say(ctx, AV_LOG_INFO, 0, "main begins %.3f s %s reference: aligned (pair=framesync for "
                "libvmaf's pairing)", seconds(llabs(rule->start_offset)),
                rule->start_offset < 0 ? "before" : "after");
        break;
    case VMAF_GPU_START_PICTURES_FIRST:
        say(ctx, AV_LOG_WARNING, 0, "main begins %" PRId64 " frames %s reference by its times, but the "
            "first pictures agree: paired by pictures (pair=time to trust the times)",
            (int64_t)llabs(frames), where);
        break;
    case VMAF_GPU_START_PICTURES_TIME:
        say(ctx, AV_LOG_INFO, 0, "main begins %" PRId64 " frames %s reference, and the pictures agree",
            (int64_t)llabs(frames), where);
        break;
    case VMAF_GPU_START_UNDECIDED:
        snprintf(other, sizeof(other), ", else offset=%" PRId64, frames);
        say(ctx, AV_LOG_WARNING, 1, "main begins %" PRId64 " frames %s reference and %s: paired by time%s; if "
            "the first frames are equal use pair=index%s", (int64_t)llabs(frames), where,
            rule->is_start_compared ? "the pictures do not tell which are equal" : "no pictures were compared",
            s->counts.pairs ? "" : ", which leaves no pair", s->counts.pairs ? other : "");
        break;
    case VMAF_GPU_START_BY_OPTION:
        break;
    }
}

static void say_times(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const VmafGpuPairInput *in = &s->rule->in[i];

        say_frames(ctx, in->without_time, "%s have no time: assumed %.3f fps", names[i],
                   rate(s, i) ? rate(s, i) : 25.0);
        say_frames(ctx, in->backward, "%s have a time that is not after that of the frame before: "
                   "it was replaced", names[i]);
    }
}

static void say_unpaired(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    const VmafGpuCounts *c = &s->counts;
    const double main_rate = rate(s, VMAF_GPU_MAIN), reference_rate = rate(s, VMAF_GPU_REFERENCE);
    const int is_slower = main_rate && main_rate < reference_rate * 0.9995;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const char *own = names[i], *other = names[!i];
        const int64_t *count = c->unpaired[i];

        if (count[VMAF_GPU_BEGIN])
            say(ctx, AV_LOG_WARNING, 1, "%s begins %" PRId64 " frames before %s: those frames are not in "
                "the score", own, count[VMAF_GPU_BEGIN], other);
        if (count[VMAF_GPU_MIDDLE] && i == VMAF_GPU_REFERENCE && is_slower)
            say(ctx, AV_LOG_INFO, 1, "main has %.3f and reference %.3f frames per second: %" PRId64
                " reference frames are not compared", main_rate, reference_rate,
                count[VMAF_GPU_MIDDLE]);
        else if (count[VMAF_GPU_MIDDLE])
            say(ctx, AV_LOG_WARNING, 1, "%" PRId64 " %s frames have no partner in %s, the first at %.3f s"
                "%s They are not in the score", count[VMAF_GPU_MIDDLE], own, other,
                seconds(c->first_missing[i]), i == VMAF_GPU_REFERENCE ? ": main dropped frames?" : ".");
        if (!count[VMAF_GPU_END] || c->is_stopped)
            continue;
        if (rate(s, i))
            say(ctx, AV_LOG_WARNING, 1, "%s ends %" PRId64 " frames (%.3f s) before %s: those frames are "
                "not in the score", other, count[VMAF_GPU_END], count[VMAF_GPU_END] / rate(s, i), own);
        else
            say(ctx, AV_LOG_WARNING, 1, "%s ends %" PRId64 " frames before %s: those frames are not in "
                "the score", other, count[VMAF_GPU_END], own);
    }
}

static void say_repeats(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    const VmafGpuCounts *c = &s->counts;
    const double main_rate = rate(s, VMAF_GPU_MAIN), reference_rate = rate(s, VMAF_GPU_REFERENCE);

    if (c->repeated[VMAF_GPU_MAIN])
        say(ctx, AV_LOG_WARNING, 1, "%" PRId64 " of %" PRId64 " pairs repeat a main frame",
            c->repeated[VMAF_GPU_MAIN], c->pairs);
    if (!c->repeated[VMAF_GPU_REFERENCE])
        return;
    if (!s->rule)
        say(ctx, AV_LOG_WARNING, 1, "%" PRId64 " pairs reuse a reference frame (pair=auto aligns the "
            "inputs)", c->repeated[VMAF_GPU_REFERENCE]);
    else if (c->frames[VMAF_GPU_REFERENCE] == 1)
        say(ctx, AV_LOG_WARNING, 1, "%" PRId64 " pairs reuse the only reference frame (if it is the cover "
            "of a file, name the streams: [0:V][1:V]vmaf_gpu)", c->repeated[VMAF_GPU_REFERENCE]);
    else if (main_rate && reference_rate)
        say(ctx, AV_LOG_WARNING, 1, "%" PRId64 " pairs reuse a reference frame (main has %.3f fps, "
            "reference %.3f)", c->repeated[VMAF_GPU_REFERENCE], main_rate, reference_rate);
    else
        say(ctx, AV_LOG_WARNING, 1, "%" PRId64 " pairs reuse a reference frame",
            c->repeated[VMAF_GPU_REFERENCE]);
}

static void say_corrections(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    const VmafGpuCounts *c = &s->counts;

    if (s->rule->corrections)
        say(ctx, AV_LOG_WARNING, 0, "times and pictures disagreed %" PRId64 " times, first at %.3f s: "
            "followed the pictures (rates %.3f and %.3f; if both hold the same frames use "
            "pair=index or -r %.3f before both -i)", s->rule->corrections,
            seconds(s->rule->first_correction), rate(s, VMAF_GPU_MAIN), rate(s, VMAF_GPU_REFERENCE),
            rate(s, VMAF_GPU_MAIN));
    if (c->frames[0] == c->frames[1] && c->by_number < c->pairs && !s->rule->has_offset &&
        !c->is_stopped)
        say(ctx, AV_LOG_WARNING, 0, "both inputs have %" PRId64 " frames but %" PRId64 " pairs are not "
            "n-th with n-th: if they are the same frames use pair=index", c->frames[0],
            c->pairs - c->by_number);
}

static void say_damage(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        say_frames(ctx, s->counts.damaged[i], "%s are damaged: the decoder reported errors", names[i]);
}

void ff_vmafgpu_say_pairing(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuCounts *c = &s->counts;

    for (int i = 0; !s->rule && i < VMAF_GPU_NB_INPUTS; i++)
        c->frames[i] = s->synced[i];
    if (c->is_stopped || s->is_cut_short)
        forget_waiting(s);
    ff_vmafgpu_settle_chunk(s);
    if (!c->is_stopped)
        check_identities(c);
    c->median_distance = median_distance(c);
    say(ctx, AV_LOG_INFO, 0, "%" PRId64 " pairs of %s%" PRId64 " main and %" PRId64 " reference frames, %"
        PRId64 " repeated, %" PRId64 " unpaired", c->pairs, c->is_stopped ? "at least " : "",
        c->frames[VMAF_GPU_MAIN], c->frames[VMAF_GPU_REFERENCE],
        c->repeated[VMAF_GPU_MAIN] + c->repeated[VMAF_GPU_REFERENCE],
        unpaired(c, VMAF_GPU_MAIN) + unpaired(c, VMAF_GPU_REFERENCE));
    if (s->rule)
        say_start(ctx);
    say_unpaired(ctx);
    say_repeats(ctx);
    if (s->rule) {
        say_corrections(ctx);
        say_times(ctx);
    }
    say_damage(ctx);
    if (c->largest_distance > MICROSECOND)
        say(ctx, AV_LOG_INFO, 0, "time distance of the pairs: median %.3f ms, largest %.3f ms",
            c->median_distance / 1e6, c->largest_distance / 1e6);
}
