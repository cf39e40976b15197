// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_run.h.
#include "report/report_run.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace vmafgpu {
namespace {

using Json = nlohmann::ordered_json;

/// What the first version of the struct had; later ones are longer.
constexpr size_t kFirstSize = offsetof(VmafGpuRun, time_base_den) + sizeof(int);
constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

const char *chroma_name(int chroma)
{
    static const char *const names[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};
    return names[chroma];
}

void add_text(Json &object, const char *key, const char *text)
{
    if (text != nullptr && *text != '\0')
        object[key] = text;
}

Json describe_model(const ModelFacts &model)
{
    Json result = {{"name", model.name}, {"source", model.source}, {"digest", model.digest}};
    Json options = Json::object();
    for (const auto &[key, value] : model.options)
        options[key] = value;
    result["options"] = options;
    return result;
}

} // namespace

VmafGpuRun run_of(const VmafGpuLog &log)
{
    VmafGpuRun run = {};
    if (log.run == nullptr)
        return run;
    const size_t size = log.run->struct_size;
    if (size < kFirstSize)
        throw Error(EINVAL, "VmafGpuRun.struct_size is " + std::to_string(size) +
                                "; allowed: sizeof(VmafGpuRun)");
    std::memcpy(&run, log.run, std::min(size, sizeof(run)));
    if (run.warning_count < 0 || (run.warning_count > 0 && run.warnings == nullptr))
        throw Error(EINVAL, "VmafGpuRun.warning_count is " + std::to_string(run.warning_count) +
                                "; allowed: the length of warnings");
    if (run.pts != nullptr && (run.time_base_num <= 0 || run.time_base_den <= 0))
        throw Error(EINVAL, "VmafGpuRun.time_base is " + std::to_string(run.time_base_num) + "/" +
                                std::to_string(run.time_base_den) + "; allowed: above 0");
    return run;
}

std::optional<int64_t> pts_of(const VmafGpuRun &run, int64_t index)
{
    if (run.pts == nullptr || index < 0 || index >= run.pts_count || run.pts[index] == kUnknown)
        return std::nullopt;
    return run.pts[index];
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

Json describe_run(const ReportInput &input)
{
    const EngineFacts &facts = *input.facts;
    const VmafGpuRun run = run_of(input.log);
    Json result = {{"version", VMAFGPU_VERSION}};
    add_text(result, "title", input.log.title);
    if (input.device != nullptr) {
        result["backend"] = input.device->backend;
        result["device"] = input.device->name;
    }
    result["width"] = input.width;
    result["height"] = input.height;
    result["depth"] = facts.depth;
    result["chroma"] = chroma_name(facts.chroma);
    add_text(result, "main_format", run.main_format);
    add_text(result, "reference_format", run.reference_format);
    result["compat"] = facts.compat == VMAFGPU_COMPAT_3_1 ? "3.1" : "3.2";
    result["subsample"] = facts.subsample;
    if (run.pts != nullptr)
        result["time_base"] =
            std::to_string(run.time_base_num) + "/" + std::to_string(run.time_base_den);
    add_text(result, "options", run.options);
    result["models"] = Json::array();
    for (const ModelFacts &model : facts.models)
        result["models"].push_back(describe_model(model));
    result["features"] = Json::array();
    for (const auto &[name, options] : facts.features)
        result["features"].push_back(Json{{"name", name}, {"options", options}});
    result["warnings"] = warnings_of(input);
    return result;
}

} // namespace vmafgpu
