/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What --list-devices prints.
 */
#ifndef VMAF_GPU_TOOLS_DEVICES_H
#define VMAF_GPU_TOOLS_DEVICES_H

/**
 * Print the devices, the best first, then those that cannot be used, with the reason. Emulated
 * devices are for tests: they are printed only if `backend`, which may be NULL, is one of them.
 * Returns 0, or -1 after a message on stderr.
 */
int devices_list(const char *backend);

#endif
