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
    VmafGpuInputs tags;
    const char *models[kMaxModels];                         /**< names of built-in models */
    const char *const *paths;                               /**< models' files */
    void (*log)(void *opaque, int level, const char *text); /**< the caller's log */
    void *log_opaque;
} Inputs;

/** Returns 0, or -1 after a message on stderr. */
int inputs_open(Inputs *inputs, VideoReader readers[2], const Options *options,
                const Models *models);

/**
 * --tags_ref, --tags_dist: prints the filter for each input, and the advice on them as data: a line
 * each, of level, whether scaling is enough, model, filters and options of main and reference,
 * text.
 */
int inputs_advise(Inputs *inputs, const Options *options, const Models *models);

#endif
