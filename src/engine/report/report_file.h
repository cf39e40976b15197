// SPDX-License-Identifier: BSD-2-Clause-Patent
// An output file while it is written: a log, a page, statistics. Every format and the filter use
// it; nothing here depends on the content. Names that this process uses: file_claim.h. Files that
// must not be replaced: file_guard.h.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "report/file_claim.h"

namespace vmafgpu {

struct FileOptions {
    const char *kind = "log";   ///< for messages: "cannot write log 'x': ..."
    bool may_overwrite = false; ///< also an input of this process, or a video
    bool is_live = false;       ///< written at once, for readers of the progress
    int reader_wait_ms = 30000; ///< how long a FIFO waits for somebody who reads it
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

    /// If it throws, nothing of the text was taken: it may be given again.
    void write(std::string_view text);
    /// Bytes that were given to write().
    uint64_t size() const { return size_; }
    /// Forgets what was written behind so many bytes. false: it has left already.
    bool take_back(uint64_t size);
    /// The same after a failure. If it cannot be done, every later write fails.
    void undo(uint64_t size) noexcept;
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
    void open_special(const std::string &path, bool is_fifo);
    void claim(const FileOptions &options);
    void open_regular(const FileOptions &options);
    void open_live();
    void choose_way();
    void drop_temporary();
    void close_all();
    void flush();
    void open_pipe();
    size_t write_some(const char *data, size_t size);

    void synchronise(int descriptor) const;
    bool is_to_keep();
    void avoid_new_file();
    void open_target();
    void copy_into_target();
    void finish_temporary();

    std::string kind_, path_, note_;
    FileTarget target_;     ///< of a regular file, as it is now
    std::string real_path_; ///< the path without links
    FileId start_;          ///< the target when it was opened; all 0: it was not there
    std::string temporary_; ///< its name in the folder; "" if it has none
    std::string pipe_;      ///< for kPipe
    Way way_ = Way::kDirect;
    bool is_live_ = false, may_overwrite_ = false, has_claim_ = false;
    int reader_wait_ms_ = 0;
    bool is_regular_ = false; ///< descriptor_ is the target itself
    int descriptor_ = -1;     ///< what flush() writes to
    int in_place_ = -1;       ///< the target, for kCopy
    FileClaim claim_;
    std::string buffer_; ///< the last bytes, which are not in the file yet
    uint64_t size_ = 0;
    bool is_torn_ = false; ///< what has left cannot be taken back
};

} // namespace vmafgpu
