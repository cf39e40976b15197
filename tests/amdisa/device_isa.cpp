// SPDX-License-Identifier: BSD-2-Clause-Patent
// Devices of the stand-in runtime (tests/device/standin.h) whose kernels are the AMD
// machine code that is embedded in this build. Memory, queues and events are those of the
// emulator. VMAFGPU_STANDIN_ARCH names the architecture, ISA_TEXTS or VMAFGPU_ISA_TEXTS the
// folder with its disassembly. VMAFGPU_STANDIN_DEVICES is the number of devices.
#include <cerrno>

#include "../check/forwarding_device.h"
#include "../device/standin.h"
#include "base/error.h"
#include "device/kernel_blob.h"
#include "emu/emu_device.h"
#include "machine.h"
#include "simt/kernel_registry.h"

namespace vmafgpu {

extern const KernelLibrary kHipKernels;

namespace standin {

namespace {

class IsaQueue : public ForwardingQueue {
public:
    IsaQueue(std::unique_ptr<Queue> queue, isa::Machine &machine)
        : ForwardingQueue(std::move(queue)), machine_(machine)
    {
    }
    DeviceTraits traits() const override { return {false, 1}; }

protected:
    void launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args) override
    {
        // The pointer to the count of launches is the last argument.
        std::string kernarg(machine_.kernarg_bytes(name), '\0');
        if (kernarg.size() < args.bytes + sizeof(args.counter))
            throw Error(EINVAL, std::string(name) + ": no such machine code, or other arguments");
        std::memcpy(kernarg.data(), args.data, args.bytes);
        std::memcpy(kernarg.data() + kernarg.size() - sizeof(args.counter), &args.counter,
                    sizeof(args.counter));
        machine_.launch(name, {grid.x, grid.y, grid.z}, threads, kernarg);
    }

private:
    isa::Machine &machine_;
};

class IsaDevice : public ForwardingDevice {
public:
    IsaDevice(std::unique_ptr<Device> device, const std::string &arch)
        : ForwardingDevice(std::move(device)),
          machine_(arch, setting("VMAFGPU_ISA_TEXTS", ISA_TEXTS))
    {
        for (size_t i = 0; i < kHipKernels.count; ++i) {
            const KernelBlob &blob = kHipKernels.blobs[i];
            const std::string name = blob.name;
            if (name.size() > arch.size() &&
                name.compare(name.size() - arch.size() - 1, std::string::npos, "@" + arch) == 0)
                machine_.add(name, {static_cast<const char *>(blob.data), blob.bytes});
        }
    }

    void *alloc(size_t bytes) override { return known(ForwardingDevice::alloc(bytes), bytes); }
    void *alloc_host(size_t bytes) override
    {
        return known(ForwardingDevice::alloc_host(bytes), bytes);
    }
    void *import_memory(int fd, size_t bytes) override
    {
        return known(ForwardingDevice::import_memory(fd, bytes), bytes);
    }
    void free(void *memory) override
    {
        machine_.memory().remove(memory);
        ForwardingDevice::free(memory);
    }
    void free_host(void *memory) override
    {
        machine_.memory().remove(memory);
        ForwardingDevice::free_host(memory);
    }
    void release_import(void *memory) override
    {
        machine_.memory().remove(memory);
        ForwardingDevice::release_import(memory);
    }
    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<IsaQueue>(ForwardingDevice::make_queue(), machine_);
    }

private:
    void *known(void *memory, size_t bytes)
    {
        machine_.memory().add(memory, bytes);
        return memory;
    }

    isa::Machine machine_;
};

} // namespace

std::vector<VmafGpuDevice> list_devices()
{
    std::vector<VmafGpuDevice> devices;
    for (int i = 0; i < number_setting("VMAFGPU_STANDIN_DEVICES", 1); ++i) {
        VmafGpuDevice device = {};
        std::snprintf(device.name, sizeof(device.name), "stand-in %d on machine code", i);
        std::snprintf(device.pci_id, sizeof(device.pci_id), "0000:0%d:00.0", (i + 3) % 10);
        device.wave_size = wave_size();
        device.memory_bytes = uint64_t{16} << 30;
        devices.push_back(device);
    }
    return devices;
}

std::unique_ptr<Device> open_device(int ordinal)
{
    std::string arch =
        list_setting("VMAFGPU_STANDIN_ARCH", ordinal, wave_size() == 64 ? "gfx942" : "gfx1100");
    arch = arch.substr(0, arch.find(':'));
    return std::make_unique<IsaDevice>(open_emu_device(emu_settings_from_environment(wave_size())),
                                       arch);
}

size_t argument_bytes(const std::string &kernel, size_t)
{
    const emu::KernelEntry *entry = emu::find_kernel(kernel.c_str());
    return entry ? entry->args_bytes : 0;
}

} // namespace standin
} // namespace vmafgpu
