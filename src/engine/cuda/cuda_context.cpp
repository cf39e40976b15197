// SPDX-License-Identifier: BSD-2-Clause-Patent
// See cuda_context.h: a device's capability, the context, its modules and kernels. Called by
// cuda_device.cpp and by the shared driver code.
#include "cuda/cuda_context.h"

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace vmafgpu {

int cuda_capability(const CudaDriver &driver, CudaDeviceId device)
{
    int major = 0;
    int minor = 0;
    check_call<CudaPolicy>(driver, driver.api.device_attribute(&major, kCudaAttributeMajor, device),
                           CudaCalls::device_attribute);
    check_call<CudaPolicy>(driver, driver.api.device_attribute(&minor, kCudaAttributeMinor, device),
                           CudaCalls::device_attribute);
    return 10 * major + minor;
}

namespace {

/// The capability for texts of errors; 0 if it cannot be asked: a failing query does not replace
/// the error.
int capability_or_0(const CudaDriver &driver, CudaDeviceId device)
{
    int major = 0;
    int minor = 0;
    if (driver.api.device_attribute(&major, kCudaAttributeMajor, device) != kCudaSuccess ||
        driver.api.device_attribute(&minor, kCudaAttributeMinor, device) != kCudaSuccess)
        return 0;
    return 10 * major + minor;
}

std::string version_text(int capability)
{
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/// Returns the advice for a GPU that the images do not cover.
std::string cure_text(const KernelLibrary &kernels, int capability)
{
    if (capability == 0 || cuda_images_cover(kernels.images, capability))
        return "";
    if (capability < kCudaLeastCapability)
        return "; the least supported is " + version_text(kCudaLeastCapability);
    return "; a build with -Dnvidia_compiler=clang has kernels from " +
           version_text(kCudaLeastCapability) + " on";
}

} // namespace

std::string cuda_image_text(const CudaDriver &driver, CudaDeviceId device,
                            const KernelLibrary &kernels)
{
    char name[128] = "";
    if (driver.api.device_name(name, sizeof(name), device) != kCudaSuccess || !name[0])
        std::strcpy(name, "the device");
    const int capability = capability_or_0(driver, device);
    return std::string(name) + " has " +
           (capability > 0 ? "compute capability " + version_text(capability)
                           : "an unknown compute capability") +
           " and a driver for CUDA " + cuda_version_text(driver.version) +
           "; this build has kernels for " + kernels.images + " made by " + kernels.tool +
           cure_text(kernels, capability);
}

CudaContext::CudaContext(const CudaDriver &driver, CudaDeviceId device, void *native,
                         const KernelLibrary &kernels, const Log &log)
    : DriverContext(driver, log), device_(device), handle_(static_cast<CudaContextHandle>(native))
{
    const int capability = cuda_capability(driver, device);
    if (!cuda_images_cover(kernels.images, capability))
        throw Error(ENODEV, "no kernels for this GPU: " + cuda_image_text(driver, device, kernels));
    if (!handle_) {
        check(api().primary_retain(&handle_, device_), CudaCalls::primary_retain);
        is_primary_ = true;
    }
    if (matrix_is_wanted() && capability >= kCudaMatrixCapability)
        traits_.matrix_lanes = 32;
    try {
        check(api().device_attribute(&traits_.multiprocessors, kCudaAttributeMultiprocessors,
                                     device_),
              CudaCalls::device_attribute);
        int double_time = 0;
        check(api().device_attribute(&double_time, kCudaAttributeSingleToDouble, device_),
              CudaCalls::device_attribute);
        load_modules(cuda_blobs_for(kernels, capability, double_time >= kCudaScarceDouble),
                     kernels);
    } catch (...) {
        release_all();
        throw;
    }
}

CudaContext::~CudaContext()
{
    release_all();
}

void CudaContext::release_all() noexcept
{
    release([this] {
        for (CudaModuleHandle module : modules_)
            report(api().module_unload(module), CudaCalls::module_unload);
    });
    modules_.clear();
    if (is_primary_)
        report(api().primary_release(device_), CudaCalls::primary_release);
}

CudaContext::Step CudaContext::make_current(int &former) noexcept
{
    const CudaResult result = api().context_push(handle_);
    if (result == kCudaSuccess)
        former = 0; // any number: the driver keeps a stack
    return {result, CudaCalls::context_push};
}

CudaContext::Step CudaContext::make_former_current(int /*former*/) noexcept
{
    CudaContextHandle ignored = nullptr;
    return {api().context_pop(&ignored), CudaCalls::context_pop};
}

void CudaContext::load_modules(const std::vector<const KernelBlob *> &blobs,
                               const KernelLibrary &kernels)
{
    const CudaScope scope(*this);
    for (const KernelBlob *blob : blobs) {
        CudaModuleHandle module = nullptr;
        const CudaResult result = api().module_load(&module, blob->data);
        if (result != kCudaSuccess && cuda_error_code(result) == ENODEV) {
            throw Error(ENODEV, std::string("the driver rejects the kernels of ") + blob->name +
                                    ": cuModuleLoadData: " + driver().describe(result) + "; " +
                                    cuda_image_text(driver(), device_, kernels));
        }
        check(result, CudaCalls::module_load);
        modules_.push_back(module);
    }
}

size_t CudaContext::argument_bytes(CudaFunctionHandle function)
{
    if (!api().parameter_info)
        return 0;
    size_t offset = 0;
    size_t bytes = 0;
    const CudaResult result = api().parameter_info(function, 0, &offset, &bytes);
    // Older drivers, also below a newer libcuda, have the symbol but not the answer.
    if (result == kCudaNotSupported || result == kCudaNeedsNewerDriver ||
        result == kCudaCompatNotSupportedOnDevice)
        return 0;
    check(result, "cuFuncGetParamInfo");
    return bytes;
}

CudaContext::Function CudaContext::find_function(const char *name)
{
    Function found;
    for (CudaModuleHandle module : modules_) {
        const CudaResult result = api().module_function(&found.handle, module, name);
        if (result == kCudaNotFound)
            continue;
        check(result, CudaCalls::module_function, std::string(" of ") + name);
        found.argument_bytes = argument_bytes(found.handle);
        return found;
    }
    throw Error(EINVAL, std::string("no CUDA kernel '") + name + "' in this build");
}

CudaFunctionHandle CudaContext::function(const char *name, size_t argument_bytes)
{
    auto at = functions_.find(name);
    if (at == functions_.end())
        at = functions_.emplace(name, find_function(name)).first;
    const Function &function = at->second;
    if (function.argument_bytes != 0 && function.argument_bytes != argument_bytes) {
        throw Error(EINVAL, std::string("CUDA kernel ") + name + " takes " +
                                std::to_string(function.argument_bytes) +
                                " bytes of arguments, it was given " +
                                std::to_string(argument_bytes));
    }
    return function.handle;
}

} // namespace vmafgpu
