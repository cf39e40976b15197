// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion of one strip of rows, tile by tile. simd_targets.h compiles it once per level for
// motion_cpu.cpp. The difference rule up to 15 bits uses SIMD operations. Rare cases (16 bits,
// libvmaf up to 3.1) are loops that the compiler vectorises. There, sums of more than 32 bits are
// formed in double; they are integers, so nothing is rounded.
#include "cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

constexpr int kTile = 256; ///< columns done at once
constexpr int kTileRow = kTile + 2 * kMotionHalf;
constexpr int kTaps = 2 * kMotionHalf + 1;

/// floor((sum + 32768) / 65536) of an integer. The term 2^-17 keeps the sum
/// off the ties, so that the large addend makes halves go up; it leaves the
/// result in the low bits.
HWY_INLINE int32_t round_shift_16(double sum)
{
    const double shifted = (sum * 0x1p-16 + 0x1p-17) + 0x1.8p52;
    int64_t bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    return static_cast<int32_t>(bits);
}

HWY_INLINE int32_t round_sum(double sum, int)
{
    return round_shift_16(sum);
}
HWY_INLINE int32_t round_sum(int32_t sum, int shift)
{
    return (sum + (1 << (shift - 1))) >> shift;
}

/// Vertical pass over p - q, or over p alone. Sum is double for 16-bit samples
/// (and the shift 16), else int32_t.
template <typename Sum, bool kDifference, typename Sample>
HWY_INLINE void filter_columns(const Sample *const *p, const Sample *const *q, int count, int shift,
                               double *__restrict out)
{
    for (int x = 0; x < count; ++x) {
        int32_t d[kTaps];
        for (int t = 0; t < kTaps; ++t)
            d[t] = p[t][x] - (kDifference ? q[t][x] : 0);
        Sum sum = static_cast<Sum>(kMotionFilter[kMotionHalf]) * d[kMotionHalf];
        for (int t = 0; t < kMotionHalf; ++t)
            sum += static_cast<Sum>(kMotionFilter[t]) * (d[t] + d[kTaps - 1 - t]);
        out[x] = round_sum(sum, shift);
    }
}

HWY_INLINE int32_t filter_row(const double *p)
{
    double sum = kMotionFilter[kMotionHalf] * p[kMotionHalf];
    for (int t = 0; t < kMotionHalf; ++t)
        sum += kMotionFilter[t] * (p[t] + p[kTaps - 1 - t]);
    return round_shift_16(sum);
}

/// Fill the ends of a tile's row, whose index 0 is column x0 - kMotionHalf,
/// where it reaches beyond the picture.
HWY_INLINE void reflect_ends(double *row, int x0, int x1, int width, bool repeat)
{
    double *column0 = row + (kMotionHalf - x0);
    for (int x = x0 - kMotionHalf; x < 0; ++x)
        column0[x] = column0[-x];
    for (int x = width; x < x1 + kMotionHalf; ++x)
        column0[x] = column0[repeat ? mirror_high_repeat(x, width) : mirror(x, width)];
}

/// Sum of absolute values in row y, columns x0..x1-1.
template <typename Sum, bool kBlurFirst, typename Sample>
HWY_INLINE uint32_t tile_row(const MotionStrip &strip, int y, int x0, int x1)
{
    const int left = std::max(0, x0 - kMotionHalf);
    const int count = std::min(strip.width, x1 + kMotionHalf) - left;
    const int at = left - (x0 - kMotionHalf);
    const Sample *p[kTaps];
    const Sample *q[kTaps];
    for (int t = 0; t < kTaps; ++t) {
        const int source = y + t - kMotionHalf;
        const int row =
            kBlurFirst ? mirror_high_repeat(source, strip.height) : mirror(source, strip.height);
        p[t] = plane_row<Sample>(strip.earlier, row) + left;
        q[t] = plane_row<Sample>(strip.later, row) + left;
    }
    double columns[kTileRow];
    uint32_t sad = 0;
    if (!kBlurFirst) {
        filter_columns<Sum, true>(p, q, count, strip.depth, columns + at);
        reflect_ends(columns, x0, x1, strip.width, false);
        for (int x = 0; x < x1 - x0; ++x) {
            const int32_t z = filter_row(columns + x);
            sad += static_cast<uint32_t>(z < 0 ? -z : z);
        }
        return sad;
    }
    double columns2[kTileRow];
    filter_columns<Sum, false>(p, q, count, strip.depth, columns + at);
    filter_columns<Sum, false>(q, p, count, strip.depth, columns2 + at);
    reflect_ends(columns, x0, x1, strip.width, true);
    reflect_ends(columns2, x0, x1, strip.width, true);
    for (int x = 0; x < x1 - x0; ++x) {
        const int32_t z = filter_row(columns + x) - filter_row(columns2 + x);
        sad += static_cast<uint32_t>(z < 0 ? -z : z);
    }
    return sad;
}

template <typename Sum, bool kBlurFirst, typename Sample>
HWY_INLINE void run_rule(const MotionStrip &strip)
{
    uint64_t sad = 0;
    for (int x0 = 0; x0 < strip.width; x0 += kTile) {
        const int x1 = std::min(x0 + kTile, strip.width);
        for (int y = strip.first; y < strip.last; ++y)
            sad += tile_row<Sum, kBlurFirst, Sample>(strip, y, x0, x1);
    }
    *strip.sad = sad;
}

/// Rows of a tile; index 0 is column x0 - kMotionHalf.
struct MotionRows {
    alignas(64) int16_t difference[8][kTile + 64]; ///< of row y at [y % 8]
    alignas(64) int16_t half[kTile + 64];          ///< pass down, halved and rounded down
    alignas(64) int16_t odd[kTile + 64];           ///< and what that left: 0 or 1
};

template <typename Sample> HWY_INLINE V16 load_sample(const Sample *from)
{
    if constexpr (sizeof(Sample) == 1) {
        const hn::Rebind<uint8_t, D16> half;
        return hn::BitCast(D16(), hn::PromoteTo(DU16(), hn::LoadU(half, from)));
    } else {
        return hn::BitCast(D16(), hn::LoadU(DU16(), from));
    }
}

/// Earlier less later in row y of the tile, with the columns around it.
template <typename Sample>
void subtract_row(const MotionStrip &strip, int y, int x0, int x1, int16_t *to)
{
    const int left = HWY_MAX(0, x0 - kMotionHalf);
    const int count = HWY_MIN(strip.width, x1 + kMotionHalf) - left;
    const auto *p = plane_row<Sample>(strip.earlier, y) + left;
    const auto *q = plane_row<Sample>(strip.later, y) + left;
    int16_t *out = to + left - (x0 - kMotionHalf);
    int x = 0;
    for (; x + kLanes16 <= count; x += kLanes16)
        hn::StoreU(hn::Sub(load_sample(p + x), load_sample(q + x)), D16(), out + x);
    for (; x < count; ++x)
        out[x] = static_cast<int16_t>(p[x] - q[x]);
    int16_t *column0 = to + (kMotionHalf - x0);
    for (x = x0 - kMotionHalf; x < 0; ++x)
        column0[x] = column0[-x];
    for (x = strip.width; x < x1 + kMotionHalf; ++x)
        column0[x] = column0[mirror(x, strip.width)];
}

/// Taps 2i and 2i + 1, or 2i - 1 and 2i for the column after.
HWY_INLINE V16 motion_taps(int i, bool is_later)
{
    const int at = 2 * i - (is_later ? 1 : 0);
    return pair_of(at >= 0 ? kMotionFilter[at] : 0, at + 1 < kTaps ? kMotionFilter[at + 1] : 0);
}

/// Pass down to one row of the tile. The sums fit 32 bits, results have 17: they go on
/// in two parts.
HWY_INLINE void filter_down(const int16_t *const (&rows)[kTaps + 1], int columns, int depth,
                            MotionRows &work)
{
    const D32 d;
    const V32 start = hn::Set(d, 1 << (depth - 1));
    for (int x = 0; x < columns; x += kLanes16) {
        V32 even = start;
        V32 odd = start;
        for (int i = 0; i <= kMotionHalf; ++i) {
            const V32 above = as32(hn::Load(D16(), rows[2 * i] + x));
            const V32 below = as32(hn::Load(D16(), rows[2 * i + 1] + x));
            even = multiply_add_pairs(merge_low(above, below), motion_taps(i, false), even);
            odd = multiply_add_pairs(merge_high(above, below), motion_taps(i, false), odd);
        }
        even = hn::ShiftRightSame(even, depth);
        odd = hn::ShiftRightSame(odd, depth);
        hn::Store(merge_low(hn::ShiftRight<1>(even), hn::ShiftRight<1>(odd)), D16(), work.half + x);
        hn::Store(hn::And(merge_low(even, odd), hn::Set(D16(), 1)), D16(), work.odd + x);
    }
}

/// Pass along the row of the tile, sizes added up: floor((2 a + b) / 2^16) is
/// floor((a + floor(b / 2)) / 2^15).
HWY_INLINE V32 add_sizes(int count, const MotionRows &work, V32 sum)
{
    const D32 d;
    for (int x = 0; x < count; x += kLanes16) {
        for (int later = 0; later < 2; ++later) {
            V32 half = hn::Zero(d);
            V32 odd = hn::Set(d, 32768);
            for (int i = 0; i <= kMotionHalf; ++i) {
                const V16 taps = motion_taps(i, later != 0);
                half = multiply_add_pairs(hn::LoadU(D16(), work.half + x + 2 * i), taps, half);
                odd = multiply_add_pairs(hn::LoadU(D16(), work.odd + x + 2 * i), taps, odd);
            }
            const V32 z = hn::ShiftRight<15>(hn::Add(half, hn::ShiftRight<1>(odd)));
            const V32 column = hn::Add(hn::Iota(d, 0), hn::Iota(d, x + later));
            const auto inside = hn::Lt(column, hn::Set(d, count));
            sum = hn::Add(sum, hn::IfThenElseZero(inside, hn::Abs(z)));
        }
    }
    return sum;
}

/// The rule of libvmaf 3.2 up to 15 bits.
template <typename Sample> void run_difference(const MotionStrip &strip)
{
    MotionRows work;
    uint64_t sad = 0;
    for (int x0 = 0; x0 < strip.width; x0 += kTile) {
        const int x1 = HWY_MIN(x0 + kTile, strip.width);
        const int last = strip.height - 1;
        V32 sum = hn::Zero(D32()); // 64 rows of 256 columns of less than 2^16
        int loaded = strip.first - kMotionHalf;
        for (int y = strip.first; y < strip.last; ++y) {
            for (; loaded <= y + kMotionHalf; ++loaded)
                subtract_row<Sample>(strip, mirror(loaded, last + 1), x0, x1,
                                     work.difference[loaded & 7]);
            const int16_t *rows[kTaps + 1];
            for (int t = 0; t <= kTaps; ++t) // the sixth has tap 0
                rows[t] = work.difference[(y - kMotionHalf + HWY_MIN(t, kTaps - 1)) & 7];
            filter_down(rows, x1 - x0 + 2 * kMotionHalf, strip.depth, work);
            sum = add_sizes(x1 - x0, work, sum);
        }
        HWY_ALIGN int32_t lanes[kLanes32];
        hn::Store(sum, D32(), lanes);
        for (const int32_t lane : lanes)
            sad += static_cast<uint64_t>(lane);
    }
    *strip.sad = sad;
}

inline void motion_run_strip(const MotionStrip &strip)
{
    if (strip.depth == 8)
        return strip.blur_first ? run_rule<int32_t, true, uint8_t>(strip)
                                : run_difference<uint8_t>(strip);
    if (strip.depth < 16)
        return strip.blur_first ? run_rule<int32_t, true, uint16_t>(strip)
                                : run_difference<uint16_t>(strip);
    return strip.blur_first ? run_rule<double, true, uint16_t>(strip)
                            : run_rule<double, false, uint16_t>(strip);
}

} // namespace VMAFGPU_SIMD
} // namespace vmafgpu
HWY_AFTER_NAMESPACE();
