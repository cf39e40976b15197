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

/**
 * Start $VMAF_GPU_FFMPEG, or ffmpeg in $PATH, on the first video stream of path, and say so on
 * stderr unless quiet. Returns 0, or -1 with errno: ENOENT if there is no such program.
 */
int decoder_open(Decoder *decoder, const char *path, int is_quiet);

/** FFmpeg's name of the matrix of the first picture ("bt709"); "" if it cannot be told. */
void decoder_matrix(const char *path, char *matrix, size_t size);

/** For decoder_matrix(): reads what the filter showinfo prints to its end. */
void decoder_read_matrix(Decoder *decoder, char *matrix, size_t size);

/** End it. Returns its exit status, or -1; a program that was stopped early counts as 0. */
int decoder_close(Decoder *decoder, int is_at_end);

#endif
