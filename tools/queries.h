/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What the tool prints without pictures: --list-devices, --history, and the
 * refusals of --tags_ref.
 */
#ifndef VMAF_GPU_TOOLS_QUERIES_H
#define VMAF_GPU_TOOLS_QUERIES_H

#include "vmaf_gpu/vmaf_gpu.h"

/**
 * Print the devices, the best first, then those that cannot be used, with the reason. Emulated
 * devices are for tests: they are printed only if `backend`, which may be NULL, is one of them.
 * Returns 0, or -1 after a message on stderr.
 */
int devices_list(const char *backend);

/**
 * For --history: print how many pairs before and after a chunk its scores depend on. Needs no
 * device. Settings without a size stand for any video: where a number depends on it, it is the
 * larger one. Returns 0, or -1 after a message on stderr.
 */
int history_print(VmafGpuSettings settings);

/** Refuse colours that features do not take, such as alpha. Returns as above. */
int colours_check(VmafGpuSettings settings, const VmafGpuInputs *inputs);

#endif
