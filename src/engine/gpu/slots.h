// SPDX-License-Identifier: BSD-2-Clause-Patent
// The inner structs of DeviceExecutor: device memory, and the state of pairs in flight. Shared by
// device_executor.cpp, batch.cpp and upload.cpp.
#pragma once

#include <algorithm>

#include "base/numeric.h"
#include "gpu/device_executor.h"

namespace vmafgpu {

constexpr size_t kDeviceAlignment = 256;

inline size_t device_align(size_t bytes)
{
    return round_up(bytes, kDeviceAlignment);
}

struct DeviceExecutor::Memory {
    Memory(Device &device, size_t bytes, bool is_pinned)
        : owner(device), pinned(is_pinned),
          data(static_cast<char *>(is_pinned ? device.alloc_host(bytes) : device.alloc(bytes)))
    {
    }
    ~Memory()
    {
        if (pinned)
            owner.free_host(data);
        else
            owner.free(data);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    Device &owner;
    bool pinned;
    char *data;
};

/// Planes of one pair on the device.
struct DeviceExecutor::Slot {
    char *device = nullptr;          ///< reference planes, then distorted ones
    std::unique_ptr<Event> uploaded; ///< of the pairs uploaded together up to this one
    PairView view = {};
    uint32_t *unpack_count =
        nullptr;          ///< device: launches that unpacked pictures, since the opening
    uint32_t unpacks = 0; ///< how many there must be
};

/// Pinned memory through which a pair of host pictures goes, laid out as a Slot.
struct DeviceExecutor::Pinned {
    char *data = nullptr;
    Event *uploaded = nullptr; ///< of the slots; null: not in use
};

/// Sums of one batch. Before the Sums, on either side, there is a count of launches for each
/// group; after them, on the host only, what the slots' unpack_count are.
struct DeviceExecutor::ResultBlock {
    char *device = nullptr;
    char *host = nullptr;
    std::vector<uint32_t> launches;            ///< how many there must be, of each group
    bool has_unpacks = false;                  ///< the slots' counts come back, too
    std::unique_ptr<Event> ready;              ///< pairs are uploaded, Sums cleared
    std::vector<std::unique_ptr<Event>> ended; ///< of each group
    std::unique_ptr<Event> done;
    bool is_done = false; ///< the event has been seen
    int users = 0;        ///< jobs whose results have not been taken
};

struct DeviceExecutor::State : JobState {
    explicit State(DeviceExecutor &executor) : owner(executor) {}
    ~State() override
    {
        Staging::wait(staging);
        if (pinned != nullptr && !is_read)
            owner.free_pinned_.push_back(pinned);
        release_block();
        // Only where the device failed is a job given up while it waits here.
        const auto forget = [this](auto &list) {
            list.erase(std::remove(list.begin(), list.end(), this), list.end());
        };
        forget(owner.uploading_);
        forget(owner.holding_);
        forget(owner.pending_);
    }

    bool is_staged() const
    {
        return !(is_from_host[0] || is_from_host[1]) ||
               (pinned != nullptr && staging.load(std::memory_order_acquire) == 0);
    }

    /// Of host pictures that are in pinned memory.
    void release_staged()
    {
        if (!is_staged())
            return;
        for (int image = 0; image < 2; ++image)
            if (is_from_host[image])
                pictures[image].reset();
    }

    void release_block()
    {
        if (block != nullptr && --block->users == 0)
            owner.free_blocks_.push_back(block);
        block = nullptr;
    }

    DeviceExecutor &owner;
    Slot *slot = nullptr;
    ResultBlock *block = nullptr; ///< null until launched and after the results were taken
    int place = 0;                ///< within the batch
    bool is_kept = true;
    Slot *uploaded_with = nullptr; ///< the last of those uploaded at once; null: not begun
    bool is_taken = false;         ///< results are in job.sums
    bool is_from_host[2] = {};     ///< reference, distorted
    Pinned *pinned = nullptr;      ///< from the start of staging to that of uploading
    bool is_read = false;          ///< uploading has begun
    Staging::Left staging{0};      ///< copies into pinned memory under way
    std::shared_ptr<HeldPicture> pictures[2]; ///< being read
};

} // namespace vmafgpu
