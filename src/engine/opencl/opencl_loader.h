// SPDX-License-Identifier: BSD-2-Clause-Patent
// OpenCL's ICD loader, loaded at run time, so that the library also runs on machines without it.
// Also what a result means as an errno value. Not here: contexts and queues.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opencl/opencl_api.h"

namespace vmafgpu {

/// A loaded libOpenCL. Lives until the process ends: runtimes keep threads of their own.
struct ClLoader {
    ClApi api;
    std::string library; ///< what was loaded, for texts

    /// Loads the library at the first call; any thread. A failure is not remembered. Throws
    /// Error(ENODEV). VMAFGPU_OPENCL_LIBRARY replaces the library's name (for tests).
    static const ClLoader &get();
};

/// "CL_OUT_OF_RESOURCES"'s number, as texts have it: "error -5".
std::string cl_error_text(ClResult result);
/// ENODEV, ENOMEM, EINVAL or EIO, as hip_error_code().
int cl_error_code(ClResult result);

/// Throws Error if the call failed.
void cl_check(ClResult result, std::string_view call, std::string_view details = {});

/// A device as OpenCL lists it, with what is asked of it.
struct ClDeviceRef {
    ClPlatform platform;
    ClDevice device;

    /// A number or a struct; zero where the device does not know the name.
    template <typename T> T get(uint32_t name) const
    {
        T value = {};
        if (ClLoader::get().api.device_info(device, name, sizeof(value), &value, nullptr) !=
            kClSuccess)
            value = {};
        return value;
    }
    std::string text(uint32_t name) const;
    std::vector<size_t> sizes(uint32_t name) const;
    bool has_extension(const char *extension) const;
    bool has_shared_memory() const
    {
        return (get<uint64_t>(kClDeviceSvmCapabilities) & kClSvmCoarseBuffer) != 0;
    }
};

/// All devices of all platforms, in their order. Throws Error.
std::vector<ClDeviceRef> cl_devices();

} // namespace vmafgpu
