// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a run writes, what it says at its end, and whether it fails. See include/vmaf_gpu/run.h.
#include <algorithm>
#include <cmath>

#include "api/context.h"
#include "api/run_places.h"
#include "base/format_number.h"
#include "base/text.h"
#include "core/pooling.h"

using vmafgpu::Error;
using vmafgpu::format_fixed;
using vmafgpu::RunReport;

namespace {

/// The log prints 16 digits for tiny fractions, as libvmaf does. Readers of metadata expect %f.
std::string result_text(double value, int precision)
{
    return precision == 6 && std::isfinite(value) ? format_fixed(value, 6)
                                                  : vmafgpu::format_score(value, precision);
}

std::string list_of(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += " " + name;
    return text;
}

RunReport::Limit limit_of(const VmafGpuContext &ctx, const std::string &text)
{
    const std::vector<std::string> &names = ctx.engine->plan().names();
    const std::vector<size_t> &models = ctx.engine->plan().model_columns();
    const size_t colon = text.rfind(':');
    RunReport::Limit limit;
    limit.text = text.substr(colon + 1); // all of it, if there is no colon
    if (!vmafgpu::parse_double(limit.text, &limit.least) || colon == 0)
        throw Error(EINVAL, "fail_below '" + text + "' is neither a number nor NAME:number");
    if (colon == text.npos && !models.empty()) {
        limit.score = models.front();
        return limit;
    }
    const std::string name = colon == text.npos ? "" : text.substr(0, colon);
    limit.score = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (limit.score == names.size())
        throw Error(EINVAL, "fail_below: " +
                                (name.empty() ? "there is no model, so write NAME:" + limit.text
                                              : "unknown score '" + name + "'") +
                                " (known:" + list_of(names) + ")");
    return limit;
}

/// Whether the pair counts and was scored.
bool is_in_log(const VmafGpuContext &ctx, const VmafGpuResult &result)
{
    return result.scored != 0 && ctx.engine->chunk().counts(result.index);
}

std::string stats_line(const VmafGpuContext &ctx, const VmafGpuResult &result, int precision)
{
    std::string text =
        "n:" + std::to_string(result.index + 1) + " pts:" + std::to_string(result.time);
    const auto reference = static_cast<int64_t>(result.reference_tag);
    if (reference != VMAFGPU_NO_TIME)
        text += " ref_pts:" + std::to_string(reference);
    for (int i = 0; i < result.score_count; ++i)
        text += " " + ctx.engine->plan().names()[static_cast<size_t>(i)] + ":" +
                result_text(result.scores[i], precision);
    return text + "\n";
}

void open_output(const VmafGpuContext &ctx, VmafGpuOutput &output, const char *path,
                 const vmafgpu::FileOptions &options)
{
    output.file = std::make_unique<vmafgpu::ReportFile>(path, options);
    const std::string &used = output.file->path();
    if (used != path)
        ctx.engine->log()(VMAFGPU_LOG_WARNING,
                          std::string("another output has '") + path + "': writing '" + used + "'");
}

void log_summary(const VmafGpuContext &ctx, double fps)
{
    const vmafgpu::Log &log = ctx.engine->log();
    const VmafGpuDevice &device = ctx.engine->executor().info();
    log(VMAFGPU_LOG_INFO, std::to_string(ctx.run->collected) + " frames, backend " +
                              device.backend + " (" + device.name + "), " + format_fixed(fps, 1) +
                              " fps");
    if (ctx.run->scored > 0 || !ctx.engine->chunk().is_whole()) // subsampling may leave out a part
        return;
    const vmafgpu::PairingSettings &wanted = ctx.pairing->settings();
    const VmafGpuPairing counts = ctx.pairing->report();
    const bool is_offset = wanted.has_offset == VMAFGPU_OFFSET_GIVEN && counts.pairs == 0 &&
                           counts.of[VMAFGPU_MAIN].disabled == 0;
    log(VMAFGPU_LOG_WARNING,
        "no pair of frames was scored" +
            (is_offset ? ": offset=" + std::to_string(wanted.offset) + " leaves none" : ""));
}

/// The inputs went on.
void log_stop(const VmafGpuContext &ctx)
{
    if (ctx.run->scored == 0)
        return; // which is said
    const double base = ctx.pairing->settings().base(vmafgpu::kMain).value();
    const auto time_of = [&](int i) {
        return format_fixed(static_cast<double>(ctx.run->scored_times[i]) * base, 3);
    };
    ctx.engine->log()(VMAFGPU_LOG_WARNING,
                      "FFmpeg ended the filter before its inputs ended: only main's frames from " +
                          time_of(0) + " to " + time_of(1) +
                          " s were scored. If -ss, -t, -frames:v or -shortest behind the inputs "
                          "did so, put -ss and -t before each -i");
}

/// What the run leaves for one that begins in its place.
void leave_place(VmafGpuContext &ctx, int reason)
{
    RunReport &run = *ctx.run;
    if (reason == VMAFGPU_FINISH_END) {
        vmafgpu::end_in_place(run.settings.place);
        return;
    }
    const VmafGpuPairing counts = ctx.pairing->report();
    vmafgpu::StoppedRun left;
    left.pairs = run.scored;
    for (size_t i = 0; i < left.lost.size(); ++i) {
        left.lost[i] = ctx.seen.frames[i] - counts.of[i].frames;
        left.last[i] = ctx.seen.last_time[i];
    }
    left.log = std::move(run.log_copy);
    left.log_path = run.log_path;
    vmafgpu::stop_in_place(run.settings.place, std::move(left));
}

int write_log(VmafGpuContext &ctx, int reason, const char *failure, double fps)
{
    RunReport &run = *ctx.run;
    const vmafgpu::RunRecord &record = ctx.record;
    const vmafgpu::Rational base = ctx.pairing->settings().base(vmafgpu::kMain);
    const VmafGpuPairing pairing = ctx.pairing->report();
    const std::string lacks = ctx.pairing->lacks();
    std::vector<const char *> warnings;
    for (const std::string &text : record.warnings)
        warnings.push_back(text.c_str());
    VmafGpuRun facts = {};
    facts.struct_size = sizeof(facts);
    facts.warnings = warnings.data();
    facts.warning_count = static_cast<int>(warnings.size());
    facts.main_format = run.formats[VMAFGPU_MAIN].c_str();
    facts.reference_format = run.formats[VMAFGPU_REFERENCE].c_str();
    facts.options = run.settings.options;
    facts.time_base_num = static_cast<int>(base.num);
    facts.time_base_den = static_cast<int>(base.den);
    if (record.has_times && run.settings.log_format != std::string("xml")) // which has no times
        facts.pts = record.times.data();
    facts.pts_count = static_cast<int64_t>(record.times.size());
    facts.pts_first = ctx.engine->chunk().first;
    VmafGpuLog log = {};
    log.output = &run.log;
    log.format = run.settings.log_format;
    log.title = run.settings.title;
    log.precision = run.settings.precision;
    log.fps = fps;
    log.pairing = &pairing;
    log.run = &facts;
    log.incomplete = failure != nullptr ? failure : lacks.empty() ? nullptr : lacks.c_str();
    if (reason == VMAFGPU_FINISH_STOPPED && run.settings.place != nullptr &&
        log.incomplete == nullptr &&
        log.format != std::string("part")) // a part knows what it lacks
        run.log_copy.emplace(
            vmafgpu::ReportInput{ctx.engine->score_table(), vmafgpu::facts_of(ctx, log), log});
    return vmafgpu_write_log(&ctx, &log);
}

/// Closes an output. One of a run that was stopped keeps its name: the next would replace it.
int finish_output(VmafGpuContext &ctx, VmafGpuOutput &output, int reason)
{
    const auto file = std::move(output.file);
    return vmafgpu::on_any_context(&ctx, [&] {
        if (file == nullptr)
            return 0;
        const std::string before = file->path();
        file->commit(reason != VMAFGPU_FINISH_STOPPED);
        if (&output == &ctx.run->log)
            ctx.run->log_path = file->path();
        if (&output != &ctx.run->log || file->path() == before)
            return 0;
        // A file of the user has come to the name during the run. It stays.
        ctx.engine->log()(VMAFGPU_LOG_WARNING, "'" + before +
                                                   "' has become another file during the run: "
                                                   "wrote '" +
                                                   file->path() + "'");
        return 0;
    });
}

double pooled(const VmafGpuContext &ctx, size_t score)
{
    return vmafgpu::pooled(ctx.engine->score_table(), score,
                           static_cast<VmafGpuPool>(ctx.run->settings.pool));
}

/// "": the score is not below the limit, or there is no limit.
std::string below_limit(const VmafGpuContext &ctx)
{
    if (!ctx.run->limit)
        return "";
    const RunReport::Limit &limit = *ctx.run->limit;
    const std::string text = "fail_below: " + ctx.engine->plan().names()[limit.score];
    if (ctx.run->scored == 0)
        return text + " has no score";
    const double value = pooled(ctx, limit.score);
    return value >= limit.least // a NaN reaches nothing
               ? ""
               : text + " is " + format_fixed(value, 6) + ", less than " + limit.text;
}

/// Why a run fails whose files are written; "": it does not.
std::string unmet_demand(const VmafGpuContext &ctx, int reason)
{
    const bool is_end = reason == VMAFGPU_FINISH_END;
    const std::string lacks = ctx.pairing->lacks(), &fault = vmafgpu::fault_of(ctx);
    if (ctx.run->scored == 0 && ctx.engine->chunk().is_whole() && is_end)
        return "there is no score";
    if (!lacks.empty())
        return "chunk: " + lacks;
    if (ctx.run->settings.strict != 0 && !fault.empty() && is_end)
        return "strict: " + fault;
    return below_limit(ctx);
}

void print_score(VmafGpuContext &ctx, int model, const char *label)
{
    const vmafgpu::Log &log = ctx.engine->log();
    const int score = vmafgpu_model_score(&ctx, model);
    const std::string name = vmafgpu_score_name(&ctx, score);
    double ends[2];
    if (ctx.run->settings.pool == VMAFGPU_POOL_MEAN &&
        vmafgpu_mean_interval(&ctx, score, ends) >= 0)
        log(VMAFGPU_LOG_INFO, name + ", 95 % interval of the mean: " + format_fixed(ends[0], 6) +
                                  " to " + format_fixed(ends[1], 6));
    // What can only be one score has the line of libvmaf. Names that users gave come first.
    std::string before = label == nullptr ? "" : std::string(label) + ": ";
    if (name != "vmaf" || ctx.run->pooled.size() > 1)
        before = name + ": ";
    const double value = ctx.run->pooled[static_cast<size_t>(model)];
    log(VMAFGPU_LOG_INFO, before + "VMAF score: " + format_fixed(value, 6));
}

} // namespace

void RunReport::add(const VmafGpuContext &ctx, const VmafGpuResult &result)
{
    ++collected;
    if (!is_in_log(ctx, result))
        return;
    if (scored++ == 0)
        scored_times[0] = result.time;
    scored_times[1] = result.time;
    if (stats.file == nullptr)
        return;
    try {
        stats.file->write(stats_line(ctx, result, settings.precision));
    } catch (const Error &error) { // a full disk must not spoil the log: the run fails at its end
        ctx.engine->log()(VMAFGPU_LOG_ERROR, error.what());
        stats_error = -error.code();
        stats.file.reset();
    }
}

double RunReport::frames_per_second() const
{
    if (!start)
        return 0;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - *start;
    return static_cast<double>(collected) / elapsed.count();
}

void vmafgpu_log(void *ctx, int level, const char *text)
{
    auto *context = static_cast<VmafGpuContext *>(ctx);
    vmafgpu::on_any_context(context, [&] {
        if (text == nullptr)
            throw Error(EINVAL, "vmafgpu_log: text must not be NULL");
        context->engine->log()(static_cast<VmafGpuLogLevel>(level), text);
        return 0;
    });
}

int vmafgpu_run_begin(VmafGpuContext *ctx, const VmafGpuRunSettings *settings)
{
    return vmafgpu::on_any_context(ctx, [&] {
        if (settings == nullptr || settings->struct_size != sizeof(*settings) ||
            settings->log_format == nullptr || ctx->pairing == nullptr)
            throw Error(EINVAL, "vmafgpu_run_begin: struct_size, log_format or pairing is not set");
        const int digits = settings->precision;
        vmafgpu::require_pool(settings->pool);
        vmafgpu::require(digits == VMAFGPU_PRECISION_MAX || (digits >= 6 && digits <= 17),
                         "precision", digits, "6 to 17, or max");
        RunReport &run = ctx->run.emplace();
        run.settings = *settings;
        if (settings->fail_below != nullptr)
            run.limit = limit_of(*ctx, settings->fail_below);
        vmafgpu::FileOptions options = {"log", settings->overwrite != 0, false, true};
        if (settings->log_path != nullptr)
            open_output(*ctx, run.log, settings->log_path, options);
        // Only what is asked for is kept, so that a run may last for ever.
        VmafGpuLog log = {};
        log.output = &run.log;
        log.format = settings->log_format;
        log.precision = digits;
        int status = 0;
        if (settings->pool < VMAFGPU_POOL_PERC1) // percentiles need all pairs
            status = vmafgpu_stream_log(ctx, settings->log_path == nullptr ? nullptr : &log);
        vmafgpu::begin_in_place(settings->place);
        options.kind = "stats_file";
        options.is_live = true;
        if (status >= 0 && settings->stats_path != nullptr)
            open_output(*ctx, run.stats, settings->stats_path, options);
        return status;
    });
}

int vmafgpu_run_metadata(VmafGpuContext *ctx, const VmafGpuResult *result, int i,
                         const char *prefix, VmafGpuMetadata *out)
{
    return vmafgpu::on_any_context(ctx, [&] {
        if (!ctx->run || result == nullptr || i < 0 || prefix == nullptr || out == nullptr)
            throw Error(EINVAL, "vmafgpu_run_metadata: no run, result, prefix or out, or i < 0");
        const int score = i - 2;
        if (score >= result->score_count || !is_in_log(*ctx, *result))
            return -ENODATA;
        const auto reference = static_cast<int64_t>(result->reference_tag);
        const char *name = i == 0 ? "ref_pts" : "shot";
        std::string value;
        if (i == 0 && reference != VMAFGPU_NO_TIME)
            value = std::to_string(reference);
        if (i == 1 && result->shot >= 0)
            value = std::to_string(result->shot);
        if (score >= 0) {
            name = ctx->engine->plan().names()[static_cast<size_t>(score)].c_str();
            if (std::isfinite(result->scores[score]))
                value = result_text(result->scores[score], ctx->run->settings.precision);
        }
        std::snprintf(out->key, sizeof(out->key), "%s%s", prefix, name);
        out->value[value.copy(out->value, sizeof(out->value) - 1)] = '\0';
        return 0;
    });
}

int vmafgpu_run_end(VmafGpuContext *ctx, int reason, const char *failure)
{
    return vmafgpu::on_any_context(ctx, [&] {
        if (!ctx->run || ctx->run->has_ended)
            throw Error(EINVAL, "vmafgpu_run_end: once, and vmafgpu_run_begin() comes first");
        RunReport &run = *ctx->run;
        run.has_ended = true;
        const double fps = run.frames_per_second();
        log_summary(*ctx, fps);
        if (reason == VMAFGPU_FINISH_STOPPED)
            log_stop(*ctx);
        const int counts = vmafgpu_finish(ctx, reason);
        const int stats = finish_output(*ctx, run.stats, reason);
        int log = run.log.file == nullptr ? 0 : write_log(*ctx, reason, failure, fps);
        if (log >= 0)
            log = finish_output(*ctx, run.log, reason);
        leave_place(*ctx, reason);
        if (reason == VMAFGPU_FINISH_FAILED) // what was scored is in the log, but it is no result
            return 0;
        for (const size_t score : ctx->engine->plan().model_columns())
            if (run.scored > 0) // valid even if a file failed
                run.pooled.push_back(pooled(*ctx, score));
        const std::string unmet = unmet_demand(*ctx, reason);
        if (!unmet.empty())
            ctx->engine->log()(VMAFGPU_LOG_ERROR, unmet);
        for (const int status : {counts, log, run.stats_error, stats})
            if (status < 0)
                return status;
        return unmet.empty() ? 0 : -ERANGE;
    });
}

void vmafgpu_run_print(VmafGpuContext *ctx, const char *label)
{
    vmafgpu::on_any_context(ctx, [&] {
        const int models = ctx->run ? static_cast<int>(ctx->run->pooled.size()) : 0;
        for (int i = 0; i < models; ++i)
            print_score(*ctx, i, label);
        std::string line;
        double value = 0;
        for (int i = 0; models > 0 && i < vmafgpu_aggregate_count(ctx); ++i)
            if (vmafgpu_aggregate(ctx, i, &value) >= 0)
                line += std::string(line.empty() ? "of the run: " : ", ") +
                        vmafgpu_aggregate_name(ctx, i) + ": " + format_fixed(value, 6);
        if (!line.empty())
            ctx->engine->log()(VMAFGPU_LOG_INFO, line);
        return 0;
    });
}
