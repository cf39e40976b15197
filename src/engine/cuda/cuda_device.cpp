// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finding the devices of the CUDA driver API and opening one. Called through the table
// of backends. Not here: kernels (cuda_context.cpp), and what CUDA and HIP share
// (cuda_hip/).
#include "cuda/cuda_device.h"

#include <cerrno>
#include <cstdio>

#include "base/error.h"
#include "cuda/cuda_context.h"
#include "cuda_hip/driver_device.h"
#include "cuda_hip/driver_import.h"
#include "device/select.h"

namespace vmafgpu {

extern const KernelLibrary kCudaKernels; // written by tools/embed_kernels.py

namespace {

FoundDevice describe_device(const CudaDriver &driver, int ordinal)
{
    CudaDeviceId id = 0;
    check_call<CudaPolicy>(driver, driver.api.device_get(&id, ordinal), CudaCalls::device_get);
    VmafGpuDevice info = {};
    std::snprintf(info.backend, sizeof(info.backend), "cuda");
    std::snprintf(info.selector, sizeof(info.selector), "cuda:%d", ordinal);
    check_call<CudaPolicy>(driver, driver.api.device_name(info.name, sizeof(info.name), id),
                           CudaCalls::device_name);
    char pci_id[32] = "";
    check_call<CudaPolicy>(driver, driver.api.device_pci_id(pci_id, sizeof(pci_id), id),
                           CudaCalls::device_pci_id);
    std::snprintf(info.pci_id, sizeof(info.pci_id), "%s", canonical_pci_id(pci_id).c_str());
    check_call<CudaPolicy>(driver,
                           driver.api.device_attribute(&info.wave_size, kCudaAttributeWarpSize, id),
                           CudaCalls::device_attribute);
    size_t bytes = 0;
    check_call<CudaPolicy>(driver, driver.api.device_memory(&bytes, id), CudaCalls::device_memory);
    info.memory_bytes = bytes;
    return with_rank(info, kCudaAttributeIntegrated, kCudaAttributeMultiprocessors,
                     [&](int *value, int attribute) {
                         check_call<CudaPolicy>(driver,
                                                driver.api.device_attribute(value, attribute, id),
                                                CudaCalls::device_attribute);
                     });
}

int device_count(const CudaDriver &driver)
{
    int count = 0;
    check_call<CudaPolicy>(driver, driver.api.device_count(&count), CudaCalls::device_count);
    return count;
}

CudaDeviceId id_of(const CudaDriver &driver, int ordinal)
{
    CudaDeviceId id = 0;
    check_call<CudaPolicy>(driver, driver.api.device_get(&id, ordinal), CudaCalls::device_get);
    return id;
}

/// Why this build cannot use a device; empty: it can.
std::string why_not(const CudaDriver &driver, int ordinal)
{
    const CudaDeviceId id = id_of(driver, ordinal);
    return cuda_images_cover(kCudaKernels.images, cuda_capability(driver, id))
               ? ""
               : cuda_image_text(driver, id, kCudaKernels);
}

/// Ordinal of the device of a context that the application has made.
size_t ordinal_of_context(const CudaDriver &driver, void *native, size_t count)
{
    const CudaApi &api = driver.api;
    check_call<CudaPolicy>(driver, api.context_push(static_cast<CudaContextHandle>(native)),
                           "cuCtxPushCurrent of the given context");
    CudaDeviceId id = 0;
    const CudaResult result = api.context_device(&id);
    CudaContextHandle ignored = nullptr;
    check_call<CudaPolicy>(driver, api.context_pop(&ignored), CudaCalls::context_pop);
    check_call<CudaPolicy>(driver, result, CudaCalls::context_device);
    for (size_t i = 0; i < count; ++i)
        if (id_of(driver, i) == id)
            return i;
    throw Error(ENODEV, "the device of the given CUDA context is not among those of the driver");
}

size_t choose(const CudaDriver &driver, const DeviceRequest &request,
              const std::vector<FoundDevice> &devices)
{
    if (!request.native_context)
        return choose_device("cuda", request, devices);
    const size_t ordinal = ordinal_of_context(driver, request.native_context, devices.size());
    if (request.selector.empty() || choose_device("cuda", request, devices) == ordinal)
        return ordinal;
    throw Error(EINVAL, "device cuda:" + request.selector +
                            " was asked for, but the pictures are " + "on " +
                            devices[ordinal].info.selector + " (" + devices[ordinal].info.pci_id +
                            ")");
}

} // namespace

std::vector<FoundDevice> find_cuda_devices(std::string *why_none)
{
    return find_devices(
        why_none, "cuda", "no CUDA device", [] { return device_count(CudaDriver::get()); },
        [](int ordinal) { return describe_device(CudaDriver::get(), ordinal); },
        [](int ordinal) { return why_not(CudaDriver::get(), ordinal); });
}

std::vector<VmafGpuDevice> cuda_devices(std::string *why_none)
{
    return usable_devices(find_cuda_devices(why_none));
}

std::unique_ptr<Device> open_cuda(const DeviceRequest &request)
{
    const CudaDriver &driver = CudaDriver::get();
    const std::vector<FoundDevice> devices = all_devices(
        device_count(driver), [&](int ordinal) { return describe_device(driver, ordinal); },
        [&](int ordinal) { return why_not(driver, ordinal); });
    const size_t ordinal = choose(driver, request, devices);
    auto context = std::make_shared<CudaContext>(driver, id_of(driver, ordinal),
                                                 request.native_context, kCudaKernels, request.log);
    return std::make_unique<ImportingDevice<CudaPolicy>>(devices[ordinal].info, std::move(context));
}

} // namespace vmafgpu
