// SPDX-License-Identifier: BSD-2-Clause-Patent
// ReportFile: its buffer, the order of steps, and what is said of failures. It uses file
// descriptors instead of stdio, so that every failure is seen where it happens, and standard output
// shares no buffer with other code.
#include "output/report_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "output/output_system.h"
#include "system/system.h"

namespace vmafgpu {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr size_t kBufferSize = size_t{1} << 18;
constexpr size_t kChunk = size_t{1} << 16;
constexpr size_t kLongestName = 255; // NAME_MAX, and what Windows allows
constexpr size_t kMarkBytes = 512;   // bytes of a file that show what it is

struct LogMark {
    std::string_view begin, then; ///< without spaces and ends of lines; then: somewhere behind it
};

constexpr LogMark kLogs[] = {
    {"<VMAFversion="sv, ""sv},               // XML
    {"{\"version\":\""sv, "\"fps\":"sv},     // JSON
    {"{\"version\":\""sv, "\"frames\":["sv}, // JSON of libvmaf 2.0
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
    return std::any_of(std::begin(kLogs), std::end(kLogs), [&begin](const LogMark &log) {
        return begin.rfind(log.begin, 0) == 0 && begin.find(log.then) != std::string::npos;
    });
}

/// Why a log, a page, statistics or a part must not replace a file that begins so, in words. "": it
/// may be replaced, for it is empty or one of these, of this program or of libvmaf.
std::string overwrite_refusal(std::string begin)
{
    if (begin.empty() || is_log(begin))
        return "";
    begin = begin.substr(0, std::min(begin.find_first_of("\r\n"), size_t{24}));
    for (char &c : begin)
        c = c >= ' ' && c <= '~' ? c : '?';
    return "it is no log, but a file that begins with '" + begin + "'";
}

/// Held while files are open that may not stay so, and by those who ask which files are open.
std::mutex &files_mutex()
{
    static std::mutex mutex;
    return mutex;
}

/// Incomplete files, which this process keeps. Never destroyed: filters may end after static
/// objects.
std::set<fs::path> &kept_files()
{
    static auto *const files = new std::set<fs::path>;
    return *files;
}

/// One for all spellings.
fs::path whole_path(const std::string &path)
{
    std::error_code none;
    return fs::weakly_canonical(fs::u8path(path), none);
}

std::string text_of(int code)
{
    return std::generic_category().message(code);
}

/// The place where the last component of a path begins.
size_t name_begin(const std::string &path)
{
    return path.find_last_of(system_word("/", "/\\:")) + 1; // npos + 1 is 0
}

/// "folder/name.ext" -> "folder/.vmaf_gpu_log.name.ext". A long name loses its beginning.
std::string temporary_name(const std::string &path)
{
    const std::string prefix = ".vmaf_gpu_log.";
    const size_t begin = name_begin(path), size = path.size() - begin;
    const size_t most = kLongestName - prefix.size();
    return path.substr(0, begin) + prefix + path.substr(path.size() - std::min(size, most));
}

/// "folder/name.ext" -> "folder/name.<number>.ext"
std::string numbered_path(const std::string &path, int number)
{
    const size_t begin = name_begin(path), dot = path.rfind('.');
    const size_t end = dot == std::string::npos || dot <= begin ? path.size() : dot;
    return path.substr(0, end) + "." + std::to_string(number) + path.substr(end);
}

int write_all(int descriptor, const char *data, size_t size)
{
    constexpr size_t kMost = size_t{1} << 20;
    while (size > 0) {
        const auto written =
            ::write(descriptor, data, static_cast<unsigned>(std::min(size, kMost)));
        if (written > 0) {
            data += written;
            size -= static_cast<size_t>(written);
        } else if (written < 0 && errno == EAGAIN) { // a pipe that may not wait itself
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } else if (written == 0 || errno != EINTR) {
            return written == 0 ? EIO : errno;
        }
    }
    return 0;
}

} // namespace

void ReportFile::refuse(int code, const std::string &reason) const
{
    throw Error(code, "cannot write " + kind_ + " '" + path_ + "': " + reason);
}

void ReportFile::check(int code) const
{
    if (code != 0)
        refuse(code, text_of(code));
}

ReportFile::ReportFile(const FileOptions &options, const std::string &path)
    : options_(options), kind_(options.kind), path_(path)
{
}

/// Calls the other constructor, so that the destructor is called if this one throws.
ReportFile::ReportFile(const std::string &path, const FileOptions &options)
    : ReportFile(options, path)
{
    if (path_.empty())
        throw Error(ENOENT, "cannot open " + kind_ + " '': it has no name");
    for (int number = 1;; ++number) {
        bool is_direct = false;
        name_ = path_;
        target_ = open_direct(name_, is_direct);
        check(is_direct && target_ < 0 ? errno : 0);
        if (is_direct)
            return;
        if (take())
            break;
        if (!options_.may_number)
            refuse(EBUSY, "another output has this name");
        path_ = numbered_path(path, number);
    }
    is_copied_ = !is_new_ && !is_made_alike(temporary_, name_);
    if (!options_.is_live && !options_.is_raw)
        return;
    target_ = open_target(name_, is_new_);
    check(target_ < 0 ? errno : 0);
    if (options_.is_live)
        cut(0);
}

ReportFile::~ReportFile()
{
    const std::lock_guard<std::mutex> lock(files_mutex());
    release();
}

/// Locks the name; nothing is changed in the file that is there. Returns false if another output
/// has it.
bool ReportFile::take()
{
    const std::lock_guard<std::mutex> lock(files_mutex());
    const std::string temporary = temporary_name(name_);
    temporary_ = open_locked(temporary);
    const int code = temporary_ < 0 ? errno : 0;
    std::error_code none;
    const bool is_there = fs::exists(fs::u8path(name_), none);
    if (code == EBUSY)
        return false;
    if (code != 0 && fs::exists(fs::symlink_status(fs::u8path(temporary), none)))
        refuse(code, "'" + temporary + "', left by another run, is in its way: " + text_of(code));
    if (code != 0)
        refuse(code, (is_there ? "no file can be made in its folder: " : "") + text_of(code));
    temporary_name_ = temporary;
    if (is_there && !options_.is_again && kept_files().count(whole_path(name_)) > 0) {
        release();
        return false;
    }
    std::string reason;
    const int old_code = look_at_old(reason);
    if (!reason.empty())
        refuse(old_code,
               reason + (options_.is_raw ? "; name another folder"
                                         : "; to replace it, set overwrite=1 (--overwrite)"));
    check(old_code);
    return true;
}

/// Whether the file of that name may be replaced, or there is none. reason: why not, in words, if
/// there is more to say than the code.
int ReportFile::look_at_old(std::string &reason)
{
    const bool is_open = !options_.may_overwrite && is_open_here(name_);
    const int old = open_target(name_, false);
    is_new_ = old < 0 && errno == ENOENT;
    if (old < 0)
        return is_new_ ? 0 : errno;
    std::string begin(kMarkBytes, '\0');
    const auto size = read(old, begin.data(), static_cast<unsigned>(begin.size()));
    ::close(old);
    begin.resize(size > 0 ? static_cast<size_t>(size) : 0);
    if (is_open)
        reason = "this process has the file open, as input or output";
    else if (!options_.may_overwrite && !options_.is_raw)
        reason = overwrite_refusal(std::move(begin));
    return reason.empty() ? 0 : EEXIST;
}

void ReportFile::flush()
{
    if (lost_code_ == 0)
        lost_code_ = write_all(target_ >= 0 ? target_ : temporary_, buffer_.data(), buffer_.size());
    buffer_.clear();
    check(lost_code_);
}

void ReportFile::write(std::string_view text)
{
    buffer_.append(text);
    if (options_.is_live || buffer_.size() > kBufferSize)
        flush();
}

void ReportFile::write(int64_t offset, const void *data, size_t size)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    check(lseek(target_, offset, SEEK_SET) < 0
              ? errno
              : write_all(target_, static_cast<const char *>(data), size));
}

void ReportFile::cut(int64_t size)
{
    const auto now = lseek(target_, 0, SEEK_END);
    check(now < 0 || (now > size && ftruncate(target_, size) != 0) ? errno : 0);
    check(lseek(target_, 0, SEEK_SET) < 0 ? errno : 0);
}

void ReportFile::commit(bool is_complete)
{
    flush();
    check(synchronise(target_ >= 0 ? target_ : temporary_));
    const std::lock_guard<std::mutex> lock(files_mutex());
    const std::string asked = name_;
    for (int number = 1; target_ < 0; ++number) {
        const int code = put();
        if (code == 0)
            break;
        if (code != EEXIST || !options_.may_number)
            check(code);
        path_ = name_ = numbered_path(asked, number);
        is_new_ = true;
    }
    if (!is_complete && temporary_ >= 0)
        kept_files().insert(whole_path(name_));
    check(release());
}

/// The content to its name. EEXIST: another file has come there that may not be replaced.
int ReportFile::put()
{
    std::string reason;
    if (!is_new_ && look_at_old(reason) != 0)
        return EEXIST;
    if (!is_new_ && is_copied_)
        return copy();
    const int code =
        rename_open(temporary_, temporary_name_, name_, !is_new_ || options_.may_overwrite);
    const bool is_mount = code != 0 && !is_new_ && !temporary_name_.empty();
    return is_mount ? copy() : code;
}

int ReportFile::copy()
{
    target_ = open_target(name_, false);
    if (target_ < 0 || lseek(temporary_, 0, SEEK_SET) != 0)
        return errno;
    std::vector<char> chunk(kChunk);
    int64_t size = 0;
    while (const auto got = read(temporary_, chunk.data(), kChunk)) {
        if (got < 0)
            return errno;
        if (const int code = write_all(target_, chunk.data(), static_cast<size_t>(got)))
            return code;
        size += got;
    }
    return ftruncate(target_, size) == 0 ? synchronise(target_) : errno;
}

/// The first failure of closing what was written.
int ReportFile::release()
{
    const int target = std::exchange(target_, -1), temporary = std::exchange(temporary_, -1);
    const int code = target >= 0 && ::close(target) != 0 ? errno : 0;
    const int temporary_code =
        temporary >= 0 ? close_locked(temporary, std::exchange(temporary_name_, "")) : 0;
    return code != 0 ? code : temporary_code;
}

PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names)
{
    std::error_code code;
    fs::create_directories(fs::u8path(folder), code);
    if (code)
        throw Error(code.value(),
                    "cannot make the folder '" + folder + "' of heatmaps_path: " + code.message());
    FileOptions options;
    options.kind = "heatmap";
    options.is_raw = true;
    PictureFiles files;
    for (const std::string &name : names) {
        const std::string path = std::string(folder).append("/").append(name);
        if (fs::is_other(fs::u8path(path), code))
            throw Error(EINVAL, "cannot write heatmap '" + path + "': it is a pipe or device");
        files.push_back(std::make_unique<ReportFile>(path, options));
    }
    for (const auto &file : files)
        file->cut(0); // not before all are taken
    return files;
}

} // namespace vmafgpu
