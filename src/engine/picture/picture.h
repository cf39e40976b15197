// SPDX-License-Identifier: BSD-2-Clause-Patent
// Plain data about pictures inside the engine: what a plane is, and which format a context works
// in. unpack.h converts the caller's layouts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vmafgpu {

/// Samples of one plane, LSB-aligned: uint8_t if the format's depth is 8, else
/// uint16_t. Host or device memory, according to who passes it.
struct Plane {
    const void *data; ///< top left sample; nullptr = no picture
    ptrdiff_t pitch;  ///< bytes between rows; may be negative on the host
};

template <typename T> inline const T *plane_row(const Plane &plane, int y)
{
    return reinterpret_cast<const T *>(static_cast<const char *>(plane.data) + plane.pitch * y);
}

enum class Chroma { k400, k420, k422, k444 };

/// The pictures that a context works on; the same for every pair.
struct Format {
    int width = 0;  ///< luma samples
    int height = 0; ///< luma samples
    int depth = 8;  ///< bits per sample, 8..16
    Chroma chroma = Chroma::k400;
    int frame_rate = 0; ///< whole frames per second, rounded down; 0: unknown

    int sample_bytes() const { return depth > 8 ? 2 : 1; }
    int plane_width(int plane) const
    {
        const bool half = plane > 0 && (chroma == Chroma::k420 || chroma == Chroma::k422);
        return half ? (width + 1) / 2 : width;
    }
    int plane_height(int plane) const
    {
        return plane > 0 && chroma == Chroma::k420 ? (height + 1) / 2 : height;
    }
};

/// The largest number of earlier reference pictures that any feature looks back at.
constexpr int kMaxHistory = 2;

/// One pair as a feature sees it. Planes that no feature asked for are null.
struct PairView {
    Plane reference[3];
    Plane distorted[3];
    /// Luma of the reference 1 and 2 pairs earlier; null at a segment's start.
    Plane previous[kMaxHistory];
    /// Cb and Cr of the reference 1 pair earlier. Only what runs on the host has them.
    Plane previous_chroma[2];
    int64_t index = 0; ///< number since open or reset; only what runs on the host has it
};

} // namespace vmafgpu
