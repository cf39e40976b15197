/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See platform.h. The program's manifest makes the code page UTF-8, so that the C library's
 * functions and main() have the same names as the engine.
 */
#include "platform.h"

#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdio.h>

void platform_begin(void)
{
    DWORD mode = 0;
    const HANDLE error = GetStdHandle(STD_ERROR_HANDLE);
    /* The C library's own text mode ends the input at byte 1A and writes CR LF. */
    for (int i = 0; i < 2; ++i)
        _setmode(i, _O_BINARY);
    /* The line of progress needs it; older consoles refuse. */
    if (GetConsoleMode(error, &mode))
        SetConsoleMode(error, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

void platform_catch_signals(void (*stop)(int number))
{
    signal(SIGINT, stop); /* the system sets it back at the first one */
    signal(SIGTERM, stop);
}

int platform_program(char *path, size_t size)
{
    const DWORD length = GetModuleFileNameA(NULL, path, (DWORD)size);
    if (length == 0 || length >= size)
        return -1;
    for (char *at = path; *at != '\0'; ++at)
        if (*at == '\\')
            *at = '/';
    return 0;
}

int platform_file(const char *path, PlatformFile *file)
{
    BY_HANDLE_FILE_INFORMATION info;
    const HANDLE handle = CreateFileA(path, FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                      OPEN_EXISTING, 0, NULL);
    int is_disk_file;
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    is_disk_file =
        GetFileType(handle) == FILE_TYPE_DISK && GetFileInformationByHandle(handle, &info);
    CloseHandle(handle);
    if (!is_disk_file)
        return -1;
    file->volume = info.dwVolumeSerialNumber;
    file->number = (unsigned long long)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    file->size = (long long)((unsigned long long)info.nFileSizeHigh << 32 | info.nFileSizeLow);
    file->changed[0] = info.ftLastWriteTime.dwHighDateTime;
    file->changed[1] = info.ftLastWriteTime.dwLowDateTime;
    return 0;
}

/* No name has the character '"'. */
int platform_quote(char *text, size_t size, const char *path)
{
    const int length = snprintf(text, size, "\"%s\"", path);
    return length >= 0 && (size_t)length < size ? 0 : -1;
}
