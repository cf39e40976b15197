/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See history.h.
 */
#include "history.h"

#include <inttypes.h>
#include <stdio.h>

#include "output.h"

int history_find(VmafGpuSettings settings, int64_t *before, int64_t *after)
{
    VmafGpuContext *probe = NULL;
    VmafGpuError error;
    settings.device = "cpu"; /* whatever it is, the features are the same */
    settings.threads = 1;
    settings.self_test = 0;
    settings.log = NULL;
    if (vmafgpu_open(&probe, &settings, &error) < 0)
        return output_say("%s", error.text);
    vmafgpu_history(probe, before, after);
    vmafgpu_close(&probe);
    return 0;
}

int history_print(VmafGpuSettings settings)
{
    int64_t before, after;
    if (settings.width == 0) {
        settings.width = 640;
        settings.height = 360;
        settings.depth = 10;
        settings.chroma = VMAFGPU_CHROMA_420;
        settings.frame_rate = 60; /* XPSNR looks further back at high rates */
    }
    if (history_find(settings, &before, &after) < 0)
        return -1;
    printf("%" PRId64 " %" PRId64 "\n", before, after);
    return 0;
}
