// SPDX-License-Identifier: BSD-2-Clause-Patent
// The inner structs of DeviceExecutor: device memory, images, and the state of pairs in flight.
// Shared by device_executor.cpp, batch.cpp, upload.cpp and images.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <exception>

#include "base/numeric.h"
#include "base/sketch.h"
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

/// Device memory for the planes of one pair.
struct DeviceExecutor::Slot {
    char *device = nullptr;          ///< reference planes, then distorted ones; null: not needed
    std::unique_ptr<Event> uploaded; ///< for all pairs whose upload ended with this one
    PairView view = {};
    uint32_t *unpack_count =
        nullptr;          ///< device: launches that unpacked pictures, since the opening
    uint32_t unpacks = 0; ///< how many there must be
};

/// Pinned memory in which host pictures are staged: a pair, laid out like a Slot, or an image.
struct DeviceExecutor::Pinned {
    char *data = nullptr;
    Event *uploaded = nullptr; ///< of a slot or image: the upload that reads this; null: unused
};

/// All pinned memory of one kind. It is allocated when host pictures come.
struct DeviceExecutor::PinnedPool {
    PinnedPool(size_t piece_bytes, size_t most_pieces) : bytes(piece_bytes), most(most_pieces)
    {
        free.reserve(most); // give_back() must not throw
    }
    void give_back(Pinned *piece) { free.push_back(piece); }

    size_t bytes; ///< of a piece
    size_t most;  ///< pieces
    std::vector<std::unique_ptr<Memory>> memory;
    std::vector<std::unique_ptr<Pinned>> pieces;
    std::vector<Pinned *> free; ///< the longest unused first
};

/// Device memory of an image, for one image after the other.
struct DeviceExecutor::ImageMemory {
    std::unique_ptr<Memory> device; ///< planes; then the sketch; then the launch count
    std::unique_ptr<Memory> host;   ///< pinned copy of sketch and count; null: not yet needed
    std::unique_ptr<Memory> source; ///< a host picture to be scaled; null: not yet needed
    std::unique_ptr<Event> uploaded;
    bool is_counted = false; ///< the launch count is known; else it has to be cleared first
    uint32_t launches = 0;   ///< what it must be, if it is known
};

/// A device picture that an image is copied from.
struct DeviceExecutor::ReadPicture {
    std::shared_ptr<HeldPicture> picture;
    Event *uploaded; ///< of the image's memory. An image that uses it later only delays the release
};

/// Pinned memory of one picture that host features read.
struct DeviceExecutor::HostMemory {
    DeviceExecutor *owner = nullptr;
    std::unique_ptr<Memory> data;
    std::unique_ptr<Event> downloaded;
};

/// A picture for host features.
struct DeviceExecutor::HostPicture {
    bool is_ready() const { return downloaded == nullptr || downloaded->done(); }

    std::shared_ptr<HeldPicture>
        held;                    ///< the caller's, or one in HostMemory; null: not yet asked for
    Event *downloaded = nullptr; ///< of the HostMemory; null: the caller's
};

struct DeviceExecutor::DeviceImage : TakenImage {
    DeviceImage(DeviceExecutor &executor, bool is_sketched)
        : TakenImage(is_sketched), owner(executor)
    {
    }
    ~DeviceImage() override
    {
        Staging::wait(staging);
        if (pinned != nullptr)
            owner.pinned_images_->give_back(pinned);
        auto &list = owner.staging_images_;
        list.erase(std::remove(list.begin(), list.end(), this), list.end());
        // What the copy queue still does to the memory comes before the next image's upload.
        if (memory != nullptr)
            owner.free_images_.push_back(memory);
    }

    bool is_staged() const
    {
        return pinned != nullptr && staging.load(std::memory_order_acquire) == 0;
    }

    DeviceExecutor &owner;
    ImageMemory *memory = nullptr;
    /// True if the device makes its planes, and its sketch. Else they are copied.
    bool has_launches() const { return !is_from_host || is_scaled; }

    bool is_from_host = false;
    bool is_scaled = false;               ///< the picture has another size than its planes
    Format staged;                        ///< in which a host picture is staged; threads read it
    bool is_uploaded = false;             ///< the upload or the copy has been issued
    std::shared_ptr<HeldPicture> picture; ///< from the host: until it is staged
    Pinned *pinned = nullptr;             ///< held from the start of staging to the upload
    Staging::Left staging{0};             ///< copies into pinned memory that are not finished
    std::array<uint8_t, kSketchBytes> host_sketch = {}; ///< of a host picture
    HostPicture on_host;                                ///< only with host features
};

/// Memory for the Sums of one batch. In front of the Sums, on device and host, is one launch
/// count per group. Behind them, on the host only, are copies of all slots' unpack counts.
struct DeviceExecutor::ResultBlock {
    char *device = nullptr;
    char *host = nullptr;
    std::vector<uint32_t> launches;            ///< expected launch count of each group
    bool has_unpacks = false;                  ///< the unpack counts are downloaded too
    std::unique_ptr<Event> ready;              ///< pairs are uploaded, Sums cleared
    std::vector<std::unique_ptr<Event>> ended; ///< one per group
    std::unique_ptr<Event> done;
    bool is_done = false; ///< `done` has been seen
    int users = 0;        ///< jobs that have not yet taken their results
};

struct DeviceExecutor::State : JobState {
    explicit State(DeviceExecutor &executor) : owner(executor) {}
    ~State() override
    {
        Staging::wait(staging);
        if (pinned != nullptr && !is_read)
            owner.pinned_->give_back(pinned);
        release_block();
        if (is_host_begun)
            owner.host_->settle(host_job);
        // These still hold the job only if the device failed.
        const auto forget = [this](auto &list) {
            list.erase(std::remove(list.begin(), list.end(), this), list.end());
        };
        forget(owner.uploading_);
        forget(owner.holding_);
        forget(owner.pending_);
        forget(owner.host_waiting_);
    }

    bool is_of_images() const { return images[0] != nullptr; }
    bool has_unpacks() const { return !is_of_images() && !(is_from_host[0] && is_from_host[1]); }
    bool is_staged() const
    {
        if (is_of_images())
            return images[0]->is_uploaded && images[1]->is_uploaded;
        return !(is_from_host[0] || is_from_host[1]) ||
               (pinned != nullptr && staging.load(std::memory_order_acquire) == 0);
    }

    /// Releases host pictures that are completely in pinned memory.
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
    ResultBlock *block = nullptr; ///< null before the launch and after results are taken
    int place = 0;                ///< within the batch
    bool is_kept = true;
    Slot *uploaded_with = nullptr;            ///< last slot of its upload; null: not yet issued
    bool is_taken = false;                    ///< the results are in job.sums
    bool is_from_host[2] = {};                ///< reference, distorted
    Pinned *pinned = nullptr;                 ///< held from the start of staging to the upload
    bool is_read = false;                     ///< the upload has been issued
    Staging::Left staging{0};                 ///< copies into pinned memory that are not finished
    std::shared_ptr<HeldPicture> pictures[2]; ///< being read; null for images
    /// Until the results are taken. Reference, distorted: null for pictures. Then `previous`.
    std::shared_ptr<DeviceImage> images[2 + kMaxHistory];
    bool has_host_part = false;  ///< host features compute something of this pair
    bool begins_segment = false; ///< of the pair, for host features
    bool is_host_begun = false;
    bool is_host_done = false;     ///< and this has been seen
    HostPicture host_pictures[2];  ///< until host features begin
    std::exception_ptr host_fault; ///< they could not begin
    Job host_job;                  ///< of host_
};

} // namespace vmafgpu
