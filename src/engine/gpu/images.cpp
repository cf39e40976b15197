// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of DeviceExecutor that takes images: their memory, upload or copy, and sketches. All on
// the copy queue. sketch() waits. take() waits only where too many device pictures would be held.
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/picture_compare.h"
#include "gpu/sketch_args.h"
#include "gpu/slots.h"

namespace vmafgpu {
namespace {

/// Behind the planes of an image: the sketch, and the launch count.
constexpr size_t kImageTail = kSketchBytes + sizeof(uint32_t);

/// Device pictures that may be held at a time. A decoder has few surfaces to spare, NVDEC has
/// four in FFmpeg 5.1. When they are used up, its decoder fails.
constexpr size_t kMostHeld = 2;

} // namespace

uint64_t DeviceExecutor::image_bytes() const
{
    return picture_bytes_ + device_align(kImageTail);
}

/// Memory of an image that is freed, or new one.
DeviceExecutor::ImageMemory *DeviceExecutor::take_image_memory()
{
    if (free_images_.empty()) {
        auto memory = std::make_unique<ImageMemory>();
        memory->uploaded = device_->make_event();
        memory->device = std::make_unique<Memory>(*device_, image_bytes(), false);
        free_images_.reserve(images_.size() + 1); // ~DeviceImage() must not throw
        images_.push_back(std::move(memory));
        return images_.back().get();
    }
    ImageMemory *memory = free_images_.back();
    free_images_.pop_back();
    return memory;
}

std::shared_ptr<TakenImage> DeviceExecutor::take(const std::shared_ptr<HeldPicture> &picture,
                                                 bool wants_sketch)
{
    release_inputs();
    auto image = std::make_shared<DeviceImage>(*this, wants_sketch);
    image->memory = take_image_memory();
    image->is_from_host = picture->get().memory != VMAFGPU_MEMORY_DEVICE;
    while (!image->is_from_host && reading_.size() >= kMostHeld) {
        reading_.front().uploaded->sync();
        reading_.pop_front();
    }
    image->is_scaled = is_scaled(picture->get());
    image->staged = format_;
    if (image->is_scaled) {
        image->staged = scale_->plan().source();
        image->staged.depth = picture->get().depth;
    }
    image->picture = picture;
    if (host_ != nullptr && !image->has_launches())
        image->on_host.held = picture;
    if (image->is_from_host) {
        if (wants_sketch && !image->is_scaled)
            make_sketch(picture->get(), image->host_sketch.data());
        staging_images_.push_back(image.get());
    }
    advance_images(); // not pairs: their failures are not this image's
    if (!image->is_from_host)
        unpack_device_image(*image); // last: if it throws, nothing reads the picture any more
    return image;
}

/// Starts copying an image's host picture into pinned memory. False if none is free now.
bool DeviceExecutor::stage(DeviceImage &image)
{
    if (image.pinned != nullptr)
        return true;
    image.pinned = take_pinned(*pinned_images_);
    if (image.pinned == nullptr)
        return false;
    try {
        for (int p = 0; p < planes_; ++p)
            if (image.is_scaled)
                staging_.start(image.picture->get(), p, image.staged,
                               image.pinned->data + source_offset(image.staged, p),
                               source_pitch(image.staged, p), image.staging);
            else
                staging_.start(image.picture->get(), p, image.staged,
                               image.pinned->data + plane_offset(p), row_bytes(p), image.staging);
    } catch (...) { // to be staged again from the beginning
        Staging::wait(image.staging);
        pinned_images_->give_back(std::exchange(image.pinned, nullptr));
        throw;
    }
    return true;
}

/// Issues the upload of an image that has been staged.
void DeviceExecutor::upload_staged(DeviceImage &image)
{
    if (image.is_scaled) {
        upload_and_scale(image);
    } else {
        copy_queue_->upload(image.memory->device->data, image.pinned->data, picture_bytes_);
        copy_queue_->record(*image.memory->uploaded);
    }
    image.pinned->uploaded = image.memory->uploaded.get();
    pinned_images_->give_back(std::exchange(image.pinned, nullptr));
    image.is_uploaded = true;
    image.picture.reset();
}

/// Stages host pictures of images and uploads those that are staged, in order.
void DeviceExecutor::advance_images()
{
    for (DeviceImage *image : staging_images_)
        if (!stage(*image))
            break;
    while (!staging_images_.empty() && staging_images_.front()->is_staged()) {
        upload_staged(*staging_images_.front());
        staging_images_.pop_front();
    }
}

/// Waits until the copy queue no longer reads a picture that goes back to the caller.
void DeviceExecutor::finish_copies(Event &event) noexcept
{
    try {
        copy_queue_->record(event);
        event.sync();
    } catch (const std::exception &error) { // the device failed: nothing is running
        report(error.what());
    }
}

/// Issues the copy of a device picture to an image's planes.
void DeviceExecutor::launch_unpack(const VmafGpuPicture &picture, char *planes)
{
    UnpackPlanesArgs args = {};
    int64_t items = 0;
    for (int p = 0; p < planes_; ++p) {
        args.plane[p] = device_plane(picture, p, planes + plane_offset(p));
        items = std::max(items,
                         static_cast<int64_t>(args.plane[p].items_per_row) * args.plane[p].height);
    }
    copy_queue_->launch(
        kUnpackPlanes,
        {static_cast<unsigned>((items + 255) / 256), 1, static_cast<unsigned>(planes_)}, args);
}

/// Issues what makes an image of a picture in device memory: its planes and its sketch. The
/// launches are counted.
void DeviceExecutor::fill_image(DeviceImage &image, const VmafGpuPicture &picture)
{
    ImageMemory &memory = *image.memory;
    char *planes = memory.device->data;
    char *tail = planes + picture_bytes_;
    if (!std::exchange(memory.is_counted, false)) {
        copy_queue_->fill(tail + kSketchBytes, 0, sizeof(uint32_t));
        memory.launches = 0;
    }
    if (!image.is_from_host)
        copy_queue_->wait_native(native_stream_);
    copy_queue_->count_launches(reinterpret_cast<uint32_t *>(tail + kSketchBytes));
    if (image.is_scaled)
        launch_scaler(picture, planes);
    else
        launch_unpack(picture, planes);
    if (image.has_sketch)
        copy_queue_->launch(kSketch, {blocks_of(kSketchBytes, 256), 1, 1},
                            SketchArgs{planes, static_cast<int64_t>(row_bytes(0)),
                                       reinterpret_cast<uint8_t *>(tail), format_.width,
                                       format_.height, format_.sample_bytes(),
                                       4 + format_.depth - 8, VMAFGPU_SKETCH_WIDTH,
                                       VMAFGPU_SKETCH_HEIGHT});
    memory.launches += copy_queue_->launches();
    copy_queue_->download(memory.host->data, tail, kImageTail);
    copy_queue_->record(*memory.uploaded);
    memory.is_counted = true;
}

/// Issues the copy of an image's device picture, and its sketch.
void DeviceExecutor::unpack_device_image(DeviceImage &image)
{
    ImageMemory &memory = *image.memory;
    reserve_tail(memory);
    reading_.push_back({image.picture, memory.uploaded.get()});
    try {
        fill_image(image, image.picture->get());
    } catch (...) {
        reading_.pop_back();
        finish_copies(*memory.uploaded);
        throw;
    }
    image.is_uploaded = true;
    image.picture.reset();
}

/// Pinned memory for a copy of the sketch and the launch count.
void DeviceExecutor::reserve_tail(ImageMemory &memory)
{
    if (memory.host == nullptr)
        memory.host = std::make_unique<Memory>(*device_, kImageTail, true);
}

/// Releases the device pictures that have been copied.
void DeviceExecutor::release_read()
{
    while (!reading_.empty() && reading_.front().uploaded->done())
        reading_.pop_front();
}

/// Throws unless all launches for the image have run, if it was a device picture. Its upload is
/// done.
void DeviceExecutor::check_count(const DeviceImage &image) const
{
    if (!image.has_launches())
        return;
    uint32_t count = 0;
    std::memcpy(&count, image.memory->host->data + kSketchBytes, sizeof(count));
    if (count != image.memory->launches)
        throw_lost(image.memory->launches, " launches that unpack an image", count);
}

/// Waits until the planes of an image are in its memory.
void DeviceExecutor::settle(DeviceImage &image)
{
    for (advance_images(); !image.is_uploaded; advance_images())
        std::this_thread::yield(); // it is being staged, or those before it are
    image.memory->uploaded->sync();
    check_count(image);
    release_read();
}

uint64_t DeviceExecutor::count_differing(TakenImage &first, TakenImage &second)
{
    auto &one = static_cast<DeviceImage &>(first);
    auto &other = static_cast<DeviceImage &>(second);
    settle(one);
    settle(other);
    const PairView view = fetch(one.memory->device->data, other.memory->device->data);
    return vmafgpu::count_differing(view.reference, view.distorted, planes_, format_);
}

const uint8_t *DeviceExecutor::sketch(TakenImage &taken)
{
    auto &image = static_cast<DeviceImage &>(taken);
    if (!image.has_launches())
        return image.host_sketch.data();
    settle(image);
    return reinterpret_cast<const uint8_t *>(image.memory->host->data);
}

void DeviceExecutor::finish_reading(TakenImage &taken) noexcept
{
    auto &image = static_cast<DeviceImage &>(taken);
    Staging::wait(image.staging);
    if (!image.is_from_host)
        finish_copies(*image.memory->uploaded);
}

void DeviceExecutor::submit(Job &job, const std::shared_ptr<TakenImage> &reference,
                            const std::shared_ptr<TakenImage> &distorted)
{
    if (submitted_ % upload_size_ == 0)
        release_inputs();
    auto owned = std::make_unique<State>(*this);
    owned->images[0] = std::static_pointer_cast<DeviceImage>(reference);
    owned->images[1] = std::static_pointer_cast<DeviceImage>(distorted);
    start(job, std::move(owned));
}

} // namespace vmafgpu
