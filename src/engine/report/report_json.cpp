// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_formats.h. Frames are written one by one: a tree of a long film would take gigabytes.
#include "report/report_formats.h"

#include <cmath>

#include "core/pooling.h"
#include "report/format_number.h"
#include "report/report_pairing.h"
#include "report/report_shots.h"

namespace vmafgpu {
namespace {

constexpr int kTimeDigits = 9; // nanoseconds

void write_json_frames(const ReportInput &input, const std::vector<std::string> &keys,
                       ReportFile &file)
{
    const ScoreTable &table = input.table;
    const VmafGpuRun run = run_of(input.log);
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
        if (const auto pts = pts_of(run, index))
            text += ",\n      \"pts\": " + std::to_string(*pts);
        const double time = time_of(run, index);
        if (std::isfinite(time))
            text += ",\n      \"time\": " + format_score(time, kTimeDigits);
        text += row + 1 < table.rows() ? "\n    },\n" : "\n    }\n";
        file.write(text);
    }
    file.write("  ],\n");
}

void write_json_pooled(const ReportInput &input, const std::vector<std::string> &keys,
                       ReportFile &file)
{
    file.write("  \"pooled_metrics\": {\n");
    for (size_t i = 0; input.table.rows() > 0 && i < keys.size(); ++i) {
        LogValue values;
        for (const auto &[name, method] : kLogPools)
            values.add_number(name,
                              format_score(pooled(input.table, i, method), input.log.precision));
        file.write("    " + keys[i] + ": " + json_text(values, "    ") +
                   (i + 1 < keys.size() ? ",\n" : "\n"));
    }
    LogValue aggregates;
    for (const auto &[name, value] : input.aggregates)
        aggregates.add_number(name, format_score(value, input.log.precision));
    file.write("  },\n  \"aggregate_metrics\": " +
               (aggregates.members.empty() ? "{\n  }" : json_text(aggregates, "  ")));
}

/// Of each model. A mean of some pairs alone is an estimate.
LogValue describe_intervals(const ReportInput &input)
{
    LogValue value;
    value.is_line = true;
    for (const size_t column : input.model_columns) {
        const auto interval = interval_of(input.table, input.model_columns, *input.facts, column);
        value.add(input.table.names()[column],
                  list_value(interval.value_or(std::array<double, 2>{NAN, NAN}), [&](double end) {
                      return number_value(format_score(end, input.log.precision));
                  }));
    }
    return value;
}

/// The keys that libvmaf does not have. A log without them is libvmaf's, letter by letter.
LogValue own_keys(const ReportInput &input)
{
    LogValue keys;
    if (input.facts != nullptr) {
        keys.add_number("schema_version", kLogSchemaVersion);
        keys.add("vmaf_gpu", describe_run(input));
    }
    const VmafGpuPairing *const pairing = pairing_of(input.log);
    if (pairing != nullptr) {
        keys.add_number("repeated_main", pairing->of[VMAFGPU_MAIN].repeated);
        keys.add_number("repeated_reference", pairing->of[VMAFGPU_REFERENCE].repeated);
    }
    if (input.log.incomplete != nullptr)
        keys.add("incomplete", input.log.incomplete);
    if (pairing != nullptr)
        keys.add("pairing", describe_pairing(*pairing));
    if (input.shots != nullptr)
        keys.add("shots", describe_shots(input));
    if (input.facts != nullptr && input.facts->subsample > 1)
        keys.add("mean_interval_95", describe_intervals(input));
    return keys;
}

} // namespace

void write_json(const ReportInput &input, ReportFile &file)
{
    std::vector<std::string> keys;
    for (const std::string &name : input.table.names())
        keys.push_back(json_string(name));
    file.write("{\n  \"version\": \"" VMAFGPU_VERSION "\",\n  \"fps\": " +
               (std::isfinite(input.log.fps) ? format_fps(input.log.fps) : "null") + ",\n");
    write_json_frames(input, keys, file);
    write_json_pooled(input, keys, file);
    const LogValue own = own_keys(input);
    file.write(own.members.empty() ? "\n}\n" : "," + json_text(own, "").substr(1) + "\n");
}

} // namespace vmafgpu
