// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds libamdhip64, its entry points and their errors' texts. Called by
// hip_context.cpp and hip_device.cpp. Not here: anything that needs a device.
#include "hip/hip_loader.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr const char *kDeviceNode = "/dev/kfd";

std::vector<std::string> library_names()
{
    const char *name = secure_getenv("VMAFGPU_HIP_LIBRARY");
    if (name && *name)
        return {name};
    // ROCm's own packages may not add their folder to the loader's path.
    return {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
            "/opt/rocm/lib/libamdhip64.so"};
}

/// True if a failed dlopen() of `name` says more than that there is no such file.
bool is_broken(const std::string &name, const std::string &why)
{
    return why.find("No such file") == std::string::npos || why.compare(0, name.size(), name) != 0;
}

[[noreturn]] void no_library(const std::vector<std::string> &names, const std::string &broken)
{
    if (!broken.empty())
        throw Error(ENODEV, "the HIP runtime cannot be loaded: " + broken);
    std::string list;
    for (const std::string &name : names)
        list += (list.empty() ? "" : ", ") + name;
    throw Error(ENODEV, "no HIP runtime: found none of " + list +
                            "; libamdhip64.so comes with ROCm's package hip-runtime-amd, Debian's "
                            "and Ubuntu's libamdhip64-5 or libamdhip64-6");
}

void *open_library(std::string &opened)
{
    const std::vector<std::string> names = library_names();
    // A process must not load two runtimes: one that is loaded already comes first.
    for (const int flags : {RTLD_NOLOAD, 0}) {
        std::string broken;
        for (const std::string &name : names) {
            void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
            if (library) {
                opened = name;
                return library;
            }
            const char *text = dlerror();
            const std::string why = text ? text : "";
            if (flags == 0 && is_broken(name, why))
                broken += (broken.empty() ? "" : "; ") + why;
        }
        if (flags == 0)
            no_library(names, broken);
    }
    return nullptr;
}

template <typename Function>
void load_symbol(void *library, const HipRuntime &runtime, const char *symbol, Function *&out)
{
    out = reinterpret_cast<Function *>(dlsym(library, symbol));
    if (!out)
        throw Error(ENODEV, "HIP runtime is too old: " + runtime.library + " has no " + symbol);
}

void load_symbols(void *library, HipRuntime &runtime)
{
    HipApi &api = runtime.api;
#define VMAFGPU_HIP_LOAD(member, symbol, parameters)                                               \
    load_symbol(library, runtime, #symbol, api.member);
    VMAFGPU_HIP_CALLS(VMAFGPU_HIP_LOAD)
#undef VMAFGPU_HIP_LOAD
    load_symbol(library, runtime, "hipGetErrorName", api.error_name);
    load_symbol(library, runtime, "hipGetErrorString", api.error_string);
    api.device_properties6 = reinterpret_cast<decltype(api.device_properties6)>(
        dlsym(library, "hipGetDevicePropertiesR0600"));
}

const HipRuntime *load_runtime()
{
    auto runtime = std::make_unique<HipRuntime>();
    void *library = open_library(runtime->library);
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
    // In some versions the text is the name.
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

std::string hip_visibility_text()
{
    const std::string advice = "this user must be able to read and write it and /dev/dri/renderD* "
                               "(groups render and video), in containers both must be passed in";
    const int fd = open(kDeviceNode, O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
        return std::string(kDeviceNode) +
               " can be opened: is there an AMD GPU that this version "
               "of ROCm supports, and not hidden by "
               "HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES? (" +
               advice + ")";
    }
    return std::string(kDeviceNode) + ": " + std::strerror(errno) +
           (errno == ENOENT ? " (no amdgpu kernel driver?)" : "") + "; " + advice;
}

} // namespace vmafgpu
