// SPDX-License-Identifier: BSD-2-Clause-Patent
// See picture_disk.h. Windows's half. Nobody else may write a file that is open here, so there is
// no lock.
#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>

#include "base/windows_text.h"
#include "report/picture_disk.h"

namespace vmafgpu {

namespace {

HANDLE handle_of(int descriptor)
{
    return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

} // namespace

int make_picture_folder(const std::string &folder, bool &is_other)
{
    DWORD error = 0;
    for (size_t end = folder.find_first_of("/\\", 1);; end = folder.find_first_of("/\\", end + 1)) {
        const std::wstring name = wide_path(folder.substr(0, end));
        error = CreateDirectoryW(name.c_str(), nullptr) != 0 ? 0 : GetLastError();
        if (end == std::string::npos)
            break;
    }
    const DWORD attributes = GetFileAttributesW(wide_path(folder).c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return errno_of(error != 0 ? error : GetLastError());
    is_other = (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
    return 0;
}

int picture_kind_error(const FileTarget &target)
{
    if (!target.is_there)
        return 0;
    if (is_descriptor_path(target.name))
        return EEXIST;
    const DWORD attributes = GetFileAttributesW(wide_path(target.name).c_str());
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0
               ? EISDIR
               : 0;
}

int open_picture(const FileTarget &target, int &descriptor)
{
    const HANDLE file = CreateFileW(wide_path(target.name).c_str(), GENERIC_WRITE,
                                    FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, CREATE_ALWAYS,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE)
        return GetLastError() == ERROR_SHARING_VIOLATION ? EBUSY : errno_of(GetLastError());
    descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(file), _O_BINARY);
    if (descriptor >= 0)
        return 0;
    CloseHandle(file);
    return EMFILE;
}

int write_picture(int descriptor, int64_t offset, const char *data, size_t size)
{
    constexpr size_t kMost = size_t{1} << 20;
    while (size > 0) {
        // The place is given with each call, so that threads do not move it for each other.
        OVERLAPPED place = {};
        place.Offset = static_cast<DWORD>(offset);
        place.OffsetHigh = static_cast<DWORD>(offset >> 32);
        DWORD written = 0;
        if (WriteFile(handle_of(descriptor), data, static_cast<DWORD>(std::min(size, kMost)),
                      &written, &place) == 0)
            return errno_of(GetLastError());
        if (written == 0)
            return EIO;
        data += written;
        offset += written;
        size -= written;
    }
    return 0;
}

int cut_picture(int descriptor, int64_t size)
{
    const int64_t now = _filelengthi64(descriptor);
    if (now < 0)
        return errno;
    return now > size ? _chsize_s(descriptor, size) : 0;
}

int close_picture(int descriptor)
{
    return _close(descriptor) != 0 ? errno : 0;
}

} // namespace vmafgpu
