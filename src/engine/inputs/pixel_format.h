// SPDX-License-Identifier: BSD-2-Clause-Patent
// What FFmpeg's name of a pixel format says.
#pragma once

#include <string>
#include <string_view>

namespace vmafgpu {

struct PixelFormat {
    enum class Colour { kYuv, kGray, kRgb };

    Colour colour = Colour::kRgb;
    int chroma = -1; ///< subsampling of YUV: 420, 422, 444, 440 ...; else -1
    int depth = 8;
    bool is_planar = false; ///< YUV of three planes without alpha, in this machine's byte order
    bool is_semi_planar = false;
    bool is_full = false; ///< the name implies full range

    /// FFmpeg's filter libvmaf, and so this project's, takes it without conversion.
    bool is_listed() const;
    /// The listed format of the same samples in another order, or of the nearest ones.
    std::string planar() const;
};

PixelFormat parse_pixel_format(std::string_view name);

bool has_alpha(std::string_view name);

} // namespace vmafgpu
