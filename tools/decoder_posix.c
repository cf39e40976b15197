/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h.
 */
#include "decoder.h"

#include <errno.h>
#include <fcntl.h>
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

int decoder_start(Decoder *decoder, const char *const *words, int reads_errors, char *program)
{
    char name[kDecoderPath];
    char *arguments[32];
    int count = 0;
    memset(decoder, 0, sizeof(*decoder));
    errno = ENOENT;
    if (find_program(program, kDecoderPath) < 0)
        return -1;
    for (; words[count] != NULL; ++count)
        arguments[count] = (char *)words[count];
    arguments[count] = NULL;
    errno = ENAMETOOLONG;
    for (int i = 1; i < count; ++i)
        if (strcmp(words[i - 1], "-i") == 0) {
            if (name_file(name, sizeof(name), words[i]) < 0)
                return -1;
            arguments[i] = name;
            break; /* a file may be called -i */
        }
    return start_program(decoder, program, arguments, reads_errors ? STDERR_FILENO : STDOUT_FILENO);
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
