// SPDX-License-Identifier: BSD-2-Clause-Patent
// See cuda_context.h: the context, its modules and kernels, and what happens
// to errors. Called by the queue and the device of this folder.
#include "cuda/cuda_context.h"

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr unsigned kSharedWithoutAsking = 48 * 1024;

} // namespace

int cuda_capability(const CudaApi &api, CudaDeviceId device)
{
    int major = 0;
    int minor = 0;
    if (api.device_attribute(&major, kCudaAttributeMajor, device) != kCudaSuccess ||
        api.device_attribute(&minor, kCudaAttributeMinor, device) != kCudaSuccess)
        return 0;
    return 10 * major + minor;
}

bool cuda_images_cover(const std::string &images, int capability)
{
    std::istringstream stream(images);
    std::string image;
    while (stream >> image) {
        const int version = std::atoi(image.c_str() + image.find('_') + 1);
        const bool is_ptx = image.rfind("compute_", 0) == 0;
        const bool is_same_major = version / 10 == capability / 10;
        if (version <= capability && (is_ptx || is_same_major))
            return true;
    }
    return false;
}

std::string cuda_image_text(const CudaDriver &driver, CudaDeviceId device,
                            const KernelLibrary &kernels)
{
    char name[128] = "the device";
    driver.api.device_name(name, sizeof(name), device);
    const int capability = cuda_capability(driver.api, device);
    return std::string(name) + " has compute capability " + std::to_string(capability / 10) + "." +
           std::to_string(capability % 10) + " and a driver for CUDA " +
           cuda_version_text(driver.version) + "; this build has kernels for " + kernels.images +
           " made by " + kernels.tool;
}

CudaScope::CudaScope(CudaContext &context) : context_(context)
{
    if (!context.failure_.empty())
        throw Error(EIO, "the CUDA device has failed before: " + context.failure_);
    context.check(context.api().context_push(context.handle_), "cuCtxPushCurrent");
}

CudaScope::~CudaScope()
{
    CudaContextHandle ignored = nullptr;
    context_.report(context_.api().context_pop(&ignored), "cuCtxPopCurrent");
}

CudaContext::CudaContext(const CudaDriver &driver, CudaDeviceId device, void *native,
                         const KernelLibrary &kernels, const Log &log)
    : driver_(driver), device_(device), handle_(static_cast<CudaContextHandle>(native)), log_(log)
{
    if (!cuda_images_cover(kernels.images, cuda_capability(driver.api, device)))
        throw Error(ENODEV, "no kernels for this GPU: " + cuda_image_text(driver, device, kernels));
    if (!handle_) {
        check(api().primary_retain(&handle_, device_), "cuDevicePrimaryCtxRetain");
        is_primary_ = true;
    }
    traits_.has_matrix_u8 = matrix_is_wanted();
    if (api().device_attribute(&traits_.multiprocessors, kCudaAttributeMultiprocessors, device) !=
        kCudaSuccess)
        traits_.multiprocessors = 1;
    try {
        load_modules(kernels);
    } catch (...) {
        release();
        throw;
    }
}

CudaContext::~CudaContext()
{
    release();
}

void CudaContext::release() noexcept
{
    try {
        const CudaScope scope(*this);
        for (CudaModuleHandle module : modules_)
            report(api().module_unload(module), "cuModuleUnload");
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): lost, nothing to unload
    }
    modules_.clear();
    if (is_primary_)
        report(api().primary_release(device_), "cuDevicePrimaryCtxRelease");
}

void CudaContext::load_modules(const KernelLibrary &kernels)
{
    const CudaScope scope(*this);
    for (size_t i = 0; i < kernels.count; ++i) {
        CudaModuleHandle module = nullptr;
        const CudaResult result = api().module_load(&module, kernels.blobs[i].data);
        if (result != kCudaSuccess && cuda_error_code(result) == ENODEV) {
            throw Error(ENODEV, std::string("the driver rejects the kernels of ") +
                                    kernels.blobs[i].name +
                                    ": cuModuleLoadData: " + driver_.describe(result) + "; " +
                                    cuda_image_text(driver_, device_, kernels));
        }
        check(result, "cuModuleLoadData");
        modules_.push_back(module);
    }
}

void CudaContext::check(CudaResult result, const std::string &what)
{
    if (result == kCudaSuccess)
        return;
    const int code = cuda_error_code(result);
    const std::string text = what + ": " + driver_.describe(result);
    if (code == EIO && failure_.empty())
        failure_ = text;
    throw Error(code, text);
}

void CudaContext::report(CudaResult result, const char *what) noexcept
{
    if (result == kCudaSuccess || !failure_.empty())
        return;
    try {
        const std::string text = std::string(what) + ": " + driver_.describe(result);
        if (cuda_error_code(result) == EIO)
            failure_ = text;
        log_(VMAFGPU_LOG_WARNING, "CUDA: while releasing: " + text);
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory for a warning
    }
}

CudaContext::Function CudaContext::find_function(const char *name)
{
    Function found;
    for (CudaModuleHandle module : modules_) {
        const CudaResult result = api().module_function(&found.handle, module, name);
        if (result == kCudaNotFound)
            continue;
        check(result, std::string("cuModuleGetFunction of ") + name);
        size_t offset = 0;
        // Absent or failing: the size stays unknown and is not compared.
        if (!api().parameter_info ||
            api().parameter_info(found.handle, 0, &offset, &found.argument_bytes) != kCudaSuccess)
            found.argument_bytes = 0;
        return found;
    }
    throw Error(EINVAL, std::string("no CUDA kernel '") + name + "' in this build");
}

void CudaContext::allow_shared(Function &function, const char *name, unsigned bytes)
{
    int limit = 0;
    check(api().device_attribute(&limit, kCudaAttributeMaxSharedOptin, device_),
          "cuDeviceGetAttribute");
    if (bytes > static_cast<unsigned>(limit)) {
        throw Error(ENODEV, std::string("CUDA kernel ") + name + " needs " + std::to_string(bytes) +
                                " bytes of shared memory per block, " + "this device has " +
                                std::to_string(limit));
    }
    check(
        api().function_set(function.handle, kCudaFunctionMaxDynamicShared, static_cast<int>(bytes)),
        std::string("cuFuncSetAttribute of ") + name);
    function.dynamic_shared = bytes;
}

CudaFunctionHandle CudaContext::function(const char *name, unsigned dynamic_shared,
                                         size_t argument_bytes)
{
    auto at = functions_.find(name);
    if (at == functions_.end())
        at = functions_.emplace(name, find_function(name)).first;
    Function &function = at->second;
    if (function.argument_bytes != 0 && function.argument_bytes != argument_bytes) {
        throw Error(EINVAL, std::string("CUDA kernel ") + name + " takes " +
                                std::to_string(function.argument_bytes) +
                                " bytes of arguments, it was given " +
                                std::to_string(argument_bytes));
    }
    if (dynamic_shared > kSharedWithoutAsking && dynamic_shared > function.dynamic_shared)
        allow_shared(function, name, dynamic_shared);
    return function.handle;
}

void CudaContext::add_pinned(void *memory, size_t bytes)
{
    pinned_[static_cast<const char *>(memory)] = bytes;
}

void CudaContext::remove_pinned(void *memory)
{
    pinned_.erase(static_cast<const char *>(memory));
}

bool CudaContext::is_pinned(const void *memory, size_t bytes)
{
    const char *first = static_cast<const char *>(memory);
    auto after = pinned_.upper_bound(first);
    if (after != pinned_.begin()) {
        const auto &[start, size] = *std::prev(after);
        if (first + bytes <= start + size)
            return true;
    }
    // The caller's own pinned memory: both ends must be known to the driver.
    for (const char *end : {first, first + bytes - 1}) {
        unsigned type = 0;
        if (api().pointer_attribute(&type, kCudaPointerMemoryType,
                                    reinterpret_cast<CudaPointer>(end)) != kCudaSuccess ||
            type != kCudaMemoryHost)
            return false;
    }
    return true;
}

} // namespace vmafgpu
