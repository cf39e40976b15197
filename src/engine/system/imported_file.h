// SPDX-License-Identifier: BSD-2-Clause-Patent
// A file descriptor of another driver's memory while CUDA or HIP imports it. Both backends use it.
// imported_file_posix.cpp and imported_file_windows.cpp; the import itself is the backend's.
#pragma once

#include <cstdint>

namespace vmafgpu {

/// A duplicate of a descriptor. It is closed at the end if it still is the same file: some
/// drivers take the descriptor over on success, others do not.
class ImportedFile {
public:
    /// Throws Error(EINVAL), or Error(ENOTSUP) where drivers have no descriptors.
    explicit ImportedFile(int fd);
    ~ImportedFile();
    ImportedFile(const ImportedFile &) = delete;
    ImportedFile &operator=(const ImportedFile &) = delete;

    int fd() const { return fd_; }
    /// The driver has taken the descriptor over, and may use it for as long as it likes.
    void release() { fd_ = -1; }

private:
    int fd_;
    uint64_t device_ = 0;
    uint64_t inode_ = 0;
};

} // namespace vmafgpu
