/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: the rule of vf_vmaf_gpu_pair.h. Times are compared first; pictures
 * overrule them only where clocks disagree or the evidence is overwhelming. The
 * queues and times are in vf_vmaf_gpu_pair_times.c, what pictures say in
 * vf_vmaf_gpu_pair_pictures.c.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <stdlib.h>
#include <string.h>

#include "vf_vmaf_gpu_pair.h"

#define NO_PARTNER (-1) /* of pick() */

/* Inputs that begin within 0.95 frames of each other begin together. */
#define TOGETHER(interval) ((interval) * 19 / 20)
/* Frames apart up to which pictures decide about the beginning. */
#define MOST_START_OFFSET 16
#define START_FRAMES 8


/* ---------------------------------------------------------------- queues */

static int can_grow(const VmafGpuPairRule *rule, int input)
{
    const int limit = input == VMAF_GPU_MAIN ? rule->most_main : rule->most_reference;

    return !rule->in[input].ended && rule->in[input].count < limit;
}

/* Whether an input has count frames, or cannot have them. */
static int has(const VmafGpuPairRule *rule, int input, int64_t count, unsigned *needs)
{
    if (rule->in[input].count >= count || !can_grow(rule, input))
        return 1;
    *needs |= 1U << input;
    return 0;
}

/* ----------------------------------------------------------------- times */

/* The shorter interval of two, of which 0 is unknown. */
static int64_t shorter(int64_t a, int64_t b)
{
    return !a ? b : !b ? a : VG_LEAST(a, b);
}

/* The frame used last may serve again, no earlier one. */
static int first_allowed(const VmafGpuPairRule *rule)
{
    const VmafGpuPairInput *reference = &rule->in[VMAF_GPU_REFERENCE];

    return rule->has_pair && reference->count && reference->item[0].number == rule->last_used
               ? 0 : NO_PARTNER;
}

/*
 * The last reference frame that begins with main frame i or before it, NO_PARTNER if
 * there is none. *is_known: later frames cannot change that.
 */
static int pick(const VmafGpuPairRule *rule, int i, int from, int64_t shift, int *is_known)
{
    const VmafGpuPairInput *reference = &rule->in[VMAF_GPU_REFERENCE];
    const int64_t t = rule->in[VMAF_GPU_MAIN].item[i].time - shift;
    const int64_t tm = ff_vmafgpu_pair_interval(&rule->in[VMAF_GPU_MAIN], i);
    int r = from;
    int64_t tr;

    *is_known = 1;
    for (; r + 1 < reference->count; r++) {
        tr = ff_vmafgpu_pair_interval(reference, r < 0 ? 0 : r);
        if (reference->item[r + 1].time > t + VMAF_GPU_TOLERANCE(shorter(tm, tr)))
            return r;
    }
    *is_known = reference->ended;
    if (!reference->ended || r < 0 || reference->frames == 1) /* one picture holds for all */
        return r;
    tr = ff_vmafgpu_pair_interval(reference, r);
    return reference->item[r].time + tr <= t + VMAF_GPU_TOLERANCE(shorter(tm, tr)) ? NO_PARTNER : r;
}

/* -------------------------------------------------------------- beginning */

/* Mean difference of the first frames under a shift, -1 if no pair has one. */
static double mean_difference(VmafGpuPairRule *rule, int frames, int64_t shift)
{
    int from = NO_PARTNER, pairs = 0, is_known;
    double sum = 0;

    for (int i = 0; i < frames && i < rule->in[VMAF_GPU_MAIN].count; i++) {
        const int r = pick(rule, i, from, shift, &is_known);

        if (r < 0)
            continue;
        from = r;
        sum += ff_vmafgpu_pair_difference(rule, i, r);
        pairs++;
    }
    return pairs ? sum / pairs : -1;
}

static int64_t rounded_frames(int64_t offset, int64_t interval)
{
    const int64_t frames = (llabs(offset) + interval / 2) / interval;

    return offset < 0 ? -frames : frames;
}

/* The part of the offset that is no whole number of frames. */
static int64_t part_of_frame(int64_t offset, int64_t interval)
{
    return offset - rounded_frames(offset, interval) * interval;
}

static void start_with(VmafGpuPairRule *rule, VmafGpuPairStart start, int64_t shift)
{
    rule->is_started = 1;
    rule->start = start;
    rule->shift = shift;
}

/* Both begin far apart: by the pictures, if they tell. 0: more frames are needed. */
static int start_apart(VmafGpuPairRule *rule, int64_t interval, unsigned *needs)
{
    const VmafGpuPairInput *in = rule->in;
    const int64_t offset = rule->start_offset;
    const int frames = (int)VG_LEAST(START_FRAMES + llabs(offset) / interval, VMAF_GPU_QUEUE);
    const int64_t mean[] = {ff_vmafgpu_pair_mean_interval(&in[0]), ff_vmafgpu_pair_mean_interval(&in[1])};
    const int64_t by_time =
        ff_vmafgpu_pair_differ(mean[0], mean[1], 40, 2 * VMAF_GPU_MILLISECOND)
            ? 0
            : part_of_frame(offset, mean[1] ? mean[1] : interval);
    double first, time;

    if (rule->mode != VMAF_GPU_PAIR_AUTO || llabs(offset) > MOST_START_OFFSET * interval) {
        start_with(rule, VMAF_GPU_START_UNDECIDED, by_time);
        return 1;
    }
    has(rule, VMAF_GPU_MAIN, frames, needs);
    has(rule, VMAF_GPU_REFERENCE, frames + llabs(offset) / interval + 1, needs);
    if (*needs)
        return 0;
    rule->is_start_compared = 1;
    first = mean_difference(rule, frames, offset);
    time = mean_difference(rule, frames, by_time);
    if (first >= 0 && time >= 0 && first * 3 < time * 2)
        start_with(rule, VMAF_GPU_START_PICTURES_FIRST, offset);
    else if (first >= 0 && time >= 0 && time * 3 < first * 2)
        start_with(rule, VMAF_GPU_START_PICTURES_TIME, by_time);
    else
        start_with(rule, VMAF_GPU_START_UNDECIDED, by_time);
    return 1;
}

/*
 * The user's offset: frames before it have no partner. 0: more frames are needed, or
 * frames of the reference must be dropped first.
 */
static int start_by_option(VmafGpuPairRule *rule, VmafGpuPairChoice *choice)
{
    const VmafGpuPairItem *first[] = {rule->in[0].item, rule->in[1].item};

    choice->unused = first[VMAF_GPU_REFERENCE]->number < rule->offset;
    if (choice->unused)
        return 0;
    if (first[VMAF_GPU_MAIN]->number >= -rule->offset)
        start_with(rule, VMAF_GPU_START_BY_OPTION, first[0]->time - first[1]->time);
    return 1;
}

/* 0: more frames are needed. */
static int decide_start(VmafGpuPairRule *rule, VmafGpuPairChoice *choice)
{
    const VmafGpuPairInput *in = rule->in;
    int64_t interval;

    if (!has(rule, VMAF_GPU_REFERENCE, 1, &choice->needs))
        return 0;
    if (!in[VMAF_GPU_REFERENCE].count) /* it has no frames at all */
        return 1;
    if (!in[0].item[0].number && !in[1].item[0].number)
        rule->start_offset = in[0].item[0].time - in[1].item[0].time;
    if (rule->has_offset)
        return start_by_option(rule, choice);
    has(rule, VMAF_GPU_MAIN, 4, &choice->needs);
    has(rule, VMAF_GPU_REFERENCE, 4, &choice->needs);
    if (choice->needs)
        return 0;
    interval = shorter(ff_vmafgpu_pair_interval(&in[0], 0), ff_vmafgpu_pair_interval(&in[1], 0));
    if (interval)
        rule->first_frame_offset = rounded_frames(rule->start_offset, interval);
    if (!interval || llabs(rule->start_offset) < TOGETHER(interval)) {
        start_with(rule, VMAF_GPU_START_TOGETHER, rule->start_offset);
        return 1;
    }
    return start_apart(rule, interval, &choice->needs);
}

/* --------------------------------------------------------------- decision */

static VmafGpuPairStatus decide_by_index(VmafGpuPairRule *rule, VmafGpuPairChoice *choice)
{
    VmafGpuPairInput *reference = &rule->in[VMAF_GPU_REFERENCE];
    const int64_t wanted = rule->in[VMAF_GPU_MAIN].item[0].number + rule->offset;

    choice->reference = NO_PARTNER;
    if (wanted < 0)
        return VMAF_GPU_PAIR_DECIDED;
    while (choice->unused < reference->count && reference->item[choice->unused].number < wanted)
        choice->unused++;
    if (choice->unused < reference->count)
        choice->reference = choice->unused;
    else if (!reference->ended)
        choice->needs = 1U << VMAF_GPU_REFERENCE;
    rule->start = rule->has_offset ? VMAF_GPU_START_BY_OPTION : VMAF_GPU_START_TOGETHER;
    return choice->needs ? VMAF_GPU_PAIR_NEEDS_FRAMES : VMAF_GPU_PAIR_DECIDED;
}

/* Partners of the frames ahead; how many are known is returned. */
static int pick_ahead(VmafGpuPairRule *rule, VmafGpuPairChoice *choice, int partner[VMAF_GPU_LOOK_AHEAD_FIRST])
{
    const int by_pictures = rule->mode == VMAF_GPU_PAIR_AUTO;
    const int wanted = !by_pictures ? 1 : rule->has_pair ? VMAF_GPU_LOOK_AHEAD : VMAF_GPU_LOOK_AHEAD_FIRST;
    const int further = !by_pictures ? 0 : rule->has_pair ? VMAF_GPU_SHIFT : VMAF_GPU_SHIFT_FIRST;
    int from = first_allowed(rule), frames = 0, is_known = 1;

    /* One more frame shows the interval. */
    has(rule, VMAF_GPU_MAIN, by_pictures ? wanted : 2, &choice->needs);
    for (int i = 0; i < wanted && i < rule->in[VMAF_GPU_MAIN].count; i++) {
        partner[i] = pick(rule, i, from, rule->shift, &is_known);
        if (!is_known)
            break;
        frames++;
        if (partner[i] >= 0)
            from = partner[i];
    }
    if (!is_known)
        has(rule, VMAF_GPU_REFERENCE, VMAF_GPU_QUEUE, &choice->needs);
    else
        has(rule, VMAF_GPU_REFERENCE, from + further + 1, &choice->needs);
    /* The queue is full of frames before main's time. */
    if (!frames && !choice->needs && !rule->in[VMAF_GPU_REFERENCE].ended)
        choice->unused = 1;
    return frames;
}

static void count_correction(VmafGpuPairRule *rule)
{
    if (!rule->corrections++)
        rule->first_correction = rule->in[VMAF_GPU_MAIN].item[0].time;
}

/* Move the shift so that the partner of the first main frame stands `by` frames further. */
static void correct(VmafGpuPairRule *rule, int r, int by)
{
    const VmafGpuPairItem *reference = rule->in[VMAF_GPU_REFERENCE].item;
    const VmafGpuPairItem *item = rule->in[VMAF_GPU_MAIN].item;

    if (r + by >= 0)
        rule->shift -= reference[r + by].time - reference[r].time;
    else /* the reference begins later */
        rule->shift += item[-by - r].time - item[0].time;
    count_correction(rule);
}

/*
 * By time, main's last frame comes after the end of the reference. If the clocks differ
 * and the last reference frame is left, it is the partner if it is clearly closer than
 * the one before.
 */
static int left_over(VmafGpuPairRule *rule)
{
    const VmafGpuPairInput *in = rule->in, *reference = &in[VMAF_GPU_REFERENCE];
    const int last = reference->count - 1;

    if (!rule->has_pair || !reference->ended || last < 1 || !ff_vmafgpu_pair_in_doubt(rule) ||
        reference->item[last].number != rule->last_used + 1 ||
        ff_vmafgpu_pair_difference(rule, 0, last) * 2 >= ff_vmafgpu_pair_difference(rule, 0, last - 1))
        return NO_PARTNER;
    rule->shift = in[VMAF_GPU_MAIN].item[0].time - reference->item[last].time;
    count_correction(rule);
    return last;
}

static VmafGpuPairStatus decide_by_pictures(VmafGpuPairRule *rule, VmafGpuPairChoice *choice,
                                            int *partner, int frames)
{
    int r = partner[0], by = 0, is_known;

    if (r >= 0)
        by = ff_vmafgpu_pair_find_correction(rule, partner, frames);
    if (by) {
        correct(rule, r, by);
        r = pick(rule, 0, first_allowed(rule), rule->shift, &is_known);
        if (r < 0 && partner[0] + by >= 0)
            r = partner[0] + by;
    } else if (r < 0) {
        r = left_over(rule);
    }
    if (r >= 0) {
        r = ff_vmafgpu_pair_closer_neighbour(rule, r);
        ff_vmafgpu_pair_follow_clock(rule, r);
    }
    choice->reference = r;
    return rule->failed ? VMAF_GPU_PAIR_FAILED : VMAF_GPU_PAIR_DECIDED;
}

int ff_vmafgpu_pair_decide(VmafGpuPairRule *rule, VmafGpuPairChoice *choice)
{
    const VmafGpuPairInput *in = rule->in;
    int partner[VMAF_GPU_LOOK_AHEAD_FIRST], frames;
    VmafGpuPairStatus status = VMAF_GPU_PAIR_DECIDED;

    memset(choice, 0, sizeof(*choice));
    choice->reference = NO_PARTNER;
    if (!has(rule, VMAF_GPU_MAIN, 1, &choice->needs))
        return VMAF_GPU_PAIR_NEEDS_FRAMES;
    if (!in[VMAF_GPU_MAIN].count)
        return VMAF_GPU_PAIR_END;
    if (rule->mode == VMAF_GPU_PAIR_INDEX)
        return decide_by_index(rule, choice);
    if (!rule->is_started && !decide_start(rule, choice))
        return rule->failed ? VMAF_GPU_PAIR_FAILED : VMAF_GPU_PAIR_NEEDS_FRAMES;
    if (!rule->is_started) /* before the user's offset, or without reference */
        return VMAF_GPU_PAIR_DECIDED;
    frames = pick_ahead(rule, choice, partner);
    if (choice->needs || choice->unused)
        return VMAF_GPU_PAIR_NEEDS_FRAMES;
    choice->reference = partner[0];
    if (rule->mode == VMAF_GPU_PAIR_AUTO)
        status = decide_by_pictures(rule, choice, partner, frames);
    if (choice->reference >= 0)
        choice->distance = in[0].item[0].time - rule->shift - in[1].item[choice->reference].time;
    return status;
}
