// SPDX-License-Identifier: BSD-2-Clause-Patent
// What AMD's runtime and its driver have of their own on each system: hip_system_posix.cpp and
// hip_system_windows.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vmafgpu {

/// Names of the runtime, the first to be tried first.
std::vector<std::string> hip_library_names();

/// Where it comes from, for the text that there is none.
std::string hip_source_text();

/// Why the runtime may see no GPU, for texts, and what to do.
std::string hip_visibility_text();

/// A duplicate of a descriptor. It is closed at the end if it still is the same file: some
/// drivers of this interface take the descriptor over on success, others do not.
class ImportedFile {
public:
    /// Throws Error(EINVAL), or Error(ENOTSUP) where drivers have no descriptors.
    explicit ImportedFile(int fd);
    ~ImportedFile();
    ImportedFile(const ImportedFile &) = delete;
    ImportedFile &operator=(const ImportedFile &) = delete;

    int fd() const { return fd_; }

private:
    int fd_;
    uint64_t device_ = 0;
    uint64_t inode_ = 0;
};

} // namespace vmafgpu
