// SPDX-License-Identifier: BSD-2-Clause-Patent
// Shared memory of the block that runs on one host thread: the declared arrays in order of first
// use, each followed by a guard zone. It is poisoned when a block starts. Used by
// block_runner.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace vmafgpu {
namespace emu {

/// Bytes of shared memory that a block may use: what every supported GPU has.
constexpr size_t kMaxShared = 64 * 1024;

class SharedArena {
public:
    SharedArena();
    ~SharedArena();
    SharedArena(const SharedArena &) = delete;
    SharedArena &operator=(const SharedArena &) = delete;

    /// Forget the arrays, poison what was used.
    void reset();

    /// Returns the array of a tag: the same memory for the same tag. Returns null if it does not
    /// fit.
    void *array(const void *tag, const char *name, size_t bytes, size_t alignment);

    /// Name of an array that was written past its end, or "".
    std::string overrun() const;

private:
    struct Array {
        const void *tag;
        const char *name;
        size_t offset, bytes;
    };

    std::unique_ptr<char[]> memory_;
    std::vector<Array> arrays_;
    size_t end_ = 0;   ///< first byte behind the last guard zone
    size_t bytes_ = 0; ///< asked for so far, without guard zones
};

} // namespace emu
} // namespace vmafgpu
