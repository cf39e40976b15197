/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Sets of models and features with a name: the common test conditions of AOM and of Netflix, as
 * libvmaf's `vmaf` tool has them.
 */
#ifndef VMAF_GPU_TOOLS_PRESETS_H
#define VMAF_GPU_TOOLS_PRESETS_H

#include "options.h"

/** Adds what --aom_ctc VERSION or --nflx_ctc VERSION asks for. Failures are told on stderr. */
int presets_add_aom(Options *options, const char *version);
int presets_add_nflx(Options *options, const char *version);

#endif
