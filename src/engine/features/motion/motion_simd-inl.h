// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion of one strip of rows, tile by tile. simd_targets.h compiles it once per level for
// motion_cpu.cpp. The difference rule up to 15 bits uses SIMD operations. Rare cases (16 bits,
// libvmaf up to 3.1) are loops that the compiler vectorises. There, sums of more than 32 bits are
// formed in double; they are integers, so nothing is rounded.
#include "simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::motion::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

constexpr int kTile = 256; ///< columns done at once
constexpr int kTileRow = kTile + 2 * kHalf;
constexpr int kTaps = 2 * kHalf + 1;

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
        Sum sum = static_cast<Sum>(kFilter[kHalf]) * d[kHalf];
        for (int t = 0; t < kHalf; ++t)
            sum += static_cast<Sum>(kFilter[t]) * (d[t] + d[kTaps - 1 - t]);
        out[x] = round_sum(sum, shift);
    }
}

HWY_INLINE int32_t filter_row(const double *p)
{
    double sum = kFilter[kHalf] * p[kHalf];
    for (int t = 0; t < kHalf; ++t)
        sum += kFilter[t] * (p[t] + p[kTaps - 1 - t]);
    return round_shift_16(sum);
}

/// Fill the ends of a tile's row, whose index 0 is column x0 - kHalf,
/// where it reaches beyond the picture.
HWY_INLINE void reflect_ends(double *row, int x0, int x1, int width, bool repeat)
{
    double *column0 = row + (kHalf - x0);
    for (int x = x0 - kHalf; x < 0; ++x)
        column0[x] = column0[-x];
    for (int x = width; x < x1 + kHalf; ++x)
        column0[x] = column0[repeat ? mirror_high_repeat(x, width) : mirror(x, width)];
}

/// Sum of absolute values in row y, columns x0..x1-1.
template <typename Sum, bool kBlurFirst, typename Sample>
HWY_INLINE uint32_t tile_row(const Strip &strip, int y, int x0, int x1)
{
    const int left = std::max(0, x0 - kHalf);
    const int count = std::min(strip.width, x1 + kHalf) - left;
    const int at = left - (x0 - kHalf);
    const Sample *p[kTaps];
    const Sample *q[kTaps];
    for (int t = 0; t < kTaps; ++t) {
        const int source = y + t - kHalf;
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
HWY_INLINE void run_rule(const Strip &strip)
{
    uint64_t sad = 0;
    for (int x0 = 0; x0 < strip.width; x0 += kTile) {
        const int x1 = std::min(x0 + kTile, strip.width);
        for (int y = strip.first; y < strip.last; ++y)
            sad += tile_row<Sum, kBlurFirst, Sample>(strip, y, x0, x1);
    }
    *strip.sad = sad;
}

constexpr int kColumns = kTile + 64; ///< columns of a row; index 0 is column x0 - kHalf
constexpr int kRing = kHalf + 1;     ///< pairs of rows that two filtered rows need

/// Rows of a tile.
struct Rows {
    alignas(64) int16_t difference[2][kColumns]; ///< differences of a pair of rows
    /// Pair p at [p % kRing]. In a block of kLanes16 columns the even columns come first, each as
    /// the pair of the two rows' values, then the odd columns.
    alignas(64) int16_t pairs[kRing][2 * kColumns];
    alignas(64) int16_t half[2][kColumns]; ///< pass down to two rows, halved and rounded down
    alignas(64) int16_t odd[2][kColumns];  ///< the bit that halving dropped: 0 or 1
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
template <typename Sample> void subtract_row(const Strip &strip, int y, int x0, int x1, int16_t *to)
{
    const int left = HWY_MAX(0, x0 - kHalf);
    const int count = HWY_MIN(strip.width, x1 + kHalf) - left;
    const auto *p = plane_row<Sample>(strip.earlier, y) + left;
    const auto *q = plane_row<Sample>(strip.later, y) + left;
    int16_t *out = to + left - (x0 - kHalf);
    int x = 0;
    for (; x + kLanes16 <= count; x += kLanes16)
        hn::StoreU(hn::Sub(load_sample(p + x), load_sample(q + x)), D16(), out + x);
    for (; x < count; ++x)
        out[x] = static_cast<int16_t>(p[x] - q[x]);
    int16_t *column0 = to + (kHalf - x0);
    for (x = x0 - kHalf; x < 0; ++x)
        column0[x] = column0[-x];
    for (x = strip.width; x < x1 + kHalf; ++x)
        column0[x] = column0[mirror(x, strip.width)];
}

/// Taps 2i and 2i + 1, or 2i - 1 and 2i for the column after.
HWY_INLINE V16 taps_of(int i, bool is_later)
{
    const int at = 2 * i - (is_later ? 1 : 0);
    return pair_of(at >= 0 ? kFilter[at] : 0, at + 1 < kTaps ? kFilter[at + 1] : 0);
}

/// Writes pair p of the rows that the strip needs into the ring.
template <typename Sample> void load_pair(const Strip &strip, int p, int x0, int x1, Rows &work)
{
    for (int i = 0; i < 2; ++i) {
        // A row too far below is loaded only with the last pair, and is not used.
        const int y = HWY_MIN(strip.first - kHalf + 2 * p + i, strip.height + 1);
        subtract_row<Sample>(strip, mirror(y, strip.height), x0, x1, work.difference[i]);
    }
    int16_t *to = work.pairs[p % kRing];
    for (int x = 0; x < x1 - x0 + 2 * kHalf; x += kLanes16) {
        const V32 above = as32(hn::Load(D16(), work.difference[0] + x));
        const V32 below = as32(hn::Load(D16(), work.difference[1] + x));
        hn::Store(merge_low(above, below), D16(), to + 2 * x);
        hn::Store(merge_high(above, below), D16(), to + 2 * x + kLanes16);
    }
}

/// Pass down to two rows of the tile; `pair` is the first pair that they need. The sums fit 32
/// bits, results have 17: they go on in two parts.
HWY_INLINE void filter_down(int pair, int columns, int depth, Rows &work)
{
    const D32 d;
    const int16_t *pairs[kRing];
    for (int i = 0; i < kRing; ++i)
        pairs[i] = work.pairs[(pair + i) % kRing];
    for (int x = 0; x < columns; x += kLanes16) {
        V32 even[2], odd[2];
        even[0] = even[1] = odd[0] = odd[1] = hn::Set(d, 1 << (depth - 1));
        for (int i = 0; i < kRing; ++i) {
            const V16 first = hn::Load(D16(), pairs[i] + 2 * x);
            const V16 second = hn::Load(D16(), pairs[i] + 2 * x + kLanes16);
            for (int row = 0; row < 2; ++row) {
                even[row] = multiply_add_pairs(first, taps_of(i, row != 0), even[row]);
                odd[row] = multiply_add_pairs(second, taps_of(i, row != 0), odd[row]);
            }
        }
        for (int row = 0; row < 2; ++row) {
            const V16 low = as16(hn::ShiftRightSame(even[row], depth));
            const V16 low_half = as16(hn::ShiftRightSame(even[row], depth + 1));
            const V16 high = as16(hn::ShiftLeftSame(odd[row], 16 - depth));
            const V16 high_half = as16(hn::ShiftLeftSame(odd[row], 15 - depth));
            hn::Store(hn::OddEven(high_half, low_half), D16(), work.half[row] + x);
            const V16 both = hn::OddEven(high, low);
            hn::Store(hn::And(both, hn::Set(D16(), 1)), D16(), work.odd[row] + x);
        }
    }
}

/// Pass along a row of the tile, sizes added up: floor((2 a + b) / 2^16) is
/// floor((a + floor(b / 2)) / 2^15).
HWY_INLINE V32 add_sizes(int count, const int16_t *halves, const int16_t *odds, V32 sum)
{
    const D32 d;
    for (int x = 0; x < count; x += kLanes16) {
        V32 half[2], odd[2];
        half[0] = half[1] = hn::Zero(d);
        odd[0] = odd[1] = hn::Set(d, 32768);
        for (int i = 0; i <= kHalf; ++i) {
            const V16 h = hn::LoadU(D16(), halves + x + 2 * i);
            const V16 o = hn::LoadU(D16(), odds + x + 2 * i);
            for (int later = 0; later < 2; ++later) {
                half[later] = multiply_add_pairs(h, taps_of(i, later != 0), half[later]);
                odd[later] = multiply_add_pairs(o, taps_of(i, later != 0), odd[later]);
            }
        }
        for (int later = 0; later < 2; ++later) {
            const V32 z = hn::ShiftRight<15>(hn::Add(half[later], hn::ShiftRight<1>(odd[later])));
            const auto inside = first_lanes((count - x - later + 1) / 2);
            sum = hn::Add(sum, hn::IfThenElseZero(inside, hn::Abs(z)));
        }
    }
    return sum;
}

/// The rule of libvmaf 3.2 up to 15 bits.
template <typename Sample> void run_difference(const Strip &strip)
{
    Rows work;
    uint64_t sad = 0;
    for (int x0 = 0; x0 < strip.width; x0 += kTile) {
        const int x1 = HWY_MIN(x0 + kTile, strip.width);
        V32 sum = hn::Zero(D32()); // 64 rows of 256 columns of less than 2^16
        int loaded = 0;
        for (int y = strip.first; y < strip.last; y += 2) {
            const int pair = (y - strip.first) / 2;
            for (; loaded < pair + kRing; ++loaded)
                load_pair<Sample>(strip, loaded, x0, x1, work);
            filter_down(pair, x1 - x0 + 2 * kHalf, strip.depth, work);
            for (int row = 0; row < HWY_MIN(2, strip.last - y); ++row)
                sum = add_sizes(x1 - x0, work.half[row], work.odd[row], sum);
        }
        HWY_ALIGN int32_t lanes[kLanes32];
        hn::Store(sum, D32(), lanes);
        for (const int32_t lane : lanes)
            sad += static_cast<uint64_t>(lane);
    }
    *strip.sad = sad;
}

inline void run_strip(const Strip &strip)
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

} // namespace vmafgpu::motion::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
