// SPDX-License-Identifier: BSD-2-Clause-Patent
// See picture_disk.h. POSIX's half.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "report/file_place.h"
#include "report/picture_disk.h"

namespace vmafgpu {

namespace {

constexpr mode_t kFolderMode = 0770;

/// The same number in `descriptor` is the caller's to close, also after a failure.
int prepare(int descriptor)
{
    struct stat info = {};
    if (descriptor < 0 || fstat(descriptor, &info) != 0)
        return errno;
    if (!S_ISREG(info.st_mode))
        return EEXIST;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return EBUSY;
    return ftruncate(descriptor, 0) != 0 ? errno : 0;
}

} // namespace

int make_picture_folder(const std::string &folder, bool &is_other)
{
    int code = 0;
    for (size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
        code = mkdir(folder.substr(0, end).c_str(), kFolderMode) == 0 ? 0 : errno;
        if (end == std::string::npos)
            break;
    }
    struct stat info = {};
    if (stat(folder.c_str(), &info) != 0)
        return code != 0 ? code : errno;
    is_other = !S_ISDIR(info.st_mode);
    return 0;
}

int picture_kind_error(const FileTarget &target)
{
    if (!target.is_there || S_ISREG(target.info.st_mode))
        return 0;
    return S_ISDIR(target.info.st_mode) ? EISDIR : EEXIST;
}

int open_picture(const FileTarget &target, int &descriptor)
{
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    descriptor = above_standard(openat(target.folder, target.name.c_str(), flags, 0666));
    return prepare(descriptor);
}

int write_picture(int descriptor, int64_t offset, const char *data, size_t size)
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

int cut_picture(int descriptor, int64_t size)
{
    struct stat info = {};
    if (fstat(descriptor, &info) != 0 || (info.st_size > size && ftruncate(descriptor, size) != 0))
        return errno;
    return 0;
}

int close_picture(int descriptor)
{
    return ::close(descriptor) != 0 ? errno : 0;
}

} // namespace vmafgpu
