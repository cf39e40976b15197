// SPDX-License-Identifier: BSD-2-Clause-Patent
// An output file while it is written: a log, a page, statistics, heatmaps. Every format and the
// filter use it; nothing here depends on the content.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "picture/picture_file.h"

namespace vmafgpu {

struct FileOptions {
    const char *kind = "log";   ///< word for messages: "cannot write log 'x': ..."
    bool may_overwrite = false; ///< the path may be an input of this process, or no log
    bool is_live = false;       ///< written at once, for readers of the progress
    bool may_number = false;    ///< a numbered name in place of one in use; else that is refused
    bool is_again = false;      ///< the file of a stopped run of this process is written again
    bool is_raw = false;        ///< live, without a mark: any file is replaced that is not open
};

/// Buffered output that becomes visible under its name only in commit(), unless it is live.
/// Without commit(), a regular file is left as it was. How it will be written is decided in the
/// constructor, so that what cannot work fails there.
///
/// A name that no other output has: the temporary file is locked, also for other processes. Its
/// name follows from the target's, so that a process that was killed leaves at most one, which the
/// next run uses.
class ReportFile final : public PictureFile {
public:
    /// "-" is standard output, and /dev/stdout or /dev/fd/N are the process's own descriptors.
    /// Devices and pipes are written directly; a symbolic link is followed. Throws Error with
    /// the errno, naming `path`.
    explicit ReportFile(const std::string &path, const FileOptions &options = {});
    ~ReportFile() override;
    ReportFile(const ReportFile &) = delete;
    ReportFile &operator=(const ReportFile &) = delete;

    /// Writes text. After a failure every later call fails, too.
    void write(std::string_view text);
    /// Brings the content to its name and to the disk, and closes it. If another file has come
    /// there, it stays, and the content gets a numbered name. is_complete: the name is free for
    /// the next file of this process.
    void commit(bool is_complete = true);

    /// The name in use, which is a numbered one if another output has the one asked for.
    const std::string &path() const { return path_; }

    // Only if it is live and regular.
    void write(int64_t offset, const void *data, size_t size) override;
    void cut(int64_t size) override;
    void close() override { commit(); }

private:
    ReportFile(const FileOptions &options, const std::string &path);
    [[noreturn]] void refuse(int code, const std::string &reason) const;
    void check(int code) const;
    bool take();
    int look_at_old(std::string &reason);
    int put();
    int copy();
    int release();
    void flush();

    FileOptions options_;
    std::mutex mutex_; ///< guards the place in the file
    std::string kind_, path_;
    std::string name_;           ///< path_ without links in its last part
    std::string temporary_name_; ///< "": it has none
    int temporary_ = -1;         ///< the new content, if there is no target
    int target_ = -1;            ///< what is written directly
    bool is_new_ = false;        ///< no file has the name
    bool is_copied_ =
        false; ///< copied at the end into the old file: that has other names or another owner
    std::string buffer_; ///< the last bytes, which are not in the file yet
    int lost_code_ = 0;  ///< error code of the first loss
};

/// The files of PictureFile on disk: raw pictures at the places of their pairs. They are written at
/// once and not renamed, because they are large, and useful before the end. Makes the folder and
/// its parents if they are not there, and empties files that are there, if they may be replaced.
/// Throws Error, which names the file: also if somebody writes it already.
PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names);

} // namespace vmafgpu
