// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_compare.h. What is compared are the models of the first log, or in a log of libvmaf
// the series "vmaf", or else the last one.
#include "report/report_compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <set>

#include "base/error.h"
#include "core/pooling.h"
#include "report/format_number.h"
#include "report/report_chart.h"
#include "report/report_page.h"
#include "report/report_read.h"

namespace vmafgpu {
namespace {

constexpr int kMostLogs = 16;
constexpr int kDigits = 6;
constexpr size_t kFirstSize = offsetof(VmafGpuReport, title) + sizeof(const char *);

struct Compared {
    ReadLog log;
    std::string label;
    double rate; ///< kbit/s; 0: unknown
};

std::string file_name(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

VmafGpuReport checked(const VmafGpuReport &given)
{
    if (given.struct_size < kFirstSize)
        throw Error(EINVAL, "VmafGpuReport.struct_size is " + std::to_string(given.struct_size) +
                                "; allowed: sizeof(VmafGpuReport)");
    VmafGpuReport report = {};
    std::memcpy(&report, &given, std::min<size_t>(given.struct_size, sizeof(report)));
    if (report.log_count < 1 || report.log_count > kMostLogs)
        throw Error(EINVAL, "a report compares 1 to " + std::to_string(kMostLogs) + " logs, not " +
                                std::to_string(report.log_count));
    if (report.logs == nullptr || (report.path == nullptr && report.output == nullptr))
        throw Error(EINVAL, "a report needs logs and a path");
    for (int i = 0; i < report.log_count; ++i) {
        const VmafGpuReportLog &log = report.logs[i];
        if (log.path == nullptr)
            throw Error(EINVAL, "logs[" + std::to_string(i) + "].path is NULL");
        if (!(log.rate >= 0) || std::isinf(log.rate))
            throw Error(EINVAL,
                        "the rate of '" + std::string(log.path) + "' must be 0 or more, in kbit/s");
    }
    return report;
}

std::vector<Compared> read_all(const VmafGpuReport &report)
{
    std::vector<Compared> all;
    for (int i = 0; i < report.log_count; ++i) {
        const VmafGpuReportLog &log = report.logs[i];
        Compared one = {read_log(log.path), "", log.rate};
        one.label = log.label != nullptr     ? log.label
                    : !one.log.title.empty() ? one.log.title
                                             : file_name(log.path);
        all.push_back(std::move(one));
    }
    return all;
}

/// Index of a series, or the number of series.
size_t column_of(const ReadLog &log, const std::string &name)
{
    const auto &names = log.table.names();
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool has_series(const ReadLog &log, const std::string &name)
{
    return column_of(log, name) < log.table.names().size();
}

std::vector<std::string> compared_series(const std::vector<Compared> &all)
{
    const ReadLog &first = all.front().log;
    std::vector<std::string> names;
    for (const ModelFacts &model : first.models)
        if (has_series(first, model.name))
            names.push_back(model.name);
    if (names.empty())
        names.push_back(has_series(first, "vmaf") ? "vmaf" : first.table.names().back());
    return names;
}

const ModelFacts *model_of(const ReadLog &log, const std::string &name)
{
    for (const ModelFacts &model : log.models)
        if (model.name == name)
            return &model;
    return nullptr;
}

/// What makes the comparison doubtful, then what the runs warned of.
std::vector<std::string> warnings_of(const std::vector<Compared> &all,
                                     const std::vector<std::string> &series)
{
    std::vector<std::string> warnings;
    for (const std::string &name : series) {
        std::set<std::string> digests;
        for (const Compared &one : all) {
            if (!has_series(one.log, name))
                warnings.push_back(one.label + " has no " + name + ".");
            const ModelFacts *model = model_of(one.log, name);
            if (model != nullptr)
                digests.insert(model->digest);
        }
        if (digests.size() > 1)
            warnings.push_back("The scores " + name +
                               " were computed by different models or options.");
    }
    const size_t rows = all.front().log.table.rows();
    for (const Compared &one : all)
        if (one.log.table.rows() != rows)
            warnings.push_back(one.label + " has " + std::to_string(one.log.table.rows()) +
                               " scored frames, " + all.front().label + " has " +
                               std::to_string(rows) + ".");
    for (const Compared &one : all)
        for (const std::string &warning : one.log.warnings)
            warnings.push_back(one.label + ": " + warning);
    return warnings;
}

void write_summary(const std::vector<Compared> &all, const std::vector<std::string> &series,
                   const char *title, ReportFile &file)
{
    pugi::xml_document section;
    append_element(section, "h1", title);
    append_element(section, "p",
                   std::to_string(all.size()) + (all.size() == 1 ? " log" : " logs") +
                       "; vmaf_gpu " + VMAFGPU_VERSION);
    append_warnings(section, warnings_of(all, series));
    std::vector<std::pair<std::string, std::string>> facts;
    for (const Compared &one : all) {
        std::string text = one.log.pictures;
        for (const ModelFacts &model : one.log.models)
            text += (text.empty() ? "" : "; ") + model.name + ": " + model.source + " (digest " +
                    model.digest.substr(0, 12) + ")";
        for (const std::string &part : {one.log.device, one.log.pairs, one.log.options})
            if (!part.empty())
                text += (text.empty() ? "" : "; ") + part;
        facts.emplace_back(one.label, text);
    }
    append_facts(section, facts);
    print_section(section, file);
}

void append_pooled(pugi::xml_node section, const std::vector<Compared> &all,
                   const std::string &name)
{
    std::vector<std::string> head = {"log", "kbit/s", "frames"};
    for (const auto &[method_name, method] : kPageMethods)
        head.emplace_back(method_name);
    PageTable table(section, head);
    for (size_t i = 0; i < all.size(); ++i) {
        const ReadLog &log = all[i].log;
        if (!has_series(log, name))
            continue;
        std::vector<std::string> row = {all[i].label,
                                        all[i].rate > 0 ? format_fps(all[i].rate) : "–",
                                        std::to_string(log.table.rows())};
        for (const auto &[method_name, method] : kPageMethods)
            row.push_back(pooled_text(log.table, column_of(log, name), method, kDigits));
        pugi::xml_node swatch = table.add_row(row).prepend_child("span");
        swatch.append_attribute("class") = ("swatch " + colour_class(i)).c_str();
    }
}

std::vector<RatePoint> rate_points(const std::vector<Compared> &all, const std::string &name)
{
    std::vector<RatePoint> points;
    for (size_t i = 0; i < all.size(); ++i) {
        const ReadLog &log = all[i].log;
        if (all[i].rate <= 0 || !has_series(log, name))
            continue;
        const double score = pooled(log.table, column_of(log, name), VMAFGPU_POOL_MEAN);
        if (std::isfinite(score))
            points.push_back({all[i].rate, score, i, all[i].label});
    }
    return points;
}

void write_series(const std::vector<Compared> &all, const std::string &name, ReportFile &file)
{
    pugi::xml_document section;
    append_element(section, "h2", name);
    std::vector<ChartSeries> curves;
    const ReadLog *longest = &all.front().log;
    for (const Compared &one : all) {
        if (has_series(one.log, name))
            curves.push_back({&one.log.table, column_of(one.log, name), one.label});
        if (one.log.times.size() > longest->times.size())
            longest = &one.log;
    }
    append_curves(section, curves, name, {320, true, [longest](int64_t index) {
                                              return longest->time_at(index);
                                          }});
    append_pooled(section, all, name);
    const std::vector<RatePoint> points = rate_points(all, name);
    if (points.size() > 1) {
        append_element(section, "h2", "Mean " + name + " over the rate in kbit/s");
        append_rate_plot(section, points, name);
    }
    print_section(section, file);
}

} // namespace

void write_comparison(const VmafGpuReport &given, ReportFile *file)
{
    const VmafGpuReport report = checked(given);
    const std::vector<Compared> all = read_all(report);
    const std::vector<std::string> series = compared_series(all);
    const bool has_model = !all.front().log.models.empty() || series.front() == "vmaf";
    const std::string title = report.title != nullptr ? report.title
                              : has_model             ? "VMAF report"
                                                      : series.front() + " report";
    const auto write = [&](ReportFile &out) {
        write_page_head(title.c_str(), out);
        out.write("<body>\n");
        write_summary(all, series, title.c_str(), out);
        for (const std::string &name : series)
            write_series(all, name, out);
        out.write("</body>\n</html>\n");
    };
    if (file != nullptr) {
        write(*file);
        return;
    }
    ReportFile own(report.path);
    write(own);
    own.commit();
}

} // namespace vmafgpu
