// SPDX-License-Identifier: BSD-2-Clause-Patent
// Four neighbouring samples of a plane as one unsigned integer, read at once inside the
// plane and one by one across its borders; four floats as one. For kernels that keep four columns
// a thread; what is done with the samples is theirs.
#pragma once

#include "simt/simt.h"

namespace vmafgpu {

/// Four floats that are moved at once.
struct alignas(16) FloatQuad {
    float v[4];
};

/// The integer of a quad: its first sample is in the low bits.
template <typename Sample> struct QuadOf;
template <> struct QuadOf<uint8_t> {
    using Type = uint32_t;
};
template <> struct QuadOf<uint16_t> {
    using Type = uint64_t;
};
template <typename Sample> using Quad = typename QuadOf<Sample>::Type;

/// Sample i of a quad.
template <typename Sample> SIMT_DEVICE int32_t sample_of(Quad<Sample> quad, int i)
{
    return static_cast<Sample>(quad >> (8 * static_cast<int>(sizeof(Sample)) * i));
}

/// A plane in device memory.
struct DevicePlane {
    const char *data; ///< top left sample
    int64_t pitch;    ///< bytes from row to row
    int width, height;
};

/// How a border continues a plane: mirror() or mirror_high_repeat() of numeric.h.
enum class Border { kMirror, kRepeat };

/// The place to read for row or column i of n. Beyond the mirror image no result depends on the
/// sample, but a whole tile is read: any place inside will do.
template <Border border> SIMT_DEVICE int source_index(int i, int n)
{
    const int at = border == Border::kMirror ? mirror(i, n) : mirror_high_repeat(i, n);
    return at < 0 ? 0 : (at >= n ? n - 1 : at);
}

/// Row y of a plane.
template <typename Sample, Border border>
SIMT_DEVICE const Sample *row_of(const DevicePlane &plane, int y)
{
    return reinterpret_cast<const Sample *>(plane.data +
                                            plane.pitch * source_index<border>(y, plane.height));
}

/// Samples x .. x + 3 of a row of `width` samples, one by one.
template <typename Sample, Border border>
SIMT_DEVICE Quad<Sample> load_quad_across(const Sample *row, int x, int width)
{
    Quad<Sample> quad = 0;
    SIMT_UNROLL
    for (int i = 0; i < 4; ++i) {
        const Quad<Sample> sample = load_readonly(row + source_index<border>(x + i, width));
        quad |= sample << (8 * static_cast<int>(sizeof(Sample)) * i);
    }
    return quad;
}

/// Samples x .. x + 3 of a row; one access if is_inside: all four are in the row, and aligned as a
/// quad.
template <typename Sample, Border border>
SIMT_DEVICE Quad<Sample> load_quad(const Sample *row, int x, int width, bool is_inside)
{
    return is_inside ? load_readonly(reinterpret_cast<const Quad<Sample> *>(row + x))
                     : load_quad_across<Sample, border>(row, x, width);
}

} // namespace vmafgpu
