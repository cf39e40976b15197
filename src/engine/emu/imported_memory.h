// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory of "another driver" on the emulated device: read-only mappings of file descriptors between
// two inaccessible pages. Tests use memfds. Owned by DeviceState.
#pragma once

#include <cstddef>
#include <map>

namespace vmafgpu {
namespace emu {

class ImportedMemory {
public:
    ImportedMemory() = default;
    ~ImportedMemory();
    ImportedMemory(const ImportedMemory &) = delete;
    ImportedMemory &operator=(const ImportedMemory &) = delete;

    /// The first `bytes` of fd, which is the caller's. Throws Error(EINVAL or ENOMEM).
    void *import(int fd, size_t bytes);
    /// False if there is no such import.
    bool release(void *memory);

    size_t count() const { return mappings_.size(); }

private:
    std::map<void *, size_t> mappings_; ///< address -> bytes of whole pages
};

} // namespace emu
} // namespace vmafgpu
