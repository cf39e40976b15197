// SPDX-License-Identifier: BSD-2-Clause-Patent
// libvmaf's CSV and SUB logs, and the choice among all formats (JSON: report_json.cpp, XML:
// report_xml.cpp, HTML: report_html.cpp). Nothing here depends on the process's locale.
#include "report/report.h"

#include "base/error.h"
#include "report/format_number.h"
#include "report/report_file.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_pairing.h"
#include "report/report_run.h"
#include "report/report_xml.h"

namespace vmafgpu {

namespace {

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

void write_columns(const ReportInput &input, const char *end, ReportFile &file)
{
    const ScoreTable &table = input.table;
    std::string text = "Frame";
    for (const std::string &name : table.names())
        text += "," + csv_field(name);
    file.write(text + end);
    for (size_t row = 0; row < table.rows(); ++row) {
        text = std::to_string(table.index(row));
        for (size_t i = 0; i < table.names().size(); ++i)
            text += "," + format_score(table.value(row, i), input.log.precision);
        file.write(text + end);
    }
}

/// libvmaf ends each line with a comma.
void write_csv(const ReportInput &input, ReportFile &file)
{
    write_columns(input, ",\n", file);
}

void write_csv_strict(const ReportInput &input, ReportFile &file)
{
    write_columns(input, "\n", file);
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
    if (format == "csv_strict")
        return write_csv_strict;
    if (format == "sub")
        return write_sub;
    if (format == "html")
        return write_html;
    throw Error(EINVAL,
                "log format must be xml, json, csv, csv_strict, sub or html, not '" + format + "'");
}

} // namespace

void write_report(const ReportInput &input)
{
    const bool has_place = input.log.path != nullptr || input.file != nullptr;
    if (!has_place || input.log.format == nullptr)
        throw Error(EINVAL,
                    std::string("the log's ") + (has_place ? "format" : "path") + " is missing");
    const WriteFunction write = writer_of(input.log.format);
    check_precision(input.log.precision);
    pairing_of(input.log); // both throw, also for formats without them
    run_of(input.log);
    if (input.file != nullptr) {
        write(input, *input.file);
        return;
    }
    FileOptions options;
    options.may_overwrite = input.log.overwrite != 0;
    ReportFile file(input.log.path, options);
    write(input, file);
    file.commit();
}

} // namespace vmafgpu
