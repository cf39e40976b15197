// SPDX-License-Identifier: BSD-2-Clause-Patent
// Defaults of the optional functions of device.h.
#include "device/device.h"

#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace vmafgpu {

bool matrix_is_wanted()
{
    const char *value = std::getenv("VMAFGPU_MATRIX");
    return value == nullptr || std::strcmp(value, "0") != 0;
}

void *Device::import_memory(int /*fd*/, size_t /*bytes*/)
{
    throw Error(ENOTSUP, std::string("backend ") + info().backend +
                             " cannot import memory of another driver");
}

std::string Device::refusal(const char * /*kernel*/, unsigned /*threads*/)
{
    return "";
}

void *Device::import_vulkan(int fd, size_t bytes)
{
    return import_memory(fd, bytes);
}

void Device::release_import(void * /*memory*/)
{
}

} // namespace vmafgpu
