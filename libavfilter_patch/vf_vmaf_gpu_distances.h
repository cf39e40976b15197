/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: how far apart the times of the pairs are, in memory that does not grow with
 * the number of pairs. Knows numbers only, nothing of FFmpeg.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#ifndef AVFILTER_VF_VMAF_GPU_DISTANCES_H
#define AVFILTER_VF_VMAF_GPU_DISTANCES_H

#include <stdint.h>

#define VMAF_GPU_MOST_DISTANCES 4096

typedef struct VmafGpuDistance {
    int64_t value; /* the lowest of those that are counted here */
    int64_t count;
} VmafGpuDistance;

/*
 * Distances and how often each occurred. They are exact while there are at most
 * VMAF_GPU_MOST_DISTANCES different ones. Beyond that, close ones are counted as one:
 * within 1/1000 of the largest.
 */
typedef struct VmafGpuDistances {
    VmafGpuDistance item[VMAF_GPU_MOST_DISTANCES]; /* in the order of value */
    int count;
    int shift; /* values are multiples of 1 << shift */
} VmafGpuDistances;

/* ----------------------------------------------- vf_vmaf_gpu_distances.c */

/** Count a distance, which is not negative. */
void ff_vmafgpu_add_distance(VmafGpuDistances *all, int64_t value);

/** Take back a distance that was counted. */
void ff_vmafgpu_remove_distance(VmafGpuDistances *all, int64_t value);

/** The distance that `rank` smaller or equal ones come before; 0: there are not so many. */
int64_t ff_vmafgpu_distance_at(const VmafGpuDistances *all, int64_t rank);

#endif /* AVFILTER_VF_VMAF_GPU_DISTANCES_H */
