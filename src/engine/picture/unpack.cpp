// SPDX-License-Identifier: BSD-2-Clause-Patent
// See unpack.h. The loops have no branches, so that the compiler vectorises them.
#include "picture/unpack.h"

#include <cstring>

namespace vmafgpu {
namespace {

const unsigned char *picture_row(const VmafGpuPlane &plane, int y)
{
    return static_cast<const unsigned char *>(plane.data) + plane.pitch * y;
}

bool is_tight(const VmafGpuPlane &plane, int sample_bytes)
{
    return plane.step == 0 || plane.step == sample_bytes;
}

bool is_aligned(const VmafGpuPlane &plane)
{
    return reinterpret_cast<uintptr_t>(plane.data) % 2 == 0 && plane.pitch % 2 == 0;
}

bool has_high_bits(const VmafGpuPlane &plane, int width, int height, int depth)
{
    uint16_t bits = 0;
    for (int y = 0; y < height; ++y) {
        const auto *row = reinterpret_cast<const uint16_t *>(picture_row(plane, y));
        for (int x = 0; x < width; ++x)
            bits |= row[x];
    }
    return (bits >> depth) != 0;
}

template <typename From, typename To> void convert_row(const unsigned char *from, int step,
                                                       int width, int shift, unsigned mask,
                                                       int promote, To *to)
{
    for (int x = 0; x < width; ++x) {
        From sample; // memcpy: rows of foreign buffers need not be aligned
        std::memcpy(&sample, from + static_cast<ptrdiff_t>(x) * step, sizeof(sample));
        to[x] = static_cast<To>(((static_cast<unsigned>(sample) >> shift) & mask) << promote);
    }
}

/// Converts a row whose samples lie side by side, where the compiler has vectors.
template <typename From, typename To> void convert_tight_row(const unsigned char *from, int width,
                                                             int shift, unsigned mask, int promote,
                                                             To *to)
{
    convert_row<From, To>(from, sizeof(From), width, shift, mask, promote, to);
}

template <typename From, typename To> void convert(const unsigned char *from, int step, int width,
                                                   int shift, unsigned mask, int promote, void *to)
{
    auto *row = static_cast<To *>(to);
    if (step != static_cast<int>(sizeof(From)))
        convert_row<From, To>(from, step, width, shift, mask, promote, row);
    else if (sizeof(From) == 1 && sizeof(To) == 1)
        std::memcpy(row, from, static_cast<size_t>(width)); // 8 bits: nothing to shift or mask
    else
        convert_tight_row<From, To>(from, width, shift, mask, promote, row);
}

} // namespace

bool is_usable_in_place(const VmafGpuPicture &picture, int plane, const Format &format)
{
    const VmafGpuPlane &source = picture.plane[plane];
    if (picture.depth != format.depth || picture.shift != 0 ||
        !is_tight(source, format.sample_bytes()))
        return false;
    if (format.depth == 8)
        return true;
    return is_aligned(source) &&
           (format.depth == 16 || !has_high_bits(source, format.plane_width(plane),
                                                 format.plane_height(plane), format.depth));
}

void unpack_rows(const VmafGpuPicture &picture, int plane, const Format &format, void *to,
                 size_t pitch, int begin, int end)
{
    const VmafGpuPlane &source = picture.plane[plane];
    const int width = format.plane_width(plane);
    const int from_bytes = picture.depth > 8 ? 2 : 1;
    const int step = source.step == 0 ? from_bytes : source.step;
    const int promote = format.depth - picture.depth;
    const unsigned mask = (1U << picture.depth) - 1;
    for (int y = begin; y < end; ++y) {
        const unsigned char *from = picture_row(source, y);
        char *row = static_cast<char *>(to) + pitch * static_cast<size_t>(y);
        if (format.depth == 8)
            convert<uint8_t, uint8_t>(from, step, width, picture.shift, mask, promote, row);
        else if (from_bytes == 1)
            convert<uint8_t, uint16_t>(from, step, width, picture.shift, mask, promote, row);
        else
            convert<uint16_t, uint16_t>(from, step, width, picture.shift, mask, promote, row);
    }
}

void unpack_plane(const VmafGpuPicture &picture, int plane, const Format &format, void *to,
                  size_t pitch)
{
    unpack_rows(picture, plane, format, to, pitch, 0, format.plane_height(plane));
}

} // namespace vmafgpu
