/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See devices.h.
 */
#include "devices.h"

#include <stdio.h>
#include <string.h>

#include "output.h"
#include "vmaf_gpu/vmaf_gpu.h"

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
