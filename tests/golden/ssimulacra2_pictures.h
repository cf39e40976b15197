// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures by formula, for tests of ssimulacra2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "yuv_pair.h"

namespace vmafgpu {

inline uint32_t ssimulacra2_hash(int x, int y, int c)
{
    uint32_t u = static_cast<uint32_t>(x) * 2654435761u ^ static_cast<uint32_t>(y) * 2246822519u ^
                 static_cast<uint32_t>(c) * 3266489917u;
    u ^= u >> 15;
    u *= 2246822519u;
    u ^= u >> 13;
    u *= 3266489917u;
    return u ^ u >> 16;
}

/// Samples of 8 bits of both pictures: plane c is R, G or B.
class Ssimulacra2Pictures {
public:
    Ssimulacra2Pictures(int width, int height, int content, int distortion)
        : width_(width), height_(height), content_(content), distortion_(distortion)
    {
    }

    int sample(bool is_distorted, int x, int y, int c) const
    {
        return is_distorted ? std::clamp(distorted(x, y, c), 0, 255) : reference(x, y, c);
    }

private:
    static int mirrored(int t, int p)
    {
        const int at = t % (2 * p);
        return at < p ? at : 2 * p - 1 - at;
    }
    static int noise(int x, int y, int c, uint32_t mask)
    {
        return static_cast<int>(ssimulacra2_hash(x, y, c) & mask);
    }

    int reference(int x, int y, int c) const
    {
        switch (content_) {
        case 0:
            return (2 * mirrored(x + 17 * c, 96) + mirrored(y + 31 * c, 64) + noise(x, y, c, 15)) &
                   255;
        case 1:
            return noise(x, y, c, 255);
        case 2:
            return ((x >> 3) + (y >> 3) + c) % 3 * 100 + 20;
        case 3:
            return (255 * x / (width_ - 1) * (c + 1) + 3 * y) & 255;
        case 4:
            return c == 0 ? 128 : (c == 1 ? 64 : 200);
        case 5:
            return noise(x >> 2, y >> 2, c, 127) + 64 + noise(x, y, 7, 7);
        case 6:
            return mirrored(x * x / 64 + y * y / 64 + 40 * c, 256);
        default:
            return ((x ^ y) & 1) * 255;
        }
    }

    int distorted(int x, int y, int c) const
    {
        const int r = reference(x, y, c);
        switch (distortion_) {
        case 0:
            return r;
        case 1:
            return (r & ~7) + 4;
        case 2:
            return r + noise(x, y, c + 11, 15) - 8;
        case 3: {
            int sum = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    sum += reference(std::clamp(x + dx, 0, width_ - 1),
                                     std::clamp(y + dy, 0, height_ - 1), c);
            return sum / 9;
        }
        case 4:
            return reference(x & ~7, y & ~7, c);
        case 5:
            return 255 - r;
        case 6:
            return r + 1 + (c == 1 ? 1 : 0);
        default:
            return reference(std::min(x + 1, width_ - 1), y, c);
        }
    }

    int width_, height_, content_, distortion_;
};

/// Planes of G, B and R.
inline YuvPair ssimulacra2_rgb_pair(const Ssimulacra2Pictures &pictures, const Format &format)
{
    YuvPair pair(format);
    for (const bool is_distorted : {false, true})
        for (int p = 0; p < 3; ++p)
            for (int y = 0; y < format.height; ++y)
                for (int x = 0; x < format.width; ++x)
                    pair.set(is_distorted, p, x, y,
                             int64_t{pictures.sample(is_distorted, x, y, (p + 1) % 3)}
                                 << (16 - format.depth));
    return pair;
}

/// The samples as Y', Cb, Cr, each in its limited range; deep ones with noise below.
inline YuvPair ssimulacra2_yuv_pair(const Ssimulacra2Pictures &pictures, const Format &format)
{
    YuvPair pair(format);
    for (const bool is_distorted : {false, true})
        for (int p = 0; p < 3; ++p)
            for (int y = 0; y < format.plane_height(p); ++y)
                for (int x = 0; x < format.plane_width(p); ++x) {
                    const bool is_half = p > 0 && format.chroma != Chroma::k444;
                    const int at_x = is_half ? 2 * x : x;
                    const int at_y = is_half && format.chroma == Chroma::k420 ? 2 * y : y;
                    const int value = 16 + pictures.sample(is_distorted, at_x, at_y, p) *
                                               (p == 0 ? 219 : 224) / 255;
                    const int below = format.depth - 8;
                    const uint32_t mask = (1u << below) - 1;
                    const uint32_t rest =
                        value < 235 ? ssimulacra2_hash(at_x, at_y, p + 20) & mask : 0;
                    pair.set(is_distorted, p, x, y,
                             (int64_t{value} << below | rest) << (16 - format.depth));
                }
    return pair;
}

} // namespace vmafgpu
