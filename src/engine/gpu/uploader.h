// SPDX-License-Identifier: BSD-2-Clause-Patent
// Brings pictures to device memory as images, all in the engine's layout. Several that are taken
// one after the other make an upload batch: they share an upload of host pictures, one launch that
// unpacks all planes, one that makes all sketches, and one download. An upload batch is issued when
// it is full, when somebody needs one of its images, or when too many device pictures are held.
// Uploads are issued in the order of take().
//
// Only wait_for(), flush(), issue_next(), finish_reading() and trim() wait, and take() where too
// much is on its way.
//
// Launches are counted next to the sketches, so that a lost one shows when the upload batch is
// done. A lost copy is not detected.
#pragma once

#include <deque>

#include "base/error.h"
#include "base/log.h"
#include "gpu/inbox.h"
#include "gpu/pair_state.h"
#include "gpu/unpack_args.h"
#include "scaler/scale_record.h"

namespace vmafgpu {

/// The error for launches of which only `count` were counted.
Error lost_work(const VmafGpuDevice &info, uint32_t expected, const char *what, uint32_t count);

/// An upload batch, and what became of it. Used again when that is done.
struct Upload {
    struct Member {
        DeviceImage *image; ///< null: nobody needs it any more
        std::shared_ptr<HeldPicture> picture;
        VmafGpuPicture source; ///< the picture in device memory
        char *planes;          ///< the image's planes; null: it is read where it is
        bool is_on_device, is_scaled, has_sketch;
    };

    std::vector<Member> members;
    size_t places = 0;    ///< members so far, also freed ones
    size_t on_device = 0; ///< members whose pictures were in device memory
    size_t sketches = 0;  ///< sketches that were launched
    Inbox::Block block;
    std::unique_ptr<DeviceMemory> device, host; ///< the launch count; then the sketches
    std::unique_ptr<Event> arrived; ///< the block's upload has ended, if it has a queue of its own
    std::unique_ptr<Event> done;    ///< recorded when the upload is closed
    bool is_full = false;           ///< no image joins it
    bool is_touched = false;        ///< a part of the upload may be running
    bool is_issued = false;         ///< the images are made
    bool is_closed = false;         ///< the sketches, and their download
    bool is_counted = false;        ///< the launch count is known; else it has to be cleared first
    uint32_t launches = 0;          ///< the launch count that is expected
};

class Uploader {
public:
    Uploader(Device &device, const PlaneLayout &layout,
             const std::shared_ptr<const ScalePlan> &scale, void *native_stream, int most_held,
             const Log &log);

    const PlaneLayout &layout() const { return layout_; }
    bool is_scaled(const VmafGpuPicture &picture) const
    {
        return scale_ != nullptr && scale_->plan().is_source(picture.width, picture.height);
    }
    /// Its work comes after that of the uploads that have been issued.
    Queue &queue() { return *copy_queue_; }

    /// may_borrow: the image may be the caller's picture, if that is VMAFGPU_PICTURE_HOLD. If it
    /// throws, nothing reads the picture.
    std::shared_ptr<DeviceImage> take(const std::shared_ptr<HeldPicture> &picture,
                                      bool wants_sketch, bool may_borrow);
    /// The plane as kernels find it, once the image has been issued.
    Plane plane(const DeviceImage &image, int p) const
    {
        if (image.borrowed == nullptr)
            return layout_.plane(image.planes, p);
        const VmafGpuPlane &given = image.borrowed->get().plane[p];
        return {given.data, given.pitch};
    }
    void forget(DeviceImage &image) noexcept;
    /// Waits until an image's picture is no longer read.
    void finish_reading(const DeviceImage &image) noexcept;

    /// Issues the upload batch of an image, and those before it. Returns false if pictures are
    /// still being copied into the inbox: then nothing is issued.
    bool request(const DeviceImage &image);
    /// Issues the upload batches of all images, as request() does.
    void request_all();
    /// Issues the upload batch of an image; blocks until its pictures are in the inbox.
    void flush(const DeviceImage &image);
    /// Issues the oldest upload batch; blocks until its pictures are in the inbox. Returns false if
    /// there is none.
    bool issue_next();
    /// Makes the sketches of the last upload batch and issues its download. No feature reads them,
    /// so that they may wait while there is something more urgent.
    void close();
    /// Makes later work of the queue wait for the image's planes, whose upload has been issued.
    void order_after(const DeviceImage &image, Queue &queue);
    /// Waits until an image is ready.
    void wait_for(const DeviceImage &image);
    /// Releases the pictures that have been read.
    void poll();
    /// Waits until the copy queue is idle.
    void drain() noexcept;

    /// See Executor::trim().
    void trim() noexcept
    {
        drain();
        pool_.trim();
    }

private:
    size_t held() const;
    bool can_borrow(const VmafGpuPicture &picture) const;
    void add_upload();
    Upload &open_upload();
    void advance();
    void issue_front();
    void issue(Upload &upload);
    void upload_block(Upload &upload);
    void launch_unpack(const Upload &upload);
    void launch_scaler(const Upload::Member &member);
    void launch_sketches(Upload &upload);
    void finish_until(const Upload &upload);
    void finish(Upload &upload);
    void finish_oldest();
    void recycle(Upload &upload);

    Device &device_;
    PlaneLayout layout_;
    std::unique_ptr<const ScaleTables> scale_; ///< null: no picture is scaled
    void *native_stream_;
    size_t most_held_; ///< device pictures
    Log log_;
    size_t batch_places_; ///< most pictures of an upload batch
    size_t most_uploads_; ///< beyond them the oldest is waited for
    Inbox inbox_;
    ImagePool pool_;
    std::unique_ptr<DeviceMemory> scale_tables_, host_scale_tables_;
    std::vector<std::unique_ptr<Upload>> uploads_;
    std::vector<Upload *> free_;
    std::deque<Upload *> waiting_; ///< all full but the last one
    std::deque<Upload *> issued_;  ///< all closed but the last one
    std::unique_ptr<Event> drained_;
    std::unique_ptr<Queue> copy_queue_, upload_queue_; ///< the second one may be missing
};

} // namespace vmafgpu
