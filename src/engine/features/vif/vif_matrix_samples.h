// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arranges samples of 16 columns and 32 rows as operands of matrix_u8(), and multiplies them.
// Included by vif_matrix_kernels.cpp only.
//
// Vertical pass: column n of operand j (of 2) is column 2n + j of the sixteen. So the results that
// a lane holds of one row are four neighbouring columns, which it needs for the horizontal pass.
#pragma once

#include "simt/quad.h"
#include "vif_matrix.h"
#include "vif_pixels.h"

namespace vmafgpu {

/// What one lane loads of a strip: four adjacent columns of two rows in each half of the 32 rows.
/// Its partner, the lane that differs in bit 2, loads the other two rows that both need. Then each
/// takes two of the columns.
struct VifStripPlace {
    int32_t rows[2][2];
    int32_t column; ///< the first of the sixteen columns that it loads
    bool is_right;  ///< takes the right two columns

    SIMT_DEVICE VifStripPlace(int y, int height)
    {
        const int lane = lane_id();
        is_right = matrix_b_column(lane) % 2 != 0;
        column = matrix_b_column(lane) / 2 * 4;
        SIMT_UNROLL
        for (int i = 0; i < 4; ++i) {
            const int k = matrix_b_row(lane, i / 2) + (is_right ? 2 : 0) + i % 2;
            rows[i / 2][i % 2] = source_index<Border::kMirror>(y + k, height);
        }
    }
};

/// What a lane loads from one plane: [half][row].
template <typename Sample> struct VifLoaded {
    Quad<Sample> groups[2][2];
};

/// The two planes of a pair.
template <typename Sample> struct VifPlanes {
    using Group = Quad<Sample>;
    const char *data[2];
    int32_t pitch[2];
    int32_t width;
    bool is_aligned; ///< groups of four samples are aligned

    SIMT_DEVICE VifPlanes(const VifPairArgs &pair, int plane_width)
        : data{static_cast<const char *>(pair.reference),
               static_cast<const char *>(pair.distorted)},
          pitch{static_cast<int32_t>(pair.reference_pitch),
                static_cast<int32_t>(pair.distorted_pitch)},
          width(plane_width)
    {
        const auto any =
            reinterpret_cast<uintptr_t>(data[0]) | reinterpret_cast<uintptr_t>(data[1]);
        is_aligned = (any | static_cast<uintptr_t>(pitch[0] | pitch[1])) % sizeof(Group) == 0;
    }

    /// Columns x .. x + 15; x is a multiple of 4.
    SIMT_DEVICE void load(int x, const VifStripPlace &place, VifLoaded<Sample> (&loaded)[2]) const
    {
        // One branch around all loads, so that they are issued together.
        if (is_aligned && x >= 0 && x + kVifStepColumns <= width)
            load_inner(x + place.column, place, loaded);
        else
            load_edge(x + place.column, place, loaded);
    }

private:
    SIMT_DEVICE void load_inner(int x, const VifStripPlace &place,
                                VifLoaded<Sample> (&loaded)[2]) const
    {
        SIMT_UNROLL
        for (int i = 0; i < 8; ++i) {
            const int plane = i / 4, half = i / 2 % 2, row = i % 2;
            const char *from = data[plane] + x * static_cast<int>(sizeof(Sample)) +
                               static_cast<int64_t>(pitch[plane]) * place.rows[half][row];
            loaded[plane].groups[half][row] = load_readonly(reinterpret_cast<const Group *>(from));
        }
    }

    SIMT_DEVICE void load_edge(int x, const VifStripPlace &place,
                               VifLoaded<Sample> (&loaded)[2]) const
    {
        SIMT_UNROLL
        for (int i = 0; i < 8; ++i) {
            const int plane = i / 4, half = i / 2 % 2, row = i % 2;
            const auto *from = reinterpret_cast<const Sample *>(
                data[plane] + static_cast<int64_t>(pitch[plane]) * place.rows[half][row]);
            loaded[plane].groups[half][row] =
                load_quad_across<Sample, Border::kMirror>(from, x, width);
        }
    }
};

/// Two columns of a plane: operand(j) has the samples of column j.
template <typename Sample> struct VifSamples;

/// 8 bits: one word holds four rows of a half.
template <> struct VifSamples<uint8_t> {
    static constexpr int kBytes = 1;
    uint32_t words[2][2];

    /// Exchanges with the partner. [wave]
    SIMT_DEVICE VifSamples(const VifLoaded<uint8_t> &loaded, bool is_right)
    {
        const uint32_t keep_pick = is_right ? 0x7632 : 0x5410;
        const uint32_t give_pick = is_right ? 0x5410 : 0x7632;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            const uint32_t(&rows)[2] = loaded.groups[half];
            const uint32_t keep = byte_permute(rows[0], rows[1], keep_pick);
            const uint32_t got = shfl_xor(byte_permute(rows[0], rows[1], give_pick), 4);
            words[0][half] = byte_permute(keep, got, is_right ? 0x2064 : 0x6420);
            words[1][half] = byte_permute(keep, got, is_right ? 0x3175 : 0x7531);
        }
    }

    SIMT_DEVICE VifOperand<1> operand(int j) const { return {{{{words[j][0], words[j][1]}}}}; }

    /// Products of the samples of two planes, as operand j of the vertical pass.
    SIMT_DEVICE static VifOperand<2> products(const VifSamples &a, const VifSamples &b, int j)
    {
        VifOperand<2> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            // Two products in a word, since the second factors are one byte further up.
            uint32_t pair[2];
            SIMT_UNROLL
            for (int i = 0; i < 2; ++i) {
                const uint32_t u = a.words[j][half] >> (16 * i), v = b.words[j][half] >> (16 * i);
                pair[i] = mul24(u & 0xff, v & 0xff) + mul24(u & 0xff00, v & 0xff00);
            }
            result.byte[0].word[half] = byte_permute(pair[0], pair[1], 0x6420);
            result.byte[1].word[half] = byte_permute(pair[0], pair[1], 0x7531);
        }
        return result;
    }
};

/// 16 bits: two words hold two rows each.
template <> struct VifSamples<uint16_t> {
    static constexpr int kBytes = 2;
    uint32_t words[2][2][2];

    /// Exchanges with the partner. [wave]
    SIMT_DEVICE VifSamples(const VifLoaded<uint16_t> &loaded, bool is_right)
    {
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            uint32_t keep[2], other[2];
            SIMT_UNROLL
            for (int i = 0; i < 2; ++i) {
                const auto left = static_cast<uint32_t>(loaded.groups[half][i]);
                const auto right = static_cast<uint32_t>(loaded.groups[half][i] >> 32);
                keep[i] = is_right ? right : left;
                other[i] = shfl_xor(is_right ? left : right, 4);
            }
            SIMT_UNROLL
            for (int j = 0; j < 2; ++j) {
                const uint32_t pick = j == 0 ? 0x5410 : 0x7632;
                const uint32_t kept = byte_permute(keep[0], keep[1], pick);
                const uint32_t got = byte_permute(other[0], other[1], pick);
                words[j][half][0] = is_right ? got : kept;
                words[j][half][1] = is_right ? kept : got;
            }
        }
    }

    SIMT_DEVICE VifOperand<2> operand(int j) const
    {
        VifOperand<2> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            const uint32_t front = words[j][half][0], back = words[j][half][1];
            result.byte[0].word[half] = byte_permute(front, back, 0x6420);
            result.byte[1].word[half] = byte_permute(front, back, 0x7531);
        }
        return result;
    }

    SIMT_DEVICE static VifOperand<4> products(const VifSamples &a, const VifSamples &b, int j)
    {
        VifOperand<4> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            uint32_t values[4], bytes[4];
            SIMT_UNROLL
            for (int i = 0; i < 2; ++i) {
                const uint32_t u = a.words[j][half][i], v = b.words[j][half][i];
                values[2 * i] = mul24(u & 0xffff, v & 0xffff);
                values[2 * i + 1] = mul24(u >> 16, v >> 16);
            }
            vif_four_bytes(values, bytes);
            SIMT_UNROLL
            for (int k = 0; k < 4; ++k)
                result.byte[k].word[half] = bytes[k];
        }
        return result;
    }
};

} // namespace vmafgpu
