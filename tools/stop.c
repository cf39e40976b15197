/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See stop.h.
 */
#include "stop.h"

#include <signal.h>

#include "platform.h"

static volatile sig_atomic_t latest;

static void keep(int number)
{
    latest = number;
}

void stop_catch_signals(void)
{
    platform_catch_signals(keep);
}

int stop_signal(void)
{
    return latest;
}
