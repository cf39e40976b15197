// SPDX-License-Identifier: BSD-2-Clause-Patent
// An output file while it is written: a log, a page, statistics. Every format and the filter use
// it; nothing here depends on the content. Names that this process uses: file_claim.h. Files that
// must not be replaced: file_guard.h.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "report/file_claim.h"

namespace vmafgpu {

struct FileOptions {
    const char *kind = "log";   ///< for messages: "cannot write log 'x': ..."
    bool may_overwrite = false; ///< also an input of this process, or a video
    bool is_live = false;       ///< written at once, for readers of the progress
    bool has_claim = false;     ///< a name that this process uses becomes a numbered one
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
    ~ReportFile();
    ReportFile(const ReportFile &) = delete;
    ReportFile &operator=(const ReportFile &) = delete;

    void write(std::string_view text);
    /// is_complete: the name is free for the next file of this process.
    void commit(bool is_complete = true);

    /// The name in use, which is a numbered one if the process uses the one asked for.
    const std::string &path() const { return path_; }
    /// One line on how it is written if it cannot be renamed into place, else "".
    const std::string &note() const { return note_; }

private:
    enum class Way {
        kDirect, ///< device, pipe, descriptor, or live
        kPipe,   ///< a FIFO that has no reader yet: opened when there is something to write
        kRename, ///< a temporary file takes the place of the target
        kCopy    ///< the content is written into the target, which stays the same file
    };

    [[noreturn]] void fail(int code) const;
    void open_any(const FileOptions &options);
    void open_descriptor(int own);
    void open_special(const std::string &path);
    void claim(const FileOptions &options);
    void open_regular(const FileOptions &options);
    void open_live();
    void choose_way();
    void drop_temporary();
    void close_all();
    void flush();

    void synchronise(int descriptor) const;
    void avoid_new_file();
    void open_target();
    void copy_into_target();
    void finish_temporary();

    std::string kind_, path_, note_;
    FileTarget target_;     ///< of a regular file
    std::string temporary_; ///< its name in the folder; "" if it has none
    std::string pipe_;      ///< for kPipe
    Way way_ = Way::kDirect;
    bool is_live_ = false, may_overwrite_ = false;
    bool is_regular_ = false; ///< descriptor_ is the target itself
    int descriptor_ = -1;     ///< what flush() writes to
    int in_place_ = -1;       ///< the target, for kCopy
    FileClaim claim_;
    std::string buffer_;
};

} // namespace vmafgpu
