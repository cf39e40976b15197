// SPDX-License-Identifier: BSD-2-Clause-Patent
// ReportFile: its buffer, and the order of steps. How it is opened and how the content comes to its
// name is in report_open_posix.cpp, report_commit_posix.cpp and report_file_windows.cpp. It uses
// file descriptors instead of stdio, so that every failure is seen where it happens, and standard
// output shares no buffer with other code.
#include "report/report_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr size_t kBufferSize = size_t{1} << 18;

} // namespace

void ReportFile::fail(int code) const
{
    throw Error(code, "cannot write " + kind_ + " '" + path_ +
                          "': " + std::generic_category().message(code));
}

ReportFile::ReportFile(const std::string &path, const FileOptions &options)
    : kind_(options.kind), path_(path), is_live_(options.is_live),
      may_overwrite_(options.may_overwrite), has_claim_(options.has_claim),
      reader_wait_ms_(options.reader_wait_ms)
{
    if (path_.empty())
        throw Error(ENOENT, "cannot open " + kind_ + " '': it has no name");
    buffer_.reserve(is_live_ ? 4096 : kBufferSize + 4096);
    try {
        open_any(options);
    } catch (...) {
        close_all();
        throw;
    }
}

ReportFile::~ReportFile()
{
    close_all();
}

void ReportFile::flush()
{
    if (buffer_.empty())
        return;
    if (way_ == Way::kPipe && descriptor_ < 0)
        open_pipe();
    size_t done = 0;
    try {
        while (done < buffer_.size())
            done += write_some(buffer_.data() + done, buffer_.size() - done);
    } catch (...) { // the next call goes on behind what was written
        buffer_.erase(0, done);
        throw;
    }
    buffer_.clear();
}

bool ReportFile::take_back(uint64_t size)
{
    const uint64_t written = size_ - buffer_.size();
    if (size >= written) {
        buffer_.resize(static_cast<size_t>(size - written));
    } else {
        if (descriptor_ < 0 || (way_ != Way::kRename && way_ != Way::kCopy))
            return false;
        const auto end = static_cast<off_t>(size);
        if (ftruncate(descriptor_, end) != 0 || lseek(descriptor_, end, SEEK_SET) != end)
            fail(errno);
        buffer_.clear();
    }
    size_ = size;
    return true;
}

void ReportFile::undo(uint64_t size) noexcept
{
    try {
        is_torn_ = !take_back(size);
    } catch (const std::exception &) {
        is_torn_ = true;
    }
}

void ReportFile::write(std::string_view text)
{
    if (is_torn_)
        throw Error(EIO, "cannot write " + kind_ + " '" + path_ +
                             "': a part of it was written "
                             "before, and cannot be taken back");
    if (!buffer_.empty() && (is_live_ || buffer_.size() + text.size() > kBufferSize))
        flush();
    buffer_.append(text);
    size_ += text.size();
    if (!is_live_)
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
    if (way_ == Way::kRename)
        finish_temporary();
    else if (way_ == Way::kCopy)
        copy_into_target();
    else if (is_regular_)
        synchronise(descriptor_);
    if (!target_.name.empty())
        claim_.renew(target_);
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (descriptor >= 0 && close(descriptor) != 0)
        fail(errno);
    close_all();
    if (is_complete)
        claim_.release();
    else
        claim_.keep();
}

} // namespace vmafgpu
