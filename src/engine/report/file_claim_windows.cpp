// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_claim.h. What a path means on Windows: FileTarget has the whole path, since a folder
// has no descriptor there.
#include <windows.h>

#include <cerrno>
#include <utility>

#include "base/windows_text.h"
#include "report/file_claim.h"

namespace vmafgpu {

namespace {

/// A path as Windows completes it: the current folder, "..", and names of devices.
std::wstring full_path(const std::wstring &path)
{
    std::wstring full(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
    const auto room = static_cast<DWORD>(full.size());
    full.resize(GetFullPathNameW(path.c_str(), room, full.data(), nullptr));
    return full;
}

FileId id_of(const std::string &path)
{
    // Flag: folders, too.
    const HANDLE file = CreateFileW(wide_path(path).c_str(), FILE_READ_ATTRIBUTES,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (file == INVALID_HANDLE_VALUE)
        return {};
    BY_HANDLE_FILE_INFORMATION info = {};
    const bool knows = GetFileInformationByHandle(file, &info) != 0;
    CloseHandle(file);
    if (!knows)
        return {};
    const auto wide_number = [](DWORD high, DWORD low) {
        return uint64_t{high} << 32 | low;
    };
    return {info.dwVolumeSerialNumber, wide_number(info.nFileIndexHigh, info.nFileIndexLow),
            static_cast<int64_t>(wide_number(info.ftCreationTime.dwHighDateTime,
                                             info.ftCreationTime.dwLowDateTime))};
}

} // namespace

FileId file_id(const FileTarget &target)
{
    return id_of(target.name);
}

FileId folder_id(const FileTarget &target)
{
    return id_of(target.name.substr(0, name_begin(target.name)));
}

bool is_same_name(const std::string &a, const std::string &b)
{
    const std::wstring first = wide(a.substr(name_begin(a)));
    const std::wstring second = wide(b.substr(name_begin(b)));
    return CompareStringOrdinal(first.data(), static_cast<int>(first.size()), second.data(),
                                static_cast<int>(second.size()), TRUE) == CSTR_EQUAL;
}

size_t name_begin(const std::string &path)
{
    return path.find_last_of("/\\:") + 1; // npos + 1 is 0
}

FileTarget::~FileTarget() = default;
FileTarget::FileTarget(FileTarget &&other) noexcept = default;
FileTarget &FileTarget::operator=(FileTarget &&other) noexcept = default;

bool is_descriptor_path(const std::string &path)
{
    return path.rfind("\\\\.\\", 0) == 0;
}

/// Also completes the path.
int follow_links(std::string &path)
{
    const std::wstring full = full_path(wide(path));
    if (full.empty())
        return errno_of(GetLastError());
    path = narrow(full);
    const DWORD attributes = GetFileAttributesW(wide_path(path).c_str());
    if (is_descriptor_path(path) || attributes == INVALID_FILE_ATTRIBUTES ||
        (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0)
        return 0;
    const HANDLE file = CreateFileW(wide_path(path).c_str(), FILE_READ_ATTRIBUTES,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (file == INVALID_HANDLE_VALUE)
        return errno_of(GetLastError());
    std::wstring final(size_t{1} << 15, L'\0');
    final.resize(
        GetFinalPathNameByHandleW(file, final.data(), static_cast<DWORD>(final.size()), 0));
    CloseHandle(file);
    if (final.empty())
        return EIO;
    path = narrow(final);
    return 0;
}

int find_target(const std::string &path, FileTarget &target)
{
    const std::string full = narrow(full_path(wide(path)));
    const size_t begin = name_begin(full);
    if (begin == full.size())
        return EISDIR;
    const DWORD folder = GetFileAttributesW(wide_path(full.substr(0, begin)).c_str());
    if (folder == INVALID_FILE_ATTRIBUTES)
        return errno_of(GetLastError());
    if ((folder & FILE_ATTRIBUTE_DIRECTORY) == 0)
        return ENOTDIR;
    const DWORD file = GetFileAttributesW(wide_path(full).c_str());
    if (file == INVALID_FILE_ATTRIBUTES && errno_of(GetLastError()) != ENOENT)
        return errno_of(GetLastError());
    target = FileTarget();
    target.name = full;
    target.is_there = file != INVALID_FILE_ATTRIBUTES;
    return 0;
}

} // namespace vmafgpu
