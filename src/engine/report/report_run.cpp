// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_run.h.
#include "report/report_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "core/pooling.h"

namespace vmafgpu {
namespace {

LogValue describe_model(const ModelFacts &model)
{
    LogValue value, options;
    value.add("name", model.name);
    value.add("source", model.source);
    value.add("digest", model.digest);
    for (const auto &[key, setting] : model.options)
        options.add(key, setting);
    value.add("options", std::move(options));
    return value;
}

} // namespace

VmafGpuRun run_of(const VmafGpuLog &log)
{
    if (log.run == nullptr)
        return {};
    const VmafGpuRun &run = *log.run;
    const auto require = [](bool is_good, const char *field, int64_t value, const char *allowed) {
        if (!is_good)
            throw Error(EINVAL, std::string("VmafGpuRun.") + field + " is " +
                                    std::to_string(value) + "; allowed: " + allowed);
    };
    require(run.struct_size == sizeof(run), "struct_size", run.struct_size, "sizeof(VmafGpuRun)");
    require(run.warning_count == 0 || (run.warning_count > 0 && run.warnings != nullptr),
            "warning_count", run.warning_count, "the length of warnings");
    require(run.pts_first >= 0, "pts_first", run.pts_first, "0 or more");
    require(run.pts == nullptr || run.time_base_num > 0, "time_base_num", run.time_base_num,
            "above 0");
    require(run.pts == nullptr || run.time_base_den > 0, "time_base_den", run.time_base_den,
            "above 0");
    return run;
}

std::optional<int64_t> pts_of(const VmafGpuRun &run, int64_t index)
{
    const int64_t at = index - run.pts_first;
    if (run.pts == nullptr || at < 0 || at >= run.pts_count || run.pts[at] == kUnknownTime)
        return std::nullopt;
    return run.pts[at];
}

double time_of(const VmafGpuRun &run, int64_t index)
{
    const auto pts = pts_of(run, index);
    return pts ? static_cast<double>(*pts) * run.time_base_num / run.time_base_den
               : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> warnings_of(const ReportInput &input)
{
    const VmafGpuRun run = run_of(input.log);
    std::vector<std::string> warnings;
    if (input.facts != nullptr)
        warnings = input.facts->warnings;
    for (int i = 0; i < run.warning_count; ++i)
        if (run.warnings[i] != nullptr &&
            std::find(warnings.begin(), warnings.end(), run.warnings[i]) == warnings.end())
            warnings.emplace_back(run.warnings[i]);
    return warnings;
}

std::optional<std::array<double, 2>> interval_of(const ScoreTable &table,
                                                 const std::vector<size_t> &model_columns,
                                                 const EngineFacts &facts, size_t column)
{
    ScoreRange range;
    for (size_t i = 0; i < std::min(model_columns.size(), facts.models.size()); ++i)
        if (model_columns[i] == column)
            range = facts.models[i].range;
    return mean_interval(table, column, facts.subsample, range);
}

void LogValue::add(std::string key, LogValue value)
{
    members.push_back({std::move(key), std::move(value)});
}

void LogValue::add_known(const char *key, const char *known)
{
    if (known != nullptr && *known != '\0')
        add(key, std::string(known));
}

LogValue describe_run(const ReportInput &input)
{
    const EngineFacts &facts = *input.facts;
    const VmafGpuRun run = run_of(input.log);
    LogValue result;
    result.add("version", VMAFGPU_VERSION);
    result.add_known("title", input.log.title);
    if (input.device != nullptr) {
        result.add("backend", input.device->backend);
        result.add("device", input.device->name);
    }
    result.add_number("width", input.width);
    result.add_number("height", input.height);
    result.add_number("depth", facts.depth);
    result.add("chroma", kChromaNames[static_cast<size_t>(facts.chroma)]);
    result.add_known("main_format", run.main_format);
    result.add_known("reference_format", run.reference_format);
    result.add("compat", facts.compat == VMAFGPU_COMPAT_3_1 ? "3.1" : "3.2");
    result.add_number("subsample", facts.subsample);
    result.add_known("scaler", facts.scaler.c_str());
    result.add_known("colours", facts.colours.c_str());
    if (run.pts != nullptr)
        result.add("time_base",
                   std::to_string(run.time_base_num) + "/" + std::to_string(run.time_base_den));
    result.add_known("options", run.options);
    result.add("models", list_value(facts.models, describe_model, false));
    result.add("features", list_value(
                               facts.features,
                               [](const auto &feature) {
                                   LogValue value;
                                   value.add("name", feature.first);
                                   value.add("options", feature.second);
                                   return value;
                               },
                               false));
    if (!facts.host_features.empty())
        result.add("host_features", list_value(facts.host_features, text_value, false));
    result.add("warnings", list_value(warnings_of(input), text_value, false));
    return result;
}

std::string json_text(const LogValue &value, const std::string &indent, bool is_line)
{
    using Kind = LogValue::Kind;
    if (value.kind == Kind::kText)
        return json_string(value.text);
    if (value.kind == Kind::kNumber)
        return value.text.find_first_of("in") == std::string::npos ? value.text : "null";
    is_line = is_line || value.is_line;
    const bool is_object = value.kind == Kind::kObject;
    std::string text = is_object ? "{" : "[";
    for (const LogValue::Member &member : value.members) {
        text += &member == value.members.data() ? "" : is_line ? ", " : ",";
        text += is_line ? "" : "\n" + indent + "  ";
        if (is_object)
            text.append(json_string(member.key)).append(": ");
        text += json_text(member.value, indent + "  ", is_line);
    }
    if (!value.members.empty() && !is_line)
        text.append("\n").append(indent);
    return text + (is_object ? "}" : "]");
}

} // namespace vmafgpu
