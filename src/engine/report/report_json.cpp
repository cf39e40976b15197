// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report.h. Frames are written one by one: a tree of a long film would take gigabytes.
#include "report/report.h"

#include <cmath>

#include "base/format_number.h"
#include "core/pooling.h"

namespace vmafgpu {
namespace {

constexpr int kTimeDigits = 9; // nanoseconds

void write_json_frames(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    std::vector<std::string> keys;
    for (const std::string &name : table.names())
        keys.push_back(json_string(name));
    file.write("  \"frames\": [\n");
    std::string text;
    for (size_t row = 0; row < table.rows(); ++row) {
        const int64_t index = table.index(row);
        text = "    {\n      \"frameNum\": " + std::to_string(index) + ",\n      \"metrics\": {\n";
        for (size_t i = 0; i < keys.size(); ++i) {
            const double value = table.value(row, i);
            text.append("        ").append(keys[i]).append(": ");
            text += std::isfinite(value) ? format_score(value, input.log.precision) : "null";
            text += i + 1 < keys.size() ? "," : "";
            text += std::isfinite(value) ? "\n" : ""; // libvmaf has no line break here
        }
        text += "      }";
        if (const auto pts = pts_of(input.run, index))
            text += ",\n      \"pts\": " + std::to_string(*pts) +
                    ",\n      \"time\": " + format_score(time_of(input.run, index), kTimeDigits);
        text += row + 1 < table.rows() ? "\n    },\n" : "\n    }\n";
        file.write(text);
    }
    file.write("  ],");
}

/// libvmaf's objects; an empty one has two lines.
LogValue pooled_metrics(const ReportInput &input)
{
    LogValue all;
    for (size_t i = 0; input.table.rows() > 0 && i < input.table.names().size(); ++i) {
        LogValue values;
        for (const auto &[name, method] : kLogPools)
            values.add_number(name,
                              format_score(pooled(input.table, i, method), input.log.precision));
        all.add(input.table.names()[i], std::move(values));
    }
    all.text = all.members.empty() ? "\n  " : "";
    return all;
}

LogValue aggregate_metrics(const ReportInput &input)
{
    LogValue all;
    for (const auto &[name, value] : input.run.aggregates)
        all.add_number(name, format_score(value, input.log.precision));
    all.text = all.members.empty() ? "\n  " : "";
    return all;
}

/// The interval of each model's mean. A mean of some pairs alone is an estimate.
LogValue describe_intervals(const ReportInput &input)
{
    LogValue value;
    value.is_line = true;
    for (const size_t column : input.run.model_columns) {
        const auto interval = interval_of(input.table, input.run, column);
        value.add(input.table.names()[column],
                  list_value(interval.value_or(std::array<double, 2>{NAN, NAN}), [&](double end) {
                      return number_value(format_score(end, input.log.precision));
                  }));
    }
    return value;
}

/// The keys that libvmaf does not have. A log without them is libvmaf's, letter by letter.
void add_own_keys(const ReportInput &input, LogValue &keys)
{
    const RunFacts &run = input.run;
    if (!run.version.empty()) {
        keys.add_number("schema_version", kLogSchemaVersion);
        keys.add("vmaf_gpu", describe_run(run));
    }
    add_repeated(run, keys);
    if (!run.incomplete.empty())
        keys.add("incomplete", run.incomplete);
    if (run.pairing)
        keys.add("pairing", describe_pairing(*run.pairing));
    if (run.shots)
        keys.add("shots", describe_shots(input));
    if (run.subsample > 1)
        keys.add("mean_interval_95", describe_intervals(input));
}

} // namespace

void write_json(const ReportInput &input, ReportFile &file)
{
    file.write("{\n  \"version\": \"" VMAFGPU_VERSION "\",\n  \"fps\": " +
               (std::isfinite(input.run.fps) ? format_fps(input.run.fps) : "null") +
               // In the line of the speed: tests that compare logs leave it out.
               (input.run.is_slowed_by_host ? ", \"slowed_by_host\": true,\n" : ",\n"));
    write_json_frames(input, file);
    LogValue rest;
    rest.add("pooled_metrics", pooled_metrics(input));
    rest.add("aggregate_metrics", aggregate_metrics(input));
    add_own_keys(input, rest);
    file.write(json_text(rest, "").substr(1) + "\n");
}

} // namespace vmafgpu
