// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stand-in's devices are emulated GPUs. See standin.h; the emulator's own
// environment variables (emu_device.h) work too.
#include "emu/emu_device.h"
#include "simt/kernel_registry.h"
#include "standin.h"

namespace vmafgpu {
namespace standin {

std::vector<VmafGpuDevice> list_devices()
{
    std::vector<VmafGpuDevice> devices;
    for (int i = 0; i < number_setting("VMAFGPU_STANDIN_DEVICES", 1); ++i) {
        VmafGpuDevice device = {};
        std::snprintf(device.name, sizeof(device.name), "stand-in %d on the emulator", i);
        std::snprintf(device.pci_id, sizeof(device.pci_id), "0000:0%d:00.0", (i + 3) % 10);
        device.wave_size = wave_size();
        device.memory_bytes = uint64_t{16} << 30;
        devices.push_back(device);
    }
    return devices;
}

std::unique_ptr<Device> open_device(int)
{
    return open_emu_device(emu_settings_from_environment(wave_size()));
}

size_t argument_bytes(const std::string &kernel, size_t)
{
    const emu::KernelEntry *entry = emu::find_kernel(kernel.c_str());
    return entry ? entry->args_bytes : 0;
}

} // namespace standin
} // namespace vmafgpu
