// SPDX-License-Identifier: BSD-2-Clause-Patent
// See shared_library.h. Windows's half. Drivers install their libraries in System32; no other
// folder is searched, since a file of the same name in the current one would be somebody else's.
#include <windows.h>

#include "system/shared_library.h"
#include "system/windows_text.h"

namespace vmafgpu {

namespace {

std::string system_folder()
{
    wchar_t path[MAX_PATH] = L"";
    return narrow(std::wstring(path, GetSystemDirectoryW(path, MAX_PATH))) + "\\";
}

/// Returns the path with its drive and with backslashes: the system takes no other path when it is
/// told where to look.
std::string full_path(const std::string &path)
{
    std::wstring full(GetFullPathNameW(wide(path).c_str(), 0, nullptr, nullptr), L'\0');
    full.resize(GetFullPathNameW(wide(path).c_str(), static_cast<DWORD>(full.size()), full.data(),
                                 nullptr));
    return full.empty() ? path : narrow(full);
}

} // namespace

bool SharedLibrary::find(const std::string &name)
{
    handle_ = GetModuleHandleW(wide(name).c_str());
    return handle_ != nullptr;
}

bool SharedLibrary::load(const std::string &name)
{
    const bool is_path = name.find_first_of("/\\:") != std::string::npos;
    // If there is a path, libraries that this one needs are looked for beside it, too.
    const DWORD folders = is_path ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32
                                  : LOAD_LIBRARY_SEARCH_SYSTEM32;
    const std::string file = is_path ? full_path(name) : name;
    handle_ = LoadLibraryExW(wide_path(file).c_str(), nullptr, folders);
    if (handle_ != nullptr)
        return true;
    const DWORD error = GetLastError();
    why_ = name + ": " + error_text(error);
    // Windows gives one error for the file and for a library that it needs, so the file itself is
    // looked at.
    is_broken_ = error != ERROR_MOD_NOT_FOUND ||
                 GetFileAttributesW(wide_path(is_path ? file : system_folder() + name).c_str()) !=
                     INVALID_FILE_ATTRIBUTES;
    return false;
}

void *SharedLibrary::symbol(const char *name) const
{
    return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

} // namespace vmafgpu
