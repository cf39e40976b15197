// SPDX-License-Identifier: BSD-2-Clause-Patent
// See system.h. Linux's half.
#include "system/system.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace vmafgpu {

namespace {

constexpr int kMostProcessors = 8192;

} // namespace

int open_input(const std::string &path)
{
    return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool wait_for_input(int descriptor, int milliseconds)
{
    pollfd wanted = {descriptor, POLLIN, 0};
    return poll(&wanted, 1, milliseconds) != 0;
}

std::unique_ptr<std::istream> open_text(const std::string &path)
{
    return std::make_unique<std::ifstream>(path, std::ios::binary);
}

const char *trusted_variable(const char *name)
{
    return secure_getenv(name);
}

void start_without_signals(const std::function<void()> &start)
{
    sigset_t blocked;
    sigset_t before;
    sigfillset(&blocked);
    for (const int fault : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP})
        sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    start();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

const char *system_word(const char *posix, const char *)
{
    return posix;
}

int own_processors()
{
    for (int size = 1024; size <= kMostProcessors * 8; size *= 2) {
        cpu_set_t *const set = CPU_ALLOC(static_cast<size_t>(size));
        if (set == nullptr)
            break;
        const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(size));
        CPU_ZERO_S(bytes, set);
        const int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string processor_name()
{
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        const size_t colon = line.find(':');
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos &&
            colon + 2 < line.size())
            return line.substr(colon + 2);
    }
    return "CPU";
}

} // namespace vmafgpu
