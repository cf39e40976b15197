/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See history.h.
 */
#include "history.h"

#include <inttypes.h>
#include <stdio.h>

/* NULL: after a message on stderr. Without a size it stands for any video. */
static VmafGpuContext *open_probe(VmafGpuSettings settings)
{
    VmafGpuContext *probe = NULL;
    VmafGpuError error;
    if (settings.width == 0) {
        settings.width = 640;
        settings.height = 360;
        settings.depth = 10;
        settings.chroma = VMAFGPU_CHROMA_420;
        settings.frame_rate = 60; /* XPSNR looks further back at high rates */
    }
    settings.device = "cpu"; /* whatever it is, the features are the same */
    settings.threads = 1;
    settings.self_test = 0;
    settings.log = NULL;
    if (vmafgpu_open(&probe, &settings, &error) < 0)
        fprintf(stderr, "vmaf_gpu: %s\n", error.text);
    return probe;
}

int history_find(VmafGpuSettings settings, int64_t *before, int64_t *after)
{
    VmafGpuContext *probe = open_probe(settings);
    const int status = probe == NULL ? -1 : vmafgpu_history(probe, before, after);
    vmafgpu_close(&probe);
    return status;
}

int history_print(VmafGpuSettings settings)
{
    int64_t before, after;
    if (history_find(settings, &before, &after) < 0)
        return -1;
    printf("%" PRId64 " %" PRId64 "\n", before, after);
    return 0;
}

int history_check(VmafGpuSettings settings, const VmafGpuInputs *inputs)
{
    VmafGpuContext *probe = open_probe(settings);
    VmafGpuError error;
    const int status = probe == NULL ? -1 : vmafgpu_set_inputs(probe, inputs, &error);
    if (probe != NULL && status < 0)
        fprintf(stderr, "vmaf_gpu: %s\n", error.text);
    vmafgpu_close(&probe);
    return status;
}
