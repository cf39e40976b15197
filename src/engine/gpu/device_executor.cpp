// SPDX-License-Identifier: BSD-2-Clause-Patent
// See device_executor.h.
#include "gpu/device_executor.h"

#include <algorithm>
#include <chrono>

#include "gpu/kernel_refusals.h"
#include "picture/picture_compare.h"

namespace vmafgpu {

PairState::~PairState()
{
    features.forget(*this);
    batches.forget(*this);
}

namespace {

PlaneLayout layout_of(const EngineSettings &settings, const ScorePlan &plan)
{
    return {settings.format, plan.needs_chroma() ? 3 : 1, kDeviceAlignment};
}

/// The plan, with what the host has to do.
const ScorePlan &divide_work(Device &device, const EngineSettings &settings, ScorePlan &plan)
{
    leave_refused_to_host(device, layout_of(settings, plan), settings.log, plan);
    return plan;
}

} // namespace

DeviceExecutor::DeviceExecutor(const EngineSettings &settings, ScorePlan &plan,
                               std::unique_ptr<Device> device)
    : device_(std::move(device)), plan_(divide_work(*device_, settings, plan)),
      uploader_(*device_, layout_of(settings, plan), settings.scale, settings.native_stream,
                settings.most_held, settings.log),
      host_(*device_, plan, settings.threads, uploader_),
      runner_(*device_, plan, settings.ring_depth, uploader_)
{
    settings.log(VMAFGPU_LOG_VERBOSE, "features take " + std::to_string(runner_.pair_bytes()) +
                                          " bytes of device memory for each of " +
                                          std::to_string(runner_.batch_size()) +
                                          " pairs of a batch");
}

DeviceExecutor::~DeviceExecutor()
{
    uploader_
        .drain(); // the copy queue works on the others' memory; their own queues end by themselves
    for (void *memory : imports_)
        device_->release_import(memory);
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

std::shared_ptr<TakenImage> DeviceExecutor::take(const std::shared_ptr<HeldPicture> &picture,
                                                 bool wants_sketch)
{
    auto image = uploader_.take(picture, wants_sketch, !host_.has_features());
    const VmafGpuPicture &given = picture->get();
    if (host_.has_features() && given.memory == VMAFGPU_MEMORY_HOST && !uploader_.is_scaled(given))
        image->on_host.held = picture;
    return image;
}

const uint8_t *DeviceExecutor::sketch(TakenImage &taken)
{
    auto &image = static_cast<DeviceImage &>(taken);
    uploader_.wait_for(image);
    return image.sketch;
}

void DeviceExecutor::finish_reading(TakenImage &image) noexcept
{
    uploader_.finish_reading(static_cast<DeviceImage &>(image));
}

uint64_t DeviceExecutor::count_differing(TakenImage &first, TakenImage &second)
{
    auto &one = static_cast<DeviceImage &>(first);
    auto &other = static_cast<DeviceImage &>(second);
    uploader_.wait_for(one);
    uploader_.wait_for(other);
    const PairView view = host_.fetch(one, other);
    return vmafgpu::count_differing(view.reference, view.distorted, uploader_.layout().planes(),
                                    uploader_.layout().format());
}

void DeviceExecutor::submit(Job &job, const std::shared_ptr<TakenImage> &reference,
                            const std::shared_ptr<TakenImage> &distorted)
{
    auto owned = std::make_unique<PairState>(runner_, host_);
    owned->images[0] = std::static_pointer_cast<DeviceImage>(reference);
    owned->images[1] = std::static_pointer_cast<DeviceImage>(distorted);
    std::copy(recent_, recent_ + kMaxHistory, owned->images + 2);
    owned->is_kept = job.is_kept;
    host_.expect(job, *owned);
    runner_.add(*owned);
    runner_.advance();
    for (int back = std::min(plan_.history(), kMaxHistory) - 1; back >= 0; --back)
        recent_[back] = back == 0 ? owned->images[0] : recent_[back - 1];
    job.state = std::move(owned);
    host_.advance();
}

void DeviceExecutor::end_segment()
{
    uploader_.request_all();
    for (auto &image : recent_)
        image.reset();
    host_.end_segment();
}

void DeviceExecutor::take_results(Job &job, PairState &state)
{
    runner_.take_sums(state, job.sums);
    for (const ScorePlan::Group &group : plan_.groups())
        if (const auto *device_code = group.device(); device_code != nullptr)
            device_code->finish(reinterpret_cast<char *>(job.sums.data()) + group.sums_offset);
    host_.complete(state, job.sums);
    host_.take_sums(state, job.sums);
    runner_.release(state);
    state.is_taken = true;
    for (auto &image : state.images)
        image.reset();
}

bool DeviceExecutor::is_done(Job &job)
{
    auto &state = static_cast<PairState &>(*job.state);
    if (state.is_taken)
        return true;
    host_.advance();
    if (!runner_.is_done(state) || !host_.is_done(state))
        return false;
    take_results(job, state);
    return true;
}

bool DeviceExecutor::is_known_done(const Job &job) const
{
    const auto &state = static_cast<const PairState &>(*job.state);
    return state.is_taken || (state.block != nullptr && state.block->is_done &&
                              (!state.host.is_needed || state.host.is_done));
}

void DeviceExecutor::wait(Job &job)
{
    wait_idle(job);
    auto &state = static_cast<PairState &>(*job.state);
    if (!state.is_taken)
        take_results(job, state);
}

void DeviceExecutor::wait_idle(Job &job)
{
    auto &state = static_cast<PairState &>(*job.state);
    if (state.is_taken)
        return;
    host_.advance();
    runner_.wait_idle(state);
    if (!host_.has_features())
        return;
    const auto device_end = std::chrono::steady_clock::now();
    host_.wait_idle(state);
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - device_end;
    host_seconds_ += waited.count();
}

} // namespace vmafgpu
