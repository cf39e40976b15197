// SPDX-License-Identifier: BSD-2-Clause-Patent
// Operands of simt.h's word matrix_u8() and where their elements lie: part of the
// word's definition, the same on every device that has it. Also the plain sum behind
// one element. Included by the dialects, and by hosts that prepare operands.
#pragma once

#include <cstdint>

#include "simt/plain.h"

namespace vmafgpu {

// What one lane holds of the matrices of C += A * B. A word of A or B is four
// neighbouring bytes: of a row of A, of a column of B, the first in the low bits.
struct alignas(16) MatrixA { ///< 16 rows, 32 columns of bytes
    uint32_t word[4];
};
struct alignas(8) MatrixB { ///< 32 rows, 8 columns of bytes
    uint32_t word[2];
};
struct alignas(16) MatrixC { ///< 16 rows, 8 columns of 32-bit sums
    uint32_t word[4];
};

SIMT_HOST_DEVICE constexpr int matrix_a_row(int lane, int word)
{
    return lane / 4 + word % 2 * 8;
}
/// Of the word's first byte.
SIMT_HOST_DEVICE constexpr int matrix_a_column(int lane, int word)
{
    return lane % 4 * 4 + word / 2 * 16;
}
/// Of the word's first byte.
SIMT_HOST_DEVICE constexpr int matrix_b_row(int lane, int word)
{
    return lane % 4 * 4 + word * 16;
}
SIMT_HOST_DEVICE constexpr int matrix_b_column(int lane)
{
    return lane / 4;
}
SIMT_HOST_DEVICE constexpr int matrix_c_row(int lane, int word)
{
    return lane / 4 + word / 2 * 8;
}
SIMT_HOST_DEVICE constexpr int matrix_c_column(int lane, int word)
{
    return lane % 4 * 2 + word % 2;
}

namespace plain {

/// This lane's elements of matrix_u8(). a(lane, word), b(lane, word): operands of the
/// lanes of the wave; every lane calls them with the same `word` at the same time.
template <typename FetchA, typename FetchB> SIMT_HOST_DEVICE inline MatrixC
matrix_u8(int lane, const FetchA &a, const FetchB &b, const MatrixC &c)
{
    MatrixC sums = c;
    for (int i = 0; i < 4; ++i) {
        const int row = matrix_c_row(lane, i), column = matrix_c_column(lane, i);
        for (int k = 0; k < 8; ++k) // four bytes of a row and of a column
            sums.word[i] = dot4_u8(a(row % 8 * 4 + k % 4, i / 2 + k / 4 * 2),
                                   b(column * 4 + k % 4, k / 4), sums.word[i]);
    }
    return sums;
}

} // namespace plain
} // namespace vmafgpu
