// SPDX-License-Identifier: BSD-2-Clause-Patent
// See picture_files.h.
#include "report/picture_files.h"

#include <filesystem>

#include "base/error.h"
#include "report/report_file.h"

namespace vmafgpu {

namespace fs = std::filesystem;

PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names)
{
    std::error_code code;
    fs::create_directories(fs::u8path(folder), code);
    if (code)
        throw Error(code.value(),
                    "cannot make the folder '" + folder + "' of heatmaps_path: " + code.message());
    FileOptions options;
    options.kind = "heatmap";
    options.is_raw = true;
    PictureFiles files;
    for (const std::string &name : names) {
        const std::string path = std::string(folder).append("/").append(name);
        if (fs::is_other(fs::u8path(path), code))
            throw Error(EINVAL, "cannot write heatmap '" + path + "': it is a pipe or device");
        files.push_back(std::make_unique<ReportFile>(path, options));
    }
    for (const auto &file : files)
        file->cut(0); // not before all are taken
    return files;
}

} // namespace vmafgpu
