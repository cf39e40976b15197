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

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

const char *chroma_name(int chroma)
{
    static const char *const names[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};
    return names[chroma];
}

RunValue text_value(std::string text)
{
    return {RunValue::Kind::kText, std::move(text)};
}

void add(RunValue &object, const char *key, std::string text)
{
    object.members.push_back({key, text_value(std::move(text))});
}

void add_known(RunValue &object, const char *key, const char *text)
{
    if (text != nullptr && *text != '\0')
        add(object, key, text);
}

void add_number(RunValue &object, const char *key, int value)
{
    object.members.push_back({key, {RunValue::Kind::kNumber, std::to_string(value)}});
}

RunValue describe_models(const std::vector<ModelFacts> &models)
{
    RunValue list = {RunValue::Kind::kList};
    for (const ModelFacts &model : models) {
        RunValue value = {RunValue::Kind::kObject};
        add(value, "name", model.name);
        add(value, "source", model.source);
        add(value, "digest", model.digest);
        RunValue options = {RunValue::Kind::kObject};
        for (const auto &[key, setting] : model.options)
            add(options, key.c_str(), setting);
        value.members.push_back({"options", std::move(options)});
        list.members.push_back({"", std::move(value)});
    }
    return list;
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
    if (run.pts == nullptr || at < 0 || at >= run.pts_count || run.pts[at] == kUnknown)
        return std::nullopt;
    return run.pts[at];
}

double time_of(const VmafGpuLog &log, const VmafGpuRun &run, int64_t index)
{
    if (log.times != nullptr && index >= 0 && index < log.time_count)
        return log.times[index];
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

RunValue describe_run(const ReportInput &input)
{
    const EngineFacts &facts = *input.facts;
    const VmafGpuRun run = run_of(input.log);
    RunValue result = {RunValue::Kind::kObject};
    add(result, "version", VMAFGPU_VERSION);
    add_known(result, "title", input.log.title);
    if (input.device != nullptr) {
        add(result, "backend", input.device->backend);
        add(result, "device", input.device->name);
    }
    add_number(result, "width", input.width);
    add_number(result, "height", input.height);
    add_number(result, "depth", facts.depth);
    add(result, "chroma", chroma_name(facts.chroma));
    add_known(result, "main_format", run.main_format);
    add_known(result, "reference_format", run.reference_format);
    add(result, "compat", facts.compat == VMAFGPU_COMPAT_3_1 ? "3.1" : "3.2");
    add_number(result, "subsample", facts.subsample);
    add_known(result, "scaler", facts.scaler.c_str());
    add_known(result, "colours", facts.colours.c_str());
    if (run.pts != nullptr)
        add(result, "time_base",
            std::to_string(run.time_base_num) + "/" + std::to_string(run.time_base_den));
    add_known(result, "options", run.options);
    result.members.push_back({"models", describe_models(facts.models)});
    RunValue features = {RunValue::Kind::kList};
    for (const auto &[name, options] : facts.features) {
        RunValue value = {RunValue::Kind::kObject};
        add(value, "name", name);
        add(value, "options", options);
        features.members.push_back({"", std::move(value)});
    }
    result.members.push_back({"features", std::move(features)});
    RunValue host_features = {RunValue::Kind::kList};
    for (const std::string &name : facts.host_features)
        host_features.members.push_back({"", text_value(name)});
    if (!facts.host_features.empty())
        result.members.push_back({"host_features", std::move(host_features)});
    RunValue warnings = {RunValue::Kind::kList};
    for (std::string &warning : warnings_of(input))
        warnings.members.push_back({"", text_value(std::move(warning))});
    result.members.push_back({"warnings", std::move(warnings)});
    return result;
}

std::string json_run(const RunValue &value, const std::string &indent)
{
    using Kind = RunValue::Kind;
    if (value.kind == Kind::kText)
        return json_string(value.text);
    if (value.kind == Kind::kNumber)
        return value.text;
    const bool is_object = value.kind == Kind::kObject;
    std::string text = is_object ? "{" : "[";
    for (const RunMember &member : value.members) {
        text.append(&member == value.members.data() ? "\n" : ",\n").append(indent).append("  ");
        if (is_object)
            text.append(json_string(member.key)).append(": ");
        text += json_run(member.value, indent + "  ");
    }
    if (!value.members.empty())
        text.append("\n").append(indent);
    return text + (is_object ? "}" : "]");
}

} // namespace vmafgpu
