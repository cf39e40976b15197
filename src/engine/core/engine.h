// SPDX-License-Identifier: BSD-2-Clause-Patent
// The centre of the engine. submit() accepts pairs and passes them to an Executor. collect()
// returns them in order, once their Sums are complete and those of the later pairs that their
// scores depend on. Read this file first. api.cpp checks arguments and makes error codes.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "core/score_table.h"
#include "plan/chunk.h"
#include "plan/executor.h"
#include "plan/score_plan.h"
#include "plan/settings.h"
#include "plan/shots.h"
#include "system/thread_pool.h"

namespace vmafgpu {

class Engine {
public:
    explicit Engine(EngineSettings settings);
    ~Engine();
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    /// Returns the settings of the opening, without what plan() and shots() have taken over.
    const EngineSettings &settings() const { return settings_; }
    const ScorePlan &plan() const { return plan_; }
    /// The executor, for what concerns no order of pairs.
    Executor &executor() { return *executor_; }
    const ScoreTable &score_table() const { return table_; }
    const Chunk &chunk() const { return settings_.chunk; }
    /// Pairs around a chunk that its scores and shots depend on.
    int before() const { return std::max(plan_.before(), wants_sketches() ? kShotBefore : 0); }
    int after() const { return std::max(plan_.delay(), wants_sketches() ? kShotAfter : 0); }
    /// Scores of the pairs that do not count: neighbouring chunks have them as well.
    const ScoreTable &overlap() const { return overlap_; }
    /// Pairs of the whole run up to the last one that was submitted.
    int64_t reached() const { return next_index_; }
    /// Values per run, of the pairs collected so far.
    ScorePlan::NamedValues aggregates() const { return plan_.aggregates(state_.data()); }
    /// Sums of a chunk: ScorePlan::pack_sums() of each pair that counts, one after the other.
    const std::vector<uint64_t> &aggregate_sums() const { return aggregate_sums_; }
    /// Names of the features that a device leaves to the host, each once.
    std::vector<std::string> host_features() const;
    /// Shots of the collected pairs; nothing if they are not wanted.
    std::optional<Shots> shots() const;
    const Log &log() const { return settings_.log; }
    /// See Feature::set_colours().
    void set_colours(const ColourTags *tags);
    /// Returns how features read the pictures' colours; "" if set_colours() was not called.
    const std::string &colours() const { return colours_; }
    /// See ScoreTable::limit().
    void limit_scores(ScoreTable::Sink sink) { table_.limit(std::move(sink)); }

    /// Images of a pair, with their sketches.
    using Images = std::array<std::shared_ptr<TakenImage>, 2>;
    /// Submits a pair. Returns false if as many pairs are in flight as there may be. images: gets
    /// the reference's and the distorted one; null: nobody wants them.
    bool submit(const VmafGpuPicture &reference, const VmafGpuPicture &distorted, uint64_t tag,
                Images *images = nullptr);
    bool submit_images(const std::shared_ptr<TakenImage> &reference,
                       const std::shared_ptr<TakenImage> &distorted, uint64_t tag);
    /// If it throws, the picture remains the caller's.
    std::shared_ptr<TakenImage> take(const std::shared_ptr<HeldPicture> &picture,
                                     bool wants_sketch);
    /// Executor::count_differing() of pictures, which are taken as by take(); if it throws, neither
    /// was.
    uint64_t compare(const VmafGpuPicture &first, const VmafGpuPicture &second);
    void flush();
    void cut();
    /// 0, -EAGAIN or -ENODATA: see vmafgpu_collect().
    int collect(bool wait, VmafGpuResult *result);
    void reset();

private:
    class Window;

    bool is_full() const;
    bool wants_sketches() const { return shots_ != nullptr && shots_->wants_sketches(); }
    void find_cuts();
    Job &add_job(uint64_t tag);
    template <typename Use> void with_images(const VmafGpuPicture &first,
                                             const VmafGpuPicture &second, bool wants_sketch,
                                             const Use &use);
    template <typename Use> void for_files(const Use &use) const;
    void start(uint64_t tag, const std::shared_ptr<TakenImage> &reference,
               const std::shared_ptr<TakenImage> &distorted);
    void check_chunk() const;
    bool has_successors(size_t at) const;
    template <typename Check> bool is_ready(size_t at, const Check &is_done) const;
    void close_files();
    void cut_files();
    void score(size_t at, ScorePlan::Scratch &scratch);
    void score_ready();
    void score_again();
    void pop_result(VmafGpuResult *result);
    const Job *neighbour(size_t at, int offset) const;
    bool is_before_chunk(size_t at, int offset) const;

    EngineSettings settings_;
    ScorePlan plan_;
    std::unique_ptr<Executor> executor_;

    /// First the collected jobs that later scores look back at, or that cut() would score again.
    /// Then the uncollected ones.
    std::deque<std::unique_ptr<Job>> jobs_;
    size_t front_ = 0;                        ///< first uncollected one in jobs_
    size_t visible_ = SIZE_MAX;               ///< jobs_ from here on have no scores to look at
    std::vector<std::unique_ptr<Job>> spare_; ///< jobs for reuse, to allocate little per pair

    int64_t next_index_;
    int64_t segment_ = 0;
    int64_t next_position_; ///< position of the next pair in its segment, from 0
    bool is_open_ = false;  ///< if not, the next submit begins a segment
    bool has_colours_ = false;
    std::string colours_;
    ScoreTable table_, overlap_;
    std::vector<uint64_t> nothing_; ///< Sums of a pair before the chunk
    std::vector<uint64_t> aggregate_sums_;
    int64_t first_segment_ = 0;
    std::unique_ptr<ShotFinder> shots_; ///< null: they are not wanted
    std::vector<uint64_t> state_;       ///< running state of aggregates, of the collected pairs
    std::vector<double> row_;           ///< scores of the latest collected pair
    std::vector<ScorePlan::Scratch> scratch_;
    std::unique_ptr<ThreadPool> pool_; ///< scores many pairs at once; created when needed
};

} // namespace vmafgpu
