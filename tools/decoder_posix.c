/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h.
 */
#include "decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Writes the program's path to out. */
static int find_program(char *out, size_t size)
{
    const char *named = getenv("VMAF_GPU_FFMPEG");
    const char *list = getenv("PATH");
    if (named != NULL && *named != '\0') {
        const int written = snprintf(out, size, "%s", named);
        return written > 0 && (size_t)written < size && is_program(named) ? 0 : -1;
    }
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ":");
        const int written = snprintf(out, size, "%.*s/ffmpeg", (int)length, list);
        if (length > 0 && written > 0 && (size_t)written < size && is_program(out))
            return 0;
        list += length + (list[length] == ':');
    }
    return -1;
}

/* In the child. Its own group: Ctrl-C is for us, and the pictures in the pipe still count. */
static void run_program(const char *program, char *const *arguments, const int pipe_ends[2],
                        int what)
{
    setpgid(0, 0);
    if (what == STDERR_FILENO) { /* nothing of it belongs to our output */
        const int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
            _exit(127);
    }
    if (dup2(pipe_ends[1], what) < 0)
        _exit(127);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    execv(program, arguments);
    _exit(127);
}

/* what: STDOUT_FILENO or STDERR_FILENO, of which output is read. */
static int start_program(Decoder *decoder, const char *program, char *const *arguments, int what)
{
    int pipe_ends[2];
    if (pipe(pipe_ends) < 0)
        return -1;
    const pid_t pid = fork();
    if (pid == 0)
        run_program(program, arguments, pipe_ends, what);
    close(pipe_ends[1]);
    decoder->output = pid < 0 ? NULL : fdopen(pipe_ends[0], "rb");
    if (decoder->output == NULL) {
        const int error = errno;
        close(pipe_ends[0]);
        if (pid > 0)
            waitpid(pid, NULL, 0);
        errno = error;
        return -1;
    }
    decoder->pid = pid;
    return 0;
}

/* ffmpeg takes what is before a colon for a protocol, unless there is a slash before it. */
static int name_file(char *out, size_t size, const char *path)
{
    const int has_colon = path[strcspn(path, ":/")] == ':';
    const int written = snprintf(out, size, "%s%s", has_colon ? "./" : "", path);
    return written > 0 && (size_t)written < size ? 0 : -1;
}

/* -1 with errno: no program, or too long a name. */
static int find_both(char *program, char *name, const char *path)
{
    errno = ENOENT;
    if (find_program(program, PATH_MAX) < 0)
        return -1;
    errno = ENAMETOOLONG;
    return name_file(name, PATH_MAX, path);
}

int decoder_open(Decoder *decoder, const char *path, const char *filter, int is_quiet)
{
    char program[PATH_MAX], name[PATH_MAX], graph[256];
    memset(decoder, 0, sizeof(*decoder));
    if (find_both(program, name, path) < 0)
        return -1;
    /* A graph of this kind, since libavfilter converts in it as it does before our filter. */
    snprintf(graph, sizeof(graph), "[0:v:0]%s[o]", *filter != '\0' ? filter : "null");
    char *const arguments[] = {
        "ffmpeg",          "-nostdin", "-v",   "error",        "-i",        name,
        "-filter_complex", graph,      "-map", "[o]",          "-fps_mode", "passthrough",
        "-strict",         "-1",       "-f",   "yuv4mpegpipe", "-",         NULL};
    if (start_program(decoder, program, arguments, STDOUT_FILENO) < 0)
        return -1;
    if (!is_quiet)
        fprintf(stderr, "vmaf_gpu: %s is read through %s\n", path, program);
    return 0;
}

int decoder_probe(Decoder *decoder, const char *path)
{
    char program[PATH_MAX], name[PATH_MAX];
    memset(decoder, 0, sizeof(*decoder));
    char *const arguments[] = {"ffmpeg",     "-nostdin", "-v",  "info",     "-export_side_data",
                               "film_grain", "-i",       name,  "-map",     "0:v:0",
                               "-frames:v",  "1",        "-vf", "showinfo", "-f",
                               "null",       "-",        NULL};
    if (find_both(program, name, path) < 0)
        return -1;
    return start_program(decoder, program, arguments, STDERR_FILENO);
}

int decoder_close(Decoder *decoder, int is_at_end)
{
    int status = 0;
    /* Before its pipe is closed, of which it would complain; with the programs that it started. */
    if (!is_at_end && decoder->pid > 0 && kill(-(pid_t)decoder->pid, SIGKILL) < 0)
        kill((pid_t)decoder->pid, SIGKILL);
    if (decoder->output != NULL)
        fclose(decoder->output);
    decoder->output = NULL;
    if (decoder->pid <= 0)
        return 0;
    while (waitpid((pid_t)decoder->pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    decoder->pid = 0;
    if (!is_at_end)
        return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
