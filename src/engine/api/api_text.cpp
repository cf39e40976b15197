// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions that need neither model nor context: versions and texts of error codes. See
// include/vmaf_gpu/vmaf_gpu.h; all others are in api.cpp.
#include "vmaf_gpu/vmaf_gpu.h"

#include <cerrno>
#include <climits>

const char *vmafgpu_version(void)
{
    return VMAFGPU_VERSION;
}

int vmafgpu_api_version(void)
{
    return VMAFGPU_API_VERSION;
}

const char *vmafgpu_strerror(int error)
{
    switch (error < 0 && error != INT_MIN ? -error : error) {
    case 0:
        return "success";
    case EAGAIN:
        return "try again: collect first, or submit more";
    case EINVAL:
        return "invalid argument";
    case EIO:
        return "the device or a file failed";
    case ENODATA:
        return "no data: everything has been collected";
    case ENODEV:
        return "no such device";
    case ENOENT:
        return "no such file or model";
    case ENOMEM:
        return "out of memory";
    case ENOTSUP:
        return "not supported by this backend";
    case ENOSPC:
        return "no space left";
    case ENOSYS:
        return "not in this build";
    default:
        return "error of the operating system";
    }
}
