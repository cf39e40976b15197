// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds libcuda, its entry points and their errors' texts. Called by
// cuda_context.cpp and cuda_device.cpp. Not here: anything that needs a device.
#include "cuda/cuda_loader.h"

#include <cerrno>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "system/shared_library.h"
#include "system/system.h"

namespace vmafgpu {

namespace {

// First driver with the primary-context calls in the form used here.
constexpr int kMinimumVersion = 11000;

const char *library_name()
{
    const char *name = trusted_variable("VMAFGPU_CUDA_LIBRARY");
    return name && *name ? name : system_word("libcuda.so.1", "nvcuda.dll");
}

template <typename Function> void load_symbol(const SharedLibrary &library,
                                              const CudaDriver &driver, const char *symbol,
                                              Function *&out)
{
    out = reinterpret_cast<Function *>(library.symbol(symbol));
    if (!out)
        throw Error(ENODEV, "CUDA driver is too old: " + driver.library + " has no " + symbol);
}

void load_symbols(const SharedLibrary &library, CudaDriver &driver)
{
#define VMAFGPU_CUDA_LOAD(member, symbol, parameters)                                              \
    load_symbol(library, driver, #symbol, driver.api.member);
    VMAFGPU_CUDA_CALLS(VMAFGPU_CUDA_LOAD)
#undef VMAFGPU_CUDA_LOAD
    driver.api.parameter_info =
        reinterpret_cast<decltype(driver.api.parameter_info)>(library.symbol("cuFuncGetParamInfo"));
}

const CudaDriver *load_driver()
{
    auto driver = std::make_unique<CudaDriver>();
    driver->library = library_name();
    SharedLibrary library;
    if (!library.load(driver->library))
        throw Error(ENODEV,
                    "no CUDA driver: " + (library.why().empty() ? driver->library : library.why()));
    load_symbols(library, *driver);
    const CudaResult result = driver->api.init(0);
    if (result != kCudaSuccess)
        throw Error(ENODEV, "no usable CUDA driver: cuInit: " + driver->describe(result));
    if (driver->api.driver_version(&driver->version) != kCudaSuccess)
        driver->version = 0;
    if (driver->version < kMinimumVersion) {
        throw Error(ENODEV, "CUDA driver is too old: it supports CUDA " +
                                cuda_version_text(driver->version) + ", needed is " +
                                cuda_version_text(kMinimumVersion) + " or later");
    }
    return driver.release();
}

} // namespace

const CudaDriver &CudaDriver::get()
{
    static std::mutex mutex;
    static const CudaDriver *driver = nullptr; // never freed, see the header
    const std::lock_guard<std::mutex> lock(mutex);
    if (!driver)
        driver = load_driver();
    return *driver;
}

std::string CudaDriver::describe(CudaResult result) const
{
    const char *name = nullptr;
    const char *text = nullptr;
    if (api.error_name(result, &name) != kCudaSuccess || !name)
        return "CUDA error " + std::to_string(static_cast<int>(result));
    if (api.error_string(result, &text) != kCudaSuccess || !text)
        return name;
    return std::string(name) + " (" + text + ")";
}

int cuda_error_code(CudaResult result)
{
    switch (result) {
    case kCudaOutOfMemory:
        return ENOMEM;
    case kCudaInvalidValue:
    case kCudaInvalidContext:
    case kCudaInvalidHandle:
    case kCudaNotFound:
    case kCudaLaunchOutOfResources:
    case kCudaNotSupported:
        return EINVAL;
    case kCudaNotInitialized:
    case kCudaStubLibrary:
    case kCudaNeedsNewerDriver:
    case kCudaDeviceUnavailable:
    case kCudaNoDevice:
    case kCudaInvalidDevice:
    case kCudaInvalidImage:
    case kCudaNoBinaryForGpu:
    case kCudaInvalidPtx:
    case kCudaJitCompilerNotFound:
    case kCudaUnsupportedPtxVersion:
    case kCudaJitCompilationDisabled:
    case kCudaSystemNotReady:
    case kCudaSystemDriverMismatch:
    case kCudaCompatNotSupportedOnDevice:
        return ENODEV;
    default:
        return EIO;
    }
}

std::string cuda_version_text(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace vmafgpu
