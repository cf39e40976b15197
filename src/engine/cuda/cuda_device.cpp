// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device (device.h) over the CUDA driver API: finding devices, opening one,
// memory. Called through device.cpp's table. Queues are in cuda_queue.cpp,
// kernels and errors in cuda_context.cpp.
#include "cuda/cuda_device.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.h"
#include "cuda/cuda_context.h"
#include "cuda/cuda_queue.h"
#include "device/select.h"

namespace vmafgpu {

extern const KernelLibrary kCudaKernels; // written by tools/embed_kernels.py

namespace {

/// check() for calls outside any context.
void require(const CudaDriver &driver, CudaResult result, const char *call)
{
    if (result != kCudaSuccess)
        throw Error(cuda_error_code(result), std::string(call) + ": " + driver.describe(result));
}

VmafGpuDevice describe_device(const CudaDriver &driver, int ordinal)
{
    CudaDeviceId id = 0;
    require(driver, driver.api.device_get(&id, ordinal), "cuDeviceGet");
    VmafGpuDevice info = {};
    std::snprintf(info.backend, sizeof(info.backend), "cuda");
    std::snprintf(info.selector, sizeof(info.selector), "cuda:%d", ordinal);
    require(driver, driver.api.device_name(info.name, sizeof(info.name), id), "cuDeviceGetName");
    char pci_id[32] = "";
    require(driver, driver.api.device_pci_id(pci_id, sizeof(pci_id), id), "cuDeviceGetPCIBusId");
    std::snprintf(info.pci_id, sizeof(info.pci_id), "%s", canonical_pci_id(pci_id).c_str());
    require(driver, driver.api.device_attribute(&info.wave_size, kCudaAttributeWarpSize, id),
            "cuDeviceGetAttribute");
    size_t bytes = 0;
    require(driver, driver.api.device_memory(&bytes, id), "cuDeviceTotalMem");
    info.memory_bytes = bytes;
    return info;
}

/// All devices, also those that this build has no kernels for; index = ordinal.
std::vector<VmafGpuDevice> all_devices(const CudaDriver &driver)
{
    int count = 0;
    require(driver, driver.api.device_count(&count), "cuDeviceGetCount");
    std::vector<VmafGpuDevice> devices;
    devices.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i)
        devices.push_back(describe_device(driver, i));
    return devices;
}

CudaDeviceId id_of(const CudaDriver &driver, size_t ordinal)
{
    CudaDeviceId id = 0;
    require(driver, driver.api.device_get(&id, static_cast<int>(ordinal)), "cuDeviceGet");
    return id;
}

/// Ordinal of the device that a context of the caller's belongs to.
size_t ordinal_of_context(const CudaDriver &driver, void *native, size_t count)
{
    const CudaApi &api = driver.api;
    require(driver, api.context_push(static_cast<CudaContextHandle>(native)),
            "cuCtxPushCurrent of the given context");
    CudaDeviceId id = 0;
    const CudaResult result = api.context_device(&id);
    CudaContextHandle ignored = nullptr;
    require(driver, api.context_pop(&ignored), "cuCtxPopCurrent");
    require(driver, result, "cuCtxGetDevice");
    for (size_t i = 0; i < count; ++i)
        if (id_of(driver, i) == id)
            return i;
    throw Error(ENODEV, "the device of the given CUDA context is not among those of the driver");
}

size_t choose(const CudaDriver &driver, const DeviceRequest &request,
              const std::vector<VmafGpuDevice> &devices)
{
    if (!request.native_context)
        return static_cast<size_t>(select_device("cuda", request.selector, devices));
    const size_t ordinal = ordinal_of_context(driver, request.native_context, devices.size());
    if (request.selector.empty() ||
        static_cast<size_t>(select_device("cuda", request.selector, devices)) == ordinal)
        return ordinal;
    throw Error(EINVAL, "device cuda:" + request.selector +
                            " was asked for, but the pictures are " + "on " +
                            devices[ordinal].selector + " (" + devices[ordinal].pci_id + ")");
}

class CudaDevice final : public Device {
public:
    CudaDevice(const VmafGpuDevice &info, std::shared_ptr<CudaContext> context)
        : info_(info), context_(std::move(context))
    {
    }

    const VmafGpuDevice &info() const override { return info_; }

    void *alloc(size_t bytes) override
    {
        const CudaScope scope(*context_);
        CudaPointer memory = 0;
        context_->check(context_->api().mem_alloc(&memory, std::max<size_t>(bytes, 1)),
                        "cuMemAlloc of " + std::to_string(bytes) + " bytes");
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's type
        return reinterpret_cast<void *>(memory);
    }

    void free(void *memory) override
    {
        if (!memory)
            return;
        try {
            const CudaScope scope(*context_);
            context_->report(context_->api().mem_free(reinterpret_cast<CudaPointer>(memory)),
                             "cuMemFree");
        } catch (const Error &) { // NOLINT(bugprone-empty-catch): lost with its context
        }
    }

    void *alloc_host(size_t bytes) override
    {
        const CudaScope scope(*context_);
        void *memory = nullptr;
        context_->check(context_->api().host_alloc(&memory, std::max<size_t>(bytes, 1), 0),
                        "cuMemHostAlloc of " + std::to_string(bytes) + " bytes");
        context_->add_pinned(memory, bytes);
        return memory;
    }

    void free_host(void *memory) override
    {
        if (!memory)
            return;
        context_->remove_pinned(memory);
        try {
            const CudaScope scope(*context_);
            context_->report(context_->api().host_free(memory), "cuMemFreeHost");
        } catch (const Error &) { // NOLINT(bugprone-empty-catch): lost with its context
        }
    }

    std::unique_ptr<Queue> make_queue() override { return std::make_unique<CudaQueue>(context_); }
    std::unique_ptr<Event> make_event() override { return std::make_unique<CudaEvent>(context_); }

private:
    VmafGpuDevice info_;
    std::shared_ptr<CudaContext> context_;
};

} // namespace

std::vector<VmafGpuDevice> cuda_devices(std::string *why_none)
{
    std::string why = "no CUDA device";
    std::vector<VmafGpuDevice> usable;
    try {
        const CudaDriver &driver = CudaDriver::get();
        const std::vector<VmafGpuDevice> all = all_devices(driver);
        for (size_t i = 0; i < all.size(); ++i) {
            const CudaDeviceId id = id_of(driver, i);
            if (cuda_images_cover(kCudaKernels.images, cuda_capability(driver.api, id)))
                usable.push_back(all[i]);
            else
                why = cuda_image_text(driver, id, kCudaKernels);
        }
    } catch (const std::exception &error) {
        usable.clear();
        why = error.what();
    }
    if (usable.empty() && why_none)
        *why_none = why;
    return usable;
}

std::unique_ptr<Device> open_cuda(const DeviceRequest &request)
{
    const CudaDriver &driver = CudaDriver::get();
    const std::vector<VmafGpuDevice> devices = all_devices(driver);
    const size_t ordinal = choose(driver, request, devices);
    auto context = std::make_shared<CudaContext>(driver, id_of(driver, ordinal),
                                                 request.native_context, kCudaKernels, request.log);
    return std::make_unique<CudaDevice>(devices[ordinal], std::move(context));
}

} // namespace vmafgpu
