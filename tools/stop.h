/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * SIGINT, SIGTERM and SIGHUP end the work, not the program: the log gets what was scored. Who works
 * looks here from time to time.
 */
#ifndef VMAF_GPU_TOOLS_STOP_H
#define VMAF_GPU_TOOLS_STOP_H

/** The second signal of a kind ends the program at once. */
void stop_catch_signals(void);

/** The signal that came, or 0. */
int stop_signal(void);

#endif
