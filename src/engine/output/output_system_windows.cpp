// SPDX-License-Identifier: BSD-2-Clause-Patent
// See output_system.h. Windows's half: a file that is open for writing is locked by how it is
// shared. There are no pipes with a name in a folder, no owners and no modes.
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "output/output_system.h"
#include "system/windows_text.h"

namespace vmafgpu {

namespace {

HANDLE handle_of(int descriptor)
{
    return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

} // namespace

/// Completes the path: the current folder, "..", and names of devices.
int open_direct(std::string &path, bool &is_direct)
{
    is_direct = true;
    if (path == "-") {
        std::fflush(stdout); // what others printed comes first
        const int copy = _dup(1);
        return copy >= 0 && _setmode(copy, _O_BINARY) >= 0 ? copy : -1;
    }
    std::error_code none;
    path = std::filesystem::absolute(std::filesystem::u8path(path), none).u8string();
    is_direct = path.rfind("\\\\.\\", 0) == 0;
    return is_direct ? _wopen(wide_path(path).c_str(), _O_WRONLY | _O_BINARY | _O_NOINHERIT) : -1;
}

/// Who opens it meanwhile does not share it.
int open_locked(const std::string &name)
{
    const HANDLE file = CreateFileW(wide_path(name).c_str(), GENERIC_READ | GENERIC_WRITE | DELETE,
                                    FILE_SHARE_READ, nullptr, CREATE_ALWAYS, 0, nullptr);
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

int open_target(const std::string &path, bool is_new)
{
    const DWORD attributes = GetFileAttributesW(wide_path(path).c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        errno = EISDIR;
        return -1;
    }
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) != 0) {
        errno = EACCES;
        return -1;
    }
    const int flags = is_new ? _O_CREAT | _O_EXCL : 0;
    return _wopen(wide_path(path).c_str(), _O_RDWR | _O_BINARY | _O_NOINHERIT | flags,
                  _S_IREAD | _S_IWRITE);
}

/// Or another program has: Windows does not tell which.
bool is_open_here(const std::string &path)
{
    const HANDLE file =
        CreateFileW(wide_path(path).c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr);
    if (file == INVALID_HANDLE_VALUE)
        return GetLastError() == ERROR_SHARING_VIOLATION;
    CloseHandle(file);
    return false;
}

/// A file with several names, or one that may not be written, is not replaced.
bool is_made_alike(int, const std::string &old)
{
    const HANDLE file = CreateFileW(wide_path(old).c_str(), 0,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, 0, nullptr);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    BY_HANDLE_FILE_INFORMATION info = {};
    const bool is_known = GetFileInformationByHandle(file, &info) != 0;
    CloseHandle(file);
    return is_known && info.nNumberOfLinks == 1 &&
           (info.dwFileAttributes & FILE_ATTRIBUTE_READONLY) == 0;
}

/// A file that is open cannot be replaced; if its program lets it be written, it is.
int rename_open(int file, std::string &from, const std::string &to, bool may_replace)
{
    const std::wstring name = wide_path(to);
    const size_t size = name.size() * sizeof(wchar_t);
    std::vector<char> bytes(sizeof(FILE_RENAME_INFO) + size);
    auto *const info = reinterpret_cast<FILE_RENAME_INFO *>(bytes.data());
    info->ReplaceIfExists = may_replace ? TRUE : FALSE;
    info->FileNameLength = static_cast<DWORD>(size);
    std::memcpy(info->FileName, name.data(), size);
    if (SetFileInformationByHandle(handle_of(file), FileRenameInfo, info,
                                   static_cast<DWORD>(bytes.size())) == 0)
        return errno_of(GetLastError());
    from.clear();
    return 0;
}

int close_locked(int file, const std::string &name)
{
    const int code = _close(file) == 0 ? 0 : errno;
    if (!name.empty())
        DeleteFileW(wide_path(name).c_str());
    return code;
}

int synchronise(int descriptor)
{
    return _commit(descriptor) != 0 && (errno == EIO || errno == ENOSPC) ? errno : 0;
}

} // namespace vmafgpu
