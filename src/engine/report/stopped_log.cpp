// SPDX-License-Identifier: BSD-2-Clause-Patent
// See stopped_log.h.
#include "report/stopped_log.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "report/report_rows.h"

namespace vmafgpu {

namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string &path)
{
    std::ifstream file(fs::u8path(path), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

StoppedLog::StoppedLog(const ReportInput &input)
    : format_(input.log.format), precision_(input.log.precision), table_(input.table),
      run_(input.run)
{
    if (run_.pts != nullptr)
        times_.assign(run_.pts, run_.pts + run_.pts_count);
}

void StoppedLog::mark(const std::string &path, const std::string &incomplete) const
{
    std::error_code none;
    if (!fs::is_regular_file(fs::u8path(path), none))
        return;
    FileOptions options;
    options.is_again = true;
    ReportFile file(path, options);
    if (has_only_rows(format_)) { // rows may have left the table
        const size_t rows = table_.rows();
        const int64_t next = rows > 0 ? table_.index(rows - 1) + 1 : 0;
        file.write(content_of(path) + incomplete_row(format_, incomplete, next));
    } else {
        RunFacts run = run_;
        run.incomplete = incomplete;
        run.pts = times_.empty() ? nullptr : times_.data();
        VmafGpuLog log = {};
        log.format = format_.c_str();
        log.precision = precision_;
        write_report({table_, run, log, &file});
    }
    file.commit();
}

} // namespace vmafgpu
