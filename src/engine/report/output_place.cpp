// SPDX-License-Identifier: BSD-2-Clause-Patent
// See output_place.h: the order of steps, which is the same on all systems.
#include "report/output_place.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/system.h"

namespace vmafgpu {

namespace {

using namespace std::string_view_literals;

constexpr char kPrefix[] = ".vmaf_gpu_log.";
constexpr size_t kLongestName = 255; // NAME_MAX, and what Windows allows
constexpr size_t kChunk = size_t{1} << 16;

constexpr size_t kBegin = 512; // of a file, to see what it is

struct Log {
    std::string_view begin, then; ///< without spaces and ends of lines; then: somewhere behind it
};

constexpr Log kLogs[] = {
    {"<VMAFversion="sv, ""sv}, // XML
    {"<?xml"sv, "<VMAFversion="sv},
    {"{\"version\":\""sv, "\"fps\":"sv},         // JSON
    {"{\"version\":\""sv, "\"frames\":["sv},     // of libvmaf 2.0
    {"{\"version\":\""sv, "\"scaledWidth\":"sv}, // of libvmaf 1
    {"{\"schema\":\"vmaf_gpu.part/"sv, ""sv},
    {"{"sv, "}frame:"sv}, // SUB
    {"{"sv, "}incomplete:"sv},
    {"Frame,"sv, ""sv}, // CSV
    {"n:"sv, "pts:"sv}, // statistics
    {"<!DOCTYPEhtml>"sv, ":root{color-scheme:lightdark;--page:"sv},
};

bool is_log(std::string begin)
{
    const auto is_space = [](char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    };
    begin.erase(std::remove_if(begin.begin(), begin.end(), is_space), begin.end());
    return std::any_of(std::begin(kLogs), std::end(kLogs), [&begin](const Log &log) {
        return begin.rfind(log.begin, 0) == 0 && begin.find(log.then) != std::string::npos;
    });
}

/// Of a file that is open, and which it closes: why a log, a page, statistics or a part must not
/// replace it, in words. "": it may be replaced, for it is empty, one of these, of this program or
/// of libvmaf, or cannot be read.
std::string overwrite_refusal(int descriptor)
{
    if (descriptor < 0)
        return "";
    std::string begin(kBegin, '\0');
    const auto size = read(descriptor, begin.data(), begin.size());
    close(descriptor);
    begin.resize(size > 0 ? static_cast<size_t>(size) : 0);
    if (begin.empty() || is_log(begin))
        return "";
    begin = begin.substr(0, std::min(begin.find_first_of("\r\n"), size_t{24}));
    for (char &c : begin)
        c = c >= ' ' && c <= '~' ? c : '?';
    return "it is no log, but a file that begins with '" + begin + "'";
}

/// Held while files are open that may not stay so, and by those who ask which files are open.
std::mutex &places_mutex()
{
    static std::mutex mutex;
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

/// The first failure of closing what was written.
int drop(OutputPlace &place)
{
    const int target = std::exchange(place.target, -1);
    const int target_code = target >= 0 && close(target) != 0 ? errno : 0;
    const int code = remove_temporary(place);
    place.in_place.clear();
    return code != 0 ? code : target_code;
}

/// Whether the old file could be written.
int try_target(const OutputPlace &place)
{
    const int file = open_target(place);
    return file < 0 || close(file) != 0 ? errno : 0;
}

int lock_name(OutputPlace &place)
{
    if (const int code = follow_links(place.path))
        return code;
    if (place.path.size() - name_begin(place.path) > kLongestName)
        return ENAMETOOLONG;
    const int code = lock_temporary(place);
    if (code == EBUSY)
        return code;
    place.old = id_of(place.path);
    if (is_kept(place.old))
        return EBUSY;
    if (!place.old.is_there())
        return code;
    if (code != 0)
        place.in_place =
            "no file can be made in its folder: " + std::generic_category().message(code);
    return try_target(place);
}

int copy_into_target(OutputPlace &place)
{
    place.target = open_target(place);
    if (place.target < 0 || lseek(place.temporary, 0, SEEK_SET) != 0)
        return errno;
    std::vector<char> chunk(kChunk);
    int64_t size = 0;
    while (const auto got = read(place.temporary, chunk.data(), kChunk)) {
        if (got < 0)
            return errno;
        if (const int code = write_all(place.target, chunk.data(), static_cast<size_t>(got)))
            return code;
        size += got;
    }
    return ftruncate(place.target, size) == 0 ? synchronise(place.target) : errno;
}

int put_content(OutputPlace &place, bool may_overwrite)
{
    const bool is_old = place.old.is_there() && id_of(place.path) == place.old;
    if (is_old && !place.in_place.empty())
        return copy_into_target(place);
    const int code = rename_temporary(place, may_overwrite || is_old);
    const bool is_mount = code != 0 && is_old && !place.temporary_name.empty();
    return is_mount ? copy_into_target(place) : code;
}

} // namespace

OutputPlace::~OutputPlace()
{
    const std::lock_guard<std::mutex> lock(places_mutex());
    drop(*this);
}

std::string temporary_name(const std::string &path)
{
    const size_t begin = name_begin(path);
    const std::string name = path.substr(begin);
    const bool is_short = sizeof(kPrefix) - 1 + name.size() <= kLongestName;
    return path.substr(0, begin) + kPrefix +
           (is_short ? name : std::to_string(std::hash<std::string>()(name)));
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
        if (is_open_here(place.old))
            reason = "this process has the file open, as input or output";
        else if (!place.accepts_any)
            reason = overwrite_refusal(open_regular_input(place.path));
        code = reason.empty() ? 0 : EEXIST;
    }
    if (code != 0)
        drop(place);
    return code;
}

int begin_in_place(OutputPlace &place)
{
    place.target = open_target(place);
    return place.target < 0 || ftruncate(place.target, 0) != 0 ? errno : 0;
}

int prepare_content(OutputPlace &place)
{
    if (place.temporary < 0)
        return begin_in_place(place);
    place.in_place = reason_to_copy(place);
    return 0;
}

int finish_place(OutputPlace &place, bool may_overwrite, bool may_number, bool keeps_name)
{
    if (const int code = synchronise(place.descriptor()))
        return code;
    const std::lock_guard<std::mutex> lock(places_mutex());
    const std::string asked = place.path;
    for (int number = 1; place.target < 0; ++number) {
        const int code = put_content(place, may_overwrite);
        if (code == 0)
            break;
        if (code != EEXIST || !may_number)
            return code;
        place.path = numbered_path(asked, number);
    }
    const int code = drop(place);
    if (keeps_name)
        kept_files().push_back(id_of(place.path));
    return code;
}

int write_all(int descriptor, const char *data, size_t size)
{
    while (size > 0) {
        const int written = write_some(descriptor, data, size);
        if (written < 0)
            return errno;
        data += written;
        size -= static_cast<size_t>(written);
    }
    return 0;
}

int make_folders(const std::string &folder)
{
    const size_t begin = name_begin(folder);
    if (begin > 1 && !is_folder(folder.substr(0, begin - 1)))
        make_folders(folder.substr(0, begin - 1));
    return make_folder(folder);
}

int close_place(OutputPlace &place)
{
    const std::lock_guard<std::mutex> lock(places_mutex());
    return drop(place);
}

} // namespace vmafgpu
