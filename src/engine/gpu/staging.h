// SPDX-License-Identifier: BSD-2-Clause-Patent
// Copies host pictures into pinned memory, on threads of its own, so that submit() does not wait
// and several pictures are copied at once. This is the only work of DeviceExecutor outside the API
// thread. It never touches a device.
#pragma once

#include <atomic>
#include <memory>

#include "base/picture.h"
#include "base/thread_pool.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class Staging {
public:
    /// Number of a pair's copies that are not finished.
    using Left = std::atomic<int>;

    /// Starts copying a plane into rows of `pitch` bytes. `left` is 0 again when the copies are
    /// finished; until then the picture, the memory and the counter must exist. Small planes are
    /// copied before this returns.
    void start(const VmafGpuPicture &picture, int plane, const Format &format, char *to,
               size_t pitch, Left &left);

    static void wait(const Left &left);

private:
    ThreadPool &pool();

    std::unique_ptr<ThreadPool> pool_; ///< created for the first host picture
};

} // namespace vmafgpu
