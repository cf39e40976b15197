// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_guard.h. How a file is looked at on POSIX.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <mutex>

#include "report/file_guard.h"
#include "report/file_place.h"

namespace vmafgpu {

namespace {

bool is_open_here(const struct stat &wanted)
{
    const std::lock_guard<std::mutex> lock(look_mutex());
    DIR *const folder = opendir("/proc/self/fd");
    if (folder == nullptr)
        return false;
    bool found = false;
    while (const dirent *entry = readdir(folder)) {
        // By name: another thread may close the descriptor meanwhile.
        struct stat info = {};
        if (entry->d_name[0] == '.' || fstatat(dirfd(folder), entry->d_name, &info, 0) != 0)
            continue;
        found = found || (info.st_dev == wanted.st_dev && info.st_ino == wanted.st_ino);
    }
    closedir(folder);
    return found;
}

std::string begin_of(const FileTarget &target)
{
    const int file = openat(target.folder, target.name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return "";
    std::array<char, kMediaBegin> bytes;
    const ssize_t size = pread(file, bytes.data(), bytes.size(), 0);
    close(file);
    return std::string(bytes.data(), size > 0 ? static_cast<size_t>(size) : 0);
}

} // namespace

bool is_media(const FileTarget &target)
{
    return is_media(begin_of(target));
}

std::string reason_to_keep(const FileTarget &target)
{
    if (!target.is_there || !S_ISREG(target.info.st_mode))
        return "";
    if (is_open_here(target.info))
        return "this process has the file open, as input or output";
    return is_media(target) ? "it is a video, picture or sound file" : "";
}

} // namespace vmafgpu
