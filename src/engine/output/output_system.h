// SPDX-License-Identifier: BSD-2-Clause-Patent
// What systems do differently with output files: output_system_posix.cpp,
// output_system_windows.cpp. Functions that return int give 0 or an errno value; those that open
// something give -1, and errno says why.
#pragma once

#include <string>

namespace vmafgpu {

/// "-" or a descriptor of this process, a device, a pipe. is_direct: it is one of these. A pipe
/// waits for its reader. Of other paths, links in the last component are followed.
int open_direct(std::string &path, bool &is_direct);

/// An empty file that is locked, also for other processes: a new one, or the one that a killed
/// process left. EBUSY: another output has it.
int open_locked(const std::string &name);

/// Opens a file for reading and writing. A link is not followed. is_new: no file has the name.
int open_target(const std::string &path, bool is_new);

/// Whether this process has the file of that name open.
bool is_open_here(const std::string &path);

/// Gives the temporary file the old one's mode. Returns false if it cannot have its mode, owner and
/// group, or if the old one has other names.
bool is_made_alike(int temporary, const std::string &old);

/// Renames a file that is open, also on the disk, and empties `from`. EEXIST: a file has the name.
int rename_open(int file, std::string &from, const std::string &to, bool may_replace);

/// Removes the file's name, if it has one, and closes it.
int close_locked(int file, const std::string &name);

/// Brings what was written to the disk.
int synchronise(int descriptor);

} // namespace vmafgpu
