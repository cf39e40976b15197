// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stand-in's devices are emulated GPUs. See standin.h; the emulator's own
// environment variables (emu_device.h) work too.
#include <cstdlib>

#include "emu/emu_device.h"
#include "emu/kernel_registry.h"
#include "standin.h"

namespace vmafgpu {
namespace standin {

namespace {

int wave_size()
{
    return std::atoi(setting("VMAFGPU_STANDIN_WAVE", "32").c_str());
}

} // namespace

std::vector<VmafGpuDevice> list_devices()
{
    const int count = std::atoi(setting("VMAFGPU_STANDIN_DEVICES", "1").c_str());
    std::vector<VmafGpuDevice> devices;
    for (int i = 0; i < count; ++i) {
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

std::string arch_of(int)
{
    return setting("VMAFGPU_STANDIN_ARCH",
                   wave_size() == 64 ? "gfx90a:sramecc+:xnack-" : "gfx1030");
}

size_t argument_bytes(const HipKernelInfo &kernel)
{
    const emu::KernelEntry *entry = emu::find_kernel(kernel.name.c_str());
    return entry ? entry->args_bytes : 0;
}

} // namespace standin
} // namespace vmafgpu
