// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "vif": visual information fidelity of the luma at four scales, equal to libvmaf's
// fixed-point VIF. registry.h lists kFeature; the rest is for the files of this folder and for
// tests. docs/numerics/vif-motion.md explains the arithmetic. Device compilers read it, so it uses
// no host library.
#pragma once

#include "features/kit/forms.h"
#include "features/vif/vif_tables.h"

namespace vmafgpu::vif {

extern const FeatureInfo kFeature;

constexpr int kMaxLimits = 2;

/// Sums of one scale of one pair. The fields have the names of libvmaf's accumulators. Logarithms
/// are in units of 1/2048.
struct ScaleSums {
    int64_t num_log[kMaxLimits]; ///< one per gain limit
    int64_t den_log;
    int64_t num_nl; ///< sum of the distorted variances of flat pixels
    int64_t den_nl; ///< number of flat pixels
};

/// Local second moments of a pixel around the local means.
struct Sigma {
    int32_t reference, distorted, both;
};

/// The Sums of a pair.
struct Sums {
    ScaleSums scale[kScales];
};
static_assert(sizeof(Sums) == kScales * 5 * sizeof(int64_t), "Sums must have no padding");

/// What one Feature object computes. Its variants differ only in the gain limit and in whether they
/// skip scale 0.
struct Config {
    double limits[kMaxLimits] = {100.0, 100.0};
    int limit_count = 1;
    bool skip_scale0 = false; ///< all variants skip it: no statistics of scale 0
    Format format;
};

/// Table of log2_units() with kLog2Entries entries, built at the first call.
const uint16_t *log2_table();

struct Forms {
    /// vif_ref.cpp: the oracle. vif_ref.h has its steps. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// vif_cpu.cpp: the same Sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// vif_record.cpp: the same Sums on a device.
    static size_t device_scratch(const Config &config);
    static size_t device_tables(const Config &config);
    static void fill_tables(const Config &config, void *host);
    static void record(const Config &config, Queue &queue, const BatchView &batch);
};

// Functions for one pixel and its local moments. Floating-point operations here must be neither
// contracted nor reordered.

/// log2(v) * 2048 for 65536 <= v. The 16 leading bits are looked up; the others are dropped without
/// rounding (libvmaf: get_best16_from64).
SIMT_HOST_DEVICE inline int32_t log2_units(uint32_t v, const uint16_t *table)
{
    const int shift = 16 - clz32(v);
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): v is 2^17 or more
    return static_cast<int32_t>(table[(v >> shift) - 32768]) + 2048 * shift;
}

/// Second moment minus product of the means. m1 and m2 have 16 more
/// fractional bits than the means of `moment`.
SIMT_HOST_DEVICE inline int32_t second_moment(uint32_t moment, uint32_t m1, uint32_t m2)
{
    const uint64_t product = static_cast<uint64_t>(m1) * m2;
    return static_cast<int32_t>(moment - static_cast<uint32_t>((product + 0x80000000u) >> 32));
}

/// Adds one pixel to the sums (libvmaf: vif_statistic_8, _16). `limits` are the vif_enhn_gain_limit
/// of `count` variants. `table` is what log2_units() takes. `sums` has the fields of ScaleSums,
/// with types wide enough for the caller's number of pixels.
template <typename Table, typename Sums> SIMT_HOST_DEVICE inline void
add_pixel(Sigma sigma, const double *limits, int count, const Table &table, Sums &sums)
{
    const int32_t distorted = sigma.distorted > 0 ? sigma.distorted : 0;
    if (sigma.reference < kNoise) {
        sums.num_nl += distorted;
        sums.den_nl += 1;
        return;
    }
    sums.den_log += log2_units(static_cast<uint32_t>(kNoise + sigma.reference), table);
    sums.den_log -= kLog2Noise;
    if (sigma.both <= 0 || distorted == 0)
        return;

    // The small addend changes quotients near a rounding boundary.
    const double epsilon = 65536 * 1e-10;
    double gain = sigma.both / (sigma.reference + epsilon);
    // The residual uses the gain before the limit is applied.
    const double explained = gain * sigma.both;
    const int32_t residual = static_cast<int32_t>(distorted - explained);
    const uint32_t noise = static_cast<uint32_t>(kNoise + (residual > 0 ? residual : 0));
    const int32_t log_noise = log2_units(noise, table);
    SIMT_UNROLL
    for (int i = 0; i < kMaxLimits; ++i) {
        if (i < count) { // not in the loop condition: kernels need it unrolled
            const double limited = gain < limits[i] ? gain : limits[i];
            const double squared = limited * limited;
            const auto signal = static_cast<uint32_t>(squared * sigma.reference);
            sums.num_log[i] += log2_units(noise + signal, table) - log_noise;
        }
    }
}

// The tasks of the CPU form. vif_simd-inl.h does the work.

/// One picture pair at one scale.
struct Level {
    Plane reference, distorted;
    int width, height;
};

/// One task: rows first to last - 1 of a level, and the corresponding rows of the next level.
/// `first` is a multiple of 4.
struct Strip {
    Level level;
    Level next; ///< next level, which is only written; data is null after the last scale
    int scale, depth;
    int first, last;
    bool statistics;
    const Config *config;
    ScaleSums *sums; ///< overwritten
};

/// The largest number of rows of a strip. The sums of a tile are kept in 32 bits.
constexpr int kCpuStripRows = 128;
/// The largest number of columns of a tile.
constexpr int kMostColumns = 288;

/// Local second moments of pixels, in any order. Entries from `count` to the next multiple of 32
/// must be 0; they do not count.
struct SigmaRow {
    alignas(64) int32_t reference[kMostColumns];
    alignas(64) int32_t distorted[kMostColumns];
    alignas(64) int32_t both[kMostColumns];
};

/// Adds count <= kMostColumns pixels to the sums (vif_cpu.cpp; for tests).
void add_row(const SigmaRow &row, int count, const Config &config, ScaleSums &sums);

// The double arithmetic of add_pixel() as integers, for GPUs on which double takes 16 to 64
// times as long.
//
// With q = both^2 / reference, the double arithmetic computes
//   explained = q / (1 + e) * (1 + a)      |a| < 3.1 * 2^-53
//   signal    = q / (1 + e)^2 * (1 + b)    |b| < 6.1 * 2^-53
// where e = 65536 * 1e-10 / reference, and rounds both to whole numbers: explained upwards (it is
// subtracted from a whole number, with an error of at most 2^-23, before the fraction is dropped),
// signal downwards. Let k be floor(q) and m the remainder of the division, in 0 .. reference - 1.
// Both numbers lie between q - m / reference and the next whole number above q if
//   m > 2 * q * 65536 * 1e-10 + q * reference * 2^-50 + reference * 2^-22   and
//   reference - m > q * reference * 2^-50.
// With reference < 2^31 the terms in q are less than q / 65536. Then explained is k + 1, and signal
// k. If m is 0, epsilon decides, as e is greater than a and b: explained is k, and signal k - 1.
// What lies between is one pixel in some ten thousands, and is left to double arithmetic. There are
// more where the pictures differ by a constant: both is then near reference, and m small.

/// The result that double arithmetic would give for a pixel, if is_sure.
struct Share {
    uint32_t explained; ///< explained part of the distorted variance, rounded up
    uint32_t signal;    ///< signal without a limit of the gain, rounded down
    bool is_sure;
};

/// For reference >= kNoise. `reciprocal` is 1 / reference as a float, wrong by two units in the
/// last place at most. Not sure if the quotient is 2^30 or more. Without branches.
SIMT_HOST_DEVICE inline Share share_of(uint32_t both, uint32_t reference, float reciprocal)
{
    // The estimate is wrong by less than kSlack, so `first` is not above the quotient.
    constexpr uint32_t kSlack = 1024;
    const auto size = static_cast<float>(both);
    const float estimate = size * size * reciprocal;
    const bool is_small = estimate < 0x1p30F;
    const uint32_t whole = is_small ? static_cast<uint32_t>(estimate) : 0;
    const uint32_t first = whole > kSlack ? whole - kSlack : 0;
    const uint64_t factor = is_small ? both : 1; // 1: the remainder is 1, and so not sure
    const uint64_t rest = factor * factor - static_cast<uint64_t>(first) * reference;
    const float rest_size = static_cast<float>(static_cast<uint32_t>(rest >> 32)) * 0x1p32F +
                            static_cast<float>(static_cast<uint32_t>(rest));
    // The float is wrong by less than 2^-10: never too large, and too small by one at most.
    const auto more = static_cast<uint32_t>(rest_size * reciprocal - 0x1p-10F);
    uint32_t quotient = first + more;
    uint32_t remainder = static_cast<uint32_t>(rest) - more * reference;
    if (remainder >= reference) {
        remainder -= reference;
        ++quotient;
    }
    const uint32_t margin = (quotient >> 16) + (reference >> 22) + 3;
    const bool is_between = remainder - margin - 1 < reference - 2 * margin - 1;
    const bool is_whole = remainder == 0;
    return {quotient + (is_whole ? 0 : 1), quotient - (is_whole ? 1 : 0), is_between || is_whole};
}

/// Gain limits of variants (vif_enhn_gain_limit), and what arithmetic in integers has to know of
/// them: a limit of 1 makes the signal of a gain above 1, which is both > reference, the
/// reference's variance. One of 64 or more is never reached by a gain below 64. Others are left to
/// double arithmetic. Masks are 0 or all ones.
struct Limits {
    double value[kMaxLimits];
    uint32_t is_not_one[kMaxLimits];
    uint32_t are_one;   ///< all limits are 1
    uint32_t are_other; ///< at least one limit is neither 1 nor 64 or more
    int32_t count;
};

inline Limits limits_of(const double *values, int count)
{
    Limits limits = {};
    limits.are_one = ~0u;
    limits.count = count;
    for (int i = 0; i < count; ++i) {
        limits.value[i] = values[i];
        limits.is_not_one[i] = values[i] == 1 ? 0 : ~0u;
        limits.are_one &= ~limits.is_not_one[i];
        limits.are_other |= values[i] == 1 || values[i] >= 64 ? 0 : ~0u;
    }
    return limits;
}

/// Whether a limit leaves the pixel to double arithmetic.
SIMT_HOST_DEVICE inline bool lies_beyond(const Limits &limits, uint32_t both, uint32_t reference)
{
    return (both / 64 | limits.are_other) >= (reference | limits.are_one);
}

/// The signal under limit i.
SIMT_HOST_DEVICE inline uint32_t limited_signal(const Limits &limits, int i, uint32_t both,
                                                uint32_t reference, uint32_t signal)
{
    return both > (reference | limits.is_not_one[i]) ? reference : signal;
}

// What the kernels get.

/// One pair at the scale of the launch. Device pointers; pitches in bytes.
struct PairArgs {
    const void *reference;
    const void *distorted;
    int64_t reference_pitch;
    int64_t distorted_pitch;
};

/// Arguments of a launch, which covers one scale of a batch; grid z is the pair.
struct ScaleArgs {
    PairArgs pairs[kMaxBatch];
    char *next;               ///< planes of the next scale of pair 0: reference, distorted
    int64_t next_stride;      ///< bytes from a pair to the next
    int64_t next_plane_bytes; ///< bytes from reference to distorted
    int64_t next_pitch;       ///< bytes
    char *sums;               ///< ScaleSums of this scale of pair 0, zeroed
    int64_t sums_stride;      ///< bytes from a pair to the next
    const uint16_t *logs;     ///< kLogEntries entries
    Limits limits;
    int32_t width, height; ///< size of this scale
    int32_t depth;         ///< depth of scale 0
    int32_t is_measured;   ///< 0: only the next scale is computed
    // Kernels with matrix words only.
    int32_t segments, steps; ///< segments of a strip, steps of a segment
    const char *taps;        ///< taps of this scale and layout: [TapWords][lane]
};

/// A block computes a tile of kTileRows rows and tile_width() pixels per row. First, each
/// thread filters one column of the tile or of its halo.
constexpr int kTileThreads = 128;
constexpr int kTileColumns = kTileThreads;
constexpr int kTileRows = 8;
/// Adjacent pixels that one thread computes in the horizontal pass.
constexpr int kRun = 8;

/// Halo columns on either side of a tile: at least half a filter, and a multiple of 4, so that a
/// tile begins at a group of four samples that are loaded together.
SIMT_HOST_DEVICE constexpr int side_columns(int scale)
{
    return scale == 0 ? 8 : 4;
}

SIMT_HOST_DEVICE constexpr int tile_width(int scale)
{
    return kTileColumns - 2 * side_columns(scale);
}

/// The table of logarithms on a device has one entry for kLogGroup consecutive arguments, whose
/// logarithms increase by one at most once. The upper bits of an entry are the first logarithm
/// minus kLogFirst. The lower kLogShift bits are chosen so that adding the argument's number
/// in the group carries into the upper bits where the increase is.
constexpr int kLogGroup = 8;
constexpr int kLogShift = 4;
constexpr int kLogFirst = 30720;
constexpr int kLogEntries = kLog2Entries / kLogGroup;
constexpr int kLogBytes = kLogEntries * 2;

/// The kernels with matrix words, for the first scales. A wave computes a segment of
/// a strip of kStripRows rows, walking to the right in steps of kStepColumns.
constexpr int kStripRows = 16;
constexpr int kStepColumns = 16;
constexpr int kMatrixWaves = 4; ///< waves of a block
/// The largest number of steps for which the sums of a wave fit 32 bits (at most 28672 per pixel).
constexpr int kMaxSteps = 256;

constexpr Kernel<ScaleArgs> kScale0U8 = {"vif_scale0_u8", kTileThreads};
constexpr Kernel<ScaleArgs> kScale0U16 = {"vif_scale0_u16", kTileThreads};
constexpr Kernel<ScaleArgs> kScale1 = {"vif_scale1", kTileThreads};
constexpr Kernel<ScaleArgs> kScale2 = {"vif_scale2", kTileThreads};
constexpr Kernel<ScaleArgs> kScale3 = {"vif_scale3", kTileThreads};

/// The matrix kernel of a scale. lanes: threads of a wave.
constexpr Kernel<ScaleArgs> strip_kernel(int scale, int depth, int lanes)
{
    const char *name = depth > 8 ? "vif_matrix0_u16" : "vif_matrix0_u8";
    return {scale > 0 ? "vif_matrix1" : name, static_cast<unsigned>(kMatrixWaves * lanes)};
}

// How a strip of VIF lies in the operands of matrix_u8() and of matrix_s8(): the places, and the
// bytes of the taps. vif_record.cpp needs them, too.
//
// Vertical pass: 32 rows of samples times the taps of 16 rows, for 16 columns, in kParts products.
// Horizontal pass: 32 columns times the taps of 16 columns, for 16 rows, in kParts products. Byte e
// of word w of a lane is place group(lane) * 4 + 16 * w + e of the 32, for samples and for taps. So
// a lane has four neighbouring columns of a row after the vertical pass, and these are its part of
// the operand of the horizontal pass: nothing is exchanged in between.

/// Unsigned bytes; samples are the second operand, taps the first.
struct LayoutU8 {
    using Taps = MatrixA;
    using Values = MatrixB;
    static constexpr int kLanes = MatrixU8::kLanes;
    static constexpr int kParts = 2; ///< each is half of a strip's rows or of a step's columns
    static constexpr bool kIsSigned = false;
    static constexpr int kScales = 2;   ///< the first ones; the others have too few taps
    static constexpr int kNextTaps = 1; ///< see TapWords

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
    /// Returns the row of pixel i of a part.
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
struct LayoutS8 {
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

template <typename Kind> struct LayoutOf;
template <> struct LayoutOf<MatrixU8> {
    using Type = LayoutU8;
};
template <> struct LayoutOf<MatrixS8> {
    using Type = LayoutS8;
};

/// Operands of taps. Row i has the taps of the strip's row or the step's column i, from place
/// i + 8 - kHalfWidth[scale] on: one operand of their lower and one of their upper bytes. The rest
/// is for the next scale, whose row i has the taps from place 2 * i + 8 - kHalfWidth[scale + 1] on:
///   matrix_u8(): one operand; rows 0 to 7 are the lower bytes of rows 0 to 7, rows 8 to 15 the
///       upper bytes.
///   matrix_s8(): lower bytes, upper bytes; then both in rows 8 to 15. The other rows are 0.
enum TapWords { kTapsLow, kTapsHigh, kTapsNext };

template <typename Layout> SIMT_HOST_DEVICE constexpr int taps_count()
{
    return kTapsNext + Layout::kNextTaps;
}

/// Bytes of a layout's taps for one scale.
template <typename Layout> SIMT_HOST_DEVICE constexpr int taps_bytes()
{
    return taps_count<Layout>() * Layout::kLanes * static_cast<int>(sizeof(typename Layout::Taps));
}

} // namespace vmafgpu::vif
