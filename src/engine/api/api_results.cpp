// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of the C boundary that hands out results: pooled values, values per run, logs and their
// files. See api.cpp.
#include <algorithm>
#include <cstring>

#include "api/context.h"
#include "base/format_number.h"
#include "core/pooling.h"
#include "model/model.h"
#include "report/report.h"
#include "vmaf_gpu/vmaf_gpu.h"

using vmafgpu::Error;
using vmafgpu::guarded_with;
using vmafgpu::on_context;
using vmafgpu::require_given;
using vmafgpu::require_within;

namespace {

/// What the engine knows of the run, but for its results.
vmafgpu::RunFacts run_of(vmafgpu::Engine &engine)
{
    const vmafgpu::ScorePlan &plan = engine.plan();
    const vmafgpu::EngineSettings &settings = engine.settings();
    vmafgpu::RunFacts run;
    run.version = VMAFGPU_VERSION;
    run.backend = engine.executor().info().backend;
    run.device = engine.executor().info().name;
    run.width = settings.format.width;
    run.height = settings.format.height;
    run.depth = settings.format.depth;
    run.chroma = vmafgpu::kChromaNames[static_cast<size_t>(settings.format.chroma)];
    run.compat = settings.compat == vmafgpu::Compat::k3_1 ? "3.1" : "3.2";
    run.subsample = settings.subsample;
    if (const auto &scale = settings.scale; scale != nullptr)
        run.scaler = "bicubic+accurate_rnd+bitexact from " + std::to_string(scale->source().width) +
                     "x" + std::to_string(scale->source().height);
    run.colours = engine.colours();
    for (const auto &model : plan.models())
        run.models.push_back({model->score_names().front(), model->source(), model->digest(),
                              model->options_set(), model->range()});
    for (const vmafgpu::FeatureRequest &request : settings.features)
        run.features.emplace_back(request.name, request.options);
    run.host_features = engine.host_features();
    run.warnings.assign(plan.warnings().begin(), plan.warnings().end());
    run.model_columns = plan.model_columns();
    return run;
}

/// Adds what was said of pairs. A part has more warnings of that kind than were said, and has them
/// last.
void add_said(const std::vector<std::string> &said, std::vector<std::string> &warnings)
{
    for (const std::string &text : said) {
        warnings.erase(std::remove(warnings.begin(), warnings.end(), text), warnings.end());
        warnings.push_back(text);
    }
}

vmafgpu::PartFacts part_of(const vmafgpu::Engine &engine)
{
    const vmafgpu::ScorePlan &plan = engine.plan();
    return {engine.chunk(),         engine.reached(),       engine.before(),
            engine.after(),         engine.overlap(),       plan.spatial_columns(),
            plan.aggregate_words(), engine.aggregate_sums()};
}

/// Logs cuts where nobody calls vmafgpu_finish(). A chunk does not know its borders.
void log_cuts_once(VmafGpuContext &ctx, const vmafgpu::Shots &shots)
{
    if (ctx.pairing != nullptr || ctx.engine->settings().is_chunk || ctx.record.has_logged_cuts)
        return;
    ctx.record.has_logged_cuts = true;
    for (const auto &[cuts, text] :
         {std::pair{&shots.cuts.main_only, vmafgpu::kMainOnlyCuts},
          std::pair{&shots.cuts.reference_only, vmafgpu::kReferenceOnlyCuts}})
        if (!cuts->empty())
            ctx.engine->log()(VMAFGPU_LOG_WARNING, std::to_string(cuts->size()) + text +
                                                       " (pairs " + vmafgpu::list_of_pairs(*cuts) +
                                                       ")");
}

} // namespace

vmafgpu::RunFacts vmafgpu::facts_of(VmafGpuContext &ctx, const VmafGpuLog &log)
{
    RunFacts run = run_of(*ctx.engine);
    run.shots = ctx.engine->shots();
    run.aggregates = ctx.engine->aggregates();
    run.main_stream = ctx.record.streams[VMAFGPU_MAIN];
    run.reference_stream = ctx.record.streams[VMAFGPU_REFERENCE];
    add_log(log, run);
    if (ctx.pairing != nullptr && log.format == std::string("part"))
        add_said(ctx.pairing->said().warnings, run.warnings);
    return run;
}

int vmafgpu_pool_by_name(const char *name)
{
    return name == nullptr ? -EINVAL : vmafgpu::pool_by_name(name);
}

int vmafgpu_format_score(char *out, size_t size, double value, int precision)
{
    if (out == nullptr)
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        const std::string text = vmafgpu::format_score(value, precision);
        if (text.size() >= size)
            return -ENOSPC;
        std::memcpy(out, text.c_str(), text.size() + 1);
        return static_cast<int>(text.size());
    });
}

int vmafgpu_pooled(VmafGpuContext *ctx, int score, int pool, double *value)
{
    return on_context(ctx, [&] {
        require_within("score", score, 0, vmafgpu_score_count(ctx) - 1,
                       "0 to vmafgpu_score_count() - 1");
        vmafgpu::require_pool(pool);
        require_given("vmafgpu_pooled: value must not be NULL", value);
        if (ctx->engine->score_table().rows() + ctx->engine->score_table().left() == 0)
            return -ENODATA;
        *value = vmafgpu::pooled(ctx->engine->score_table(), static_cast<size_t>(score),
                                 static_cast<VmafGpuPool>(pool));
        return 0;
    });
}

int vmafgpu_mean_interval(VmafGpuContext *ctx, int score, double interval[2])
{
    return on_context(ctx, [&] {
        require_within("score", score, 0, vmafgpu_score_count(ctx) - 1,
                       "0 to vmafgpu_score_count() - 1");
        require_given("vmafgpu_mean_interval: interval must not be NULL", interval);
        const auto ends = vmafgpu::interval_of(ctx->engine->score_table(), run_of(*ctx->engine),
                                               static_cast<size_t>(score));
        if (!ends)
            return -ENODATA;
        std::copy(ends->begin(), ends->end(), interval);
        return 0;
    });
}

int vmafgpu_aggregate_count(const VmafGpuContext *ctx)
{
    return ctx == nullptr ? -EINVAL
                          : static_cast<int>(ctx->engine->plan().aggregate_names().size());
}

const char *vmafgpu_aggregate_name(const VmafGpuContext *ctx, int i)
{
    return ctx == nullptr ? nullptr : vmafgpu::name_at(ctx->engine->plan().aggregate_names(), i);
}

int vmafgpu_aggregate(VmafGpuContext *ctx, int i, double *value)
{
    return on_context(ctx, [&] {
        require_within("aggregate", i, 0, vmafgpu_aggregate_count(ctx) - 1,
                       "0 to vmafgpu_aggregate_count() - 1");
        require_given("vmafgpu_aggregate: value must not be NULL", value);
        if (ctx->engine->score_table().rows() == 0)
            return -ENODATA;
        *value = ctx->engine->aggregates()[static_cast<size_t>(i)].second;
        return 0;
    });
}

int vmafgpu_stream_log(VmafGpuContext *ctx, const VmafGpuLog *log)
{
    return on_context(ctx, [&] {
        if (ctx->stream != nullptr)
            throw Error(EINVAL, "vmafgpu_stream_log: a log is streamed already");
        if (ctx->engine->score_table().left() > 0)
            throw Error(EINVAL, "vmafgpu_stream_log: older pairs were dropped; call it before "
                                "the first pair");
        if (log == nullptr) {
            ctx->engine->limit_scores({});
            ctx->record.has_times = false;
            return 0;
        }
        require_given("vmafgpu_stream_log: output and format must not be NULL", log->output,
                      log->format);
        if (!vmafgpu::has_only_rows(log->format))
            return 0;
        auto stream = std::make_unique<vmafgpu::RowStream>(
            log->format, log->precision, ctx->engine->plan().names(), *log->output->file,
            [ctx](const char *failure) { ctx->engine->log()(VMAFGPU_LOG_ERROR, failure); });
        ctx->engine->limit_scores(
            [ctx](int64_t index, const double *scores) { ctx->stream->take(index, scores); });
        ctx->record.has_times = false;
        ctx->stream = std::move(stream); // last: a call that failed changes nothing
        return 0;
    });
}

int vmafgpu_write_log(VmafGpuContext *ctx, const VmafGpuLog *log)
{
    // What was scored before the device was lost is still there.
    const auto write = [&] {
        if (log == nullptr || (log->path == nullptr && log->output == nullptr) ||
            log->format == nullptr)
            throw Error(EINVAL, "vmafgpu_write_log: log, path and format must not be NULL");
        const vmafgpu::RunFacts run = vmafgpu::facts_of(*ctx, *log);
        const vmafgpu::PartFacts part = part_of(*ctx->engine);
        if (run.shots)
            log_cuts_once(*ctx, *run.shots);
        vmafgpu::write_report({ctx->engine->score_table(), run, *log,
                               log->output == nullptr ? nullptr : log->output->file.get(),
                               ctx->stream.get(),
                               ctx->engine->settings().is_chunk ? &part : nullptr});
        return 0;
    };
    return vmafgpu::on_any_context(ctx, write, true);
}

int vmafgpu_output_open(VmafGpuOutput **output, const char *path, const char *kind, int flags,
                        VmafGpuError *error)
{
    if (output != nullptr)
        *output = nullptr;
    return guarded_with(error, [&] {
        require_given("vmafgpu_output_open: output and path must not be NULL", output, path);
        auto opened = std::make_unique<VmafGpuOutput>();
        vmafgpu::FileOptions options;
        options.kind = kind == nullptr ? "file" : kind;
        options.may_overwrite = (flags & VMAFGPU_OUTPUT_OVERWRITE) != 0;
        options.is_live = (flags & VMAFGPU_OUTPUT_LIVE) != 0;
        options.may_number = true;
        opened->file = std::make_unique<vmafgpu::ReportFile>(path, options);
        *output = opened.release();
        return 0;
    });
}

const char *vmafgpu_output_path(const VmafGpuOutput *output)
{
    return output == nullptr ? nullptr : output->file->path().c_str();
}

int vmafgpu_output_write(VmafGpuOutput *output, const char *text, size_t size, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        if (output == nullptr || (text == nullptr && size > 0))
            throw Error(EINVAL, "vmafgpu_output_write: output and text must not be NULL");
        output->file->write(std::string_view(text, size));
        return 0;
    });
}

int vmafgpu_output_finish(VmafGpuOutput *output, int is_complete, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_output_finish: output must not be NULL", output);
        output->file->commit(is_complete != 0);
        return 0;
    });
}

void vmafgpu_output_close(VmafGpuOutput **output)
{
    vmafgpu::free_handle(output);
}
