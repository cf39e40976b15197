// SPDX-License-Identifier: BSD-2-Clause-Patent
// How pictures get into the slots of device_executor.h: host ones by way of pinned
// memory, device ones by a kernel.
#include "device_slots.h"
#include "load_kernel.h"

namespace vmafgpu {

void DeviceExecutor::stage(const VmafGpuPicture &picture, State &state, bool is_distorted)
{
    for (int p = 0; p < planes_; ++p) {
        const char *device = plane_memory(*state.slot, p, is_distorted);
        staging_.start(picture, p, format_, state.slot->staging + (device - state.slot->device),
                       row_bytes(p), state.staging);
    }
}

/// Host pictures that are staged, at the latest now.
void DeviceExecutor::upload(State &state)
{
    for (size_t image = 0; image < 2; ++image) {
        if (!state.is_from_host[image])
            continue;
        const size_t at = image * picture_bytes_;
        copy_queue_->upload(state.slot->device + at, state.slot->staging + at, picture_bytes_);
        state.pictures[image].reset();
    }
}

LoadPlane DeviceExecutor::device_plane(const VmafGpuPicture &picture, int plane, char *to) const
{
    const VmafGpuPlane &source = picture.plane[plane];
    LoadPlane load = {};
    load.from = source.data;
    load.from_pitch = source.pitch;
    load.to = to;
    load.to_pitch = static_cast<int64_t>(row_bytes(plane));
    load.height = format_.plane_height(plane);
    load.from_bytes = picture.depth > 8 ? 2 : 1;
    load.to_bytes = format_.sample_bytes();
    load.step = source.step == 0 ? load.from_bytes : source.step;
    load.shift = picture.shift;
    load.mask = (1 << picture.depth) - 1;
    load.promote = format_.depth - picture.depth;
    load.width = format_.plane_width(plane);
    const bool is_aligned =
        reinterpret_cast<uintptr_t>(source.data) % 16 == 0 && source.pitch % 16 == 0;
    load.is_plain = is_aligned && load.from_bytes == load.to_bytes && load.promote == 0 &&
                            load.step == load.from_bytes
                        ? 1
                        : 0;
    const int run = load.is_plain != 0 ? 16 / load.from_bytes : 1;
    load.items_per_row = (load.width + run - 1) / run;
    return load;
}

/// Device pictures of a pair, all planes in one launch.
void DeviceExecutor::load_from_device(const HeldPicture *const (&pictures)[2], Slot &slot)
{
    LoadPlanesArgs args = {};
    unsigned count = 0;
    int64_t items = 0;
    for (int image = 0; image < 2; ++image) {
        if (pictures[image] == nullptr)
            continue;
        for (int p = 0; p < planes_; ++p) {
            LoadPlane &plane = args.plane[count++];
            plane = device_plane(pictures[image]->get(), p, plane_memory(slot, p, image == 1));
            items = std::max(items, static_cast<int64_t>(plane.items_per_row) * plane.height);
        }
    }
    if (count == 0)
        return;
    copy_queue_->count_launches(slot.load_count);
    copy_queue_->launch(kLoadPlanes, {static_cast<unsigned>((items + 255) / 256), 1, count}, args);
    ++slot.loads;
}

} // namespace vmafgpu
