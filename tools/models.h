/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The models of the tool's command line, loaded with their options.
 */
#ifndef VMAF_GPU_TOOLS_MODELS_H
#define VMAF_GPU_TOOLS_MODELS_H

#include "options.h"
#include "vmaf_gpu/vmaf_gpu.h"

typedef struct Models {
    VmafGpuModel *models[kMaxModels];
    char *labels[kMaxModels]; /**< what the user called the model */
    int count;
} Models;

/** Returns 0, or -1 after a message on stderr; models_free() in both cases. */
int models_load(Models *models, const Options *options);
void models_free(Models *models);

#endif
