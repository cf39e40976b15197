/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Small things that POSIX and Windows do differently: platform_posix.c and
 * platform_windows.c. Starting ffmpeg is in decoder_posix.c and decoder_windows.c.
 */
#ifndef VMAF_GPU_TOOLS_PLATFORM_H
#define VMAF_GPU_TOOLS_PLATFORM_H

#include <stddef.h>

/**
 * Before anything else of the program. Standard input and output carry bytes. Where standard
 * input, output or error are closed, their numbers are held: else the next file would get one, and
 * what is printed would go into it. Reading or writing them still fails.
 */
void platform_begin(void);

/** What tells whether a file is still the one that was seen before. */
typedef struct PlatformFile {
    unsigned long long volume, number; /**< together one for each file */
    long long size;                    /**< bytes */
    long long changed[2];              /**< when; in the system's own units */
} PlatformFile;

/** Call stop at the first Ctrl-C or request to end; the second one ends the program at once. */
void platform_catch_signals(void (*stop)(int number));

/** The path of this program itself. Returns 0, or -1 if it cannot be told. */
int platform_program(char *path, size_t size);

/** Returns 0, or -1 if path is not the name of a regular file. */
int platform_file(const char *path, PlatformFile *file);

/** A file's name as ffmpeg gets it in a shell. Returns 0, or -1 if it is too long. */
int platform_quote(char *text, size_t size, const char *path);

#endif
