// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory of a device, or pinned memory of the host, that frees itself.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

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

/// Memory for images: equal pieces, allocated when there is no free one. A piece is free or has one
/// owner.
class ImagePool {
public:
    ImagePool(Device &device, size_t bytes) : device_(device), bytes_(bytes) {}

    char *take()
    {
        if (free_.empty()) {
            free_.reserve(pieces_.size() + 1); // release() must not throw
            pieces_.push_back(std::make_unique<DeviceMemory>(device_, bytes_));
            return pieces_.back()->data();
        }
        char *piece = free_.back();
        free_.pop_back();
        return piece;
    }
    /// Returns a piece. Work of the copy queue on it comes before the next image's upload.
    void release(char *piece) noexcept { free_.push_back(piece); }
    /// Frees all pieces that are free; nothing may be on its way to them.
    void trim() noexcept
    {
        const auto is_free = [this](const auto &piece) {
            return std::find(free_.begin(), free_.end(), piece->data()) != free_.end();
        };
        pieces_.erase(std::remove_if(pieces_.begin(), pieces_.end(), is_free), pieces_.end());
        free_.clear();
    }

private:
    Device &device_;
    size_t bytes_;
    std::vector<std::unique_ptr<DeviceMemory>> pieces_;
    std::vector<char *> free_;
};

} // namespace vmafgpu
