/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Reading compressed video: runs the ffmpeg program that is found and reads
 * Y4M from it through a pipe. video.c reads the pictures.
 */
#ifndef VMAF_GPU_TOOLS_DECODER_H
#define VMAF_GPU_TOOLS_DECODER_H

#include <stdint.h>
#include <stdio.h>

typedef struct Decoder {
    intptr_t pid; /**< 0: none runs */
    FILE *output;
} Decoder;

/** The longest name that a file can have, behind "file:". */
enum { kDecoderName = 4096 + 8 };

/** The file as ffmpeg has to be told of it. */
void decoder_name(char name[kDecoderName], const char *path);

/**
 * Start decoder_program() on a stream of path, and say so on stderr unless quiet. filter: converts
 * the pictures, "" for none. Returns 0, or -1 with errno: ENOENT if there is no such program.
 */
int decoder_open(Decoder *decoder, const char *path, int stream, const char *filter, int is_quiet);

/** $VMAF_GPU_FFMPEG, or "ffmpeg", which is looked for in $PATH. */
const char *decoder_program(void);

/**
 * In decoder_posix.c and decoder_windows.c: run this program with a command line, to read what it
 * writes, or with `reads_errors` its messages. Returns 0, or -1 with errno.
 */
int decoder_start(Decoder *decoder, const char *const *words, int reads_errors);

/** End it. Returns its exit status, or -1; a program that was stopped early counts as 0. */
int decoder_close(Decoder *decoder, int is_at_end);

#endif
