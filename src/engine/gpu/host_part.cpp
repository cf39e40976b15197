// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of DeviceExecutor that computes host features (Feature::runs_on_host): it brings device
// pictures back, and gives each pair to a CpuExecutor in order. Only settle_host() waits.
#include "base/error.h"
#include "gpu/slots.h"

namespace vmafgpu {

void DeviceExecutor::open_host(int threads)
{
    bool has_any = false;
    for (const ScorePlan::Group &group : plan_.groups()) {
        if (!group.feature->runs_on_host())
            continue;
        has_any = true;
        has_temporal_host_features_ = has_temporal_host_features_ || group.is_temporal;
    }
    if (!has_any)
        return;
    host_queue_ = copy_queue_.get(); // its uploads precede the downloads in any case
    if (queue_->traits().most_queues == 0) {
        more_queues_.push_back(device_->make_queue());
        host_queue_ = more_queues_.back().get();
    }
    host_ =
        std::make_unique<CpuExecutor>(format_, plan_, threads, CpuExecutor::Features::kOnHostOnly);
}

/// Enters a pair among those whose host features will begin.
void DeviceExecutor::expect_host(const Job &job, State &state)
{
    state.has_host_part = host_ != nullptr && (job.is_kept || has_temporal_host_features_);
    if (!state.has_host_part)
        return;
    state.host_job.is_kept = job.is_kept;
    state.host_job.index = job.index;
    state.host_job.sums.resize(job.sums.size());
    state.begins_segment = segment_length_ == 0;
    for (int image = 0; image < 2; ++image) {
        if (state.is_of_images())
            state.host_pictures[image] = state.images[image]->on_host;
        else if (state.is_from_host[image])
            state.host_pictures[image].held = state.pictures[image];
    }
    host_waiting_.push_back(&state);
}

/// Brings a picture back once it is in device memory.
DeviceExecutor::HostPicture DeviceExecutor::download(const char *planes, Event &uploaded)
{
    if (free_host_memory_.empty()) {
        auto memory = std::make_unique<HostMemory>();
        memory->owner = this;
        memory->downloaded = device_->make_event();
        memory->data = std::make_unique<Memory>(*device_, picture_bytes_, true);
        free_host_memory_.reserve(host_memory_.size() + 1); // its release must not throw
        host_memory_.push_back(std::move(memory));
        free_host_memory_.push_back(host_memory_.back().get());
    }
    HostMemory &memory = *free_host_memory_.back();
    VmafGpuPicture picture = {};
    picture.width = format_.width;
    picture.height = format_.height;
    picture.depth = format_.depth;
    picture.memory = VMAFGPU_MEMORY_HOST;
    for (int p = 0; p < planes_; ++p) {
        picture.plane[p].data = memory.data->data + plane_offset(p);
        picture.plane[p].pitch = static_cast<ptrdiff_t>(row_bytes(p));
    }
    picture.release = [](void *opaque) {
        auto *freed = static_cast<HostMemory *>(opaque);
        freed->owner->free_host_memory_.push_back(freed);
    };
    picture.opaque = &memory;
    auto held = std::make_shared<HeldPicture>(picture);
    host_queue_->wait(uploaded);
    host_queue_->download(memory.data->data, planes, picture_bytes_);
    host_queue_->record(*memory.downloaded);
    free_host_memory_.pop_back();
    held->own();
    return {held, memory.downloaded.get()};
}

/// Issues the downloads of a pair whose upload has been issued.
void DeviceExecutor::request_host_pictures(State &state)
{
    for (size_t i = 0; i < 2; ++i) {
        HostPicture &picture = state.host_pictures[i];
        if (picture.held != nullptr)
            continue;
        if (!state.is_of_images()) {
            picture =
                download(state.slot->device + i * picture_bytes_, *state.uploaded_with->uploaded);
            continue;
        }
        DeviceImage &image = *state.images[i]; // may be in earlier pairs too, or twice in this one
        if (image.on_host.held == nullptr)
            image.on_host = download(image.memory->device->data, *image.memory->uploaded);
        picture = image.on_host;
    }
}

/// Gives a pair, whose pictures are in host memory, to the threads.
void DeviceExecutor::begin_host(State &state)
{
    if (state.begins_segment)
        host_->end_segment();
    host_->prepare(state.host_job, state.host_pictures[0].held, state.host_pictures[1].held);
    host_->begin(state.host_job);
    state.is_host_begun = true;
    for (HostPicture &picture : state.host_pictures)
        picture = {};
}

/// The last pair's picture is not kept for a successor that never comes.
void DeviceExecutor::end_host_segment()
{
    if (host_ != nullptr && host_waiting_.empty() && segment_length_ == 0)
        host_->end_segment();
}

/// Begins what can begin, in the order of pairs. What fails is thrown when the pair is asked for.
void DeviceExecutor::advance_host() noexcept
{
    const auto attempt = [](State &state, const auto &action) {
        try {
            action();
        } catch (...) { // see above
            state.host_fault = std::current_exception();
        }
    };
    for (State *state : host_waiting_)
        if (state->uploaded_with != nullptr && !state->host_fault)
            attempt(*state, [&] { request_host_pictures(*state); });
    while (!host_waiting_.empty()) {
        State &state = *host_waiting_.front();
        bool is_ready = false;
        attempt(state, [&] {
            is_ready = state.uploaded_with != nullptr && !state.host_fault &&
                       state.host_pictures[0].is_ready() && state.host_pictures[1].is_ready();
        });
        if (is_ready)
            attempt(state, [&] { begin_host(state); });
        if (!state.is_host_begun && !state.host_fault)
            return;
        host_waiting_.pop_front();
        end_host_segment();
    }
}

bool DeviceExecutor::is_host_done(State &state)
{
    if (!state.has_host_part || state.is_host_done)
        return true;
    advance_host();
    if (state.host_fault)
        std::rethrow_exception(state.host_fault);
    state.is_host_done = state.is_host_begun && host_->is_done(state.host_job);
    return state.is_host_done;
}

/// Waits for the host part of a pair that the device has computed.
void DeviceExecutor::settle_host(State &state)
{
    if (!state.has_host_part)
        return;
    while (!state.is_host_begun && !state.host_fault) {
        advance_host();
        if (host_waiting_.empty() || state.is_host_begun)
            continue;
        for (const HostPicture &picture : host_waiting_.front()->host_pictures)
            if (picture.downloaded != nullptr)
                picture.downloaded->sync();
    }
    if (!state.host_fault) // else nothing of it runs
        host_->settle(state.host_job);
}

void DeviceExecutor::take_host_results(Job &job, State &state)
{
    for (const ScorePlan::Group &group : plan_.groups()) {
        if (!group.feature->runs_on_host())
            continue;
        const size_t words = group.sums_offset / sizeof(uint64_t);
        std::copy_n(state.host_job.sums.begin() + static_cast<ptrdiff_t>(words),
                    divide_up(group.memory.sums, sizeof(uint64_t)),
                    job.sums.begin() + static_cast<ptrdiff_t>(words));
    }
    state.host_job.state.reset();
    state.is_host_begun = false;
}

} // namespace vmafgpu
