// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of DeviceExecutor that brings pictures into slots: host pictures through pinned memory,
// device pictures by a kernel.
#include <cerrno>

#include "base/error.h"
#include "gpu/slots.h"
#include "gpu/unpack_args.h"

namespace vmafgpu {

/// Null if all pinned memory is in use and no more may be allocated.
DeviceExecutor::Pinned *DeviceExecutor::take_pinned(PinnedPool &pool)
{
    if (!pool.free.empty()) {
        Pinned *oldest = pool.free.front();
        if (oldest->uploaded == nullptr || oldest->uploaded->done()) {
            pool.free.erase(pool.free.begin());
            oldest->uploaded = nullptr;
            return oldest;
        }
    }
    if (pool.pieces.size() == pool.most)
        return nullptr;
    auto pinned = std::make_unique<Pinned>();
    try {
        pool.memory.push_back(std::make_unique<Memory>(*device_, pool.bytes, true));
    } catch (const Error &error) {
        if (error.code() != ENOMEM || pool.pieces.empty())
            throw;
        pool.most = pool.pieces.size(); // slower, but not an error
        return nullptr;
    }
    pinned->data = pool.memory.back()->data;
    pool.pieces.push_back(std::move(pinned));
    return pool.pieces.back().get();
}

/// Starts copying a pair's host pictures into pinned memory. False if none is free now.
bool DeviceExecutor::stage(State &state)
{
    if (!(state.is_from_host[0] || state.is_from_host[1]) || state.pinned != nullptr)
        return true;
    state.pinned = take_pinned(*pinned_);
    if (state.pinned == nullptr)
        return false;
    for (int image = 0; image < 2; ++image) {
        for (int p = 0; p < planes_ && state.is_from_host[image]; ++p) {
            const ptrdiff_t at = plane_memory(*state.slot, p, image == 1) - state.slot->device;
            staging_.start(state.pictures[image]->get(), p, format_, state.pinned->data + at,
                           row_bytes(p), state.staging);
        }
    }
    return true;
}

/// Issues the upload of host pictures. They have been staged completely.
void DeviceExecutor::upload_staged(State &state)
{
    const size_t count = (state.is_from_host[0] ? 1U : 0U) + (state.is_from_host[1] ? 1U : 0U);
    if (count == 0)
        return;
    const size_t at = state.is_from_host[0] ? 0 : picture_bytes_;
    copy_queue_->upload(state.slot->device + at, state.pinned->data + at, count * picture_bytes_);
    state.release_staged();
    state.is_read = true;
}

UnpackPlane DeviceExecutor::device_plane(const VmafGpuPicture &picture, int plane, char *to) const
{
    const VmafGpuPlane &source = picture.plane[plane];
    UnpackPlane unpack = {};
    unpack.from = source.data;
    unpack.from_pitch = source.pitch;
    unpack.to = to;
    unpack.to_pitch = static_cast<int64_t>(row_bytes(plane));
    unpack.height = format_.plane_height(plane);
    unpack.from_bytes = picture.depth > 8 ? 2 : 1;
    unpack.to_bytes = format_.sample_bytes();
    unpack.step = source.step == 0 ? unpack.from_bytes : source.step;
    unpack.shift = picture.shift;
    unpack.mask = (1 << picture.depth) - 1;
    unpack.promote = format_.depth - picture.depth;
    unpack.width = format_.plane_width(plane);
    const bool is_aligned =
        reinterpret_cast<uintptr_t>(source.data) % 16 == 0 && source.pitch % 16 == 0;
    unpack.is_plain = is_aligned && unpack.from_bytes == unpack.to_bytes && unpack.promote == 0 &&
                              unpack.step == unpack.from_bytes
                          ? 1
                          : 0;
    const int run = unpack.is_plain != 0 ? 16 / unpack.from_bytes : 1;
    unpack.items_per_row = (unpack.width + run - 1) / run;
    return unpack;
}

/// Unpacks the device pictures of several pairs, all planes in one launch.
void DeviceExecutor::unpack_device_pictures(const std::vector<State *> &states)
{
    UnpackPlanesArgs args = {};
    unsigned count = 0;
    int64_t items = 0;
    for (const State *state : states) {
        if (!state->has_unpacks())
            continue;
        for (int image = 0; image < 2; ++image) {
            for (int p = 0; p < planes_ && !state->is_from_host[image]; ++p) {
                UnpackPlane &plane = args.plane[count++];
                plane = device_plane(state->pictures[image]->get(), p,
                                     plane_memory(*state->slot, p, image == 1));
                items = std::max(items, static_cast<int64_t>(plane.items_per_row) * plane.height);
            }
        }
    }
    if (count == 0)
        return;
    Slot &slot = *states.back()->slot;
    copy_queue_->wait_native(native_stream_);
    copy_queue_->count_launches(slot.unpack_count);
    copy_queue_->launch(kUnpackPlanes, {static_cast<unsigned>((items + 255) / 256), 1, count},
                        args);
    ++slot.unpacks;
}

} // namespace vmafgpu
