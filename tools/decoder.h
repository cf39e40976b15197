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
    int stream;     /**< the file's stream that decoder_open() reads */
    FILE *messages; /**< what the program says; NULL: it says it on our stderr */
} Decoder;

/** What a decoder has said so far of a video that it read nevertheless. */
typedef struct DecoderSaid {
    long long damaged; /**< frames that it marked so */
    int has_changed;   /**< the pictures have become others, in the middle */
    char error[256];   /**< the first one, or "" */
    char picture[160]; /**< what the first ones are */
} DecoderSaid;

/** The longest name that a file can have, behind "file:". */
enum { kDecoderName = 4096 + 8 };

/** The file as ffmpeg has to be told of it. */
void decoder_name(char name[kDecoderName], const char *path);

/**
 * Start decoder_program() on a stream of path, and say so on stderr unless quiet. filter: converts
 * the pictures, "" for none. Returns 0, or -1 with errno: ENOENT if there is no such program.
 */
int decoder_open(Decoder *decoder, const char *path, int stream, const char *filter, int is_quiet);

/** The word behind key, if the line has it and there is room. */
void decoder_word(const char *line, const char *key, char *word, size_t size);

/** Nothing, if there are no messages. Works also while the program runs. */
void decoder_said(const Decoder *decoder, DecoderSaid *said);

/**
 * Where the pictures of a stream become others, by another run of ffmpeg, and what to do: "changes
 * from 640x360 to 320x180 at 3.96 s; ...", or "" if they do not.
 */
void decoder_find_change(const char *path, int stream, char *text, size_t size);

/**
 * $VMAF_GPU_FFMPEG. Else the ffmpeg that belongs to this program: beside it, as in a release, or in
 * the folder ffmpeg of its build. Else "ffmpeg", which is looked for in $PATH.
 */
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
