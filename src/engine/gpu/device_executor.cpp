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
                               int threads, std::unique_ptr<Device> device, void *native_stream,
                               const Log &log, const std::shared_ptr<const ScalePlan> &scale)
    : format_(format), plan_(plan), device_(std::move(device)), native_stream_(native_stream),
      log_(log), copy_queue_(device_->make_copy_queue()), queue_(device_->make_queue()),
      scale_(scale == nullptr ? nullptr : std::make_unique<ScaleTables>(*scale)),
      // Two batches in flight keep the device busy while the next one uploads.
      batch_size_(std::clamp(ring_depth / 2, 1, kMaxBatch)), planes_(plan.needs_chroma() ? 3 : 1),
      picture_bytes_(0), sums_stride_(device_align(plan.sums_bytes())),
      counts_bytes_(device_align(sizeof(uint32_t) * plan.groups().size()))
{
    for (int p = 0; p < planes_; ++p)
        picture_bytes_ += plane_bytes(p);
    // Small pictures come so fast that driver calls matter, so several share an upload. Large
    // ones are uploaded one by one, which frees the decoder's surface sooner.
    constexpr size_t kUploadBytes = size_t{4} << 20;
    upload_size_ = std::clamp<size_t>(
        std::min(static_cast<size_t>(batch_size_) / 4, kUploadBytes / (2 * picture_bytes_)), 1,
        kMaxUnpackPairs);
    open_queues();
    allocate(ring_depth);
    open_host(threads);
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
        for (const auto &queue : more_queues_)
            finish(*queue);
        finish(*queue_);
    } catch (const std::exception &error) { // the device failed: no work is left on it
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

void *DeviceExecutor::import_memory(int fd, size_t bytes, bool is_vulkan)
{
    void *memory =
        is_vulkan ? device_->import_vulkan(fd, bytes) : device_->import_memory(fd, bytes);
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

char *DeviceExecutor::add_memory(size_t bytes, bool is_pinned)
{
    memory_.push_back(
        std::make_unique<Memory>(*device_, std::max(bytes, kDeviceAlignment), is_pinned));
    return memory_.back()->data;
}

/// Scratch memory of every group for a whole batch, and the tables of the features.
void DeviceExecutor::allocate_scratch()
{
    size_t shared = 0;
    size_t tables = 0;
    for (const ScorePlan::Group &group : plan_.groups()) {
        // Each group has its own scratch: groups run concurrently, and tests poison and check
        // scratch by address.
        scratch_offsets_.push_back(scratch_stride_);
        scratch_stride_ += device_align(group.memory.scratch);
        shared_offsets_.push_back(shared);
        shared += device_align(group.memory.shared_scratch * static_cast<size_t>(batch_size_));
        table_offsets_.push_back(tables);
        tables += device_align(group.memory.tables);
    }
    scratch_ = add_memory(scratch_stride_ * static_cast<size_t>(batch_size_), false);
    shared_scratch_ = add_memory(shared, false);
    tables_ = add_memory(tables, false);
    char *host_tables = add_memory(tables, true);
    for (size_t p = 0; p < plan_.groups().size(); ++p)
        plan_.groups()[p].feature->fill_tables(host_tables + table_offsets_[p]);
    copy_queue_->upload(tables_, host_tables, tables); // ahead of the first `ready`
}

/// Everything of the slots but the memory of pictures, which a caller of images does not need.
void DeviceExecutor::allocate_slots(int slot_count)
{
    unpack_counts_ = reinterpret_cast<uint32_t *>(add_memory(unpack_counts_bytes_, false));
    copy_queue_->fill(unpack_counts_, 0, unpack_counts_bytes_);
    for (int i = 0; i < slot_count; ++i) {
        auto slot = std::make_unique<Slot>();
        slot->unpack_count = unpack_counts_ + i;
        slot->uploaded = device_->make_event();
        slots_.push_back(std::move(slot));
    }
}

void DeviceExecutor::allocate_slot_memory()
{
    for (const auto &slot : slots_)
        if (slot->device == nullptr)
            slot->device = add_memory(2 * picture_bytes_, false);
}

void DeviceExecutor::allocate_blocks(int block_count)
{
    for (int i = 0; i < block_count; ++i) {
        auto block = std::make_unique<ResultBlock>();
        const size_t bytes = counts_bytes_ + sums_stride_ * static_cast<size_t>(batch_size_);
        block->device = add_memory(bytes, false);
        block->host = add_memory(bytes + unpack_counts_bytes_, true);
        block->launches.resize(plan_.groups().size());
        copy_queue_->fill(block->device, 0xff, counts_bytes_); // equals no real count
        block->ready = device_->make_event();
        for (size_t p = 0; p < plan_.groups().size(); ++p)
            block->ended.push_back(device_->make_event());
        block->done = device_->make_event();
        free_blocks_.push_back(block.get());
        blocks_.push_back(std::move(block));
    }
}

void DeviceExecutor::allocate(int ring_depth)
{
    allocate_scratch();
    // See submit(): a slot is reused only when every pair that reads it is done.
    const int slot_count = ring_depth + plan_.delay() + plan_.history();
    unpack_counts_bytes_ = sizeof(uint32_t) * static_cast<size_t>(slot_count);
    allocate_slots(slot_count);
    allocate_blocks(ring_depth + plan_.delay() + 1); // a batch may be a single pair

    constexpr size_t kCachedBytes = size_t{64} << 20;
    const auto pairs =
        std::clamp<size_t>(kCachedBytes / (2 * picture_bytes_), 4, std::max(4, slot_count));
    pinned_ = std::make_unique<PinnedPool>(2 * picture_bytes_, pairs);
    const size_t source_bytes = scale_ == nullptr ? 0 : source_offset(scale_->plan().source(), 3);
    pinned_images_ =
        std::make_unique<PinnedPool>(std::max(picture_bytes_, source_bytes), 2 * pairs);
    open_scaler();
}

void DeviceExecutor::check(const VmafGpuPicture &picture) const
{
    if (picture.memory != VMAFGPU_MEMORY_HOST && picture.memory != VMAFGPU_MEMORY_DEVICE)
        throw Error(EINVAL, "picture memory must be VMAFGPU_MEMORY_HOST or VMAFGPU_MEMORY_DEVICE");
}

/// Where a plane begins in a picture's memory.
size_t DeviceExecutor::plane_offset(int plane) const
{
    size_t offset = 0;
    for (int p = 0; p < plane; ++p)
        offset += plane_bytes(p);
    return offset;
}

char *DeviceExecutor::plane_memory(const Slot &slot, int plane, bool is_distorted) const
{
    return slot.device + (is_distorted ? picture_bytes_ : 0) + plane_offset(plane);
}

PairView DeviceExecutor::view(const State &state) const
{
    PairView view = {};
    for (int p = 0; p < planes_; ++p) {
        const auto pitch = static_cast<ptrdiff_t>(row_bytes(p));
        const auto memory = [&](int image) {
            return state.is_of_images()
                       ? state.images[image]->memory->device->data + plane_offset(p)
                       : plane_memory(*state.slot, p, image == 1);
        };
        view.reference[p] = {memory(0), pitch};
        view.distorted[p] = {memory(1), pitch};
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
    if (submitted_ % upload_size_ == 0)
        release_inputs();
    if (slots_.back()->device == nullptr)
        allocate_slot_memory();
    auto owned = std::make_unique<State>(*this);
    owned->pictures[0] = reference;
    owned->pictures[1] = distorted;
    for (int image = 0; image < 2; ++image)
        owned->is_from_host[image] = owned->pictures[image]->get().memory != VMAFGPU_MEMORY_DEVICE;
    holding_.push_back(owned.get());
    start(job, std::move(owned));
    reference->own();
    distorted->own();
}

/// Starts a pair whose pictures or images are set.
void DeviceExecutor::start(Job &job, std::unique_ptr<State> owned)
{
    // This slot was last used slots_.size() submissions ago. The engine accepts a pair only if
    // all earlier ones have been collected, except for ring_depth + delay. So the former user is
    // done, and so are the `history` pairs after it, which read the slot too. No wait is needed.
    State &state = *owned;
    state.slot = slots_[submitted_ % slots_.size()].get();
    state.is_kept = job.is_kept;
    for (int back = 0; back < kMaxHistory; ++back)
        state.images[2 + back] = recent_[back];
    state.slot->view = view(state);
    expect_host(job, state);
    uploading_.push_back(&state);
    pending_.push_back(&state);
    advance(false);
    for (int back = std::min(plan_.history(), kMaxHistory) - 1; back >= 0; --back)
        recent_[back] = back == 0 ? state.images[0] : recent_[back - 1];
    job.state = std::move(owned);
    ++submitted_;
    ++segment_length_;
    advance_host();
}

void DeviceExecutor::end_segment()
{
    segment_length_ = 0;
    for (auto &image : recent_)
        image.reset();
    end_host_segment();
}

/// Throws unless all launches that the pair's Sums depend on have run.
void DeviceExecutor::check_counts(const State &state) const
{
    const ResultBlock &block = *state.block;
    const auto compare = [this](const char *counts, size_t at, uint32_t expected,
                                const char *what) {
        uint32_t count = 0;
        std::memcpy(&count, counts + sizeof(count) * at, sizeof(count));
        if (count != expected)
            throw_lost(expected, what, count);
    };
    for (size_t p = 0; p < block.launches.size(); ++p)
        compare(block.host, p, block.launches[p], " launches for a batch");
    if (block.has_unpacks)
        compare(block.host + counts_bytes_ + sums_stride_ * static_cast<size_t>(batch_size_),
                static_cast<size_t>(state.uploaded_with->unpack_count - unpack_counts_),
                state.uploaded_with->unpacks, " launches that unpack pictures");
    for (const auto &image : state.images)
        if (image != nullptr)
            check_count(*image);
}

void DeviceExecutor::throw_lost(uint32_t expected, const char *what, uint32_t count) const
{
    throw Error(EIO, std::string(info().selector) + " (" + info().name + ") lost work: of " +
                         std::to_string(expected) + what + ", " + std::to_string(count) +
                         " are counted; its scores would be wrong");
}

/// Copies the planes of two pictures to the host, where the next call replaces them.
PairView DeviceExecutor::fetch(const char *first, const char *second)
{
    if (fetched_ == nullptr)
        fetched_ = std::make_unique<Memory>(*device_, 2 * picture_bytes_, true);
    copy_queue_->download(fetched_->data, first, picture_bytes_);
    copy_queue_->download(fetched_->data + picture_bytes_, second, picture_bytes_);
    const std::unique_ptr<Event> fetched = device_->make_event();
    copy_queue_->record(*fetched);
    fetched->sync();
    PairView view = {};
    for (int p = 0; p < planes_; ++p) {
        const auto pitch = static_cast<ptrdiff_t>(row_bytes(p));
        view.reference[p] = {fetched_->data + plane_offset(p), pitch};
        view.distorted[p] = {fetched_->data + picture_bytes_ + plane_offset(p), pitch};
    }
    return view;
}

/// Of a pair: the slot, or the images, keep its planes until it is collected.
PairView DeviceExecutor::fetch(const State &state)
{
    const auto planes = [&](size_t image) {
        return state.is_of_images() ? state.images[image]->memory->device->data
                                    : state.slot->device + image * picture_bytes_;
    };
    return fetch(planes(0), planes(1));
}

/// Computes on the host what the device could not. This is rare, so memory is allocated here.
void DeviceExecutor::complete(Job &job, const State &state)
{
    PairView host = {};
    for (const ScorePlan::Group &group : plan_.groups()) {
        char *sums = reinterpret_cast<char *>(job.sums.data()) + group.sums_offset;
        if (group.feature->runs_on_host() || group.feature->is_complete(sums))
            continue;
        if (host.distorted[0].data == nullptr) {
            host = fetch(state);
            ++completed_on_host_;
        }
        std::vector<char> memory(group.memory.cpu_scratch + kDeviceAlignment);
        void *scratch = memory.data();
        size_t space = memory.size();
        ThreadPool pool(0);
        group.feature->compute(host, sums, std::align(kDeviceAlignment, 1, scratch, space), pool);
    }
}

void DeviceExecutor::take_results(Job &job, State &state)
{
    check_counts(state);
    if (state.host_fault)
        std::rethrow_exception(state.host_fault);
    if (state.has_host_part)
        host_->wait(state.host_job); // throws what a feature threw
    std::memcpy(job.sums.data(),
                state.block->host + counts_bytes_ + sums_stride_ * static_cast<size_t>(state.place),
                plan_.sums_bytes());
    for (const ScorePlan::Group &group : plan_.groups())
        if (!group.feature->runs_on_host())
            recomputed_ += group.feature->finish(reinterpret_cast<char *>(job.sums.data()) +
                                                 group.sums_offset);
    complete(job, state);
    if (state.has_host_part)
        take_host_results(job, state);
    state.release_block();
    state.is_taken = true;
    for (auto &picture : state.pictures)
        picture.reset();
    for (auto &image : state.images)
        image.reset();
}

/// Asks the driver only until the event has been seen once.
bool DeviceExecutor::is_done(ResultBlock &block)
{
    block.is_done = block.is_done || block.done->done();
    return block.is_done;
}

/// True if the device has finished the latest batch.
bool DeviceExecutor::is_idle()
{
    return latest_ == nullptr || latest_->users == 0 || is_done(*latest_);
}

/// Releases the pictures that have been read.
void DeviceExecutor::release_inputs()
{
    release_read();
    for (State *state : uploading_)
        state->release_staged();
    const Slot *done = nullptr; // pairs uploaded together share an event
    while (!holding_.empty() && holding_.front()->uploaded_with != nullptr) {
        State &state = *holding_.front();
        if (state.uploaded_with != done && !state.uploaded_with->uploaded->done())
            return;
        done = state.uploaded_with;
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
    throw_if_broken();
    advance_host();
    if (state.block == nullptr || !is_done(*state.block)) {
        // The caller asks for this pair: all pending work is issued, and pictures are released.
        advance(true);
        release_inputs();
    }
    if (state.block == nullptr) {
        // The batch is still gathering: launch it if the device is idle.
        if (is_idle())
            launch_uploaded();
        return false;
    }
    if (!is_done(*state.block) || !is_host_done(state))
        return false;
    take_results(job, state);
    return true;
}

bool DeviceExecutor::is_known_done(const Job &job) const
{
    const auto &state = static_cast<const State &>(*job.state);
    return state.is_taken || (state.block != nullptr && state.block->is_done &&
                              (!state.has_host_part || state.is_host_done));
}

void DeviceExecutor::wait(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (state.is_taken)
        return;
    settle(job);
    take_results(job, state);
}

void DeviceExecutor::settle(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (state.is_taken)
        return;
    throw_if_broken();
    advance_host();
    const auto is_waiting = [&] {
        return std::find(pending_.begin(), pending_.end(), &state) != pending_.end();
    };
    if (state.block == nullptr || !is_done(*state.block))
        advance(true);
    while (state.block == nullptr && is_waiting()) {
        // The pairs that were submitted with it go into the same batch, once uploaded.
        const size_t batch = std::min(pending_.size(), static_cast<size_t>(batch_size_));
        if (pending_[batch - 1]->uploaded_with != nullptr) {
            launch(batch);
            continue;
        }
        std::this_thread::yield();
        advance(true);
    }
    if (state.block == nullptr)
        throw Error(EIO, "this pair was never started: the device failed earlier");
    // Meanwhile, later pairs that are being staged can be uploaded.
    while (!uploading_.empty() && !is_done(*state.block)) {
        std::this_thread::yield();
        advance(true);
    }
    if (!state.block->is_done)
        state.block->done->sync();
    state.block->is_done = true;
    settle_host(state);
}

} // namespace vmafgpu
