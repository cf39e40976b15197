// SPDX-License-Identifier: BSD-2-Clause-Patent
// The choice among all formats (JSON: report_json.cpp, XML: report_xml.cpp, CSV and SUB:
// report_rows.cpp, HTML: report_html.cpp). Nothing here depends on the process's locale.
#include "report/report.h"

#include "base/error.h"
#include "base/format_number.h"
#include "report/report_rows.h"

namespace vmafgpu {

namespace {

using WriteFunction = void (*)(const ReportInput &, ReportFile &);

void write_rows(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    RowStream whole(input.log.format, input.log.precision, table.names(), file);
    RowStream &stream = input.stream == nullptr ? whole : *input.stream;
    std::vector<double> scores(table.names().size());
    for (size_t row = 0; row < table.rows(); ++row) {
        for (size_t i = 0; i < scores.size(); ++i)
            scores[i] = table.value(row, i);
        stream.write(table.index(row), scores.data());
    }
    const int64_t next = table.rows() > 0 ? table.index(table.rows() - 1) + 1 : 0;
    stream.end(input.run.incomplete, next);
}

constexpr std::pair<const char *, WriteFunction> kOwnFiles[] = {
    {"xml", write_xml}, {"json", write_json}, {"html", write_html}, {"part", write_part}};

WriteFunction writer_of(const std::string &format)
{
    for (const auto &[name, write] : kOwnFiles)
        if (format == name)
            return write;
    if (has_only_rows(format))
        return write_rows;
    throw Error(EINVAL, "log format must be xml, json, csv, csv_strict, sub, html or part, not '" +
                            format + "'");
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
    if (input.stream != nullptr &&
        !input.stream->is_for(input.file, input.log.format, input.log.precision))
        throw Error(EINVAL, "this log differs from the one of vmafgpu_stream_log(), in output, "
                            "format or precision");
    if (input.table.left() > 0 && (input.stream == nullptr || write != write_rows))
        throw Error(EINVAL, "the pairs of this log were not kept: see vmafgpu_stream_log()");
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
