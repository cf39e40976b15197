// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of the C boundary that hands out results: pooled values, values per run, logs and their
// files. See api.cpp.
#include <algorithm>
#include <cstring>

#include "api/context.h"
#include "base/format_number.h"
#include "core/pooling.h"
#include "inputs/inputs.h"
#include "model/model.h"
#include "picture/thumbnail.h"
#include "report/report.h"
#include "vmaf_gpu/vmaf_gpu.h"

using vmafgpu::Error;
using vmafgpu::guarded_with;
using vmafgpu::on_context;
using vmafgpu::require_given;
using vmafgpu::require_within;

namespace {

vmafgpu::RgbRule rule_of(const VmafGpuPicture &picture, const VmafGpuInput &tags)
{
    return vmafgpu::rgb_rule(picture, vmafgpu::tag_of(tags.matrix),
                             vmafgpu::tag_of(tags.range) == "pc");
}

} // namespace

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
        const auto ends = ctx->run.mean_interval_of(static_cast<size_t>(score));
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
        if (log == nullptr) {
            ctx->run.stream_log(nullptr, 0, nullptr);
            return 0;
        }
        require_given("vmafgpu_stream_log: output and format must not be NULL", log->output,
                      log->format);
        ctx->run.stream_log(log->format, log->precision, log->output->file.get());
        return 0;
    });
}

int vmafgpu::write_log(VmafGpuContext *ctx, const VmafGpuLog *log, Run::Knowledge knowledge)
{
    // What was scored before the device was lost is still there.
    const auto write = [&] {
        if (log == nullptr || (log->path == nullptr && log->output == nullptr) ||
            log->format == nullptr)
            throw Error(EINVAL, "vmafgpu_write_log: log, path and format must not be NULL");
        ctx->run.write_log(*log, log->output == nullptr ? nullptr : log->output->file.get(),
                           knowledge);
        return 0;
    };
    return on_any_context(ctx, write, true);
}

int vmafgpu_write_log(VmafGpuContext *ctx, const VmafGpuLog *log)
{
    return vmafgpu::write_log(ctx, log, vmafgpu::Run::Knowledge::kGiven);
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

int vmafgpu_thumbnail_make(VmafGpuThumbnail *thumbnail, const VmafGpuPicture *picture, int chroma,
                           const VmafGpuInput *tags, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_thumbnail_make: only error may be NULL", thumbnail, picture, tags);
        require_within("depth", picture->depth, 8, 16);
        require_within("chroma", chroma, VMAFGPU_CHROMA_400, VMAFGPU_CHROMA_444, "VmafGpuChroma");
        const auto made = vmafgpu::make_thumbnail(*picture, static_cast<vmafgpu::Chroma>(chroma),
                                                  rule_of(*picture, *tags));
        auto *png = new char[made.png.size()];
        std::copy(made.png.begin(), made.png.end(), png);
        thumbnail->width = made.width;
        thumbnail->height = made.height;
        thumbnail->png = png;
        thumbnail->png_size = made.png.size();
        return 0;
    });
}

int vmafgpu_thumbnail_note(char *text, size_t size, const VmafGpuPicture *picture,
                           const VmafGpuInput *tags)
{
    if (text == nullptr || size == 0 || picture == nullptr || tags == nullptr)
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        std::snprintf(text, size, "%s", rule_of(*picture, *tags).text().c_str());
        return 0;
    });
}

void vmafgpu_thumbnail_free(VmafGpuThumbnail *thumbnail)
{
    if (thumbnail == nullptr)
        return;
    delete[] static_cast<const char *>(thumbnail->png);
    thumbnail->png = nullptr;
}
