/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h.
 */
#include "decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* what: STDOUT_FILENO or STDERR_FILENO, which goes into the pipe. Returns an errno value. */
static int start(pid_t *pid, const char *const *words, const int pipe_ends[2], int what,
                 FILE *messages)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    /* Its own group: Ctrl-C is for us, and the pictures in the pipe still count. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (what == STDERR_FILENO) /* nothing of it belongs to our output */
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (messages != NULL)
        posix_spawn_file_actions_adddup2(&files, fileno(messages), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files, pipe_ends[1], what);
    posix_spawn_file_actions_addclose(&files, pipe_ends[0]);
    posix_spawn_file_actions_addclose(&files, pipe_ends[1]);
    const int error =
        posix_spawnp(pid, decoder_program(), &files, &attributes, (char *const *)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* No file of a folder, whose disk may be full: what is lost may tell of damage. */
static FILE *open_messages(void)
{
    const int file = memfd_create("messages", MFD_CLOEXEC);
    FILE *messages = file < 0 ? NULL : fdopen(file, "w+");
    if (file >= 0 && messages == NULL)
        close(file);
    return messages;
}

int decoder_start(Decoder *decoder, const char *const *words, int reads_errors)
{
    int pipe_ends[2];
    pid_t pid = 0;
    memset(decoder, 0, sizeof(*decoder));
    decoder->messages = reads_errors ? NULL : open_messages();
    if ((!reads_errors && decoder->messages == NULL) || pipe(pipe_ends) < 0)
        return -1;
    const int error = start(&pid, words, pipe_ends, reads_errors ? STDERR_FILENO : STDOUT_FILENO,
                            decoder->messages);
    close(pipe_ends[1]);
    decoder->pid = error == 0 ? pid : 0;
    decoder->output = error == 0 ? fdopen(pipe_ends[0], "rb") : NULL;
    if (decoder->output != NULL)
        return 0;
    close(pipe_ends[0]);
    decoder_close(decoder, 0);
    decoder_forget(decoder);
    errno = error != 0 ? error : ENOMEM;
    return -1;
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
