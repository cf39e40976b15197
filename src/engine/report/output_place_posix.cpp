// SPDX-License-Identifier: BSD-2-Clause-Patent
// See output_place.h. POSIX's half: locks are flock()'s. On a file system without them, nothing is
// locked.
#include "report/output_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace vmafgpu {

namespace {

constexpr int kMaxLinks = 40;
constexpr mode_t kFolderMode = 0770;

/// N of /dev/fd/N and /proc/self/fd/N, or -1.
int own_descriptor(const std::string &path)
{
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"})
        if (path.size() > folder.size() && path.rfind(folder, 0) == 0 &&
            path.find_first_not_of("0123456789", folder.size()) == std::string::npos)
            return std::atoi(path.c_str() + folder.size());
    return -1;
}

FileId id_of(const struct stat &info)
{
    return {info.st_dev, info.st_ino, info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec};
}

} // namespace

size_t name_begin(const std::string &path)
{
    return path.rfind('/') + 1; // npos + 1 is 0
}

int follow_links(std::string &path)
{
    for (int i = 0; i < kMaxLinks; ++i) {
        std::array<char, PATH_MAX> link;
        if (path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/", 0) == 0)
            return 0;
        const ssize_t length = readlink(path.c_str(), link.data(), link.size());
        if (length < 0)
            return 0; // not a link, or not there
        const std::string next(link.data(), static_cast<size_t>(length));
        path = next[0] == '/' ? next : path.substr(0, name_begin(path)).append(next);
    }
    return ELOOP;
}

/// A FIFO that nobody reads stops no program for ever: it fails with ENXIO after 30 seconds.
int open_special(const char *path, bool is_fifo)
{
    constexpr timespec kPause = {0, 20 * 1000000};
    for (int pauses = 30 * 50;; --pauses) {
        const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0)
            fcntl(file, F_SETFL, O_APPEND); // writes may wait
        if (file >= 0 || errno != ENXIO || !is_fifo || pauses == 0 ||
            nanosleep(&kPause, nullptr) != 0)
            return file;
    }
}

int open_direct(const std::string &path, bool &is_direct)
{
    const int own = path == "-" ? STDOUT_FILENO : own_descriptor(path);
    struct stat info = {};
    is_direct = own >= 0 || (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode));
    if (!is_direct)
        return -1;
    if (own < 0)
        return open_special(path.c_str(), S_ISFIFO(info.st_mode));
    if (own == STDOUT_FILENO)
        std::fflush(stdout); // what others printed comes first
    // A copy of the descriptor has the same position, so nothing overwrites what others print.
    return fcntl(own, F_DUPFD_CLOEXEC, 0);
}

int lock_temporary(OutputPlace &place)
{
    const std::string name = temporary_name(place.path);
    const int file = open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    struct stat info = {};
    if (file < 0 || fstat(file, &info) != 0)
        return errno;
    const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    // Whoever had it may have given the name away meanwhile.
    if (!is_locked || !(id_of(name) == id_of(info))) {
        close(file);
        return EBUSY;
    }
    place.temporary = file;
    place.temporary_name = name;
    return ftruncate(file, 0) == 0 ? 0 : errno; // of a process that was killed
}

FileId id_of(const std::string &path)
{
    struct stat info = {};
    return lstat(path.c_str(), &info) == 0 ? id_of(info) : FileId();
}

bool is_open_here(const FileId &id)
{
    DIR *const folder = opendir("/proc/self/fd");
    if (folder == nullptr)
        return false;
    bool found = false;
    while (const dirent *entry = readdir(folder)) {
        // By name: another thread may close the descriptor meanwhile.
        struct stat info = {};
        found =
            found || (fstatat(dirfd(folder), entry->d_name, &info, 0) == 0 && id_of(info) == id);
    }
    closedir(folder);
    return found;
}

int open_target(const OutputPlace &place)
{
    const int flags = place.old.is_there() ? O_NONBLOCK : O_CREAT | O_EXCL;
    return open(place.path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
}

std::string reason_to_copy(const OutputPlace &place)
{
    struct stat old = {};
    struct stat own = {};
    if (lstat(place.path.c_str(), &old) != 0 || fstat(place.temporary, &own) != 0)
        return "";
    if (old.st_nlink > 1)
        return "it has several names (hard links)";
    if (old.st_uid != own.st_uid || old.st_gid != own.st_gid)
        return "it has another owner or group than a new file";
    return fchmod(place.temporary, old.st_mode & 07777) == 0 ? "" : "its mode cannot be kept";
}

int rename_temporary(OutputPlace &place, bool may_replace)
{
    const char *const from = place.temporary_name.c_str();
    const char *const to = place.path.c_str();
    if (!may_replace && id_of(place.path).is_there())
        return EEXIST;
    const unsigned flags = may_replace ? 0 : RENAME_NOREPLACE;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, flags) != 0 &&
        (errno != EINVAL || rename(from, to) != 0)) // some file systems know no flags
        return errno;
    place.temporary_name.clear();
    const size_t begin = name_begin(place.path);
    const std::string folder = begin == 0 ? "." : place.path.substr(0, begin);
    const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int code = file < 0 ? 0 : synchronise(file);
    if (file >= 0)
        close(file);
    return code;
}

int remove_temporary(OutputPlace &place)
{
    if (!place.temporary_name.empty())
        unlink(place.temporary_name.c_str());
    place.temporary_name.clear();
    const int file = std::exchange(place.temporary, -1);
    if (file >= 0)
        flock(file, LOCK_UN); // forked children have it, too
    return file >= 0 && close(file) != 0 ? errno : 0;
}

int write_some(int descriptor, const char *data, size_t size)
{
    for (;;) {
        const ssize_t written = ::write(descriptor, data, size);
        if (written > 0)
            return static_cast<int>(written);
        if (written == 0)
            errno = EIO;
        if (written < 0 && errno == EINTR)
            continue;
        pollfd ready = {descriptor, POLLOUT, 0};
        if (errno != EAGAIN || (poll(&ready, 1, -1) < 0 && errno != EINTR))
            return -1;
    }
}

int synchronise(int descriptor)
{
    // Some file systems cannot do it, and devices have nothing to do.
    const bool has_failed = fsync(descriptor) != 0;
    return has_failed && (errno == EIO || errno == ENOSPC || errno == EDQUOT) ? errno : 0;
}

int make_folder(const std::string &folder)
{
    return mkdir(folder.c_str(), kFolderMode) == 0 ? 0 : errno;
}

bool is_folder(const std::string &path)
{
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

} // namespace vmafgpu
