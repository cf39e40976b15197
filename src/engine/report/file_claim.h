// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which file a path means, and which files this process writes. Two jobs of one process that name
// the same file must not destroy each other's; file_guard.h is about files of the user.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

namespace vmafgpu {

/// What tells a file from all others. The time of its birth does so after it was deleted, when
/// another file may get its inode; it is 0 where the file system does not know it.
struct FileId {
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t born = 0; ///< in nanoseconds
};

/// A file by its folder, so that it stays the same if the process changes its own folder. On
/// Windows there is no descriptor of a folder: `name` is the whole path, and `info` is not used.
struct FileTarget {
    FileTarget() = default;
    ~FileTarget();
    FileTarget(const FileTarget &) = delete;
    FileTarget &operator=(const FileTarget &) = delete;
    FileTarget(FileTarget &&other) noexcept;
    FileTarget &operator=(FileTarget &&other) noexcept;

    int folder = -1; ///< descriptor
    std::string name;
    bool is_there = false;
    struct stat info = {}; ///< if it is there
};

/// All 0 if it is not there.
FileId file_id(const FileTarget &target);
FileId folder_id(const FileTarget &target);

/// Whether two names of one folder are the same.
bool is_same_name(const std::string &a, const std::string &b);

/// Where the last component of a path begins.
size_t name_begin(const std::string &path);

/// Whether the path names a descriptor of this process or another thing of /proc.
bool is_descriptor_path(const std::string &path);

/// Follows links in the last component, also one whose target does not exist. 0 or an errno value.
int follow_links(std::string &path);

/// Opens the folder of a path without links and looks at the file. 0 or an errno value.
int find_target(const std::string &path, FileTarget &target);

/// "folder/name.ext" -> "folder/name.<number>.ext", with a shorter name if that would be too long.
std::string numbered_path(const std::string &path, int number);

/// A file that this process writes. It ends with the object, or stays for the process's life.
class FileClaim {
public:
    FileClaim() = default;
    ~FileClaim() { release(); }
    FileClaim(const FileClaim &) = delete;
    FileClaim &operator=(const FileClaim &) = delete;

    /// false: another claim is on this file.
    bool take(const FileTarget &target);
    /// The file under the name may be another one now.
    void renew(const FileTarget &target);
    void release();
    void swap(FileClaim &other) { std::swap(number_, other.number_); }
    /// Never release it.
    void keep() { number_ = 0; }

private:
    unsigned number_ = 0; ///< 0: none
};

} // namespace vmafgpu
