// SPDX-License-Identifier: BSD-2-Clause-Patent
// A picture of a video, reduced and converted to RGB, as a PNG file in memory. Which picture is not
// decided here.
#pragma once

#include <string>
#include <string_view>

#include "picture/picture.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

constexpr int kThumbnailSize = 320; ///< the longer side at most

/// How the samples of a video become RGB.
struct RgbRule {
    const char *matrix; ///< its name
    double red, blue;   ///< shares of luma: Kr and Kb of ITU-T H.273
    bool is_from_file;  ///< the file names it; else it is guessed by the size
    bool is_full_range;

    /// "converted by BT.709 (as the file says), limited range"
    std::string text() const;
};

/// matrix: FFmpeg's name; "" or one that is not known: by the size.
RgbRule rgb_rule(const VmafGpuPicture &picture, std::string_view matrix, bool is_full_range);

struct Thumbnail {
    int width = 0, height = 0;
    std::string png = {}; ///< a file; "": there is no picture
};

/// Each pixel is the mean of the samples that it covers. picture is in host memory. Throws
/// Error(ENOSYS) in a build without zlib.
Thumbnail make_thumbnail(const VmafGpuPicture &picture, Chroma chroma, const RgbRule &rule);

} // namespace vmafgpu
