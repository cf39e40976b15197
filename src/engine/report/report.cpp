// SPDX-License-Identifier: BSD-2-Clause-Patent
// libvmaf's JSON, CSV and SUB logs, and the choice among all formats (XML: report_xml.cpp,
// HTML: report_html.cpp). Nothing here depends on the process's locale.
#include "report/report.h"

#include <nlohmann/json.hpp>

#include <cmath>

#include "base/error.h"
#include "core/pooling.h"
#include "report/format_number.h"
#include "report/report_file.h"
#include "report/report_html.h"
#include "report/report_pairing.h"
#include "report/report_xml.h"

namespace vmafgpu {

namespace {

/// A value of a JSON log.
std::string json_number(double value, int precision)
{
    return std::isfinite(value) ? format_score(value, precision) : "null";
}

std::string json_string(const std::string &text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_json_frames(const ReportInput &input, const std::vector<std::string> &keys,
                       ReportFile &file)
{
    const ScoreTable &table = input.table;
    file.write("  \"frames\": [\n");
    std::string text;
    for (size_t row = 0; row < table.rows(); ++row) {
        text = "    {\n      \"frameNum\": " + std::to_string(table.index(row)) +
               ",\n      \"metrics\": {\n";
        for (size_t i = 0; i < keys.size(); ++i) {
            text.append("        ").append(keys[i]).append(": ");
            text += json_number(table.value(row, i), input.log.precision);
            text += i + 1 < keys.size() ? ",\n" : "\n";
        }
        text += row + 1 < table.rows() ? "      }\n    },\n" : "      }\n    }\n";
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

/// A number that is not finite is written as JSON's null.
std::string json_value(const std::string &number)
{
    return number.find_first_of("in") == std::string::npos ? number : "null";
}

void write_json_pairing(const VmafGpuPairing &pairing, ReportFile &file)
{
    std::string text;
    for (const PairingEntry &entry : pairing_entries(pairing)) {
        text.append(text.empty() ? "  \"pairing\": {\n" : ",\n").append("    \"");
        text.append(entry.key).append("\": ");
        if (entry.parts.empty())
            text += json_string(entry.text);
        else if (entry.parts.size() == 1)
            text += json_value(entry.parts[0].value);
        for (size_t i = 0; entry.parts.size() > 1 && i < entry.parts.size(); ++i)
            text.append(i == 0 ? "{\"" : ", \"")
                .append(entry.parts[i].name)
                .append("\": ")
                .append(entry.parts[i].value);
        text += entry.parts.size() > 1 ? "}" : "";
    }
    file.write(text + "\n  },\n");
}

void write_json(const ReportInput &input, ReportFile &file)
{
    std::vector<std::string> keys;
    for (const std::string &name : input.table.names())
        keys.push_back(json_string(name));
    file.write("{\n  \"version\": \"" VMAFGPU_VERSION "\",\n  \"fps\": " +
               (std::isfinite(input.log.fps) ? format_fps(input.log.fps) : "null") + ",\n");
    if (input.log.repeated_main >= 0)
        file.write("  \"repeated_main\": " + std::to_string(input.log.repeated_main) + ",\n");
    if (input.log.repeated_reference >= 0)
        file.write("  \"repeated_reference\": " + std::to_string(input.log.repeated_reference) +
                   ",\n");
    if (const auto pairing = pairing_of(input.log))
        write_json_pairing(*pairing, file);
    write_json_frames(input, keys, file);
    write_json_pooled(input, keys, file);
    file.write("  \"aggregate_metrics\": {\n  }\n}\n");
}

/// Quoted (RFC 4180) only if it has to be; libvmaf's own names never have to.
std::string csv_field(const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text)
        result.append(c == '"' ? 2 : 1, c);
    return result + "\"";
}

void write_csv(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    std::string text = "Frame,";
    for (const std::string &name : table.names())
        text += csv_field(name) + ",";
    file.write(text + "\n");
    for (size_t row = 0; row < table.rows(); ++row) {
        text = std::to_string(table.index(row)) + ",";
        for (size_t i = 0; i < table.names().size(); ++i)
            text += format_score(table.value(row, i), input.log.precision) + ",";
        file.write(text + "\n");
    }
}

void write_sub(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    std::string text;
    for (size_t row = 0; row < table.rows(); ++row) {
        const int64_t index = table.index(row);
        text = "{" + std::to_string(index) + "}{" + std::to_string(index + 1) +
               "}frame: " + std::to_string(index) + "|";
        for (size_t i = 0; i < table.names().size(); ++i)
            text.append(table.names()[i])
                .append(": ")
                .append(format_score(table.value(row, i), input.log.precision))
                .append("|");
        file.write(text + "\n");
    }
}

using WriteFunction = void (*)(const ReportInput &, ReportFile &);

WriteFunction writer_of(const std::string &format)
{
    if (format == "xml")
        return write_xml;
    if (format == "json")
        return write_json;
    if (format == "csv")
        return write_csv;
    if (format == "sub")
        return write_sub;
    if (format == "html")
        return write_html;
    throw Error(EINVAL, "log format must be xml, json, csv, sub or html, not '" + format + "'");
}

} // namespace

void write_report(const ReportInput &input)
{
    if (input.log.path == nullptr || input.log.format == nullptr)
        throw Error(EINVAL, std::string("the log's ") +
                                (input.log.path == nullptr ? "path" : "format") + " is missing");
    const WriteFunction write = writer_of(input.log.format);
    check_precision(input.log.precision);
    pairing_of(input.log); // throws, also for formats without it
    ReportFile file(input.log.path);
    write(input, file);
    file.commit();
}

} // namespace vmafgpu
