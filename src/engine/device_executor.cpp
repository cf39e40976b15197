// SPDX-License-Identifier: BSD-2-Clause-Patent
// See device_executor.h.
#include "device_executor.h"

#include <algorithm>
#include <cstring>

#include "error.h"
#include "load.h"

namespace vmafgpu {
namespace {

constexpr size_t kAlignment = 256;

size_t align(size_t bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace

struct DeviceExecutor::Memory {
    Memory(Device &device, size_t bytes, bool is_pinned)
        : owner(device), pinned(is_pinned),
          data(static_cast<char *>(is_pinned ? device.alloc_host(bytes) : device.alloc(bytes)))
    {
    }
    ~Memory()
    {
        if (pinned)
            owner.free_host(data);
        else
            owner.free(data);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    Device &owner;
    bool pinned;
    char *data;
};

/// Planes of one pair on the device and their pinned staging on the host.
struct DeviceExecutor::Slot {
    char *device = nullptr;  ///< reference planes, then distorted ones
    char *staging = nullptr; ///< the same layout
    std::unique_ptr<Event> loaded;
    PairView view = {};
};

/// Sums of one batch.
struct DeviceExecutor::Area {
    char *device = nullptr;
    char *host = nullptr;
    std::unique_ptr<Event> done;
    int users = 0; ///< jobs whose results have not been taken
};

struct DeviceExecutor::State : JobState {
    explicit State(DeviceExecutor &executor) : owner(executor) {}
    ~State() override { let_go_of_area(); }

    void let_go_of_area()
    {
        if (area != nullptr && --area->users == 0)
            owner.free_areas_.push_back(area);
        area = nullptr;
    }

    DeviceExecutor &owner;
    Slot *slot = nullptr;
    Area *area = nullptr; ///< null until launched and after the results were taken
    int place = 0;        ///< within the batch
    bool is_kept = true;
    bool is_taken = false;                             ///< results are in job.sums
    std::shared_ptr<HeldPicture> reference, distorted; ///< device pictures being read
};

DeviceExecutor::DeviceExecutor(const Format &format, const ScorePlan &plan, int ring_depth,
                               std::unique_ptr<Device> device, void *native_stream, const Log &log)
    : format_(format), plan_(plan), device_(std::move(device)), native_stream_(native_stream),
      log_(log), copy_queue_(device_->make_queue()), queue_(device_->make_queue()),
      // Two batches in flight keep the device busy while the next one loads.
      batch_size_(std::clamp(ring_depth / 2, 1, kMaxBatch)), planes_(plan.needs_chroma() ? 3 : 1),
      picture_bytes_(0), sums_stride_(align(plan.sums_bytes()))
{
    for (int p = 0; p < planes_; ++p)
        picture_bytes_ += plane_bytes(p);
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
    } catch (const Error &error) { // the device failed: nothing runs any more
        log_(VMAFGPU_LOG_WARNING, std::string("while releasing: ") + error.what());
    }
    for (void *memory : imports_)
        device_->release_import(memory);
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
    return align(static_cast<size_t>(format_.plane_width(plane)) *
                 static_cast<size_t>(format_.sample_bytes()));
}

size_t DeviceExecutor::plane_bytes(int plane) const
{
    return row_bytes(plane) * static_cast<size_t>(format_.plane_height(plane));
}

void DeviceExecutor::allocate(int ring_depth)
{
    const auto add = [this](size_t bytes, bool pinned) {
        memory_.push_back(std::make_unique<Memory>(*device_, std::max(bytes, kAlignment), pinned));
        return memory_.back()->data;
    };
    size_t shared = 0;
    size_t tables = 0;
    for (const ScorePlan::Part &part : plan_.parts()) {
        // Parts run one after the other, but scratch is poisoned and checked by
        // address in tests, so each has its own.
        scratch_offsets_.push_back(scratch_stride_);
        scratch_stride_ += align(part.memory.scratch);
        shared_offsets_.push_back(shared);
        shared += align(part.memory.shared_scratch);
        table_offsets_.push_back(tables);
        tables += align(part.memory.tables);
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
    for (int i = 0; i < slot_count; ++i) {
        auto slot = std::make_unique<Slot>();
        slot->device = add(2 * picture_bytes_, false);
        slot->staging = add(2 * picture_bytes_, true);
        slot->loaded = device_->make_event();
        slots_.push_back(std::move(slot));
    }
    // Batches may be as short as one pair.
    for (int i = 0; i < ring_depth + plan_.delay() + 1; ++i) {
        auto area = std::make_unique<Area>();
        const size_t bytes = sums_stride_ * static_cast<size_t>(batch_size_);
        area->device = add(bytes, false);
        area->host = add(bytes, true);
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

void DeviceExecutor::load_from_host(const VmafGpuPicture &picture, Slot &slot, bool is_distorted)
{
    for (int p = 0; p < planes_; ++p) {
        char *device = plane_memory(slot, p, is_distorted);
        char *staging = slot.staging + (device - slot.device);
        load_plane(picture, p, format_, staging, row_bytes(p));
        copy_queue_->upload(device, staging, plane_bytes(p));
    }
}

LoadPlane DeviceExecutor::device_plane(const VmafGpuPicture &picture, int plane, char *to) const
{
    const VmafGpuPlane &source = picture.plane[plane];
    LoadPlane load = {};
    load.from = source.data;
    load.from_pitch = source.pitch;
    load.to = to;
    load.to_pitch = static_cast<int64_t>(row_bytes(plane));
    load.height = format_.plane_height(plane);
    load.from_bytes = picture.depth > 8 ? 2 : 1;
    load.to_bytes = format_.sample_bytes();
    load.step = source.step == 0 ? load.from_bytes : source.step;
    load.shift = picture.shift;
    load.mask = (1 << picture.depth) - 1;
    load.promote = format_.depth - picture.depth;
    load.width = format_.plane_width(plane);
    const bool is_aligned =
        reinterpret_cast<uintptr_t>(source.data) % 16 == 0 && source.pitch % 16 == 0;
    load.is_plain = is_aligned && load.from_bytes == load.to_bytes && load.promote == 0 &&
                            load.step == load.from_bytes
                        ? 1
                        : 0;
    const int run = load.is_plain != 0 ? 16 / load.from_bytes : 1;
    load.items_per_row = (load.width + run - 1) / run;
    return load;
}

/// Device pictures of a pair, all planes in one launch.
void DeviceExecutor::load_from_device(const HeldPicture *const (&pictures)[2], const Slot &slot)
{
    LoadPlanesArgs args = {};
    unsigned count = 0;
    int64_t items = 0;
    for (int image = 0; image < 2; ++image) {
        if (pictures[image] == nullptr)
            continue;
        for (int p = 0; p < planes_; ++p) {
            LoadPlane &plane = args.plane[count++];
            plane = device_plane(pictures[image]->get(), p, plane_memory(slot, p, image == 1));
            items = std::max(items, static_cast<int64_t>(plane.items_per_row) * plane.height);
        }
    }
    if (count > 0)
        copy_queue_->launch(kLoadPlanes, {static_cast<unsigned>((items + 255) / 256), 1, count},
                            args);
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
    Slot &slot = *slots_[submitted_ % slots_.size()];
    const auto is_on_device = [](const std::shared_ptr<HeldPicture> &held) {
        return held->get().memory == VMAFGPU_MEMORY_DEVICE;
    };
    const HeldPicture *on_device[2] = {is_on_device(reference) ? reference.get() : nullptr,
                                       is_on_device(distorted) ? distorted.get() : nullptr};
    if (on_device[0] != nullptr || on_device[1] != nullptr)
        copy_queue_->wait_native(native_stream_);
    if (on_device[0] == nullptr)
        load_from_host(reference->get(), slot, false);
    if (on_device[1] == nullptr)
        load_from_host(distorted->get(), slot, true);
    load_from_device(on_device, slot);
    copy_queue_->record(*slot.loaded);
    slot.view = view(slot);

    auto state = std::make_unique<State>(*this);
    state->slot = &slot;
    state->is_kept = job.is_kept;
    // Host pictures are read already: their last holder is our caller.
    if (on_device[0] != nullptr)
        state->reference = reference;
    if (on_device[1] != nullptr)
        state->distorted = distorted;
    pending_.push_back(state.get());
    job.state = std::move(state);
    ++submitted_;
    ++segment_length_;
    if (static_cast<int>(pending_.size()) == batch_size_)
        launch_pending();
    reference->own();
    distorted->own();
}

void DeviceExecutor::record_part(const ScorePlan::Part &part, size_t part_index, const Area &area)
{
    // Pairs left out by subsample split a batch into runs.
    const auto takes = [&](size_t i) {
        return part.is_temporal || pending_[i]->is_kept;
    };
    for (size_t begin = 0; begin < pending_.size(); ++begin) {
        if (!takes(begin))
            continue;
        size_t end = begin;
        std::vector<PairView> views;
        for (; end < pending_.size() && takes(end); ++end)
            views.push_back(pending_[end]->slot->view);
        BatchView batch = {};
        batch.pairs = views.data();
        batch.count = static_cast<int>(views.size());
        batch.sums = area.device + begin * sums_stride_ + part.sums_offset;
        batch.sums_stride = sums_stride_;
        batch.scratch = scratch_ + begin * scratch_stride_ + scratch_offsets_[part_index];
        batch.scratch_stride = scratch_stride_;
        batch.shared_scratch = shared_scratch_ + shared_offsets_[part_index];
        batch.tables = tables_ + table_offsets_[part_index];
        part.feature->record(*queue_, batch);
        begin = end;
    }
}

void DeviceExecutor::launch_pending()
{
    if (pending_.empty())
        return;
    Area *area = free_areas_.back();
    free_areas_.pop_back();
    area->users = static_cast<int>(pending_.size());
    for (size_t i = 0; i < pending_.size(); ++i) {
        pending_[i]->area = area;
        pending_[i]->place = static_cast<int>(i);
    }
    try {
        record_batch(*area);
    } catch (const Error &) {
        pending_.clear(); // their jobs fail in wait(): the area's event never comes
        throw;
    }
    pending_.clear();
}

void DeviceExecutor::record_batch(Area &area)
{
    for (const State *state : pending_)
        queue_->wait(*state->slot->loaded);
    const size_t bytes = sums_stride_ * pending_.size();
    queue_->fill(area.device, 0, bytes);
    for (size_t p = 0; p < plan_.parts().size(); ++p)
        record_part(plan_.parts()[p], p, area);
    queue_->download(area.host, area.device, bytes);
    queue_->record(*area.done);
}

void DeviceExecutor::take_results(Job &job, State &state)
{
    std::memcpy(job.sums.data(), state.area->host + sums_stride_ * static_cast<size_t>(state.place),
                plan_.sums_bytes());
    for (const ScorePlan::Part &part : plan_.parts())
        recomputed_ +=
            part.feature->finish(reinterpret_cast<char *>(job.sums.data()) + part.sums_offset);
    state.let_go_of_area();
    state.is_taken = true;
    state.reference.reset();
    state.distorted.reset();
}

bool DeviceExecutor::is_done(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (state.is_taken)
        return true;
    if (state.reference != nullptr || state.distorted != nullptr) {
        if (state.slot->loaded->done()) {
            state.reference.reset();
            state.distorted.reset();
        }
    }
    if (state.area == nullptr) {
        // Still gathering: start if the device has nothing else to do.
        if (free_areas_.size() == areas_.size())
            launch_pending();
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
    if (state.area == nullptr)
        launch_pending();
    if (state.area == nullptr)
        throw Error(EIO, "this pair was never started: the device failed earlier");
    state.area->done->sync();
    take_results(job, state);
}

} // namespace vmafgpu
