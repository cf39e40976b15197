/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: what the pictures say about pairs: differences of sketches, corrections of
 * the time shift, clocks that drift. The limits were found with 122 pairs of files and
 * 90 pairs of difficult content (tests/pairing): looser ones follow pictures that
 * mislead. vf_vmaf_gpu_pair.c asks.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <stdlib.h>

#include "vf_vmaf_gpu_pair.h"

/* ------------------------------------------------------------- pictures */

static const uint8_t *sketch_of(VmafGpuPairRule *rule, VmafGpuPairItem *item)
{
    if (!item->sketch)
        item->sketch = rule->get_sketch(rule->opaque, item);
    if (!item->sketch)
        rule->failed = 1;
    return item->sketch;
}

/* Sum of absolute differences. */
static int compare(const uint8_t *a, const uint8_t *b)
{
    int sum = 0;

    if (!a || !b)
        return 0;
    for (int i = 0; i < VMAF_GPU_SKETCH_SIZE; i++)
        sum += abs(a[i] - b[i]);
    return sum;
}

int ff_vmafgpu_pair_difference(VmafGpuPairRule *rule, int main, int reference)
{
    VmafGpuPairItem *a = &rule->in[VMAF_GPU_MAIN].item[main];
    VmafGpuPairItem *b = &rule->in[VMAF_GPU_REFERENCE].item[reference];
    VmafGpuPairDifference *known =
        &rule->cache[a->number % VMAF_GPU_QUEUE][b->number % VMAF_GPU_QUEUE];

    if (known->main != a->number || known->reference != b->number)
        *known = (VmafGpuPairDifference){a->number, b->number,
                                         compare(sketch_of(rule, a), sketch_of(rule, b))};
    return known->value;
}

int ff_vmafgpu_pair_in_doubt(const VmafGpuPairRule *rule)
{
    const VmafGpuPairInput *in = rule->in;
    const int count = (int)VG_LEAST(in[0].count, in[1].count);

    if (rule->start == VMAF_GPU_START_PICTURES_FIRST || rule->start == VMAF_GPU_START_PICTURES_TIME ||
        rule->start == VMAF_GPU_START_UNDECIDED || ff_vmafgpu_pair_differ(in[0].nominal, in[1].nominal, 1, 0) /* 0.05 % */)
        return 1;
    /* 2 %, and what a container may round off both ends. */
    return count > 2 && ff_vmafgpu_pair_differ(ff_vmafgpu_pair_mean_interval(&in[0]), ff_vmafgpu_pair_mean_interval(&in[1]), 40,
                               2 * VMAF_GPU_MILLISECOND / (count - 1));
}

/* ------------------------------------------------------------ corrections */

/* What the frames ahead say for partners that stand `by` frames further. */
typedef struct Evidence {
    int frames;     /* that prove something */
    int all_agree;
    double before, after; /* sums of differences */
} Evidence;

/*
 * The main frame from which on evidence counts. Before the first pair, main may begin
 * with frames that the reference lacks: these have no partner then.
 */
static int first_evidence(const VmafGpuPairRule *rule, const int *partner, int frames, int by)
{
    int first = 0;

    if (rule->has_pair || by >= 0 || ff_vmafgpu_pair_in_doubt(rule))
        return 0;
    while (first < frames && (partner[first] < 0 || partner[first] + by < 0))
        first++;
    return first;
}

/* 0: the first frame does not agree. */
static int gather(VmafGpuPairRule *rule, const int *partner, int frames, int by, Evidence *evidence)
{
    VmafGpuPairItem *item = rule->in[VMAF_GPU_MAIN].item;
    const uint8_t *counted = rule->has_previous ? rule->previous : NULL;
    const int first = first_evidence(rule, partner, frames, by);

    *evidence = (Evidence){.all_agree = 1};
    for (int i = first; i < frames; i++) {
        const int r = partner[i], moved = r + by;
        int before, after;

        if (r < 0 || moved < 0 || moved >= rule->in[VMAF_GPU_REFERENCE].count) {
            if (i == first)
                return 0;
            continue;
        }
        before = ff_vmafgpu_pair_difference(rule, i, r);
        after = ff_vmafgpu_pair_difference(rule, i, moved);
        if (i == first && after >= before)
            return 0;
        /* Main stands still: its picture says nothing about times. */
        if (counted && compare(sketch_of(rule, &item[i]), counted) * INT64_C(5) < before) {
            if (i == first)
                return 0;
            continue;
        }
        counted = sketch_of(rule, &item[i]);
        evidence->frames++;
        evidence->all_agree &= after < before;
        evidence->before += before;
        evidence->after += after;
    }
    return 1;
}

/* How many frames the partners of the frames ahead have to move, 0: not at all. */
int ff_vmafgpu_pair_find_correction(VmafGpuPairRule *rule, const int *partner, int frames)
{
    const int in_doubt = ff_vmafgpu_pair_in_doubt(rule), reach = rule->has_pair ? VMAF_GPU_SHIFT : VMAF_GPU_SHIFT_FIRST;
    const int at_end = rule->in[VMAF_GPU_MAIN].ended && rule->in[VMAF_GPU_MAIN].count < 4;
    const int enough = !in_doubt ? 6 : at_end ? 2 : 4;
    double best = in_doubt ? 0.5 : 0.2;
    int found = 0;

    for (int by = -reach; by <= reach; by++) {
        Evidence evidence;

        if (!by || !gather(rule, partner, frames, by, &evidence) || evidence.frames < enough ||
            (!in_doubt && !evidence.all_agree) || evidence.after >= best * evidence.before)
            continue;
        best = evidence.after / evidence.before;
        found = by;
    }
    return found;
}

/*
 * Where the intervals differ, one of the frames nearby may be the one that main shows:
 * it is taken if it is clearly closer.
 */
int ff_vmafgpu_pair_closer_neighbour(VmafGpuPairRule *rule, int r)
{
    const VmafGpuPairInput *reference = &rule->in[VMAF_GPU_REFERENCE];
    const int64_t t = rule->in[VMAF_GPU_MAIN].item[0].time - rule->shift;
    const int64_t tm = ff_vmafgpu_pair_interval(&rule->in[VMAF_GPU_MAIN], 0), tr = ff_vmafgpu_pair_interval(reference, r);
    const int chosen = ff_vmafgpu_pair_difference(rule, 0, r);
    int best = r, least_difference = chosen;

    if (!ff_vmafgpu_pair_differ(tm, tr, 200, 0)) /* 10 % */
        return r;
    for (int k = (int)VG_MOST(0, r - 2); k <= r + 2 && k < reference->count; k++) {
        if (llabs(t - reference->item[k].time) > VMAF_GPU_TOLERANCE(VG_MOST(tm, tr)))
            continue;
        /* 0.8 of the difference, and a tenth of a level less. */
        if (ff_vmafgpu_pair_difference(rule, 0, k) * 5 < chosen * 4 &&
            ff_vmafgpu_pair_difference(rule, 0, k) + VMAF_GPU_SKETCH_SIZE / 10 < chosen &&
            ff_vmafgpu_pair_difference(rule, 0, k) < least_difference) {
            best = k;
            least_difference = ff_vmafgpu_pair_difference(rule, 0, k);
        }
    }
    return best;
}

/* Two clocks that drift: follow a quarter of what is left, if the pictures are sure. */
void ff_vmafgpu_pair_follow_clock(VmafGpuPairRule *rule, int r)
{
    const VmafGpuPairInput *in = rule->in;
    const int64_t tm = ff_vmafgpu_pair_interval(&in[0], 0), tr = ff_vmafgpu_pair_interval(&in[1], r);
    const int64_t left = in[0].item[0].time - rule->shift - in[1].item[r].time;
    int own;

    if (!rule->has_pair || in[1].item[r].number != rule->last_used + 1 || r < 1 ||
        r + 1 >= in[1].count || 4 * VG_MOST(tm, tr) > 5 * VG_LEAST(tm, tr))
        return;
    own = ff_vmafgpu_pair_difference(rule, 0, r);
    if (own * 5 < ff_vmafgpu_pair_difference(rule, 0, r - 1) * 4 && own * 5 < ff_vmafgpu_pair_difference(rule, 0, r + 1) * 4)
        rule->shift += left / 4;
}

