// SPDX-License-Identifier: BSD-2-Clause-Patent
// ReportFile on POSIX: a temporary file beside the target, renamed at the end. It uses file
// descriptors instead of stdio, so that every failure is seen where it happens, and standard output
// shares no buffer with other code.
#include "report/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <system_error>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr size_t kBufferSize = size_t{1} << 18;
constexpr int kMaxLinks = 40;
constexpr int kTries = 100; // of finding a free temporary name

/// Names of the process's own descriptors, where also the link /dev/stdout
/// leads: never to be replaced.
bool is_descriptor_name(const std::string &path)
{
    return path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/", 0) == 0;
}

/// Folder part with its '/', or "".
std::string folder_of(const std::string &path)
{
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

/// Follow links in the last component, also one whose target does not exist.
/// 0 or an errno value.
int follow_links(std::string &path)
{
    for (int i = 0; i < kMaxLinks; ++i) {
        std::array<char, 4096> link;
        if (is_descriptor_name(path))
            return 0;
        const ssize_t length = readlink(path.c_str(), link.data(), link.size());
        if (length < 0)
            return 0; // not a link, or not there
        if (static_cast<size_t>(length) == link.size())
            return ENAMETOOLONG;
        const std::string next(link.data(), static_cast<size_t>(length));
        path = next[0] == '/' ? next : folder_of(path).append(next);
    }
    return ELOOP;
}

} // namespace

void ReportFile::fail(const char *what, int code) const
{
    throw Error(code, std::string("cannot ") + what + " log '" + path_ +
                          "': " + std::generic_category().message(code));
}

ReportFile::ReportFile(const std::string &path) : path_(path)
{
    buffer_.reserve(kBufferSize + 4096);
    if (path_.empty())
        fail("open", ENOENT);
    if (path_ == "-") {
        std::fflush(stdout); // what others printed comes first
        descriptor_ = dup(STDOUT_FILENO);
        if (descriptor_ < 0)
            fail("open", errno);
        return;
    }
    std::string target = path_;
    if (const int code = follow_links(target))
        fail("open", code);
    struct stat info = {};
    const bool is_there = stat(target.c_str(), &info) == 0;
    if (!is_there && errno != ENOENT)
        fail("open", errno);
    if (is_descriptor_name(target) || (is_there && !S_ISREG(info.st_mode))) {
        open_directly(target);
        return;
    }
    if (is_there) {
        if (access(target.c_str(), W_OK) != 0)
            fail("open", errno);
        is_replacing_ = true;
        mode_ = info.st_mode & 07777;
    }
    target_ = target;
    open_temporary();
}

void ReportFile::open_directly(const std::string &path)
{
    // O_APPEND: /dev/stdout may be a file that others have written to.
    descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0)
        fail("open", errno);
}

void ReportFile::open_temporary()
{
    static std::atomic<unsigned> counter{0};
    for (int i = 0; i < kTries; ++i) {
        // A name of its own length: the target's may be as long as names can be.
        const std::string name = folder_of(target_) + ".vmaf_gpu_log." + std::to_string(getpid()) +
                                 "." + std::to_string(counter++);
        descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ >= 0) {
            temporary_ = name;
            break;
        }
        if (errno != EEXIST)
            fail("create a temporary file for", errno);
    }
    if (descriptor_ < 0)
        fail("create a temporary file for", EEXIST);
    if (is_replacing_ && fchmod(descriptor_, mode_) != 0) {
        const int code = errno;
        close(descriptor_);
        unlink(temporary_.c_str());
        fail("keep the permissions of", code);
    }
}

ReportFile::~ReportFile()
{
    if (descriptor_ >= 0)
        close(descriptor_);
    if (!temporary_.empty())
        unlink(temporary_.c_str());
}

void ReportFile::flush()
{
    const char *data = buffer_.data();
    size_t left = buffer_.size();
    while (left > 0) {
        const ssize_t written = ::write(descriptor_, data, left);
        if (written < 0) {
            if (errno == EINTR)
                continue;
            fail("write", errno);
        }
        data += written;
        left -= static_cast<size_t>(written);
    }
    buffer_.clear();
}

void ReportFile::write(std::string_view text)
{
    buffer_.append(text);
    if (buffer_.size() >= kBufferSize)
        flush();
}

void ReportFile::commit()
{
    flush();
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (close(descriptor) != 0)
        fail("close", errno);
    if (temporary_.empty())
        return;
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
        fail("rename the temporary file of", errno);
    temporary_.clear();
}

} // namespace vmafgpu
