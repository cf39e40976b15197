// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a strip of VIF lies in the operands of matrix_u8() and of matrix_s8(): the places, and the
// bytes of the taps. What is computed with them is the same and is in vif_matrix_kernels.cpp; how
// lanes exchange samples is in vif_matrix_samples.h. Included by these and by vif_record.cpp.
//
// Vertical pass: 32 rows of samples times the taps of 16 rows, for 16 columns, in kParts products.
// Horizontal pass: 32 columns times the taps of 16 columns, for 16 rows, in kParts products. Byte e
// of word w of a lane is place group(lane) * 4 + 16 * w + e of the 32, for samples and for taps. So
// a lane has four neighbouring columns of a row after the vertical pass, and these are its part of
// the operand of the horizontal pass: nothing is exchanged in between.
#pragma once

#include "simt/simt.h"

namespace vmafgpu {

/// Unsigned bytes; samples are the second operand, taps the first.
struct VifLayoutU8 {
    using Taps = MatrixA;
    using Values = MatrixB;
    static constexpr int kLanes = MatrixU8::kLanes;
    static constexpr int kParts = 2; ///< each is half of a strip's rows or of a step's columns
    static constexpr bool kIsSigned = false;
    static constexpr int kScales = 2;   ///< the first ones; the others have too few taps
    static constexpr int kNextTaps = 1; ///< see VifTaps

    SIMT_HOST_DEVICE static constexpr int group(int lane) { return lane % 4; }
    /// Column of the samples' operand, or row of the strip's part.
    SIMT_HOST_DEVICE static constexpr int line(int lane) { return matrix_b_column(lane); }
    SIMT_HOST_DEVICE static constexpr int place(int lane, int word)
    {
        return matrix_b_row(lane, word);
    }
    SIMT_HOST_DEVICE static constexpr int tap_row(int lane, int word)
    {
        return matrix_a_row(lane, word);
    }
    SIMT_HOST_DEVICE static constexpr int tap_place(int lane, int word)
    {
        return matrix_a_column(lane, word);
    }
    /// Of pixel i of a part.
    SIMT_HOST_DEVICE static constexpr int pixel_row(int lane, int i)
    {
        return matrix_c_column(lane, i);
    }
    SIMT_HOST_DEVICE static constexpr int pixel_column(int lane, int i)
    {
        return matrix_c_row(lane, i);
    }
};

/// Signed bytes; samples are the first operand, taps the second. The order of the 32 places is not
/// that of matrix_line_place(): only that samples and taps have the same one matters.
struct VifLayoutS8 {
    using Taps = MatrixLine;
    using Values = MatrixLine;
    static constexpr int kLanes = MatrixS8::kLanes;
    static constexpr int kParts = 1;
    static constexpr bool kIsSigned = true;
    static constexpr int kScales = 1;
    static constexpr int kNextTaps = 4;

    SIMT_HOST_DEVICE static constexpr int group(int lane) { return lane / 16; }
    SIMT_HOST_DEVICE static constexpr int line(int lane) { return matrix_line(lane); }
    SIMT_HOST_DEVICE static constexpr int place(int lane, int word)
    {
        return group(lane) * 4 + word * 16;
    }
    SIMT_HOST_DEVICE static constexpr int tap_row(int lane, int) { return matrix_line(lane); }
    SIMT_HOST_DEVICE static constexpr int tap_place(int lane, int word)
    {
        return place(lane, word);
    }
    SIMT_HOST_DEVICE static constexpr int pixel_row(int lane, int i)
    {
        return matrix_sum_row(lane, i);
    }
    SIMT_HOST_DEVICE static constexpr int pixel_column(int lane, int)
    {
        return matrix_sum_column(lane);
    }
};

template <typename Kind> struct VifLayoutOf;
template <> struct VifLayoutOf<MatrixU8> {
    using Type = VifLayoutU8;
};
template <> struct VifLayoutOf<MatrixS8> {
    using Type = VifLayoutS8;
};

/// Operands of taps. Row i has the taps of the strip's row or the step's column i, from place
/// i + 8 - kVifHalf[scale] on: one operand of their lower and one of their upper bytes. The rest is
/// for the next scale, whose row i has the taps from place 2 * i + 8 - kVifHalf[scale + 1] on:
///   matrix_u8(): one operand; rows 0 to 7 are the lower bytes of rows 0 to 7, rows 8 to 15 the
///       upper bytes.
///   matrix_s8(): lower bytes, upper bytes; then both in rows 8 to 15. The other rows are 0.
enum VifTaps { kVifTapsLow, kVifTapsHigh, kVifTapsNext };

template <typename Layout> SIMT_HOST_DEVICE constexpr int vif_taps_count()
{
    return kVifTapsNext + Layout::kNextTaps;
}

/// Bytes of a layout's taps for one scale.
template <typename Layout> SIMT_HOST_DEVICE constexpr int vif_taps_bytes()
{
    return vif_taps_count<Layout>() * Layout::kLanes *
           static_cast<int>(sizeof(typename Layout::Taps));
}

} // namespace vmafgpu
