/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What ffmpeg will do with a file: which of its streams it takes, and what its first picture is
 * behind all that ffmpeg does to it before a filter, such as turning and cropping.
 * python/vmaf_gpu/_probe.py asks the same.
 */
#ifndef VMAF_GPU_TOOLS_PROBE_H
#define VMAF_GPU_TOOLS_PROBE_H

#include "decoder.h"
#include "vmaf_gpu/vmaf_gpu.h"

enum { kMostCropped = 16 };

typedef struct Probe {
    Decoder decoder;
    int stream;    /**< the stream that the user named, or -1 */
    int is_new;    /**< FFmpeg 7.0 or later */
    int is_open;   /**< ffmpeg knows the format */
    int has_frame; /**< the first picture was told */
    int latest;    /**< stream of which ffmpeg tells */
    int chosen;    /**< stream that it takes; -1: none */
    int has_group, has_tiles, is_part;
    char parts[64]; /**< streams that are only parts of pictures, as VmafGpuInput.streams */
    char covers[64];
    char own[64];              /**< streams with colours that only Dolby Vision knows */
    char turned[64];           /**< whose size is another one before ffmpeg turns them */
    int crop[kMostCropped][2]; /**< columns and rows that the container cuts off, by stream */
    char reason[200];
    VmafGpuInput input;
} Probe;

/** Start an ffmpeg that tells of path. stream: number of a stream, or -1: ffmpeg chooses one.
 * Returns 0, or -1 with errno. */
int probe_start(Probe *probe, const char *path, int stream);

/**
 * Wait until the first picture comes out, and end it. Returns 0, or -1 with why there is none in
 * probe->reason.
 */
int probe_finish(Probe *probe);

/** 1: ffmpeg turns or mirrors the pictures of the stream, by filters of its own. */
int probe_is_turned(const char *path, int stream);

#endif
