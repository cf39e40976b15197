// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_claim.h.
#include "report/file_claim.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <mutex>
#include <utility>
#include <vector>

namespace vmafgpu {

namespace {

constexpr int kMaxLinks = 40;

/// A name in a folder, and the file that it is: hard links and bind mounts are other names of it.
struct Claim {
    unsigned number;
    FileId folder;
    std::string name;
    FileId file;
};

struct Claims {
    std::mutex mutex;
    std::vector<Claim> list;
    unsigned last = 0;
};

/// Never destroyed: filters may end after the destructors of static objects.
Claims &claims()
{
    static auto *const all = new Claims;
    return *all;
}

/// Folder part with its '/', or "".
std::string folder_of(const std::string &path)
{
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

bool is_same(const FileId &a, const FileId &b)
{
    return a.inode != 0 && a.inode == b.inode && a.device == b.device && a.born == b.born;
}

bool is_same(const Claim &a, const Claim &b)
{
    return is_same(a.file, b.file) || (is_same(a.folder, b.folder) && a.name == b.name);
}

} // namespace

FileId file_id(int folder, const std::string &name)
{
    struct statx info = {};
    const int flags = name.empty() ? AT_EMPTY_PATH : 0;
    if (statx(folder, name.c_str(), flags, STATX_BASIC_STATS | STATX_BTIME, &info) != 0)
        return {};
    const bool knows = (info.stx_mask & STATX_BTIME) != 0;
    return {makedev(info.stx_dev_major, info.stx_dev_minor), info.stx_ino,
            knows ? info.stx_btime.tv_sec * 1000000000 + info.stx_btime.tv_nsec : 0};
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

std::string numbered_path(const std::string &path, int number)
{
    const std::string folder = folder_of(path);
    const std::string name = path.substr(folder.size());
    const size_t dot = name.rfind('.');
    const size_t stem = dot == std::string::npos || dot == 0 ? name.size() : dot;
    const std::string end = "." + std::to_string(number) + name.substr(stem);
    const size_t room = end.size() < NAME_MAX ? NAME_MAX - end.size() : 1;
    return folder + name.substr(0, std::min(stem, room)) + end;
}

bool FileClaim::take(const FileTarget &target)
{
    Claims &all = claims();
    const std::lock_guard<std::mutex> lock(all.mutex);
    // Looked up under the lock: other jobs may just have replaced the file.
    Claim claim = {all.last + 1, file_id(target.folder, ""), target.name,
                   file_id(target.folder, target.name)};
    for (const Claim &other : all.list)
        if (is_same(claim, other))
            return false;
    all.list.push_back(std::move(claim));
    number_ = ++all.last;
    return true;
}

void FileClaim::renew(const FileTarget &target)
{
    Claims &all = claims();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (Claim &claim : all.list)
        if (number_ != 0 && claim.number == number_)
            claim.file = file_id(target.folder, target.name);
}

void FileClaim::release()
{
    if (number_ == 0)
        return;
    Claims &all = claims();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const unsigned number = std::exchange(number_, 0U);
    all.list.erase(std::remove_if(all.list.begin(), all.list.end(),
                                  [&](const Claim &claim) { return claim.number == number; }),
                   all.list.end());
}

} // namespace vmafgpu
