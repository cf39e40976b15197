/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What the tool prints while it runs, the warnings that it keeps for the log, and
 * whether the log can be written at all.
 */
#ifndef VMAF_GPU_TOOLS_OUTPUT_H
#define VMAF_GPU_TOOLS_OUTPUT_H

enum { kMaxWarnings = 32 };

typedef struct Warnings {
    char *texts[kMaxWarnings];
    int count;
} Warnings;

typedef struct Progress {
    int is_shown;
    long long total;      /**< pairs; -1: not known */
    double start, latest; /**< seconds, of no fixed origin */
} Progress;

double output_now(void);

/** Print a warning unless quiet, and keep it. */
void output_warn(Warnings *warnings, int is_quiet, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

void output_free_warnings(Warnings *warnings);

/** Print pairs done, rate and time left, a few times a second on a terminal. */
void output_progress(Progress *progress, long long done, int is_last);

/** Whether a log can be written there, as far as can be told at the start; else says why. */
int output_check(const char *path);

#endif
