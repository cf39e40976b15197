// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF of one strip of rows, tile by tile: both filter passes, statistics, and the rows of the next
// scale. simd_targets.h compiles it once per level for vif_cpu.cpp. All filters are 16-bit
// multiply-adds of two rows, or of two columns, at a time. Values that need 32 bits before the
// horizontal pass go through it in two halves.
//
// 16-bit values are stored minus 32768 ("centred"), because the instructions are signed. Taps add
// up to 65536, so a sum of centred values is 2^31 too small. The sums start at 2^31, which corrects
// this modulo 2^32.
#include "cpu/simd-inl.h"

#include "features/vif/vif_pixels-inl.h" // needs simd-inl.h before it

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

constexpr uint32_t kCentre = 0x80000000u;
constexpr int kGroup = 4; ///< rows that are filtered together

/// Sizes of one scale of one sample type.
template <int scale, typename Sample> struct Shape {
    static constexpr int kHalf = kVifHalf[scale];
    static constexpr int kPairs = kHalf + 1; ///< pairs of rows per filtered row; last tap 0
    static constexpr int kRing = kPairs + 1; ///< pairs of rows per group
    static constexpr bool kIsByte = sizeof(Sample) == 1;
    /// Values per pair of rows: two samples, and products, which above 8 bits have two halves.
    static constexpr int kQuantities = kIsByte ? 5 : 8;
    /// The first scale of deeper pictures has the largest ring.
    static constexpr int kTile = scale == 0 && !kIsByte ? kVifTile / 2 : kVifTile;
    static constexpr int kColumns = kTile + 32; ///< with the halo, in whole vectors
};

/// Results of the vertical pass: means, and halves of second moments.
enum Result { kMean1, kMean2, kSquares, kResults = kSquares + 6 };

template <int scale, typename Sample> struct Work {
    using S = Shape<scale, Sample>;
    /// Pair p of rows is at index p % kRing. In a block of kLanes16 columns the even columns come
    /// first, each as the pair of the two rows' values, then the odd columns.
    alignas(64) int16_t ring[S::kRing][S::kQuantities][2 * S::kColumns];
    alignas(64) int16_t rows[kGroup][kResults][S::kColumns + 32]; ///< from the halo's first column
    alignas(64) Sample padded[2][2][S::kColumns]; ///< [picture][row], used near the borders
    VifSigmaRow sigma;
};

/// A tile of a strip, and the position of its columns.
struct Tile {
    const VifStrip &strip;
    int x0, x1;
};

/// The middle tap of the last scale has 16 bits. Its taps are all even, so half of each is used.
template <int scale> constexpr int kTapUnit = scale == 3 ? 2 : 1;

/// Taps 2i and 2i+1, or 2i-1 and 2i for the next row or column.
template <int scale> HWY_INLINE V16 taps_of(int i, bool is_later)
{
    const int count = 2 * kVifHalf[scale] + 1;
    const int at = 2 * i - (is_later ? 1 : 0);
    return pair_of((at >= 0 && at < count ? kVifFilter[scale][at] : 0) / kTapUnit<scale>,
                   (at + 1 < count ? kVifFilter[scale][at + 1] : 0) / kTapUnit<scale>);
}

/// The start value of a sum that shall include `start`, and the final correction.
template <int scale> HWY_INLINE V32 begin_sum(V32 start)
{
    return kTapUnit<scale> == 1 ? start : hn::Zero(D32());
}
template <int scale> HWY_INLINE void end_sum(V32 start, V32 &sum)
{
    if (kTapUnit<scale> == 2)
        sum = hn::Add(hn::ShiftLeft<1>(sum), start);
}

HWY_INLINE V16 centred(VU16 v)
{
    return hn::BitCast(D16(), hn::Xor(v, hn::Set(DU16(), 0x8000)));
}
HWY_INLINE V16 centred(V16 v)
{
    return centred(hn::BitCast(DU16(), v));
}
HWY_INLINE V32 start_at(uint32_t value)
{
    return hn::Set(D32(), static_cast<int32_t>(value));
}

HWY_INLINE VU16 load_samples(const uint8_t *from)
{
    return hn::PromoteTo(DU16(), hn::LoadU(hn::Rebind<uint8_t, DU16>(), from));
}
HWY_INLINE VU16 load_samples(const uint16_t *from)
{
    return hn::LoadU(DU16(), from);
}

HWY_INLINE void store_pair(V16 first, V16 second, int16_t *to)
{
    hn::Store(merge_low(as32(first), as32(second)), D16(), to);
    hn::Store(merge_high(as32(first), as32(second)), D16(), to + kLanes16);
}

/// Stores the products of two rows of samples a and b at `to` and `to` + step.
template <bool is_byte>
HWY_INLINE void store_products(const VU16 (&a)[2], const VU16 (&b)[2], int16_t *to, size_t step)
{
    V16 low[2], high[2];
    for (int i = 0; i < 2; ++i) {
        low[i] = centred(hn::Mul(a[i], b[i]));
        high[i] = centred(hn::MulHigh(a[i], b[i]));
    }
    if (!is_byte)
        store_pair(high[0], high[1], to);
    store_pair(low[0], low[1], is_byte ? to : to + step);
}

/// The samples of row y from column x on, at least `count` of them. If the row is shorter, this is
/// a copy with reflected borders.
template <typename Sample> inline const Sample *tile_row(const Plane &plane, const VifLevel &level,
                                                         int y, int x, int count, Sample *copy)
{
    const auto *row = plane_row<Sample>(plane, y);
    if (x >= 0 && x + count <= level.width)
        return row + x;
    const int begin = HWY_MAX(0, -x);
    const int end = HWY_MIN(count, level.width - x);
    std::memcpy(copy + begin, row + x + begin, static_cast<size_t>(end - begin) * sizeof(Sample));
    for (int i = 0; i < begin; ++i)
        copy[i] = row[mirror(x + i, level.width)];
    for (int i = end; i < count; ++i) // beyond the halo, values are not used
        copy[i] = row[HWY_MAX(mirror(x + i, level.width), 0)];
    return copy;
}

/// Writes pair p of the rows that the strip needs into the ring.
template <int scale, typename Sample>
void load_pair(const Tile &tile, int p, Work<scale, Sample> &work)
{
    using S = Shape<scale, Sample>;
    const VifLevel &level = tile.strip.level;
    const int columns = (tile.x1 - tile.x0 + 2 * S::kHalf + kLanes16 - 1) / kLanes16 * kLanes16;
    const Sample *rows[2][2];
    for (int i = 0; i < 2; ++i) {
        // Rows too far below are loaded only with the last group, and are not used.
        const int wanted = tile.strip.first - S::kHalf + 2 * p + i;
        const int y = mirror(HWY_MIN(wanted, level.height - 1 + S::kHalf), level.height);
        const int x = tile.x0 - S::kHalf;
        rows[0][i] = tile_row(level.reference, level, y, x, columns, work.padded[0][i]);
        rows[1][i] = tile_row(level.distorted, level, y, x, columns, work.padded[1][i]);
    }
    int16_t *to = work.ring[p % S::kRing][0];
    const size_t step = 2 * S::kColumns;
    const int products = S::kIsByte ? 1 : 2;
    for (int x = 0; x < columns; x += kLanes16, to += 2 * kLanes16) {
        const VU16 u[2] = {load_samples(rows[0][0] + x), load_samples(rows[0][1] + x)};
        const VU16 v[2] = {load_samples(rows[1][0] + x), load_samples(rows[1][1] + x)};
        if (S::kIsByte) { // 8-bit samples need no centring
            store_pair(hn::BitCast(D16(), u[0]), hn::BitCast(D16(), u[1]), to);
            store_pair(hn::BitCast(D16(), v[0]), hn::BitCast(D16(), v[1]), to + step);
        } else {
            store_pair(centred(u[0]), centred(u[1]), to);
            store_pair(centred(v[0]), centred(v[1]), to + step);
        }
        store_products<S::kIsByte>(u, u, to + 2 * step, step);
        store_products<S::kIsByte>(v, v, to + (2 + products) * step, step);
        store_products<S::kIsByte>(u, v, to + (2 + 2 * products) * step, step);
    }
}

/// Vertical filter: sums for kGroup rows of kLanes32 columns.
template <int scale, int ring> HWY_INLINE void filter_down(const int16_t *const (&pairs)[ring],
                                                           size_t at, V32 start, V32 (&sum)[kGroup])
{
    sum[0] = sum[1] = sum[2] = sum[3] = begin_sum<scale>(start);
    HWY_UNROLL(10)
    for (int i = 0; i < ring; ++i) {
        const V16 v = hn::Load(D16(), pairs[i] + at);
        if (i < ring - 1) {
            sum[0] = multiply_add_pairs(v, taps_of<scale>(i, false), sum[0]);
            sum[1] = multiply_add_pairs(v, taps_of<scale>(i, true), sum[1]);
        }
        if (i > 0) {
            sum[2] = multiply_add_pairs(v, taps_of<scale>(i - 1, false), sum[2]);
            sum[3] = multiply_add_pairs(v, taps_of<scale>(i - 1, true), sum[3]);
        }
    }
    for (V32 &row : sum)
        end_sum<scale>(start, row);
}

/// Vertical pass over the samples of one picture: from `quantity` of the ring to `result`.
template <int scale, typename Sample>
HWY_INLINE void filter_means(const int16_t *const (&pairs)[Shape<scale, Sample>::kRing], size_t at,
                             size_t x, int shift, Result result, Work<scale, Sample> &work)
{
    const uint32_t half = 1u << (shift - 1);
    const V32 start = start_at(half + (sizeof(Sample) == 1 ? 0 : kCentre));
    V32 even[kGroup], odd[kGroup];
    filter_down<scale>(pairs, at, start, even);
    filter_down<scale>(pairs, at + kLanes16, start, odd);
    const DU32 du;
    for (int r = 0; r < kGroup; ++r) {
        const auto e = hn::ShiftRightSame(hn::BitCast(du, even[r]), shift);
        const auto o = hn::ShiftRightSame(hn::BitCast(du, odd[r]), shift);
        const V16 both = merge_low(hn::BitCast(D32(), e), hn::BitCast(D32(), o));
        hn::Store(centred(both), D16(), work.rows[r][result] + x);
    }
}

/// Stores halves of second moments q, given as q - 2^31 + 2^15: the signed low half
/// l of q - 2^31, and the high half h that makes 65536 h + l of it.
HWY_INLINE void store_halves(V32 even, V32 odd, int16_t *high, int16_t *low)
{
    hn::Store(merge_high(even, odd), D16(), high);
    hn::Store(centred(merge_low(even, odd)), D16(), low);
}

/// Vertical pass over products that fit 16 bits; nothing is rounded.
template <int scale, typename Sample>
HWY_INLINE void filter_products(const int16_t *const (&pairs)[Shape<scale, Sample>::kRing],
                                size_t at, size_t x, int result, Work<scale, Sample> &work)
{
    V32 even[kGroup], odd[kGroup];
    filter_down<scale>(pairs, at, start_at(32768), even);
    filter_down<scale>(pairs, at + kLanes16, start_at(32768), odd);
    for (int r = 0; r < kGroup; ++r)
        store_halves(even[r], odd[r], work.rows[r][result] + x, work.rows[r][result + 1] + x);
}

/// Vertical pass over products in halves, 2 <= shift <= 16. The sum of the high halves has no bits
/// that the shift would drop.
template <int scale, typename Sample>
HWY_INLINE void filter_halves(const int16_t *const (&high)[Shape<scale, Sample>::kRing],
                              const int16_t *const (&low)[Shape<scale, Sample>::kRing], size_t at,
                              size_t x, int shift, int result, Work<scale, Sample> &work)
{
    const DU32 du;
    const V32 high_start = start_at(kCentre + (0x80008000u >> (16 - shift)));
    const V32 low_start = start_at(kCentre + (1u << (shift - 1)));
    V32 sums[2][kGroup];
    for (int odd = 0; odd < 2; ++odd) {
        V32 low_sum[kGroup];
        const size_t from = at + static_cast<size_t>(odd) * kLanes16;
        filter_down<scale>(high, from, high_start, sums[odd]);
        filter_down<scale>(low, from, low_start, low_sum);
        for (int r = 0; r < kGroup; ++r) {
            const auto h = hn::ShiftLeftSame(hn::BitCast(du, sums[odd][r]), 16 - shift);
            const auto l = hn::ShiftRightSame(hn::BitCast(du, low_sum[r]), shift);
            sums[odd][r] = hn::BitCast(D32(), hn::Add(h, l));
        }
    }
    for (int r = 0; r < kGroup; ++r)
        store_halves(sums[0][r], sums[1][r], work.rows[r][result] + x,
                     work.rows[r][result + 1] + x);
}

/// Vertical pass of kGroup rows; `pair` is the first pair of rows that they need.
template <int scale, typename Sample>
void filter_group(const Tile &tile, int pair, Work<scale, Sample> &work)
{
    using S = Shape<scale, Sample>;
    const int columns = tile.x1 - tile.x0 + 2 * S::kHalf;
    const int shift_mean = vif_shift_mean(scale, tile.strip.depth);
    const int shift_square = vif_shift_square(scale, tile.strip.depth);
    const int16_t *pairs[S::kQuantities][S::kRing];
    for (int q = 0; q < S::kQuantities; ++q)
        for (int i = 0; i < S::kRing; ++i)
            pairs[q][i] = work.ring[(pair + i) % S::kRing][q];
    for (int x = 0; x < columns; x += kLanes16) {
        const auto to = static_cast<size_t>(x);
        const size_t at = 2 * to;
        filter_means<scale, Sample>(pairs[0], at, to, shift_mean, kMean1, work);
        filter_means<scale, Sample>(pairs[1], at, to, shift_mean, kMean2, work);
        for (int m = 0; m < 3; ++m) {
            if constexpr (S::kIsByte)
                filter_products<scale, Sample>(pairs[2 + m], at, to, kSquares + 2 * m, work);
            else
                filter_halves<scale, Sample>(pairs[2 + 2 * m], pairs[3 + 2 * m], at, to,
                                             shift_square, kSquares + 2 * m, work);
        }
    }
}

/// Values of kLanes16 columns: even columns, odd columns.
struct Columns {
    V32 even, odd;
};

/// Horizontal filter: sums for the columns from the one of from[half] on.
template <int scale> HWY_INLINE Columns filter_across(const int16_t *from, V32 start)
{
    Columns sum = {begin_sum<scale>(start), begin_sum<scale>(start)};
    HWY_UNROLL(9)
    for (int i = 0; i <= kVifHalf[scale]; ++i) {
        const V16 v = hn::LoadU(D16(), from + 2 * i);
        sum.even = multiply_add_pairs(v, taps_of<scale>(i, false), sum.even);
        sum.odd = multiply_add_pairs(v, taps_of<scale>(i, true), sum.odd);
    }
    end_sum<scale>(start, sum.even);
    end_sum<scale>(start, sum.odd);
    return sum;
}

/// vif_sigma() of vectors.
HWY_INLINE V32 sigma_of(V32 moment, VU32 m1, VU32 m2)
{
    const VU64 half = hn::Set(DU64(), 0x80000000u);
    const VU64 even = hn::Add(hn::MulEven(m1, m2), half);
    const VU64 odd = hn::Add(multiply_odd(m1, m2), half);
    return hn::Sub(moment, hn::BitCast(D32(), merge_high_halves(even, odd)));
}

/// One second moment around the means, from its two halves.
template <int scale> HWY_INLINE void filter_moment(const int16_t *high, const int16_t *low,
                                                   const Columns &m1, const Columns &m2,
                                                   int32_t *to)
{
    const D32 d;
    const DU32 du;
    const Columns h = filter_across<scale>(high, start_at(kCentre));
    const Columns l = filter_across<scale>(low, start_at(32768));
    const V32 even = hn::Add(h.even, hn::ShiftRight<16>(l.even));
    const V32 odd = hn::Add(h.odd, hn::ShiftRight<16>(l.odd));
    hn::Store(sigma_of(even, hn::BitCast(du, m1.even), hn::BitCast(du, m2.even)), d, to);
    hn::Store(sigma_of(odd, hn::BitCast(du, m1.odd), hn::BitCast(du, m2.odd)), d, to + kLanes32);
}

/// Sets columns count to end - 1 to zero, in the order of filter_moment().
inline void clear_rest(int count, int end, VifSigmaRow &sigma)
{
    for (int x = count; x < end; ++x) {
        const int block = x / kLanes16 * kLanes16;
        const int at = block + (x - block) / 2 + (x % 2) * kLanes32;
        sigma.reference[at] = sigma.distorted[at] = sigma.both[at] = 0;
    }
}

/// Horizontal pass and statistics of one row. Returns the number of zeros among the pixels.
template <int scale> inline int finish_row(const int16_t *const (&row)[kResults], int count,
                                           const VifConfig &config, VifSigmaRow &sigma,
                                           PixelSums &sums)
{
    const int end = (count + kLanes16 - 1) / kLanes16 * kLanes16;
    for (int x = 0; x < end; x += kLanes16) {
        const Columns m1 = filter_across<scale>(row[kMean1] + x, start_at(kCentre));
        const Columns m2 = filter_across<scale>(row[kMean2] + x, start_at(kCentre));
        filter_moment<scale>(row[kSquares] + x, row[kSquares + 1] + x, m1, m1, sigma.reference + x);
        filter_moment<scale>(row[kSquares + 2] + x, row[kSquares + 3] + x, m2, m2,
                             sigma.distorted + x);
        filter_moment<scale>(row[kSquares + 4] + x, row[kSquares + 5] + x, m1, m2, sigma.both + x);
    }
    clear_rest(count, end, sigma);
    add_pixels(sigma, end, config, sums);
    return end - count;
}

/// Row y / 2 of the next scale, for even y; `pair` is the first pair of rows that row y needs here.
template <int scale, typename Sample>
void halve_row(const Tile &tile, int y, int pair, int picture, Work<scale, Sample> &work)
{
    using S = Shape<scale, Sample>;
    const int next = scale + 1;
    const int half = kVifHalf[next];
    const int before = S::kHalf - half; // rows of the pairs above the first tap
    const int shift = vif_shift_mean(scale, tile.strip.depth);
    const V32 start = start_at((1u << (shift - 1)) + (S::kIsByte ? 0 : kCentre));
    const int columns = tile.x1 - tile.x0 + 2 * S::kHalf;
    int16_t *filtered = work.rows[0][0];
    for (int x = 0; x < columns; x += kLanes16) {
        V32 sum[2] = {begin_sum<next>(start), begin_sum<next>(start)};
        for (int i = 0; i <= half; ++i) {
            const int slot = (pair + before / 2 + i) % S::kRing;
            const int16_t *from = work.ring[slot][picture] + 2 * x;
            const V16 taps = taps_of<next>(i, before % 2 != 0);
            sum[0] = multiply_add_pairs(hn::Load(D16(), from), taps, sum[0]);
            sum[1] = multiply_add_pairs(hn::Load(D16(), from + kLanes16), taps, sum[1]);
        }
        end_sum<next>(start, sum[0]);
        end_sum<next>(start, sum[1]);
        const DU32 du;
        const auto even = hn::ShiftRightSame(hn::BitCast(du, sum[0]), shift);
        const auto odd = hn::ShiftRightSame(hn::BitCast(du, sum[1]), shift);
        const V16 both = merge_low(hn::BitCast(D32(), even), hn::BitCast(D32(), odd));
        hn::Store(centred(both), D16(), filtered + x);
    }
    const Plane &plane = picture == 0 ? tile.strip.next.reference : tile.strip.next.distorted;
    auto *to = const_cast<uint16_t *>(plane_row<uint16_t>(plane, y / 2)) + tile.x0 / 2;
    const int count = HWY_MIN(tile.x1 / 2, tile.strip.next.width) - tile.x0 / 2;
    HWY_ALIGN int32_t values[kLanes32];
    for (int x = 0; x < count; x += kLanes32) {
        const Columns sum =
            filter_across<next>(filtered + 2 * x + before, start_at(kCentre + 32768));
        hn::Store(shift_right_unsigned<16>(sum.even), D32(), values);
        for (int i = 0; i < HWY_MIN(kLanes32, count - x); ++i)
            to[x + i] = static_cast<uint16_t>(values[i]);
    }
}

template <int scale, typename Sample>
void run_tile(const Tile &tile, Work<scale, Sample> &work, VifScaleSums &total)
{
    using S = Shape<scale, Sample>;
    const VifStrip &strip = tile.strip;
    const int count = tile.x1 - tile.x0;
    PixelSums sums;
    int64_t zeros = 0;
    int loaded = 0;
    for (int y = strip.first; y < strip.last; y += kGroup) {
        const int pair = (y - strip.first) / 2;
        for (; loaded < pair + S::kRing; ++loaded)
            load_pair<scale, Sample>(tile, loaded, work);
        if constexpr (scale + 1 < kVifScales)
            for (int i = 0; i < kGroup && y + i + 1 < strip.last; i += 2)
                for (int picture = 0; picture < 2; ++picture)
                    halve_row<scale, Sample>(tile, y + i, pair + i / 2, picture, work);
        if (!strip.statistics)
            continue;
        filter_group<scale, Sample>(tile, pair, work);
        for (int r = 0; r < HWY_MIN(kGroup, strip.last - y); ++r) {
            const int16_t *row[kResults];
            for (int i = 0; i < kResults; ++i)
                row[i] = work.rows[r][i];
            zeros += finish_row<scale>(row, count, *strip.config, work.sigma, sums);
        }
    }
    if (strip.statistics) {
        const int64_t pixels = static_cast<int64_t>(count) * (strip.last - strip.first);
        add_totals(sums, pixels, zeros, strip.config->limit_count, total);
    }
}

template <int scale, typename Sample> void run_scale(const VifStrip &strip)
{
    Work<scale, Sample> work; // at most about 110 KiB
    VifScaleSums total = {};
    const int width = Shape<scale, Sample>::kTile;
    for (int x = 0; x < strip.level.width; x += width)
        run_tile<scale, Sample>({strip, x, HWY_MIN(x + width, strip.level.width)}, work, total);
    *strip.sums = total;
}

inline void vif_run_strip(const VifStrip &strip)
{
    switch (strip.scale) {
    case 0:
        return strip.depth > 8 ? run_scale<0, uint16_t>(strip) : run_scale<0, uint8_t>(strip);
    case 1:
        return run_scale<1, uint16_t>(strip);
    case 2:
        return run_scale<2, uint16_t>(strip);
    default:
        return run_scale<3, uint16_t>(strip);
    }
}

} // namespace VMAFGPU_SIMD
} // namespace vmafgpu
HWY_AFTER_NAMESPACE();
