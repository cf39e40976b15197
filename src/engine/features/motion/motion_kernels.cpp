// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of motion: the sum of absolute blurred differences of two pictures,
// by either of libvmaf's rules. A thread filters its columns down from registers and
// takes the columns beside them from the threads beside it. motion_record.cpp
// launches it.
#include "motion_kernel.h"
#include "motion_tables.h"
#include "simt_reduce.h"

namespace vmafgpu {
namespace {

static_assert(kMotionLanes <= kMinWave, "a row of threads lies within a wave");
static_assert(kMotionColumns >= kMotionHalf, "taps reach the next thread's columns only");

/// libvmaf's two ways to mirror at the high border.
enum class Border { kMirror, kRepeat };

/// Where a tile reads; beyond the mirror image, where no pixel looks, some sample.
template <Border border> SIMT_DEVICE int source_index(int i, int n)
{
    const int at = border == Border::kMirror ? mirror(i, n) : mirror_high_repeat(i, n);
    return at < 0 ? 0 : (at >= n ? n - 1 : at);
}

/// As many samples as a thread has columns, in one unsigned integer.
template <typename Sample> struct Quad;
template <> struct Quad<uint8_t> {
    using Type = uint32_t;
};
template <> struct Quad<uint16_t> {
    using Type = uint64_t;
};

struct Picture {
    const char *data;
    int64_t pitch;
    int width, height;
};

template <typename Sample, Border border>
SIMT_DEVICE void load(const Picture &picture, int x, int y, int32_t (&samples)[kMotionColumns])
{
    using Bits = typename Quad<Sample>::Type;
    const char *row = picture.data + picture.pitch * source_index<border>(y, picture.height);
    const auto *from = reinterpret_cast<const Sample *>(row);
    const auto address = reinterpret_cast<uintptr_t>(from + x);
    if (x >= 0 && x + kMotionColumns <= picture.width && address % sizeof(Bits) == 0) {
        const Bits bits = load_readonly(reinterpret_cast<const Bits *>(from + x));
        SIMT_UNROLL
        for (int i = 0; i < kMotionColumns; ++i)
            samples[i] = static_cast<Sample>(bits >> (8 * static_cast<int>(sizeof(Sample)) * i));
        return;
    }
    SIMT_UNROLL
    for (int i = 0; i < kMotionColumns; ++i)
        samples[i] = load_readonly(from + source_index<border>(x + i, picture.width));
}

/// Sum of taps * values[first ..], modulo 2^32.
template <typename T, int n> SIMT_DEVICE T filter_at(const T (&values)[n], int first)
{
    T sum = static_cast<T>(kMotionFilter[kMotionHalf]) * values[first + kMotionHalf];
    SIMT_UNROLL
    for (int t = 0; t < kMotionHalf; ++t)
        sum += static_cast<T>(kMotionFilter[t]) *
               (values[first + t] + values[first + 2 * kMotionHalf - t]);
    return sum;
}

/// The same, rounded by a shift of 8 .. 16. Signed values below 2^17 in size are split
/// so that their sums fit 32 bits; sums of unsigned 16-bit values do.
template <int n> SIMT_DEVICE int32_t filter_round(const int32_t (&values)[n], int first, int shift)
{
    int32_t high[n], low[n];
    SIMT_UNROLL
    for (int i = 0; i < n; ++i) {
        high[i] = values[i] >> 8;
        low[i] = values[i] & 255;
    }
    const int32_t low_sum = filter_at(low, first) + (1 << (shift - 1));
    return (filter_at(high, first) + (low_sum >> 8)) >> (shift - 8);
}

template <int n>
SIMT_DEVICE uint32_t filter_round(const uint32_t (&values)[n], int first, int shift)
{
    return round_shift(filter_at(values, first), shift);
}

/// Horizontal pass of a row: the neighbours' vertical results come by shuffle. At
/// the ends of a row of threads they are another row's, and nobody uses what comes
/// of them. [wave]
template <typename T>
SIMT_DEVICE void filter_row(const T (&own)[kMotionColumns], T (&result)[kMotionColumns])
{
    T window[kMotionColumns + 2 * kMotionHalf];
    const int lane = lane_id();
    const int left = lane == 0 ? 0 : lane - 1;
    const int right = lane == wave_size() - 1 ? lane : lane + 1;
    SIMT_UNROLL
    for (int i = 0; i < kMotionHalf; ++i) {
        window[i] = shfl(own[kMotionColumns - kMotionHalf + i], left);
        window[kMotionHalf + kMotionColumns + i] = shfl(own[i], right);
    }
    SIMT_UNROLL
    for (int i = 0; i < kMotionColumns; ++i)
        window[kMotionHalf + i] = own[i];
    SIMT_UNROLL
    for (int i = 0; i < kMotionColumns; ++i)
        result[i] = filter_round(window, i, 16);
}

/// A thread's place in the picture.
struct Place {
    int x, y;
    int columns, rows; ///< of its pixels that count; may be 0 or less

    SIMT_DEVICE explicit Place(const MotionArgs &args)
    {
        const int lane = thread_id() % kMotionLanes;
        x = block_id_x() * kMotionTileWidth + (lane - 1) * kMotionColumns;
        y = block_id_y() * kMotionTileHeight + thread_id() / kMotionLanes * kMotionRows;
        columns = lane == 0 || lane == kMotionLanes - 1 ? 0 : args.width - x;
        rows = args.height - y;
    }
};

/// Columns of samples, or of their differences, above and below included.
template <typename T> struct Columns {
    static constexpr int kRows = kMotionRows + 2 * kMotionHalf;
    T values[kMotionColumns][kRows];

    SIMT_DEVICE void set(int row, const int32_t (&samples)[kMotionColumns])
    {
        SIMT_UNROLL
        for (int i = 0; i < kMotionColumns; ++i)
            values[i][row] = static_cast<T>(samples[i]);
    }

    SIMT_DEVICE void subtract(int row, const int32_t (&samples)[kMotionColumns])
    {
        SIMT_UNROLL
        for (int i = 0; i < kMotionColumns; ++i)
            values[i][row] -= static_cast<T>(samples[i]);
    }

    SIMT_DEVICE void filter(int row, int shift, T (&result)[kMotionColumns]) const
    {
        SIMT_UNROLL
        for (int i = 0; i < kMotionColumns; ++i)
            result[i] = filter_round(values[i], row, shift);
    }
};

SIMT_DEVICE uint32_t absolute(int32_t v)
{
    return static_cast<uint32_t>(v < 0 ? -v : v);
}

/// Adds the sums of all threads, which fit 32 bits together. [block]
SIMT_DEVICE void add_sum(uint32_t sum, uint64_t *sad)
{
    static_assert(kMotionTileWidth * kMotionTileHeight < 65536, "a pixel adds 65535 at most");
    sum = block_sum(sum);
    if (thread_id() == 0)
        atomic_add(sad, static_cast<uint64_t>(sum));
}

/// Earlier minus later, blurred: rounding is not symmetric around 0.
template <typename Sample> SIMT_DEVICE void difference_first(const MotionArgs &args)
{
    const MotionPairArgs &pair = args.pairs[block_id_z()];
    const Picture earlier = {static_cast<const char *>(pair.earlier), pair.earlier_pitch,
                             args.width, args.height};
    const Picture later = {static_cast<const char *>(pair.later), pair.later_pitch, args.width,
                           args.height};
    const Place place(args);
    Columns<int32_t> differences;
    SIMT_UNROLL
    for (int row = 0; row < Columns<int32_t>::kRows; ++row) {
        int32_t samples[kMotionColumns];
        const int y = place.y - kMotionHalf + row;
        load<Sample, Border::kMirror>(earlier, place.x, y, samples);
        differences.set(row, samples);
        load<Sample, Border::kMirror>(later, place.x, y, samples);
        differences.subtract(row, samples);
    }
    uint32_t sum = 0;
    SIMT_UNROLL
    for (int row = 0; row < kMotionRows; ++row) {
        int32_t vertical[kMotionColumns], blurred[kMotionColumns];
        differences.filter(row, args.depth, vertical);
        filter_row(vertical, blurred);
        SIMT_UNROLL
        for (int i = 0; i < kMotionColumns; ++i)
            sum += i < place.columns && row < place.rows ? absolute(blurred[i]) : 0;
    }
    add_sum(sum, pair.sad);
}

/// Both pictures blurred and rounded, then subtracted.
template <typename Sample> SIMT_DEVICE void blur_first(const MotionArgs &args)
{
    const MotionPairArgs &pair = args.pairs[block_id_z()];
    const Picture earlier = {static_cast<const char *>(pair.earlier), pair.earlier_pitch,
                             args.width, args.height};
    const Picture later = {static_cast<const char *>(pair.later), pair.later_pitch, args.width,
                           args.height};
    const Place place(args);
    Columns<uint32_t> columns[2];
    SIMT_UNROLL
    for (int row = 0; row < Columns<uint32_t>::kRows; ++row) {
        int32_t samples[kMotionColumns];
        const int y = place.y - kMotionHalf + row;
        load<Sample, Border::kRepeat>(earlier, place.x, y, samples);
        columns[0].set(row, samples);
        load<Sample, Border::kRepeat>(later, place.x, y, samples);
        columns[1].set(row, samples);
    }
    uint32_t sum = 0;
    SIMT_UNROLL
    for (int row = 0; row < kMotionRows; ++row) {
        uint32_t vertical[kMotionColumns], blurred[2][kMotionColumns];
        SIMT_UNROLL
        for (int picture = 0; picture < 2; ++picture) {
            columns[picture].filter(row, args.depth, vertical);
            filter_row(vertical, blurred[picture]);
        }
        SIMT_UNROLL
        for (int i = 0; i < kMotionColumns; ++i)
            if (i < place.columns && row < place.rows)
                sum += absolute(static_cast<int32_t>(blurred[0][i] - blurred[1][i]));
    }
    add_sum(sum, pair.sad);
}

} // namespace

SIMT_KERNEL(motion_u8, MotionArgs, kMotionThreads, 4)
{
    difference_first<uint8_t>(args);
}

SIMT_KERNEL(motion_u16, MotionArgs, kMotionThreads, 4)
{
    difference_first<uint16_t>(args);
}

SIMT_KERNEL(motion_blur_first_u8, MotionArgs, kMotionThreads, 4)
{
    blur_first<uint8_t>(args);
}

SIMT_KERNEL(motion_blur_first_u16, MotionArgs, kMotionThreads, 4)
{
    blur_first<uint16_t>(args);
}

} // namespace vmafgpu
