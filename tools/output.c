/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See output.h.
 */
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double kInterval = 0.2; /* seconds from one line of progress to the next */

double output_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void output_warn(Warnings *warnings, int is_quiet, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    if (!is_quiet)
        fprintf(stderr, "vmaf_gpu: warning: %s\n", text);
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

/* errno if a new file cannot be made beside path, else 0. */
static int check_folder(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    const int length = slash == path ? 1 : slash == NULL ? 0 : (int)(slash - path);
    const int written =
        snprintf(folder, sizeof(folder), "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
    if (written < 0 || (size_t)written >= sizeof(folder))
        return ENAMETOOLONG;
    return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

static int check_file(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return errno == ENOENT ? check_folder(path) : errno;
    if (S_ISDIR(info.st_mode))
        return EISDIR;
    return access(path, W_OK) == 0 ? 0 : errno;
}

int output_check(const char *path)
{
    const int error = path == NULL || strcmp(path, "-") == 0 ? 0 : check_file(path);
    if (error == 0)
        return 0;
    fprintf(stderr, "vmaf_gpu: cannot write log '%s': %s\n", path, strerror(error));
    return -1;
}
