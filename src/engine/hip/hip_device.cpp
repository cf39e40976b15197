// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device (device.h) over the HIP runtime: finding devices, opening one, memory,
// memory of other drivers. Called through device.cpp's table. Queues are in
// hip_queue.cpp, kernels and errors in hip_context.cpp.
#include "hip/hip_device.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "device/select.h"
#include "hip/hip_context.h"
#include "hip/hip_queue.h"

namespace vmafgpu {

extern const KernelLibrary kHipKernels; // written by tools/embed_kernels.py

namespace {

/// check() for calls outside any context.
void require(const HipRuntime &runtime, HipResult result, const char *call)
{
    if (result != kHipSuccess)
        throw Error(hip_error_code(result), std::string(call) + ": " + runtime.describe(result));
}

VmafGpuDevice describe_device(const HipRuntime &runtime, int ordinal)
{
    VmafGpuDevice info = {};
    std::snprintf(info.backend, sizeof(info.backend), "hip");
    std::snprintf(info.selector, sizeof(info.selector), "hip:%d", ordinal);
    // Several versions give server cards no name: the architecture says at least something.
    const std::string arch = hip_base_target(hip_arch(runtime, ordinal));
    char name[sizeof(info.name) - 16] = "";
    require(runtime, runtime.api.device_name(name, sizeof(name), ordinal), "hipDeviceGetName");
    std::snprintf(info.name, sizeof(info.name), "%s%s(%.12s)", name, name[0] ? " " : "AMD GPU ",
                  arch.c_str());
    char pci_id[32] = "";
    require(runtime, runtime.api.device_pci_id(pci_id, sizeof(pci_id), ordinal),
            "hipDeviceGetPCIBusId");
    std::snprintf(info.pci_id, sizeof(info.pci_id), "%s", canonical_pci_id(pci_id).c_str());
    size_t bytes = 0;
    require(runtime, runtime.api.device_memory(&bytes, ordinal), "hipDeviceTotalMem");
    info.memory_bytes = bytes;
    // The wave size is that of the code that would run, which is not the device's to say.
    for (size_t i = 0; i < kHipKernels.count && info.wave_size == 0; ++i) {
        const KernelBlob &blob = kHipKernels.blobs[i];
        const char *at = std::strchr(blob.name, '@');
        if (at && arch == at + 1)
            info.wave_size = read_hip_image(blob.data, blob.bytes).kernels.front().wave_size;
    }
    return info;
}

/// All devices, also those that this build has no kernels for; index = ordinal.
std::vector<VmafGpuDevice> all_devices(const HipRuntime &runtime)
{
    int count = 0;
    const HipResult result = runtime.api.device_count(&count);
    if (result == kHipNoDevice || result == kHipInvalidDevice ||
        (result == kHipSuccess && count == 0)) {
        throw Error(ENODEV, "no AMD GPU is visible to " + runtime.library + " (version " +
                                hip_version_text(runtime.version) + "): " + hip_visibility_text());
    }
    require(runtime, result, "hipGetDeviceCount");
    std::vector<VmafGpuDevice> devices;
    devices.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i)
        devices.push_back(describe_device(runtime, i));
    return devices;
}

/// Closes fd if it still is the file that `before` describes: whether the runtime
/// takes it over on success differs between drivers of this interface.
void close_if_same(int fd, const struct stat &before)
{
    struct stat now = {};
    if (fstat(fd, &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino)
        close(fd);
}

class HipDevice final : public Device {
public:
    HipDevice(const VmafGpuDevice &info, std::shared_ptr<HipContext> context)
        : info_(info), context_(std::move(context))
    {
        info_.wave_size = context_->wave_size();
    }

    const VmafGpuDevice &info() const override { return info_; }

    void *alloc(size_t bytes) override
    {
        const HipScope scope(*context_);
        void *memory = nullptr;
        context_->check(context_->api().mem_alloc(&memory, std::max<size_t>(bytes, 1)),
                        "hipMalloc of " + std::to_string(bytes) + " bytes");
        return memory;
    }

    void free(void *memory) override
    {
        if (!memory)
            return;
        const HipScope scope(*context_, HipScope::kRelease);
        context_->report(context_->api().mem_free(memory), "hipFree");
    }

    void *alloc_host(size_t bytes) override
    {
        const HipScope scope(*context_);
        void *memory = nullptr;
        context_->check(context_->api().host_alloc(&memory, std::max<size_t>(bytes, 1), 0),
                        "hipHostMalloc of " + std::to_string(bytes) + " bytes");
        context_->add_pinned(memory, bytes);
        return memory;
    }

    void free_host(void *memory) override
    {
        if (!memory)
            return;
        context_->remove_pinned(memory);
        const HipScope scope(*context_, HipScope::kRelease);
        context_->report(context_->api().host_free(memory), "hipHostFree");
    }

    void *import_memory(int fd, size_t bytes) override;
    void release_import(void *memory) override;

    std::unique_ptr<Queue> make_queue() override { return std::make_unique<HipQueue>(context_); }
    std::unique_ptr<Event> make_event() override { return std::make_unique<HipEvent>(context_); }

private:
    void *map_import(HipImportHandle import, size_t bytes);

    VmafGpuDevice info_;
    std::shared_ptr<HipContext> context_;
    std::map<void *, HipImportHandle> imports_;
};

void *HipDevice::map_import(HipImportHandle import, size_t bytes)
{
    void *memory = nullptr;
    HipImportRange range = {};
    range.bytes = bytes;
    const HipResult result = context_->api().import_map(&memory, import, &range);
    if (result != kHipSuccess) {
        context_->report(context_->api().import_destroy(import), "hipDestroyExternalMemory");
        context_->check(result,
                        "hipExternalMemoryGetMappedBuffer of " + std::to_string(bytes) + " bytes");
    }
    imports_[memory] = import;
    return memory;
}

void *HipDevice::import_memory(int fd, size_t bytes)
{
    const HipScope scope(*context_);
    struct stat file = {};
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0 || fstat(own, &file) != 0)
        throw Error(EINVAL, "import of fd " + std::to_string(fd) + ": " + std::strerror(errno));
    HipImportDescription description = {};
    description.type = kHipImportOpaqueFd;
    description.handle.fd = own;
    description.bytes = bytes;
    HipImportHandle import = nullptr;
    const HipResult result = context_->api().import(&import, &description);
    if (result != kHipSuccess) {
        close(own);
        if (result == kHipNotSupported)
            throw Error(ENOTSUP, "hipImportExternalMemory: " + context_->describe(result));
        context_->check(result, "hipImportExternalMemory of " + std::to_string(bytes) + " bytes");
    }
    void *memory = nullptr;
    try {
        memory = map_import(import, bytes);
    } catch (...) {
        close_if_same(own, file);
        throw;
    }
    close_if_same(own, file); // the mapping, which is made by now, holds the memory itself
    return memory;
}

void HipDevice::release_import(void *memory)
{
    const auto found = imports_.find(memory);
    if (found == imports_.end())
        return;
    const HipScope scope(*context_, HipScope::kRelease);
    // The mapped buffer and the import each hold the memory.
    context_->report(context_->api().mem_free(memory), "hipFree of imported memory");
    context_->report(context_->api().import_destroy(found->second), "hipDestroyExternalMemory");
    imports_.erase(found);
}

} // namespace

std::vector<VmafGpuDevice> hip_devices(std::string *why_none)
{
    std::string why = "no AMD GPU";
    std::vector<VmafGpuDevice> usable;
    try {
        const HipRuntime &runtime = HipRuntime::get();
        const std::vector<VmafGpuDevice> all = all_devices(runtime);
        for (size_t i = 0; i < all.size(); ++i) {
            const int ordinal = static_cast<int>(i);
            const std::string arch = hip_arch(runtime, ordinal);
            if (hip_images_cover(kHipKernels.images, arch))
                usable.push_back(all[i]);
            else
                why = hip_image_text(runtime, ordinal, arch, kHipKernels);
        }
    } catch (const std::exception &error) {
        usable.clear();
        why = error.what();
    }
    if (usable.empty() && why_none)
        *why_none = why;
    return usable;
}

std::unique_ptr<Device> open_hip(const DeviceRequest &request)
{
    if (request.native_context)
        throw Error(EINVAL, "HIP has no native context to adopt: device memory is valid in the "
                            "whole process; choose the device as hip:N or by its PCI id");
    const HipRuntime &runtime = HipRuntime::get();
    const std::vector<VmafGpuDevice> devices = all_devices(runtime);
    const auto ordinal = static_cast<size_t>(select_device("hip", request.selector, devices));
    auto context =
        std::make_shared<HipContext>(runtime, static_cast<int>(ordinal), kHipKernels, request.log);
    return std::make_unique<HipDevice>(devices[ordinal], std::move(context));
}

} // namespace vmafgpu
