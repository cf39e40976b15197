// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_system.h. Linux's half.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hip/hip_system.h"

namespace vmafgpu {

namespace {

constexpr const char *kDeviceNode = "/dev/kfd";

} // namespace

std::vector<std::string> hip_library_names()
{
    // ROCm's own packages may not add their folder to the loader's path.
    return {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
            "/opt/rocm/lib/libamdhip64.so"};
}

std::string hip_source_text()
{
    return "libamdhip64.so comes with ROCm's package hip-runtime-amd, Debian's and Ubuntu's "
           "libamdhip64-5 or libamdhip64-6";
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
