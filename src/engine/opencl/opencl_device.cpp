// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds the devices of OpenCL's drivers, says what they lack, and opens one: Device (device.h) over
// shared virtual memory. Called through the table of backends.
#include "opencl/opencl_device.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>

#include "base/error.h"
#include "cuda_hip/driver_device.h"
#include "opencl/opencl_queue.h"

namespace vmafgpu {

extern const KernelLibrary kOpenclKernels; // written by tools/embed_kernels.py

namespace {

constexpr std::align_val_t kPinnedAlignment{256};

FoundDevice describe_device(const ClDeviceRef &device, size_t ordinal)
{
    FoundDevice found;
    VmafGpuDevice &info = found.info;
    std::snprintf(info.backend, sizeof(info.backend), "opencl");
    std::snprintf(info.selector, sizeof(info.selector), "opencl:%zu", ordinal);
    std::snprintf(info.name, sizeof(info.name), "%s", device.text(kClDeviceName).c_str());
    info.memory_bytes = device.get<uint64_t>(kClDeviceGlobalMemSize);
    if (device.has_extension("cl_khr_pci_bus_info")) {
        const auto bus = device.get<ClPciBusInfo>(kClDevicePciBusInfoKhr);
        std::snprintf(info.pci_id, sizeof(info.pci_id), "%04x:%02x:%02x.%x", bus.domain & 0xffff,
                      bus.bus & 0xff, bus.device & 0x1f, bus.function & 7);
    }
    found.multiprocessors = static_cast<int>(device.get<uint32_t>(kClDeviceMaxComputeUnits));
    found.is_integrated = device.get<uint32_t>(kClDeviceHostUnifiedMemory) != 0 ||
                          (device.get<uint64_t>(kClDeviceType) & kClDeviceTypeCpu) != 0;
    return found;
}

/// Why no kernel of this library runs on a device; empty: some do.
std::string why_not(const ClDeviceRef &device)
{
    std::string missing;
    const auto need = [&](bool is_there, const char *what) {
        if (!is_there)
            missing += (missing.empty() ? "" : "; ") + std::string(what);
    };
    need(device.text(kClDeviceIlVersion).find("SPIR-V") != std::string::npos, "SPIR-V");
    need(device.has_shared_memory() || device.has_extension("cl_ext_buffer_device_address"),
         "shared virtual memory or cl_ext_buffer_device_address");
    // Subnormal numbers count: this is what a full profile promises for doubles.
    need((device.get<uint64_t>(kClDeviceDoubleFpConfig) & kClFpDenorm) != 0,
         "double precision (Mesa's rusticl offers it with RUSTICL_FEATURES=fp64)");
    need(device.get<uint32_t>(kClDeviceMaxNumSubGroups) != 0 &&
             device.has_extension("cl_khr_subgroup_shuffle"),
         "shuffles in subgroups (cl_khr_subgroup_shuffle)");
    return missing.empty() ? "" : "its driver does not offer: " + missing;
}

class ClDeviceOfEngine final : public Device {
public:
    ClDeviceOfEngine(const VmafGpuDevice &info, std::shared_ptr<ClContext> context)
        : info_(info), context_(std::move(context))
    {
    }

    const VmafGpuDevice &info() const override { return info_; }
    void *alloc(size_t bytes) override { return context_->alloc(std::max<size_t>(bytes, 1)); }
    void free(void *memory) override { context_->free(memory); }

    /// OpenCL has no portable call that pins memory: its copies take any.
    void *alloc_host(size_t bytes) override
    {
        void *memory = operator new(std::max<size_t>(bytes, 1), kPinnedAlignment);
        try {
            context_->pinned().add(memory, bytes);
        } catch (...) { // no memory for the list
            operator delete(memory, kPinnedAlignment);
            throw;
        }
        return memory;
    }
    void free_host(void *memory) override
    {
        if (memory == nullptr)
            return;
        context_->pinned().remove(memory);
        operator delete(memory, kPinnedAlignment);
    }

    std::string refusal(const char *kernel, unsigned threads) override
    {
        return context_->refusal(kernel, threads);
    }

    std::unique_ptr<Queue> make_queue() override { return std::make_unique<ClQueue>(context_); }
    std::unique_ptr<Event> make_event() override { return std::make_unique<ClEvent>(context_); }

private:
    VmafGpuDevice info_;
    std::shared_ptr<ClContext> context_;
};

} // namespace

std::vector<FoundDevice> find_opencl_devices(std::string *why_none)
{
    std::vector<ClDeviceRef> devices;
    const auto at = [&](int ordinal) {
        return devices[static_cast<size_t>(ordinal)];
    };
    return find_devices(
        why_none, "opencl", "no OpenCL device",
        [&] {
            devices = cl_devices();
            return static_cast<int>(devices.size());
        },
        [&](int ordinal) { return describe_device(at(ordinal), static_cast<size_t>(ordinal)); },
        [&](int ordinal) { return why_not(at(ordinal)); });
}

std::unique_ptr<Device> open_opencl(const DeviceRequest &request)
{
    if (request.native_context)
        throw Error(EINVAL, "backend opencl takes no context of another library");
    const std::vector<ClDeviceRef> devices = cl_devices();
    const std::vector<FoundDevice> found = all_devices(
        static_cast<int>(devices.size()),
        [&](int i) {
            return describe_device(devices[static_cast<size_t>(i)], static_cast<size_t>(i));
        },
        [&](int i) { return why_not(devices[static_cast<size_t>(i)]); });
    const size_t ordinal = choose_device("opencl", request, found);
    if (!found[ordinal].why_not.empty())
        throw Error(ENODEV, std::string(found[ordinal].info.name) +
                                " cannot be used: " + found[ordinal].why_not);
    auto context = std::make_shared<ClContext>(devices[ordinal], kOpenclKernels, request.log);
    VmafGpuDevice info = found[ordinal].info;
    info.wave_size = context->wave_size();
    request.log(VMAFGPU_LOG_INFO, "backend opencl has no way for frames of another driver: they "
                                  "come through the host's memory");
    return std::make_unique<ClDeviceOfEngine>(info, std::move(context));
}

} // namespace vmafgpu
