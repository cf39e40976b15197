// SPDX-License-Identifier: BSD-2-Clause-Patent
// The formats that have one line per pair, csv, csv_strict and sub: they can be written while pairs
// come. report.cpp writes whole logs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "output/report_file.h"

namespace vmafgpu {

/// Whether a format has one line per pair and nothing else.
inline bool has_only_rows(const std::string &format)
{
    return format == "csv" || format == "csv_strict" || format == "sub";
}

/// The last line of a log that lacks scores. next: the number behind the last pair.
std::string incomplete_row(const std::string &format, std::string reason, int64_t next);

/// Writes rows as they come, each once.
class RowStream {
public:
    /// warn: gets the text of a failure of take() at once. Throws Error(EINVAL) if the format has
    /// other things than lines.
    RowStream(const std::string &format, int precision, std::vector<std::string> names,
              ReportFile &file, std::function<void(const char *)> warn = {});

    /// Adds a row. A failure loses the log: write() and end() say so.
    void take(int64_t index, const double *scores) noexcept;
    /// A row that was written before is left out. Throws Error.
    void write(int64_t index, const double *scores);
    /// The last line of a log that lacks scores. Throws Error.
    void end(const std::string &incomplete, int64_t next);
    /// Whether the rest of its log would be written so.
    bool is_for(const ReportFile *file, const std::string &format, int precision) const
    {
        return file == &file_ && format == format_ && precision == precision_;
    }

private:
    void begin();
    void lose(int code, const char *why) noexcept;
    std::string head() const;
    std::string row(int64_t index, const double *scores) const;

    const std::string format_;
    const bool is_csv_;
    const char *const end_; ///< end of a line; libvmaf's CSV has a comma there
    const int precision_;
    const std::vector<std::string> names_;
    ReportFile &file_;
    const std::function<void(const char *)> warn_;
    bool has_begun_ = false, has_ended_ = false;
    int64_t last_ = -1; ///< index of the latest row
    int lost_code_ = 0; ///< error code of the first loss; 0: no pair is lost
};

} // namespace vmafgpu
