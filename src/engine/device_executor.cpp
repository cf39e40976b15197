// SPDX-License-Identifier: BSD-2-Clause-Patent
// See device_executor.h.
#include "device_executor.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "device_slots.h"
#include "error.h"
#include "thread_pool.h"

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
    for (size_t p = 0; p < plan.parts().size(); ++p)
        part_queues_.push_back(device_->make_queue());
    allocate(ring_depth);
}

DeviceExecutor::~DeviceExecutor()
{
    try {
        const std::unique_ptr<Event> end = device_->make_event();
        const std::unique_ptr<Event> copy_end = device_->make_event();
        copy_queue_->record(*copy_end);
        copy_end->sync();
        queue_->record(*end);
        end->sync();
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
        shared += device_align(part.memory.shared_scratch);
        table_offsets_.push_back(tables);
        tables += device_align(part.memory.tables);
    }
    scratch_ = add(scratch_stride_ * static_cast<size_t>(batch_size_), false);
    shared_scratch_ = add(shared, false);
    tables_ = add(tables, false);
    char *host_tables = add(tables, true);
    for (size_t p = 0; p < plan_.parts().size(); ++p)
        plan_.parts()[p].feature->fill_tables(host_tables + table_offsets_[p]);
    queue_->upload(tables_, host_tables, tables);

    // See submit(): a slot comes round again only when every pair that reads it is done.
    const int slot_count = ring_depth + plan_.delay() + plan_.history();
    const size_t load_bytes = sizeof(uint32_t) * static_cast<size_t>(slot_count);
    load_counts_ = reinterpret_cast<uint32_t *>(add(load_bytes, false));
    copy_queue_->fill(load_counts_, 0, load_bytes);
    for (int i = 0; i < slot_count; ++i) {
        auto slot = std::make_unique<Slot>();
        slot->load_count = load_counts_ + i;
        slot->device = add(2 * picture_bytes_, false);
        slot->staging = add(2 * picture_bytes_, true);
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
        queue_->fill(area->device, 0xff, counts_bytes_); // no count of an area never cleared
        area->cleared = device_->make_event();
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
    auto owned = std::make_unique<State>(*this);
    State &state = *owned;
    state.slot = slots_[submitted_ % slots_.size()].get();
    state.is_kept = job.is_kept;
    state.pictures[0] = reference;
    state.pictures[1] = distorted;
    const HeldPicture *on_device[2] = {};
    for (int image = 0; image < 2; ++image) {
        const HeldPicture &picture = *state.pictures[image];
        state.is_from_host[image] = picture.get().memory != VMAFGPU_MEMORY_DEVICE;
        if (!state.is_from_host[image])
            on_device[image] = &picture;
    }
    if (on_device[0] != nullptr || on_device[1] != nullptr)
        copy_queue_->wait_native(native_stream_);
    load_from_device(on_device, *state.slot);
    for (int image = 0; image < 2; ++image)
        if (state.is_from_host[image])
            stage(state.pictures[image]->get(), state, image == 1);
    state.slot->view = view(*state.slot);
    loading_.push_back(&state);
    pending_.push_back(&state);
    advance();
    job.state = std::move(owned);
    ++submitted_;
    ++segment_length_;
    reference->own();
    distorted->own();
}

/// Uploads what is staged, in order, and launches full batches. Never waits.
void DeviceExecutor::advance()
{
    while (!loading_.empty() && loading_.front()->staging.load(std::memory_order_acquire) == 0) {
        State &state = *loading_.front();
        upload(state);
        copy_queue_->record(*state.slot->loaded);
        state.is_loaded = true;
        loading_.pop_front();
    }
    const auto batch = static_cast<size_t>(batch_size_);
    while (pending_.size() >= batch && pending_[batch - 1]->is_loaded)
        launch(batch);
}

/// Starts what waits and is loaded.
void DeviceExecutor::launch_loaded()
{
    size_t count = 0;
    while (count < pending_.size() && pending_[count]->is_loaded)
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
    for (const State *state : states)
        queue_->wait(*state->slot->loaded);
    const size_t bytes = counts_bytes_ + sums_stride_ * states.size();
    std::memset(area.host, 0xff, counts_bytes_);
    queue_->fill(area.device, 0, bytes);
    queue_->record(*area.cleared);
    for (size_t p = 0; p < plan_.parts().size(); ++p) {
        part_queues_[p]->wait(*area.cleared);
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
                static_cast<size_t>(state.slot->load_count - load_counts_), state.slot->loads,
                " launches that load pictures");
}

/// A pair's planes on the host. The slot is its own until it has been collected.
PairView DeviceExecutor::fetch(const Slot &slot)
{
    copy_queue_->download(slot.staging, slot.device, 2 * picture_bytes_);
    const std::unique_ptr<Event> fetched = device_->make_event();
    copy_queue_->record(*fetched);
    fetched->sync();
    PairView view = {};
    for (int p = 0; p < planes_; ++p) {
        const auto pitch = static_cast<ptrdiff_t>(row_bytes(p));
        view.reference[p] = {slot.staging + (plane_memory(slot, p, false) - slot.device), pitch};
        view.distorted[p] = {slot.staging + (plane_memory(slot, p, true) - slot.device), pitch};
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

/// True if the device has nothing to do.
bool DeviceExecutor::is_idle()
{
    return latest_ == nullptr || latest_->users == 0 || latest_->done->done();
}

void DeviceExecutor::let_go_of_inputs(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (state.pictures[0] == nullptr && state.pictures[1] == nullptr)
        return;
    advance();
    if (state.is_loaded && state.slot->loaded->done())
        for (auto &picture : state.pictures)
            picture.reset();
}

bool DeviceExecutor::is_done(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (state.is_taken)
        return true;
    check_whole();
    advance();
    let_go_of_inputs(job);
    if (state.area == nullptr) {
        // Still gathering: start if the device has nothing else to do.
        if (is_idle())
            launch_loaded();
        return false;
    }
    if (!state.area->done->done())
        return false;
    take_results(job, state);
    return true;
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
    advance();
    while (state.area == nullptr && is_waiting()) {
        // What was submitted with it goes with it.
        const size_t batch = std::min(pending_.size(), static_cast<size_t>(batch_size_));
        for (size_t i = 0; i < batch; ++i)
            Staging::wait(pending_[i]->staging);
        advance();
        if (state.area == nullptr)
            launch_loaded();
    }
    if (state.area == nullptr)
        throw Error(EIO, "this pair was never started: the device failed earlier");
    // Others may end their way through pinned memory meanwhile.
    while (!loading_.empty() && !state.area->done->done()) {
        std::this_thread::yield();
        advance();
    }
    state.area->done->sync();
    take_results(job, state);
}

} // namespace vmafgpu
