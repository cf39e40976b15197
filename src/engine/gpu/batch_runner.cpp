// SPDX-License-Identifier: BSD-2-Clause-Patent
// See batch_runner.h.
#include "gpu/batch_runner.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace vmafgpu {

BatchRunner::BatchRunner(Device &device, const ScorePlan &plan, int ring_depth, Uploader &uploader)
    : info_(device.info()), plan_(plan), uploader_(uploader),
      // Two batches in flight keep the device busy while the next one is collected.
      batch_size_(static_cast<size_t>(std::clamp(ring_depth / 2, 1, kMaxBatch))),
      sums_stride_(device_align(plan.sums_bytes())),
      counts_bytes_(device_align(sizeof(uint32_t) * plan.groups().size())),
      queue_(device.make_queue())
{
    open_queues(device);
    allocate_scratch(device);
    allocate_blocks(device, ring_depth + plan.delay() + 1); // a batch may be a single pair
}

/// One queue for each group, or as many as the device runs beside the two that exist. Then scratch
/// memory tells the work: the group with most of it comes first, each to the queue with the least.
void BatchRunner::open_queues(Device &device)
{
    const auto &groups = plan_.groups();
    const int most = queue_->traits().most_queues;
    const auto free = static_cast<size_t>(std::max(1, most - 2));
    const size_t count = most == 0 ? groups.size() : std::min(groups.size(), free);
    for (size_t i = 0; i < count; ++i)
        more_queues_.push_back(device.make_queue());
    std::vector<size_t> order(groups.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return groups[a].memory.scratch > groups[b].memory.scratch;
    });
    std::vector<size_t> load(count);
    group_queues_.resize(groups.size());
    for (const size_t group : order) {
        const auto least = std::min_element(load.begin(), load.end());
        *least += groups[group].memory.scratch + 1; // every group has some work
        group_queues_[group] = more_queues_[static_cast<size_t>(least - load.begin())].get();
    }
}

/// Scratch memory of every group for a whole batch, and the tables of the features.
void BatchRunner::allocate_scratch(Device &device)
{
    size_t shared = 0;
    size_t tables = 0;
    for (const ScorePlan::Group &group : plan_.groups()) {
        // Each group has its own scratch: groups run concurrently, and tests poison and check
        // scratch by address.
        scratch_offsets_.push_back(scratch_stride_);
        scratch_stride_ += device_align(group.memory.scratch);
        shared_offsets_.push_back(shared);
        shared += device_align(group.memory.shared_scratch * batch_size_);
        table_offsets_.push_back(tables);
        tables += device_align(group.memory.tables);
    }
    scratch_ = std::make_unique<DeviceMemory>(device, scratch_stride_ * batch_size_);
    shared_scratch_ = std::make_unique<DeviceMemory>(device, shared);
    tables_ = std::make_unique<DeviceMemory>(device, tables);
    host_tables_ = std::make_unique<DeviceMemory>(device, tables, DeviceMemory::Kind::kPinned);
    for (size_t p = 0; p < plan_.groups().size(); ++p)
        if (const auto *device_code = plan_.groups()[p].device(); device_code != nullptr)
            device_code->fill_tables(host_tables_->data() + table_offsets_[p]);
    uploader_.queue().upload(tables_->data(), host_tables_->data(),
                             tables); // issued before any `ready`
}

void BatchRunner::allocate_blocks(Device &device, int count)
{
    const size_t bytes = counts_bytes_ + sums_stride_ * batch_size_;
    for (int i = 0; i < count; ++i) {
        auto block = std::make_unique<ResultBlock>();
        block->device = std::make_unique<DeviceMemory>(device, bytes);
        block->host = std::make_unique<DeviceMemory>(device, bytes, DeviceMemory::Kind::kPinned);
        block->launches.resize(plan_.groups().size());
        uploader_.queue().fill(block->device->data(), 0xff, counts_bytes_); // no real count
        block->ready = device.make_event();
        for (size_t p = 0; p < plan_.groups().size(); ++p)
            block->ended.push_back(device.make_event());
        block->done = device.make_event();
        free_blocks_.push_back(block.get());
        blocks_.push_back(std::move(block));
    }
}

/// Issues the images of the first `count` pending pairs. Returns false if some are still being
/// copied.
bool BatchRunner::request(size_t count)
{
    return std::all_of(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(count),
                       [this](const PairState *state) {
                           return uploader_.request(*state->images[0]) &&
                                  uploader_.request(*state->images[1]);
                       });
}

void BatchRunner::advance()
{
    while (pending_.size() >= batch_size_ && request(batch_size_))
        launch(batch_size_);
}

/// Launches a batch of the first `count` pending pairs.
void BatchRunner::launch(size_t count)
{
    if (has_failed_)
        throw Error(EIO, "a batch could not be started before: nothing more can be scored");
    ResultBlock *block = free_blocks_.back();
    free_blocks_.pop_back();
    try {
        record_batch(count, *block);
    } catch (...) { // part of the batch may be running
        has_failed_ = true;
        drain(*block);
        throw;
    }
    block->users = static_cast<int>(count);
    block->is_done = false;
    for (size_t i = 0; i < count; ++i) {
        pending_[i]->block = block;
        pending_[i]->place = static_cast<int>(i);
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(count));
    latest_ = block;
    uploader_.close();
}

/// Waits until no queue uses a block of which part was launched.
void BatchRunner::drain(const ResultBlock &block) noexcept
{
    uploader_.drain();
    try {
        for (const auto &queue : more_queues_) {
            queue->record(*block.done);
            block.done->sync();
        }
        queue_->record(*block.done);
        block.done->sync();
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): the first is told
    }
}

PairView BatchRunner::view(const PairState &state) const
{
    PairView view = {};
    for (int p = 0; p < uploader_.layout().planes(); ++p) {
        view.reference[p] = uploader_.plane(*state.images[0], p);
        view.distorted[p] = uploader_.plane(*state.images[1], p);
    }
    for (int back = 0; back < kMaxHistory; ++back)
        if (const auto &image = state.images[2 + back]; image != nullptr)
            view.previous[back] = uploader_.plane(*image, 0);
    return view;
}

void BatchRunner::record_group(size_t group_index, size_t count, ResultBlock &block)
{
    const ScorePlan::Group &group = plan_.groups()[group_index];
    Queue &queue = *group_queues_[group_index];
    queue.count_launches(reinterpret_cast<uint32_t *>(block.device->data()) + group_index);
    // Pairs that are left out by subsampling split a batch into runs.
    const auto takes = [&](size_t i) {
        return group.is_temporal || pending_[i]->is_kept;
    };
    for (size_t begin = 0; begin < count; ++begin) {
        size_t end = begin;
        while (end < count && takes(end))
            ++end;
        if (end == begin)
            continue;
        BatchView batch = {};
        batch.pairs = views_.data() + begin;
        batch.count = static_cast<int>(end - begin);
        batch.sums =
            block.device->data() + counts_bytes_ + begin * sums_stride_ + group.sums_offset;
        batch.sums_stride = sums_stride_;
        batch.scratch = scratch_->data() + begin * scratch_stride_ + scratch_offsets_[group_index];
        batch.scratch_stride = scratch_stride_;
        batch.shared_scratch = shared_scratch_->data() + shared_offsets_[group_index];
        batch.tables = tables_->data() + table_offsets_[group_index];
        group.device()->record(queue, batch);
        begin = end;
    }
    block.launches[group_index] = queue.launches();
}

void BatchRunner::record_batch(size_t count, ResultBlock &block)
{
    views_.clear();
    for (size_t i = 0; i < count; ++i)
        views_.push_back(view(*pending_[i]));
    const size_t bytes = counts_bytes_ + sums_stride_ * count;
    std::memset(block.host->data(), 0xff, counts_bytes_);
    uploader_.queue().fill(block.device->data(), 0, bytes);
    uploader_.queue().record(*block.ready); // the event comes after the images of all these pairs
    bool is_on_device = false;
    for (size_t p = 0; p < plan_.groups().size(); ++p) {
        block.launches[p] = 0;
        if (plan_.groups()[p].device() == nullptr)
            continue;
        is_on_device = true;
        group_queues_[p]->wait(*block.ready);
        record_group(p, count, block);
        group_queues_[p]->record(*block.ended[p]);
        queue_->wait(*block.ended[p]);
    }
    if (!is_on_device) // the host computes all features: nothing else has waited
        queue_->wait(*block.ready);
    queue_->download(block.host->data(), block.device->data(), bytes);
    queue_->record(*block.done);
}

/// Asks the driver only until the event has been seen once.
bool BatchRunner::is_done(ResultBlock &block)
{
    block.is_done = block.is_done || block.done->done();
    return block.is_done;
}

/// True if the device has finished the latest batch.
bool BatchRunner::is_idle()
{
    return latest_ == nullptr || latest_->users == 0 || is_done(*latest_);
}

bool BatchRunner::is_done(const PairState &state)
{
    if (state.block != nullptr && is_done(*state.block))
        return true;
    uploader_.poll();
    advance();
    if (is_idle()) { // a busy device gets larger batches, which share the driver's calls
        size_t count = std::min(pending_.size(), batch_size_);
        while (count > 0 && !request(count))
            --count;
        if (count > 0)
            launch(count);
    }
    return false;
}

void BatchRunner::wait_idle(const PairState &state)
{
    while (state.block == nullptr) {
        // The pairs that were submitted with it go into the same batch.
        const size_t count = std::min(pending_.size(), batch_size_);
        for (size_t i = 0; i < count; ++i)
            for (int k = 0; k < 2; ++k)
                uploader_.flush(*pending_[i]->images[k]);
        launch(count);
    }
    // Meanwhile, later pictures that are being copied can be uploaded.
    while (!is_done(*state.block)) {
        const bool has_issued = uploader_.issue_next();
        advance();
        if (has_issued)
            continue;
        state.block->done->sync();
        state.block->is_done = true;
    }
}

void BatchRunner::take_sums(PairState &state, std::vector<uint64_t> &sums)
{
    for (const auto &image : state.images)
        if (image != nullptr)
            uploader_.wait_for(*image);
    const char *counts = state.block->host->data();
    for (size_t p = 0; p < plan_.groups().size(); ++p) {
        uint32_t count = 0;
        std::memcpy(&count, counts + sizeof(count) * p, sizeof(count));
        if (count != state.block->launches[p])
            throw lost_work(info_, state.block->launches[p], " launches for a batch", count);
    }
    std::memcpy(sums.data(),
                counts + counts_bytes_ + sums_stride_ * static_cast<size_t>(state.place),
                plan_.sums_bytes());
}

void BatchRunner::release(PairState &state) noexcept
{
    if (state.block != nullptr && !state.block->is_done) {
        try { // the batch may still read borrowed pictures after a failure
            state.block->done->sync();
            state.block->is_done = true;
        } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): the device is lost
        }
    }
    if (state.block != nullptr && --state.block->users == 0)
        free_blocks_.push_back(state.block);
    state.block = nullptr;
}

void BatchRunner::forget(PairState &state) noexcept
{
    release(state);
    pending_.erase(std::remove(pending_.begin(), pending_.end(), &state), pending_.end());
}

} // namespace vmafgpu
