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

/// A value of a JSON log.
std::string json_number(double value, int precision)
{
    return std::isfinite(value) ? format_score(value, precision) : "null";
}

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
            text += json_number(value, input.log.precision);
            text += i + 1 < keys.size() ? "," : "";
            text += std::isfinite(value) ? "\n" : ""; // libvmaf has no line break here
        }
        text += "      }";
        if (const auto pts = pts_of(run, index))
            text += ",\n      \"pts\": " + std::to_string(*pts);
        const double time = time_of(input.log, run, index);
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
    const auto value = [&](size_t column, VmafGpuPool method) {
        return json_number(pooled(input.table, column, method), input.log.precision);
    };
    file.write("  \"pooled_metrics\": {\n");
    if (input.table.rows() > 0)
        for (size_t i = 0; i < keys.size(); ++i)
            file.write("    " + keys[i] + ": {\n      \"min\": " + value(i, VMAFGPU_POOL_MIN) +
                       ",\n      \"max\": " + value(i, VMAFGPU_POOL_MAX) +
                       ",\n      \"mean\": " + value(i, VMAFGPU_POOL_MEAN) +
                       ",\n      \"harmonic_mean\": " + value(i, VMAFGPU_POOL_HARMONIC_MEAN) +
                       (i + 1 < keys.size() ? "\n    },\n" : "\n    }\n"));
    file.write("  },\n");
}

void write_json_aggregates(const ReportInput &input, ReportFile &file)
{
    std::string text = "  \"aggregate_metrics\": {";
    for (const auto &[name, value] : input.aggregates) {
        text += &name == &input.aggregates.front().first ? "\n    " : ",\n    ";
        text.append(json_string(name)).append(": ");
        text += json_number(value, input.log.precision);
    }
    file.write(text + "\n  }");
}

/// Of each model. A mean of some pairs alone is an estimate.
LogValue describe_intervals(const ReportInput &input)
{
    LogValue value;
    value.is_line = true;
    for (const size_t column : input.model_columns) {
        const auto interval = interval_of(input.table, input.model_columns, *input.facts, column);
        const auto describe_end = [&](double end) {
            return LogValue{LogValue::Kind::kNumber, format_score(end, input.log.precision)};
        };
        value.add(input.table.names()[column],
                  list_value(interval.value_or(std::array<double, 2>{NAN, NAN}), describe_end));
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
    if (input.log.repeated_main >= 0)
        keys.add_number("repeated_main", input.log.repeated_main);
    if (input.log.repeated_reference >= 0)
        keys.add_number("repeated_reference", input.log.repeated_reference);
    if (input.log.incomplete != nullptr)
        keys.add("incomplete", input.log.incomplete);
    if (const auto pairing = pairing_of(input.log))
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
    write_json_aggregates(input, file);
    const LogValue own = own_keys(input);
    file.write(own.members.empty() ? "\n}\n" : "," + json_text(own, "").substr(1) + "\n");
}

} // namespace vmafgpu
