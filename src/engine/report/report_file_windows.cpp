// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a ReportFile is opened on Windows, and how its content comes to its name: always by a
// temporary file of the same folder, whose content is copied where it cannot be renamed. There are
// no pipes with a name in a folder, no owners and no modes.
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/windows_text.h"
#include "report/file_guard.h"
#include "report/report_file.h"

namespace vmafgpu {

namespace {

constexpr char kPrefix[] = ".vmaf_gpu_log.";
constexpr int kTries = 100; // of finding a free temporary name
constexpr int kStandardOutput = 1;
constexpr int kWrite = _O_WRONLY | _O_BINARY | _O_NOINHERIT;

std::string folder_of(const std::string &path)
{
    return path.substr(0, name_begin(path));
}

DWORD attributes_of(const std::string &path)
{
    return GetFileAttributesW(wide_path(path).c_str());
}

bool is_folder(DWORD attributes)
{
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

int open_shared(const std::string &path, int flags)
{
    return _wsopen(wide_path(path).c_str(), flags, _SH_DENYNO, _S_IREAD | _S_IWRITE);
}

/// Nobody else can delete it while it is open.
int open_temporary(const std::string &folder, std::string &path)
{
    static std::atomic<unsigned> counter{0};
    for (int i = 0; i < kTries; ++i) {
        path = folder + kPrefix + std::to_string(GetCurrentProcessId()) + "." +
               std::to_string(counter++);
        const int file = open_shared(path, _O_RDWR | _O_BINARY | _O_NOINHERIT | _O_CREAT | _O_EXCL);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/// Of processes that were killed: those that still run have theirs open.
void remove_stale_temporaries(const std::string &folder)
{
    WIN32_FIND_DATAW entry = {};
    const HANDLE list = FindFirstFileW(wide_path(folder + kPrefix + "*").c_str(), &entry);
    if (list == INVALID_HANDLE_VALUE)
        return;
    do {
        DeleteFileW(wide_path(folder + narrow(entry.cFileName)).c_str());
    } while (FindNextFileW(list, &entry) != 0);
    FindClose(list);
}

bool has_several_names(const std::string &path)
{
    const HANDLE file = CreateFileW(wide_path(path).c_str(), FILE_READ_ATTRIBUTES,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, 0, nullptr);
    BY_HANDLE_FILE_INFORMATION info = {};
    const bool knows = file != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file, &info) != 0;
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return knows && info.nNumberOfLinks > 1;
}

/// Room first: if the disk is full, the old content stays. 0 or an errno value.
int copy_content(int from, int to)
{
    const int64_t size = _filelengthi64(from);
    const int64_t old = _filelengthi64(to);
    if (size < 0 || old < 0)
        return errno;
    if (size > old && _chsize_s(to, size) != 0) {
        const int code = errno;
        _chsize_s(to, old);
        return code;
    }
    if (_lseeki64(from, 0, SEEK_SET) != 0 || _lseeki64(to, 0, SEEK_SET) != 0)
        return errno;
    std::array<char, size_t{1} << 16> chunk;
    for (int64_t left = size; left > 0;) {
        const int got = _read(from, chunk.data(), static_cast<unsigned>(chunk.size()));
        if (got <= 0)
            return got < 0 ? errno : EIO;
        if (_write(to, chunk.data(), static_cast<unsigned>(got)) != got)
            return errno == 0 ? ENOSPC : errno;
        left -= got;
    }
    return size < old && _chsize_s(to, size) != 0 ? errno : 0;
}

} // namespace

void ReportFile::open_any(const FileOptions &options)
{
    if (path_ == "-") {
        open_descriptor(kStandardOutput);
        return;
    }
    std::string target = path_;
    if (const int code = follow_links(target))
        fail(code);
    if (is_descriptor_path(target))
        open_special(target, false);
    else if (is_folder(attributes_of(target)))
        fail(EISDIR);
    else
        open_regular(options);
}

/// A copy of the descriptor has the same position, so nothing overwrites what others print.
void ReportFile::open_descriptor(int own)
{
    std::fflush(stdout); // what others printed comes first
    descriptor_ = _dup(own);
    if (descriptor_ < 0 || _setmode(descriptor_, _O_BINARY) < 0)
        fail(errno);
}

/// NUL, CON and whatever else Windows says is a device.
void ReportFile::open_special(const std::string &path, bool)
{
    descriptor_ = open_shared(path, kWrite);
    if (descriptor_ < 0)
        fail(errno);
}

/// Finds a name that no other output of this process has.
void ReportFile::claim(const FileOptions &options)
{
    const std::string asked = path_;
    for (int number = 0;; ++number) {
        path_ = number == 0 ? asked : numbered_path(asked, number);
        std::string target = path_;
        int code = follow_links(target);
        code = code == 0 ? find_target(target, target_) : code;
        if (code != 0)
            fail(code);
        real_path_ = target_.name;
        if (!options.has_claim || claim_.take(target_))
            break;
    }
    // Again: another job may have finished since it was looked up.
    const DWORD attributes = attributes_of(target_.name);
    target_.is_there = attributes != INVALID_FILE_ATTRIBUTES;
    if (is_folder(attributes))
        fail(EISDIR);
    if (target_.is_there && (attributes & FILE_ATTRIBUTE_READONLY) != 0)
        fail(EACCES);
    start_ = target_.is_there ? file_id(target_) : FileId();
}

void ReportFile::open_regular(const FileOptions &options)
{
    claim(options);
    const std::string reason = may_overwrite_ ? "" : reason_to_keep(target_);
    if (!reason.empty())
        throw Error(EEXIST, "cannot write " + kind_ + " '" + path_ + "': " + reason +
                                "; to replace it, set overwrite");
    if (is_live_)
        open_live();
    else
        choose_way();
}

void ReportFile::open_live()
{
    is_regular_ = true;
    descriptor_ = open_shared(target_.name, kWrite | _O_CREAT | _O_TRUNC);
    if (descriptor_ < 0)
        fail(errno);
}

void ReportFile::choose_way()
{
    const std::string folder = folder_of(target_.name);
    remove_stale_temporaries(folder);
    way_ = target_.is_there && has_several_names(target_.name) ? Way::kCopy : Way::kRename;
    descriptor_ = open_temporary(folder, temporary_);
    if (descriptor_ < 0)
        fail(errno);
    if (way_ == Way::kCopy)
        note_ = kind_ + " '" + path_ +
                "' is written in place at the end: it has several names (hard links)";
}

void ReportFile::drop_temporary()
{
    if (descriptor_ >= 0)
        _close(descriptor_);
    descriptor_ = -1;
    if (!temporary_.empty())
        DeleteFileW(wide_path(temporary_).c_str());
    temporary_.clear();
}

void ReportFile::close_all()
{
    drop_temporary();
    if (in_place_ >= 0)
        _close(in_place_);
    in_place_ = -1;
}

/// Never called: Way::kPipe is POSIX's.
void ReportFile::open_pipe()
{
    fail(ENOSYS);
}

/// How many bytes were written, at least one.
size_t ReportFile::write_some(const char *data, size_t size)
{
    constexpr size_t kMost = size_t{1} << 20;
    const int written = _write(descriptor_, data, static_cast<unsigned>(std::min(size, kMost)));
    if (written < 0)
        fail(errno);
    if (written == 0)
        fail(EIO);
    return static_cast<size_t>(written);
}

void ReportFile::synchronise(int descriptor) const
{
    if (_commit(descriptor) != 0 && (errno == EIO || errno == ENOSPC))
        fail(errno);
}

/// Whether the file that has the name now is one of the user. The constructor looked, too; since
/// then another file may have come, or another content into the same file.
bool ReportFile::is_to_keep()
{
    target_.is_there = attributes_of(target_.name) != INVALID_FILE_ATTRIBUTES;
    if (may_overwrite_ || !target_.is_there)
        return false;
    const FileId now = file_id(target_);
    const bool is_same = now.inode != 0 && now.inode == start_.inode && now.device == start_.device;
    return is_same ? is_media(target_) : !reason_to_keep(target_).empty();
}

/// A file of the user stays; the log gets a numbered name, which is claimed, too.
void ReportFile::avoid_new_file()
{
    bool is_free = true;
    for (int number = 1; !is_free || is_to_keep(); ++number) {
        path_ = numbered_path(real_path_, number);
        target_.name = path_;
        FileClaim claim;
        is_free = !has_claim_ || claim.take(target_);
        if (is_free)
            claim_.swap(claim);
    }
}

void ReportFile::copy_into_target()
{
    avoid_new_file();
    in_place_ = open_shared(target_.name, kWrite | _O_CREAT);
    if (in_place_ < 0)
        fail(errno);
    if (const int code = copy_content(descriptor_, in_place_))
        fail(code);
    synchronise(in_place_);
    is_regular_ = true;
    drop_temporary();
}

/// A file that another program has open cannot be replaced, but perhaps written.
void ReportFile::finish_temporary()
{
    avoid_new_file();
    synchronise(descriptor_);
    _close(descriptor_);
    descriptor_ = -1;
    if (MoveFileExW(wide_path(temporary_).c_str(), wide_path(target_.name).c_str(),
                    MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) {
        temporary_.clear();
        return;
    }
    const int code = errno_of(GetLastError());
    if (!target_.is_there)
        fail(code);
    descriptor_ = open_shared(temporary_, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (descriptor_ < 0)
        fail(errno);
    copy_into_target();
}

} // namespace vmafgpu
