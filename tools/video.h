/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Reading uncompressed video for the command-line tool: Y4M, or raw planar
 * YUV whose layout is told on the command line. Whole pictures at a time, in
 * the layout that vmafgpu_submit() takes. Knows nothing of scores.
 */
#ifndef VMAF_GPU_TOOLS_VIDEO_H
#define VMAF_GPU_TOOLS_VIDEO_H

#include <stddef.h>
#include <stdio.h>

#include "vmaf_gpu/vmaf_gpu.h"

/** Layout of a picture in a file; width 0 = "the file's header says". */
typedef struct VideoFormat {
    int width, height; /**< luma samples */
    int chroma;        /**< VmafGpuChroma */
    int depth;         /**< 8..16; above 8 a sample is two bytes, low one first */
} VideoFormat;

typedef struct VideoReader {
    FILE *file;
    const char *path; /**< for messages; the caller's */
    int is_y4m;
    int skipped_planes; /**< 1: an alpha plane follows the picture */
    VideoFormat format;
    long long frames; /**< read so far */
    char error[512];  /**< one line, after a function returned a failure */
} VideoReader;

/**
 * Open path ("-" is standard input; path must outlive the reader). Y4M if it
 * begins with that format's signature, else raw as `raw` says (its width 0: an
 * error). Returns 0, or -1 with reader->error set.
 */
int video_open(VideoReader *reader, const char *path, const VideoFormat *raw);

/** Bytes that video_read() fills. */
size_t video_frame_bytes(const VideoFormat *format);

/**
 * Read the next picture into data: luma, Cb, Cr, rows without padding, native
 * byte order. Returns 1, 0 at the end of the file, or -1 with error set (also
 * if the file ends within a picture).
 */
int video_read(VideoReader *reader, unsigned char *data);

/** Describe data, as video_read() filled it, to the engine. */
void video_picture(const VideoFormat *format, const unsigned char *data, VmafGpuPicture *picture);

/** NULL-safe for a reader that never opened. */
void video_close(VideoReader *reader);

#endif
