// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device memory of images: equal pieces, allocated when there is no free one. A piece is free or
// has one owner.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device_memory.h"

namespace vmafgpu {

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
    /// What the copy queue still does to the piece comes before the next image's upload.
    void release(char *piece) noexcept { free_.push_back(piece); }

private:
    Device &device_;
    size_t bytes_;
    std::vector<std::unique_ptr<DeviceMemory>> pieces_;
    std::vector<char *> free_;
};

} // namespace vmafgpu
