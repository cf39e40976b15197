/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h.
 */
#include "decoder.h"

#include <errno.h>
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
static void run_program(const char *program, const char *path, const int pipe_ends[2])
{
    setpgid(0, 0);
    if (dup2(pipe_ends[1], STDOUT_FILENO) < 0)
        _exit(127);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    execl(program, "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode",
          "passthrough", "-strict", "-1", "-f", "yuv4mpegpipe", "-", (char *)NULL);
    _exit(127);
}

int decoder_open(Decoder *decoder, const char *path, int is_quiet)
{
    char program[PATH_MAX];
    int pipe_ends[2];
    memset(decoder, 0, sizeof(*decoder));
    if (find_program(program, sizeof(program)) < 0) {
        errno = ENOENT;
        return -1;
    }
    if (pipe(pipe_ends) < 0)
        return -1;
    const pid_t pid = fork();
    if (pid == 0)
        run_program(program, path, pipe_ends);
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
    if (!is_quiet)
        fprintf(stderr, "vmaf_gpu: %s is read through %s\n", path, program);
    return 0;
}

int decoder_close(Decoder *decoder, int is_at_end)
{
    int status = 0;
    if (decoder->output != NULL)
        fclose(decoder->output);
    decoder->output = NULL;
    if (decoder->pid <= 0)
        return 0;
    if (!is_at_end)
        kill((pid_t)decoder->pid, SIGTERM);
    while (waitpid((pid_t)decoder->pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    decoder->pid = 0;
    if (!is_at_end)
        return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
