/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See platform.h.
 */
#include "platform.h"

#include <fcntl.h>
#include <signal.h>
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
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        struct sigaction action;
        memset(&action, 0, sizeof(action));
        action.sa_handler = stop;
        action.sa_flags = (int)SA_RESETHAND; /* no SA_RESTART: reading a pipe ends */
        sigaction(numbers[i], &action, NULL);
    }
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
