// SPDX-License-Identifier: BSD-2-Clause-Patent
// See opencl_loader.h.
#include "opencl/opencl_loader.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "system/shared_library.h"
#include "system/system.h"

namespace vmafgpu {

namespace {

template <typename Function> void load_symbol(const SharedLibrary &library, const std::string &name,
                                              const char *symbol, Function *&out)
{
    out = reinterpret_cast<Function *>(library.symbol(symbol));
    if (!out)
        throw Error(ENODEV, "OpenCL's loader is too old: " + name + " has no " + symbol);
}

const ClLoader *load()
{
    auto loader = std::make_unique<ClLoader>();
    const char *name = trusted_variable("VMAFGPU_OPENCL_LIBRARY");
    loader->library = name && *name ? name : system_word("libOpenCL.so.1", "OpenCL.dll");
    SharedLibrary library;
    if (!library.find(loader->library) && !library.load(loader->library))
        throw Error(ENODEV, library.is_broken()
                                ? "OpenCL's loader cannot be loaded: " + library.why()
                                : "no OpenCL: found no " + loader->library +
                                      "; the packages of a GPU's driver bring it");
#define VMAFGPU_OPENCL_LOAD(result, member, symbol, parameters)                                    \
    load_symbol(library, loader->library, #symbol, loader->api.member);
    VMAFGPU_OPENCL_CALLS(VMAFGPU_OPENCL_LOAD)
#undef VMAFGPU_OPENCL_LOAD
    return loader.release();
}

} // namespace

const ClLoader &ClLoader::get()
{
    static std::mutex mutex;
    static const ClLoader *loader = nullptr; // never freed, see the header
    const std::lock_guard<std::mutex> lock(mutex);
    if (!loader)
        loader = load();
    return *loader;
}

std::string cl_error_text(ClResult result)
{
    return "OpenCL error " + std::to_string(static_cast<int>(result));
}

int cl_error_code(ClResult result)
{
    switch (result) {
    case kClMemObjectAllocationFailure:
    case kClOutOfHostMemory:
        return ENOMEM;
    case kClDeviceNotFound:
    case kClDeviceNotAvailable:
    case kClBuildProgramFailure:
    case kClPlatformNotFound:
        return ENODEV;
    default:
        return result <= kClFirstInvalidArgument ? EINVAL : EIO;
    }
}

void cl_check(ClResult result, std::string_view call, std::string_view details)
{
    if (result != kClSuccess)
        throw Error(cl_error_code(result),
                    std::string(call) + std::string(details) + ": " + cl_error_text(result));
}

std::string ClDeviceRef::text(uint32_t name) const
{
    const ClApi &api = ClLoader::get().api;
    size_t bytes = 0;
    if (api.device_info(device, name, 0, nullptr, &bytes) != kClSuccess || bytes == 0)
        return "";
    std::string text(bytes, '\0');
    if (api.device_info(device, name, bytes, text.data(), nullptr) != kClSuccess)
        return "";
    return text.substr(0, text.find('\0')); // without the final zero
}

std::vector<size_t> ClDeviceRef::sizes(uint32_t name) const
{
    const ClApi &api = ClLoader::get().api;
    size_t bytes = 0;
    if (api.device_info(device, name, 0, nullptr, &bytes) != kClSuccess)
        return {};
    std::vector<size_t> sizes(bytes / sizeof(size_t));
    if (api.device_info(device, name, bytes, sizes.data(), nullptr) != kClSuccess)
        return {};
    return sizes;
}

bool ClDeviceRef::has_extension(const char *extension) const
{
    return (" " + text(kClDeviceExtensions) + " ").find(" " + std::string(extension) + " ") !=
           std::string::npos;
}

std::vector<ClDeviceRef> cl_devices()
{
    const ClLoader &loader = ClLoader::get();
    uint32_t count = 0;
    const ClResult result = loader.api.platform_ids(0, nullptr, &count);
    if (result == kClPlatformNotFound || (result == kClSuccess && count == 0))
        throw Error(ENODEV, "no OpenCL driver: " + loader.library + " finds none");
    cl_check(result, ClCalls::platform_ids);
    std::vector<ClPlatform> platforms(count);
    cl_check(loader.api.platform_ids(count, platforms.data(), nullptr), ClCalls::platform_ids);
    std::vector<ClDeviceRef> devices;
    for (ClPlatform platform : platforms) {
        uint32_t more = 0;
        // A driver without devices hides no other.
        if (loader.api.device_ids(platform, kClDeviceTypeAll, 0, nullptr, &more) != kClSuccess)
            continue;
        std::vector<ClDevice> ids(more);
        if (more == 0 || loader.api.device_ids(platform, kClDeviceTypeAll, more, ids.data(),
                                               nullptr) != kClSuccess)
            continue;
        std::transform(ids.begin(), ids.end(), std::back_inserter(devices), [&](ClDevice device) {
            return ClDeviceRef{platform, device};
        });
    }
    if (devices.empty())
        throw Error(ENODEV, "no OpenCL device: " + loader.library + " finds drivers without one");
    return devices;
}

} // namespace vmafgpu
