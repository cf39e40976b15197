// SPDX-License-Identifier: BSD-2-Clause-Patent
// Layout, poison and guard zones of an emulated block's shared memory.
#include "emu/shared_arena.h"

#include <algorithm>
#include <cstring>

#include "emu/sanitizer.h"

namespace vmafgpu {
namespace emu {

namespace {

constexpr size_t kGuardBytes = 128;
constexpr size_t kAlignment = 16;
constexpr unsigned char kPoisonByte = 0xa7;
constexpr unsigned char kGuardByte = 0x5c;
// Every array costs a guard zone and alignment: room for a few hundred of them.
constexpr size_t kCapacity = kMaxShared + 256 * (kGuardBytes + kAlignment);

size_t round_up(size_t bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace

SharedArena::SharedArena() : memory_(new char[kCapacity]), end_(kCapacity)
{
    reset();
}

SharedArena::~SharedArena()
{
    allow_access(memory_.get(), kCapacity);
}

void SharedArena::reset()
{
    allow_access(memory_.get(), end_);
    std::memset(memory_.get(), kPoisonByte, end_);
    arrays_.clear();
    end_ = 0;
    bytes_ = 0;
}

void *SharedArena::array(const void *tag, const char *name, size_t bytes, size_t alignment)
{
    for (const Array &array : arrays_) {
        if (array.tag == tag)
            return memory_.get() + array.offset;
    }
    if (alignment > kAlignment || bytes > kMaxShared || bytes_ + bytes > kMaxShared ||
        end_ + round_up(bytes) + kAlignment + kGuardBytes > kCapacity)
        return nullptr;
    const size_t offset = end_;
    bytes_ += bytes;
    // The guard zone begins right behind the array: its last granule is shared.
    const size_t guard = offset + bytes;
    end_ = round_up(guard) + kGuardBytes;
    std::memset(memory_.get() + guard, kGuardByte, end_ - guard);
    forbid_access(memory_.get() + guard, end_ - guard);
    arrays_.push_back({tag, name, offset, bytes});
    return memory_.get() + offset;
}

std::string SharedArena::overrun() const
{
    if (kHasAsan)
        return ""; // caught at the access
    for (size_t i = 0; i < arrays_.size(); ++i) {
        const char *guard = memory_.get() + arrays_[i].offset + arrays_[i].bytes;
        const char *end = memory_.get() + (i + 1 < arrays_.size() ? arrays_[i + 1].offset : end_);
        const bool is_intact = std::all_of(
            guard, end, [](char c) { return static_cast<unsigned char>(c) == kGuardByte; });
        if (!is_intact)
            return arrays_[i].name;
    }
    return "";
}

} // namespace emu
} // namespace vmafgpu
