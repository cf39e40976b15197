// SPDX-License-Identifier: BSD-2-Clause-Patent
// The formats that have one line per pair, csv and sub: they can be written while pairs come.
// report.cpp writes whole logs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/report_file.h"

namespace vmafgpu {

/// Text of one format. Nothing here fails but by lack of memory.
class RowFormat {
public:
    /// Throws Error(EINVAL) if the format has other things than lines.
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

/// Writes rows as they come. A failure is kept until somebody asks.
class RowStream {
public:
    RowStream(const std::string &format, int precision, std::vector<std::string> names,
              ReportFile &file)
        : format_(format, precision, std::move(names)), file_(file)
    {
    }

    void write(int64_t index, const double *scores) noexcept;
    /// Throws what failed before.
    void check() const;
    bool has_begun() const { return has_begun_; }

private:
    RowFormat format_;
    ReportFile &file_;
    bool has_begun_ = false;
    std::optional<Error> failure_;
};

} // namespace vmafgpu
