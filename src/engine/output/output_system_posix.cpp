// SPDX-License-Identifier: BSD-2-Clause-Patent
// See output_system.h. POSIX's half: locks are flock()'s. On a file system without them, nothing is
// locked.
#include "output/output_system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace vmafgpu {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;

/// N of /dev/fd/N and /proc/self/fd/N, or -1.
int own_descriptor(const std::string &path)
{
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"})
        if (path.size() > folder.size() && path.rfind(folder, 0) == 0 &&
            path.find_first_not_of("0123456789", folder.size()) == std::string::npos)
            return std::atoi(path.c_str() + folder.size());
    return -1;
}

bool follow_links(std::string &path)
{
    for (int i = 0; i < kMaxLinks; ++i) {
        std::error_code none;
        if (path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/", 0) == 0)
            return true;
        const fs::path link = fs::read_symlink(path, none);
        if (none)
            return true; // not a link, or not there
        path = fs::path(path).parent_path() / link;
    }
    return false;
}

/// Gives the file another descriptor than those of standard input, output and error. Where a
/// program has closed these, what it prints would land in the file.
int above_standard(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    close(file);
    errno = error;
    return moved;
}

/// A FIFO that nobody reads stops no program for ever: it fails with ENXIO after 30 seconds.
int open_special(const char *path, bool is_fifo)
{
    constexpr timespec kPause = {0, 20 * 1000000};
    for (int pauses = 30 * 50;; --pauses) {
        const int file = above_standard(open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
        if (file >= 0)
            fcntl(file, F_SETFL, O_APPEND); // writes may wait
        if (file >= 0 || errno != ENXIO || !is_fifo || pauses == 0 ||
            nanosleep(&kPause, nullptr) != 0)
            return file;
    }
}

} // namespace

int open_direct(std::string &path, bool &is_direct)
{
    is_direct = true;
    if (!follow_links(path)) {
        errno = ELOOP;
        return -1;
    }
    const int own = path == "-" ? STDOUT_FILENO : own_descriptor(path);
    if (own == STDOUT_FILENO)
        std::fflush(stdout); // what others printed comes first
    // A copy of the descriptor has the same position, so nothing overwrites what others print.
    if (own >= 0)
        return fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    struct stat info = {};
    is_direct = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
    return is_direct ? open_special(path.c_str(), S_ISFIFO(info.st_mode)) : -1;
}

int open_locked(const std::string &name)
{
    const int file =
        above_standard(open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    struct stat own = {};
    struct stat named = {};
    if (file < 0 || fstat(file, &own) != 0)
        return -1;
    const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    // Whoever had it may have given the name away meanwhile.
    if (is_locked && lstat(name.c_str(), &named) == 0 && named.st_ino == own.st_ino &&
        ftruncate(file, 0) == 0)
        return file;
    close(file);
    errno = EBUSY;
    return -1;
}

int open_target(const std::string &path, bool is_new)
{
    const int flags = is_new ? O_CREAT | O_EXCL : O_NONBLOCK;
    return above_standard(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0666));
}

bool is_open_here(const std::string &path)
{
    std::error_code none; // no exception: another thread may close a descriptor meanwhile
    for (const auto &open : fs::directory_iterator("/proc/self/fd", none))
        if (fs::equivalent(path, open.path(), none))
            return true;
    return false;
}

bool is_made_alike(int temporary, const std::string &old)
{
    struct stat wanted = {};
    struct stat own = {};
    return lstat(old.c_str(), &wanted) == 0 && wanted.st_nlink == 1 &&
           fstat(temporary, &own) == 0 && wanted.st_uid == own.st_uid &&
           wanted.st_gid == own.st_gid && fchmod(temporary, wanted.st_mode & 07777) == 0;
}

int rename_open(int, std::string &from, const std::string &to, bool may_replace)
{
    struct stat info = {};
    if (!may_replace && lstat(to.c_str(), &info) == 0)
        return EEXIST;
    const unsigned flags = may_replace ? 0 : RENAME_NOREPLACE;
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) != 0 &&
        (errno != EINVAL || rename(from.c_str(), to.c_str()) != 0)) // some know no flags
        return errno;
    from.clear();
    const std::string folder = fs::path("." / fs::path(to)).parent_path();
    const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int code = file < 0 ? 0 : synchronise(file);
    if (file >= 0)
        close(file);
    return code;
}

/// A forked child may hold the lock on, but only of a file that has no name or another one.
int close_locked(int file, const std::string &name)
{
    if (!name.empty())
        unlink(name.c_str());
    return close(file) == 0 ? 0 : errno;
}

int synchronise(int descriptor)
{
    // Some file systems cannot do it, and devices have nothing to do.
    const bool has_failed = fsync(descriptor) != 0;
    return has_failed && (errno == EIO || errno == ENOSPC || errno == EDQUOT) ? errno : 0;
}

} // namespace vmafgpu
