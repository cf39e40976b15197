// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a DeviceExecutor does on the host: features that no device computes
// (no Feature::device()), beside the device's; and pairs that a device could not complete. Host
// features see pairs in their order. Pictures from host memory are read where they are; images of
// device pictures come back, once. Without such a feature none of this exists.
#pragma once

#include <deque>

#include "cpu/cpu_executor.h"
#include "gpu/pair_state.h"
#include "gpu/uploader.h"
#include "plan/score_plan.h"

namespace vmafgpu {

class HostSide {
public:
    HostSide(Device &device, const ScorePlan &plan, int threads, Uploader &uploader);

    bool has_features() const { return executor_ != nullptr; }
    /// The next pair whose host features will begin.
    void expect(const Job &job, PairState &state);
    void end_segment();
    /// Begins the host features of all pairs that are ready for them.
    void advance();
    bool is_done(PairState &state);
    /// Waits until no host feature of the pair runs. The device has computed it.
    void wait_idle(PairState &state);
    /// Takes the sums of a finished pair. Throws what a feature threw.
    void take_sums(PairState &state, std::vector<uint64_t> &sums);
    void forget(PairState &state) noexcept;

    /// Copies the planes of two images to the host, where the next call replaces them.
    PairView fetch(const DeviceImage &first, const DeviceImage &second);
    /// Computes what the device could not.
    void complete(const PairState &state, std::vector<uint64_t> &sums);

private:
    /// Pinned memory of one picture.
    struct Copy {
        HostSide *owner;
        std::unique_ptr<DeviceMemory> memory;
        std::unique_ptr<Event> downloaded;
    };

    HostPicture download(const DeviceImage &image);
    void request_pictures(PairState &state);
    void begin(PairState &state);

    Device &device_;
    const ScorePlan &plan_;
    Uploader &uploader_;
    bool is_temporal_ = false; ///< a host feature is
    /// Pairs whose host features have not begun; null: the end of a segment.
    std::deque<PairState *> waiting_;
    std::vector<std::unique_ptr<Copy>> copies_;
    std::vector<Copy *> free_copies_;
    std::unique_ptr<DeviceMemory> fetched_; ///< allocated when first needed
    std::unique_ptr<Queue> own_queue_;
    Queue *queue_ = nullptr;                ///< downloads pictures
    std::unique_ptr<CpuExecutor> executor_; ///< null: no host features
};

} // namespace vmafgpu
