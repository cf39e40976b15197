// SPDX-License-Identifier: BSD-2-Clause-Patent
// An output file while it is written: a log, a page, statistics. Every format and the filter use
// it; nothing here depends on the content. Where it is on disk: output_place.h.
#pragma once

#include <string>
#include <string_view>

#include "report/output_place.h"

namespace vmafgpu {

struct FileOptions {
    const char *kind = "log";   ///< for messages: "cannot write log 'x': ..."
    bool may_overwrite = false; ///< also an input of this process, or what is no log
    bool is_live = false;       ///< written at once, for readers of the progress
    bool may_number = false;    ///< a numbered name in place of one in use; else that is refused
};

/// Buffered output that becomes visible under its name only in commit(), unless it is live.
/// Without commit(), a regular file is left as it was. How it will be written is decided in the
/// constructor, so that what cannot work fails there.
class ReportFile {
public:
    /// "-" is standard output, and /dev/stdout or /dev/fd/N are the process's own descriptors.
    /// Devices and pipes are written directly; a symbolic link is followed. Throws Error with
    /// the errno, naming `path`.
    explicit ReportFile(const std::string &path, const FileOptions &options = {});

    /// After a failure every later call fails, too.
    void write(std::string_view text);
    /// is_complete: the name is free for the next file of this process.
    void commit(bool is_complete = true);

    /// The name in use, which is a numbered one if another output has the one asked for.
    const std::string &path() const { return path_; }
    /// One line on how it is written if it cannot be renamed into place, else "".
    const std::string &note() const { return note_; }

private:
    [[noreturn]] void refuse(int code, const std::string &reason) const;
    void check(int code) const;
    bool open_direct();
    void take();
    void flush();

    FileOptions options_;
    std::string kind_, path_, note_;
    OutputPlace place_;
    std::string buffer_; ///< the last bytes, which are not in the file yet
    int lost_code_ = 0;  ///< why some are lost
};

} // namespace vmafgpu
