// SPDX-License-Identifier: BSD-2-Clause-Patent
// A tile of samples with its halo: the way into shared memory and through VIF's vertical pass.
// There is one type for 8-bit and one for 16-bit samples. Both give a thread the moments and
// next-scale values of its column: one value per tile row, or per second row for the next scale
// before its horizontal filter. Included by vif_kernels.cpp only.
#pragma once

#include "simt/quad.h"
#include "vif_args.h"
#include "vif_filter.h"
#include "vif_pixels.h"

namespace vmafgpu {

constexpr int kVifQuads = kVifTileColumns / 4;

/// Samples x .. x + 3 of row y.
template <typename Sample>
SIMT_DEVICE Quad<Sample> vif_load_quad(const DevicePlane &plane, int x, int y)
{
    const auto *row = row_of<Sample, Border::kMirror>(plane, y);
    const bool is_inside = x >= 0 && x + 4 <= plane.width &&
                           reinterpret_cast<uintptr_t>(row + x) % sizeof(Quad<Sample>) == 0;
    return load_quad<Sample, Border::kMirror>(row, x, plane.width, is_inside);
}

/// Samples of a tile. This primary template is for 16 bits: a word holds the reference's sample in
/// its lower half and the distorted one in its upper half.
template <int scale, typename Sample> struct VifTile {
    static constexpr int kHalf = kVifHalf[scale];
    static constexpr int kRows = kVifTileRows + 2 * kHalf;
    static constexpr int kSharedQuads = kRows * kVifQuads;

    /// x, y: position of the tile's first column and row, halo included.
    SIMT_DEVICE static void load(const DevicePlane &reference, const DevicePlane &distorted, int x,
                                 int y, VifQuad *tile)
    {
        for (int i = thread_id(); i < kSharedQuads; i += kVifThreads) {
            const int column = x + 4 * (i % kVifQuads);
            const int row = y + i / kVifQuads;
            const auto r = vif_load_quad<Sample>(reference, column, row);
            const auto d = vif_load_quad<Sample>(distorted, column, row);
            const auto r_low = static_cast<uint32_t>(r), r_high = static_cast<uint32_t>(r >> 32);
            const auto d_low = static_cast<uint32_t>(d), d_high = static_cast<uint32_t>(d >> 32);
            tile[i] = {{byte_permute(r_low, d_low, 0x5410), byte_permute(r_low, d_low, 0x7632),
                        byte_permute(r_high, d_high, 0x5410),
                        byte_permute(r_high, d_high, 0x7632)}};
        }
    }

    /// The samples of this thread's column.
    SIMT_DEVICE explicit VifTile(const VifQuad *tile)
    {
        const auto *words = reinterpret_cast<const uint32_t *>(tile);
        SIMT_UNROLL
        for (int row = 0; row < kRows; ++row)
            pairs_[row] = words[row * kVifTileColumns + thread_id()];
    }

    /// Rounded means of both planes: reference in the lower halves.
    SIMT_DEVICE void means(int depth, uint32_t (&means)[kVifTileRows]) const
    {
        const int shift = vif_shift_mean(scale, depth);
        VifLimbs<kRows> planes;
        planes.take(pairs_);
        SIMT_UNROLL
        for (int row = 0; row < kVifTileRows; ++row) {
            const uint32_t r = round_shift(planes.low.template filter_at<scale>(row, 0), shift);
            const uint32_t d = round_shift(planes.high.template filter_at<scale>(row, 0), shift);
            means[row] = r | d << 16;
        }
    }

    /// Second moments: 0 of the reference, 1 of the distorted plane, 2 of both.
    SIMT_DEVICE void squares(int which, int depth, uint32_t (&moments)[kVifTileRows]) const
    {
        const int a = which == 1 ? 16 : 0, b = which == 0 ? 0 : 16; // bits of a word
        const int shift = vif_shift_square(scale, depth);
        uint32_t products[kRows];
        SIMT_UNROLL
        for (int row = 0; row < kRows; ++row)
            products[row] = (pairs_[row] >> a & 65535) * (pairs_[row] >> b & 65535);
        VifLimbs<kRows> limbs;
        limbs.take(products);
        SIMT_UNROLL
        for (int row = 0; row < kVifTileRows; ++row)
            moments[row] = limbs.template filter_at<scale>(row, shift);
    }

    /// For the next scale; like means().
    SIMT_DEVICE void halve(int depth, uint32_t (&halved)[kVifTileRows / 2]) const
    {
        constexpr int kNext = scale + 1;
        const int shift = vif_shift_mean(scale, depth);
        VifLimbs<kRows> planes;
        planes.take(pairs_);
        SIMT_UNROLL
        for (int row = 0; row < kVifTileRows / 2; ++row) {
            const int first = kHalf - kVifHalf[kNext] + 2 * row;
            const uint32_t r = planes.low.template filter_at<kNext>(first, 0);
            const uint32_t d = planes.high.template filter_at<kNext>(first, 0);
            halved[row] = round_shift(r, shift) | round_shift(d, shift) << 16;
        }
    }

private:
    uint32_t pairs_[kRows];
};

/// 8-bit samples, scale 0 only: a word holds four rows of a column of one plane. The planes are
/// stored one after the other.
template <> struct VifTile<0, uint8_t> {
    static constexpr int kHalf = kVifHalf[0];
    static constexpr int kRows = kVifTileRows + 2 * kHalf;
    static constexpr int kWords = kRows / 4; ///< of a column
    static_assert(kRows % 4 == 0, "whole words");
    static constexpr int kPlaneQuads = kWords * kVifQuads;
    static constexpr int kSharedQuads = 2 * kPlaneQuads;

    SIMT_DEVICE static void load(const DevicePlane &reference, const DevicePlane &distorted, int x,
                                 int y, VifQuad *tile)
    {
        for (int i = thread_id(); i < kSharedQuads; i += kVifThreads) {
            // A reference to one of the two would move both to memory.
            const bool is_distorted = i >= kPlaneQuads;
            const DevicePlane plane = {is_distorted ? distorted.data : reference.data,
                                       is_distorted ? distorted.pitch : reference.pitch,
                                       reference.width, reference.height};
            const int at = is_distorted ? i - kPlaneQuads : i;
            const int column = x + 4 * (at % kVifQuads);
            const int row = y + 4 * (at / kVifQuads);
            uint32_t rows[4] = {};
            load_rows(plane, column, row, rows);
            const uint32_t top_left = byte_permute(rows[0], rows[1], 0x5140);
            const uint32_t bottom_left = byte_permute(rows[2], rows[3], 0x5140);
            const uint32_t top_right = byte_permute(rows[0], rows[1], 0x7362);
            const uint32_t bottom_right = byte_permute(rows[2], rows[3], 0x7362);
            tile[i] = {{byte_permute(top_left, bottom_left, 0x5410),
                        byte_permute(top_left, bottom_left, 0x7632),
                        byte_permute(top_right, bottom_right, 0x5410),
                        byte_permute(top_right, bottom_right, 0x7632)}};
        }
    }

    /// Samples x .. x + 3 of four rows.
    SIMT_DEVICE static void load_rows(const DevicePlane &plane, int x, int y, uint32_t (&rows)[4])
    {
        const bool is_aligned = ((reinterpret_cast<uintptr_t>(plane.data) |
                                  static_cast<uintptr_t>(plane.pitch) | static_cast<uintptr_t>(x)) &
                                 3) == 0;
        if (is_aligned && x >= 0 && x + 4 <= plane.width) {
            SIMT_UNROLL
            for (int r = 0; r < 4; ++r)
                rows[r] = load_readonly(reinterpret_cast<const uint32_t *>(
                    row_of<uint8_t, Border::kMirror>(plane, y + r) + x));
            return;
        }
        // One copy of the code for borders, to keep the kernel within 32 KiB.
        SIMT_NO_UNROLL
        for (int r = 0; r < 4; ++r) {
            rows[0] = rows[1];
            rows[1] = rows[2];
            rows[2] = rows[3];
            rows[3] = vif_load_quad<uint8_t>(plane, x, y + r);
        }
    }

    SIMT_DEVICE explicit VifTile(const VifQuad *tile)
    {
        const auto *words = reinterpret_cast<const uint32_t *>(tile);
        SIMT_UNROLL
        for (int plane = 0; plane < 2; ++plane)
            SIMT_UNROLL
        for (int j = 0; j < kWords; ++j) {
            column_[plane][j] = words[(plane * kWords + j) * kVifTileColumns + thread_id()];
            pairs_[plane][2 * j] = byte_permute(column_[plane][j], 0, 0x4140);
            pairs_[plane][2 * j + 1] = byte_permute(column_[plane][j], 0, 0x4342);
        }
    }

    SIMT_DEVICE void means(int, uint32_t (&means)[kVifTileRows]) const
    {
        SIMT_UNROLL
        for (int row = 0; row < kVifTileRows; ++row)
            means[row] = both_means<0>(row);
    }

    SIMT_DEVICE void squares(int which, int, uint32_t (&moments)[kVifTileRows]) const
    {
        const int a = which == 1 ? 1 : 0, b = which == 0 ? 0 : 1; // planes
        VifHalves<kRows> products = {};
        if (has_dot2_u16()) {
            SIMT_UNROLL
            for (int i = 0; i < kRows / 2; ++i)
                products.word[i] = multiply2_u16(pairs_[a][i], pairs_[b][i]);
        } else {
            SIMT_UNROLL
            for (int row = 0; row < kRows; ++row)
                products.word[row] = mul24(sample(a, row), sample(b, row));
        }
        SIMT_UNROLL
        for (int row = 0; row < kVifTileRows; ++row)
            moments[row] = products.template filter_at<0>(row, 0);
    }

    SIMT_DEVICE void halve(int, uint32_t (&halved)[kVifTileRows / 2]) const
    {
        SIMT_UNROLL
        for (int row = 0; row < kVifTileRows / 2; ++row)
            halved[row] = both_means<1>(kHalf - kVifHalf[1] + 2 * row);
    }

private:
    /// Rounded means of both planes, from row `first` on.
    template <int taps> SIMT_DEVICE uint32_t both_means(int first) const
    {
        return mean<taps>(0, first) | mean<taps>(1, first) << 16;
    }

    template <int taps> SIMT_DEVICE uint32_t mean(int plane, int first) const
    {
        if (has_dot2_u16())
            return vif_filter_pairs_at<taps>(pairs_[plane], first, 128) >> 8;
        return vif_filter_bytes_at<taps>(column_[plane], first, 128) >> 8;
    }

    SIMT_DEVICE uint32_t sample(int plane, int row) const
    {
        return column_[plane][row / 4] >> (8 * (row % 4)) & 255;
    }

    uint32_t column_[2][kWords];    ///< four rows a word
    uint32_t pairs_[2][2 * kWords]; ///< the same, two rows a word; unused without dot2_u16()
};

} // namespace vmafgpu
