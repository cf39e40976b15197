/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See queries.h.
 */
#include "queries.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

int devices_list(const char *backend)
{
    const int wants_emulated = backend != NULL && strncmp(backend, "emu", 3) == 0;
    VmafGpuDevice devices[64];
    const int count = vmafgpu_devices(devices, 64);
    if (count < 0)
        return output_say("%s", vmafgpu_strerror(count));
    for (int i = 0; i < count && i < 64; ++i) {
        const VmafGpuDevice *device = &devices[i];
        if (strcmp(device->backend, "emu") == 0 && !wants_emulated)
            continue;
        printf("%-12s %s", device->selector, device->name);
        if (device->pci_id[0] != '\0')
            printf(", PCI %s", device->pci_id);
        if (device->wave_size > 1)
            printf(", wave %d", device->wave_size);
        if (device->memory_bytes > 0)
            printf(", %llu MiB", (unsigned long long)(device->memory_bytes >> 20));
        printf("\n");
    }
    VmafGpuDevice device;
    char reason[1024];
    for (int i = 0; vmafgpu_unusable_device(i, &device, reason, sizeof(reason)) == 0; ++i)
        printf("%-12s %s: not usable: %s\n", device.selector, device.name, reason);
    return 0;
}

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
        output_say("%s", error.text);
    return probe;
}

int history_print(VmafGpuSettings settings)
{
    VmafGpuContext *probe = open_probe(settings);
    int64_t before = 0, after = 0;
    const int status = probe == NULL ? -1 : vmafgpu_history(probe, &before, &after);
    vmafgpu_close(&probe);
    if (status == 0)
        printf("%" PRId64 " %" PRId64 "\n", before, after);
    return status;
}

int colours_check(VmafGpuSettings settings, const VmafGpuInputs *inputs)
{
    VmafGpuContext *probe = open_probe(settings);
    VmafGpuError error;
    const int status = probe == NULL ? -1 : vmafgpu_set_inputs(probe, inputs, &error);
    if (probe != NULL && status < 0)
        output_say("%s", error.text);
    vmafgpu_close(&probe);
    return status;
}
