// SPDX-License-Identifier: BSD-2-Clause-Patent
// The formats that have one line per pair, csv and sub: they can be written while pairs come.
// report.cpp writes whole logs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/report_file.h"

namespace vmafgpu {

/// Whether a format has one line per pair and nothing else.
inline bool has_only_rows(const std::string &format)
{
    return format == "csv" || format == "csv_strict" || format == "sub";
}

/// Text of one such format. Nothing here fails but by lack of memory.
class RowFormat {
public:
    RowFormat(const std::string &format, int precision, std::vector<std::string> names);

    std::string head() const;
    std::string row(int64_t index, const double *scores) const;
    /// The last line of a log that lacks scores.
    std::string incomplete(const std::string &why, int64_t next) const;

private:
    bool is_csv_;
    const char *end_; ///< of a line; libvmaf's CSV has a comma there
    int precision_;
    std::vector<std::string> names_;
};

/// Writes rows as they come, each once.
class RowStream {
public:
    /// warn: gets the text of the first failure at once. It may not throw.
    RowStream(const std::string &format, int precision, std::vector<std::string> names,
              ReportFile &file, std::function<void(const char *)> warn = {})
        : name_(format), precision_(precision), format_(format, precision, std::move(names)),
          file_(file), warn_(std::move(warn))
    {
    }

    /// false: the file cannot be written now, so the row shall come again. After kMostAttempts
    /// times the row is lost, and so is the log: memory must not grow for ever.
    bool take(int64_t index, const double *scores) noexcept;
    /// A row that was written before is left out. Throws Error.
    void write(int64_t index, const double *scores);
    /// The last lines of a log. Throws Error.
    void end(const char *incomplete, int64_t next);
    /// Forgets all rows. false: some are where nothing can be taken back, so nothing was done.
    bool restart();
    /// Whether the rest of its log would be written so.
    bool is_for(const ReportFile *file, const std::string &format, int precision) const
    {
        return file == &file_ && format == name_ && precision == precision_;
    }

    /// So many rows of three numbers need some 50 MB.
    static constexpr int64_t kMostAttempts = int64_t{1} << 20;

private:
    void begin();
    bool refuse(int code, const char *why) noexcept;

    std::string name_; ///< of the format
    int precision_;
    RowFormat format_;
    ReportFile &file_;
    std::function<void(const char *)> warn_;
    bool has_begun_ = false, has_ended_ = false, has_warned_ = false;
    uint64_t begin_ = 0;  ///< of the rows in the file
    int64_t last_ = -1;   ///< index of the latest row
    int64_t refused_ = 0; ///< calls of take() since a row was written
    int lost_code_ = 0;   ///< why pairs are lost; 0: none is
};

} // namespace vmafgpu
