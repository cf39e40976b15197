// SPDX-License-Identifier: BSD-2-Clause-Patent
// The Executor of the GPU backends. It brings pictures into slots, gathers pairs into batches, lets
// every feature append its launches, and downloads the Sums. submit() never waits for the device.
//
// Queues: each group of the plan has its own queue. So short launches of one feature fill the gaps
// of another, and a batch overlaps with the one before it. Where the device runs only some queues
// at a time (DeviceTraits::most_queues), groups share them.
//
// Host pictures go through pinned memory (staging.h). There is little of it, so that it stays in
// the processor's cache. An upload is issued by the API thread in the first call after the copy
// into pinned memory has ended. Several pairs share the driver calls of an upload, unless the
// caller waits for a result.
//
// Device pictures are copied, not used in place. One pass from device to device also undoes P010
// shifts and promotes bit depths. Then the decoder's surface is free after microseconds, kernels
// may rely on aligned rows, and the next pair's motion still finds its reference.
//
// Images have memory of their own, which comes from a list of free pieces and goes back there. They
// are uploaded one by one, as soon as that is possible. A pair of images uses a slot for its place
// in the order of pairs, but none of a slot's memory. A pair owns its images, and those of earlier
// pairs that its motion looks at, until its results are taken.
//
// Host features (Feature::runs_on_host) are computed by a CpuExecutor, while the device computes
// the others. Pictures from host memory are read where they are. Device pictures are downloaded,
// once per pair, after the copy into the slot. Without such a feature none of this exists.
//
// Lost work: some GPUs lose a launch or a fill now and then. Launches are counted next to the Sums,
// so that a lost fill shows as well. Launches for an image are counted next to its sketch. A lost
// copy is not detected.
#pragma once

#include <deque>
#include <list>
#include <set>
#include <vector>

#include "core/executor.h"
#include "core/score_plan.h"
#include "cpu/cpu_executor.h"
#include "device/device.h"
#include "gpu/staging.h"
#include "gpu/unpack_args.h"
#include "scale/scale_record.h"

namespace vmafgpu {

class DeviceExecutor : public Executor {
public:
    /// threads: of the host, for host features; 0: one per core.
    DeviceExecutor(const Format &format, const ScorePlan &plan, int ring_depth, int threads,
                   std::unique_ptr<Device> device, void *native_stream, const Log &log,
                   const std::shared_ptr<const ScalePlan> &scale = nullptr);
    ~DeviceExecutor() override;

    const VmafGpuDevice &info() const override { return device_->info(); }
    void check(const VmafGpuPicture &picture) const override;
    void submit(Job &job, const std::shared_ptr<HeldPicture> &reference,
                const std::shared_ptr<HeldPicture> &distorted) override;
    std::shared_ptr<TakenImage> take(const std::shared_ptr<HeldPicture> &picture,
                                     bool wants_sketch) override;
    const uint8_t *sketch(TakenImage &image) override;
    void finish_reading(TakenImage &image) noexcept override;
    void submit(Job &job, const std::shared_ptr<TakenImage> &reference,
                const std::shared_ptr<TakenImage> &distorted) override;
    uint64_t image_bytes() const override;
    uint64_t count_differing(TakenImage &first, TakenImage &second) override;
    void end_segment() override;
    bool is_done(Job &job) override;
    bool is_known_done(const Job &job) const override;
    void wait(Job &job) override;
    void settle(Job &job) override;
    int64_t recomputed() const override { return recomputed_; }
    int64_t completed_on_host() const override { return completed_on_host_; }
    bool leaves_to_host(const Feature &feature) const override { return feature.runs_on_host(); }
    void *import_memory(int fd, size_t bytes, bool is_vulkan) override;
    void release_import(void *memory) override;

private:
    struct Memory; ///< device or pinned memory that frees itself
    struct Slot;
    struct Pinned;
    struct PinnedPool;
    struct ResultBlock;
    struct State;
    struct ImageMemory;
    struct DeviceImage;
    struct ReadPicture;
    struct HostMemory;
    struct HostPicture;

    void open_queues();
    void allocate(int ring_depth);
    char *add_memory(size_t bytes, bool is_pinned);
    void allocate_scratch();
    void allocate_slots(int slot_count);
    void allocate_blocks(int block_count);
    void allocate_slot_memory();
    Pinned *take_pinned(PinnedPool &pool);
    bool stage(State &state);
    void upload_staged(State &state);
    UnpackPlane device_plane(const VmafGpuPicture &picture, int plane, char *to) const;
    void unpack_device_pictures(const std::vector<State *> &states);
    ImageMemory *take_image_memory();
    bool stage(DeviceImage &image);
    void upload_staged(DeviceImage &image);
    void unpack_device_image(DeviceImage &image);
    void fill_image(DeviceImage &image, const VmafGpuPicture &picture);
    void launch_unpack(const VmafGpuPicture &picture, char *planes);
    void reserve_tail(ImageMemory &memory);
    void open_scaler();
    bool is_scaled(const VmafGpuPicture &picture) const;
    static size_t source_pitch(const Format &source, int plane);
    size_t source_offset(const Format &source, int plane) const;
    void launch_scaler(const VmafGpuPicture &picture, char *planes);
    void upload_and_scale(DeviceImage &image);
    void finish_copies(Event &event) noexcept;
    void advance_images();
    void release_read();
    void check_count(const DeviceImage &image) const;
    void settle(DeviceImage &image);
    void upload(size_t count);
    void advance(bool is_urgent);
    void start(Job &job, std::unique_ptr<State> owned);
    void release_inputs();
    void launch_uploaded();
    void launch(size_t count);
    void record_batch(const std::vector<State *> &states, ResultBlock &block);
    void record_group(size_t group_index, const std::vector<State *> &states, ResultBlock &block);
    void throw_if_broken() const;
    void report(const char *text) const noexcept;
    bool is_idle();
    static bool is_done(ResultBlock &block);
    void check_counts(const State &state) const;
    void take_results(Job &job, State &state);
    [[noreturn]] void throw_lost(uint32_t expected, const char *what, uint32_t count) const;
    void complete(Job &job, const State &state);
    void open_host(int threads);
    void expect_host(const Job &job, State &state);
    HostPicture download(const char *planes, Event &uploaded);
    void request_host_pictures(State &state);
    void begin_host(State &state);
    void end_host_segment();
    void advance_host() noexcept;
    bool is_host_done(State &state);
    void settle_host(State &state);
    void take_host_results(Job &job, State &state);
    PairView fetch(const char *first, const char *second);
    PairView fetch(const State &state);
    PairView view(const State &state) const;

    size_t plane_offset(int plane) const;
    char *plane_memory(const Slot &slot, int plane, bool is_distorted) const;
    size_t row_bytes(int plane) const;
    size_t plane_bytes(int plane) const;

    Format format_;
    const ScorePlan &plan_;
    std::unique_ptr<Device> device_;
    void *native_stream_;
    Log log_;
    std::unique_ptr<Queue> copy_queue_, queue_;
    std::vector<std::unique_ptr<Queue>> more_queues_; ///< the other queues
    std::vector<Queue *> group_queues_;               ///< of each group; groups may share one
    std::unique_ptr<const ScaleTables> scale_;        ///< null: no picture is scaled
    char *scale_tables_ = nullptr;                    ///< device
    int batch_size_;
    int planes_; ///< 1, or 3 if a feature reads chroma
    size_t picture_bytes_;
    size_t upload_size_ = 1; ///< pairs that share an upload's driver calls
    size_t sums_stride_;
    size_t counts_bytes_;                         ///< the launch counts in front of a block's Sums
    std::vector<std::unique_ptr<Memory>> memory_; ///< all but pinned picture memory
    std::vector<size_t> scratch_offsets_, shared_offsets_, table_offsets_; ///< per group
    char *scratch_ = nullptr, *shared_scratch_ = nullptr, *tables_ = nullptr;
    uint32_t *unpack_counts_ = nullptr; ///< one per slot
    size_t unpack_counts_bytes_ = 0;
    size_t scratch_stride_ = 0;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<std::unique_ptr<ResultBlock>> blocks_;
    std::vector<ResultBlock *> free_blocks_;
    std::set<void *> imports_;
    ResultBlock *latest_ = nullptr; ///< of the latest batch
    std::deque<State *> uploading_; ///< not yet uploaded; some are still being staged
    std::deque<State *> holding_;   ///< their pictures are not yet released
    std::vector<State *> pending_;  ///< uploaded or uploading, not yet launched
    std::unique_ptr<PinnedPool> pinned_, pinned_images_; ///< for pairs; for images
    std::unique_ptr<Memory> fetched_; ///< used by fetch(), allocated when first needed
    std::vector<std::unique_ptr<HostMemory>> host_memory_; ///< of downloaded pictures, also images'
    std::vector<HostMemory *> free_host_memory_;
    std::vector<std::unique_ptr<ImageMemory>> images_;
    std::vector<ImageMemory *> free_images_;
    std::deque<DeviceImage *> staging_images_; ///< host pictures that are not yet uploaded
    std::list<ReadPicture> reading_; ///< device pictures of images, being copied by the device
    /// Reference images of the latest pairs, the newest first; null where they were pictures.
    std::shared_ptr<DeviceImage> recent_[kMaxHistory];
    Queue *host_queue_ = nullptr;      ///< downloads pictures; null: no host features
    std::deque<State *> host_waiting_; ///< pairs whose host features have not begun
    bool has_temporal_host_features_ = false;
    std::unique_ptr<CpuExecutor> host_; ///< null: no host features
    Staging staging_;
    uint64_t submitted_ = 0;
    int64_t segment_length_ = 0;
    bool is_broken_ = false; ///< a batch was launched only in part
    int64_t recomputed_ = 0;
    int64_t completed_on_host_ = 0; ///< pairs
};

} // namespace vmafgpu
