// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_claim.h. What a path means is in file_claim_posix.cpp and file_claim_windows.cpp.
#include "report/file_claim.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/system.h"

namespace vmafgpu {

namespace {

constexpr size_t kLongestName = 255; // NAME_MAX, and what Windows allows

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
    static auto *const all = [] {
        around_fork([] { claims().mutex.lock(); }, [] { claims().mutex.unlock(); });
        return new Claims;
    }();
    return *all;
}

bool is_same(const FileId &a, const FileId &b)
{
    return a.inode != 0 && a.inode == b.inode && a.device == b.device && a.born == b.born;
}

bool is_same(const Claim &a, const Claim &b)
{
    return is_same(a.file, b.file) || (is_same(a.folder, b.folder) && is_same_name(a.name, b.name));
}

} // namespace

std::string numbered_path(const std::string &path, int number)
{
    const std::string folder = path.substr(0, name_begin(path));
    const std::string name = path.substr(folder.size());
    const size_t dot = name.rfind('.');
    const size_t stem = dot == std::string::npos || dot == 0 ? name.size() : dot;
    const std::string end = "." + std::to_string(number) + name.substr(stem);
    const size_t room = end.size() < kLongestName ? kLongestName - end.size() : 1;
    return folder + name.substr(0, std::min(stem, room)) + end;
}

bool FileClaim::take(const FileTarget &target)
{
    Claims &all = claims();
    const std::lock_guard<std::mutex> lock(all.mutex);
    // Looked up under the lock: other jobs may just have replaced the file.
    Claim claim = {all.last + 1, folder_id(target), target.name, file_id(target)};
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
            claim.file = file_id(target);
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
