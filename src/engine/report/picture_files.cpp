// SPDX-License-Identifier: BSD-2-Clause-Patent
// See picture_files.h.
#include "report/picture_files.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "report/file_claim.h"
#include "report/file_guard.h"
#include "report/picture_disk.h"

namespace vmafgpu {

namespace {

[[noreturn]] void refuse(int code, const std::string &path, const std::string &reason)
{
    throw Error(code, "cannot write heatmap '" + path + "': " + reason);
}

[[noreturn]] void fail(int code, const std::string &path)
{
    refuse(code, path, std::generic_category().message(code));
}

/// A name that this process has claimed, before anything is changed.
struct Claimed {
    std::string path;
    FileTarget target;
    FileClaim claim;
};

class FileOnDisk final : public PictureFile {
public:
    explicit FileOnDisk(Claimed &claimed) : path_(claimed.path), target_(std::move(claimed.target))
    {
        claim_.swap(claimed.claim);
        try {
            open_target();
        } catch (...) {
            close_quietly();
            throw;
        }
    }
    ~FileOnDisk() override { close_quietly(); }
    FileOnDisk(const FileOnDisk &) = delete;
    FileOnDisk &operator=(const FileOnDisk &) = delete;

    void write(int64_t offset, const void *data, size_t size) override
    {
        check(write_picture(descriptor_, offset, static_cast<const char *>(data), size));
    }

    void cut(int64_t size) override { check(cut_picture(descriptor_, size)); }

    void close() override
    {
        const int descriptor = std::exchange(descriptor_, -1);
        const int code = descriptor >= 0 ? close_picture(descriptor) : 0;
        claim_.release(); // not before: who takes the name next must not find the file open
        check(code);
    }

private:
    void check(int code) const
    {
        if (code != 0)
            fail(code, path_);
    }

    void open_target()
    {
        const int code = open_picture(target_, descriptor_);
        if (code == EBUSY)
            refuse(code, path_, "another process writes it; name another folder");
        check(code);
        claim_.renew(target_);
    }

    void close_quietly()
    {
        if (descriptor_ >= 0)
            close_picture(descriptor_);
        descriptor_ = -1;
    }

    std::string path_;
    FileTarget target_;
    FileClaim claim_;
    int descriptor_ = -1;
};

void make_folder(const std::string &folder)
{
    bool is_other = false;
    if (const int code = make_picture_folder(folder, is_other))
        throw Error(code, "cannot make the folder '" + folder +
                              "' of heatmaps_path: " + std::generic_category().message(code));
    if (is_other)
        throw Error(ENOTDIR, "cannot write heatmaps to '" + folder + "': it is not a folder");
}

/// false: this process writes the file already.
bool claim(const std::string &path, Claimed &claimed)
{
    std::string target = path;
    int code = follow_links(target);
    code = code == 0 ? find_target(target, claimed.target) : code;
    if (code != 0)
        fail(code, path);
    claimed.path = path;
    return claimed.claim.take(claimed.target);
}

void check(const Claimed &claimed)
{
    if (const int code = picture_kind_error(claimed.target))
        fail(code, claimed.path);
    const std::string reason = reason_to_keep(claimed.target);
    if (!reason.empty())
        refuse(EEXIST, claimed.path, reason + "; remove it or name another folder");
}

/// The files under their names, or with a number in all of them.
std::vector<Claimed> claim_all(const std::string &folder, const std::vector<std::string> &names)
{
    for (int number = 0;; ++number) {
        std::vector<Claimed> all(names.size());
        size_t done = 0;
        while (done < names.size()) {
            const std::string path = folder + "/" + names[done];
            if (!claim(number == 0 ? path : numbered_path(path, number), all[done]))
                break;
            ++done;
        }
        if (done == names.size())
            return all;
    }
}

} // namespace

PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names,
                                const Log &log)
{
    make_folder(folder);
    std::vector<Claimed> all = claim_all(folder, names);
    for (const Claimed &claimed : all)
        check(claimed); // before any file is emptied
    PictureFiles files;
    for (Claimed &claimed : all)
        files.push_back(std::make_unique<FileOnDisk>(claimed));
    if (!names.empty() && all[0].path != folder + "/" + names[0])
        log(VMAFGPU_LOG_WARNING, "the heatmaps in '" + folder +
                                     "' are written by another feature or filter of this process; "
                                     "these are written as '" +
                                     all[0].path + "' and so on");
    return files;
}

} // namespace vmafgpu
