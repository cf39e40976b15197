// SPDX-License-Identifier: BSD-2-Clause-Patent
// One run of an engine, besides the scores of its pairs: what came of its inputs, what the user was
// warned of, what it writes and says, and whether it fails. The filter, the tool and Python drive
// the same object through include/vmaf_gpu/run.h.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine.h"
#include "inputs/history.h"
#include "output/report_file.h"
#include "pairing/pairing.h"
#include "parts/run_facts.h"
#include "report/report.h"
#include "report/report_rows.h"
#include "report/stopped_log.h"
#include "run/limit.h"
#include "run/worst_pictures.h"
#include "vmaf_gpu/run.h"

namespace vmafgpu {

class Run {
public:
    static constexpr size_t kMostWarnings = 64; ///< more of them would say nothing new

    /// Keeps a warning, each once. The engine warns before open(), too.
    void warn(const std::string &text);
    const std::vector<std::string> &warnings() const { return warnings_; }
    /// Both outlive the run, or are replaced by reset(). pairing is null if the caller pairs.
    void open(Engine &engine, Pairing *pairing);
    /// Another run begins, of the same engine. Throws Error(EBUSY) if a log is streamed.
    void require_reset() const;
    void reset(Pairing *pairing);

    /// Opens the files, and says which pairs have to be kept. Throws Error.
    void begin(const VmafGpuRunSettings &settings);
    bool has_begun() const { return settings_.has_value(); }
    /// Writes a log while pairs come; null: older pairs are dropped. Throws Error.
    void stream_log(const char *format, int precision, ReportFile *file);

    // What comes, in its order.
    void set_inputs(const VmafGpuInputs &inputs); ///< may be called again
    void came(int input, int64_t time);           ///< a frame, with that time in the input's base
    void met(const VmafGpuMatch &match, Pairing::Pictures pictures);
    void submitted(); ///< a pair, also without pairing; the speed counts from the first one
    void scored(const VmafGpuResult &result);

    VmafGpuProgress progress(int64_t total) const;
    /// Why a strict run fails, the cause first; "": it does not. Only with pairing.
    const std::string &fault() const;
    /// Whether the pair counts and was scored.
    bool is_in_log(const VmafGpuResult &result) const;
    using Sink = std::function<void(const char *name, const char *value)>;
    void each_metadata(const VmafGpuResult &result, const Sink &sink) const;

    /// What a log tells: only what the caller says of the run, or also what is known here.
    enum class Knowledge { kGiven, kAll };
    /// Writes a log. file null: to the log's path. Throws Error.
    void write_log(const VmafGpuLog &log, ReportFile *file, Knowledge knowledge);

    /// See vmafgpu_mean_interval().
    std::optional<std::array<double, 2>> mean_interval_of(size_t column) const;

    /// Says what came of the inputs, and what slowed the run; the first call does. Only with
    /// pairing.
    void finish(int reason);

    /// Runs a step of end(); its failure is said, and does not keep the next one from running.
    using Attempt = std::function<int(const std::function<void()> &step)>;
    /// Says and writes what belongs to the end. Returns 0 or a negative errno value.
    int end(int reason, const char *failure, const Attempt &attempt);
    /// The final scores, if there are any; see vmafgpu_run_print().
    void print(const char *label) const;

private:
    double elapsed() const; ///< seconds since the first pair; 0: there was none
    double frames_per_second() const;
    bool is_slowed_by_host() const;
    RunFacts facts(const VmafGpuLog &log) const;
    void add_known(RunFacts &run, const VmafGpuLog &log) const;
    void add_pairs_of_part(RunFacts &run) const;
    void log_cuts_once(const Shots &shots);
    std::string offset_fault() const;
    void log_summary(double fps) const;
    void log_stop() const;
    void write_line(const VmafGpuResult &result);
    void finish_file(std::unique_ptr<ReportFile> file, int reason, bool is_log);
    void write_end(int reason, const char *failure, double fps);
    void leave_place(int reason);
    double pooled_of(size_t score) const;
    std::string unmet_demand(int reason) const;
    std::string below_limit() const;
    void print_model(size_t model, const char *label) const;

    Engine *engine_ = nullptr;
    Pairing *pairing_ = nullptr;
    std::unique_ptr<RowStream> stream_; ///< gets the rows that leave the engine's table

    std::vector<std::string> warnings_;
    size_t opening_warnings_ = 0; ///< they hold for all runs of the engine
    bool has_logged_cuts_ = false;
    InputHistory history_;
    int64_t frames_[2] = {};
    double last_time_[2] = {};            ///< seconds; when the last frame of each input came
    std::string formats_[2], streams_[2]; ///< what set_inputs() said; a stream is "1 of 0,1"
    std::string fault_, doubt_;           ///< a strict run fails for them; "": nothing
    std::vector<int64_t> times_;          ///< main's time in each pair; only with pairing
    bool keeps_times_ = true;             ///< rows of pairs are kept, too
    std::optional<bool> was_slowed_;      ///< set by finish()
    std::optional<std::chrono::steady_clock::time_point> start_;
    double host_seconds_before_ = 0; ///< the executor's, of earlier runs
    int64_t collected_ = 0;          ///< pairs
    int64_t scored_ = 0;             ///< pairs of the chunk that subsampling kept
    int64_t scored_times_[2] = {};   ///< main's time in the first and the last one

    // From here on of begin() and end().
    std::optional<VmafGpuRunSettings> settings_;
    std::optional<Limit> limit_;
    std::unique_ptr<ReportFile> log_, stats_; ///< null: not wanted, or closed
    std::string log_path_;                    ///< where the log was written
    std::unique_ptr<WorstPictures> pictures_; ///< null: the log shows none
    VmafGpuInput compared_[2] = {};           ///< what set_inputs() said
    std::optional<StoppedLog> log_copy_;      ///< kept if the run has a place
    int stats_error_ = 0;                     ///< why the first line was lost; 0: none was
    bool has_ended_ = false;
    std::vector<double> pooled_; ///< the final score of each model
};

/// The pairs that are read for a chunk: those that its scores depend on, from first on, before
/// last; last -1: all that are left.
void find_window(const VmafGpuChunk &chunk, int subsample, int64_t before, int64_t after,
                 int64_t &first, int64_t &last);

} // namespace vmafgpu
