// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of motion: the sum of absolute blurred differences of two pictures,
// by either of libvmaf's rules. A thread walks down its columns two rows at a time,
// filters them down from registers and takes the columns beside them from the
// threads beside it. motion_record.cpp launches it.
#include "features/motion/motion.h"
#include "features/motion/motion_tables.h"
#include "simt/quad.h"
#include "simt/reduce.h"

namespace vmafgpu::motion {
namespace {

static_assert(kThreadColumns == 4, "a thread's columns are a quad");
static_assert(kRowLanes <= kMinWave, "a row of threads lies within a wave");
static_assert(kThreadColumns >= kHalf, "taps reach the next thread's columns only");
static_assert(kThreadRows % 2 == 0 && kHalf == 2, "rows are filtered in pairs");

/// Samples x .. x + 3 of row y. is_inside: they are in the picture, and aligned.
template <typename Sample, Border border>
SIMT_DEVICE Quad<Sample> load(const DevicePlane &picture, int x, int y, bool is_inside)
{
    return load_quad<Sample, border>(row_of<Sample, border>(picture, y), x, picture.width,
                                     is_inside);
}

SIMT_DEVICE constexpr uint32_t two_taps(int32_t first, int32_t second)
{
    return (static_cast<uint32_t>(first) & 65535u) | static_cast<uint32_t>(second) << 16;
}

/// Rows of two pictures that two output rows need: pairs of rows from two above
/// the first to two below the second.
template <typename Sample> struct Window;

/// 8 bits: the vertical filter takes two rows of one column at once, and its linear part
/// serves both pictures, so that differences never have to be formed.
template <> struct Window<uint8_t> {
    uint32_t pairs[3][2][2]; ///< [pair][picture]: columns 0 and 1, 2 and 3

    SIMT_DEVICE void push(const uint32_t (&upper)[2], const uint32_t (&lower)[2])
    {
        SIMT_UNROLL
        for (int picture = 0; picture < 2; ++picture) {
            SIMT_UNROLL
            for (int half = 0; half < 2; ++half) {
                pairs[0][picture][half] = pairs[1][picture][half];
                pairs[1][picture][half] = pairs[2][picture][half];
                pairs[2][picture][half] =
                    byte_permute(upper[picture], lower[picture], half == 0 ? 0x5140 : 0x7362);
            }
        }
    }

    static SIMT_DEVICE int32_t add(uint32_t taps, uint32_t pair, int column, int32_t sum)
    {
        return column % 2 == 0 ? dot2_s16_u8_lo(taps, pair, sum) : dot2_s16_u8_hi(taps, pair, sum);
    }

    /// Earlier minus later, filtered and rounded, without the last shift.
    SIMT_DEVICE int32_t filter(int row, int column, int depth) const
    {
        constexpr int32_t kOuter = kFilter[0], kInner = kFilter[1];
        constexpr int32_t kCentre = kFilter[2];
        constexpr uint32_t kTaps[2][2][3] = {
            {{two_taps(kOuter, kInner), two_taps(kCentre, kInner), two_taps(kOuter, 0)},
             {two_taps(0, kOuter), two_taps(kInner, kCentre), two_taps(kInner, kOuter)}},
            {{two_taps(-kOuter, -kInner), two_taps(-kCentre, -kInner), two_taps(-kOuter, 0)},
             {two_taps(0, -kOuter), two_taps(-kInner, -kCentre), two_taps(-kInner, -kOuter)}}};
        int32_t sum = 1 << (depth - 1);
        SIMT_UNROLL
        for (int picture = 0; picture < 2; ++picture)
            SIMT_UNROLL
        for (int pair = 0; pair < 3; ++pair)
            sum = add(kTaps[picture][row][pair], pairs[pair][picture][column / 2], column, sum);
        return sum >> depth;
    }
};

/// Above 8 bits: differences; 16-bit ones make sums of 33 bits.
template <> struct Window<uint16_t> {
    int32_t rows[6][kThreadColumns];

    SIMT_DEVICE void push(const uint64_t (&upper)[2], const uint64_t (&lower)[2])
    {
        SIMT_UNROLL
        for (int i = 0; i < kThreadColumns; ++i) {
            SIMT_UNROLL
            for (int row = 0; row < 4; ++row)
                rows[row][i] = rows[row + 2][i];
            rows[4][i] = sample_of<uint16_t>(upper[0], i) - sample_of<uint16_t>(upper[1], i);
            rows[5][i] = sample_of<uint16_t>(lower[0], i) - sample_of<uint16_t>(lower[1], i);
        }
    }

    SIMT_DEVICE int32_t filter(int row, int i, int depth) const
    {
        int64_t sum = static_cast<int64_t>(1) << (depth - 1);
        sum += static_cast<int64_t>(kFilter[0]) * (rows[row][i] + rows[row + 4][i]);
        sum += static_cast<int64_t>(kFilter[1]) * (rows[row + 1][i] + rows[row + 3][i]);
        sum += static_cast<int64_t>(kFilter[2]) * rows[row + 2][i];
        return static_cast<int32_t>(sum >> depth);
    }
};

/// Horizontal pass of a row of values below 2^17 in size: the neighbours' vertical
/// results come by shuffle. At the ends of a row of threads they are another row's, and
/// nobody uses what comes of them. [wave]
SIMT_DEVICE void filter_row(const int32_t (&own)[kThreadColumns], int32_t (&result)[kThreadColumns])
{
    int32_t window[kThreadColumns + 2 * kHalf];
    const int lane = lane_id();
    const int left = lane == 0 ? 0 : lane - 1;
    const int right = lane == wave_size() - 1 ? lane : lane + 1;
    SIMT_UNROLL
    for (int i = 0; i < kHalf; ++i) {
        window[i] = shfl(own[kThreadColumns - kHalf + i], left);
        window[kHalf + kThreadColumns + i] = shfl(own[i], right);
    }
    SIMT_UNROLL
    for (int i = 0; i < kThreadColumns; ++i)
        window[kHalf + i] = own[i];
    SIMT_UNROLL
    for (int i = 0; i < kThreadColumns; ++i) {
        int64_t sum = 32768; // sums have 33 bits
        sum += static_cast<int64_t>(kFilter[0]) * (window[i] + window[i + 4]);
        sum += static_cast<int64_t>(kFilter[1]) * (window[i + 1] + window[i + 3]);
        sum += static_cast<int64_t>(kFilter[2]) * window[i + 2];
        result[i] = static_cast<int32_t>(
            funnel_shift_right(static_cast<uint32_t>(static_cast<uint64_t>(sum) >> 32),
                               static_cast<uint32_t>(sum), 16));
    }
}

/// A thread's place in the picture.
struct Place {
    int x, y;
    int columns, rows; ///< number of its pixels that count; may be 0 or less

    SIMT_DEVICE explicit Place(const Args &args)
    {
        const int lane = thread_id() % kRowLanes;
        x = block_id_x() * kTileWidth + (lane - 1) * kThreadColumns;
        y = block_id_y() * kTileHeight + thread_id() / kRowLanes * kThreadRows;
        columns = lane == 0 || lane == kRowLanes - 1 ? 0 : args.width - x;
        rows = args.height - y;
    }
};

SIMT_DEVICE uint32_t absolute(int32_t v)
{
    return static_cast<uint32_t>(v < 0 ? -v : v);
}

/// Adds the sums of all threads, which fit 32 bits together. [block]
SIMT_DEVICE void add_sum(uint32_t sum, uint64_t *sad)
{
    static_assert(kTileWidth * kTileHeight < 65536, "a pixel adds 65535 at most");
    sum = block_sum(sum);
    if (thread_id() == 0)
        atomic_add(sad, static_cast<uint64_t>(sum));
}

/// The pair of a block.
struct Pair {
    DevicePlane pictures[2]; ///< earlier, later
    uint64_t *sad;

    SIMT_DEVICE explicit Pair(const Args &args)
    {
        const PairArgs &pair = args.pairs[block_id_z()];
        pictures[0] = {static_cast<const char *>(pair.earlier), pair.earlier_pitch, args.width,
                       args.height};
        pictures[1] = {static_cast<const char *>(pair.later), pair.later_pitch, args.width,
                       args.height};
        sad = pair.sad;
    }

    /// True if a thread's samples of both pictures can be read at once.
    template <typename Sample> SIMT_DEVICE bool is_inside(int x) const
    {
        constexpr auto kBytes = static_cast<uintptr_t>(kThreadColumns * sizeof(Sample));
        uintptr_t places = 0;
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i)
            places |= reinterpret_cast<uintptr_t>(pictures[i].data) |
                      static_cast<uintptr_t>(pictures[i].pitch);
        return x >= 0 && x + kThreadColumns <= pictures[0].width && places % kBytes == 0;
    }

    template <typename Sample, Border border>
    SIMT_DEVICE void load_both(int x, int y, bool inside, Quad<Sample> (&bits)[2]) const
    {
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i)
            bits[i] = load<Sample, border>(pictures[i], x, y, inside);
    }
};

/// Earlier minus later, blurred: rounding is not symmetric around 0.
template <typename Sample> SIMT_DEVICE void difference_first(const Args &args)
{
    using Bits = Quad<Sample>;
    const Pair pair(args);
    const Place place(args);
    const bool inside = pair.is_inside<Sample>(place.x);
    const int depth = sizeof(Sample) == 1 ? 8 : args.depth;
    Window<Sample> window = {};
    Bits upper[2], lower[2];
    uint32_t sum = 0;
    for (int row = -2 * kHalf; row < kThreadRows; row += 2) {
        pair.load_both<Sample, Border::kMirror>(place.x, place.y + row + kHalf, inside, upper);
        pair.load_both<Sample, Border::kMirror>(place.x, place.y + row + kHalf + 1, inside, lower);
        window.push(upper, lower);
        if (row < 0)
            continue;
        SIMT_UNROLL
        for (int second = 0; second < 2; ++second) {
            int32_t vertical[kThreadColumns], blurred[kThreadColumns];
            SIMT_UNROLL
            for (int i = 0; i < kThreadColumns; ++i)
                vertical[i] = window.filter(second, i, depth);
            filter_row(vertical, blurred);
            SIMT_UNROLL
            for (int i = 0; i < kThreadColumns; ++i)
                sum += i < place.columns && row + second < place.rows ? absolute(blurred[i]) : 0;
        }
    }
    add_sum(sum, pair.sad);
}

/// Filters one row of one picture down and rounds it. rows: five, centre in the middle.
template <typename Sample>
SIMT_DEVICE int32_t filter_down(const Quad<Sample> (&rows)[5], int i, int depth)
{
    uint32_t sum = 1u << (depth - 1);
    SIMT_UNROLL
    for (int t = 0; t < 5; ++t)
        sum += static_cast<uint32_t>(kFilter[t]) *
               static_cast<uint32_t>(sample_of<Sample>(rows[t], i));
    return static_cast<int32_t>(sum >> depth);
}

/// Blurs and rounds both pictures, then subtracts them.
template <typename Sample> SIMT_DEVICE void blur_first(const Args &args)
{
    using Bits = Quad<Sample>;
    const Pair pair(args);
    const Place place(args);
    const bool inside = pair.is_inside<Sample>(place.x);
    Bits rows[2][5] = {};
    uint32_t sum = 0;
    for (int row = -2 * kHalf; row < kThreadRows; ++row) {
        Bits next[2];
        pair.load_both<Sample, Border::kRepeat>(place.x, place.y + row + kHalf, inside, next);
        SIMT_UNROLL
        for (int picture = 0; picture < 2; ++picture) {
            SIMT_UNROLL
            for (int t = 0; t < 4; ++t)
                rows[picture][t] = rows[picture][t + 1];
            rows[picture][4] = next[picture];
        }
        if (row < 0)
            continue;
        int32_t blurred[2][kThreadColumns];
        SIMT_UNROLL
        for (int picture = 0; picture < 2; ++picture) {
            int32_t vertical[kThreadColumns];
            SIMT_UNROLL
            for (int i = 0; i < kThreadColumns; ++i)
                vertical[i] = filter_down<Sample>(rows[picture], i, args.depth);
            filter_row(vertical, blurred[picture]);
        }
        SIMT_UNROLL
        for (int i = 0; i < kThreadColumns; ++i)
            if (i < place.columns && row < place.rows)
                sum += absolute(blurred[0][i] - blurred[1][i]);
    }
    add_sum(sum, pair.sad);
}

} // namespace

SIMT_KERNEL(motion_u8, Args, kThreads, 8)
{
    difference_first<uint8_t>(args);
}

SIMT_KERNEL(motion_u16, Args, kThreads, 8)
{
    difference_first<uint16_t>(args);
}

SIMT_KERNEL(motion_blur_first_u8, Args, kThreads, 8)
{
    blur_first<uint8_t>(args);
}

SIMT_KERNEL(motion_blur_first_u16, Args, kThreads, 8)
{
    blur_first<uint16_t>(args);
}

} // namespace vmafgpu::motion
