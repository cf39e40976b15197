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

#include "platform.h"

static const double kInterval = 0.2; /* seconds from one line of progress to the next */

double output_now(void)
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

void output_warn(Warnings *warnings, int is_quiet, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    if (!is_quiet)
        output_say("warning: %s", text);
    if (warnings->count < kMaxWarnings) {
        char *copy = strdup(text);
        if (copy != NULL)
            warnings->texts[warnings->count++] = copy;
    }
}

void output_free_warnings(Warnings *warnings)
{
    while (warnings->count > 0)
        free(warnings->texts[--warnings->count]);
}

static void print_time_left(double seconds)
{
    const long long left = (long long)(seconds + 0.5);
    fprintf(stderr, ", %lld:%02lld:%02lld left", left / 3600, left / 60 % 60, left % 60);
}

void output_progress(Progress *progress, long long done, int is_last)
{
    const double time = output_now();
    if (!progress->is_shown || (!is_last && time - progress->latest < kInterval))
        return;
    progress->latest = time;
    const double seconds = time - progress->start;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    fprintf(stderr, "\r%lld", done);
    if (progress->total > 0)
        fprintf(stderr, " of %lld", progress->total);
    fprintf(stderr, " frames, %.2f FPS", rate);
    if (!is_last && progress->total > done && rate > 0)
        print_time_left((double)(progress->total - done) / rate);
    fprintf(stderr, "\033[K%s", is_last ? "\n" : "");
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
