// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory of a device, or pinned memory of the host, that frees itself.
#pragma once

#include <algorithm>

#include "base/numeric.h"
#include "device/device.h"

namespace vmafgpu {

constexpr size_t kDeviceAlignment = 256;

inline size_t device_align(size_t bytes)
{
    return round_up(bytes, kDeviceAlignment);
}

class DeviceMemory {
public:
    enum class Kind { kDevice, kPinned };

    DeviceMemory(Device &device, size_t bytes, Kind kind = Kind::kDevice)
        : device_(device), kind_(kind)
    {
        bytes = std::max(bytes, kDeviceAlignment);
        data_ = static_cast<char *>(kind == Kind::kPinned ? device.alloc_host(bytes)
                                                          : device.alloc(bytes));
    }
    ~DeviceMemory()
    {
        if (kind_ == Kind::kPinned)
            device_.free_host(data_);
        else
            device_.free(data_);
    }
    DeviceMemory(const DeviceMemory &) = delete;
    DeviceMemory &operator=(const DeviceMemory &) = delete;

    char *data() const { return data_; }

private:
    Device &device_;
    Kind kind_;
    char *data_;
};

} // namespace vmafgpu
