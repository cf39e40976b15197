/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What the tool prints while it runs, the warnings that it keeps for the log, and
 * the files that it writes.
 */
#ifndef VMAF_GPU_TOOLS_OUTPUT_H
#define VMAF_GPU_TOOLS_OUTPUT_H

#include <vmaf_gpu/vmaf_gpu.h>

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

#if defined(__GNUC__)
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif

/** A line on stderr, mostly of what is wrong. Returns -1. */
int output_say(const char *format, ...) LIKE_PRINTF(1, 2);

/** Print a warning unless quiet, and keep it. */
void output_warn(Warnings *warnings, int is_quiet, const char *format, ...) LIKE_PRINTF(3, 4);

void output_free_warnings(Warnings *warnings);

/** Print pairs done, rate and time left, a few times a second on a terminal. */
void output_progress(Progress *progress, long long done, int is_last);

/**
 * Open log->path, by the rules that the filter has, too; else say why. inputs, which may be NULL,
 * are not replaced unless log->overwrite says so.
 */
int output_open(VmafGpuOutput **output, const VmafGpuLog *log, const char *kind,
                const char *const *inputs, int count);

/** Print a score of the run, or the interval of its mean. */
void output_score(const char *label, double value, int precision);
void output_interval(const char *label, const double ends[2], int precision);

/** Bring it to its name; else say why. The caller closes it in any case. */
int output_finish(VmafGpuOutput *output);

#endif
