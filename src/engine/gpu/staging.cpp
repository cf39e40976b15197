// SPDX-License-Identifier: BSD-2-Clause-Patent
// See staging.h.
#include "gpu/staging.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/numeric.h"
#include "base/processors.h"
#include "base/unpack.h"

namespace vmafgpu {
namespace {

/// One core copies 5 to 10 GB/s, a PCIe link takes up to 55.
constexpr unsigned kMostThreads = 8;
/// Bytes from which another thread saves time.
constexpr size_t kChunkBytes = 1024 * 1024;
constexpr size_t kSmall = 32 * 1024;
/// Waking a thread costs more than copying a small picture. So threads stay awake at thousands
/// of pairs per second, and sleep at hundreds.
constexpr std::chrono::microseconds kSpin{200};

} // namespace

ThreadPool &Staging::pool()
{
    if (pool_ == nullptr) {
        // Half of the cores; decoders need the others.
        const unsigned threads =
            std::clamp(static_cast<unsigned>(available_processors()) / 2, 1U, kMostThreads);
        pool_ = std::make_unique<ThreadPool>(static_cast<int>(threads), kSpin);
    }
    return *pool_;
}

void Staging::start(const VmafGpuPicture &picture, int plane, const Format &format, char *to,
                    size_t pitch, Left &left)
{
    const int rows = format.plane_height(plane);
    const size_t bytes = pitch * static_cast<size_t>(rows);
    if (bytes <= kSmall) {
        unpack_plane(picture, plane, format, to, pitch);
        return;
    }
    const int chunks = static_cast<int>(divide_up(bytes, kChunkBytes));
    ThreadPool &threads = pool();
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const int begin = static_cast<int>(static_cast<int64_t>(rows) * chunk / chunks);
        const int end = static_cast<int>(static_cast<int64_t>(rows) * (chunk + 1) / chunks);
        ++left;
        try {
            threads.post([=, &picture, &format, &left](int) {
                unpack_rows(picture, plane, format, to, pitch, begin, end);
                left.fetch_sub(1, std::memory_order_release);
            });
        } catch (...) { // no memory: first wait for the copies that were posted
            --left;
            throw;
        }
    }
}

void Staging::wait(const Left &left)
{
    while (left.load(std::memory_order_acquire) != 0)
        std::this_thread::yield();
}

} // namespace vmafgpu
