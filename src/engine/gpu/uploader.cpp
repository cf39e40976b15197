// SPDX-License-Identifier: BSD-2-Clause-Patent
// See uploader.h.
#include "gpu/uploader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace vmafgpu {
namespace {

/// Small pictures come so fast that driver calls matter, so that many share them. Large ones go one
/// pair at a time, which frees the decoder's surface sooner.
constexpr size_t kUploadBytes = size_t{8} << 20;
/// There is little pinned memory, so that it stays in the processor's cache.
constexpr size_t kInboxBytes = size_t{64} << 20;
constexpr size_t kLeastUploads = 4, kMostUploads = 8;

/// Place of the sketches in an upload's memory.
constexpr size_t kSketches = 16;
constexpr size_t kTailBytes = kSketches + kMostUploadImages * size_t{kSketchBytes};

/// The layout of a picture in the inbox.
PlaneLayout raw_layout(Format format, int planes, int depth)
{
    format.depth = depth;
    return {format, planes, Inbox::kRowAlignment};
}

size_t picture_room(const PlaneLayout &layout, const ScaleTables *scale)
{
    const auto room = [&](const Format &format) {
        return device_align(raw_layout(format, layout.planes(), layout.format().depth).bytes());
    };
    const size_t unscaled = std::max(kDeviceAlignment, room(layout.format()));
    return scale == nullptr ? unscaled : std::max(unscaled, room(scale->plan().source()));
}

size_t upload_batch_size(size_t picture_bytes, size_t most_held)
{
    const size_t wanted = std::clamp<size_t>(kUploadBytes / picture_bytes, 2, kMostUploadImages);
    return std::min(wanted, std::max<size_t>(most_held / 2, 1)); // one is made, one is filled
}

/// Whole items of 16 bytes are in the format as they are.
bool is_plain(const VmafGpuPicture &picture, int p, const Format &format)
{
    const VmafGpuPlane &plane = picture.plane[p];
    return reinterpret_cast<uintptr_t>(plane.data) % 16 == 0 && plane.pitch % 16 == 0 &&
           picture.depth == format.depth &&
           (plane.step == 0 || plane.step == format.sample_bytes());
}

UnpackPlane unpack_plane_args(const VmafGpuPicture &picture, int p, const PlaneLayout &layout,
                              char *planes)
{
    const Format &format = layout.format();
    const VmafGpuPlane &source = picture.plane[p];
    UnpackPlane unpack = {};
    unpack.from = source.data;
    unpack.from_pitch = source.pitch;
    unpack.to = planes + layout.offset(p);
    unpack.to_pitch = static_cast<int64_t>(layout.pitch(p));
    unpack.height = format.plane_height(p);
    unpack.from_bytes = picture.depth > 8 ? 2 : 1;
    unpack.to_bytes = format.sample_bytes();
    unpack.step = source.step == 0 ? unpack.from_bytes : source.step;
    unpack.shift = picture.shift;
    unpack.mask = (1 << picture.depth) - 1;
    unpack.promote = format.depth - picture.depth;
    unpack.width = format.plane_width(p);
    unpack.is_plain = is_plain(picture, p, format) ? 1 : 0;
    unpack.items_per_row =
        divide_up(unpack.width, unpack.is_plain != 0 ? 16 / unpack.from_bytes : 1);
    return unpack;
}

} // namespace

Error lost_work(const VmafGpuDevice &info, uint32_t expected, const char *what, uint32_t count)
{
    return {EIO, std::string(info.selector) + " (" + info.name + ") lost work: of " +
                     std::to_string(expected) + what + ", " + std::to_string(count) +
                     " are counted; its scores would be wrong"};
}

DeviceImage::~DeviceImage()
{
    uploader.forget(*this);
}

Uploader::Uploader(Device &device, const PlaneLayout &layout,
                   const std::shared_ptr<const ScalePlan> &scale, void *native_stream,
                   int most_held, const Log &log)
    : device_(device), layout_(layout),
      scale_(scale == nullptr ? nullptr : std::make_unique<ScaleTables>(*scale)),
      native_stream_(native_stream), most_held_(static_cast<size_t>(most_held)), log_(log),
      batch_places_(upload_batch_size(layout.bytes(), most_held_)),
      most_uploads_(std::clamp(kInboxBytes / (batch_places_ * picture_room(layout, scale_.get())),
                               kLeastUploads, kMostUploads)),
      inbox_(device, batch_places_ * picture_room(layout, scale_.get())),
      pool_(device, layout.bytes()), drained_(device.make_event()),
      copy_queue_(device.make_copy_queue())
{
    // An upload need not wait until the pictures before it are unpacked.
    if (copy_queue_->traits().most_queues == 0)
        upload_queue_ = device.make_copy_queue();
    if (scale_ == nullptr)
        return;
    scale_tables_ = std::make_unique<DeviceMemory>(device, scale_->bytes());
    host_scale_tables_ =
        std::make_unique<DeviceMemory>(device, scale_->bytes(), DeviceMemory::Kind::kPinned);
    scale_->fill(host_scale_tables_->data());
    copy_queue_->upload(scale_tables_->data(), host_scale_tables_->data(), scale_->bytes());
}

// ------------------------------------------------------------- pictures come

void Uploader::add_upload()
{
    auto upload = std::make_unique<Upload>();
    upload->members.reserve(batch_places_);
    upload->device = std::make_unique<DeviceMemory>(device_, kTailBytes);
    upload->host = std::make_unique<DeviceMemory>(device_, kTailBytes, DeviceMemory::Kind::kPinned);
    upload->arrived = device_.make_event();
    upload->done = device_.make_event();
    free_.reserve(uploads_.size() + 1); // recycle() must not throw
    uploads_.push_back(std::move(upload));
    free_.push_back(uploads_.back().get());
}

/// Device pictures that are not released.
size_t Uploader::held() const
{
    size_t count = 0;
    for (const auto *line : {&issued_, &waiting_})
        for (const Upload *upload : *line)
            count += upload->on_device;
    return count;
}

/// The upload batch that the next picture joins.
Upload &Uploader::open_upload()
{
    if (!waiting_.empty() && !waiting_.back()->is_full)
        return *waiting_.back();
    poll();
    if (free_.empty() && uploads_.size() >= most_uploads_)
        finish_oldest();
    if (free_.empty())
        add_upload();
    waiting_.push_back(free_.back());
    free_.pop_back();
    return *waiting_.back();
}

/// Kernels read whole items of 16 bytes, and mask nothing.
bool Uploader::can_borrow(const VmafGpuPicture &picture) const
{
    const Format &format = layout_.format();
    bool is_good =
        (picture.flags & VMAFGPU_PICTURE_HOLD) != 0 && format.depth % 8 == 0 && !is_scaled(picture);
    for (int p = 0; p < layout_.planes(); ++p)
        is_good =
            is_good && is_plain(picture, p, format) &&
            picture.plane[p].pitch >= static_cast<ptrdiff_t>(round_up(layout_.row(p), size_t{16}));
    return is_good;
}

std::shared_ptr<DeviceImage> Uploader::take(const std::shared_ptr<HeldPicture> &picture,
                                            bool wants_sketch, bool may_borrow)
{
    const VmafGpuPicture &given = picture->get();
    const bool is_on_device = given.memory == VMAFGPU_MEMORY_DEVICE;
    while (is_on_device && held() >= most_held_)
        finish_oldest();
    auto image = std::make_shared<DeviceImage>(*this);
    if (is_on_device && may_borrow && can_borrow(given))
        image->borrowed = picture;
    else
        image->planes = pool_.take();
    Upload &upload = open_upload();
    upload.members.push_back(
        {image.get(), picture, given, image->planes, is_on_device, is_scaled(given), wants_sketch});
    image->upload = &upload;
    upload.on_device += is_on_device ? 1 : 0;
    upload.is_full = ++upload.places == batch_places_;
    Upload::Member &member = upload.members.back();
    if (!is_on_device)
        member.source =
            inbox_.add(given,
                       raw_layout(member.is_scaled ? scale_->plan().source() : layout_.format(),
                                  layout_.planes(), given.depth),
                       upload.block);
    try {
        advance();
    } catch (...) {
        finish_reading(*image);
        throw;
    }
    return image;
}

void Uploader::forget(DeviceImage &image) noexcept
{
    if (Upload *upload = image.upload; upload != nullptr) {
        const auto member =
            std::find_if(upload->members.begin(), upload->members.end(),
                         [&](const Upload::Member &one) { return one.image == &image; });
        member->image = nullptr;
        if (!upload->is_issued) {
            finish_reading(image);
            upload->on_device -= member->is_on_device ? 1 : 0;
            upload->members.erase(member);
        }
        if (upload->members.empty())
            upload->places = upload->block.used = 0;
    }
    if (image.planes != nullptr)
        pool_.release(image.planes);
}

void Uploader::finish_reading(const DeviceImage &image) noexcept
{
    if (image.upload == nullptr)
        return;
    inbox_.wait(image.upload->block);
    if (image.upload->is_touched)
        drain();
}

void Uploader::drain() noexcept
{
    try {
        for (Queue *queue : {upload_queue_.get(), copy_queue_.get()}) {
            if (queue == nullptr)
                continue;
            queue->record(*drained_);
            drained_->sync();
        }
    } catch (const std::exception &error) { // the device failed: nothing is running
        try {
            log_(VMAFGPU_LOG_WARNING, std::string("while releasing: ") + error.what());
        } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory for a warning
        }
    }
}

// ------------------------------------------------------- upload batches are issued

/// Issues the full upload batches that are in the inbox.
void Uploader::advance()
{
    while (!waiting_.empty() && waiting_.front()->is_full &&
           Inbox::is_copied(waiting_.front()->block))
        issue_front();
}

bool Uploader::request(const DeviceImage &image)
{
    if (image.upload == nullptr || image.upload->is_issued)
        return true;
    request_all();
    return image.upload->is_issued;
}

void Uploader::request_all()
{
    if (!waiting_.empty())
        waiting_.back()->is_full = true;
    advance();
}

void Uploader::flush(const DeviceImage &image)
{
    while (image.upload != nullptr && !image.upload->is_issued)
        issue_next();
}

bool Uploader::issue_next()
{
    if (waiting_.empty())
        return false;
    waiting_.front()->is_full = true;
    inbox_.wait(waiting_.front()->block);
    issue_front();
    return true;
}

void Uploader::issue_front()
{
    close();
    Upload &upload = *waiting_.front();
    if (!upload.members.empty()) {
        issue(upload);
        issued_.push_back(&upload);
        upload.is_issued = true;
        waiting_.pop_front();
    } else {
        waiting_.pop_front();
        recycle(upload);
    }
}

/// Makes the images.
void Uploader::issue(Upload &upload)
{
    Queue &queue = *copy_queue_;
    auto *count = reinterpret_cast<uint32_t *>(upload.device->data());
    upload.is_touched = true;
    if (!std::exchange(upload.is_counted, false)) {
        queue.fill(count, 0, kSketches); // the count, and what lies before the sketches
        upload.launches = 0;
    }
    if (upload.on_device > 0)
        queue.wait_native(native_stream_);
    if (upload.block.used != 0)
        upload_block(upload);
    queue.count_launches(count);
    launch_unpack(upload);
    for (const Upload::Member &member : upload.members)
        if (member.is_scaled)
            launch_scaler(member);
    upload.launches += queue.launches();
    upload.is_counted = true;
    for (Upload::Member &member : upload.members)
        if (!member.is_on_device)
            member.picture.reset(); // the picture is in the inbox
}

void Uploader::upload_block(Upload &upload)
{
    const Inbox::Block &block = upload.block;
    // A lone pair saves the way between the queues.
    const bool is_apart = upload_queue_ != nullptr && !issued_.empty();
    Queue &queue = is_apart ? *upload_queue_ : *copy_queue_;
    queue.upload(block.device->data(), block.host->data(), block.used);
    if (is_apart) {
        queue.record(*upload.arrived);
        copy_queue_->wait(*upload.arrived);
    }
}

void Uploader::launch_unpack(const Upload &upload)
{
    UnpackPlanesArgs args = {};
    unsigned count = 0;
    int64_t items = 0;
    for (const Upload::Member &member : upload.members) {
        for (int p = 0; p < layout_.planes() && member.planes != nullptr && !member.is_scaled;
             ++p) {
            UnpackPlane &plane = args.plane[count++];
            plane = unpack_plane_args(member.source, p, layout_, member.planes);
            items = std::max(items, int64_t{plane.items_per_row} * plane.height);
        }
    }
    if (count > 0)
        copy_queue_->launch(
            kUnpackPlanes, {static_cast<unsigned>(divide_up(items, int64_t{256})), 1, count}, args);
}

void Uploader::launch_scaler(const Upload::Member &member)
{
    char *to[3] = {};
    size_t pitch[3] = {};
    for (int p = 0; p < layout_.planes(); ++p) {
        to[p] = member.planes + layout_.offset(p);
        pitch[p] = layout_.pitch(p);
    }
    scale_record(*scale_, scale_tables_->data(), member.source, layout_.planes(), layout_.format(),
                 to, pitch, *copy_queue_);
}

void Uploader::launch_sketches(Upload &upload)
{
    const Format &format = layout_.format();
    SketchArgs args = {};
    unsigned count = 0;
    for (Upload::Member &member : upload.members) {
        member.has_sketch &= member.image != nullptr; // else its memory may be gone
        if (member.has_sketch) {
            const VmafGpuPlane &borrowed = member.source.plane[0];
            args.luma[count++] = member.planes == nullptr
                                     ? SketchLuma{borrowed.data, borrowed.pitch}
                                     : SketchLuma{member.planes + layout_.offset(0),
                                                  static_cast<int64_t>(layout_.pitch(0))};
        }
    }
    args.sketches = reinterpret_cast<uint8_t *>(upload.device->data() + kSketches);
    args.width = format.width;
    args.height = format.height;
    args.sample_bytes = format.sample_bytes();
    args.shift = 4 + format.depth - 8;
    args.columns = kSketchWidth;
    args.rows = kSketchHeight;
    upload.sketches = count;
    if (count == 0)
        return;
    copy_queue_->count_launches(reinterpret_cast<uint32_t *>(upload.device->data()));
    copy_queue_->launch(kSketch, {blocks_of(kSketchBytes, kSketch.threads), 1, count}, args);
    upload.launches += copy_queue_->launches();
}

void Uploader::close()
{
    if (issued_.empty() || issued_.back()->is_closed)
        return;
    Upload &upload = *issued_.back();
    launch_sketches(upload);
    copy_queue_->download(upload.host->data(), upload.device->data(),
                          kSketches + upload.sketches * size_t{kSketchBytes});
    copy_queue_->record(*upload.done);
    upload.is_closed = true;
}

void Uploader::order_after(const DeviceImage &image, Queue &queue)
{
    if (image.upload == nullptr)
        return;
    close();
    queue.wait(*image.upload->done);
}

// -------------------------------------------------------- uploads have ended

void Uploader::wait_for(const DeviceImage &image)
{
    flush(image);
    if (image.upload != nullptr) {
        close();
        image.upload->done->sync();
        finish_until(*image.upload);
    }
}

void Uploader::poll()
{
    while (!issued_.empty() && issued_.front()->is_closed && issued_.front()->done->done())
        finish_until(*issued_.front());
}

void Uploader::finish_oldest()
{
    if (issued_.empty())
        issue_next();
    if (issued_.empty()) // nobody needed those images any more
        return;
    close();
    issued_.front()->done->sync();
    finish_until(*issued_.front());
}

/// All work of these uploads has ended, since they come in order.
void Uploader::finish_until(const Upload &upload)
{
    for (bool is_last = false; !is_last;) {
        Upload &oldest = *issued_.front();
        is_last = &oldest == &upload;
        finish(oldest);
        issued_.pop_front();
        recycle(oldest);
    }
}

void Uploader::finish(Upload &upload)
{
    uint32_t count = 0;
    std::memcpy(&count, upload.host->data(), sizeof(count));
    if (count != upload.launches)
        throw lost_work(device_.info(), upload.launches, " launches that unpack pictures", count);
    const char *sketch = upload.host->data() + kSketches;
    for (const Upload::Member &member : upload.members) {
        if (member.image != nullptr && member.has_sketch)
            std::memcpy(member.image->sketch, sketch, kSketchBytes);
        sketch += member.has_sketch ? kSketchBytes : 0;
    }
}

/// Releases its pictures; its images are what they are.
void Uploader::recycle(Upload &upload)
{
    for (const Upload::Member &member : upload.members)
        if (member.image != nullptr)
            member.image->upload = nullptr;
    upload.members.clear();
    upload.places = upload.on_device = upload.block.used = 0;
    upload.is_full = upload.is_touched = upload.is_issued = upload.is_closed = false;
    free_.push_back(&upload);
}

} // namespace vmafgpu
