// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where an output is written: a regular file under a name that no other output has, on all systems.
// ReportFile and the heatmaps use it. Functions that return int give 0 or an errno value; those
// that open something give -1, and errno says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vmafgpu {

/// Identifies a file as it was: another one may get its inode.
struct FileId {
    uint64_t device = 0, inode = 0;
    int64_t modified = 0; ///< in units of the system
    bool is_there() const { return inode != 0; }
    bool operator==(const FileId &b) const
    {
        return device == b.device && inode == b.inode && modified == b.modified;
    }
};

/// A name that no other output has: the temporary file is locked, also for other processes. Its
/// name follows from the target's, so that a process that was killed leaves at most one, which the
/// next run uses.
struct OutputPlace {
    OutputPlace() = default;
    ~OutputPlace();
    OutputPlace(const OutputPlace &) = delete;
    OutputPlace &operator=(const OutputPlace &) = delete;
    int descriptor() const { return target >= 0 ? target : temporary; }

    std::string path;           ///< without links in its last part; "": not a regular file
    FileId old;                 ///< the file that had the name at first
    int target = -1;            ///< what is written directly
    int temporary = -1;         ///< the new content, if there is no target
    std::string temporary_name; ///< "": it has none
    std::string in_place;       ///< why no other file can take the old one's place, or ""
    bool accepts_any = false;   ///< replaces what is no log, too
};

/// "folder/name.ext" -> "folder/.vmaf_gpu_log.name.ext"
std::string temporary_name(const std::string &path);

/// "folder/name.ext" -> "folder/name.<number>.ext", with a shorter name if that would be too long.
std::string numbered_path(const std::string &path, int number);

/// Locks the name; nothing is changed in the file that is there. EBUSY: another output has the
/// name. EEXIST: it is a file of the user. reason: why, in words, if there is more to say than the
/// code.
int take_place(OutputPlace &place, const std::string &path, bool may_overwrite,
               std::string &reason);

/// An empty file under the name, at once.
int begin_in_place(OutputPlace &place);

/// Decides how the content will come to its name.
int prepare_content(OutputPlace &place);

/// Brings the content to its name and to the disk, and closes it. If another file has come there,
/// it stays, and the content gets a numbered name: see place.path. EEXIST: it may not. keeps_name:
/// no later output of this process replaces the file.
int finish_place(OutputPlace &place, bool may_overwrite, bool may_number, bool keeps_name);

/// Where the descriptor is.
int write_all(int descriptor, const char *data, size_t size);

/// Makes a folder and its parents.
int make_folders(const std::string &folder);

int close_place(OutputPlace &place);

// ------------------------------------- output_place_posix.cpp, output_place_windows.cpp

/// Where the last component of a path begins.
size_t name_begin(const std::string &path);
/// Follows links in the last component, also one whose target does not exist.
int follow_links(std::string &path);
/// "-" or a descriptor of this process, a device, a pipe. is_direct: it is one of these. A pipe
/// waits for its reader.
int open_direct(const std::string &path, bool &is_direct);

/// EBUSY: another output has it.
int lock_temporary(OutputPlace &place);
/// Of the file that has the name now; a link is not followed.
FileId id_of(const std::string &path);
/// Whether this process has the file open.
bool is_open_here(const FileId &id);
/// The old file for writing, or a new one if there was none.
int open_target(const OutputPlace &place);
/// Why the temporary file cannot take the place of the old one, in words, or "". Gives it the old
/// one's mode.
std::string reason_to_copy(const OutputPlace &place);
/// EEXIST: a file has the name. After 0 the temporary file has no name of its own.
int rename_temporary(OutputPlace &place, bool may_replace);
/// Closes the temporary file and removes its name.
int remove_temporary(OutputPlace &place);

/// How many bytes were written, at least one. Waits for a pipe that may not wait itself.
int write_some(int descriptor, const char *data, size_t size);
int synchronise(int descriptor);
int make_folder(const std::string &folder);
bool is_folder(const std::string &path);

} // namespace vmafgpu
