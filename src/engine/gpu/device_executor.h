// SPDX-License-Identifier: BSD-2-Clause-Patent
// The Executor of the GPU backends. It is made of three parts: an Uploader brings pictures to
// device memory as images, a BatchRunner launches the kernels of pairs of images, and a HostSide
// does what no device can. submit() never waits for the device; take() does so only where too much
// is on its way there.
//
// Device pictures are copied, not used in place. One pass from device to device also undoes P010
// shifts and promotes bit depths. Then the decoder's surface is free after microseconds, kernels
// may rely on aligned rows, and the next pair's motion still finds its reference.
//
// A pair owns its images, and those of earlier pairs that its motion looks at, until its results
// are taken.
#pragma once

#include <set>

#include "gpu/batch_runner.h"
#include "gpu/host_side.h"
#include "plan/settings.h"

namespace vmafgpu {

class DeviceExecutor : public Executor {
public:
    DeviceExecutor(const EngineSettings &settings, ScorePlan &plan, std::unique_ptr<Device> device);
    ~DeviceExecutor() override;

    const VmafGpuDevice &info() const override { return device_->info(); }
    std::shared_ptr<TakenImage> take(const std::shared_ptr<HeldPicture> &picture,
                                     bool wants_sketch) override;
    const uint8_t *sketch(TakenImage &image) override;
    void finish_reading(TakenImage &image) noexcept override;
    void submit(Job &job, const std::shared_ptr<TakenImage> &reference,
                const std::shared_ptr<TakenImage> &distorted) override;
    uint64_t image_bytes() const override { return uploader_.layout().bytes(); }
    void trim() noexcept override { uploader_.trim(); }
    uint64_t count_differing(TakenImage &first, TakenImage &second) override;
    void end_segment() override;
    bool is_done(Job &job) override;
    bool is_known_done(const Job &job) const override;
    void wait(Job &job) override;
    void wait_idle(Job &job) override;
    double host_seconds() const override { return host_seconds_; }
    void *import_memory(int fd, size_t bytes, bool is_vulkan) override;
    void release_import(void *memory) override;

private:
    void take_results(Job &job, PairState &state);

    std::unique_ptr<Device> device_;
    const ScorePlan &plan_;
    Uploader uploader_;
    HostSide host_;
    BatchRunner runner_;
    /// Reference images of the latest pairs, the newest first.
    std::shared_ptr<DeviceImage> recent_[kMaxHistory];
    std::set<void *> imports_;
    double host_seconds_ = 0;
};

} // namespace vmafgpu
