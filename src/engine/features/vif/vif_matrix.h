// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's filters as products of byte matrices. Values are split into bytes and taps into two bytes;
// the sums of the products are then combined. Nothing is rounded before the end of the filter.
// Included by vif_matrix_kernels.cpp and vif_matrix_samples.h.
//
// A value of n bytes has n + 1 sums, the j-th in units of 2^(8j). Each adds at most 2 * 17 products
// of bytes, so no sum comes near 2^31.
#pragma once

#include "simt/simt.h"
#include "vif_args.h"

namespace vmafgpu {

/// A lane's taps: see VifTaps.
struct VifLaneTaps {
    MatrixA low, high, next;
};

/// One operand for each byte of a value.
template <int bytes> struct VifOperand {
    MatrixB byte[bytes];
};

template <int bytes> SIMT_DEVICE void
vif_multiply(const VifLaneTaps &taps, const VifOperand<bytes> &values, MatrixC (&sums)[bytes + 1])
{
    const MatrixC zero = {};
    sums[0] = matrix_u8(taps.low, values.byte[0], zero);
    SIMT_UNROLL
    for (int j = 1; j < bytes; ++j)
        sums[j] =
            matrix_u8(taps.low, values.byte[j], matrix_u8(taps.high, values.byte[j - 1], zero));
    sums[bytes] = matrix_u8(taps.high, values.byte[bytes - 1], zero);
}

/// The total of up to three sums, modulo 2^32.
template <int count> SIMT_DEVICE uint32_t vif_whole(const MatrixC (&sums)[count], int i)
{
    static_assert(count == 2 || count == 3, "32 bits");
    const uint32_t whole = sums[0].word[i] + (sums[1].word[i] << 8);
    return count == 2 ? whole : whole + (sums[count - 1].word[i] << 16);
}

/// round_shift() of the total of five sums, for 0 < shift <= 16.
SIMT_DEVICE uint32_t vif_rounded(const MatrixC (&sums)[5], int i, int shift)
{
    const uint32_t low = sums[0].word[i] + (sums[1].word[i] << 8) + (1u << (shift - 1));
    const uint32_t high = sums[2].word[i] + (sums[3].word[i] << 8) + (sums[4].word[i] << 16);
    return (high << (16 - shift)) + (low >> shift);
}

/// The totals of the product with `next`: two columns of one row.
template <int bytes> SIMT_DEVICE void
vif_next_sums(const VifLaneTaps &taps, const VifOperand<bytes> &values, uint32_t (&sums)[2])
{
    const MatrixC zero = {};
    const MatrixC first = matrix_u8(taps.next, values.byte[0], zero);
    MatrixC second = zero;
    if (bytes == 2)
        second = matrix_u8(taps.next, values.byte[bytes - 1], zero);
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
