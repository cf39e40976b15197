// SPDX-License-Identifier: BSD-2-Clause-Patent
// The Executor of the CPU backend. Each feature of a pair is a task of a thread pool. A picture is
// used in place if its layout allows that, else it is copied once.
//
// A DeviceExecutor has one too, for the features that only the host computes (host_side.h). It
// starts a pair in two steps, because the device's part of the pair may fail in between.
#pragma once

#include <condition_variable>
#include <mutex>

#include "cpu/scale_picture.h"
#include "picture/plane_layout.h"
#include "plan/executor.h"
#include "plan/score_plan.h"
#include "system/thread_pool.h"

namespace vmafgpu {

/// The CPU's entry in vmafgpu_devices().
VmafGpuDevice cpu_device_info();

/// Luma, and chroma if a feature needs it, of one picture as features read it.
struct UnpackedPicture {
    std::shared_ptr<HeldPicture> held; ///< the picture, if it is used in place; else null
    std::vector<unsigned char> copy;
    Plane plane[3] = {};
};

class CpuExecutor : public Executor {
public:
    enum class Features { kAll, kOnHostOnly };

    /// scale: of pictures that have its source's size; or null.
    CpuExecutor(const Format &format, const ScorePlan &plan, int threads,
                Features features = Features::kAll,
                std::shared_ptr<const ScalePlan> scale = nullptr);
    ~CpuExecutor() override;

    int threads() const { return pool_.size(); }

    const VmafGpuDevice &info() const override { return info_; }
    void check(const VmafGpuPicture &picture) const override;
    std::shared_ptr<TakenImage> take(const std::shared_ptr<HeldPicture> &picture,
                                     bool wants_sketch) override;
    const uint8_t *sketch(TakenImage &image) override;
    void finish_reading(TakenImage & /*image*/) noexcept override {}
    void submit(Job &job, const std::shared_ptr<TakenImage> &reference,
                const std::shared_ptr<TakenImage> &distorted) override;
    uint64_t image_bytes() const override { return layout_.bytes(); }
    void trim() noexcept override { spare_.clear(); }
    uint64_t count_differing(TakenImage &first, TakenImage &second) override;
    void end_segment() override;

    /// submit() of pictures in two steps. After prepare() nothing has begun, and the pictures are
    /// still the caller's. begin() cannot fail. Jobs are begun in their order.
    void prepare(Job &job, const std::shared_ptr<HeldPicture> &reference,
                 const std::shared_ptr<HeldPicture> &distorted);
    void begin(Job &job) noexcept;
    bool is_done(Job &job) override;
    bool is_known_done(const Job & /*job*/) const override { return false; }
    void wait(Job &job) override;
    void wait_idle(Job &job) override;
    void *import_memory(int fd, size_t bytes, bool is_vulkan) override;
    void release_import(void *memory) override;

private:
    struct State;
    struct CpuImage;

    std::shared_ptr<UnpackedPicture> unpack(const std::shared_ptr<HeldPicture> &held);
    bool is_scaled(const VmafGpuPicture &picture) const
    {
        return scale_ != nullptr && scale_->is_source(picture.width, picture.height);
    }
    void prepare(Job &job, const std::shared_ptr<UnpackedPicture> &reference,
                 const std::shared_ptr<UnpackedPicture> &distorted);
    bool computes(const ScorePlan::Group &group) const;
    bool computes(const ScorePlan::Group &group, const Job &job) const;
    void release_computed();
    void recycle(const std::shared_ptr<UnpackedPicture> &picture) noexcept;
    void run(State &state, const ScorePlan::Group &group, void *sums, int worker);
    bool is_computed(const State &state);
    void release_inputs(State &state);
    void forget(const State &state);
    void finish(State &state);

    PlaneLayout layout_; ///< layout of copied pictures
    const ScorePlan &plan_;
    std::shared_ptr<const ScalePlan> scale_; ///< or null
    ScaleScratch scale_scratch_;
    VmafGpuDevice info_;
    std::vector<std::unique_ptr<char[]>> scratch_; ///< scratch memory of each worker
    Features features_;
    int history_ = 0; ///< most earlier pairs that a feature looks back at
    std::shared_ptr<UnpackedPicture> recent_[kMaxHistory]; ///< latest references, newest first
    std::vector<State *> holding_;                         ///< pairs that still hold their pictures
    std::vector<std::vector<unsigned char>> spare_;        ///< memory of copies, for reuse
    std::mutex mutex_;
    std::condition_variable finished_;
    ThreadPool pool_; ///< last member: its destructor waits for tasks that use the others
};

} // namespace vmafgpu
