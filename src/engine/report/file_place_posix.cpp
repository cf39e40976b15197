// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_place.h. A temporary file with a name is locked while its process lives: so a later run
// knows which ones were left behind.
#include "report/file_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/system.h"

namespace vmafgpu {

namespace {

constexpr char kPrefix[] = ".vmaf_gpu_log.";
constexpr int kTries = 100;                 // of finding a free temporary name
constexpr unsigned kMountRoot = 0x00002000; // STATX_ATTR_MOUNT_ROOT, since Linux 5.8
constexpr size_t kChunk = size_t{1} << 16;

std::string temporary_name()
{
    static std::atomic<unsigned> counter{0};
    // A name of its own length: the target's may be as long as names can be.
    return kPrefix + std::to_string(getpid()) + "." + std::to_string(counter++);
}

std::string descriptor_path(int descriptor)
{
    return "/proc/self/fd/" + std::to_string(descriptor);
}

bool is_mount(const FileTarget &target)
{
    struct statx info = {};
    if (statx(target.folder, target.name.c_str(), 0, STATX_BASIC_STATS, &info) == 0 &&
        (info.stx_attributes & kMountRoot) != 0)
        return true;
    struct stat folder = {};
    return fstat(target.folder, &folder) == 0 && folder.st_dev != target.info.st_dev;
}

/// Access lists and the like; a new file gets the security labels of its folder.
bool has_attributes(const FileTarget &target)
{
    const std::string path = descriptor_path(target.folder) + "/" + target.name;
    std::vector<char> names(size_t{1} << 16);
    const ssize_t size = listxattr(path.c_str(), names.data(), names.size());
    for (ssize_t at = 0; at < size; at += static_cast<ssize_t>(std::strlen(&names[at])) + 1)
        if (std::strncmp(&names[static_cast<size_t>(at)], "security.", 9) != 0)
            return true;
    return false;
}

bool is_sticky(const FileTarget &target)
{
    struct stat folder = {};
    const uid_t user = geteuid();
    return fstat(target.folder, &folder) == 0 && (folder.st_mode & S_ISVTX) != 0 && user != 0 &&
           user != folder.st_uid && user != target.info.st_uid;
}

int open_nameless(int folder)
{
    const int file = above_standard(openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
    // Without /proc it could never get a name.
    if (file < 0 || access(descriptor_path(file).c_str(), F_OK) == 0)
        return file;
    close(file);
    return -1;
}

int open_named(int folder, std::string &name)
{
    for (int i = 0; i < kTries; ++i) {
        const std::string free = temporary_name();
        const int file = above_standard(
            openat(folder, free.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (file < 0 && errno != EEXIST)
            return -1;
        if (file < 0)
            continue;
        struct stat info = {};
        flock(file, LOCK_EX);
        if (fstat(file, &info) == 0 && info.st_nlink > 0) {
            name = free;
            return file;
        }
        close(file); // another process has just taken it for a stale one
    }
    errno = EEXIST;
    return -1;
}

int write_at(int file, const char *data, size_t size, off_t at)
{
    while (size > 0) {
        const ssize_t written = pwrite(file, data, size, at);
        if (written < 0 && errno != EINTR)
            return errno;
        const size_t done = written < 0 ? 0 : static_cast<size_t>(written);
        data += done;
        size -= done;
        at += static_cast<off_t>(done);
    }
    return 0;
}

/// Gives a file without a name one. *name is "" if it is the target's own.
int link_nameless(const FileTarget &target, int file, std::string &name)
{
    const std::string from = descriptor_path(file);
    if (linkat(AT_FDCWD, from.c_str(), target.folder, target.name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (errno != EEXIST)
        return errno;
    flock(file, LOCK_EX);
    for (int i = 0; i < kTries; ++i) {
        const std::string free = temporary_name();
        if (linkat(AT_FDCWD, from.c_str(), target.folder, free.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            name = free;
            return 0;
        }
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/// For file systems that make files without a name, but cannot name them later.
/// copy: open, so that it is locked until the caller closes it; -1: there is none.
int copy_to_named(int folder, int file, std::string &name, int &copy)
{
    struct stat info = {};
    copy = fstat(file, &info) == 0 ? open_named(folder, name) : -1;
    if (copy < 0)
        return errno;
    int code = copy_owner(info, copy) ? copy_content(file, copy) : EPERM;
    if (code == 0 && fsync(copy) != 0 && errno == EIO)
        code = EIO;
    if (code != 0)
        unlinkat(folder, name.c_str(), 0);
    return code;
}

} // namespace

std::string reason_to_stay(const FileTarget &target)
{
    if (is_mount(target))
        return "it is a mount point";
    if (target.info.st_nlink > 1)
        return "it has several names (hard links)";
    if (is_sticky(target))
        return "its folder lets only the owner replace it (sticky bit)";
    return has_attributes(target) ? "it has extended attributes" : "";
}

int open_temporary(int folder, std::string &name)
{
    name.clear();
    const int file = open_nameless(folder);
    return file >= 0 ? file : open_named(folder, name);
}

static int open_any_spool(int folder)
{
    int file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    for (const char *place : {"/tmp", "/var/tmp"}) {
        if (file >= 0)
            return file;
        file = open(place, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        std::string name = std::string(place) + "/vmaf_gpu_XXXXXX";
        if (file < 0 && (file = mkostemp(name.data(), O_CLOEXEC)) >= 0)
            unlink(name.c_str());
    }
    return file >= 0 ? file : memfd_create("vmaf_gpu", MFD_CLOEXEC);
}

int open_spool(int folder)
{
    return above_standard(open_any_spool(folder));
}

bool copy_owner(const struct stat &from, int file)
{
    struct stat own = {};
    if (fstat(file, &own) != 0)
        return false;
    if ((own.st_uid != from.st_uid || own.st_gid != from.st_gid) &&
        fchown(file, from.st_uid, from.st_gid) != 0)
        return false;
    return fchmod(file, from.st_mode & 07777) == 0;
}

int rename_temporary(const FileTarget &target, int file, std::string &name)
{
    int code = 0;
    int copy = -1; // without its lock, another process would take it for a stale one
    if (name.empty()) {
        code = link_nameless(target, file, name);
        if (code == 0 && name.empty())
            return 0;
        if (code != 0 && copy_to_named(target.folder, file, name, copy) == 0)
            code = 0;
    }
    if (code == 0 &&
        renameat(target.folder, name.c_str(), target.folder, target.name.c_str()) != 0) {
        code = errno;
        unlinkat(target.folder, name.c_str(), 0);
    }
    name.clear();
    if (copy >= 0)
        close(copy);
    return code;
}

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

int lock_file(int file)
{
    constexpr int kLockTries = 500;
    constexpr timespec kPause = {0, 20000000};
    for (int i = 0; i < kLockTries; ++i) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return 0; // this file system has no locks
        nanosleep(&kPause, nullptr);
    }
    return EBUSY;
}

int copy_content(int from, int to)
{
    struct stat source = {};
    struct stat old = {};
    if (fstat(from, &source) != 0 || fstat(to, &old) != 0)
        return errno;
    if (source.st_size > old.st_size) { // room first
        const int code = posix_fallocate(to, old.st_size, source.st_size - old.st_size);
        if (code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO)
            return ftruncate(to, old.st_size) == 0 ? code : errno;
    }
    std::vector<char> chunk(kChunk);
    for (off_t at = 0; at < source.st_size;) {
        const ssize_t size = pread(from, chunk.data(), chunk.size(), at);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size < 0 ? errno : EIO;
        if (const int code = write_at(to, chunk.data(), static_cast<size_t>(size), at))
            return code;
        at += size;
    }
    return ftruncate(to, source.st_size) == 0 ? 0 : errno;
}

std::mutex &look_mutex()
{
    static auto *const mutex = [] {
        around_fork([] { look_mutex().lock(); }, [] { look_mutex().unlock(); });
        return new std::mutex; // never destroyed: filters may end after static objects
    }();
    return *mutex;
}

void remove_stale_temporaries(int folder)
{
    const std::lock_guard<std::mutex> lock(look_mutex());
    const int list = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const entries = list < 0 ? nullptr : fdopendir(list);
    if (entries == nullptr) {
        if (list >= 0)
            close(list);
        return;
    }
    while (const dirent *entry = readdir(entries)) {
        if (std::strncmp(entry->d_name, kPrefix, sizeof(kPrefix) - 1) != 0)
            continue;
        const int file =
            openat(folder, entry->d_name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        struct stat info = {};
        if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
            info.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0)
            unlinkat(folder, entry->d_name, 0);
        if (file >= 0)
            close(file);
    }
    closedir(entries);
}

} // namespace vmafgpu
