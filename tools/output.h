/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What the tool prints while it runs, and the files that it writes.
 */
#ifndef VMAF_GPU_TOOLS_OUTPUT_H
#define VMAF_GPU_TOOLS_OUTPUT_H

#include <vmaf_gpu/vmaf_gpu.h>

/** A bar on a terminal; elsewhere a line every few seconds. */
typedef struct Progress {
    VmafGpuContext *ctx;
    int64_t total;              /**< pairs; 0: not known */
    int is_hidden, is_terminal; /**< nothing is shown; a bar is */
    double latest;              /**< seconds, of no fixed origin */
    int has_line;               /**< one was printed */
} Progress;

#if defined(__GNUC__)
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif

/** A line on stderr, mostly of what is wrong. Returns -1. */
int output_say(const char *format, ...) LIKE_PRINTF(1, 2);

/** Copy what the engine says, with options spelled as the tool's: the engine has the filter's. */
void output_spell(char *text, size_t size, const char *told);

void output_begin_progress(Progress *progress, VmafGpuContext *ctx, int64_t total, int is_quiet);
/** Print how far the run is, if it is time to. */
void output_progress(Progress *progress, int is_last);

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
