// SPDX-License-Identifier: BSD-2-Clause-Patent
// See output_place.h. Windows's half: a file that is open for writing is locked by how it is
// shared. There are no pipes with a name in a folder, no owners and no modes.
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/windows_text.h"
#include "report/output_place.h"

namespace vmafgpu {

namespace {

constexpr int kDescriptors = 2048; // what Microsoft's C library can have
constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

HANDLE handle_of(int descriptor)
{
    return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

HANDLE open_handle(const std::string &path, DWORD access, DWORD share, DWORD creation)
{
    // Flag: folders, too.
    return CreateFileW(wide_path(path).c_str(), access, share, nullptr, creation,
                       FILE_FLAG_BACKUP_SEMANTICS, nullptr);
}

/// EBUSY: somebody has it open, and does not share it.
int open_file(const std::string &path, DWORD access, DWORD share, DWORD creation)
{
    const HANDLE file = open_handle(path, access, share, creation);
    const DWORD error = GetLastError();
    if (file == INVALID_HANDLE_VALUE) {
        errno = error == ERROR_SHARING_VIOLATION ? EBUSY : errno_of(error);
        return -1;
    }
    const int descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(file), _O_BINARY);
    if (descriptor < 0)
        CloseHandle(file);
    return descriptor;
}

/// All 0 if it is not there.
BY_HANDLE_FILE_INFORMATION info_of(HANDLE file)
{
    BY_HANDLE_FILE_INFORMATION info = {};
    if (file != INVALID_HANDLE_VALUE && GetFileType(file) == FILE_TYPE_DISK)
        GetFileInformationByHandle(file, &info);
    return info;
}

FileId id_of(const BY_HANDLE_FILE_INFORMATION &info)
{
    const auto wide_number = [](DWORD high, DWORD low) {
        return uint64_t{high} << 32 | low;
    };
    return {info.dwVolumeSerialNumber, wide_number(info.nFileIndexHigh, info.nFileIndexLow),
            static_cast<int64_t>(wide_number(info.ftLastWriteTime.dwHighDateTime,
                                             info.ftLastWriteTime.dwLowDateTime))};
}

DWORD attributes_of(const std::string &path)
{
    return GetFileAttributesW(wide_path(path).c_str());
}

bool is_device(const std::string &path)
{
    return path.rfind("\\\\.\\", 0) == 0;
}

} // namespace

size_t name_begin(const std::string &path)
{
    return path.find_last_of("/\\:") + 1; // npos + 1 is 0
}

/// Completes the path: the current folder, "..", and names of devices.
int follow_links(std::string &path)
{
    std::wstring full(size_t{1} << 15, L'\0');
    const auto room = static_cast<DWORD>(full.size());
    full.resize(GetFullPathNameW(wide(path).c_str(), room, full.data(), nullptr));
    if (full.empty())
        return errno_of(GetLastError());
    path = narrow(full);
    // A link would be replaced, not what it leads to.
    const DWORD attributes = attributes_of(path);
    const bool is_link = !is_device(path) && attributes != INVALID_FILE_ATTRIBUTES &&
                         (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    return is_link ? ELOOP : 0;
}

int open_direct(const std::string &path, bool &is_direct)
{
    is_direct = path == "-" || is_device(path);
    if (!is_direct)
        return -1;
    if (path != "-")
        return _wsopen(wide_path(path).c_str(), _O_WRONLY | _O_BINARY | _O_NOINHERIT, _SH_DENYNO,
                       _S_IREAD | _S_IWRITE);
    std::fflush(stdout); // what others printed comes first
    const int copy = _dup(1);
    return copy >= 0 && _setmode(copy, _O_BINARY) >= 0 ? copy : -1;
}

/// Who opens it meanwhile does not share it.
int lock_temporary(OutputPlace &place)
{
    if (is_folder(place.path))
        return EISDIR;
    const std::string name = temporary_name(place.path);
    place.temporary =
        open_file(name, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ, CREATE_ALWAYS);
    if (place.temporary < 0)
        return errno;
    place.temporary_name = name;
    return 0;
}

FileId id_of(const std::string &path)
{
    const HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES, kShareAll, OPEN_EXISTING);
    const FileId id = id_of(info_of(file));
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return id;
}

/// By the descriptors of this C library, which is ffmpeg's, too, where both are linked statically.
/// Standard input is left out: asking a pipe waits until another thread has read from it.
bool is_open_here(const FileId &id)
{
    for (int i = 3; i < kDescriptors; ++i)
        if (id_of(info_of(handle_of(i))) == id)
            return true;
    return false;
}

int open_target(const OutputPlace &place)
{
    return open_file(place.path, GENERIC_WRITE, kShareAll,
                     place.old.is_there() ? OPEN_EXISTING : CREATE_NEW);
}

std::string reason_to_copy(const OutputPlace &place)
{
    const HANDLE file = open_handle(place.path, FILE_READ_ATTRIBUTES, kShareAll, OPEN_EXISTING);
    const DWORD links = info_of(file).nNumberOfLinks;
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return links > 1 ? "it has several names (hard links)" : "";
}

/// A file that is open cannot be replaced; if its program lets it be written, it is.
int rename_temporary(OutputPlace &place, bool may_replace)
{
    const std::wstring to = wide_path(place.path);
    const size_t size = to.size() * sizeof(wchar_t);
    std::vector<char> bytes(sizeof(FILE_RENAME_INFO) + size);
    auto *const info = reinterpret_cast<FILE_RENAME_INFO *>(bytes.data());
    info->ReplaceIfExists = may_replace ? TRUE : FALSE;
    info->FileNameLength = static_cast<DWORD>(size);
    std::memcpy(info->FileName, to.data(), size);
    if (SetFileInformationByHandle(handle_of(place.temporary), FileRenameInfo, info,
                                   static_cast<DWORD>(bytes.size())) == 0)
        return errno_of(GetLastError());
    place.temporary_name.clear();
    return 0;
}

int remove_temporary(OutputPlace &place)
{
    const int file = std::exchange(place.temporary, -1);
    const int code = file >= 0 && _close(file) != 0 ? errno : 0;
    if (!place.temporary_name.empty())
        DeleteFileW(wide_path(place.temporary_name).c_str());
    place.temporary_name.clear();
    return code;
}

int write_some(int descriptor, const char *data, size_t size)
{
    constexpr size_t kMost = size_t{1} << 20;
    const int written = _write(descriptor, data, static_cast<unsigned>(std::min(size, kMost)));
    if (written == 0)
        errno = EIO;
    return written == 0 ? -1 : written;
}

int synchronise(int descriptor)
{
    return _commit(descriptor) != 0 && (errno == EIO || errno == ENOSPC) ? errno : 0;
}

int make_folder(const std::string &folder)
{
    return CreateDirectoryW(wide_path(folder).c_str(), nullptr) != 0 ? 0 : errno_of(GetLastError());
}

bool is_folder(const std::string &path)
{
    const DWORD attributes = attributes_of(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

} // namespace vmafgpu
