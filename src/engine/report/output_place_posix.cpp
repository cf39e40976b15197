// SPDX-License-Identifier: BSD-2-Clause-Patent
// See output_place.h. POSIX's half: locks are flock()'s. On a file system without them, a temporary
// file that is there already counts as another output's.
#include "report/output_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <system_error>

namespace vmafgpu {

namespace {

constexpr int kMaxLinks = 40;
constexpr int kTries = 100; // of locking a temporary file that others remove meanwhile
constexpr mode_t kFolderMode = 0770;

std::string name_of(const OutputPlace &place)
{
    return place.path.substr(name_begin(place.path));
}

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

bool is_descriptor_path(const std::string &path)
{
    return path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/", 0) == 0;
}

/// The same file with a number above those of standard input, output and error. If these were
/// closed, what the program prints would go into the file. -1 stays -1.
int above_standard(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int code = errno;
    close(file);
    errno = code;
    return moved;
}

int open_in(const OutputPlace &place, const std::string &name, int flags)
{
    return above_standard(openat(place.folder, name.c_str(), flags | O_CLOEXEC, 0666));
}

/// Of a name in a folder; "": of the folder, or of any other descriptor.
FileId id_at(int folder, const char *name, int flags)
{
    struct statx info = {};
    if (statx(folder, name, flags, STATX_BASIC_STATS | STATX_BTIME, &info) != 0)
        return {};
    const bool has_birth_time = (info.stx_mask & STATX_BTIME) != 0;
    return {makedev(info.stx_dev_major, info.stx_dev_minor), info.stx_ino,
            has_birth_time ? info.stx_btime.tv_sec * 1000000000 + info.stx_btime.tv_nsec : 0};
}

FileId id_in(const OutputPlace &place, const std::string &name)
{
    return id_at(place.folder, name.c_str(), AT_SYMLINK_NOFOLLOW);
}

FileId id_of(int descriptor)
{
    return id_at(descriptor, "", AT_EMPTY_PATH);
}

/// A copy of the descriptor has the same position, so nothing overwrites what others print.
int copy_of_own(int own)
{
    if (own == STDOUT_FILENO)
        std::fflush(stdout); // what others printed comes first
    const int flags = fcntl(own, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_RDONLY)
        return fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    errno = EBADF;
    return -1;
}

/// O_NONBLOCK: a pipe that nobody reads yet does not stop the program.
int open_special(const std::string &path, bool is_fifo, int wait_ms)
{
    constexpr int kStep = 20;
    constexpr timespec kPause = {0, kStep * 1000000};
    for (;; wait_ms -= kStep) {
        const int file =
            above_standard(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
        if (file >= 0)
            fcntl(file, F_SETFL, O_APPEND);
        if (file >= 0 || errno != ENXIO || !is_fifo)
            return file;
        errno = EAGAIN;
        if (wait_ms <= 0 || nanosleep(&kPause, nullptr) != 0)
            return -1;
    }
}

int open_spool()
{
    const int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return above_standard(file >= 0 ? file : memfd_create("vmaf_gpu", MFD_CLOEXEC));
}

bool copy_owner(int from, int to)
{
    struct stat info = {};
    struct stat own = {};
    if (fstat(from, &info) != 0 || fstat(to, &own) != 0)
        return false;
    if ((own.st_uid != info.st_uid || own.st_gid != info.st_gid) &&
        fchown(to, info.st_uid, info.st_gid) != 0)
        return false;
    return fchmod(to, info.st_mode & 07777) == 0;
}

/// Without locks, only a new file is known to be nobody else's.
bool lock_file(int file, bool is_new)
{
    return flock(file, LOCK_EX | LOCK_NB) == 0 || (is_new && errno != EWOULDBLOCK);
}

std::string reason_to_copy(const OutputPlace &place)
{
    struct stat info = {};
    if (place.target < 0 || fstat(place.target, &info) != 0)
        return "";
    if (info.st_nlink > 1)
        return "it has several names (hard links)";
    if (place.temporary < 0)
        return "no file can be made in its folder: " +
               std::generic_category().message(place.temporary_code);
    return copy_owner(place.target, place.temporary)
               ? ""
               : "its owner or mode cannot be given to another file";
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
        if (is_descriptor_path(path))
            return 0;
        const ssize_t length = readlink(path.c_str(), link.data(), link.size());
        if (length < 0)
            return 0; // not a link, or not there
        if (static_cast<size_t>(length) == link.size())
            return ENAMETOOLONG;
        const std::string next(link.data(), static_cast<size_t>(length));
        path = next[0] == '/' ? next : path.substr(0, name_begin(path)).append(next);
    }
    return ELOOP;
}

int open_direct(const std::string &path, int wait_ms, bool &is_direct)
{
    const int own = path == "-" ? STDOUT_FILENO : own_descriptor(path);
    struct stat info = {};
    is_direct = own >= 0 || (stat(path.c_str(), &info) == 0 &&
                             (!S_ISREG(info.st_mode) || is_descriptor_path(path)));
    if (!is_direct)
        return -1;
    return own >= 0 ? copy_of_own(own) : open_special(path, S_ISFIFO(info.st_mode), wait_ms);
}

int find_folder(OutputPlace &place)
{
    const std::string name = name_of(place);
    if (name.empty() || name == "." || name == "..")
        return EISDIR;
    const size_t begin = name_begin(place.path);
    const std::string folder = begin == 0 ? "." : place.path.substr(0, begin);
    place.folder = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place.folder < 0) // it may be written, but not read
        place.folder = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    return place.folder < 0 ? errno : 0;
}

int lock_temporary(OutputPlace &place)
{
    const std::string name = temporary_name(name_of(place));
    for (int i = 0; i < kTries; ++i) {
        int file = open_in(place, name, O_RDWR | O_CREAT | O_EXCL);
        const bool is_new = file >= 0;
        if (!is_new && errno != EEXIST)
            return errno;
        if (!is_new)
            file = open_in(place, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
        if (file < 0) {
            if (errno == ENOENT)
                continue;
            return EBUSY;
        }
        const bool is_locked = lock_file(file, is_new);
        // Only who has the lock gives the name away.
        const bool is_named = is_locked && id_in(place, name) == id_of(file);
        if (is_named && is_new) {
            place.temporary = file;
            place.temporary_name = name;
            return 0;
        }
        if (is_named) // of a process that was killed
            unlinkat(place.folder, name.c_str(), 0);
        close(file);
        if (!is_locked && !is_new)
            return EBUSY;
    }
    return EBUSY;
}

int lock_target(OutputPlace &place)
{
    place.target = open_in(place, name_of(place), O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    if (place.target < 0)
        return errno == ENOENT ? 0 : errno;
    struct stat info = {};
    if (fstat(place.target, &info) != 0 || !S_ISREG(info.st_mode))
        return EEXIST;
    place.old = id_of(place.target);
    return flock(place.target, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? EBUSY : 0;
}

FileId id_of(const OutputPlace &place)
{
    return id_in(place, name_of(place));
}

bool is_open_here(const OutputPlace &place)
{
    DIR *const folder = opendir("/proc/self/fd");
    if (folder == nullptr)
        return false;
    bool found = false;
    while (const dirent *entry = readdir(folder)) {
        // By name: another thread may close the descriptor meanwhile.
        const bool is_other = entry->d_name[0] != '.' && std::atoi(entry->d_name) != place.target;
        found = found || (is_other && id_at(dirfd(folder), entry->d_name, 0) == place.old);
    }
    closedir(folder);
    return found;
}

int open_existing(const OutputPlace &place)
{
    return open_in(place, name_of(place), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

int make_target(OutputPlace &place)
{
    place.target = open_in(place, name_of(place), O_WRONLY | O_CREAT | O_EXCL);
    if (place.target < 0)
        return errno;
    flock(place.target, LOCK_EX | LOCK_NB);
    return 0;
}

int prepare_content(OutputPlace &place)
{
    place.in_place = reason_to_copy(place);
    if (place.temporary >= 0)
        return 0;
    if (place.target < 0)
        return place.temporary_code;
    place.temporary = open_spool();
    return place.temporary < 0 ? errno : 0;
}

int rename_temporary(OutputPlace &place, bool may_replace)
{
    if (place.temporary_name.empty())
        return place.temporary_code;
    const char *const from = place.temporary_name.c_str();
    const std::string to = name_of(place);
    const unsigned flags = may_replace ? 0 : RENAME_NOREPLACE;
    if (renameat2(place.folder, from, place.folder, to.c_str(), flags) != 0 &&
        (may_replace || (errno != EINVAL && errno != ENOSYS) || // some file systems know no flags
         renameat(place.folder, from, place.folder, to.c_str()) != 0))
        return errno;
    place.temporary_name.clear();
    return synchronise(place.folder);
}

int reserve(int descriptor, int64_t old_size, int64_t size)
{
    const int code = posix_fallocate(descriptor, old_size, size - old_size);
    return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO ? code : 0;
}

void remove_temporary(OutputPlace &place)
{
    if (!place.temporary_name.empty())
        unlinkat(place.folder, place.temporary_name.c_str(), 0);
    place.temporary_name.clear();
}

void unlock(const OutputPlace &place)
{
    for (const int file : {place.temporary, place.target})
        if (file >= 0 && !place.path.empty())
            flock(file, LOCK_UN);
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

int write_at(int descriptor, int64_t offset, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = pwrite(descriptor, data, size, offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        data += written;
        offset += written;
        size -= static_cast<size_t>(written);
    }
    return 0;
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
