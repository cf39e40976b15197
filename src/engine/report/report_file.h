// SPDX-License-Identifier: BSD-2-Clause-Patent
// An output file while it is written: a log, a page, statistics. Every format and the filter use
// it; nothing here depends on the content. Where it is on disk: output_place.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/output_place.h"

namespace vmafgpu {

struct FileOptions {
    const char *kind = "log";   ///< for messages: "cannot write log 'x': ..."
    bool may_overwrite = false; ///< also an input of this process, or what is no log
    bool is_live = false;       ///< written at once, for readers of the progress
    int reader_wait_ms = 30000; ///< how long a FIFO waits for somebody who reads it
    bool may_number = false; ///< in place of a name in use, a numbered one; else it is waited for
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

    /// If it throws, nothing of the text was taken: it may be given again.
    void write(std::string_view text);
    /// Bytes that were given to write().
    uint64_t size() const { return size_; }
    /// Forgets what was written behind so many bytes. false: it has left already.
    bool truncate(uint64_t size);
    /// The same after a failure. If it cannot be done, every later write fails.
    void undo(uint64_t size) noexcept;
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
    std::string pipe_;   ///< a FIFO that nobody has read yet
    std::string buffer_; ///< the last bytes, which are not in the file yet
    uint64_t size_ = 0;
    bool is_torn_ = false; ///< what has left cannot be taken back
};

} // namespace vmafgpu
