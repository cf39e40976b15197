// SPDX-License-Identifier: BSD-2-Clause-Patent
// See device_executor.h.
#include "gpu/device_executor.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/thread_pool.h"
#include "gpu/slots.h"

namespace vmafgpu {

DeviceExecutor::DeviceExecutor(const Format &format, const ScorePlan &plan, int ring_depth,
                               std::unique_ptr<Device> device, void *native_stream, const Log &log)
    : format_(format), plan_(plan), device_(std::move(device)), native_stream_(native_stream),
      log_(log), copy_queue_(device_->make_queue()), queue_(device_->make_queue()),
      // Two batches in flight keep the device busy while the next one loads.
      batch_size_(std::clamp(ring_depth / 2, 1, kMaxBatch)), planes_(plan.needs_chroma() ? 3 : 1),
      picture_bytes_(0), sums_stride_(device_align(plan.sums_bytes())),
      counts_bytes_(device_align(sizeof(uint32_t) * plan.parts().size()))
{
    for (int p = 0; p < planes_; ++p)
        picture_bytes_ += plane_bytes(p);
    // Of small pictures, which come so fast that driver calls count; a decoder's large
    // surface is free the sooner.
    constexpr size_t kLoadBytes = size_t{4} << 20;
    load_size_ = std::clamp<size_t>(
        std::min(static_cast<size_t>(batch_size_) / 4, kLoadBytes / (2 * picture_bytes_)), 1,
        kMaxLoadPairs);
    for (size_t p = 0; p < plan.parts().size(); ++p)
        part_queues_.push_back(device_->make_queue());
    allocate(ring_depth);
}

DeviceExecutor::~DeviceExecutor()
{
    try {
        const std::unique_ptr<Event> end = device_->make_event();
        const auto finish = [&](Queue &queue) {
            queue.record(*end);
            end->sync();
        };
        finish(*copy_queue_);
        for (const auto &queue : part_queues_)
            finish(*queue);
        finish(*queue_);
    } catch (const std::exception &error) { // the device failed: nothing runs any more
        report(error.what());
    }
    for (void *memory : imports_)
        device_->release_import(memory);
}

void DeviceExecutor::report(const char *text) const noexcept
{
    try {
        log_(VMAFGPU_LOG_WARNING, std::string("while releasing: ") + text);
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory for a warning
    }
}

void *DeviceExecutor::import_memory(int fd, size_t bytes)
{
    void *memory = device_->import_memory(fd, bytes);
    try {
        imports_.insert(memory);
    } catch (...) {
        device_->release_import(memory);
        throw;
    }
    return memory;
}

void DeviceExecutor::release_import(void *memory)
{
    if (imports_.erase(memory) == 0)
        throw Error(EINVAL, "memory that is not imported, or was released before");
    device_->release_import(memory);
}

size_t DeviceExecutor::row_bytes(int plane) const
{
    return device_align(static_cast<size_t>(format_.plane_width(plane)) *
                        static_cast<size_t>(format_.sample_bytes()));
}

size_t DeviceExecutor::plane_bytes(int plane) const
{
    return row_bytes(plane) * static_cast<size_t>(format_.plane_height(plane));
}

void DeviceExecutor::allocate(int ring_depth)
{
    const auto add = [this](size_t bytes, bool pinned) {
        memory_.push_back(
            std::make_unique<Memory>(*device_, std::max(bytes, kDeviceAlignment), pinned));
        return memory_.back()->data;
    };
    size_t shared = 0;
    size_t tables = 0;
    for (const ScorePlan::Part &part : plan_.parts()) {
        // Parts run one after the other, but scratch is poisoned and checked by
        // address in tests, so each has its own.
        scratch_offsets_.push_back(scratch_stride_);
        scratch_stride_ += device_align(part.memory.scratch);
        shared_offsets_.push_back(shared);
        shared += device_align(part.memory.shared_scratch * static_cast<size_t>(batch_size_));
        table_offsets_.push_back(tables);
        tables += device_align(part.memory.tables);
    }
    scratch_ = add(scratch_stride_ * static_cast<size_t>(batch_size_), false);
    shared_scratch_ = add(shared, false);
    tables_ = add(tables, false);
    char *host_tables = add(tables, true);
    for (size_t p = 0; p < plan_.parts().size(); ++p)
        plan_.parts()[p].feature->fill_tables(host_tables + table_offsets_[p]);
    copy_queue_->upload(tables_, host_tables, tables); // before the first batch is ready

    // See submit(): a slot comes round again only when every pair that reads it is done.
    const int slot_count = ring_depth + plan_.delay() + plan_.history();
    const size_t load_bytes = sizeof(uint32_t) * static_cast<size_t>(slot_count);
    load_counts_ = reinterpret_cast<uint32_t *>(add(load_bytes, false));
    copy_queue_->fill(load_counts_, 0, load_bytes);
    constexpr size_t kCachedBytes = size_t{64} << 20;
    most_pinned_ =
        std::clamp<size_t>(kCachedBytes / (2 * picture_bytes_), 4, std::max(4, slot_count));
    free_pinned_.reserve(most_pinned_); // where a pair ends nothing may fail
    for (int i = 0; i < slot_count; ++i) {
        auto slot = std::make_unique<Slot>();
        slot->load_count = load_counts_ + i;
        slot->device = add(2 * picture_bytes_, false);
        slot->loaded = device_->make_event();
        slots_.push_back(std::move(slot));
    }
    // Batches may be as short as one pair.
    for (int i = 0; i < ring_depth + plan_.delay() + 1; ++i) {
        auto area = std::make_unique<Area>();
        const size_t bytes = counts_bytes_ + sums_stride_ * static_cast<size_t>(batch_size_);
        area->device = add(bytes, false);
        area->host = add(bytes + load_bytes, true);
        area->launches.resize(plan_.parts().size());
        copy_queue_->fill(area->device, 0xff, counts_bytes_); // no count of an area never cleared
        area->ready = device_->make_event();
        for (size_t p = 0; p < plan_.parts().size(); ++p)
            area->ended.push_back(device_->make_event());
        area->done = device_->make_event();
        free_areas_.push_back(area.get());
        areas_.push_back(std::move(area));
    }
}

void DeviceExecutor::check(const VmafGpuPicture &picture) const
{
    if (picture.memory != VMAFGPU_MEMORY_HOST && picture.memory != VMAFGPU_MEMORY_DEVICE)
        throw Error(EINVAL, "picture memory must be VMAFGPU_MEMORY_HOST or VMAFGPU_MEMORY_DEVICE");
}

char *DeviceExecutor::plane_memory(const Slot &slot, int plane, bool is_distorted) const
{
    char *data = slot.device + (is_distorted ? picture_bytes_ : 0);
    for (int p = 0; p < plane; ++p)
        data += plane_bytes(p);
    return data;
}

PairView DeviceExecutor::view(const Slot &slot) const
{
    PairView view = {};
    for (int p = 0; p < planes_; ++p) {
        const auto pitch = static_cast<ptrdiff_t>(row_bytes(p));
        view.reference[p] = {plane_memory(slot, p, false), pitch};
        view.distorted[p] = {plane_memory(slot, p, true), pitch};
    }
    const int64_t reach = std::min<int64_t>(segment_length_, plan_.history());
    for (int64_t back = 1; back <= reach; ++back) {
        const size_t at = (submitted_ - static_cast<uint64_t>(back)) % slots_.size();
        view.previous[back - 1] = slots_[at]->view.reference[0];
    }
    return view;
}

void DeviceExecutor::submit(Job &job, const std::shared_ptr<HeldPicture> &reference,
                            const std::shared_ptr<HeldPicture> &distorted)
{
    // This slot last served the pair slots_.size() submissions ago. The engine
    // admits a pair only when all but ring_depth + delay earlier ones have been
    // collected, so that pair and the `history` ones after it, which read the
    // slot too, are done: nothing to wait for.
    if (submitted_ % load_size_ == 0)
        let_go_of_inputs();
    auto owned = std::make_unique<State>(*this);
    State &state = *owned;
    state.slot = slots_[submitted_ % slots_.size()].get();
    state.is_kept = job.is_kept;
    state.pictures[0] = reference;
    state.pictures[1] = distorted;
    for (int image = 0; image < 2; ++image)
        state.is_from_host[image] = state.pictures[image]->get().memory != VMAFGPU_MEMORY_DEVICE;
    state.slot->view = view(*state.slot);
    loading_.push_back(&state);
    holding_.push_back(&state);
    pending_.push_back(&state);
    advance(false);
    job.state = std::move(owned);
    ++submitted_;
    ++segment_length_;
    reference->own();
    distorted->own();
}

/// Throws unless everything that the pair's Sums are made of has run.
void DeviceExecutor::check_counts(const State &state) const
{
    const Area &area = *state.area;
    const auto compare = [this](const char *counts, size_t at, uint32_t expected,
                                const char *what) {
        uint32_t count = 0;
        std::memcpy(&count, counts + sizeof(count) * at, sizeof(count));
        if (count != expected)
            throw Error(EIO, std::string(info().selector) + " (" + info().name +
                                 ") lost work: of " + std::to_string(expected) + what + ", " +
                                 std::to_string(count) + " are counted; its scores would be wrong");
    };
    for (size_t p = 0; p < area.launches.size(); ++p)
        compare(area.host, p, area.launches[p], " launches for a batch");
    if (area.has_loads)
        compare(area.host + counts_bytes_ + sums_stride_ * static_cast<size_t>(batch_size_),
                static_cast<size_t>(state.loaded_with->load_count - load_counts_),
                state.loaded_with->loads, " launches that load pictures");
}

/// A pair's planes on the host. The slot is its own until it has been collected.
PairView DeviceExecutor::fetch(const Slot &slot)
{
    if (fetched_ == nullptr)
        fetched_ = std::make_unique<Memory>(*device_, 2 * picture_bytes_, true);
    copy_queue_->download(fetched_->data, slot.device, 2 * picture_bytes_);
    const std::unique_ptr<Event> fetched = device_->make_event();
    copy_queue_->record(*fetched);
    fetched->sync();
    PairView view = {};
    for (int p = 0; p < planes_; ++p) {
        const auto pitch = static_cast<ptrdiff_t>(row_bytes(p));
        view.reference[p] = {fetched_->data + (plane_memory(slot, p, false) - slot.device), pitch};
        view.distorted[p] = {fetched_->data + (plane_memory(slot, p, true) - slot.device), pitch};
    }
    return view;
}

/// What the device had to leave to the host: rare, so memory and time are taken here.
void DeviceExecutor::complete(Job &job, const Slot &slot)
{
    PairView host = {};
    for (const ScorePlan::Part &part : plan_.parts()) {
        char *sums = reinterpret_cast<char *>(job.sums.data()) + part.sums_offset;
        if (part.feature->is_complete(sums))
            continue;
        if (host.distorted[0].data == nullptr) {
            host = fetch(slot);
            ++completed_on_host_;
        }
        std::vector<char> memory(part.memory.cpu_scratch + kDeviceAlignment);
        void *scratch = memory.data();
        size_t space = memory.size();
        ThreadPool pool(0);
        part.feature->compute(host, sums, std::align(kDeviceAlignment, 1, scratch, space), pool);
    }
}

void DeviceExecutor::take_results(Job &job, State &state)
{
    check_counts(state);
    std::memcpy(job.sums.data(),
                state.area->host + counts_bytes_ + sums_stride_ * static_cast<size_t>(state.place),
                plan_.sums_bytes());
    for (const ScorePlan::Part &part : plan_.parts())
        recomputed_ +=
            part.feature->finish(reinterpret_cast<char *>(job.sums.data()) + part.sums_offset);
    complete(job, *state.slot);
    state.let_go_of_area();
    state.is_taken = true;
    for (auto &picture : state.pictures)
        picture.reset();
}

/// Asks the driver no more often than it must.
bool DeviceExecutor::is_done(Area &area)
{
    area.is_done = area.is_done || area.done->done();
    return area.is_done;
}

/// True if the device has nothing to do.
bool DeviceExecutor::is_idle()
{
    return latest_ == nullptr || latest_->users == 0 || is_done(*latest_);
}

/// Of the pairs that have been read.
void DeviceExecutor::let_go_of_inputs()
{
    for (State *state : loading_)
        state->let_go_of_staged();
    const Slot *done = nullptr; // several pairs have the same
    while (!holding_.empty() && holding_.front()->loaded_with != nullptr) {
        State &state = *holding_.front();
        if (state.loaded_with != done && !state.loaded_with->loaded->done())
            return;
        done = state.loaded_with;
        holding_.pop_front();
        for (auto &picture : state.pictures)
            picture.reset();
    }
}

bool DeviceExecutor::is_done(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (state.is_taken)
        return true;
    check_whole();
    if (state.area == nullptr || !is_done(*state.area)) {
        // Somebody looks at it: whatever was put off begins, and pictures are given back.
        advance(true);
        let_go_of_inputs();
    }
    if (state.area == nullptr) {
        // Still gathering: start if the device has nothing else to do.
        if (is_idle())
            launch_loaded();
        return false;
    }
    if (!is_done(*state.area))
        return false;
    take_results(job, state);
    return true;
}

bool DeviceExecutor::is_known_done(const Job &job) const
{
    const auto &state = static_cast<const State &>(*job.state);
    return state.is_taken || (state.area != nullptr && state.area->is_done);
}

void DeviceExecutor::wait(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (state.is_taken)
        return;
    check_whole();
    const auto is_waiting = [&] {
        return std::find(pending_.begin(), pending_.end(), &state) != pending_.end();
    };
    if (state.area == nullptr || !is_done(*state.area))
        advance(true);
    while (state.area == nullptr && is_waiting()) {
        // What was submitted with it goes with it, once it is loaded.
        const size_t batch = std::min(pending_.size(), static_cast<size_t>(batch_size_));
        if (pending_[batch - 1]->loaded_with != nullptr) {
            launch(batch);
            continue;
        }
        std::this_thread::yield();
        advance(true);
    }
    if (state.area == nullptr)
        throw Error(EIO, "this pair was never started: the device failed earlier");
    // Others may end their way through pinned memory meanwhile.
    while (!loading_.empty() && !is_done(*state.area)) {
        std::this_thread::yield();
        advance(true);
    }
    if (!state.area->is_done)
        state.area->done->sync();
    state.area->is_done = true;
    take_results(job, state);
}

} // namespace vmafgpu
