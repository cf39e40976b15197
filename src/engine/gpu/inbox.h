// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where host pictures wait for their upload. Threads copy their rows into pinned memory, so that a
// picture's taker does not wait and several pictures are copied at once. This is the only work of a
// DeviceExecutor outside the API thread. It never touches a device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "gpu/device_memory.h"
#include "picture/plane_layout.h"
#include "system/thread_pool.h"

namespace vmafgpu {

class Inbox {
public:
    /// Pinned memory, and as much of the device's. Allocated with the first picture.
    struct Block {
        std::unique_ptr<DeviceMemory> host, device;
        size_t used = 0;             ///< bytes with pictures
        std::atomic<int> copying{0}; ///< copies that have not ended
    };

    Inbox(Device &device, size_t block_bytes) : device_(device), block_bytes_(block_bytes) {}

    /// Rows begin where the kernels read whole items.
    static constexpr size_t kRowAlignment = 16;

    /// Starts copying a picture, which must exist until wait() returns, into a block with room for
    /// it. layout: of kRowAlignment and the picture's own depth. Returns the picture as it will lie
    /// in device memory. Small ones are copied before that. If it throws, wait() as well.
    VmafGpuPicture add(const VmafGpuPicture &picture, const PlaneLayout &layout, Block &block);

    static bool is_copied(const Block &block)
    {
        return block.copying.load(std::memory_order_acquire) == 0;
    }
    /// Waits until all copies into the block have ended.
    void wait(const Block &block) noexcept;

private:
    void copy_plane(const VmafGpuPicture &picture, int plane, const PlaneLayout &layout, char *to,
                    Block &block);

    Device &device_;
    size_t block_bytes_;
    std::mutex mutex_;
    std::condition_variable copied_;
    std::unique_ptr<ThreadPool> threads_; ///< last: its tasks use the others
};

} // namespace vmafgpu
