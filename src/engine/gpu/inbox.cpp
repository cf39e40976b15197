// SPDX-License-Identifier: BSD-2-Clause-Patent
// See inbox.h.
#include "gpu/inbox.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "picture/unpack.h"
#include "system/poll.h"
#include "system/processors.h"

namespace vmafgpu {
namespace {

/// One core copies 5 to 10 GB/s, a PCIe link takes up to 55.
constexpr int kMostThreads = 8;
/// Bytes from which another thread saves time.
constexpr size_t kChunkBytes = 1024 * 1024;
constexpr size_t kSmall = 32 * 1024;
/// Waking a thread costs more than copying a small picture. So threads stay awake at thousands
/// of pairs per second, and sleep at hundreds.
constexpr std::chrono::microseconds kSpin{200};

/// Copies rows begin .. end - 1 of a plane as they are stored, but samples side by side: a plane
/// of interleaved ones would be uploaded with its neighbours.
void copy_rows(const VmafGpuPicture &picture, int plane, const PlaneLayout &layout, char *to,
               int begin, int end)
{
    const VmafGpuPlane &from = picture.plane[plane];
    const int bytes = layout.format().sample_bytes();
    const size_t pitch = layout.pitch(plane);
    if (from.step != 0 && from.step != bytes) {
        VmafGpuPicture stored = picture;
        Format format = layout.format();
        stored.depth = format.depth = 8 * bytes; // copies all bits of a sample
        stored.shift = 0;
        unpack_rows(stored, plane, format, to, pitch, begin, end);
        return;
    }
    const size_t row =
        static_cast<size_t>(layout.format().plane_width(plane)) * static_cast<size_t>(bytes);
    const auto *data = static_cast<const char *>(from.data);
    if (row == pitch && from.pitch == static_cast<ptrdiff_t>(pitch)) {
        std::memcpy(to + pitch * static_cast<size_t>(begin), data + from.pitch * begin,
                    pitch * static_cast<size_t>(end - begin));
        return;
    }
    for (int y = begin; y < end; ++y)
        std::memcpy(to + pitch * static_cast<size_t>(y), data + from.pitch * y, row);
}

} // namespace

void Inbox::copy_plane(const VmafGpuPicture &picture, int plane, const PlaneLayout &layout,
                       char *to, Block &block)
{
    const int rows = layout.format().plane_height(plane);
    const size_t bytes = layout.pitch(plane) * static_cast<size_t>(rows);
    if (bytes <= kSmall) {
        copy_rows(picture, plane, layout, to, 0, rows);
        return;
    }
    if (threads_ == nullptr) // half of the cores; decoders need the others
        threads_ = std::make_unique<ThreadPool>(
            std::clamp(available_processors() / 2, 1, kMostThreads), kSpin);
    const auto chunks = static_cast<int>(divide_up(bytes, kChunkBytes));
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const int begin = static_cast<int>(int64_t{rows} * chunk / chunks);
        const int end = static_cast<int>(int64_t{rows} * (chunk + 1) / chunks);
        ++block.copying;
        try {
            threads_->post([this, &picture, plane, layout, to, begin, end, &block](int) {
                copy_rows(picture, plane, layout, to, begin, end);
                const std::lock_guard<std::mutex> lock(mutex_);
                if (block.copying.fetch_sub(1, std::memory_order_release) == 1)
                    copied_.notify_all();
            });
        } catch (...) { // no memory
            --block.copying;
            throw;
        }
    }
}

VmafGpuPicture Inbox::add(const VmafGpuPicture &picture, const PlaneLayout &layout, Block &block)
{
    if (block.host == nullptr) {
        block.device = std::make_unique<DeviceMemory>(device_, block_bytes_);
        block.host =
            std::make_unique<DeviceMemory>(device_, block_bytes_, DeviceMemory::Kind::kPinned);
    }
    const size_t at = block.used;
    block.used += device_align(layout.bytes());
    for (int p = 0; p < layout.planes(); ++p)
        copy_plane(picture, p, layout, block.host->data() + at + layout.offset(p), block);
    VmafGpuPicture uploaded = layout.picture(block.device->data() + at, VMAFGPU_MEMORY_DEVICE);
    uploaded.shift = picture.shift;
    return uploaded;
}

void Inbox::wait(const Block &block) noexcept
{
    constexpr std::chrono::microseconds kPoll{50}; // a small picture takes less
    if (poll_for(kPoll, [&] { return is_copied(block); }))
        return;
    std::unique_lock<std::mutex> lock(mutex_);
    copied_.wait(lock, [&] { return is_copied(block); });
}

} // namespace vmafgpu
