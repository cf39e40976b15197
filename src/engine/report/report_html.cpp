// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page around the charts of report_chart.cpp: scores with their worst frames, pooled
// values, a curve per series. pugixml builds and escapes one section at a time. The size of the
// page does not grow with the number of frames.
#include "report/report_html.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/pooling.h"
#include "report/format_number.h"
#include "report/report_chart.h"
#include "report/report_pairing.h"
#include "report/report_run.h"
#include "report/report_xml.h"

namespace vmafgpu {
namespace {

constexpr size_t kWorstFrames = 12;

constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>VMAF report</title>
<style>
:root { color-scheme: light dark; --page: #ffffff; --text: #1b1f24; --weak: #59636e;
  --rule: #d8dee4; --curve: #1d63b8; --band: #1d63b833; --card: #f6f8fa; --amber: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --text: #e6e9ed; --weak: #9aa4af;
  --rule: #343b43; --curve: #6fb1f7; --band: #6fb1f740; --card: #1d2127; --amber: #e3b341; } }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: .95rem; margin: 1rem 0 0; font-weight: 600; }
p, .note { color: var(--weak); margin: .25rem 0; } .amber { color: var(--amber); }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: .6rem 1rem; }
.card b { display: block; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { color: var(--weak); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--rule); stroke-width: 1; }
.tick { fill: var(--weak); font-size: 12px; }
.tick.y { text-anchor: end; } .tick.x { text-anchor: middle; }
.curve { fill: none; stroke: var(--curve); stroke-width: 1.6; stroke-linejoin: round;
  stroke-linecap: round; }
.band { fill: var(--band); } .bar { fill: var(--curve); }
.touch { fill: transparent; } .touch:hover { fill: var(--band); }
</style>
</head>
)";

constexpr std::pair<const char *, VmafGpuPool> kMethods[] = {
    {"mean", VMAFGPU_POOL_MEAN},   {"harmonic mean", VMAFGPU_POOL_HARMONIC_MEAN},
    {"min", VMAFGPU_POOL_MIN},     {"1 %", VMAFGPU_POOL_PERC1},
    {"5 %", VMAFGPU_POOL_PERC5},   {"10 %", VMAFGPU_POOL_PERC10},
    {"20 %", VMAFGPU_POOL_PERC20}, {"max", VMAFGPU_POOL_MAX},
};

class Writer : public pugi::xml_writer {
public:
    explicit Writer(ReportFile &file) : file_(file) {}
    void write(const void *data, size_t size) override
    {
        file_.write({static_cast<const char *>(data), size});
    }

private:
    ReportFile &file_;
};

pugi::xml_node append(pugi::xml_node parent, const char *name, const std::string &text)
{
    pugi::xml_node node = parent.append_child(name);
    node.text() = text.c_str();
    return node;
}

void print(const pugi::xml_document &section, ReportFile &file)
{
    Writer writer(file);
    section.print(writer, "",
                  pugi::format_raw | pugi::format_no_declaration |
                      pugi::format_no_empty_element_tags);
    file.write("\n");
}

std::string score_text(const ReportInput &input, double value)
{
    return format_score(value, input.log.precision);
}

/// Seconds of a pair, or NaN.
double time_of(const ReportInput &input, int64_t index)
{
    return vmafgpu::time_of(input.log, run_of(input.log), index);
}

/// Mean distance of two pairs; 0 where it cannot be told.
double seconds_each(const ReportInput &input)
{
    const ScoreTable &table = input.table;
    if (table.rows() < 2)
        return 0;
    const int64_t first = table.index(0);
    const int64_t last = table.index(table.rows() - 1);
    const double seconds =
        (time_of(input, last) - time_of(input, first)) / static_cast<double>(last - first);
    return seconds > 0 ? seconds : 0;
}

/// Models first: what most readers came for.
std::vector<size_t> columns_in_order(const ReportInput &input)
{
    std::vector<size_t> columns = input.model_columns;
    for (size_t i = 0; i < input.table.names().size(); ++i)
        if (std::find(columns.begin(), columns.end(), i) == columns.end())
            columns.push_back(i);
    return columns;
}

void append_card(pugi::xml_node parent, const std::string &value, const std::string &label)
{
    pugi::xml_node card = parent.append_child("div");
    card.append_attribute("class") = "card";
    append(card, "b", value);
    append(card, "span", label);
}

std::string made_by(const ReportInput &input)
{
    std::string text = "vmaf_gpu " VMAFGPU_VERSION;
    if (input.device != nullptr)
        text += std::string(", backend ") + input.device->backend + " (" + input.device->name + ")";
    if (std::isfinite(input.log.fps) && input.log.fps > 0)
        text += ", " + format_fps(input.log.fps) + " frames/s";
    return text;
}

void write_summary(const ReportInput &input, ReportFile &file)
{
    const ScoreTable &table = input.table;
    pugi::xml_document section;
    append(section, "h1", input.log.title != nullptr ? input.log.title : "VMAF report");
    append(section, "p",
           std::to_string(input.width) + "×" + std::to_string(input.height) + ", " +
               std::to_string(table.rows()) + " frames scored; " + made_by(input));
    pugi::xml_node cards = section.append_child("div");
    cards.append_attribute("class") = "cards";
    if (table.rows() > 0)
        for (const size_t column : input.model_columns)
            for (const auto &[name, method] : {kMethods[0], kMethods[1], kMethods[2]})
                append_card(cards, format_score(pooled(table, column, method), 6).substr(0, 9),
                            table.names()[column] + ", " + name);
    if (input.log.repeated_main > 0 || input.log.repeated_reference > 0)
        append(section, "p",
               std::to_string(std::max<int64_t>(input.log.repeated_main, 0)) +
                   " pairs repeat a main frame, " +
                   std::to_string(std::max<int64_t>(input.log.repeated_reference, 0)) +
                   " a reference frame.");
    if (const auto pairing = pairing_of(input.log)) {
        pugi::xml_node line = append(section, "p", pairing_line(*pairing));
        if (pairing->warnings > 0)
            line.append_attribute("class") = "amber";
    }
    if (table.rows() == 0)
        append(section, "p", "No frame was scored: there is nothing to draw.");
    print(section, file);
}

void write_curve(const ReportInput &input, size_t column, bool is_model, ReportFile &file)
{
    pugi::xml_document section;
    append(section, is_model ? "h2" : "h3", input.table.names()[column]);
    append_curve(section, input.table, column,
                 {is_model ? 280 : 130, is_model, is_model, seconds_each(input)});
    print(section, file);
}

void append_header(pugi::xml_node table, const std::vector<std::string> &texts)
{
    pugi::xml_node row = table.append_child("tr");
    for (const std::string &text : texts)
        append(row, "th", text);
}

pugi::xml_node append_table(pugi::xml_document &section)
{
    pugi::xml_node scroll = section.append_child("div");
    scroll.append_attribute("class") = "scroll";
    return scroll.append_child("table");
}

void write_pooled(const ReportInput &input, const std::vector<size_t> &columns, ReportFile &file)
{
    pugi::xml_document section;
    append(section, "h2", "Pooled");
    pugi::xml_node table = append_table(section);
    std::vector<std::string> head = {"series"};
    for (const auto &[name, method] : kMethods)
        head.emplace_back(name);
    append_header(table, head);
    for (const size_t column : columns) {
        pugi::xml_node row = table.append_child("tr");
        append(row, "td", input.table.names()[column]);
        for (const auto &[name, method] : kMethods)
            append(row, "td", score_text(input, pooled(input.table, column, method)));
    }
    print(section, file);
}

/// Rows with the lowest values of a column, worst first; not a number comes first of all.
std::vector<size_t> worst_rows(const ScoreTable &table, size_t column)
{
    std::vector<size_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), size_t{0});
    const auto key = [&](size_t row) {
        const double value = table.value(row, column);
        return std::isnan(value) ? -HUGE_VAL : value;
    };
    const size_t count = std::min(rows.size(), kWorstFrames);
    std::partial_sort(
        rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
        [&](size_t a, size_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    rows.resize(count);
    return rows;
}

void write_worst(const ReportInput &input, size_t column, const std::vector<size_t> &columns,
                 ReportFile &file)
{
    const ScoreTable &table = input.table;
    pugi::xml_document section;
    append(section, "h2", "Lowest frames by " + table.names()[column]);
    pugi::xml_node body = append_table(section);
    std::vector<std::string> head = {"frame", "time"};
    for (const size_t i : columns)
        head.push_back(table.names()[i]);
    append_header(body, head);
    for (const size_t row : worst_rows(table, column)) {
        pugi::xml_node line = body.append_child("tr");
        append(line, "td", std::to_string(table.index(row)));
        const double time = time_of(input, table.index(row));
        append(line, "td", std::isfinite(time) ? clock_text(time, true) : "–");
        for (const size_t i : columns)
            append(line, "td", score_text(input, table.value(row, i)));
    }
    append(section, "h2", "Histogram of " + table.names()[column]);
    append_histogram(section, table, column);
    print(section, file);
}

} // namespace

void write_html(const ReportInput &input, ReportFile &file)
{
    const std::vector<size_t> columns = columns_in_order(input);
    file.write(kHead);
    file.write("<body>\n");
    write_summary(input, file);
    if (input.table.rows() > 0) {
        const size_t models = input.model_columns.size();
        for (size_t i = 0; i < models; ++i) {
            write_curve(input, columns[i], true, file);
            write_worst(input, columns[i], columns, file);
        }
        write_pooled(input, columns, file);
        file.write("<h2>Features</h2>\n");
        for (size_t i = models; i < columns.size(); ++i)
            write_curve(input, columns[i], false, file);
    }
    file.write("</body>\n</html>\n");
}

} // namespace vmafgpu
