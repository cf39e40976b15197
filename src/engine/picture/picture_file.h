// SPDX-License-Identifier: BSD-2-Clause-Patent
// Files of raw pictures that a feature writes besides its scores, as the feature sees them. How
// they are opened and protected is in output/report_file.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vmafgpu {

/// Functions throw Error, which names the file.
class PictureFile {
public:
    virtual ~PictureFile() = default;

    /// Writes bytes, from any thread. Bytes that nobody writes are 0.
    virtual void write(int64_t offset, const void *data, size_t size) = 0;
    /// Removes what lies behind so many bytes.
    virtual void cut(int64_t size) = 0;
    /// Nothing is written any more. Tells of failures that the system reports late.
    virtual void close() = 0;
};

using PictureFiles = std::vector<std::unique_ptr<PictureFile>>;
/// Opens empty files of these names in a folder, which is made if it is not there.
using OpenPictureFiles =
    std::function<PictureFiles(const std::string &folder, const std::vector<std::string> &names)>;

} // namespace vmafgpu
