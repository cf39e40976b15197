// SPDX-License-Identifier: BSD-2-Clause-Patent
// Operands of simt.h's words matrix_u8() and matrix_s8() and where their elements lie: part of
// the words' definitions, the same on every device that has one. Also the plain sums behind an
// element. Included by the dialects, and by hosts that prepare operands.
#pragma once

#include <cstdint>

#include "simt/plain.h"

namespace vmafgpu {

// The two words as types: what with_matrix() hands out. A device has one of them at most.
struct MatrixU8 {
    static constexpr int kLanes = 32;
};
struct MatrixS8 {
    static constexpr int kLanes = 64;
};

// ---- matrix_u8()

// What one lane holds of the matrices of C += A * B. A word of A or B is four
// neighbouring bytes: of a row of A, of a column of B, the first in the low bits.
struct alignas(16) MatrixA { ///< 16 rows, 32 columns of bytes
    uint32_t word[4];
};
struct alignas(8) MatrixB { ///< 32 rows, 8 columns of bytes
    uint32_t word[2];
};
/// Sums of 32 bits: 16 rows and 8 columns of matrix_u8(), 16 rows and 16 columns of matrix_s8().
struct alignas(16) MatrixC {
    uint32_t word[4];
};

SIMT_HOST_DEVICE constexpr int matrix_a_row(int lane, int word)
{
    return lane / 4 + word % 2 * 8;
}
/// The column of the word's first byte in the matrix A.
SIMT_HOST_DEVICE constexpr int matrix_a_column(int lane, int word)
{
    return lane % 4 * 4 + word / 2 * 16;
}
/// The row of the word's first byte in the matrix B.
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

// ---- matrix_s8()

/// What one lane holds of an operand of matrix_s8(): eight neighbouring bytes of a line. A line is
/// a row of A or a column of B; both have 16 lines of 32 bytes.
struct alignas(8) MatrixLine {
    uint32_t word[2];
};

SIMT_HOST_DEVICE constexpr int matrix_line(int lane)
{
    return lane % 16;
}
/// The place of the word's first byte in its line.
SIMT_HOST_DEVICE constexpr int matrix_line_place(int lane, int word)
{
    return lane / 16 * 8 + word * 4;
}
SIMT_HOST_DEVICE constexpr int matrix_sum_row(int lane, int word)
{
    return lane / 16 * 4 + word;
}
SIMT_HOST_DEVICE constexpr int matrix_sum_column(int lane)
{
    return lane % 16;
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

/// c + the sum of the products of four signed bytes, modulo 2^32.
SIMT_HOST_DEVICE inline uint32_t dot4_s8(uint32_t a, uint32_t b, uint32_t c)
{
    for (int shift = 0; shift < 32; shift += 8)
        c += static_cast<uint32_t>(static_cast<int8_t>(a >> shift & 255) *
                                   static_cast<int8_t>(b >> shift & 255));
    return c;
}

/// This lane's elements of matrix_s8(), in the same way.
template <typename FetchA, typename FetchB> SIMT_HOST_DEVICE inline MatrixC
matrix_s8(int lane, const FetchA &a, const FetchB &b, const MatrixC &c)
{
    MatrixC sums = c;
    for (int i = 0; i < 4; ++i) {
        const int row = matrix_sum_row(lane, i), column = matrix_sum_column(lane);
        for (int k = 0; k < 8; ++k) // four bytes of a row and of a column
            sums.word[i] =
                dot4_s8(a(row + k / 2 * 16, k % 2), b(column + k / 2 * 16, k % 2), sums.word[i]);
    }
    return sums;
}

} // namespace plain
} // namespace vmafgpu
