// SPDX-License-Identifier: BSD-2-Clause-Patent
// See system.h. Windows's half. Names are UTF-8 as ffmpeg.exe hands them over, whatever code page
// the user has.
#include "system/system.h"

#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <cpuid.h>
#include <cstdlib>
#include <cstring>
#include <ext/stdio_filebuf.h>
#include <istream>
#include <thread>

#include "system/windows_text.h"

namespace vmafgpu {

namespace {

/// A stream that owns its buffer: std::ifstream cannot be made of a descriptor.
class DescriptorStream final : public std::istream {
public:
    explicit DescriptorStream(int descriptor)
        : std::istream(nullptr), buffer_(descriptor, std::ios::in | std::ios::binary)
    {
        rdbuf(&buffer_); // no error state then, as in a stream that is open
        if (descriptor < 0)
            setstate(std::ios::failbit);
    }

private:
    __gnu_cxx::stdio_filebuf<char> buffer_;
};

} // namespace

int open_input(const std::string &path)
{
    return _wopen(wide_path(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

bool wait_for_input(int, int)
{
    return true; // read() waits, and named pipes of Windows cannot be opened without a writer
}

std::unique_ptr<std::istream> open_text(const std::string &path)
{
    const int descriptor = open_input(path);
    const int code = errno;
    auto stream = std::make_unique<DescriptorStream>(descriptor);
    errno = code; // the error of the opening
    return stream;
}

const char *trusted_variable(const char *name)
{
    return std::getenv(name); // no program has more rights by its file's mode
}

const char *system_word(const char *, const char *windows)
{
    return windows;
}

void start_without_signals(const std::function<void()> &start)
{
    start(); // signals come in a thread of their own
}

int own_processors()
{
    DWORD_PTR own = 0;
    DWORD_PTR all = 0;
    // 0: the process's threads are in several groups of processors.
    if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) != 0 && own != 0)
        return __builtin_popcountll(own);
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string processor_name()
{
    constexpr unsigned kFirst = 0x80000002; // three leaves with 16 bytes each
    char text[49] = "";
    for (unsigned i = 0; i < 3; ++i) {
        unsigned words[4] = {};
        if (__get_cpuid(kFirst + i, &words[0], &words[1], &words[2], &words[3]) == 0)
            return "CPU";
        std::memcpy(&text[16 * i], words, sizeof(words));
    }
    const std::string name(text);
    const size_t begin = name.find_first_not_of(' ');
    return begin == std::string::npos ? "CPU"
                                      : name.substr(begin, name.find_last_not_of(' ') + 1 - begin);
}

} // namespace vmafgpu
