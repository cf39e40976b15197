/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Opens the two videos. What is converted, refused or warned of is decided by the engine
 * (vmaf_gpu/inputs.h), so that the scores are those of the FFmpeg filter; FFmpeg converts.
 */
#ifndef VMAF_GPU_TOOLS_INPUTS_H
#define VMAF_GPU_TOOLS_INPUTS_H

#include "models.h"
#include "options.h"
#include "video.h"

typedef struct Inputs {
    VmafGpuInputs tags;             /**< with log and log_opaque of the caller */
    const char *models[kMaxModels]; /**< those that are built in */
} Inputs;

/** Returns 0, or -1 after a message on stderr. */
int inputs_open(Inputs *inputs, VideoReader readers[2], const Options *options,
                const Models *models);

/** --tags_ref: prints the filter for each input of which the options have the tags. */
int inputs_advise(Inputs *inputs, const Options *options, const Models *models);

#endif
