/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: a chunk of a run, option chunk=. Pairs and frames are counted from 0 in the
 * whole run here. A frame belongs to the chunk of the pair with its number; those behind
 * the last pair belong to the last chunk. So each frame is counted in one chunk only.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#ifndef AVFILTER_VF_VMAF_GPU_CHUNK_H
#define AVFILTER_VF_VMAF_GPU_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include <vmaf_gpu/vmaf_gpu.h>

#include "libavfilter/avfilter.h"

struct VmafGpuFilter;

typedef struct VmafGpuChunkState {
    int is_given;       /* chunk= */
    VmafGpuChunk range; /* end 0: open; total 0: unknown */
    int64_t end;        /* of range; INT64_MAX if it is open */
    int64_t needed;     /* pairs of the run that the chunk looks at; INT64_MAX: all to the end */
} VmafGpuChunkState;

/* --------------------------------------------------- vf_vmaf_gpu_chunk.c */

/** Read chunk= and check it against the other options, which must have been read. */
int ff_vmafgpu_parse_chunk(AVFilterContext *ctx);

/** Whether the log is a part. */
int ff_vmafgpu_is_part(const struct VmafGpuFilter *s);

/** For the engine's settings; NULL: the run is no chunk. */
const VmafGpuChunk *ff_vmafgpu_chunk_settings(const struct VmafGpuFilter *s);

/** The engine is open: find out which pairs are needed. */
int ff_vmafgpu_begin_chunk(AVFilterContext *ctx);

/** Whether the scores of a pair count. */
int ff_vmafgpu_is_in_chunk(const struct VmafGpuFilter *s, int64_t index);

/** Fail if a pair, or a main frame left out by enable=, cannot be of the run. */
int ff_vmafgpu_check_match(AVFilterContext *ctx, const VmafGpuMatch *match);

/** Why the chunk has not got all its pairs, written to text; NULL: it has. */
const char *ff_vmafgpu_chunk_lacks(const struct VmafGpuFilter *s, char *text, size_t size);

#endif /* AVFILTER_VF_VMAF_GPU_CHUNK_H */
