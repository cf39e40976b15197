/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See output.h.
 */
#include "output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform.h"
#include "vmaf_gpu/run.h"

/* Seconds from one line of progress to the next. */
static const double kBarInterval = 0.2, kLineInterval = 5;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int output_say(const char *format, ...)
{
    char line[512]; /* written in one piece, since ffmpeg writes there, too */
    va_list list;
    snprintf(line, sizeof(line), "vmaf_gpu: %s\n", format);
    va_start(list, format);
    vfprintf(stderr, line, list);
    va_end(list);
    return -1;
}

/* The option that a text begins with, in the filter's spelling, without its '='; or NULL. */
static const char *option_at(const char *text)
{
    static const char *const names[] = {"formats", "offset", "pair"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if (strncmp(text, names[i], strlen(names[i])) == 0 && text[strlen(names[i])] == '=')
            return names[i];
    return NULL;
}

void output_spell(char *text, size_t size, const char *told)
{
    size_t at = 0;
    *text = '\0';
    for (const char *next = told; *next != '\0' && at + 1 < size; at = strlen(text)) {
        /* Names of files and addresses may have such words, too, behind other characters. */
        const int begins = next == told || strchr(" (:", next[-1]) != NULL;
        const char *option = begins ? option_at(next) : NULL;
        if (option != NULL) { /* options of the filter stand with ':' between them */
            const int is_next = next > told && next[-1] == ':';
            snprintf(text + at - is_next, size - at + is_next, "%s--%s ", is_next ? " " : "",
                     option);
            next += strlen(option) + 1;
        } else {
            snprintf(text + at, size - at, "%c", *next++);
        }
    }
}

void output_begin_progress(Progress *progress, VmafGpuContext *ctx, int64_t total, int is_quiet)
{
    progress->ctx = ctx;
    progress->total = total;
    progress->is_hidden = is_quiet;
    progress->is_terminal = isatty(STDERR_FILENO);
    progress->latest = now();
}

static void print_bar(const VmafGpuProgress *run)
{
    enum { kWidth = 20 };
    char bar[kWidth + 1];
    const int done = run->total > 0 ? (int)(run->done * kWidth / run->total) : 0;
    for (int i = 0; i < kWidth; ++i)
        bar[i] = i < done ? '#' : '-';
    bar[kWidth] = '\0';
    if (run->total > 0)
        fprintf(stderr, "\r[%s] %s\033[K", bar, run->text);
    else
        fprintf(stderr, "\r%s\033[K", run->text);
}

void output_progress(Progress *progress, int is_last)
{
    const double time = now();
    VmafGpuProgress run = {.total = progress->total};
    if (progress->is_hidden)
        return;
    if (is_last ? !progress->is_terminal && !progress->has_line
                : time - progress->latest < (progress->is_terminal ? kBarInterval : kLineInterval))
        return;
    progress->latest = time;
    progress->has_line = 1;
    if (vmafgpu_run_progress(progress->ctx, &run) < 0)
        return;
    if (progress->is_terminal)
        print_bar(&run);
    else
        output_say("%s", run.text);
    if (progress->is_terminal && is_last)
        fprintf(stderr, "\n");
}

/* An input need not be open here: a log is read at once, and ffmpeg reads for us. */
static int is_input(const char *path, const char *input)
{
    PlatformFile a, b;
    return input != NULL && strcmp(path, "-") != 0 && platform_file(path, &a) == 0 &&
           platform_file(input, &b) == 0 && a.volume == b.volume && a.number == b.number;
}

int output_open(VmafGpuOutput **output, const VmafGpuLog *log, const char *kind,
                const char *const *inputs, int count)
{
    const int flags = log->overwrite ? VMAFGPU_OUTPUT_OVERWRITE : 0;
    VmafGpuError error;
    for (int i = 0; i < count && !log->overwrite; ++i)
        if (is_input(log->path, inputs[i]))
            return output_say("'%s' is an input, it would be overwritten", log->path);
    if (vmafgpu_output_open(output, log->path, kind, flags, &error) < 0)
        return output_say("%s", error.text);
    if (strcmp(vmafgpu_output_path(*output), log->path) != 0)
        output_say("warning: another output has '%s': writing '%s'", log->path,
                   vmafgpu_output_path(*output));
    return 0;
}

int output_finish(VmafGpuOutput *output)
{
    VmafGpuError error;
    char *const before = strdup(vmafgpu_output_path(output));
    int status = 0;
    if (vmafgpu_output_finish(output, 1, &error) < 0)
        status = output_say("%s", error.text);
    else if (before != NULL && strcmp(before, vmafgpu_output_path(output)) != 0)
        output_say("warning: '%s' has become another file meanwhile; wrote '%s'", before,
                   vmafgpu_output_path(output));
    free(before);
    return status;
}

void output_score(const char *label, double value, int precision)
{
    char text[400] = "";
    vmafgpu_format_score(text, sizeof(text), value, precision);
    fprintf(stderr, "%s: %s\n", label, text);
}

void output_interval(const char *label, const double ends[2], int precision)
{
    char low[400] = "", high[400] = "";
    vmafgpu_format_score(low, sizeof(low), ends[0], precision);
    vmafgpu_format_score(high, sizeof(high), ends[1], precision);
    fprintf(stderr, "%s, 95 %% interval of the mean: %s to %s\n", label, low, high);
}
