// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a feature divides its scratch memory. The same code counts the bytes and hands out the
// addresses, so that a feature's size and its use of the memory cannot disagree.
#pragma once

#include <cstddef>

#include "base/numeric.h"

namespace vmafgpu {

/// Divides memory into arrays. If there is no memory it only counts: all addresses are null, and
/// size() is the size that is needed.
class Arena {
public:
    /// Cache lines and vectors; what devices need of an area's begin.
    static constexpr size_t kHostAlignment = 64, kDeviceAlignment = 256;

    explicit Arena(void *memory, size_t alignment = kHostAlignment)
        : memory_(static_cast<char *>(memory)), alignment_(alignment)
    {
    }

    /// Room for `count` objects, not initialised.
    template <typename T> T *take(size_t count)
    {
        const size_t at = reserve(count * sizeof(T));
        return memory_ == nullptr ? nullptr : reinterpret_cast<T *>(memory_ + at);
    }

    /// Bytes from the memory's begin to an area of `bytes`.
    size_t reserve(size_t bytes)
    {
        const size_t at = size_;
        size_ += round_up(bytes, alignment_);
        return at;
    }

    size_t size() const { return size_; }

private:
    char *memory_;
    size_t alignment_;
    size_t size_ = 0;
};

/// Bytes that a T needs. T(Arena &, args...) takes its areas from the arena, all of them.
template <typename T, typename... Args> size_t arena_size(const Args &...args)
{
    Arena arena(nullptr);
    T(arena, args...);
    return arena.size();
}

} // namespace vmafgpu
