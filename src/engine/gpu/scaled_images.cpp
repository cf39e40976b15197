// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of DeviceExecutor that scales images. A host picture is uploaded in its own size and
// depth, and then scaled as if a caller had given it in device memory.
#include "gpu/slots.h"
#include "scale/scale_record.h"

namespace vmafgpu {

void DeviceExecutor::open_scaler()
{
    if (scale_ == nullptr)
        return;
    scale_tables_ = add_memory(scale_->bytes(), false);
    char *host_tables = add_memory(scale_->bytes(), true);
    scale_->fill(host_tables);
    copy_queue_->upload(scale_tables_, host_tables, scale_->bytes()); // ahead of the first image
}

bool DeviceExecutor::is_scaled(const VmafGpuPicture &picture) const
{
    return scale_ != nullptr && scale_->plan().is_source(picture.width, picture.height);
}

size_t DeviceExecutor::source_pitch(const Format &source, int plane)
{
    return device_align(static_cast<size_t>(source.plane_width(plane)) *
                        static_cast<size_t>(source.sample_bytes()));
}

/// Where a plane begins in a picture that is uploaded before it is scaled; beyond the last one:
/// the picture's bytes.
size_t DeviceExecutor::source_offset(const Format &source, int plane) const
{
    size_t offset = 0;
    for (int p = 0; p < std::min(plane, planes_); ++p)
        offset += source_pitch(source, p) * static_cast<size_t>(source.plane_height(p));
    return offset;
}

/// Issues the scaling of a picture in device memory into an image's planes.
void DeviceExecutor::launch_scaler(const VmafGpuPicture &picture, char *planes)
{
    char *to[3] = {};
    size_t pitch[3] = {};
    for (int p = 0; p < planes_; ++p) {
        to[p] = planes + plane_offset(p);
        pitch[p] = row_bytes(p);
    }
    scale_record(*scale_, scale_tables_, picture, planes_, format_, to, pitch, *copy_queue_);
}

/// Issues the upload of an image's host picture, which has been staged, and its scaling.
void DeviceExecutor::upload_and_scale(DeviceImage &image)
{
    ImageMemory &memory = *image.memory;
    reserve_tail(memory);
    if (memory.source == nullptr)
        memory.source =
            std::make_unique<Memory>(*device_, source_offset(scale_->plan().source(), 3), false);
    VmafGpuPicture picture = {};
    picture.depth = image.staged.depth;
    for (int p = 0; p < planes_; ++p) {
        picture.plane[p].data = memory.source->data + source_offset(image.staged, p);
        picture.plane[p].pitch = static_cast<ptrdiff_t>(source_pitch(image.staged, p));
    }
    copy_queue_->upload(memory.source->data, image.pinned->data, source_offset(image.staged, 3));
    fill_image(image, picture);
}

} // namespace vmafgpu
