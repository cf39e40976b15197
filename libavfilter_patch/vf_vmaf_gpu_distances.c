/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See vf_vmaf_gpu_distances.h. Videos of two fixed rates have few different distances;
 * those of a phone have as many as frames.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <string.h>

#include "vf_vmaf_gpu_distances.h"

static int64_t rounded(const VmafGpuDistances *all, int64_t value)
{
    return value >> all->shift << all->shift;
}

/* Index of the first item that is not below value. */
static int find(const VmafGpuDistances *all, int64_t value)
{
    int low = 0, high = all->count;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (all->item[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void coarsen(VmafGpuDistances *all)
{
    int count = 0;

    all->shift++;
    for (int i = 0; i < all->count; i++) {
        const VmafGpuDistance item = {rounded(all, all->item[i].value), all->item[i].count};

        if (count && all->item[count - 1].value == item.value)
            all->item[count - 1].count += item.count;
        else
            all->item[count++] = item;
    }
    all->count = count;
}

void ff_vmafgpu_add_distance(VmafGpuDistances *all, int64_t value)
{
    int at = find(all, rounded(all, value));

    if (at == all->count || all->item[at].value != rounded(all, value)) {
        if (all->count == VMAF_GPU_MOST_DISTANCES) {
            while (all->count > VMAF_GPU_MOST_DISTANCES / 2)
                coarsen(all);
            ff_vmafgpu_add_distance(all, value); /* there is space now */
            return;
        }
        memmove(&all->item[at + 1], &all->item[at], (all->count - at) * sizeof(*all->item));
        all->item[at] = (VmafGpuDistance){rounded(all, value), 0};
        all->count++;
    }
    all->item[at].count++;
}

void ff_vmafgpu_remove_distance(VmafGpuDistances *all, int64_t value)
{
    const int at = find(all, rounded(all, value));

    if (at < all->count && all->item[at].value == rounded(all, value) && all->item[at].count)
        all->item[at].count--;
}

int64_t ff_vmafgpu_distance_at(const VmafGpuDistances *all, int64_t rank)
{
    for (int i = 0; i < all->count; i++) {
        if (rank < all->item[i].count)
            return all->item[i].value;
        rank -= all->item[i].count;
    }
    return 0;
}
