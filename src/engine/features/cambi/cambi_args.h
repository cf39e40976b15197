// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the host and the device side of CAMBI share: the Sums, how a contrast value becomes an
// integer, the kernels' arguments and launch geometry. A file of its own, because device compilers
// read it and the vectors and texts of cambi.h are not for them.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "features/cambi/cambi_tables.h"

namespace vmafgpu::cambi {

/// The k largest c of one scale. Their sum in units of 2^-24 is exact; libvmaf's is a
/// sum of doubles in the order that its selection leaves. Both are the same if every
/// partial sum fits a double: is_exact_sum(). Otherwise `ordered` is that sum.
struct ScaleSums {
    uint64_t units;
    int32_t exponent; ///< exponent of the smallest summand but 0: 2^exponent <= c; 0 if units is 0
    int32_t is_ordered; ///< 1: `ordered` holds libvmaf's sum
    double ordered;
};

/// The Sums of a pair: distorted picture, reference picture (full_ref only).
struct Sums {
    ScaleSums scale[2][kScales];
};

/// A c above 0 is from 0.5 up and below 2^14.
constexpr uint32_t kLowestBits = 0x3f000000;

/// c in units of 2^-24, from the bits of a c.
SIMT_HOST_DEVICE inline uint64_t units_of(uint32_t bits)
{
    return bits == 0 ? 0
                     : static_cast<uint64_t>((bits & 0x7fffff) | 0x800000) << ((bits >> 23) - 126);
}

SIMT_HOST_DEVICE inline int32_t exponent_of(uint32_t bits)
{
    return static_cast<int32_t>(bits >> 23) - 127;
}

/// A sample of the planes between the kernels is a 10-bit level, with this bit set where
/// the mask leaves it out.
constexpr uint32_t kUnmarkedBit = 0x8000;

/// The bits of a c above 0 less kLowestBits have 27 bits: three digits of nine.
constexpr int kPlaces = 3;
constexpr int kDigitBits = 9;
constexpr int kDigitValues = 1 << kDigitBits;

/// Sums over the blocks of a scale. The first members are written by cambi_count:
struct Totals {
    uint64_t units;
    uint64_t larger; ///< cambi_digits: units of the c whose first two digits are too large
    uint32_t nonzero;
    uint32_t unused;
    /// Blocks whose smallest c above 0 has the exponent i - 1.
    uint32_t exponents[16];
    /// cambi_digits: of the c that share all digits before with the k-th largest.
    uint32_t digits[kPlaces][kDigitValues];
};

/// A pair's memory: scratch + i * scratch_stride. It begins with kScales Totals.

/// Pictures to planes of scale 0 before the mode filter, and zeros to the totals.
struct PrepareArgs {
    const void *planes[kMaxBatch];
    int64_t pitches[kMaxBatch]; ///< bytes
    char *scratch;
    int64_t scratch_stride;
    int64_t to;                    ///< offset in the scratch; packed rows
    const int32_t *columns, *rows; ///< sample maps; null: the picture has the target's size
    int32_t width, height;         ///< size of the target
    int32_t to_width;              ///< samples of a row of `to`
    int32_t depth;
    int32_t mask_threshold;
    int32_t is_filtered, is_halved;
};

/// A block has rows of threads below each other. A thread makes kPrepareRows rows of its
/// columns of the target; if halved, a quarter of these samples is kept.
constexpr int kPrepareThreads = 128;
constexpr int kPrepareLanes =
    32; ///< threads of a row; those at its ends only read for their neighbours
constexpr int kPrepareColumns = 8;
constexpr int kPrepareRows = 40;
constexpr int kPrepareWidth = (kPrepareLanes - 2) * kPrepareColumns;
constexpr int kPrepareHeight = kPrepareThreads / kPrepareLanes * kPrepareRows;

/// The mode filter, on every step-th sample of the plane before.
struct ModeArgs {
    char *scratch;
    int64_t scratch_stride;
    int64_t from, to; ///< offsets; packed rows
    int32_t from_width, width, height;
    int32_t step;
};

constexpr int kModeThreads = 256;
constexpr int kModeThreadColumns = 4; ///< columns of a thread
constexpr int kModeRows = 8;
constexpr int kModeWidth = 32 * kModeThreadColumns; ///< columns of a block
constexpr int kModeHeight = kModeThreads / 32 * kModeRows;

struct ScaleArgs {
    int64_t image;     ///< offset in the scratch; packed rows of 16-bit samples
    int64_t contrasts; ///< offset; packed rows of float
    int32_t width, height;
    int32_t first_block; ///< first block of cambi_count; strips of columns, then runs of rows
    int32_t strips;
};

/// Contrasts and totals.
struct CountArgs {
    ScaleArgs scale[kScales];
    char *scratch;
    int64_t scratch_stride;
    const float *reciprocals;
    int32_t thresholds[kMaxSteps];
    int32_t radius, steps, floor;
    int32_t lowest, highest; ///< levels whose c can be above 0
    int32_t rows_per_block;
};

/// A block counts in kCountColumns columns; its threads first update the counts
/// together, then half of them read what their pixels need while the others fetch the next rows.
constexpr int kCountThreads = 256;
constexpr int kCountColumns = 128;

/// From the contrasts and totals to the Sums. Where more than top_count c are above 0, a launch of
/// cambi_digits per place finds the smallest c that is pooled, digit by digit. cambi_select sums
/// up.
struct SelectArgs {
    struct Scale {
        int64_t contrasts;   ///< offset
        int64_t count;       ///< number of contrasts
        int64_t top_count;   ///< pixels that are pooled
        int32_t first_block; ///< first block of cambi_digits
    } scale[kScales];
    char *scratch;
    int64_t scratch_stride;
    char *sums; ///< ScaleSums of scale 0 of pair 0
    int64_t sums_stride;
    int32_t place; ///< place of the digit that cambi_digits counts
};

constexpr int kSelectThreads = 1024;
/// Contrasts of a block of cambi_digits. Fewer clear and add up more histograms.
constexpr int kDigitsPart = 32 * kSelectThreads;

constexpr Kernel<PrepareArgs> kPrepareU8 = {"cambi_prepare_u8", kPrepareThreads};
constexpr Kernel<PrepareArgs> kPrepareU16 = {"cambi_prepare_u16", kPrepareThreads};
constexpr Kernel<ModeArgs> kModeFilter = {"cambi_mode", kModeThreads};
constexpr Kernel<CountArgs> kCountContrasts = {"cambi_count", kCountThreads};
constexpr Kernel<SelectArgs> kCountDigits = {"cambi_digits", kSelectThreads};
constexpr Kernel<SelectArgs> kSelectSums = {"cambi_select", kSelectThreads};

} // namespace vmafgpu::cambi
