// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page of a run, or of several logs that are compared: one file, without scripts and
// without anything from a network. Its size does not grow with the number of frames. Scores with
// their worst frames, pooled values, a curve per series, around the charts of report_chart.cpp. A
// run is a comparison of one, with more of it.
#include "report/report.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/format_number.h"
#include "base/text.h"
#include "core/pooling.h"
#include "parts/log_read.h"
#include "report/markup.h"
#include "report/report_chart.h"
#include "report/report_page.h"
#include "report/worst.h"

namespace vmafgpu {
namespace {

constexpr size_t kWorstFrames = 12;
constexpr size_t kDigestDigits = 12; // enough to see a difference
constexpr int kCardDigits = 6;       // digits after the point
constexpr int kMostLogs = 16;

struct PageRun {
    ReportInput input;
    std::string label;                      ///< "" of a run alone
    double rate;                            ///< kbit/s; 0: unknown
    std::function<double(int64_t)> time_of; ///< seconds of a pair, or NaN
};

constexpr std::pair<const char *, VmafGpuPool> kMethods[] = {
    {"mean", VMAFGPU_POOL_MEAN},   {"harmonic mean", VMAFGPU_POOL_HARMONIC_MEAN},
    {"min", VMAFGPU_POOL_MIN},     {"1 %", VMAFGPU_POOL_PERC1},
    {"5 %", VMAFGPU_POOL_PERC5},   {"10 %", VMAFGPU_POOL_PERC10},
    {"20 %", VMAFGPU_POOL_PERC20}, {"max", VMAFGPU_POOL_MAX},
};

std::string score_text(const ReportInput &input, double value)
{
    return format_score(value, input.log.precision);
}

/// Index of a series, or the number of series.
size_t column_of(const PageRun &run, const std::string &name)
{
    const auto &names = run.input.table.names();
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool has_series(const PageRun &run, const std::string &name)
{
    return column_of(run, name) < run.input.table.names().size();
}

bool has_models(const ReportInput &input)
{
    return !input.run.model_columns.empty();
}

std::vector<size_t> main_columns(const ReportInput &input)
{
    return vmafgpu::main_columns(input.run.model_columns);
}

std::vector<size_t> columns_in_order(const ReportInput &input)
{
    std::vector<size_t> columns = main_columns(input);
    for (size_t i = 0; i < input.table.names().size(); ++i)
        if (std::find(columns.begin(), columns.end(), i) == columns.end())
            columns.push_back(i);
    return columns;
}

/// A pooled value, or a dash: values of -1 and below have no harmonic mean.
std::string pooled_text(const ScoreTable &table, size_t column, VmafGpuPool method, int precision)
{
    if (method == VMAFGPU_POOL_HARMONIC_MEAN && pooled(table, column, VMAFGPU_POOL_MIN) <= -1)
        return "–";
    return format_score(pooled(table, column, method), precision);
}

Row pooled_head(Row head)
{
    for (const auto &[name, method] : kMethods)
        head.emplace_back(name);
    return head;
}

/// The cells before the pooled values, then these.
Row pooled_row(Row row, const ReportInput &input, size_t column)
{
    for (const auto &[name, method] : kMethods)
        row.push_back(pooled_text(input.table, column, method, input.log.precision));
    return row;
}

/// A score without digits that a card has no room for.
std::string card_text(const std::string &text)
{
    constexpr size_t kMostCharacters = 9;
    const size_t point = text.find('.');
    if (point == std::string::npos)
        return text;
    return text.substr(0, point >= kMostCharacters - 1 ? point : kMostCharacters);
}

std::string model_text(const ModelFacts &model)
{
    std::string text = model.source;
    for (const auto &[key, value] : model.options)
        text.append(", ").append(key).append("=").append(value);
    return text + " (digest " + model.digest.substr(0, kDigestDigits) + ")";
}

std::string size_text(const RunFacts &run)
{
    return std::to_string(run.width) + "×" + std::to_string(run.height) + ", ";
}

std::string pictures_text(const RunFacts &run)
{
    std::string text = size_text(run) + std::to_string(run.depth) + " bit";
    if (!run.main_format.empty())
        text += ", main " + run.main_format;
    if (!run.reference_format.empty())
        text += ", reference " + run.reference_format;
    return text;
}

/// What made the scores, one row each.
TextPairs facts_of(const ReportInput &input)
{
    const RunFacts &run = input.run;
    TextPairs rows;
    if (run.version.empty())
        return rows;
    for (const ModelFacts &model : run.models)
        rows.emplace_back("model " + model.name, model_text(model));
    for (const auto &[name, options] : run.features) {
        rows.emplace_back("feature", name);
        if (!options.empty())
            rows.back().second.append(": ").append(options);
    }
    rows.emplace_back("pictures", pictures_text(run));
    if (!run.colours.empty())
        rows.emplace_back("colours", run.colours);
    if (run.subsample > 1)
        rows.emplace_back("scored", "one pair of " + std::to_string(run.subsample));
    for (const size_t column : run.model_columns)
        if (const auto ends = interval_of(input.table, run, column))
            rows.emplace_back("95 % interval of the mean",
                              input.table.names()[column] + " " + score_text(input, (*ends)[0]) +
                                  " to " + score_text(input, (*ends)[1]));
    rows.emplace_back("computed as", "libvmaf " + run.compat);
    rows.emplace_back("computed on", run.backend + " (" + run.device + ")");
    if (!run.options.empty())
        rows.emplace_back("options", run.options);
    return rows;
}

/// The facts of a run that are in a list, or the others, in a line.
std::string facts_line(const TextPairs &facts, const TextPairs &list, bool are_in_list)
{
    std::string line;
    for (const auto &fact : facts)
        if ((std::find(list.begin(), list.end(), fact) != list.end()) == are_in_list)
            line.append(line.empty() ? "" : "; ")
                .append(fact.first)
                .append(fact.first.empty() ? "" : ": ")
                .append(fact.second);
    return line;
}

/// What made the scores of several runs: what all have in common once, then what each has besides.
TextPairs facts_of_all(const std::vector<PageRun> &runs)
{
    std::vector<TextPairs> facts;
    for (const PageRun &run : runs) {
        facts.push_back(facts_of(run.input));
        if (run.input.run.pairing)
            facts.back().emplace_back("", pairing_line(*run.input.run.pairing));
    }
    TextPairs common, rows;
    for (const auto &fact : facts.front())
        if (std::all_of(facts.begin(), facts.end(), [&fact](const TextPairs &other) {
                return std::find(other.begin(), other.end(), fact) != other.end();
            }))
            common.push_back(fact);
    if (!common.empty())
        rows.emplace_back("all", facts_line(facts.front(), common, true));
    for (size_t i = 0; i < runs.size(); ++i)
        if (const std::string line = facts_line(facts[i], common, false); !line.empty())
            rows.emplace_back(runs[i].label, line);
    return rows;
}

/// Names and values, below each other; long values break.
std::string facts_table(const TextPairs &facts)
{
    std::string text;
    for (const auto &[name, value] : facts)
        text += markup("<tr><td>%</td><td>%</td></tr>", {name, value});
    return text.empty() ? "" : "<table class=\"facts\">" + text + "</table>";
}

std::string headline(const std::vector<PageRun> &runs)
{
    const ReportInput &input = runs.front().input;
    if (runs.size() > 1)
        return std::to_string(runs.size()) + " logs; vmaf_gpu " VMAFGPU_VERSION;
    std::string text = counted_text(static_cast<int64_t>(input.table.rows()),
                                    " frames scored; vmaf_gpu " VMAFGPU_VERSION);
    if (input.run.width > 0)
        text.insert(0, size_text(input.run));
    if (std::isfinite(input.run.fps) && input.run.fps > 0)
        text += ", " + format_fps(input.run.fps) + " frames/s";
    return text;
}

/// Models whose digests differ, by the name of their series.
std::vector<std::string> model_warnings(const std::vector<PageRun> &runs,
                                        const std::vector<std::string> &series)
{
    std::vector<std::string> warnings;
    for (const std::string &name : series) {
        std::set<std::string> digests;
        for (const PageRun &run : runs) {
            if (!has_series(run, name))
                warnings.push_back(run.label + " has no " + name + ".");
            for (const ModelFacts &model : run.input.run.models)
                if (model.name == name)
                    digests.insert(model.digest);
        }
        if (digests.size() > 1)
            warnings.push_back("The scores " + name +
                               " were computed by different models or options.");
    }
    return warnings;
}

/// What makes a comparison doubtful, then what the runs warned of.
std::vector<std::string> all_warnings(const std::vector<PageRun> &runs,
                                      const std::vector<std::string> &series)
{
    std::vector<std::string> warnings = model_warnings(runs, series);
    const PageRun &first = runs.front();
    const size_t rows = first.input.table.rows();
    for (const PageRun &run : runs)
        if (run.input.table.rows() != rows)
            warnings.push_back(run.label + " has " + std::to_string(run.input.table.rows()) +
                               " scored frames, " + first.label + " has " + std::to_string(rows) +
                               ".");
    for (const PageRun &run : runs) {
        const std::string label = runs.size() > 1 ? run.label + ": " : "";
        if (runs.size() > 1 && !run.input.run.incomplete.empty())
            warnings.push_back(label + "incomplete: " + run.input.run.incomplete);
        for (const std::string &warning : run.input.run.warnings)
            warnings.push_back(label + warning);
    }
    return warnings;
}

/// The summary of a page about one run.
std::string run_summary(const ReportInput &input)
{
    std::string text;
    if (!input.run.incomplete.empty())
        text = markup("<p class=\"amber\">Incomplete: %</p>", {input.run.incomplete});
    if (input.run.pairing)
        text +=
            markup(input.run.pairing->counts.warnings > 0 ? "<p class=\"amber\">%</p>" : "<p>%</p>",
                   {pairing_line(*input.run.pairing)});
    text += "<div class=\"cards\">";
    if (input.table.rows() > 0)
        for (const size_t column : main_columns(input))
            for (const auto &[name, method] : {kMethods[0], kMethods[1], kMethods[2]})
                text += markup("<div class=\"card\"><b>%</b><span>%, %</span></div>",
                               {card_text(pooled_text(input.table, column, method, kCardDigits)),
                                input.table.names()[column], name});
    text += "</div>" + facts_table(facts_of(input));
    if (input.table.rows() == 0)
        text += "<p>No frame was scored: there is nothing to draw.</p>";
    return text;
}

std::string summary(const std::string &title, const std::vector<PageRun> &runs,
                    const std::vector<std::string> &series)
{
    std::string text = markup("<h1>%</h1><p>%</p>", {title, headline(runs)}), warnings;
    for (const std::string &warning : all_warnings(runs, series))
        warnings += markup("<li>%</li>", {warning});
    if (!warnings.empty())
        text += "<ul class=\"warnings\">" + warnings + "</ul>";
    if (runs.size() == 1)
        return text + run_summary(runs.front().input) + "\n";
    return text + facts_table(facts_of_all(runs)) + "\n";
}

/// Narrow screens scroll a chart: its numbers cannot be read if it shrinks to their width.
std::string chart(const std::string &svg)
{
    return "<div class=\"scroll\">" + svg + "</div>";
}

/// A series of all runs: curves and, of several, their pooled values and a point for each. is_main:
/// it is drawn large; others where the reader opens them.
std::string curves(const std::vector<PageRun> &runs, const std::string &name, bool is_main)
{
    std::vector<ChartSeries> series;
    std::vector<Row> rows;
    std::vector<size_t> marks;
    std::vector<RatePoint> points;
    const PageRun *longest = &runs.front();
    for (size_t i = 0; i < runs.size(); ++i) {
        const auto &[input, label, rate, time_of] = runs[i];
        if (input.table.rows() > longest->input.table.rows())
            longest = &runs[i];
        if (!has_series(runs[i], name))
            continue;
        const size_t column = column_of(runs[i], name);
        series.push_back({&input.table, column, label, i});
        marks.push_back(i);
        rows.push_back(pooled_row(
            {label, rate > 0 ? format_fps(rate) : "–", std::to_string(input.table.rows())}, input,
            column));
        const double score = pooled(input.table, column, VMAFGPU_POOL_MEAN);
        if (rate > 0 && std::isfinite(score))
            points.push_back({rate, score, i, label});
    }
    const int height = runs.size() > 1 ? 320 : is_main ? 280 : 130;
    const std::string svg = chart(curves_svg(
        series, name, {height, is_main && has_models(runs.front().input), longest->time_of}));
    if (!is_main)
        return markup("<details><summary>%</summary>", {name}) + svg + "</details>\n";
    std::string text = markup("<section><h2>%</h2>", {name}) + svg;
    if (runs.size() > 1)
        text += table_text(pooled_head({"log", "kbit/s", "frames"}), rows, marks);
    text += "</section>";
    if (points.size() > 1)
        text += markup("<h2>Mean % over the rate in kbit/s</h2>", {name}) +
                chart(rate_svg(points, name));
    return text + "\n";
}

std::string pooled_tables(const ReportInput &input, const std::vector<size_t> &columns)
{
    std::vector<Row> rows, aggregates;
    for (const size_t column : columns)
        rows.push_back(pooled_row({input.table.names()[column]}, input, column));
    for (const auto &[name, value] : input.run.aggregates)
        aggregates.push_back({name, score_text(input, value)});
    const std::string text = "<h2>Pooled</h2>" + table_text(pooled_head({"series"}), rows);
    return text + (aggregates.empty() ? "\n"
                                      : "<h2>Of the whole run</h2>" +
                                            table_text({"name", "value"}, aggregates) + "\n");
}

/// Rows with the lowest values of a column, worst first.
std::vector<size_t> worst_rows(const ScoreTable &table, size_t column)
{
    Worst worst(kWorstFrames);
    for (size_t row = 0; row < table.rows(); ++row)
        worst.add(table.value(row, column), static_cast<int64_t>(row));
    std::vector<size_t> rows;
    for (const auto &[value, row] : worst.list())
        rows.push_back(static_cast<size_t>(row));
    return rows;
}

std::string time_text(const PageRun &run, int64_t index)
{
    const double time = run.time_of(index);
    return std::isfinite(time) ? clock_text(time) : "–";
}

/// The frames with some of the series.
std::string frames_table(const PageRun &run, const std::vector<size_t> &rows,
                         const std::vector<size_t> &columns)
{
    const ReportInput &input = run.input;
    Row head = {"frame", "time"};
    for (const size_t i : columns)
        head.push_back(input.table.names()[i]);
    std::vector<Row> cells;
    for (const size_t row : rows) {
        const int64_t index = input.table.index(row);
        cells.push_back({std::to_string(index), time_text(run, index)});
        for (const size_t i : columns)
            cells.back().push_back(score_text(input, input.table.value(row, i)));
    }
    return table_text(head, cells);
}

/// The worst pairs that get pictures: the first ones of the table.
std::vector<int64_t> pictured_pairs(const ReportInput &input, const std::vector<size_t> &rows)
{
    const size_t most = most_pictured(main_columns(input).size());
    std::vector<int64_t> pairs;
    for (size_t i = 0; i < std::min(rows.size(), most); ++i)
        pairs.push_back(input.table.index(rows[i]));
    return pairs;
}

/// Asks the caller for the pictures of all models at once: it reads its files in order.
Thumbnails all_thumbnails(const ReportInput &input)
{
    std::vector<int64_t> pairs;
    for (const size_t column : main_columns(input)) {
        const auto some = pictured_pairs(input, worst_rows(input.table, column));
        pairs.insert(pairs.end(), some.begin(), some.end());
    }
    return thumbnails_of(input.run, std::move(pairs));
}

std::string worst_pictures(const PageRun &run, size_t column, const std::vector<size_t> &rows,
                           const Thumbnails &thumbnails)
{
    const ReportInput &input = run.input;
    std::string text;
    for (const int64_t pair : pictured_pairs(input, rows)) {
        const auto pictures = thumbnails.pictures.find(pair);
        if (pictures == thumbnails.pictures.end())
            continue;
        std::string caption = "frame " + std::to_string(pair);
        if (std::isfinite(run.time_of(pair)))
            caption += ", " + time_text(run, pair);
        caption += ": " + score_text(input, input.table.value(input.table.find(pair), column));
        text += markup("<figure><figcaption>%</figcaption>\n", {caption}) + pictures->second +
                "</figure>\n";
    }
    if (!text.empty())
        text = "<div class=\"pictures\">\n" + text + "</div>\n";
    if (column == main_columns(input).front() && !thumbnails.note.empty())
        text += markup("<p>%</p>\n", {thumbnails.note});
    return text;
}

/// Scores first, so that the table fits; the many features only where the reader asks for them.
std::string worst_frames(const PageRun &run, size_t column, const std::vector<size_t> &columns,
                         const Thumbnails &thumbnails)
{
    const ReportInput &input = run.input;
    const std::vector<size_t> rows = worst_rows(input.table, column);
    const auto features = columns.begin() + static_cast<std::ptrdiff_t>(main_columns(input).size());
    const std::string &name = input.table.names()[column];
    std::string text = markup("<h2>Lowest frames by %</h2>", {name}) +
                       frames_table(run, rows, {columns.begin(), features});
    if (features != columns.end())
        text += "<details><summary>Features of these frames</summary>" +
                frames_table(run, rows, {features, columns.end()}) + "</details>";
    return text + "\n" + worst_pictures(run, column, rows, thumbnails) +
           markup("<h2>Histogram of %</h2>", {name}) +
           chart(histogram_svg(input.table, column, has_models(input))) + "\n";
}

/// What a page has of a run alone, behind its summary.
void write_run(const PageRun &run, ReportFile &file)
{
    const ReportInput &input = run.input;
    const std::vector<size_t> columns = columns_in_order(input);
    const size_t count = main_columns(input).size();
    const Thumbnails thumbnails = all_thumbnails(input);
    for (size_t i = 0; i < count; ++i) {
        file.write(curves({run}, input.table.names()[columns[i]], true));
        file.write(worst_frames(run, columns[i], columns, thumbnails));
    }
    file.write(pooled_tables(input, columns));
    if (input.run.shots)
        file.write(shots_text(input));
    if (columns.size() > count)
        file.write("<h2>Features</h2>\n");
    for (size_t i = count; i < columns.size(); ++i)
        file.write(curves({run}, input.table.names()[columns[i]], false));
}

/// Needs at least one run. Series and precision are those of the first. given: the title, or "".
void write_page(const std::string &given, const std::vector<PageRun> &runs, ReportFile &file)
{
    const ReportInput &first = runs.front().input;
    std::vector<std::string> series;
    for (const size_t column : main_columns(first))
        series.push_back(first.table.names()[column]);
    const std::string title = !given.empty() ? given
                              : !first.run.models.empty() || series.front() == "vmaf"
                                  ? "VMAF report"
                                  : series.front() + " report";
    file.write(page_head(title) + "<body>\n" + summary(title, runs, series));
    if (runs.size() > 1)
        for (const std::string &name : series)
            file.write(curves(runs, name, true));
    else if (first.table.rows() > 0)
        write_run(runs.front(), file);
    file.write("</body>\n</html>\n");
}

void check(const VmafGpuReport &report)
{
    if (report.log_count < 1 || report.log_count > kMostLogs)
        throw Error(EINVAL, "a report compares 1 to " + std::to_string(kMostLogs) + " logs, not " +
                                std::to_string(report.log_count));
    for (int i = 0; i < report.log_count; ++i) {
        const VmafGpuReportLog &log = report.logs[i];
        if (log.path == nullptr)
            throw Error(EINVAL, "logs[" + std::to_string(i) + "].path is NULL");
        if (!(log.rate >= 0) || std::isinf(log.rate))
            throw Error(EINVAL,
                        "the rate of '" + std::string(log.path) + "' must be 0 or more, in kbit/s");
    }
}

} // namespace

void write_html(const ReportInput &input, ReportFile &file)
{
    write_page(input.run.title,
               {{input, "", 0,
                 [&input](int64_t index) {
                     return time_of(input.run, index);
                 }}},
               file);
}

void write_comparison(const VmafGpuReport &report, ReportFile &file)
{
    check(report);
    std::deque<ReadLog> logs;
    std::vector<PageRun> runs;
    VmafGpuLog log = {};
    log.precision = 6;
    for (const VmafGpuReportLog *given = report.logs; given < report.logs + report.log_count;
         ++given) {
        const ReadLog &read = logs.emplace_back(read_log(given->path));
        const std::string label = given->label != nullptr ? given->label
                                  : !read.title.empty()
                                      ? read.title
                                      : std::filesystem::u8path(given->path).filename().u8string();
        runs.push_back({{read.table, read, log}, label, given->rate, [&read](int64_t index) {
                            return read.time_at(index);
                        }});
    }
    write_page(report.title != nullptr ? report.title : "", runs, file);
}

} // namespace vmafgpu
