// SPDX-License-Identifier: BSD-2-Clause-Patent
// The end of a run: what it says and writes then, and whether it fails. See run.h.
#include "base/error.h"
#include "base/format_number.h"
#include "base/text.h"
#include "core/pooling.h"
#include "run/places.h"
#include "run/run.h"

namespace vmafgpu {

/// ": offset=1000 leaves no pair"; "": another reason.
std::string Run::offset_fault() const
{
    const PairingSettings &wanted = pairing_->settings();
    const VmafGpuPairing counts = pairing_->report();
    const bool is_offset = wanted.has_offset == VMAFGPU_OFFSET_GIVEN && counts.pairs == 0 &&
                           counts.of[VMAFGPU_MAIN].disabled == 0;
    return is_offset ? ": offset=" + std::to_string(wanted.offset) + " leaves no pair" : "";
}

void Run::log_summary(double fps) const
{
    const Log &log = engine_->log();
    const VmafGpuDevice &device = engine_->executor().info();
    log(VMAFGPU_LOG_INFO, std::to_string(collected_) + (collected_ == 1 ? " frame" : " frames") +
                              ", backend " + device.backend + " (" + device.name + "), " +
                              format_fixed(fps, 1) + " fps");
    if (scored_ > 0 || !engine_->chunk().is_whole()) // subsampling may leave out a part
        return;
    log(VMAFGPU_LOG_WARNING, "no pair of frames was scored" + offset_fault());
}

void Run::finish(int reason)
{
    const bool is_first = !was_slowed_;
    was_slowed_ = is_slowed_by_host();
    if (is_first && *was_slowed_)
        engine_->log()(VMAFGPU_LOG_INFO,
                       join(engine_->host_features()) +
                           " ran on the CPU, for which results waited most of the time: " +
                           format_fixed(frames_per_second(), 1) + " frames/s");
    pairing_->finish(reason);
}

/// The inputs went on.
void Run::log_stop() const
{
    if (scored_ == 0)
        return; // which is said
    const double base = pairing_->settings().base(kMain).value();
    const auto time_of = [&](int i) {
        return format_fixed(static_cast<double>(scored_times_[i]) * base, 3);
    };
    engine_->log()(VMAFGPU_LOG_WARNING,
                   "FFmpeg ended the filter before its inputs ended: only main's frames from " +
                       time_of(0) + " to " + time_of(1) +
                       " s were scored. If -ss, -t, -frames:v or -shortest behind the inputs "
                       "did so, put -ss and -t before each -i");
}

/// What the run leaves for one that begins in its place.
void Run::leave_place(int reason)
{
    if (reason == VMAFGPU_FINISH_END) {
        end_in_place(settings_->place);
        return;
    }
    const VmafGpuPairing counts = pairing_->report();
    StoppedRun left;
    left.pairs = scored_;
    for (size_t i = 0; i < left.lost.size(); ++i) {
        left.lost[i] = frames_[i] - counts.of[i].frames;
        left.last[i] = last_time_[i];
    }
    left.log = std::move(log_copy_);
    left.log_path = log_path_;
    stop_in_place(settings_->place, std::move(left));
}

void Run::write_end(int reason, const char *failure, double fps)
{
    const std::string lacks = pairing_->lacks();
    VmafGpuRun given = {};
    given.struct_size = sizeof(given);
    given.options = settings_->options;
    VmafGpuLog log = {};
    log.format = settings_->log_format;
    log.title = settings_->title;
    log.precision = settings_->precision;
    log.fps = fps;
    log.run = &given;
    log.incomplete = failure != nullptr ? failure : lacks.empty() ? nullptr : lacks.c_str();
    if (reason == VMAFGPU_FINISH_STOPPED && settings_->place != nullptr &&
        log.incomplete == nullptr &&
        log.format != std::string("part")) { // a part knows what it lacks
        RunFacts run = facts(log);
        add_known(run, log);
        log_copy_.emplace(ReportInput{engine_->score_table(), run, log});
    }
    write_log(log, log_.get(), Knowledge::kAll);
}

/// A file of a run that was stopped keeps its name: the next would replace it.
void Run::finish_file(std::unique_ptr<ReportFile> file, int reason, bool is_log)
{
    if (file == nullptr)
        return;
    const std::string before = file->path();
    file->commit(reason != VMAFGPU_FINISH_STOPPED);
    if (!is_log)
        return;
    log_path_ = file->path();
    if (log_path_ != before) // a file of the user has come to the name during the run, and stays
        engine_->log()(VMAFGPU_LOG_WARNING, "'" + before +
                                                "' has become another file during the run: wrote "
                                                "'" +
                                                log_path_ + "'");
}

double Run::pooled_of(size_t score) const
{
    return pooled(engine_->score_table(), score, static_cast<VmafGpuPool>(settings_->pool));
}

/// "": the score is not below the limit, or there is no limit.
std::string Run::below_limit() const
{
    if (!limit_)
        return "";
    const std::string text = "fail_below: " + engine_->plan().names()[limit_->score];
    if (scored_ == 0)
        return text + " has no score";
    const double value = pooled_of(limit_->score);
    return value >= limit_->least // a NaN reaches nothing
               ? ""
               : text + " is " + format_fixed(value, 6) + ", less than " + limit_->text;
}

/// Why a run fails whose files are written; "": it does not.
std::string Run::unmet_demand(int reason) const
{
    const bool is_end = reason == VMAFGPU_FINISH_END;
    const std::string lacks = pairing_->lacks();
    if (scored_ == 0 && engine_->chunk().is_whole() && is_end)
        return "there is no score" + offset_fault();
    if (!lacks.empty())
        return "chunk: " + lacks;
    if (settings_->strict != 0 && !fault().empty() && is_end)
        return "strict: " + fault();
    return below_limit();
}

int Run::end(int reason, const char *failure, const Attempt &attempt)
{
    if (has_ended_)
        throw Error(EINVAL, "vmafgpu_run_end: once, and vmafgpu_run_begin() comes first");
    has_ended_ = true;
    const double fps = frames_per_second();
    log_summary(fps);
    if (reason == VMAFGPU_FINISH_STOPPED)
        log_stop();
    const int counts = attempt([&] { finish(reason); });
    const int stats = attempt([&] { finish_file(std::move(stats_), reason, false); });
    int log = 0;
    if (log_ != nullptr)
        log = attempt([&] { write_end(reason, failure, fps); });
    if (log >= 0)
        log = attempt([&] { finish_file(std::move(log_), reason, true); });
    pictures_.reset();
    leave_place(reason);
    if (reason == VMAFGPU_FINISH_FAILED) // what was scored is in the log, but it is no result
        return 0;
    for (const size_t score : engine_->plan().model_columns())
        if (scored_ > 0) // valid even if a file failed
            pooled_.push_back(pooled_of(score));
    const std::string unmet = unmet_demand(reason);
    if (!unmet.empty())
        engine_->log()(VMAFGPU_LOG_ERROR, unmet);
    for (const int status : {counts, log, stats_error_, stats})
        if (status < 0)
            return status;
    return unmet.empty() ? 0 : -ERANGE;
}

void Run::print_model(size_t model, const char *label) const
{
    const Log &log = engine_->log();
    const size_t column = engine_->plan().model_columns()[model];
    const std::string &name = engine_->plan().names()[column];
    if (settings_->pool == VMAFGPU_POOL_MEAN)
        if (const auto ends = mean_interval_of(column))
            log(VMAFGPU_LOG_INFO,
                name + ", 95 % interval of the mean: " + format_fixed((*ends)[0], 6) + " to " +
                    format_fixed((*ends)[1], 6));
    // What can only be one score has the line of libvmaf. Names that users gave come first.
    std::string before = label == nullptr ? "" : std::string(label) + ": ";
    if (name != "vmaf" || pooled_.size() > 1)
        before = name + ": ";
    log(VMAFGPU_LOG_INFO, before + "VMAF score: " + format_fixed(pooled_[model], 6));
}

void Run::print(const char *label) const
{
    if (engine_ == nullptr)
        return;
    std::string line;
    if (engine_->score_table().rows() > 0)
        for (const auto &[name, value] : engine_->aggregates())
            line += (line.empty() ? "of the run: " : ", ") + name + ": " + format_fixed(value, 6);
    if (!line.empty())
        engine_->log()(VMAFGPU_LOG_INFO, line);
    for (size_t model = 0; model < pooled_.size(); ++model)
        print_model(model, label);
}

} // namespace vmafgpu
