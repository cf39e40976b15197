// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where an output is written: a regular file under a name that no other output has, on all systems.
// ReportFile and the heatmaps use it. Functions that return int give 0 or an errno value; those
// that open something give -1, and errno says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vmafgpu {

/// Identifies a file. The time of its birth does so after it was deleted, when
/// another file may get its inode; it is 0 where the file system does not know it.
struct FileId {
    uint64_t device = 0, inode = 0;
    int64_t birth_time = 0; ///< in units of the system
    bool is_there() const { return inode != 0; }
    bool operator==(const FileId &b) const
    {
        return device == b.device && inode == b.inode && birth_time == b.birth_time;
    }
};

/// A name, locked against all other outputs, also those of other processes. The new content goes
/// to a temporary file whose name follows from the target's, so that a process that was killed
/// leaves at most one, which the next run replaces.
struct OutputPlace {
    OutputPlace() = default;
    ~OutputPlace();
    OutputPlace(const OutputPlace &) = delete;
    OutputPlace &operator=(const OutputPlace &) = delete;
    int descriptor() const { return temporary >= 0 ? temporary : target; }

    std::string path;           ///< without links in its last part; "": not a regular file
    int folder = -1;            ///< POSIX only: the process may change its own folder
    FileId old;                 ///< the file that had the name at first
    int target = -1;            ///< that file, locked; or what is written directly
    int temporary = -1;         ///< the new content
    std::string temporary_name; ///< "": it has none
    int temporary_code = 0;     ///< why it has none
    std::string in_place;       ///< why the content will be copied into the old file, or ""
    bool accepts_any = false;   ///< replaces what is no log, too, but no video
};

/// Of a target's name in its folder.
std::string temporary_name(const std::string &name);

/// "folder/name.ext" -> "folder/name.<number>.ext", with a shorter name if that would be too long.
std::string numbered_path(const std::string &path, int number);

/// Locks the name; nothing is changed in the file that is there. EBUSY: another output has the
/// name. EEXIST: it is a file of the user. reason: why, in words, if there is more to say than the
/// code.
int take_place(OutputPlace &place, const std::string &path, bool may_overwrite,
               std::string &reason);

/// An empty file under the name, at once.
int begin_in_place(OutputPlace &place);

/// Brings the content to its name and to the disk. If another file has come there, it stays, and
/// the content gets a numbered name: see place.path. EEXIST: it may not.
int finish_place(OutputPlace &place, bool may_overwrite, bool may_number);

/// Makes a folder and its parents.
int make_folders(const std::string &folder);

/// keeps_name: no later output of this process replaces the file.
int close_place(OutputPlace &place, bool keeps_name);

// ------------------------------------- output_place_posix.cpp, output_place_windows.cpp

/// Where the last component of a path begins.
size_t name_begin(const std::string &path);
/// Follows links in the last component, also one whose target does not exist.
int follow_links(std::string &path);
/// "-" or a descriptor of this process, a device, a pipe. is_direct: it is one of these. EAGAIN:
/// nobody has read the pipe for so long.
int open_direct(const std::string &path, int wait_ms, bool &is_direct);

int find_folder(OutputPlace &place);
int lock_temporary(OutputPlace &place);
/// Opens the file that is there, if there is one.
int lock_target(OutputPlace &place);
/// Of the file that has the name now; a link is not followed.
FileId id_of(const OutputPlace &place);
/// Whether this process has the old file open elsewhere.
bool is_open_here(const OutputPlace &place);
/// Opens the file that has the name now.
int open_existing(const OutputPlace &place);
/// A file under the name, locked, if there is none.
int make_target(OutputPlace &place);
/// Decides how the content will come to its name, and where it goes until then.
int prepare_content(OutputPlace &place);
/// EEXIST: a file has the name. After 0 the temporary file has no name of its own.
int rename_temporary(OutputPlace &place, bool may_replace);
/// Room behind the old size, so that the old content stays if there is none.
int reserve(int descriptor, int64_t old_size, int64_t size);
/// Removes the temporary file's name.
void remove_temporary(OutputPlace &place);
/// Before the files are closed: forked children have them, too.
void unlock(const OutputPlace &place);

/// How many bytes were written, at least one. Waits for a pipe that may not wait itself.
int write_some(int descriptor, const char *data, size_t size);
/// From any thread.
int write_at(int descriptor, int64_t offset, const char *data, size_t size);
int synchronise(int descriptor);
int make_folder(const std::string &folder);
bool is_folder(const std::string &path);

} // namespace vmafgpu
