// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a program needs to show a run. See include/vmaf_gpu/run.h.
#include "vmaf_gpu/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "api/context.h"
#include "report/format_number.h"

namespace {

using vmafgpu::Error;
using vmafgpu::fill_error;
using vmafgpu::guarded_with;
using vmafgpu::RunRecord;

int copy_text(char *out, size_t size, const std::string &text)
{
    if (text.size() >= size)
        return -ENOSPC;
    std::memcpy(out, text.c_str(), text.size() + 1);
    return static_cast<int>(text.size());
}

std::string result_text(double value, int precision)
{
    // The log prints 16 digits for tiny fractions, as libvmaf does. Readers of metadata expect %f.
    return precision == 6 && std::isfinite(value) ? vmafgpu::format_fixed(value, 6)
                                                  : vmafgpu::format_score(value, precision);
}

/// The whole text as a number, or an infinity.
double number_of(std::string_view text)
{
    double value = 0;
    if (!text.empty() && text[0] == '+')
        text.remove_prefix(1);
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() ? value : INFINITY;
}

std::string list_of(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += " " + name;
    return text;
}

int score_of(const VmafGpuContext &ctx, const std::string &name, const std::string &number)
{
    const std::vector<std::string> &names = ctx.engine->plan().names();
    if (const auto &models = ctx.engine->plan().model_columns(); name.empty() && !models.empty())
        return static_cast<int>(models[0]);
    const auto found = std::find(names.begin(), names.end(), name);
    if (name.empty())
        throw Error(EINVAL, "fail_below: there is no model, so write NAME:" + number +
                                " (known:" + list_of(names) + ")");
    if (found == names.end())
        throw Error(EINVAL,
                    "fail_below: unknown score '" + name + "' (known:" + list_of(names) + ")");
    return static_cast<int>(found - names.begin());
}

/// Two to four numbers between dashes. The last two may be empty, which stands for 0.
bool read_numbers(const char *at, uint64_t (&numbers)[4])
{
    constexpr uint64_t kMost = uint64_t{1} << 40;
    const char *const end = at + std::strlen(at);
    for (size_t i = 0; i < std::size(numbers); ++i, ++at) {
        const auto [rest, code] = std::from_chars(at, end, numbers[i]);
        const bool is_empty = code == std::errc::invalid_argument;
        if (code == std::errc::result_out_of_range || numbers[i] > kMost || (is_empty && i < 2))
            return false;
        if (rest == end)
            return i > 0;
        if (*rest != '-')
            return false;
        at = rest;
    }
    return false;
}

} // namespace

int vmafgpu_format_score(char *out, size_t size, double value, int precision)
{
    if (out == nullptr)
        return -EINVAL;
    return guarded_with(
        nullptr, [&] { return copy_text(out, size, vmafgpu::format_score(value, precision)); });
}

int vmafgpu_format_number(char *out, size_t size, double value, int digits)
{
    if (out == nullptr || digits < 0 || digits > 17)
        return -EINVAL;
    return guarded_with(nullptr,
                        [&] { return copy_text(out, size, vmafgpu::format_fixed(value, digits)); });
}

int vmafgpu_format_result(char *out, size_t size, const VmafGpuResult *result, int i, int precision)
{
    if (out == nullptr || result == nullptr || result->scores == nullptr || i < 0 ||
        i >= result->score_count)
        return -EINVAL;
    return guarded_with(
        nullptr, [&] { return copy_text(out, size, result_text(result->scores[i], precision)); });
}

int vmafgpu_stats_line(VmafGpuContext *ctx, const VmafGpuResult *result, int precision,
                       const char **line)
{
    if (ctx == nullptr || result == nullptr || result->scores == nullptr || line == nullptr ||
        result->score_count > vmafgpu_score_count(ctx))
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        std::string &text = ctx->record.line;
        text = "n:" + std::to_string(result->index + 1) + " pts:" + std::to_string(result->time);
        const auto reference = static_cast<int64_t>(result->reference_tag);
        if (reference != VMAFGPU_NO_TIME)
            text += " ref_pts:" + std::to_string(reference);
        for (int i = 0; i < result->score_count; ++i)
            text += " " + ctx->engine->plan().names()[static_cast<size_t>(i)] + ":" +
                    result_text(result->scores[i], precision);
        text += "\n";
        *line = text.c_str();
        return static_cast<int>(text.size());
    });
}

void vmafgpu_keep_warning(VmafGpuContext *ctx, const char *text)
{
    vmafgpu::on_any_context(ctx, [&] {
        vmafgpu::require_given("vmafgpu_keep_warning: text must not be NULL", text);
        ctx->record.keep_warning(text);
        return 0;
    });
}

int vmafgpu_describe_run(VmafGpuContext *ctx, VmafGpuRun *run)
{
    return vmafgpu::on_any_context(ctx, [&] {
        if (run == nullptr || run->struct_size != sizeof(*run))
            throw Error(EINVAL, "vmafgpu_describe_run: run must have its struct_size");
        RunRecord &record = ctx->record;
        record.texts.clear();
        for (const std::string &text : record.warnings)
            record.texts.push_back(text.c_str());
        run->warnings = record.texts.data();
        run->warning_count = static_cast<int>(record.texts.size());
        if (ctx->pairing == nullptr)
            return 0;
        const vmafgpu::Rational base = ctx->pairing->settings().base(vmafgpu::kMain);
        run->time_base_num = static_cast<int>(base.num);
        run->time_base_den = static_cast<int>(base.den);
        run->pts = record.has_times ? record.times.data() : nullptr;
        run->pts_count = static_cast<int64_t>(record.times.size());
        run->pts_first = ctx->engine->chunk().first;
        return 0;
    });
}

int vmafgpu_set_limit(VmafGpuContext *ctx, const char *text, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        vmafgpu::require_given("vmafgpu_set_limit: ctx and text must not be NULL", ctx, text);
        const std::string all = text;
        const size_t colon = all.rfind(':');
        const bool has_name = colon != std::string::npos;
        RunRecord::Limit limit;
        limit.text = has_name ? all.substr(colon + 1) : all;
        limit.least = number_of(limit.text);
        if (!std::isfinite(limit.least) || colon == 0)
            throw Error(EINVAL, "fail_below '" + all + "' is neither a number nor NAME:number");
        limit.score = score_of(*ctx, has_name ? all.substr(0, colon) : "", limit.text);
        ctx->record.limit = limit;
        return 0;
    });
}

int vmafgpu_check_limit(VmafGpuContext *ctx, int pool, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        vmafgpu::require_given("vmafgpu_check_limit: ctx must not be NULL", ctx);
        vmafgpu::require_pool(pool);
        if (!ctx->record.limit)
            return 0;
        const RunRecord::Limit &limit = *ctx->record.limit;
        const std::string &name = ctx->engine->plan().names()[static_cast<size_t>(limit.score)];
        double value = 0;
        const int status = vmafgpu_pooled(ctx, limit.score, pool, &value);
        if (status < 0)
            throw Error(ERANGE, "fail_below: " + name + " has no score");
        if (!(value >= limit.least)) // a NaN reaches nothing
            throw Error(ERANGE, "fail_below: " + name + " is " + vmafgpu::format_fixed(value, 6) +
                                    ", less than " + limit.text);
        return 0;
    });
}

int vmafgpu_read_chunk(VmafGpuChunk *chunk, const char *text, VmafGpuError *error)
{
    uint64_t numbers[4] = {};
    if (chunk == nullptr || text == nullptr || !read_numbers(text, numbers)) {
        fill_error(
            error, -EINVAL,
            "expected FIRST-BEGIN-END-TOTAL, four numbers of pairs, of which END and TOTAL may be "
            "0 or left out");
        return -EINVAL;
    }
    *chunk = {static_cast<int64_t>(numbers[0]), static_cast<int64_t>(numbers[1]),
              static_cast<int64_t>(numbers[2]), static_cast<int64_t>(numbers[3])};
    if (chunk->end == 0)
        chunk->end = chunk->total; // may be 0, too
    if (chunk->first <= chunk->begin && (chunk->end == 0 || chunk->begin < chunk->end) &&
        (chunk->total == 0 || chunk->end <= chunk->total))
        return 0;
    fill_error(error, -EINVAL, "expected FIRST <= BEGIN < END <= TOTAL");
    return -EINVAL;
}

const char *vmafgpu_chunk_lacks(VmafGpuContext *ctx)
{
    const char *text = nullptr;
    vmafgpu::on_any_context(ctx, [&] {
        if (ctx->pairing == nullptr || !ctx->engine->settings().is_chunk)
            return 0;
        ctx->record.line = ctx->pairing->lacks();
        text = ctx->record.line.empty() ? nullptr : ctx->record.line.c_str();
        return 0;
    });
    return text;
}
