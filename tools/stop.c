/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See stop.h.
 */
#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static volatile sig_atomic_t latest;

static void keep(int number)
{
    latest = number;
}

void stop_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        struct sigaction action;
        memset(&action, 0, sizeof(action));
        action.sa_handler = keep;
        action.sa_flags = (int)SA_RESETHAND; /* no SA_RESTART: reading a pipe ends */
        sigaction(numbers[i], &action, NULL);
    }
}

int stop_signal(void)
{
    return latest;
}
