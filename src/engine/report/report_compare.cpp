// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page of logs that are read back.
#include "report/report.h"

#include <cmath>
#include <deque>
#include <filesystem>

#include "base/error.h"
#include "report/report_page.h"
#include "report/report_read.h"

namespace vmafgpu {
namespace {

constexpr int kMostLogs = 16;

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

/// A log as a page takes it.
struct Compared {
    explicit Compared(const VmafGpuReportLog &given) : read(read_log(given.path)), run(read, {})
    {
        run.log.precision = 6;
        run.log.incomplete = read.incomplete.empty() ? nullptr : read.incomplete.c_str();
        label = given.label != nullptr ? given.label
                : !read.title.empty()  ? read.title
                                       : std::filesystem::u8path(given.path).filename().u8string();
    }

    ReadLog read;
    LogOfRun run;
    std::string label;
};

} // namespace

void write_comparison(const VmafGpuReport &report, ReportFile &file)
{
    check(report);
    std::deque<Compared> all;
    std::vector<PageRun> runs;
    for (int i = 0; i < report.log_count; ++i) {
        const Compared &one = all.emplace_back(report.logs[i]);
        const ReadLog &read = one.read;
        const ReportInput input = {read.table,
                                   read.width,
                                   read.height,
                                   one.run.log,
                                   read.model_columns,
                                   &one.run.device,
                                   read.width > 0 ? &read.facts : nullptr};
        runs.push_back({input, one.label, report.logs[i].rate, [&read](int64_t index) {
                            return read.time_at(index);
                        }});
    }
    const ReadLog &first = all.front().read;
    const std::string &series = first.table.names()[first.model_columns.front()];
    const std::string title = report.title != nullptr ? report.title
                              : !first.facts.models.empty() || series == "vmaf"
                                  ? "VMAF report"
                                  : series + " report";
    write_page(title, runs, file);
}

} // namespace vmafgpu
