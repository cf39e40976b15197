// SPDX-License-Identifier: BSD-2-Clause-Patent
// From pairs that wait to work on the device: when pairs of device_executor.h are loaded,
// and when a batch of them is launched, on which queues. Nothing here waits.
//
//   copy queue    loads ... of the batch, Sums cleared -> ready
//   part queues   after ready: a feature's launches -> ended; in the order of batches,
//                 since a part's scratch serves one batch after the other
//   queue         after all have ended: download of the Sums -> done
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "gpu/slots.h"

namespace vmafgpu {

/// Loads in order what waits for it, and launches full batches. A few pairs share a load's
/// driver calls; is_urgent: whatever can be loaded is loaded now.
void DeviceExecutor::advance(bool is_urgent)
{
    const auto batch = static_cast<size_t>(batch_size_);
    const size_t enough = is_urgent || pending_.size() >= batch ? 1 : load_size_;
    for (;;) {
        for (State *state : loading_)
            if (!stage(*state))
                break;
        size_t count = 0;
        while (count < std::min<size_t>(loading_.size(), kMaxLoadPairs) &&
               loading_[count]->is_staged())
            ++count;
        if (count < enough)
            break;
        load(count);
    }
    while (pending_.size() >= batch && pending_[batch - 1]->loaded_with != nullptr)
        launch(batch);
}

/// Begins to load the first `count` of the pairs that wait for it.
void DeviceExecutor::load(size_t count)
{
    const std::vector<State *> states(loading_.begin(),
                                      loading_.begin() + static_cast<ptrdiff_t>(count));
    load_from_device(states);
    for (State *state : states)
        upload(*state);
    Slot &last = *states.back()->slot;
    copy_queue_->record(*last.loaded);
    for (State *state : states) {
        state->loaded_with = &last;
        loading_.pop_front();
        if (state->pinned == nullptr)
            continue;
        state->pinned->uploaded = last.loaded.get();
        free_pinned_.push_back(state->pinned);
        state->pinned = nullptr;
    }
}

/// Starts what waits and is loaded.
void DeviceExecutor::launch_loaded()
{
    size_t count = 0;
    while (count < pending_.size() && pending_[count]->loaded_with != nullptr)
        ++count;
    if (count > 0)
        launch(std::min(count, static_cast<size_t>(batch_size_)));
}

/// Starts the first `count` of the pairs that wait.
void DeviceExecutor::launch(size_t count)
{
    const auto end = pending_.begin() + static_cast<ptrdiff_t>(count);
    const std::vector<State *> states(pending_.begin(), end);
    pending_.erase(pending_.begin(), end); // if this fails, theirs never come
    Area *area = free_areas_.back();
    free_areas_.pop_back();
    area->users = static_cast<int>(count);
    area->is_done = false;
    for (size_t i = 0; i < count; ++i) {
        states[i]->area = area;
        states[i]->place = static_cast<int>(i);
    }
    latest_ = area;
    is_broken_ = true; // launches of half a batch may be under way
    record_batch(states, *area);
    is_broken_ = false;
}

void DeviceExecutor::check_whole() const
{
    if (is_broken_)
        throw Error(EIO, "an earlier batch could not be started: nothing more can be scored");
}

void DeviceExecutor::record_part(size_t part_index, const std::vector<State *> &states, Area &area)
{
    const ScorePlan::Part &part = plan_.parts()[part_index];
    Queue &queue = *part_queues_[part_index];
    queue.count_launches(reinterpret_cast<uint32_t *>(area.device) + part_index);
    // Pairs left out by subsample split a batch into runs.
    const auto takes = [&](size_t i) {
        return part.is_temporal || states[i]->is_kept;
    };
    for (size_t begin = 0; begin < states.size(); ++begin) {
        if (!takes(begin))
            continue;
        size_t end = begin;
        std::vector<PairView> views;
        for (; end < states.size() && takes(end); ++end)
            views.push_back(states[end]->slot->view);
        BatchView batch = {};
        batch.pairs = views.data();
        batch.count = static_cast<int>(views.size());
        batch.sums = area.device + counts_bytes_ + begin * sums_stride_ + part.sums_offset;
        batch.sums_stride = sums_stride_;
        batch.scratch = scratch_ + begin * scratch_stride_ + scratch_offsets_[part_index];
        batch.scratch_stride = scratch_stride_;
        batch.shared_scratch = shared_scratch_ + shared_offsets_[part_index];
        batch.tables = tables_ + table_offsets_[part_index];
        part.feature->record(queue, batch);
        begin = end;
    }
    area.launches[part_index] = queue.launches();
}

void DeviceExecutor::record_batch(const std::vector<State *> &states, Area &area)
{
    const size_t bytes = counts_bytes_ + sums_stride_ * states.size();
    std::memset(area.host, 0xff, counts_bytes_);
    copy_queue_->fill(area.device, 0, bytes);
    copy_queue_->record(*area.ready); // behind the loads of all these pairs, too
    for (size_t p = 0; p < plan_.parts().size(); ++p) {
        part_queues_[p]->wait(*area.ready);
        record_part(p, states, area);
        part_queues_[p]->record(*area.ended[p]);
        queue_->wait(*area.ended[p]);
    }
    queue_->download(area.host, area.device, bytes);
    area.has_loads = std::any_of(states.begin(), states.end(), [](const State *state) {
        return !state->is_from_host[0] || !state->is_from_host[1];
    });
    if (area.has_loads)
        queue_->download(area.host + counts_bytes_ +
                             sums_stride_ * static_cast<size_t>(batch_size_),
                         load_counts_, sizeof(uint32_t) * slots_.size());
    queue_->record(*area.done);
}

} // namespace vmafgpu
