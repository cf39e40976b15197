// SPDX-License-Identifier: BSD-2-Clause-Patent
// See output_place.h: the order of steps, which is the same on all systems.
#include "report/output_place.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/system.h"
#include "report/file_guard.h"

namespace vmafgpu {

namespace {

constexpr char kPrefix[] = ".vmaf_gpu_log.";
constexpr size_t kLongestName = 255; // NAME_MAX, and what Windows allows
constexpr size_t kChunk = size_t{1} << 16;

/// Held while files are open that may not stay so, and by those who ask which files are open.
std::mutex &places_mutex()
{
    static std::mutex mutex;
    static const bool is_registered =
        (around_fork([] { places_mutex().lock(); }, [] { places_mutex().unlock(); }), true);
    static_cast<void>(is_registered);
    return mutex;
}

/// Files that this process keeps. Never destroyed: filters may end after static objects.
std::vector<FileId> &kept_files()
{
    static auto *const files = new std::vector<FileId>;
    return *files;
}

bool is_kept(const FileId &id)
{
    const std::vector<FileId> &kept = kept_files();
    return id.is_there() && std::find(kept.begin(), kept.end(), id) != kept.end();
}

int shut(int &descriptor)
{
    const int closing = std::exchange(descriptor, -1);
    return closing >= 0 && close(closing) != 0 ? errno : 0;
}

/// The first failure of closing what was written.
int drop(OutputPlace &place)
{
    remove_temporary(place);
    unlock(place);
    const int code = shut(place.temporary);
    const int target_code = shut(place.target);
    shut(place.folder);
    place.old = {};
    return code != 0 ? code : target_code;
}

int lock_name(OutputPlace &place)
{
    if (const int code = follow_links(place.path))
        return code;
    if (const int code = find_folder(place))
        return code;
    if (const int code = lock_target(place))
        return code;
    if (is_kept(place.old))
        return EBUSY;
    place.temporary_code = lock_temporary(place);
    // Another output may have ended between the two.
    const bool is_mine = place.temporary_code != EBUSY && id_of(place) == place.old;
    return is_mine ? 0 : EBUSY;
}

/// The file that has the name now has come since it was taken, or is no log now.
bool is_of_others(const OutputPlace &place, const FileId &now)
{
    return now.is_there() && (!(now == place.old) ||
                              !overwrite_refusal(open_existing(place), place.accepts_any).empty());
}

int copy_into_target(const OutputPlace &place)
{
    const auto size = lseek(place.temporary, 0, SEEK_END);
    const auto old = lseek(place.target, 0, SEEK_END);
    if (old < 0 || lseek(place.temporary, 0, SEEK_SET) != 0)
        return errno;
    if (const int code = size > old ? reserve(place.target, old, size) : 0)
        return ftruncate(place.target, old) == 0 ? code : errno;
    std::vector<char> chunk(kChunk);
    for (int64_t at = 0; at < size;) {
        const auto got = read(place.temporary, chunk.data(), kChunk);
        if (got <= 0)
            return got < 0 ? errno : EIO;
        if (const int code = write_at(place.target, at, chunk.data(), static_cast<size_t>(got)))
            return code;
        at += got;
    }
    return ftruncate(place.target, size) == 0 ? synchronise(place.target) : errno;
}

int put_content(OutputPlace &place, const FileId &now)
{
    const bool is_old = now.is_there() && now == place.old;
    if (place.in_place.empty() || !is_old) {
        const int code = rename_temporary(place, now.is_there());
        if (code == 0 || place.temporary_name.empty() || !is_old)
            return code;
    }
    return copy_into_target(place);
}

} // namespace

OutputPlace::~OutputPlace()
{
    const std::lock_guard<std::mutex> lock(places_mutex());
    drop(*this);
}

std::string temporary_name(const std::string &name)
{
    const std::string result = kPrefix + name;
    return result.size() <= kLongestName ? result
                                         : kPrefix + std::to_string(std::hash<std::string>()(name));
}

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

int take_place(OutputPlace &place, const std::string &path, bool may_overwrite, std::string &reason)
{
    const std::lock_guard<std::mutex> lock(places_mutex());
    place.path = path;
    int code = lock_name(place);
    if (code == 0 && !may_overwrite && place.old.is_there()) {
        reason = is_open_here(place) ? "this process has the file open, as input or output"
                                     : overwrite_refusal(open_existing(place), place.accepts_any);
        code = reason.empty() ? 0 : EEXIST;
    }
    if (code != 0)
        drop(place);
    return code;
}

int begin_in_place(OutputPlace &place)
{
    const std::lock_guard<std::mutex> lock(places_mutex());
    int code = 0;
    if (place.target < 0)
        code = place.temporary_code != 0 ? place.temporary_code : make_target(place);
    else if (ftruncate(place.target, 0) != 0)
        code = errno;
    remove_temporary(place);
    shut(place.temporary);
    return code;
}

int finish_place(OutputPlace &place, bool may_overwrite, bool may_number)
{
    const std::lock_guard<std::mutex> lock(places_mutex());
    const std::string asked = place.path;
    if (const int code = synchronise(place.temporary))
        return code;
    for (int number = 1;; ++number) {
        const FileId now = id_of(place);
        const bool is_free = may_overwrite || !is_of_others(place, now);
        const int code = is_free ? put_content(place, now) : EEXIST;
        if (code != EEXIST || !may_number)
            return code;
        place.path = numbered_path(asked, number);
    }
}

int make_folders(const std::string &folder)
{
    const size_t begin = name_begin(folder);
    if (begin > 1 && !is_folder(folder.substr(0, begin - 1)))
        make_folders(folder.substr(0, begin - 1));
    return make_folder(folder);
}

int close_place(OutputPlace &place, bool keeps_name)
{
    const std::lock_guard<std::mutex> lock(places_mutex());
    if (keeps_name && !place.path.empty())
        kept_files().push_back(id_of(place));
    return drop(place);
}

} // namespace vmafgpu
