// SPDX-License-Identifier: BSD-2-Clause-Patent
// A log file while it is written. report.cpp and its formats fill it; nothing here depends on the
// content.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace vmafgpu {

/// Buffered output that becomes visible under its name only in commit().
/// Without commit(), a regular file is left as it was.
class ReportFile {
public:
    /// "-" is standard output. Devices, pipes and the process's own
    /// descriptors (/dev/stdout) are written directly; a symbolic link is
    /// followed. Throws Error with the errno, naming `path`.
    explicit ReportFile(const std::string &path);
    ~ReportFile();
    ReportFile(const ReportFile &) = delete;
    ReportFile &operator=(const ReportFile &) = delete;

    void write(std::string_view text);
    void commit();

private:
    [[noreturn]] void fail(const char *what, int code) const;
    void open_directly(const std::string &path);
    void open_temporary();
    void flush();

    std::string path_;      ///< as the caller named it
    std::string target_;    ///< where commit() renames to; empty if direct
    std::string temporary_; ///< empty if direct
    unsigned mode_ = 0;     ///< of the file that is replaced
    bool is_replacing_ = false;
    int descriptor_ = -1;
    std::string buffer_;
};

} // namespace vmafgpu
