/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See platform.h.
 */
#include "platform.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void platform_begin(void)
{
    signal(SIGXFSZ, SIG_IGN); /* writing fails with a message instead */
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; ++i)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

void platform_catch_signals(void (*stop)(int number))
{
    /* No SA_RESTART: reading a pipe ends. */
    const struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A terminal was closed; nohup has it ignored. */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

int platform_program(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size);
    if (length <= 0 || (size_t)length >= size)
        return -1;
    path[length] = '\0';
    return 0;
}

int platform_file(const char *path, PlatformFile *file)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return -1;
    file->volume = info.st_dev;
    file->number = info.st_ino;
    file->size = info.st_size;
    file->changed[0] = info.st_mtim.tv_sec;
    file->changed[1] = info.st_mtim.tv_nsec;
    return 0;
}

/* A shell changes nothing between single quotes. ffmpeg takes what is before a colon for a
 * protocol. */
int platform_quote(char *text, size_t size, const char *path)
{
    static const char quoted[] = "'\\''";
    const char *protocol = strchr(path, ':') != NULL ? "file:" : "";
    const char *mark = strpbrk(path, "\"$`\\!") == NULL ? "\"" : "'";
    size_t length = (size_t)snprintf(text, size, "%s%s", mark, protocol);
    for (; *path != '\0'; ++path) {
        const int is_quote = *path == *mark;
        if (length + sizeof(quoted) + 1 > size)
            return -1;
        memcpy(text + length, is_quote ? quoted : path, is_quote ? sizeof(quoted) - 1 : 1);
        length += is_quote ? sizeof(quoted) - 1 : 1;
    }
    snprintf(text + length, size - length, "%s", mark);
    return 0;
}
