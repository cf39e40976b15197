// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_guard.h. How a file is looked at on Windows.
#include <windows.h>

#include <io.h>

#include <array>

#include "base/system.h"
#include "base/windows_text.h"
#include "report/file_guard.h"

namespace vmafgpu {

namespace {

constexpr int kDescriptors = 2048; // what Microsoft's C library can have

bool is_same_file(HANDLE a, const BY_HANDLE_FILE_INFORMATION &wanted)
{
    BY_HANDLE_FILE_INFORMATION info = {};
    return GetFileType(a) == FILE_TYPE_DISK && GetFileInformationByHandle(a, &info) != 0 &&
           info.dwVolumeSerialNumber == wanted.dwVolumeSerialNumber &&
           info.nFileIndexHigh == wanted.nFileIndexHigh &&
           info.nFileIndexLow == wanted.nFileIndexLow;
}

/// By the descriptors of this C library, which is ffmpeg's, too, where both are linked statically.
/// Standard input is left out: asking a pipe waits until another thread has read from it.
bool is_open_here(const FileTarget &target)
{
    const int file = open_input(target.name);
    if (file < 0)
        return false;
    BY_HANDLE_FILE_INFORMATION wanted = {};
    bool found = false;
    if (GetFileInformationByHandle(reinterpret_cast<HANDLE>(_get_osfhandle(file)), &wanted) != 0)
        for (int i = 3; i < kDescriptors && !found; ++i) {
            const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(i));
            found = i != file && handle != INVALID_HANDLE_VALUE && is_same_file(handle, wanted);
        }
    _close(file);
    return found;
}

} // namespace

bool is_media(const FileTarget &target)
{
    const int file = open_input(target.name);
    if (file < 0)
        return false;
    std::array<char, kMediaBegin> bytes;
    const int size = _read(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    _close(file);
    return is_media(std::string(bytes.data(), size > 0 ? static_cast<size_t>(size) : 0));
}

std::string reason_to_keep(const FileTarget &target)
{
    if (!target.is_there)
        return "";
    if (is_open_here(target))
        return "this process has the file open, as input or output";
    return is_media(target) ? "it is a video, picture or sound file" : "";
}

} // namespace vmafgpu
