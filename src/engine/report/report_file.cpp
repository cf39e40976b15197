// SPDX-License-Identifier: BSD-2-Clause-Patent
// ReportFile: its buffer, and what is said of failures. It uses file descriptors instead of stdio,
// so that every failure is seen where it happens, and standard output shares no buffer with other
// code.
#include "report/report_file.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

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
    buffer_.reserve(options_.is_live ? 4096 : kBufferSize + 4096);
    if (open_direct())
        return;
    take();
    check(options_.is_live ? begin_in_place(place_) : prepare_content(place_));
    if (!place_.in_place.empty())
        note_ = kind_ + " '" + path_ + "' is written in place at the end: " + place_.in_place;
}

bool ReportFile::open_direct()
{
    std::string path = path_;
    bool is_direct = false;
    check(path == "-" ? 0 : follow_links(path));
    place_.target = vmafgpu::open_direct(path, 0, is_direct);
    if (!is_direct || place_.target >= 0)
        return is_direct;
    if (errno != EAGAIN)
        check(errno);
    pipe_ = path;
    return true;
}

/// Finds a name that no other output has, or waits some seconds for the one that was asked for.
void ReportFile::take()
{
    constexpr int kTries = 500;
    constexpr std::chrono::milliseconds kPause(20);
    const std::string asked = path_;
    for (int number = 1;; ++number) {
        std::string reason;
        const int code = take_place(place_, path_, options_.may_overwrite, reason);
        if (code == 0)
            return;
        if (code == EEXIST && !reason.empty())
            refuse(code, reason + "; to replace it, set overwrite=1 (--overwrite)");
        if (code != EBUSY || (!options_.may_number && number == kTries))
            check(code);
        if (options_.may_number)
            path_ = numbered_path(asked, number);
        else
            std::this_thread::sleep_for(kPause);
    }
}

void ReportFile::flush()
{
    if (buffer_.empty())
        return;
    if (place_.descriptor() < 0) {
        bool is_direct = false;
        place_.target = vmafgpu::open_direct(pipe_, options_.reader_wait_ms, is_direct);
        options_.reader_wait_ms = 0; // whoever tries again has waited
        if (place_.target < 0 && errno == EAGAIN)
            refuse(ENXIO, "nobody reads the pipe");
        check(place_.target < 0 ? errno : 0);
    }
    size_t done = 0;
    int written = 0;
    while (written >= 0 && done < buffer_.size()) {
        written = write_some(place_.descriptor(), buffer_.data() + done, buffer_.size() - done);
        done += static_cast<size_t>(written > 0 ? written : 0);
    }
    const int code = errno;
    buffer_.erase(0, done); // after a failure the next call goes on behind what was written
    check(written < 0 ? code : 0);
}

bool ReportFile::truncate(uint64_t size)
{
    const uint64_t written = size_ - buffer_.size();
    if (size >= written) {
        buffer_.resize(static_cast<size_t>(size - written));
    } else {
        if (place_.temporary < 0)
            return false;
        const auto end = static_cast<off_t>(size);
        if (ftruncate(place_.temporary, end) != 0 || lseek(place_.temporary, end, SEEK_SET) != end)
            check(errno);
        buffer_.clear();
    }
    size_ = size;
    return true;
}

void ReportFile::undo(uint64_t size) noexcept
{
    try {
        is_torn_ = !truncate(size);
    } catch (const std::exception &) {
        is_torn_ = true;
    }
}

void ReportFile::write(std::string_view text)
{
    if (is_torn_)
        refuse(EIO, "a part of it was written before, and cannot be taken back");
    if (!buffer_.empty() && (options_.is_live || buffer_.size() + text.size() > kBufferSize))
        flush();
    buffer_.append(text);
    size_ += text.size();
    if (!options_.is_live)
        return;
    try {
        flush();
    } catch (...) {
        if (buffer_.size() < text.size())
            return; // a part of it has left; the next call tells why the rest has not
        buffer_.clear();
        size_ -= text.size();
        throw;
    }
}

void ReportFile::commit(bool is_complete)
{
    flush();
    if (place_.temporary >= 0) {
        const std::string before = place_.path;
        check(finish_place(place_, options_.may_overwrite, options_.may_number));
        if (place_.path != before)
            path_ = place_.path;
    } else if (!place_.path.empty()) {
        check(synchronise(place_.target));
    }
    check(close_place(place_, !is_complete));
}

} // namespace vmafgpu
