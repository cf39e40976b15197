// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's filters as products of byte matrices. Values are split into bytes and taps into two bytes;
// the sums of the products are then combined. Nothing is rounded before the end of the filter.
// Included by vif_matrix_kernels.cpp and vif_matrix_samples.h.
//
// A value of n bytes has n + 1 sums, the j-th in units of 2^(8j). Each adds at most 2 * 17 products
// of bytes, so no sum comes near 2^31.
//
// matrix_s8() gets bytes of values less 128, that is with the upper bit inverted, and taps divided
// into two signed bytes. All taps add up to 65536, so every byte of a value lacks 128 * 65536.
#pragma once

#include "simt/simt.h"
#include "vif_args.h"
#include "vif_layout.h"

namespace vmafgpu {

/// A lane's taps: see VifTaps.
template <typename Layout> struct VifLaneTaps {
    typename Layout::Taps low, high, next[Layout::kNextTaps];
};

/// One operand for each byte of a value.
template <typename Layout, int bytes> struct VifOperand {
    typename Layout::Values byte[bytes];
};

/// Four bytes of values as the matrix word takes them.
template <typename Layout> SIMT_DEVICE uint32_t vif_matrix_bytes(uint32_t word)
{
    return Layout::kIsSigned ? word ^ 0x80808080u : word;
}

/// What totals of values of so many bytes lack, modulo 2^32.
template <typename Layout> SIMT_DEVICE constexpr uint32_t vif_lack(int bytes)
{
    return !Layout::kIsSigned ? 0 : (bytes == 1 ? 0x00800000u : 0x80800000u);
}

template <typename Layout> SIMT_DEVICE MatrixC vif_product(const typename Layout::Taps &taps,
                                                           const typename Layout::Values &values,
                                                           const MatrixC &sums)
{
    if constexpr (Layout::kIsSigned)
        return matrix_s8(values, taps, sums);
    else
        return matrix_u8(taps, values, sums);
}

/// sums += the product with taps of which `low` and `high` are the bytes.
template <typename Layout, int bytes> SIMT_DEVICE void
vif_add_product(const typename Layout::Taps &low, const typename Layout::Taps &high,
                const VifOperand<Layout, bytes> &values, MatrixC (&sums)[bytes + 1])
{
    sums[0] = vif_product<Layout>(low, values.byte[0], sums[0]);
    SIMT_UNROLL
    for (int j = 1; j < bytes; ++j)
        sums[j] = vif_product<Layout>(low, values.byte[j],
                                      vif_product<Layout>(high, values.byte[j - 1], sums[j]));
    sums[bytes] = vif_product<Layout>(high, values.byte[bytes - 1], sums[bytes]);
}

template <typename Layout, int bytes>
SIMT_DEVICE void vif_multiply(const VifLaneTaps<Layout> &taps,
                              const VifOperand<Layout, bytes> &values, MatrixC (&sums)[bytes + 1])
{
    SIMT_UNROLL
    for (MatrixC &sum : sums)
        sum = {};
    vif_add_product(taps.low, taps.high, values, sums);
}

/// The total of up to three sums, modulo 2^32.
template <typename Layout, int count>
SIMT_DEVICE uint32_t vif_whole(const MatrixC (&sums)[count], int i)
{
    static_assert(count == 2 || count == 3, "32 bits");
    const uint32_t whole = sums[0].word[i] + (sums[1].word[i] << 8);
    return (count == 2 ? whole : whole + (sums[count - 1].word[i] << 16)) +
           vif_lack<Layout>(count - 1);
}

/// round_shift() of the total of five sums, for 0 < shift <= 16. What `low` lacks is more than what
/// its two sums can be below 0.
template <typename Layout>
SIMT_DEVICE uint32_t vif_rounded(const MatrixC (&sums)[5], int i, int shift)
{
    const uint32_t low =
        sums[0].word[i] + (sums[1].word[i] << 8) + ((1u << (shift - 1)) + vif_lack<Layout>(2));
    const uint32_t high =
        sums[2].word[i] + (sums[3].word[i] << 8) + (sums[4].word[i] << 16) + vif_lack<Layout>(2);
    return (high << (16 - shift)) + (low >> shift);
}

/// The totals of the product with the one operand for the next scale: two columns of one row.
template <int bytes> SIMT_DEVICE void vif_next_sums(const VifLaneTaps<VifLayoutU8> &taps,
                                                    const VifOperand<VifLayoutU8, bytes> &values,
                                                    uint32_t (&sums)[2])
{
    const MatrixC zero = {};
    const MatrixC first = vif_product<VifLayoutU8>(taps.next[0], values.byte[0], zero);
    MatrixC second = zero;
    if (bytes == 2)
        second = vif_product<VifLayoutU8>(taps.next[0], values.byte[bytes - 1], zero);
    SIMT_UNROLL
    for (int i = 0; i < 2; ++i) {
        sums[i] = first.word[i] + (first.word[2 + i] << 8);
        if (bytes == 2)
            sums[i] += (second.word[i] << 8) + (second.word[2 + i] << 16);
    }
}

/// Two bytes of each of four values, from bit 8 * first on: a word for each byte position.
template <int first>
SIMT_DEVICE void vif_two_bytes(const uint32_t (&values)[4], uint32_t (&bytes)[2])
{
    constexpr uint32_t kPick = first | (first + 4) << 4 | (first + 1) << 8 | (first + 5) << 12;
    const uint32_t front = byte_permute(values[0], values[1], kPick);
    const uint32_t back = byte_permute(values[2], values[3], kPick);
    bytes[0] = byte_permute(front, back, 0x5410);
    bytes[1] = byte_permute(front, back, 0x7632);
}

/// All bytes of four values: word j has byte j of each.
SIMT_DEVICE void vif_four_bytes(const uint32_t (&values)[4], uint32_t (&bytes)[4])
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

} // namespace vmafgpu
