// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the host and the device side of CAMBI's kernels share: arguments and launch
// geometry. Used by cambi_record.cpp and cambi_kernels.cpp; compiled by device
// compilers, so no host library here.
#pragma once

#include <cstdint>

#include "cambi_sums.h"
#include "device/kernel.h"

namespace vmafgpu {

/// A sample of the planes between the kernels is a 10-bit level, with this bit set where
/// the mask leaves it out.
constexpr uint32_t kCambiUnmarked = 0x8000;

/// The bits of a c above 0 less kCambiLowestBits have 27 bits: three digits of nine.
constexpr int kCambiPlaces = 3;
constexpr int kCambiDigitBits = 9;
constexpr int kCambiDigitValues = 1 << kCambiDigitBits;

/// What the blocks of a scale add up. Those of cambi_count:
struct CambiTotals {
    uint64_t units;
    uint64_t larger; ///< cambi_digits: units of the c whose first two digits are too large
    uint32_t nonzero;
    uint32_t unused;
    /// Blocks whose smallest c above 0 has the exponent i - 1.
    uint32_t exponents[16];
    /// cambi_digits: of the c that share all digits before with the k-th largest.
    uint32_t digits[kCambiPlaces][kCambiDigitValues];
};

/// A pair's memory: scratch + i * scratch_stride. It begins with kCambiScales CambiTotals.

/// Pictures to planes of scale 0 before the mode filter, and zeros to the totals.
struct CambiPrepareArgs {
    const void *planes[kMaxBatch];
    int64_t pitches[kMaxBatch]; ///< bytes
    char *scratch;
    int64_t scratch_stride;
    int64_t to;                    ///< offset in the scratch; packed rows
    const int32_t *columns, *rows; ///< sample maps; null: the picture has the target's size
    int32_t width, height;         ///< of the target
    int32_t to_width;              ///< samples of a row of `to`
    int32_t depth;
    int32_t mask_threshold;
    int32_t is_filtered, is_halved;
};

/// A block has rows of threads below each other. A thread makes kCambiPrepareRows rows of its
/// columns of the target; if halved, a quarter of these samples is kept.
constexpr int kCambiPrepareThreads = 128;
constexpr int kCambiPrepareLanes = 32; ///< of a row of threads; its ends only help
constexpr int kCambiPrepareColumns = 8;
constexpr int kCambiPrepareRows = 40;
constexpr int kCambiPrepareWidth = (kCambiPrepareLanes - 2) * kCambiPrepareColumns;
constexpr int kCambiPrepareHeight = kCambiPrepareThreads / kCambiPrepareLanes * kCambiPrepareRows;

/// The mode filter, on every step-th sample of the plane before.
struct CambiModeArgs {
    char *scratch;
    int64_t scratch_stride;
    int64_t from, to; ///< offsets; packed rows
    int32_t from_width, width, height;
    int32_t step;
};

constexpr int kCambiModeThreads = 256;
constexpr int kCambiModeColumns = 4; ///< of a thread
constexpr int kCambiModeRows = 8;
constexpr int kCambiModeWidth = 32 * kCambiModeColumns; ///< of a block
constexpr int kCambiModeHeight = kCambiModeThreads / 32 * kCambiModeRows;

struct CambiScaleArgs {
    int64_t image;     ///< offset in the scratch; packed rows of 16-bit samples
    int64_t contrasts; ///< offset; packed rows of float
    int32_t width, height;
    int32_t first_block; ///< of cambi_count; strips of columns, then runs of rows
    int32_t strips;
};

/// Contrasts and totals.
struct CambiCountArgs {
    CambiScaleArgs scale[kCambiScales];
    char *scratch;
    int64_t scratch_stride;
    const float *reciprocals;
    int32_t thresholds[kCambiMaxSteps];
    int32_t radius, steps, floor;
    int32_t lowest, highest; ///< levels whose c can be above 0
    int32_t rows_per_block;
};

/// A block counts in kCambiColumns columns; its threads first update the counts
/// together, then half of them read what their pixels need while the others fetch the next rows.
constexpr int kCambiCountThreads = 256;
constexpr int kCambiColumns = 128;

/// From the contrasts and totals to the Sums. Where more than top_count c are above 0, a launch of
/// cambi_digits per place finds the smallest c that is pooled, digit by digit. cambi_select sums
/// up.
struct CambiSelectArgs {
    struct Scale {
        int64_t contrasts;   ///< offset
        int64_t count;       ///< of contrasts
        int64_t top_count;   ///< pixels that are pooled
        int32_t first_block; ///< of cambi_digits
    } scale[kCambiScales];
    char *scratch;
    int64_t scratch_stride;
    char *sums; ///< CambiScaleSums of scale 0 of pair 0
    int64_t sums_stride;
    int32_t place; ///< of the digit that cambi_digits counts
};

constexpr int kCambiSelectThreads = 1024;
/// Contrasts of a block of cambi_digits. Fewer clear and add up more histograms.
constexpr int kCambiDigitsPart = 32 * kCambiSelectThreads;

constexpr Kernel<CambiPrepareArgs> kCambiPrepareU8 = {"cambi_prepare_u8", kCambiPrepareThreads};
constexpr Kernel<CambiPrepareArgs> kCambiPrepareU16 = {"cambi_prepare_u16", kCambiPrepareThreads};
constexpr Kernel<CambiModeArgs> kCambiMode = {"cambi_mode", kCambiModeThreads};
constexpr Kernel<CambiCountArgs> kCambiCount = {"cambi_count", kCambiCountThreads};
constexpr Kernel<CambiSelectArgs> kCambiDigits = {"cambi_digits", kCambiSelectThreads};
constexpr Kernel<CambiSelectArgs> kCambiSelect = {"cambi_select", kCambiSelectThreads};

} // namespace vmafgpu
