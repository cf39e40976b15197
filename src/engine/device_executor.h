// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs pairs on a Device: uploads or copies luma into a slot, gathers pairs
// into batches, lets every feature record its launches, fetches the Sums. The
// submit path never waits for the device.
//
// Device pictures are copied (one device-to-device pass that also undoes P010
// shifts and promotes depths) rather than used in place: the decoder's surface
// is free again microseconds later, kernels may rely on aligned rows, and the
// next pair's motion still finds its reference.
#pragma once

#include <set>
#include <vector>

#include "device.h"
#include "executor.h"
#include "load_kernel.h"
#include "score_plan.h"

namespace vmafgpu {

class DeviceExecutor : public Executor {
public:
    DeviceExecutor(const Format &format, const ScorePlan &plan, int ring_depth,
                   std::unique_ptr<Device> device, void *native_stream, const Log &log);
    ~DeviceExecutor() override;

    const VmafGpuDevice &info() const override { return device_->info(); }
    void check(const VmafGpuPicture &picture) const override;
    void submit(Job &job, const std::shared_ptr<HeldPicture> &reference,
                const std::shared_ptr<HeldPicture> &distorted) override;
    void end_segment() override { segment_length_ = 0; }
    bool is_done(Job &job) override;
    void wait(Job &job) override;
    void *import_memory(int fd, size_t bytes) override;
    void release_import(void *memory) override;

private:
    struct Memory; ///< device or pinned memory that frees itself
    struct Slot;
    struct Area;
    struct State;

    void allocate(int ring_depth);
    void load_from_host(const VmafGpuPicture &picture, Slot &slot, bool is_distorted);
    LoadPlane device_plane(const VmafGpuPicture &picture, int plane, char *to) const;
    void load_from_device(const HeldPicture *const (&pictures)[2], const Slot &slot);
    void launch_pending();
    void record_batch(Area &area);
    void record_part(const ScorePlan::Part &part, size_t part_index, const Area &area);
    void take_results(Job &job, State &state);
    PairView view(const Slot &slot) const;

    char *plane_memory(const Slot &slot, int plane, bool is_distorted) const;
    size_t row_bytes(int plane) const;
    size_t plane_bytes(int plane) const;

    Format format_;
    const ScorePlan &plan_;
    std::unique_ptr<Device> device_;
    void *native_stream_;
    Log log_;
    std::unique_ptr<Queue> copy_queue_, queue_;
    int batch_size_;
    int planes_; ///< 1, or 3 if chroma is wanted
    size_t picture_bytes_;
    size_t sums_stride_;
    std::vector<std::unique_ptr<Memory>> memory_; ///< everything, freed together
    std::vector<size_t> scratch_offsets_, shared_offsets_, table_offsets_; ///< per part
    char *scratch_ = nullptr, *shared_scratch_ = nullptr, *tables_ = nullptr;
    size_t scratch_stride_ = 0;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<std::unique_ptr<Area>> areas_;
    std::vector<Area *> free_areas_;
    std::set<void *> imports_;
    std::vector<State *> pending_; ///< loaded or loading, not yet launched
    uint64_t submitted_ = 0;
    int64_t segment_length_ = 0;
    int64_t recomputed_ = 0;
};

} // namespace vmafgpu
