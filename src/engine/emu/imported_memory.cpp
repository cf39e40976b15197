// SPDX-License-Identifier: BSD-2-Clause-Patent
// See imported_memory.h. Called by emu_device.cpp.
#include "emu/imported_memory.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

namespace vmafgpu {
namespace emu {

namespace {

constexpr const char *kLlvmpipeFile = "/memfd:llvmpipe memory fd";

size_t page_bytes()
{
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// Both files and dma-bufs tell their size by seeking, only files by fstat.
size_t size_of(int fd)
{
    const off_t before = lseek(fd, 0, SEEK_CUR);
    const off_t end = before < 0 ? before : lseek(fd, 0, SEEK_END);
    if (end < 0)
        throw Error(EINVAL, "fd " + std::to_string(fd) + ": " + std::strerror(errno));
    lseek(fd, before, SEEK_SET);
    return static_cast<size_t>(end);
}

/// The place in the file where the memory begins. llvmpipe, Mesa's Vulkan driver for the CPU,
/// exports files that begin with their size and this offset.
size_t begin_of(int fd, size_t size)
{
    char target[64] = "";
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (readlink(link.c_str(), target, sizeof(target) - 1) < 0 ||
        std::strncmp(target, kLlvmpipeFile, std::strlen(kLlvmpipeFile)) != 0)
        return 0;
    uint64_t head[2] = {};
    if (pread(fd, head, sizeof(head), 0) != static_cast<ssize_t>(sizeof(head)) || head[0] != size ||
        head[1] > size || head[1] % page_bytes() != 0)
        throw Error(EINVAL, "fd " + std::to_string(fd) + " is llvmpipe's, but of no known layout");
    return static_cast<size_t>(head[1]);
}

} // namespace

ImportedMemory::~ImportedMemory()
{
    while (!mappings_.empty())
        release(mappings_.begin()->first);
}

void *ImportedMemory::import(int fd, size_t bytes)
{
    const size_t whole = size_of(fd);
    const size_t begin = begin_of(fd, whole);
    const size_t size = whole - begin;
    if (bytes > size)
        throw Error(EINVAL, "fd " + std::to_string(fd) + " has " + std::to_string(size) +
                                " bytes, not " + std::to_string(bytes));
    const size_t page = page_bytes();
    const size_t mapped = (bytes + page - 1) / page * page;
    void *base = mmap(nullptr, mapped + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        throw Error(ENOMEM, "no addresses for " + std::to_string(bytes) + " imported bytes");
    void *memory = static_cast<char *>(base) + page;
    // The mapping keeps the memory alive: no duplicate of fd is needed.
    if (mmap(memory, mapped, PROT_READ, MAP_SHARED | MAP_FIXED, fd, static_cast<off_t>(begin)) ==
        MAP_FAILED) {
        const int code = errno;
        munmap(base, mapped + 2 * page);
        throw Error(EINVAL,
                    "fd " + std::to_string(fd) + " cannot be mapped: " + std::strerror(code));
    }
    mappings_[memory] = mapped;
    return memory;
}

bool ImportedMemory::release(void *memory)
{
    const auto found = mappings_.find(memory);
    if (found == mappings_.end())
        return false;
    const size_t page = page_bytes();
    munmap(static_cast<char *>(memory) - page, found->second + 2 * page);
    mappings_.erase(found);
    return true;
}

} // namespace emu
} // namespace vmafgpu
