// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's filters as products of byte matrices. Values are split into bytes and taps into two bytes;
// the sums of the products are then combined. Nothing is rounded before the end of the filter.
// A subject of its own: how operands lie and are multiplied. vif_matrix_kernels.cpp uses it.
//
// A value of n bytes has n + 1 sums, the j-th in units of 2^(8j). Each adds at most 2 * 17 products
// of bytes, so no sum comes near 2^31.
//
// matrix_s8() gets bytes of values less 128, that is with the upper bit inverted, and taps divided
// into two signed bytes. All taps add up to 65536, so every byte of a value lacks 128 * 65536.
#pragma once

#include "features/vif/vif.h"
#include "features/vif/vif_pixels.h"
#include "simt/quad.h"
#include "simt/simt.h"

namespace vmafgpu::vif {

/// A lane's taps: see TapWords.
template <typename Layout> struct LaneTaps {
    typename Layout::Taps low, high, next[Layout::kNextTaps];
};

/// One operand for each byte of a value.
template <typename Layout, int bytes> struct Operand {
    typename Layout::Values byte[bytes];
};

/// Four bytes of values as the matrix word takes them.
template <typename Layout> SIMT_DEVICE uint32_t matrix_bytes(uint32_t word)
{
    return Layout::kIsSigned ? word ^ 0x80808080u : word;
}

/// Returns the amount that totals of values of so many bytes lack, modulo 2^32.
template <typename Layout> SIMT_DEVICE constexpr uint32_t lack(int bytes)
{
    return !Layout::kIsSigned ? 0 : (bytes == 1 ? 0x00800000u : 0x80800000u);
}

template <typename Layout> SIMT_DEVICE MatrixC product_of(const typename Layout::Taps &taps,
                                                          const typename Layout::Values &values,
                                                          const MatrixC &sums)
{
    if constexpr (Layout::kIsSigned)
        return matrix_s8(values, taps, sums);
    else
        return matrix_u8(taps, values, sums);
}

/// sums += the product with taps of which `low` and `high` are the bytes.
template <typename Layout, int bytes>
SIMT_DEVICE void add_product(const typename Layout::Taps &low, const typename Layout::Taps &high,
                             const Operand<Layout, bytes> &values, MatrixC (&sums)[bytes + 1])
{
    sums[0] = product_of<Layout>(low, values.byte[0], sums[0]);
    SIMT_UNROLL
    for (int j = 1; j < bytes; ++j)
        sums[j] = product_of<Layout>(low, values.byte[j],
                                     product_of<Layout>(high, values.byte[j - 1], sums[j]));
    sums[bytes] = product_of<Layout>(high, values.byte[bytes - 1], sums[bytes]);
}

template <typename Layout, int bytes>
SIMT_DEVICE void multiply(const LaneTaps<Layout> &taps, const Operand<Layout, bytes> &values,
                          MatrixC (&sums)[bytes + 1])
{
    SIMT_UNROLL
    for (MatrixC &sum : sums)
        sum = {};
    add_product(taps.low, taps.high, values, sums);
}

/// The total of up to three sums, modulo 2^32.
template <typename Layout, int count>
SIMT_DEVICE uint32_t whole_part(const MatrixC (&sums)[count], int i)
{
    static_assert(count == 2 || count == 3, "32 bits");
    const uint32_t whole = sums[0].word[i] + (sums[1].word[i] << 8);
    return (count == 2 ? whole : whole + (sums[count - 1].word[i] << 16)) + lack<Layout>(count - 1);
}

/// round_shift() of the total of five sums, for 0 < shift <= 16. What `low` lacks is more than what
/// its two sums can be below 0.
template <typename Layout>
SIMT_DEVICE uint32_t rounded_sum(const MatrixC (&sums)[5], int i, int shift)
{
    const uint32_t low =
        sums[0].word[i] + (sums[1].word[i] << 8) + ((1u << (shift - 1)) + lack<Layout>(2));
    const uint32_t high =
        sums[2].word[i] + (sums[3].word[i] << 8) + (sums[4].word[i] << 16) + lack<Layout>(2);
    return (high << (16 - shift)) + (low >> shift);
}

/// The totals of the product with the one operand for the next scale: two columns of one row.
template <int bytes> SIMT_DEVICE void next_sums(const LaneTaps<LayoutU8> &taps,
                                                const Operand<LayoutU8, bytes> &values,
                                                uint32_t (&sums)[2])
{
    const MatrixC zero = {};
    const MatrixC first = product_of<LayoutU8>(taps.next[0], values.byte[0], zero);
    MatrixC second = zero;
    if (bytes == 2)
        second = product_of<LayoutU8>(taps.next[0], values.byte[bytes - 1], zero);
    SIMT_UNROLL
    for (int i = 0; i < 2; ++i) {
        sums[i] = first.word[i] + (first.word[2 + i] << 8);
        if (bytes == 2)
            sums[i] += (second.word[i] << 8) + (second.word[2 + i] << 16);
    }
}

/// Two bytes of each of four values, from bit 8 * first on: a word for each byte position.
template <int first> SIMT_DEVICE void two_bytes(const uint32_t (&values)[4], uint32_t (&bytes)[2])
{
    constexpr uint32_t kPick = first | (first + 4) << 4 | (first + 1) << 8 | (first + 5) << 12;
    const uint32_t front = byte_permute(values[0], values[1], kPick);
    const uint32_t back = byte_permute(values[2], values[3], kPick);
    bytes[0] = byte_permute(front, back, 0x5410);
    bytes[1] = byte_permute(front, back, 0x7632);
}

/// Separates the bytes of four values: word j has byte j of each.
SIMT_DEVICE void four_bytes(const uint32_t (&values)[4], uint32_t (&bytes)[4])
{
    const uint32_t low_front = byte_permute(values[0], values[1], 0x5140);
    const uint32_t low_back = byte_permute(values[2], values[3], 0x5140);
    const uint32_t high_front = byte_permute(values[0], values[1], 0x7362);
    const uint32_t high_back = byte_permute(values[2], values[3], 0x7362);
    bytes[0] = byte_permute(low_front, low_back, 0x5410);
    bytes[1] = byte_permute(low_front, low_back, 0x7632);
    bytes[2] = byte_permute(high_front, high_back, 0x5410);
    bytes[3] = byte_permute(high_front, high_back, 0x7632);
}

// Arranges samples of 16 columns and 32 rows as operands of the matrix words, and multiplies them.
//
// Vertical pass: line n of operand j (of kParts) is column kParts * n + j of the sixteen. So the
// results that a lane holds of one row are four neighbouring columns, which it needs for the
// horizontal pass.

/// What one lane loads of a strip: four adjacent columns of kParts rows in each half of the 32
/// rows. Its partners, the lanes of lines that differ in the lowest bits, load the other rows that
/// all of them need. Then each takes kParts of the columns.
template <typename Layout> struct StripPlace {
    static constexpr int kRows = Layout::kParts;
    static constexpr int kPartners = 4 / kRows;
    int32_t rows[2][kRows];
    int32_t column;  ///< the first of the sixteen columns that it loads
    int32_t partner; ///< which of them it is; takes the columns from kRows * partner on

    SIMT_DEVICE StripPlace(int y, int height)
    {
        const int lane = lane_id();
        partner = Layout::line(lane) & (kPartners - 1);
        column = Layout::line(lane) / kPartners * 4;
        SIMT_UNROLL
        for (int i = 0; i < 2 * kRows; ++i) {
            const int k = Layout::place(lane, i / kRows) + kRows * partner + i % kRows;
            rows[i / kRows][i % kRows] = source_index<Border::kMirror>(y + k, height);
        }
    }
};

/// Samples that a lane loads from one plane: [half][row].
template <typename Layout, typename Sample> struct LoadedSamples {
    Quad<Sample> groups[2][Layout::kParts];
};

/// The two planes of a pair.
template <typename Layout, typename Sample> struct Planes {
    using Group = Quad<Sample>;
    using Place = StripPlace<Layout>;
    using Loaded = LoadedSamples<Layout, Sample>;
    static constexpr int kRows = Layout::kParts;
    const char *data[2];
    int32_t pitch[2];
    int32_t width;
    bool is_aligned; ///< groups of four samples are aligned

    SIMT_DEVICE Planes(const PairArgs &pair, int plane_width)
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
    SIMT_DEVICE void load(int x, const Place &place, Loaded (&loaded)[2]) const
    {
        // A single branch encloses all loads, so that they are issued together.
        if (is_aligned && x >= 0 && x + kStepColumns <= width)
            load_inner(x + place.column, place, loaded);
        else
            load_edge(x + place.column, place, loaded);
    }

private:
    SIMT_DEVICE void load_inner(int x, const Place &place, Loaded (&loaded)[2]) const
    {
        SIMT_UNROLL
        for (int i = 0; i < 4 * kRows; ++i) {
            const int plane = i / (2 * kRows), half = i / kRows % 2, row = i % kRows;
            const char *from = data[plane] + x * static_cast<int>(sizeof(Sample)) +
                               static_cast<int64_t>(pitch[plane]) * place.rows[half][row];
            loaded[plane].groups[half][row] = load_readonly(reinterpret_cast<const Group *>(from));
        }
    }

    SIMT_DEVICE void load_edge(int x, const Place &place, Loaded (&loaded)[2]) const
    {
        SIMT_UNROLL
        for (int i = 0; i < 4 * kRows; ++i) {
            const int plane = i / (2 * kRows), half = i / kRows % 2, row = i % kRows;
            const auto *from = reinterpret_cast<const Sample *>(
                data[plane] + static_cast<int64_t>(pitch[plane]) * place.rows[half][row]);
            loaded[plane].groups[half][row] =
                load_quad_across<Sample, Border::kMirror>(from, x, width);
        }
    }
};

/// Products of four pairs of bytes: their lower and their upper bytes.
SIMT_DEVICE void products_of(uint32_t a, uint32_t b, uint32_t (&bytes)[2])
{
    // Two products in a word, since the second factors are one byte further up.
    uint32_t pair[2];
    SIMT_UNROLL
    for (int i = 0; i < 2; ++i) {
        const uint32_t u = a >> (16 * i), v = b >> (16 * i);
        pair[i] = mul24(u & 0xff, v & 0xff) + mul24(u & 0xff00, v & 0xff00);
    }
    bytes[0] = byte_permute(pair[0], pair[1], 0x6420);
    bytes[1] = byte_permute(pair[0], pair[1], 0x7531);
}

/// Products of two pairs of words of two values each: their bytes.
SIMT_DEVICE void products_of(const uint32_t (&a)[2], const uint32_t (&b)[2], uint32_t (&bytes)[4])
{
    uint32_t values[4];
    SIMT_UNROLL
    for (int i = 0; i < 2; ++i) {
        values[2 * i] = mul24(a[i] & 0xffff, b[i] & 0xffff);
        values[2 * i + 1] = mul24(a[i] >> 16, b[i] >> 16);
    }
    four_bytes(values, bytes);
}

/// A lane's columns of a plane: operand(j) has the samples of column j, products() those of two
/// planes multiplied.
template <typename Layout, typename Sample> struct StripSamples;

/// 8 bits: one word holds four rows of a half.
template <> struct StripSamples<LayoutU8, uint8_t> {
    static constexpr int kBytes = 1;
    uint32_t words[2][2];

    /// Exchanges with the partner. [wave]
    SIMT_DEVICE StripSamples(const LoadedSamples<LayoutU8, uint8_t> &loaded, int partner)
    {
        const bool is_right = partner != 0;
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

    SIMT_DEVICE Operand<LayoutU8, 1> operand(int j) const
    {
        return {{{{words[j][0], words[j][1]}}}};
    }

    SIMT_DEVICE static Operand<LayoutU8, 2> products(const StripSamples &a, const StripSamples &b,
                                                     int j)
    {
        Operand<LayoutU8, 2> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            uint32_t bytes[2];
            products_of(a.words[j][half], b.words[j][half], bytes);
            result.byte[0].word[half] = bytes[0];
            result.byte[1].word[half] = bytes[1];
        }
        return result;
    }
};

/// 16 bits: two words hold two rows each.
template <> struct StripSamples<LayoutU8, uint16_t> {
    static constexpr int kBytes = 2;
    uint32_t words[2][2][2];

    /// Exchanges with the partner. [wave]
    SIMT_DEVICE StripSamples(const LoadedSamples<LayoutU8, uint16_t> &loaded, int partner)
    {
        const bool is_right = partner != 0;
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

    SIMT_DEVICE Operand<LayoutU8, 2> operand(int j) const
    {
        Operand<LayoutU8, 2> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            const uint32_t front = words[j][half][0], back = words[j][half][1];
            result.byte[0].word[half] = byte_permute(front, back, 0x6420);
            result.byte[1].word[half] = byte_permute(front, back, 0x7531);
        }
        return result;
    }

    SIMT_DEVICE static Operand<LayoutU8, 4> products(const StripSamples &a, const StripSamples &b,
                                                     int j)
    {
        Operand<LayoutU8, 4> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            uint32_t bytes[4];
            products_of(a.words[j][half], b.words[j][half], bytes);
            SIMT_UNROLL
            for (int k = 0; k < 4; ++k)
                result.byte[k].word[half] = bytes[k];
        }
        return result;
    }
};

/// Four lanes have a row of four bytes each; each gets a column. [wave]
SIMT_DEVICE uint32_t transposed(uint32_t row, int partner)
{
    // First two columns of two rows that are two apart, then one column of four rows.
    const uint32_t far = shfl_xor(row, 2);
    const uint32_t two = byte_permute(row, far, partner < 2 ? 0x5410 : 0x3276);
    const uint32_t near = shfl_xor(two, 1);
    return byte_permute(two, near, partner % 2 == 0 ? 0x6240 : 0x3715);
}

template <> struct StripSamples<LayoutS8, uint8_t> {
    static constexpr int kBytes = 1;
    uint32_t words[2]; ///< four rows of each half

    /// Exchanges with the partners. [wave]
    SIMT_DEVICE StripSamples(const LoadedSamples<LayoutS8, uint8_t> &loaded, int partner)
    {
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half)
            words[half] = transposed(loaded.groups[half][0], partner);
    }

    SIMT_DEVICE Operand<LayoutS8, 1> operand(int) const
    {
        return {{{{matrix_bytes<LayoutS8>(words[0]), matrix_bytes<LayoutS8>(words[1])}}}};
    }

    SIMT_DEVICE static Operand<LayoutS8, 2> products(const StripSamples &a, const StripSamples &b,
                                                     int)
    {
        Operand<LayoutS8, 2> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            uint32_t bytes[2];
            products_of(a.words[half], b.words[half], bytes);
            SIMT_UNROLL
            for (int k = 0; k < 2; ++k)
                result.byte[k].word[half] = matrix_bytes<LayoutS8>(bytes[k]);
        }
        return result;
    }
};

template <> struct StripSamples<LayoutS8, uint16_t> {
    static constexpr int kBytes = 2;
    uint32_t words[2][2]; ///< lower and upper bytes of four rows of each half

    /// Exchanges with the partners. [wave]
    SIMT_DEVICE StripSamples(const LoadedSamples<LayoutS8, uint16_t> &loaded, int partner)
    {
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            const auto left = static_cast<uint32_t>(loaded.groups[half][0]);
            const auto right = static_cast<uint32_t>(loaded.groups[half][0] >> 32);
            words[half][0] = transposed(byte_permute(left, right, 0x6420), partner);
            words[half][1] = transposed(byte_permute(left, right, 0x7531), partner);
        }
    }

    SIMT_DEVICE Operand<LayoutS8, 2> operand(int) const
    {
        Operand<LayoutS8, 2> result;
        SIMT_UNROLL
        for (int i = 0; i < 4; ++i)
            result.byte[i % 2].word[i / 2] = matrix_bytes<LayoutS8>(words[i / 2][i % 2]);
        return result;
    }

    SIMT_DEVICE static Operand<LayoutS8, 4> products(const StripSamples &a, const StripSamples &b,
                                                     int)
    {
        Operand<LayoutS8, 4> result;
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            const uint32_t u[2] = {byte_permute(a.words[half][0], a.words[half][1], 0x5140),
                                   byte_permute(a.words[half][0], a.words[half][1], 0x7362)};
            const uint32_t v[2] = {byte_permute(b.words[half][0], b.words[half][1], 0x5140),
                                   byte_permute(b.words[half][0], b.words[half][1], 0x7362)};
            uint32_t bytes[4];
            products_of(u, v, bytes);
            SIMT_UNROLL
            for (int k = 0; k < 4; ++k)
                result.byte[k].word[half] = matrix_bytes<LayoutS8>(bytes[k]);
        }
        return result;
    }
};

} // namespace vmafgpu::vif
