// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of DeviceExecutor that decides when pairs are uploaded, when a batch is launched, and on
// which queues. No function here waits.
//
//   copy queue    uploads of the batch's pairs; clears the Sums; then event `ready`
//   group queues  wait for `ready`; the launches of one group; then event `ended`. Batches come in
//                 order, because a group's scratch memory serves one batch after the other
//   queue         waits for every `ended`; downloads the Sums; then event `done`
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "gpu/slots.h"

namespace vmafgpu {

/// One queue for each group, or as many as the device runs beside the two that exist. Then scratch
/// memory tells the work: the group with most of it comes first, each to the queue with the least.
void DeviceExecutor::open_queues()
{
    const auto &groups = plan_.groups();
    const int most = queue_->traits().most_queues;
    const auto free = static_cast<size_t>(std::max(1, most - 2));
    const size_t count = most == 0 ? groups.size() : std::min(groups.size(), free);
    for (size_t i = 0; i < count; ++i)
        more_queues_.push_back(device_->make_queue());
    std::vector<size_t> order(groups.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return groups[a].memory.scratch > groups[b].memory.scratch;
    });
    std::vector<size_t> load(count);
    group_queues_.resize(groups.size());
    for (const size_t group : order) {
        const auto least = std::min_element(load.begin(), load.end());
        *least += groups[group].memory.scratch + 1; // none has no work
        group_queues_[group] = more_queues_[static_cast<size_t>(least - load.begin())].get();
    }
}

/// Uploads waiting pairs in order, and launches full batches. Several pairs share the driver
/// calls of an upload; with is_urgent, every pair that can be uploaded is uploaded now.
void DeviceExecutor::advance(bool is_urgent)
{
    const auto batch = static_cast<size_t>(batch_size_);
    const size_t enough = is_urgent || pending_.size() >= batch ? 1 : upload_size_;
    advance_images();
    for (;;) {
        for (State *state : uploading_)
            if (!stage(*state))
                break;
        size_t count = 0;
        while (count < std::min<size_t>(uploading_.size(), kMaxUnpackPairs) &&
               uploading_[count]->is_staged())
            ++count;
        if (count < enough)
            break;
        upload(count);
    }
    while (pending_.size() >= batch && pending_[batch - 1]->uploaded_with != nullptr)
        launch(batch);
}

/// Issues the upload of the first `count` waiting pairs.
void DeviceExecutor::upload(size_t count)
{
    const std::vector<State *> states(uploading_.begin(),
                                      uploading_.begin() + static_cast<ptrdiff_t>(count));
    unpack_device_pictures(states);
    for (State *state : states)
        upload_staged(*state);
    Slot &last = *states.back()->slot;
    if (!std::all_of(states.begin(), states.end(),
                     [](const State *state) { return state->is_of_images(); }))
        copy_queue_->record(*last.uploaded);
    for (State *state : states) {
        state->uploaded_with = &last;
        uploading_.pop_front();
        if (state->pinned == nullptr)
            continue;
        state->pinned->uploaded = last.uploaded.get();
        pinned_->give_back(state->pinned);
        state->pinned = nullptr;
    }
}

/// Launches the pending pairs that are uploaded, at most one batch.
void DeviceExecutor::launch_uploaded()
{
    size_t count = 0;
    while (count < pending_.size() && pending_[count]->uploaded_with != nullptr)
        ++count;
    if (count > 0)
        launch(std::min(count, static_cast<size_t>(batch_size_)));
}

/// Launches a batch of the first `count` pending pairs.
void DeviceExecutor::launch(size_t count)
{
    const auto end = pending_.begin() + static_cast<ptrdiff_t>(count);
    const std::vector<State *> states(pending_.begin(), end);
    pending_.erase(pending_.begin(), end); // if the launch fails, they are not tried again
    ResultBlock *block = free_blocks_.back();
    free_blocks_.pop_back();
    block->users = static_cast<int>(count);
    block->is_done = false;
    for (size_t i = 0; i < count; ++i) {
        states[i]->block = block;
        states[i]->place = static_cast<int>(i);
    }
    latest_ = block;
    is_broken_ = true; // if this throws, part of the batch may be running
    record_batch(states, *block);
    is_broken_ = false;
}

void DeviceExecutor::throw_if_broken() const
{
    if (is_broken_)
        throw Error(EIO, "an earlier batch could not be started: nothing more can be scored");
}

void DeviceExecutor::record_group(size_t group_index, const std::vector<State *> &states,
                                  ResultBlock &block)
{
    const ScorePlan::Group &group = plan_.groups()[group_index];
    Queue &queue = *group_queues_[group_index];
    queue.count_launches(reinterpret_cast<uint32_t *>(block.device) + group_index);
    // Pairs that are left out by subsampling split a batch into runs.
    const auto takes = [&](size_t i) {
        return group.is_temporal || states[i]->is_kept;
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
        batch.sums = block.device + counts_bytes_ + begin * sums_stride_ + group.sums_offset;
        batch.sums_stride = sums_stride_;
        batch.scratch = scratch_ + begin * scratch_stride_ + scratch_offsets_[group_index];
        batch.scratch_stride = scratch_stride_;
        batch.shared_scratch = shared_scratch_ + shared_offsets_[group_index];
        batch.tables = tables_ + table_offsets_[group_index];
        group.feature->record(queue, batch);
        begin = end;
    }
    block.launches[group_index] = queue.launches();
}

void DeviceExecutor::record_batch(const std::vector<State *> &states, ResultBlock &block)
{
    const size_t bytes = counts_bytes_ + sums_stride_ * states.size();
    std::memset(block.host, 0xff, counts_bytes_);
    copy_queue_->fill(block.device, 0, bytes);
    copy_queue_->record(*block.ready); // after the uploads of all these pairs
    bool is_on_device = false;
    for (size_t p = 0; p < plan_.groups().size(); ++p) {
        block.launches[p] = 0;
        if (plan_.groups()[p].feature->runs_on_host())
            continue;
        is_on_device = true;
        group_queues_[p]->wait(*block.ready);
        record_group(p, states, block);
        group_queues_[p]->record(*block.ended[p]);
        queue_->wait(*block.ended[p]);
    }
    if (!is_on_device) // the host computes all features: nothing else has waited
        queue_->wait(*block.ready);
    queue_->download(block.host, block.device, bytes);
    block.has_unpacks = std::any_of(states.begin(), states.end(),
                                    [](const State *state) { return state->has_unpacks(); });
    if (block.has_unpacks)
        queue_->download(block.host + counts_bytes_ +
                             sums_stride_ * static_cast<size_t>(batch_size_),
                         unpack_counts_, sizeof(uint32_t) * slots_.size());
    queue_->record(*block.done);
}

} // namespace vmafgpu
