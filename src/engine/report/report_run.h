// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a log says besides the scores, as values that the logs' writers print; those of the run
// itself: versions, device, pictures, models with their digests, options, warnings.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/report_input.h"

namespace vmafgpu {

/// Of the JSON log and of the element <vmaf_gpu>; see docs/log.schema.json. It grows by one when a
/// key changes its meaning or goes away, not when one is added.
constexpr int kLogSchemaVersion = 1;

/// Pooled values of a log.
constexpr std::pair<const char *, VmafGpuPool> kLogPools[] = {
    {"min", VMAFGPU_POOL_MIN},
    {"max", VMAFGPU_POOL_MAX},
    {"mean", VMAFGPU_POOL_MEAN},
    {"harmonic_mean", VMAFGPU_POOL_HARMONIC_MEAN},
};

/// By VmafGpuChroma.
constexpr std::array<const char *, 4> kChromaNames = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};

/// All zero if there is none. Throws Error(EINVAL) if a field is wrong.
VmafGpuRun run_of(const VmafGpuLog &log);

/// Time of main in a pair, in units of the run's time base. Nothing if it is unknown.
std::optional<int64_t> pts_of(const VmafGpuRun &run, int64_t index);

/// The same in seconds, or NaN.
double time_of(const VmafGpuRun &run, int64_t index);

/// Warnings of the engine, then those of the caller that are not the same.
std::vector<std::string> warnings_of(const ReportInput &input);

/// mean_interval() of a column; that of a model is clipped as its scores are.
std::optional<std::array<double, 2>> interval_of(const ScoreTable &table,
                                                 const std::vector<size_t> &model_columns,
                                                 const EngineFacts &facts, size_t column);

/// A value of a log besides the scores. Not a JSON library's: nlohmann's destructor needs memory.
struct LogValue {
    enum class Kind { kText, kNumber, kObject, kList };
    struct Member;

    void add(std::string key, LogValue value);
    void add(std::string key, std::string text)
    {
        add(std::move(key), {Kind::kText, std::move(text)});
    }
    /// As logs print it. One that is not finite is JSON's null.
    void add_number(std::string key, std::string text)
    {
        add(std::move(key), {Kind::kNumber, std::move(text)});
    }
    void add_number(std::string key, int64_t value)
    {
        add_number(std::move(key), std::to_string(value));
    }
    /// Nothing if there is no text.
    void add_known(const char *key, const char *text);

    Kind kind = Kind::kObject;
    std::string text = {};            ///< of kText and kNumber
    std::vector<Member> members = {}; ///< of kObject, in order; of kList, with empty keys
    bool is_line = false;             ///< in JSON one line, with all that is in it
};

struct LogValue::Member {
    std::string key;
    LogValue value;
};

inline LogValue text_value(std::string text)
{
    return {LogValue::Kind::kText, std::move(text)};
}

/// As logs print it.
inline LogValue number_value(std::string text)
{
    return {LogValue::Kind::kNumber, std::move(text)};
}

/// What make() returns for each entry.
template <typename List, typename Make>
LogValue list_value(const List &list, const Make &make, bool is_line = true)
{
    LogValue value = {LogValue::Kind::kList, "", {}, is_line};
    for (const auto &entry : list)
        value.add("", make(entry));
    return value;
}

template <typename List> LogValue number_list(const List &list)
{
    return list_value(list, [](auto number) { return number_value(std::to_string(number)); });
}

/// The object `vmaf_gpu` of the JSON log. Needs input.facts.
LogValue describe_run(const ReportInput &input);

/// With its quotes; bytes that are not UTF-8 are replaced. (In json_read.cpp.)
std::string json_string(const std::string &text);
/// The same as it is read back.
std::string valid_text(const std::string &text);

/// A value with its members on lines of their own, behind `indent`.
std::string json_text(const LogValue &value, const std::string &indent, bool is_line = false);

} // namespace vmafgpu
