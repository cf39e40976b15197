// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a ReportFile is opened and written on POSIX. How the content comes to its name is in
// report_commit_posix.cpp.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "base/error.h"
#include "report/file_guard.h"
#include "report/file_place.h"
#include "report/report_file.h"

namespace vmafgpu {

namespace {

/// N of /dev/fd/N, /proc/self/fd/N and /proc/<this process>/fd/N, or -1.
int own_descriptor(const std::string &path)
{
    const std::string process = std::to_string(getpid());
    for (const std::string &folder :
         {std::string("/dev/fd/"), std::string("/proc/self/fd/"), "/proc/" + process + "/fd/"}) {
        if (path.rfind(folder, 0) != 0)
            continue;
        const std::string number = path.substr(folder.size());
        if (!number.empty() && number.size() < 9 &&
            number.find_first_not_of("0123456789") == std::string::npos)
            return std::atoi(number.c_str());
    }
    return -1;
}

} // namespace

void ReportFile::open_any(const FileOptions &options)
{
    std::string target = path_;
    if (const int code = path_ == "-" ? 0 : follow_links(target))
        fail(code);
    const int own = path_ == "-" ? STDOUT_FILENO : own_descriptor(target);
    if (own >= 0) {
        open_descriptor(own);
        return;
    }
    struct stat info = {};
    const bool is_there = stat(target.c_str(), &info) == 0;
    if (!is_there && errno != ENOENT)
        fail(errno);
    if (is_there && S_ISDIR(info.st_mode))
        fail(EISDIR);
    if (is_there && (!S_ISREG(info.st_mode) || is_descriptor_path(target)))
        open_special(target, S_ISFIFO(info.st_mode));
    else
        open_regular(options);
}

/// A copy of the descriptor has the same position, so nothing overwrites what others print.
void ReportFile::open_descriptor(int own)
{
    if (own == STDOUT_FILENO)
        std::fflush(stdout); // what others printed comes first
    const int flags = fcntl(own, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        fail(EBADF);
    descriptor_ = fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor_ < 0)
        fail(errno);
}

void ReportFile::open_special(const std::string &path, bool is_fifo)
{
    // O_NONBLOCK: a pipe that nobody reads yet is opened when there is something to write.
    descriptor_ = above_standard(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
    if (descriptor_ < 0 && errno == ENXIO && is_fifo && access(path.c_str(), W_OK) == 0) {
        way_ = Way::kPipe;
        pipe_ = path;
        return;
    }
    if (descriptor_ < 0)
        fail(errno);
    fcntl(descriptor_, F_SETFL, O_APPEND);
}

/// Finds a name that no other output of this process has.
void ReportFile::claim(const FileOptions &options)
{
    const std::string asked = path_;
    for (int number = 0;; ++number) {
        path_ = number == 0 ? asked : numbered_path(asked, number);
        std::string target = path_;
        int code = follow_links(target);
        code = code == 0 ? find_target(target, target_) : code;
        if (code != 0)
            fail(code);
        real_path_ = target;
        if (!options.has_claim || claim_.take(target_))
            break;
    }
    // Again: another job may have finished since it was looked up.
    target_.is_there = fstatat(target_.folder, target_.name.c_str(), &target_.info, 0) == 0;
    if (target_.is_there && !S_ISREG(target_.info.st_mode))
        fail(S_ISDIR(target_.info.st_mode) ? EISDIR : EEXIST);
    if (target_.is_there)
        start_ = {target_.info.st_dev, target_.info.st_ino, 0};
}

void ReportFile::open_regular(const FileOptions &options)
{
    claim(options);
    const std::string reason = may_overwrite_ ? "" : reason_to_keep(target_);
    if (!reason.empty())
        throw Error(EEXIST, "cannot write " + kind_ + " '" + path_ + "': " + reason +
                                "; to replace it, set overwrite");
    if (target_.is_there && faccessat(target_.folder, target_.name.c_str(), W_OK, AT_EACCESS) != 0)
        fail(errno);
    if (is_live_)
        open_live();
    else
        choose_way();
}

void ReportFile::open_live()
{
    const int flags = O_WRONLY | O_CLOEXEC | (target_.is_there ? 0 : O_CREAT);
    is_regular_ = true;
    descriptor_ = above_standard(openat(target_.folder, target_.name.c_str(), flags, 0666));
    if (descriptor_ < 0 || ftruncate(descriptor_, 0) != 0)
        fail(errno);
}

/// The file that is there keeps its owner, mode, names and attributes.
void ReportFile::choose_way()
{
    way_ = Way::kRename;
    remove_stale_temporaries(target_.folder);
    std::string reason = target_.is_there ? reason_to_stay(target_) : "";
    if (reason.empty()) {
        descriptor_ = open_temporary(target_.folder, temporary_);
        const int code = errno;
        if (descriptor_ < 0 && !target_.is_there)
            fail(code);
        if (descriptor_ < 0)
            reason = "no file can be made in its folder: " + std::generic_category().message(code);
        else if (target_.is_there && !copy_owner(target_.info, descriptor_))
            reason = "its owner or mode cannot be given to another file";
    }
    if (reason.empty())
        return;
    way_ = Way::kCopy;
    note_ = kind_ + " '" + path_ + "' is written in place at the end: " + reason;
    drop_temporary();
    in_place_ = above_standard(openat(target_.folder, target_.name.c_str(), O_WRONLY | O_CLOEXEC));
    if (in_place_ < 0)
        fail(errno);
    descriptor_ = open_spool(target_.folder);
    if (descriptor_ < 0)
        fail(errno);
}

void ReportFile::drop_temporary()
{
    if (descriptor_ >= 0)
        close(descriptor_);
    descriptor_ = -1;
    if (!temporary_.empty())
        unlinkat(target_.folder, temporary_.c_str(), 0);
    temporary_.clear();
}

void ReportFile::close_all()
{
    drop_temporary();
    if (in_place_ >= 0)
        close(in_place_);
    in_place_ = -1;
}

/// Waits for somebody who reads the FIFO, but not for ever.
void ReportFile::open_pipe()
{
    constexpr int kStep = 20;
    constexpr timespec kPause = {0, kStep * 1000000};
    for (;; reader_wait_ms_ -= kStep) {
        descriptor_ =
            above_standard(open(pipe_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
        if (descriptor_ >= 0)
            break;
        if (errno != ENXIO)
            fail(errno);
        if (reader_wait_ms_ <= 0)
            throw Error(ENXIO, "cannot write " + kind_ + " '" + path_ + "': nobody reads the pipe");
        if (nanosleep(&kPause, nullptr) != 0)
            fail(errno);
    }
    fcntl(descriptor_, F_SETFL, O_APPEND);
}

/// How many bytes were written, at least one. Waits for a pipe that may not wait itself.
size_t ReportFile::write_some(const char *data, size_t size)
{
    for (;;) {
        const ssize_t written = ::write(descriptor_, data, size);
        if (written > 0)
            return static_cast<size_t>(written);
        if (written == 0)
            fail(EIO);
        if (errno == EINTR)
            continue;
        pollfd ready = {descriptor_, POLLOUT, 0};
        if (errno != EAGAIN || (poll(&ready, 1, -1) < 0 && errno != EINTR))
            fail(errno);
    }
}

} // namespace vmafgpu
