/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Reading compressed video: runs the ffmpeg program that is found and reads
 * Y4M from it through a pipe. video.c reads the pictures.
 */
#ifndef VMAF_GPU_TOOLS_DECODER_H
#define VMAF_GPU_TOOLS_DECODER_H

#include <stdio.h>

#include "vmaf_gpu/vmaf_gpu.h"

typedef struct Decoder {
    intptr_t pid; /**< 0: none runs */
    FILE *output;
    FILE *messages; /**< what the program says; NULL: it says it on our stderr */
} Decoder;

/** What a decoder has said so far of a video that it read nevertheless. */
typedef struct DecoderSaid {
    long long damaged; /**< frames that it marked so */
    int has_changed;   /**< the pictures have become others, in the middle */
    char error[256];   /**< the first one, or "" */
    char picture[160]; /**< what the first ones are */
} DecoderSaid;

/**
 * Start decoder_program() on the first video stream of path, and say so on stderr unless quiet.
 * filter: converts the pictures, "" for none. Returns 0, or -1 with errno: ENOENT if there is no
 * such program.
 */
int decoder_open(Decoder *decoder, const char *path, const char *filter, int is_quiet);

/** Start a probe: an ffmpeg that only tells what the first picture is. As decoder_open(). */
int decoder_probe(Decoder *decoder, const char *path);

/**
 * What the probe tells of the first picture, and ends it. input->format is "" if nothing. Returns
 * 1 if the program is FFmpeg 7.0 or later.
 */
int decoder_probed(Decoder *decoder, VmafGpuInput *input);

/** Nothing, if there are no messages. Works also while the program runs. */
void decoder_said(const Decoder *decoder, DecoderSaid *said);

/**
 * Where the pictures become others, by another run of ffmpeg, and what to do: "changes from 640x360
 * to 320x180 at 3.96 s; ...", or "" if they do not.
 */
void decoder_find_change(const char *path, char *text, size_t size);

/** $VMAF_GPU_FFMPEG, or "ffmpeg", which is looked for in $PATH. */
const char *decoder_program(void);

/**
 * In decoder_posix.c and decoder_windows.c: run this program with a command line, to read what it
 * writes, or with `reads_errors` its messages. Returns 0, or -1 with errno.
 */
int decoder_start(Decoder *decoder, const char *const *words, int reads_errors);

/** End it; messages stay until decoder_forget(). Returns its exit status, or -1; a program that was
 * stopped early counts as 0. */
int decoder_close(Decoder *decoder, int is_at_end);

void decoder_forget(Decoder *decoder);

#endif
