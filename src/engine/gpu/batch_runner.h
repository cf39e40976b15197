// SPDX-License-Identifier: BSD-2-Clause-Patent
// Launches the kernels of pairs, several pairs together as a batch, and brings their Sums back.
// Pairs are launched in their order. A result block serves one batch.
//
// Queues: each group of the plan has its own queue. So short launches of one feature fill the gaps
// of another, and a batch overlaps with the one before it. Where the device runs only some queues
// at a time (DeviceTraits::most_queues), groups share them.
//
//   copy queue    the Uploader's: images of the batch's pairs; clears the Sums; then event `ready`
//   group queues  wait for `ready`; the launches of one group; then event `ended`. Batches come in
//                 order, because a group's scratch memory serves one batch after the other
//   queue         waits for every `ended`; downloads the Sums; then event `done`
//
// Lost work: some GPUs lose a launch or a fill now and then. Launches are counted next to the Sums,
// so that a lost fill shows as well.
#pragma once

#include <vector>

#include "gpu/pair_state.h"
#include "gpu/uploader.h"
#include "plan/score_plan.h"

namespace vmafgpu {

/// Memory for the Sums of one batch. In front of the Sums, on device and host, is one launch
/// count per group.
struct ResultBlock {
    std::unique_ptr<DeviceMemory> device, host;
    std::vector<uint32_t> launches;            ///< expected launch count of each group
    std::unique_ptr<Event> ready;              ///< images are made, Sums cleared
    std::vector<std::unique_ptr<Event>> ended; ///< one per group
    std::unique_ptr<Event> done;
    bool is_done = false; ///< `done` has been seen
    int users = 0;        ///< pairs that have not yet taken their results
};

class BatchRunner {
public:
    BatchRunner(Device &device, const ScorePlan &plan, int ring_depth, Uploader &uploader);

    size_t batch_size() const { return batch_size_; }
    /// Memory that features work in, of each pair of a batch.
    size_t pair_bytes() const { return scratch_stride_; }
    void add(PairState &state) { pending_.push_back(&state); }
    void forget(PairState &state) noexcept;
    /// Launches what fills a batch. Does not wait.
    void advance();
    /// True if the pair's Sums are there. Launches what is pending if the device is idle.
    bool is_done(const PairState &state);
    /// Waits for the pair's Sums.
    void wait_idle(const PairState &state);
    /// Takes the sums of a finished pair. Throws unless all launches that they depend on have run.
    void take_sums(PairState &state, std::vector<uint64_t> &sums);
    /// The block no longer serves the pair.
    void release(PairState &state) noexcept;

private:
    void open_queues(Device &device);
    void allocate_scratch(Device &device);
    void allocate_blocks(Device &device, int count);
    bool request(size_t count);
    void launch(size_t count);
    void record_batch(size_t count, ResultBlock &block);
    void record_group(size_t group_index, size_t count, ResultBlock &block);
    void drain(const ResultBlock &block) noexcept;
    bool is_idle();
    static bool is_done(ResultBlock &block);
    PairView view(const PairState &state) const;

    const VmafGpuDevice &info_;
    const ScorePlan &plan_;
    Uploader &uploader_;
    size_t batch_size_;
    size_t sums_stride_;
    size_t counts_bytes_; ///< the launch counts in front of a block's Sums
    size_t scratch_stride_ = 0;
    std::vector<size_t> scratch_offsets_, shared_offsets_, table_offsets_; ///< per group
    std::unique_ptr<DeviceMemory> scratch_, shared_scratch_, tables_, host_tables_;
    std::vector<std::unique_ptr<ResultBlock>> blocks_;
    std::vector<ResultBlock *> free_blocks_;
    bool has_failed_ = false;          ///< a batch could not be launched: no more are
    ResultBlock *latest_ = nullptr;    ///< results of the latest batch
    std::vector<PairState *> pending_; ///< pairs that are not yet launched
    std::vector<PairView> views_;      ///< pairs of the batch that is being launched
    std::unique_ptr<Queue> queue_;
    std::vector<std::unique_ptr<Queue>> more_queues_; ///< the groups' own queues
    std::vector<Queue *> group_queues_;               ///< each group's queue; groups may share one
};

} // namespace vmafgpu
