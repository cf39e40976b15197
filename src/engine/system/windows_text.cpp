// SPDX-License-Identifier: BSD-2-Clause-Patent
// See windows_text.h.
#include "system/windows_text.h"

#include <windows.h>

#include <cerrno>

namespace vmafgpu {

std::wstring wide(const std::string &text)
{
    const int size = static_cast<int>(text.size());
    const int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
    std::wstring result(static_cast<size_t>(length), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, text.data(), size, result.data(), length);
    return result;
}

std::string narrow(const std::wstring &text)
{
    const int size = static_cast<int>(text.size());
    const int length =
        WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
    std::string result(static_cast<size_t>(length), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text.data(), size, result.data(), length, nullptr, nullptr);
    return result;
}

std::wstring wide_path(const std::string &path)
{
    constexpr size_t kOldLimit = 248; // longest path of a folder; files have 260
    std::wstring result = wide(path);
    if (result.size() >= kOldLimit && result.compare(1, 2, L":\\") == 0)
        result.insert(0, L"\\\\?\\");
    return result;
}

int errno_of(unsigned long error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
        return EINVAL;
    case ERROR_FILENAME_EXCED_RANGE:
        return ENAMETOOLONG;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    default:
        return EIO;
    }
}

std::string error_text(unsigned long error)
{
    wchar_t text[512] = L"";
    const DWORD length =
        FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error,
                       0, text, static_cast<DWORD>(sizeof(text) / sizeof(text[0])), nullptr);
    std::string result = narrow(std::wstring(text, length));
    // What the system would put in is the name of a file, which callers say themselves.
    for (size_t at = result.find("%1"); at != std::string::npos; at = result.find("%1"))
        result.replace(at, 2, "the file");
    while (!result.empty() &&
           (static_cast<unsigned char>(result.back()) <= ' ' || result.back() == '.'))
        result.pop_back();
    return result.empty() ? "Windows error " + std::to_string(error) : result;
}

} // namespace vmafgpu
