// SPDX-License-Identifier: BSD-2-Clause-Patent
// A pair of pictures with chroma in memory, filled from samples of 16 bits. Used by the
// golden tests of what reads chroma.
#pragma once

#include <cstdint>
#include <vector>

#include "picture/picture.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

struct YuvPair {
    explicit YuvPair(const Format &of) : format(of)
    {
        for (auto &picture : planes)
            for (int p = 0; p < 3; ++p)
                picture[p].resize(row_bytes(p) * static_cast<size_t>(format.plane_height(p)));
    }

    size_t row_bytes(int plane) const
    {
        return static_cast<size_t>(format.plane_width(plane) * format.sample_bytes());
    }

    /// `sample` has 16 bits; the highest of them are kept.
    void set(bool is_distorted, int plane, int x, int y, int64_t sample)
    {
        const auto value = static_cast<uint16_t>(sample >> (16 - format.depth));
        unsigned char *row = planes[is_distorted][plane].data() + row_bytes(plane) * y;
        if (format.depth == 8)
            row[x] = static_cast<unsigned char>(value);
        else
            reinterpret_cast<uint16_t *>(row)[x] = value;
    }

    PairView view() const
    {
        PairView pair = {};
        for (int p = 0; p < 3; ++p) {
            pair.reference[p] = {planes[0][p].data(), static_cast<ptrdiff_t>(row_bytes(p))};
            pair.distorted[p] = {planes[1][p].data(), static_cast<ptrdiff_t>(row_bytes(p))};
        }
        return pair;
    }

    VmafGpuPicture picture(bool is_distorted) const
    {
        VmafGpuPicture result = {};
        result.width = format.width;
        result.height = format.height;
        result.depth = format.depth;
        for (int p = 0; p < 3; ++p) {
            result.plane[p].data = planes[is_distorted][p].data();
            result.plane[p].pitch = static_cast<ptrdiff_t>(row_bytes(p));
        }
        return result;
    }

    Format format;
    std::vector<unsigned char> planes[2][3]; ///< reference, distorted; rows without padding
};

} // namespace vmafgpu
