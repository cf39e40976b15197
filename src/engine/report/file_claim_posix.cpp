// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_claim.h. What a path means on POSIX.
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "report/file_claim.h"

namespace vmafgpu {

namespace {

constexpr int kMaxLinks = 40;

/// Folder part with its '/', or "".
std::string folder_of(const std::string &path)
{
    return path.substr(0, name_begin(path));
}

/// Of a name in a folder; "": of the folder.
FileId id_of(int folder, const std::string &name)
{
    struct statx info = {};
    const int flags = name.empty() ? AT_EMPTY_PATH : 0;
    if (statx(folder, name.c_str(), flags, STATX_BASIC_STATS | STATX_BTIME, &info) != 0)
        return {};
    const bool knows = (info.stx_mask & STATX_BTIME) != 0;
    return {makedev(info.stx_dev_major, info.stx_dev_minor), info.stx_ino,
            knows ? info.stx_btime.tv_sec * 1000000000 + info.stx_btime.tv_nsec : 0};
}

} // namespace

FileId file_id(const FileTarget &target)
{
    return id_of(target.folder, target.name);
}

FileId folder_id(const FileTarget &target)
{
    return id_of(target.folder, "");
}

bool is_same_name(const std::string &a, const std::string &b)
{
    return a == b;
}

size_t name_begin(const std::string &path)
{
    return path.rfind('/') + 1; // npos + 1 is 0
}

FileTarget::~FileTarget()
{
    if (folder >= 0)
        close(folder);
}

FileTarget::FileTarget(FileTarget &&other) noexcept
    : folder(std::exchange(other.folder, -1)), name(std::move(other.name)),
      is_there(other.is_there), info(other.info)
{
}

FileTarget &FileTarget::operator=(FileTarget &&other) noexcept
{
    std::swap(folder, other.folder);
    name = std::move(other.name);
    is_there = other.is_there;
    info = other.info;
    return *this;
}

bool is_descriptor_path(const std::string &path)
{
    return path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/", 0) == 0;
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
        path = next[0] == '/' ? next : folder_of(path).append(next);
    }
    return ELOOP;
}

int find_target(const std::string &path, FileTarget &target)
{
    const std::string folder = folder_of(path);
    FileTarget found;
    found.name = path.substr(folder.size());
    if (found.name.empty() || found.name == "." || found.name == "..")
        return EISDIR;
    found.folder = open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (found.folder < 0)
        return errno;
    found.is_there = fstatat(found.folder, found.name.c_str(), &found.info, 0) == 0;
    if (!found.is_there && errno != ENOENT)
        return errno;
    target = std::move(found);
    return 0;
}

} // namespace vmafgpu
