// SPDX-License-Identifier: BSD-2-Clause-Patent
// Guard zones and poison. With AddressSanitizer the zones are marked as inaccessible instead, so
// that reads are caught too, where they happen.
#include "emu/guarded_memory.h"

#include <cstdint>
#include <cstring>
#include <new>

#include "emu/sanitizer.h"

namespace vmafgpu {
namespace emu {

namespace {

constexpr size_t kAlignment = 256;
// Wide enough for a few rows too many of a small picture.
constexpr size_t kGuardBytes = 4096;
constexpr unsigned char kPoisonByte = 0xa7;
constexpr unsigned char kGuardByte = 0x5c;

size_t bytes_behind(size_t bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment - bytes + kGuardBytes;
}

/// Offset of the first byte that is not kGuardByte, or `bytes`.
size_t first_changed(const char *zone, size_t bytes)
{
    // Equal to itself shifted by one, beginning with the right byte: all the same.
    const auto is_guard = [](char c) {
        return static_cast<unsigned char>(c) == kGuardByte;
    };
    if (is_guard(zone[0]) && std::memcmp(zone, zone + 1, bytes - 1) == 0)
        return bytes;
    size_t i = 0;
    while (is_guard(zone[i]))
        ++i;
    return i;
}

} // namespace

GuardedMemory::~GuardedMemory()
{
    while (!blocks_.empty())
        free(const_cast<char *>(blocks_.begin()->first));
}

void *GuardedMemory::alloc(size_t bytes)
{
    const size_t behind = bytes_behind(bytes);
    if (bytes > SIZE_MAX / 2)
        throw std::bad_alloc();
    char *base = static_cast<char *>(
        ::operator new(kGuardBytes + bytes + behind, std::align_val_t(kAlignment)));
    try {
        blocks_[base + kGuardBytes] = bytes;
    } catch (...) {
        ::operator delete(base, std::align_val_t(kAlignment));
        throw;
    }
    char *memory = base + kGuardBytes;
    std::memset(base, kGuardByte, kGuardBytes);
    std::memset(memory, kPoisonByte, bytes);
    std::memset(memory + bytes, kGuardByte, behind);
    forbid_access(base, kGuardBytes);
    forbid_access(memory + bytes, behind);
    bytes_ += bytes;
    return memory;
}

bool GuardedMemory::free(void *memory)
{
    const auto found = blocks_.find(static_cast<char *>(memory));
    if (found == blocks_.end())
        return false;
    char *base = static_cast<char *>(memory) - kGuardBytes;
    allow_access(base, kGuardBytes + found->second + bytes_behind(found->second));
    bytes_ -= found->second;
    blocks_.erase(found);
    ::operator delete(base, std::align_val_t(kAlignment));
    return true;
}

bool GuardedMemory::contains(const void *memory, size_t bytes) const
{
    const char *begin = static_cast<const char *>(memory);
    auto block = blocks_.upper_bound(begin);
    if (block == blocks_.begin())
        return false;
    --block;
    const auto offset = static_cast<size_t>(begin - block->first);
    return offset <= block->second && bytes <= block->second - offset;
}

std::string GuardedMemory::violation() const
{
    if (kHasAsan)
        return "";
    for (const auto &[memory, bytes] : blocks_) {
        const std::string name =
            std::string(kind_) + " buffer of " + std::to_string(bytes) + " bytes: ";
        const size_t before = first_changed(memory - kGuardBytes, kGuardBytes);
        if (before < kGuardBytes)
            return name + "written " + std::to_string(kGuardBytes - before) +
                   " bytes before its start";
        const size_t behind = first_changed(memory + bytes, bytes_behind(bytes));
        if (behind < bytes_behind(bytes))
            return name + "written " + std::to_string(behind) + " bytes behind its end";
    }
    return "";
}

} // namespace emu
} // namespace vmafgpu
