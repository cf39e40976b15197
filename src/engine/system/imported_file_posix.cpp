// SPDX-License-Identifier: BSD-2-Clause-Patent
// See imported_file.h. Linux's half.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"
#include "system/imported_file.h"

namespace vmafgpu {

ImportedFile::ImportedFile(int fd) : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 0))
{
    struct stat file = {};
    if (fd_ >= 0 && fstat(fd_, &file) == 0) {
        device_ = file.st_dev;
        inode_ = file.st_ino;
        return;
    }
    const int error = errno;
    if (fd_ >= 0)
        close(fd_);
    throw Error(EINVAL, "import of fd " + std::to_string(fd) + ": " + std::strerror(error));
}

ImportedFile::~ImportedFile()
{
    struct stat now = {};
    if (fd_ >= 0 && fstat(fd_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_)
        close(fd_);
}

} // namespace vmafgpu
