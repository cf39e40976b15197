// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a log says of the run besides its scores: versions, device, pictures, models with their
// digests, options, warnings. Plain data from engine and caller; the logs' writers print it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/report_input.h"

namespace vmafgpu {

/// Of the JSON log and of the element <vmaf_gpu>; see docs/log.schema.json. It grows by one when a
/// key changes its meaning or goes away, not when one is added.
constexpr int kLogSchemaVersion = 1;

/// All zero if there is none. Throws Error(EINVAL) if a field is wrong.
VmafGpuRun run_of(const VmafGpuLog &log);

/// Time of main in a pair, in units of the run's time base. Nothing if it is unknown.
std::optional<int64_t> pts_of(const VmafGpuRun &run, int64_t index);

/// The same in seconds, or NaN.
double time_of(const VmafGpuLog &log, const VmafGpuRun &run, int64_t index);

/// Warnings of the engine, then those of the caller that are not the same.
std::vector<std::string> warnings_of(const ReportInput &input);

/// mean_interval() of a column; that of a model is clipped as its scores are.
std::optional<std::array<double, 2>> interval_of(const ScoreTable &table,
                                                 const std::vector<size_t> &model_columns,
                                                 const EngineFacts &facts, size_t column);

struct RunMember;

/// A value of the description of a run. Not a JSON library's: nlohmann's destructor needs memory.
struct RunValue {
    enum class Kind { kText, kNumber, kObject, kList };
    Kind kind = Kind::kText;
    std::string text = {};               ///< of kText and kNumber
    std::vector<RunMember> members = {}; ///< of kObject, in order; of kList, with empty keys
};

struct RunMember {
    std::string key;
    RunValue value;
};

/// The object `vmaf_gpu` of the JSON log. Needs input.facts.
RunValue describe_run(const ReportInput &input);

/// With its quotes; bytes that are not UTF-8 are replaced. (In json_parse.cpp.)
std::string json_string(const std::string &text);

/// A value with its members on lines of their own, behind `indent`.
std::string json_run(const RunValue &value, const std::string &indent);

} // namespace vmafgpu
