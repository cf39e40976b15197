// SPDX-License-Identifier: BSD-2-Clause-Patent
// ReportFile: its buffer, and what is said of failures. It uses file descriptors instead of stdio,
// so that every failure is seen where it happens, and standard output shares no buffer with other
// code.
#include "report/report_file.h"

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr size_t kBufferSize = size_t{1} << 18;

} // namespace

void ReportFile::refuse(int code, const std::string &reason) const
{
    throw Error(code, "cannot write " + kind_ + " '" + path_ + "': " + reason);
}

void ReportFile::check(int code) const
{
    if (code != 0)
        refuse(code, std::generic_category().message(code));
}

ReportFile::ReportFile(const std::string &path, const FileOptions &options)
    : options_(options), kind_(options.kind), path_(path)
{
    if (path_.empty())
        throw Error(ENOENT, "cannot open " + kind_ + " '': it has no name");
    if (open_direct())
        return;
    take();
    check(options_.is_live ? begin_in_place(place_) : prepare_content(place_));
    if (!options_.is_live && !place_.in_place.empty())
        note_ = kind_ + " '" + path_ + "' is written in place" +
                (place_.target < 0 ? " at the end: " : ": ") + place_.in_place;
}

bool ReportFile::open_direct()
{
    std::string path = path_;
    bool is_direct = false;
    check(path == "-" ? 0 : follow_links(path));
    place_.target = vmafgpu::open_direct(path, is_direct);
    check(is_direct && place_.target < 0 ? errno : 0);
    return is_direct;
}

/// Finds a name that no other output has.
void ReportFile::take()
{
    const std::string asked = path_;
    for (int number = 1;; ++number) {
        std::string reason;
        const int code = take_place(place_, path_, options_.may_overwrite, reason);
        if (code == 0)
            return;
        if (!reason.empty())
            refuse(code, reason + "; to replace it, set overwrite=1 (--overwrite)");
        if (code == EBUSY && !options_.may_number)
            refuse(code, "another output has this name");
        if (code != EBUSY)
            check(code);
        path_ = numbered_path(asked, number);
    }
}

void ReportFile::flush()
{
    if (lost_code_ == 0)
        lost_code_ = write_all(place_.descriptor(), buffer_.data(), buffer_.size());
    buffer_.clear();
    check(lost_code_);
}

void ReportFile::write(std::string_view text)
{
    buffer_.append(text);
    if (options_.is_live || buffer_.size() > kBufferSize)
        flush();
}

void ReportFile::commit(bool is_complete)
{
    flush();
    const std::string before = place_.path;
    check(before.empty()
              ? close_place(place_)
              : finish_place(place_, options_.may_overwrite, options_.may_number, !is_complete));
    if (place_.path != before)
        path_ = place_.path;
}

} // namespace vmafgpu
