/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What follows from models and features alone: how many pairs around a chunk its scores depend on,
 * and which colours are refused. Needs no device and no pictures.
 */
#ifndef VMAF_GPU_TOOLS_HISTORY_H
#define VMAF_GPU_TOOLS_HISTORY_H

#include "vmaf_gpu/vmaf_gpu.h"

/** Returns 0, or -1 after a message on stderr. */
int history_find(VmafGpuSettings settings, int64_t *before, int64_t *after);

/**
 * For --history: print both numbers. Settings without a size stand for any video: where a number
 * depends on it, it is the larger one. Returns as above.
 */
int history_print(VmafGpuSettings settings);

/** Refuse what features do not take, such as alpha. Returns as above. */
int history_check(VmafGpuSettings settings, const VmafGpuInputs *inputs);

#endif
