// SPDX-License-Identifier: BSD-2-Clause-Patent
// Buffers of the emulated device. They are poisoned when allocated, and lie between two guard zones
// that reveal writes out of bounds. Used for device memory and for pinned host memory.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace vmafgpu {
namespace emu {

class GuardedMemory {
public:
    /// kind: "device" or "host", for messages.
    explicit GuardedMemory(const char *kind) : kind_(kind) {}
    ~GuardedMemory();
    GuardedMemory(const GuardedMemory &) = delete;
    GuardedMemory &operator=(const GuardedMemory &) = delete;

    /// Aligned to 256 bytes. Throws std::bad_alloc. bytes == 0 gives a pointer to nothing.
    void *alloc(size_t bytes);
    /// False if there is no such buffer.
    bool free(void *memory);

    /// True if [memory, memory + bytes) lies in one buffer.
    bool contains(const void *memory, size_t bytes) const;

    /// "" or which buffer was written outside its bounds, and where.
    std::string violation() const;

    size_t count() const { return blocks_.size(); }
    size_t bytes() const { return bytes_; }

private:
    const char *kind_;
    std::map<const char *, size_t> blocks_; ///< start of the user's part -> bytes
    size_t bytes_ = 0;
};

} // namespace emu
} // namespace vmafgpu
