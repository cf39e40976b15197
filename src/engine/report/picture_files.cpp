// SPDX-License-Identifier: BSD-2-Clause-Patent
// See picture_files.h.
#include "report/picture_files.h"

#include <filesystem>
#include <mutex>

#include "base/error.h"
#include "report/report_file.h"

namespace vmafgpu {

namespace {

namespace fs = std::filesystem;

class FileOnDisk final : public PictureFile {
public:
    explicit FileOnDisk(const std::string &path) : file_(path, options()) {}

    void write(int64_t offset, const void *data, size_t size) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        file_.write_at(offset, data, size);
    }
    void cut(int64_t size) override { file_.cut(size); }
    void close() override { file_.commit(); }

private:
    static FileOptions options()
    {
        FileOptions options;
        options.kind = "heatmap";
        options.is_raw = true;
        return options;
    }

    std::mutex mutex_; ///< of the place in the file
    ReportFile file_;
};

} // namespace

PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names)
{
    std::error_code code;
    fs::create_directories(fs::u8path(folder), code);
    if (code)
        throw Error(code.value(),
                    "cannot make the folder '" + folder + "' of heatmaps_path: " + code.message());
    PictureFiles files;
    for (const std::string &name : names) {
        const std::string path = folder + "/" + name;
        if (fs::is_other(fs::u8path(path), code))
            throw Error(EINVAL, "cannot write heatmap '" + path + "': it is a pipe or device");
        files.push_back(std::make_unique<FileOnDisk>(path));
    }
    for (const auto &file : files)
        file->cut(0); // not before all are taken
    return files;
}

} // namespace vmafgpu
