// SPDX-License-Identifier: BSD-2-Clause-Patent
// See host_side.h.
#include "gpu/host_side.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "system/thread_pool.h"

namespace vmafgpu {

HostSide::HostSide(Device &device, const ScorePlan &plan, int threads, Uploader &uploader)
    : device_(device), plan_(plan), uploader_(uploader)
{
    bool has_any = false;
    for (const ScorePlan::Group &group : plan_.groups()) {
        const bool is_on_host = group.device() == nullptr;
        has_any = has_any || is_on_host;
        is_temporal_ = is_temporal_ || (is_on_host && group.is_temporal);
    }
    if (!has_any)
        return;
    queue_ = &uploader_.queue(); // the copy queue's uploads precede the downloads in any case
    if (queue_->traits().most_queues == 0) {
        own_queue_ = device.make_queue();
        queue_ = own_queue_.get();
    }
    executor_ = std::make_unique<CpuExecutor>(uploader.layout().format(), plan_, threads,
                                              CpuExecutor::Features::kOnHostOnly);
}

void HostSide::expect(const Job &job, PairState &state)
{
    HostPart &part = state.host;
    if (executor_ == nullptr)
        return;
    // The image does not hold it any longer. A later pair finds the picture on the device.
    for (int i = 0; i < 2; ++i)
        part.pictures[i] = std::exchange(state.images[i]->on_host, {});
    part.is_needed = job.is_kept || is_temporal_;
    if (!part.is_needed) {
        part.pictures[0] = part.pictures[1] = {};
        return;
    }
    part.job.is_kept = job.is_kept;
    part.job.index = job.index;
    part.job.sums.resize(job.sums.size());
    waiting_.push_back(&state);
}

void HostSide::end_segment()
{
    if (executor_ == nullptr)
        return;
    waiting_.push_back(nullptr);
    advance();
}

/// Brings an image back once it is in device memory.
HostPicture HostSide::download(const DeviceImage &image)
{
    const PlaneLayout &layout = uploader_.layout();
    if (free_copies_.empty()) {
        auto copy = std::make_unique<Copy>();
        copy->owner = this;
        copy->downloaded = device_.make_event();
        copy->memory =
            std::make_unique<DeviceMemory>(device_, layout.bytes(), DeviceMemory::Kind::kPinned);
        free_copies_.reserve(copies_.size() + 1); // the release of a copy must not throw
        copies_.push_back(std::move(copy));
        free_copies_.push_back(copies_.back().get());
    }
    Copy &copy = *free_copies_.back();
    VmafGpuPicture picture = layout.picture(copy.memory->data(), VMAFGPU_MEMORY_HOST);
    picture.release = [](void *opaque) {
        auto *freed = static_cast<Copy *>(opaque);
        freed->owner->free_copies_.push_back(freed);
    };
    picture.opaque = &copy;
    auto held = std::make_shared<HeldPicture>(picture);
    uploader_.order_after(image, *queue_);
    queue_->download(copy.memory->data(), image.planes, layout.bytes());
    queue_->record(*copy.downloaded);
    free_copies_.pop_back();
    held->own();
    return {held, copy.downloaded.get()};
}

/// Issues the downloads of a pair whose images have been issued.
void HostSide::request_pictures(PairState &state)
{
    for (size_t i = 0; i < 2; ++i) {
        DeviceImage &image = *state.images[i]; // may be in earlier pairs too, or twice in this one
        if (state.host.pictures[i].held != nullptr)
            continue;
        if (image.on_host.held == nullptr)
            image.on_host = download(image);
        state.host.pictures[i] = image.on_host;
    }
}

/// Gives a pair, whose pictures are in host memory, to the threads.
void HostSide::begin(PairState &state)
{
    HostPart &part = state.host;
    executor_->prepare(part.job, part.pictures[0].held, part.pictures[1].held);
    executor_->begin(part.job);
    part.is_begun = true;
    for (HostPicture &picture : part.pictures)
        picture = {};
}

void HostSide::advance()
{
    const auto is_issued = [](const DeviceImage &image) {
        return image.upload == nullptr || image.upload->is_issued;
    };
    for (PairState *state : waiting_)
        if (state != nullptr && is_issued(*state->images[0]) && is_issued(*state->images[1]))
            request_pictures(*state);
    for (; !waiting_.empty(); waiting_.pop_front()) {
        PairState *state = waiting_.front();
        if (state == nullptr) { // the last picture is not kept for a successor that never comes
            executor_->end_segment();
            continue;
        }
        for (const HostPicture &picture : state->host.pictures)
            if (picture.held == nullptr || !picture.is_ready())
                return;
        begin(*state);
    }
}

bool HostSide::is_done(PairState &state)
{
    HostPart &part = state.host;
    if (!part.is_needed || part.is_done)
        return true;
    advance();
    part.is_done = part.is_begun && executor_->is_done(part.job);
    return part.is_done;
}

void HostSide::wait_idle(PairState &state)
{
    HostPart &part = state.host;
    if (!part.is_needed)
        return;
    while (!part.is_begun) {
        advance();
        if (waiting_.empty() || part.is_begun)
            continue;
        for (const HostPicture &picture : waiting_.front()->host.pictures)
            if (picture.downloaded != nullptr)
                picture.downloaded->sync();
    }
    executor_->wait_idle(part.job);
}

void HostSide::take_sums(PairState &state, std::vector<uint64_t> &sums)
{
    if (!state.host.is_needed)
        return;
    executor_->wait(state.host.job);
    for (const ScorePlan::Group &group : plan_.groups()) {
        if (group.device() != nullptr)
            continue;
        const size_t words = group.sums_offset / sizeof(uint64_t);
        std::copy_n(state.host.job.sums.begin() + static_cast<ptrdiff_t>(words),
                    divide_up(group.memory.sums, sizeof(uint64_t)),
                    sums.begin() + static_cast<ptrdiff_t>(words));
    }
    state.host.job.state.reset();
    state.host.is_begun = false;
}

void HostSide::forget(PairState &state) noexcept
{
    if (state.host.is_begun)
        executor_->wait_idle(state.host.job);
    waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &state), waiting_.end());
}

/// Downloads a pair on the copy queue: a piece that is freed meanwhile gets its next image after
/// that.
PairView HostSide::fetch(const DeviceImage &first, const DeviceImage &second)
{
    const PlaneLayout &layout = uploader_.layout();
    if (fetched_ == nullptr)
        fetched_ = std::make_unique<DeviceMemory>(device_, 2 * layout.bytes(),
                                                  DeviceMemory::Kind::kPinned);
    char *const to[2] = {fetched_->data(), fetched_->data() + layout.bytes()};
    std::shared_ptr<DeviceImage> copies[2]; // copies of borrowed images, in the engine's layout
    for (int i = 0; i < 2; ++i) {
        const DeviceImage *image = i == 0 ? &first : &second;
        if (image->borrowed != nullptr) {
            copies[i] = uploader_.take(image->borrowed, false, false);
            image = copies[i].get();
            uploader_.wait_for(*image);
        }
        uploader_.queue().download(to[i], image->planes, layout.bytes());
    }
    const std::unique_ptr<Event> fetched = device_.make_event();
    uploader_.queue().record(*fetched);
    fetched->sync();
    return layout.pair(to[0], to[1]);
}

/// This is rare, so memory is allocated here.
void HostSide::complete(const PairState &state, std::vector<uint64_t> &sums)
{
    PairView host = {};
    for (const ScorePlan::Group &group : plan_.groups()) {
        char *own = reinterpret_cast<char *>(sums.data()) + group.sums_offset;
        const FeatureDevice *device_code = group.device();
        if (device_code == nullptr || device_code->is_complete(own))
            continue;
        if (host.distorted[0].data == nullptr)
            host = fetch(*state.images[0], *state.images[1]);
        std::vector<char> memory(group.memory.cpu_scratch + kDeviceAlignment);
        void *scratch = memory.data();
        size_t space = memory.size();
        ThreadPool pool(0);
        group.feature->compute(host, own, std::align(kDeviceAlignment, 1, scratch, space), pool);
    }
}

} // namespace vmafgpu
