// SPDX-License-Identifier: BSD-2-Clause-Patent
// Temporary files, and how their content comes to a name: steps of ReportFile that need nothing
// of it. Functions that return int give 0 or an errno value, unless they open something.
#pragma once

#include <mutex>
#include <string>

#include "report/file_claim.h"

namespace vmafgpu {

/// Why another file must not take the place of the one that is there, or "".
std::string reason_to_stay(const FileTarget &target);

/// A new file of the folder, without a name where the file system can do that, so that nothing is
/// left if the process is killed. name: "" or its name. -1: errno says why.
int open_temporary(int folder, std::string &name);

/// A file without a name, where there is room for one. -1: errno says why.
int open_spool(int folder);

/// Gives a new file owner and mode of another one.
bool copy_owner(const struct stat &from, int file);

/// Puts a temporary file in the place of the target. On failure it is gone from the folder, but
/// still open.
int rename_temporary(const FileTarget &target, int file, std::string &name);

/// The same file with a number above those of standard input, output and error. If these were
/// closed, what the program prints would go into the file. -1 stays -1.
int above_standard(int file);

/// Waits some seconds for another process that writes into the file. EBUSY: it still does.
int lock_file(int file);

/// Replaces the content of a file. If the disk is full, the old content stays.
int copy_content(int from, int to);

/// Removes temporary files of processes that were killed. Opens those of running jobs, too, for a
/// moment, in which they may become logs: with look_mutex(), so that nobody takes that for a use.
void remove_stale_temporaries(int folder);

/// Held while files are open that nobody uses, and by who looks which files are open.
std::mutex &look_mutex();

} // namespace vmafgpu
