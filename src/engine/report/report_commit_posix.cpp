// SPDX-License-Identifier: BSD-2-Clause-Patent
// The end of a ReportFile on POSIX: its content comes to its name, and to the disk.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "report/file_guard.h"
#include "report/file_place.h"
#include "report/report_file.h"

namespace vmafgpu {

void ReportFile::synchronise(int descriptor) const
{
    // Some file systems cannot do it, and devices have nothing to do.
    if (fsync(descriptor) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
        fail(errno);
}

/// Whether the file that has the name now is one of the user. The constructor looked, too; since
/// then another file may have come, or another content into the same file.
bool ReportFile::is_to_keep()
{
    target_.is_there = fstatat(target_.folder, target_.name.c_str(), &target_.info, 0) == 0;
    if (may_overwrite_ || !target_.is_there)
        return false;
    const bool is_same = start_.inode != 0 && target_.info.st_dev == start_.device &&
                         target_.info.st_ino == start_.inode;
    return is_same ? is_media(target_) : !reason_to_keep(target_).empty();
}

/// A file of the user stays; the log gets a numbered name, which is claimed, too.
void ReportFile::avoid_new_file()
{
    bool is_free = true;
    for (int number = 1; !is_free || is_to_keep(); ++number) {
        path_ = numbered_path(real_path_, number);
        target_.name = path_.substr(name_begin(path_));
        FileClaim claim;
        is_free = !has_claim_ || claim.take(target_);
        if (is_free)
            claim_.swap(claim);
    }
}

/// Opens the file that has the name now, if it is not the one that is open.
void ReportFile::open_target()
{
    struct stat open = {};
    if (in_place_ >= 0 && target_.is_there && fstat(in_place_, &open) == 0 &&
        open.st_dev == target_.info.st_dev && open.st_ino == target_.info.st_ino)
        return;
    if (in_place_ >= 0)
        close(in_place_);
    // A link, a pipe or another file that has just come is not what was looked at.
    in_place_ = above_standard(openat(target_.folder, target_.name.c_str(),
                                      O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                                          (target_.is_there ? 0 : O_CREAT | O_EXCL),
                                      0666));
    if (in_place_ < 0 || fstat(in_place_, &open) != 0)
        fail(errno);
    if (!S_ISREG(open.st_mode))
        fail(EEXIST);
    if (target_.is_there &&
        (open.st_dev != target_.info.st_dev || open.st_ino != target_.info.st_ino))
        fail(EEXIST);
}

void ReportFile::copy_into_target()
{
    avoid_new_file();
    open_target();
    if (const int code = lock_file(in_place_))
        fail(code);
    if (const int code = copy_content(descriptor_, in_place_))
        fail(code);
    synchronise(in_place_);
    is_regular_ = true;
}

void ReportFile::finish_temporary()
{
    avoid_new_file();
    synchronise(descriptor_);
    if (const int code = rename_temporary(target_, descriptor_, temporary_)) {
        if (!target_.is_there)
            fail(code);
        copy_into_target();
        return;
    }
    const int folder = openat(target_.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return; // it may be written, but not read
    const int status = fsync(folder);
    const int code = errno;
    close(folder);
    if (status != 0 && code == EIO)
        fail(code);
}

} // namespace vmafgpu
