/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: the queues of the pairing rule, and the times of their frames: what a
 * missing time is replaced by, and how long a frame lasts. vf_vmaf_gpu_pair.c decides.
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

#define FALLBACK_INTERVAL (40 * VMAF_GPU_MILLISECOND) /* of a stream that declares none */

/* ---------------------------------------------------------------- queues */

void ff_vmafgpu_pair_init(VmafGpuPairRule *rule, VmafGpuPairMode mode)
{
    memset(rule, 0, sizeof(*rule));
    rule->mode = mode;
    rule->most_main = VMAF_GPU_QUEUE;
    rule->most_reference = VMAF_GPU_QUEUE;
    for (int i = 0; i < VMAF_GPU_QUEUE; i++)
        for (int k = 0; k < VMAF_GPU_QUEUE; k++)
            rule->cache[i][k].main = -1;
}

/* A time for every frame, each after the one before. */
static int64_t assign_time(VmafGpuPairInput *in, int64_t time)
{
    int64_t expected = in->last_time, interval = FALLBACK_INTERVAL;

    /* The last interval may have been a gap. */
    if (in->last_interval && in->nominal)
        interval = VG_LEAST(in->last_interval, in->nominal);
    else if (in->last_interval || in->nominal)
        interval = in->last_interval ? in->last_interval : in->nominal;
    if (in->frames)
        expected += VG_LEAST(interval, VMAF_GPU_MOST_INTERVAL);
    if (time == VMAF_GPU_NO_TIME)
        in->without_time++;
    else if (in->frames && time <= in->last_time)
        in->backward++;
    else
        return time;
    return expected;
}

void ff_vmafgpu_pair_add(VmafGpuPairRule *rule, int input, int64_t time, void *frame)
{
    VmafGpuPairInput *in = &rule->in[input];
    VmafGpuPairItem *item = &in->item[in->count++];

    time = assign_time(in, time);
    if (in->frames)
        in->last_interval = time - in->last_time;
    in->last_time = time;
    *item = (VmafGpuPairItem){.time = time, .number = in->frames++, .frame = frame};
}

static void drop_first(VmafGpuPairInput *in)
{
    in->count--;
    memmove(&in->item[0], &in->item[1], in->count * sizeof(in->item[0]));
}

int ff_vmafgpu_pair_drop_reference(VmafGpuPairRule *rule)
{
    const int is_used = rule->has_pair && rule->in[VMAF_GPU_REFERENCE].item[0].number == rule->last_used;

    drop_first(&rule->in[VMAF_GPU_REFERENCE]);
    return !is_used;
}

void ff_vmafgpu_pair_drop_main(VmafGpuPairRule *rule, const VmafGpuPairChoice *choice)
{
    const VmafGpuPairItem *item = &rule->in[VMAF_GPU_MAIN].item[0];

    if (item->sketch) {
        memcpy(rule->previous, item->sketch, sizeof(rule->previous));
        rule->has_previous = 1;
    }
    if (choice->reference >= 0) {
        rule->has_pair = 1;
        rule->last_used = rule->in[VMAF_GPU_REFERENCE].item[choice->reference].number;
    }
    drop_first(&rule->in[VMAF_GPU_MAIN]);
}

/* ----------------------------------------------------------------- times */

int64_t ff_vmafgpu_pair_interval(const VmafGpuPairInput *in, int k)
{
    const int64_t interval = k + 1 < in->count   ? in->item[k + 1].time - in->item[k].time
                             : k > 0             ? in->item[k].time - in->item[k - 1].time
                             : in->last_interval ? in->last_interval
                                                 : in->nominal;

    return VG_LEAST(interval, VMAF_GPU_MOST_INTERVAL);
}

int64_t ff_vmafgpu_pair_mean_interval(const VmafGpuPairInput *in)
{
    return in->count < 3 ? 0 : (in->item[in->count - 1].time - in->item[0].time) / (in->count - 1);
}

int ff_vmafgpu_pair_differ(int64_t a, int64_t b, int64_t half_per_mille, int64_t slack)
{
    return a && b && llabs(a - b) > VG_MOST(a, b) / 2000 * half_per_mille + slack;
}
