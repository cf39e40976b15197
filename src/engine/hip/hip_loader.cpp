// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds libamdhip64, its entry points and their errors' texts. Called by
// hip_context.cpp and hip_device.cpp. Not here: anything that needs a device.
#include "hip/hip_loader.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "hip/hip_system.h"
#include "system/shared_library.h"
#include "system/system.h"

namespace vmafgpu {

namespace {

std::vector<std::string> library_names()
{
    const char *name = trusted_variable("VMAFGPU_HIP_LIBRARY");
    return name && *name ? std::vector<std::string>{name} : hip_library_names();
}

[[noreturn]] void no_library(const std::vector<std::string> &names, const std::string &broken)
{
    if (!broken.empty())
        throw Error(ENODEV, "the HIP runtime cannot be loaded: " + broken);
    throw Error(ENODEV, "no HIP runtime: found none of " + join(names) + "; " + hip_source_text());
}

SharedLibrary open_library(std::string &opened)
{
    const std::vector<std::string> names = library_names();
    SharedLibrary library;
    // A process must not load two runtimes: one that is loaded already comes first.
    for (const std::string &name : names)
        if (library.find(name)) {
            opened = name;
            return library;
        }
    std::string broken;
    for (const std::string &name : names) {
        if (library.load(name)) {
            opened = name;
            return library;
        }
        if (library.is_broken())
            broken += (broken.empty() ? "" : "; ") + library.why();
    }
    no_library(names, broken);
}

template <typename Function> void load_symbol(const SharedLibrary &library,
                                              const HipRuntime &runtime, const char *symbol,
                                              Function *&out)
{
    out = reinterpret_cast<Function *>(library.symbol(symbol));
    if (!out)
        throw Error(ENODEV, "HIP runtime is too old: " + runtime.library + " has no " + symbol);
}

void load_symbols(const SharedLibrary &library, HipRuntime &runtime)
{
    HipApi &api = runtime.api;
#define VMAFGPU_HIP_LOAD(member, symbol, parameters)                                               \
    load_symbol(library, runtime, #symbol, api.member);
    VMAFGPU_HIP_CALLS(VMAFGPU_HIP_LOAD)
#undef VMAFGPU_HIP_LOAD
    load_symbol(library, runtime, "hipGetErrorName", api.error_name);
    load_symbol(library, runtime, "hipGetErrorString", api.error_string);
    api.device_properties6 = reinterpret_cast<decltype(api.device_properties6)>(
        library.symbol("hipGetDevicePropertiesR0600"));
}

const HipRuntime *load_runtime()
{
    auto runtime = std::make_unique<HipRuntime>();
    const SharedLibrary library = open_library(runtime->library);
    load_symbols(library, *runtime);
    const HipResult result = runtime->api.init(0);
    if (result == kHipNoDevice || result == kHipInvalidDevice) {
        throw Error(ENODEV, "no AMD GPU is visible to " + runtime->library + ": hipInit: " +
                                runtime->describe(result) + "; " + hip_visibility_text());
    }
    if (result != kHipSuccess)
        throw Error(ENODEV, "no usable HIP runtime: " + runtime->library +
                                ": hipInit: " + runtime->describe(result));
    if (runtime->api.runtime_version(&runtime->version) != kHipSuccess)
        runtime->version = 0;
    return runtime.release();
}

} // namespace

const HipRuntime &HipRuntime::get()
{
    static std::mutex mutex;
    static const HipRuntime *runtime = nullptr; // never freed, see the header
    const std::lock_guard<std::mutex> lock(mutex);
    if (!runtime)
        runtime = load_runtime();
    return *runtime;
}

std::string HipRuntime::describe(HipResult result) const
{
    const char *name = api.error_name(result);
    const char *text = api.error_string(result);
    if (!name)
        return "HIP error " + std::to_string(static_cast<int>(result));
    // The text is the name in some versions.
    if (!text || std::strcmp(name, text) == 0)
        return name;
    return std::string(name) + " (" + text + ")";
}

int hip_error_code(HipResult result)
{
    switch (result) {
    case kHipOutOfMemory:
        return ENOMEM;
    case kHipInvalidValue:
    case kHipInvalidConfiguration:
    case kHipInvalidPitchValue:
    case kHipInvalidDevicePointer:
    case kHipInvalidMemcpyDirection:
    case kHipInvalidDeviceFunction:
    case kHipInvalidContext:
    case kHipInvalidHandle:
    case kHipNotFound:
    case kHipLaunchOutOfResources:
    case kHipNotSupported:
        return EINVAL;
    case kHipNotInitialized:
    case kHipInsufficientDriver:
    case kHipNoDevice:
    case kHipInvalidDevice:
    case kHipInvalidImage:
    case kHipNoBinaryForGpu:
    case kHipInvalidKernelFile:
    case kHipSharedObjectInitFailed:
        return ENODEV;
    default:
        return EIO;
    }
}

std::string hip_version_text(int version)
{
    return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100) + "." +
           std::to_string(version % 100000);
}

} // namespace vmafgpu
