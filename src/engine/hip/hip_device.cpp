// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finding the devices of the HIP runtime, opening one, and importing memory of other
// drivers. Called through the table of backends. Not here: kernels (hip_context.cpp), and
// what CUDA and HIP share (cuda_hip/).
#include "hip/hip_device.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "cuda_hip/driver_device.h"
#include "cuda_hip/driver_import.h"
#include "device/select.h"
#include "hip/hip_context.h"
#include "hip/hip_system.h"

namespace vmafgpu {

extern const KernelLibrary kHipKernels; // written by tools/embed_kernels.py

namespace {

FoundDevice describe_device(const HipRuntime &runtime, int ordinal)
{
    VmafGpuDevice info = {};
    std::snprintf(info.backend, sizeof(info.backend), "hip");
    std::snprintf(info.selector, sizeof(info.selector), "hip:%d", ordinal);
    // Some versions give no name for server cards. The architecture is always known.
    const std::string arch = hip_base_target(hip_arch(runtime, ordinal));
    char name[sizeof(info.name) - 16] = "";
    check_call<HipPolicy>(runtime, runtime.api.device_name(name, sizeof(name), ordinal),
                          HipCalls::device_name);
    std::snprintf(info.name, sizeof(info.name), "%s%s(%.12s)", name, name[0] ? " " : "AMD GPU ",
                  arch.c_str());
    char pci_id[32] = "";
    check_call<HipPolicy>(runtime, runtime.api.device_pci_id(pci_id, sizeof(pci_id), ordinal),
                          HipCalls::device_pci_id);
    std::snprintf(info.pci_id, sizeof(info.pci_id), "%s", canonical_pci_id(pci_id).c_str());
    size_t bytes = 0;
    check_call<HipPolicy>(runtime, runtime.api.device_memory(&bytes, ordinal),
                          HipCalls::device_memory);
    info.memory_bytes = bytes;
    // The wave size is that of the kernels, not the device's: RDNA can run both sizes.
    const std::string image = hip_image_for(kHipKernels.images, arch, runtime.version);
    for (size_t i = 0; i < kHipKernels.count && info.wave_size == 0; ++i) {
        const KernelBlob &blob = kHipKernels.blobs[i];
        const char *at = std::strchr(blob.name, '@');
        if (at && image == at + 1)
            info.wave_size = read_hip_image(blob.data, blob.bytes).kernels.front().wave_size;
    }
    return with_rank(info, kHipAttributeIntegrated, kHipAttributeMultiprocessors,
                     [&](int *value, int attribute) {
                         check_call<HipPolicy>(
                             runtime, runtime.api.device_attribute(value, attribute, ordinal),
                             HipCalls::device_attribute);
                     });
}

/// Why this build cannot use a device; empty: it can.
std::string why_not(const HipRuntime &runtime, int ordinal)
{
    const std::string arch = hip_arch(runtime, ordinal);
    return !hip_image_for(kHipKernels.images, arch, runtime.version).empty()
               ? ""
               : hip_image_text(runtime, ordinal, arch, kHipKernels);
}

int device_count(const HipRuntime &runtime)
{
    int count = 0;
    const HipResult result = runtime.api.device_count(&count);
    if (result == kHipNoDevice || result == kHipInvalidDevice ||
        (result == kHipSuccess && count == 0)) {
        throw Error(ENODEV, "no AMD GPU is visible to " + runtime.library + " (version " +
                                hip_version_text(runtime.version) + "): " + hip_visibility_text());
    }
    check_call<HipPolicy>(runtime, result, HipCalls::device_count);
    return count;
}

} // namespace

std::vector<FoundDevice> find_hip_devices(std::string *why_none)
{
    return find_devices(
        why_none, "hip", "no AMD GPU", [] { return device_count(HipRuntime::get()); },
        [](int ordinal) { return describe_device(HipRuntime::get(), ordinal); },
        [](int ordinal) { return why_not(HipRuntime::get(), ordinal); });
}

std::vector<VmafGpuDevice> hip_devices(std::string *why_none)
{
    return usable_devices(find_hip_devices(why_none));
}

std::unique_ptr<Device> open_hip(const DeviceRequest &request)
{
    if (request.native_context)
        throw Error(EINVAL, "HIP has no native context to adopt: device memory is valid in the "
                            "whole process; choose the device as hip:N or by its PCI id");
    const HipRuntime &runtime = HipRuntime::get();
    const std::vector<FoundDevice> devices = all_devices(
        device_count(runtime), [&](int ordinal) { return describe_device(runtime, ordinal); },
        [&](int ordinal) { return why_not(runtime, ordinal); });
    const size_t ordinal = choose_device("hip", request, devices);
    auto context =
        std::make_shared<HipContext>(runtime, static_cast<int>(ordinal), kHipKernels, request.log);
    VmafGpuDevice info = devices[ordinal].info;
    info.wave_size = context->wave_size();
    return std::make_unique<ImportingDevice<HipPolicy>>(info, std::move(context));
}

} // namespace vmafgpu
