// SPDX-License-Identifier: BSD-2-Clause-Patent
// See picture_files.h.
#include "report/picture_files.h"

#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <system_error>

#include "base/error.h"
#include "report/output_place.h"

namespace vmafgpu {

namespace {

std::string text_of(int code)
{
    return std::generic_category().message(code);
}

[[noreturn]] void refuse(int code, const std::string &path, const std::string &reason)
{
    throw Error(code, "cannot write heatmap '" + path + "': " + reason);
}

class FileOnDisk final : public PictureFile {
public:
    explicit FileOnDisk(std::string path) : path_(std::move(path))
    {
        place_.accepts_any = true; // raw samples begin like nothing
    }

    /// false: somebody writes the file already. Nothing is changed in it.
    bool take()
    {
        std::string reason;
        const int code = take_place(place_, path_, false, reason);
        if (code == EBUSY)
            return false;
        if (!reason.empty())
            refuse(code, path_, reason + "; name another folder");
        check(code);
        return true;
    }

    void begin() { check(begin_in_place(place_)); }
    const std::string &path() const { return path_; }

    void write(int64_t offset, const void *data, size_t size) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        check(lseek(place_.target, offset, SEEK_SET) < 0
                  ? errno
                  : write_all(place_.target, static_cast<const char *>(data), size));
    }

    void cut(int64_t size) override
    {
        const auto now = lseek(place_.target, 0, SEEK_END);
        const bool is_longer = now > size;
        check(now < 0 || (is_longer && ftruncate(place_.target, size) != 0) ? errno : 0);
    }

    void close() override { check(close_place(place_)); }

private:
    void check(int code) const
    {
        if (code != 0)
            refuse(code, path_, text_of(code));
    }

    const std::string path_;
    std::mutex mutex_; ///< of the place in the file
    OutputPlace place_;
};

} // namespace

PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names,
                                const Log &log)
{
    const int code = make_folders(folder);
    if (code == EEXIST && !is_folder(folder))
        throw Error(ENOTDIR, "cannot write heatmaps to '" + folder + "': it is not a folder");
    if (code != 0 && !is_folder(folder))
        throw Error(code,
                    "cannot make the folder '" + folder + "' of heatmaps_path: " + text_of(code));
    std::vector<std::unique_ptr<FileOnDisk>> all; // under their names, or with a number in all
    for (int number = 0; all.size() < names.size();) {
        const std::string path = folder + "/" + names[all.size()];
        all.push_back(
            std::make_unique<FileOnDisk>(number == 0 ? path : numbered_path(path, number)));
        if (all.back()->take())
            continue;
        all.clear();
        ++number;
    }
    for (const auto &file : all)
        file->begin(); // not before all are taken
    if (!names.empty() && all[0]->path() != folder + "/" + names[0])
        log(VMAFGPU_LOG_WARNING, "the heatmaps in '" + folder +
                                     "' are written by another feature, filter or process; "
                                     "these are written as '" +
                                     all[0]->path() + "' and so on");
    PictureFiles files;
    for (auto &file : all)
        files.push_back(std::move(file));
    return files;
}

} // namespace vmafgpu
