/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Reading video for the command-line tool: Y4M, raw planar YUV whose layout is
 * told on the command line, or whatever decoder.h turns into Y4M. Whole pictures at a time, in
 * the layout that vmafgpu_submit() takes. Knows nothing of scores.
 */
#ifndef VMAF_GPU_TOOLS_VIDEO_H
#define VMAF_GPU_TOOLS_VIDEO_H

#include <stddef.h>
#include <stdio.h>

#include "decoder.h"
#include "vmaf_gpu/vmaf_gpu.h"

/** Layout of a picture in a file; width 0 = "the file's header says". */
typedef struct VideoFormat {
    int width, height;      /**< luma samples */
    int chroma;             /**< VmafGpuChroma */
    int depth;              /**< 8..16; above 8 a sample is two bytes, low one first */
    int rate_num, rate_den; /**< pictures a second; 0: not told */
    const char *range;      /**< "tv", "pc" or "", as a Y4M header says */
    int sar_num, sar_den;   /**< shape of a pixel; 0: not told */
    int is_interlaced, is_bottom_first;
} VideoFormat;

/** Memory of one picture, which is used again. On loan to the engine until frame_release(). */
typedef struct Frame {
    unsigned char *data;
    struct VideoReader *reader;
    struct Frame *next;
} Frame;

typedef struct VideoReader {
    FILE *file;
    Decoder decoder; /**< the program that file comes from, if it is neither Y4M nor raw */
    int is_at_end;
    long long first_byte; /**< place of the first picture; -1: not known */
    const char *path;     /**< name for messages; the caller's */
    int is_y4m;
    int skipped_planes; /**< 1: an alpha plane follows the picture */
    VideoFormat format;
    int is_checked;   /**< the first picture's samples were */
    long long frames; /**< read so far */
    Frame *unused;
    char error[1024]; /**< one line, after a function returned a failure */
} VideoReader;

/**
 * Open path ("-" is standard input; path must outlive the reader). Raw as `raw` says, or if its
 * width is 0 Y4M. Returns 0; 1 if it is neither, so that video_decode() has to read it; or -1 with
 * reader->error set.
 */
int video_open(VideoReader *reader, const char *path, const VideoFormat *raw);

/** What to do with a file that is neither Y4M nor read by ffmpeg. */
extern const char kVideoRawHint[];

/**
 * After video_open() was not -1: read the file through ffmpeg, which converts by filter, or "".
 * input: what is known of it. is_of_one_size: all pictures must have its size.
 */
int video_decode(VideoReader *reader, const char *filter, const VmafGpuInput *input,
                 int is_of_one_size, int is_quiet);

/** What a Y4M header says. */
void video_tags(const VideoReader *reader, VmafGpuInput *input);

/** Pictures in the whole file, as its size tells; -1: not known. */
long long video_count(const VideoReader *reader);

/** Samples of a plane. */
void video_plane_size(const VideoFormat *format, int plane, size_t *width, size_t *height);

/** A frame for a picture of the video; NULL: no memory. */
Frame *frame_get(VideoReader *reader);

/** The engine calls this with a Frame, on our thread, when it has read the picture. */
void frame_release(void *opaque);

/**
 * Go on to picture `number`, counted from 0, so that video_read() reads it next. Reads what is
 * before it, except where the size of the file tells where it begins, and fails after a signal.
 * Returns as video_read().
 */
int video_skip_to(VideoReader *reader, long long number);

/** Whole pictures a second, rounded down; 0: not told. */
int video_frame_rate(const VideoFormat *format);

/** Bytes that video_read() fills. */
size_t video_frame_bytes(const VideoFormat *format);

/**
 * Read the next picture into data: luma, Cb, Cr, rows without padding. Returns 1, 0 at the end of
 * the file, or -1 with error set (also if the file ends within a picture).
 */
int video_read(VideoReader *reader, unsigned char *data);

/**
 * What makes the pictures that were read doubtful, in a sentence; "": nothing. input: VMAFGPU_MAIN
 * or VMAFGPU_REFERENCE. Before video_close().
 */
void video_doubt(const VideoReader *reader, int input, char *text, size_t size);

/** Describe data, as video_read() filled it, to the engine. */
void video_picture(const VideoFormat *format, const unsigned char *data, VmafGpuPicture *picture);

/** Frees the frames that have been released, too. NULL-safe for a reader that never opened. */
void video_close(VideoReader *reader);

#endif
