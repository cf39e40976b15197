// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which host memory is pinned: what Device::alloc_host() has returned. Queues ask
// before an upload, since only pinned memory may be read after the call.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>

namespace vmafgpu {

class PinnedRanges {
public:
    void add(const void *memory, size_t bytes)
    {
        ranges_[static_cast<const char *>(memory)] = bytes;
    }
    void remove(const void *memory) { ranges_.erase(static_cast<const char *>(memory)); }

    /// True if all of it lies in one range.
    bool contains(const void *memory, size_t bytes) const
    {
        const char *first = static_cast<const char *>(memory);
        const auto after = ranges_.upper_bound(first);
        if (after == ranges_.begin())
            return false;
        const auto &[start, size] = *std::prev(after);
        return first + bytes <= start + size;
    }

private:
    std::map<const char *, size_t> ranges_; ///< start -> bytes
};

} // namespace vmafgpu
