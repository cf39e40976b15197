// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF of one strip of rows, tile by tile: both filter passes, statistics, and the rows of the next
// scale. simd_targets.h compiles it once per level for vif_cpu.cpp. All filters are 16-bit
// multiply-adds of two rows, or of two columns, at a time. Values that need 32 bits before the
// horizontal pass go through it in two halves.
//
// 16-bit values are stored minus 32768 ("centred"), because the instructions are signed. Taps add
// up to 65536, so a sum of centred values is 2^31 too small. The sums start at 2^31, which corrects
// this modulo 2^32.
#include "simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::vif::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

// add_pixel() of vif.h for vectors of pixels, without branches on single pixels.

/// Sums of log2_units() in two parts: 128 * index + rest - kLogUnit + kLogOffset per value. The sum
/// of `rest` wraps.
struct LogSum {
    V32 index, rest;
};

#if VMAFGPU_SIMD_HAS_TABLES

/// See kFitStart; exponents here include the bias of binary32.
constexpr int64_t kLogOffset = 30720 - 2048 * (127 + 15);
constexpr uint32_t kLogUnit = kFitUnitBits;

HWY_INLINE void add_log(V32 v, LogSum &sum)
{
    const DF32 df;
    const D32 d;
    const V32 bits = hn::BitCast(d, leading_bits(v));
    const V32 index = shift_right_unsigned<19>(bits);
    const V32 x = hn::OrAnd(hn::Set(d, 0x3f800000), bits, hn::Set(d, 0x7fff00));
    const VF32 y = hn::MulSub(hn::BitCast(df, x), look_up_16(kFitScale, index), hn::Set(df, 1.0F));
    VF32 fit = hn::MulAdd(hn::Set(df, kFit[2]), y, hn::Set(df, kFit[1]));
    fit = hn::MulAdd(fit, y, hn::Set(df, kFit[0]));
    fit = hn::MulAdd(fit, y, look_up_16(kFitStart, index));
    sum.index = hn::Add(sum.index, index);
    sum.rest = hn::Add(sum.rest, hn::BitCast(d, fit));
}

#else

constexpr int64_t kLogOffset = 0;
constexpr uint32_t kLogUnit = 0;

inline void add_log(V32 v, LogSum &sum)
{
    HWY_ALIGN int32_t lanes[kLanes32];
    hn::Store(v, D32(), lanes);
    for (int32_t &lane : lanes)
        lane = log2_units(static_cast<uint32_t>(lane), log2_table());
    sum.rest = hn::Add(sum.rest, hn::Load(D32(), lanes));
}

#endif

/// Values of pixels whose logarithms are to be added. That is done one vector later, so that the
/// processor has work while it divides.
struct LogArguments {
    V32 den, noise, num_first, num_second;
};

/// 32-bit lanes are enough for the sums of one tile of a strip: at most 128 * 256 values below
/// 2^16.
struct PixelSums {
    LogSum den, noise, num[kMaxLimits];
    LogArguments waiting;
    VU64 flat_variance;
    V32 flat_count; ///< negative
    /// Flat pixels that are not in den: their logarithm is the noise's. The first pixels that wait
    /// are added to den without being any.
    int64_t left_out = -kLanes32;

    PixelSums()
    {
        const V32 zero = hn::Zero(D32());
        den = noise = num[0] = num[1] = {zero, zero};
        const V32 no_variance = hn::Set(D32(), kNoise);
        waiting = {no_variance, no_variance, no_variance, no_variance};
        flat_variance = hn::Zero(DU64());
        flat_count = zero;
    }
};

template <int limits> HWY_INLINE void add_logs(const LogArguments &of, PixelSums &sums)
{
    add_log(of.den, sums.den);
    add_log(of.noise, sums.noise);
    add_log(of.num_first, sums.num[0]);
    if (limits > 1)
        add_log(of.num_second, sums.num[1]);
}

HWY_INLINE int64_t sum_lanes(V32 v)
{
    HWY_ALIGN int32_t lanes[kLanes32];
    hn::Store(v, D32(), lanes);
    int64_t sum = 0;
    for (const int32_t lane : lanes)
        sum += lane;
    return sum;
}

HWY_INLINE int64_t sum_log(const LogSum &sum)
{
    return 128 * sum_lanes(sum.index) + sum_lanes(sum.rest);
}

/// Adds the sums of `pixels` pixels; any number of zero pixels may follow them.
inline void add_totals(PixelSums &from, int64_t pixels, int64_t zeros, int limits, ScaleSums &to)
{
    add_logs<kMaxLimits>(from.waiting, from);
    const int64_t count = pixels + zeros - from.left_out;
    const auto units = static_cast<uint32_t>(count / kLanes32) * kLogUnit;
    for (LogSum *sum : {&from.den, &from.noise, &from.num[0], &from.num[1]})
        sum->rest = hn::Sub(sum->rest, hn::Set(D32(), static_cast<int32_t>(units)));
    for (int i = 0; i < limits; ++i)
        to.num_log[i] += sum_log(from.num[i]) - sum_log(from.noise);
    to.den_log += sum_log(from.den) + (kLogOffset - kLog2Noise) * count;
    HWY_ALIGN uint64_t lanes[kLanes64];
    hn::Store(from.flat_variance, DU64(), lanes);
    for (const uint64_t lane : lanes)
        to.num_nl += static_cast<int64_t>(lane);
    to.den_nl += -sum_lanes(from.flat_count) - zeros;
}

/// Half a vector in binary64. Pixels that add nothing have both = 0, and any other values.
struct Gain {
    VF64 gain, variance;
    hn::Vec<D32Half> residual;

    HWY_INLINE void set(const int32_t *reference, const int32_t *distorted, VF64 both)
    {
        const DF64 d;
        const D32Half half;
        variance = hn::PromoteTo(d, hn::Load(half, reference));
        // vif.h explains these steps.
        gain = hn::Div(both, hn::Add(variance, hn::Set(d, 65536 * 1e-10)));
        const VF64 total = hn::PromoteTo(d, hn::Load(half, distorted));
        residual = truncate(hn::Sub(total, hn::Mul(gain, both)));
    }
    HWY_INLINE hn::Vec<D32Half> signal(double limit) const
    {
        const VF64 limited = hn::Min(gain, hn::Set(DF64(), limit));
        return truncate(hn::Mul(hn::Mul(limited, limited), variance));
    }
};

/// variance: of the reference, 0 for flat pixels; both: 0 for pixels that add nothing.
template <int limits> HWY_INLINE LogArguments log_arguments(const int32_t *reference,
                                                            const int32_t *distorted, V32 variance,
                                                            V32 both, const double *limit)
{
    const D32 d;
    const V32 no_variance = hn::Set(d, kNoise);
    Gain low, high;
    low.set(reference, distorted, low_to_double(both));
    high.set(reference + kLanes64, distorted + kLanes64, high_to_double(both));
    const V32 residual = hn::Max(combine(low.residual, high.residual), hn::Zero(d));
    const V32 noise = hn::Add(residual, no_variance);
    const auto num = [&](double most) {
        return hn::Add(noise, combine(low.signal(most), high.signal(most)));
    };
    return {hn::Add(variance, no_variance), noise, num(limit[0]), num(limit[limits - 1])};
}

template <int limits>
void add_row(const SigmaRow &row, int count, const double *limit, PixelSums &sums)
{
    const D32 d;
    const V32 zero = hn::Zero(d);
    const V32 threshold = hn::Set(d, kNoise - 1);
    PixelSums local = sums;
    V32 den = sums.waiting.den; // GCC keeps the struct in memory, and writes it each time
    V32 noise = sums.waiting.noise;
    V32 num_first = sums.waiting.num_first;
    V32 num_second = sums.waiting.num_second;
    for (int x = 0; x < count; x += kLanes32) {
        const V32 reference = hn::Load(d, row.reference + x);
        const V32 distorted = hn::Load(d, row.distorted + x);
        const auto textured = hn::Gt(reference, threshold);
        if (!hn::AllTrue(d, textured)) {
            const V32 flat = hn::IfThenZeroElse(textured, hn::Max(distorted, zero));
            const VU64 pairs = add_pairs(hn::BitCast(DU32(), flat));
            local.flat_variance = hn::Add(local.flat_variance, pairs);
            local.flat_count =
                hn::Add(local.flat_count, hn::IfThenZeroElse(textured, hn::Set(d, -1)));
            if (hn::AllFalse(d, textured)) {
                local.left_out += kLanes32;
                continue;
            }
        }
        const V32 both = hn::Load(d, row.both + x);
        const auto adds = hn::And(textured, hn::Gt(hn::Min(distorted, both), zero));
        const LogArguments next = log_arguments<limits>(row.reference + x, row.distorted + x,
                                                        hn::IfThenElseZero(textured, reference),
                                                        hn::IfThenElseZero(adds, both), limit);
        add_logs<limits>({den, noise, num_first, num_second}, local);
        den = next.den;
        noise = next.noise;
        num_first = next.num_first;
        num_second = next.num_second;
    }
    sums = local;
    sums.waiting = {den, noise, num_first, num_second};
}

inline void add_pixels(const SigmaRow &row, int count, const Config &config, PixelSums &sums)
{
    if (config.limit_count == 1)
        add_row<1>(row, count, config.limits, sums);
    else
        add_row<2>(row, count, config.limits, sums);
}

/// add_row() of vif.h.
inline void add_pixels_once(const SigmaRow &row, int count, const Config &config, ScaleSums &sums)
{
    PixelSums parts;
    add_pixels(row, count, config, parts);
    const int all = (count + kLanes32 - 1) / kLanes32 * kLanes32;
    add_totals(parts, count, all - count, config.limit_count, sums);
}

// Both filter passes.

constexpr uint32_t kCentre = 0x80000000u;
constexpr int kGroup = 4; ///< rows that are filtered together

/// Sizes of one scale of one sample type.
template <int scale, typename Sample> struct Shape {
    static constexpr int kHalf = kHalfWidth[scale];
    static constexpr int kPairs = kHalf + 1; ///< pairs of rows per filtered row; last tap 0
    static constexpr int kRing = kPairs + 1; ///< pairs of rows per group
    static constexpr bool kIsByte = sizeof(Sample) == 1;
    /// Values per pair of rows: two samples, and products, which above 8 bits have two halves.
    static constexpr int kQuantities = kIsByte ? 5 : 8;
    /// With the halo of the first scale, 240 columns are 8 vectors of AVX-512, 272 would be 9. The
    /// ring of bytes is smaller, and its pass down the rows costs less than the pass along them.
    static constexpr int kTile = scale == 0 && !kIsByte ? 224 : kMostColumns;
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
    SigmaRow sigma;
};

/// A tile of a strip, and the position of its columns.
struct Tile {
    const Strip &strip;
    int x0, x1;
};

/// The middle tap of the last scale has 16 bits. Its taps are all even, so half of each is used.
template <int scale> constexpr int kTapUnit = scale == 3 ? 2 : 1;

/// Taps 2i and 2i+1, or 2i-1 and 2i for the next row or column.
template <int scale> HWY_INLINE V16 taps_of(int i, bool is_later)
{
    const int count = 2 * kHalfWidth[scale] + 1;
    const int at = 2 * i - (is_later ? 1 : 0);
    return pair_of((at >= 0 && at < count ? kFilter[scale][at] : 0) / kTapUnit<scale>,
                   (at + 1 < count ? kFilter[scale][at + 1] : 0) / kTapUnit<scale>);
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

/// Samples of a pair of rows of one picture: even columns, each as the pair of the two rows'
/// samples, then odd columns.
struct Samples {
    VU16 half[2];

    HWY_INLINE Samples(VU16 first, VU16 second)
    {
        const V32 above = hn::BitCast(D32(), first);
        const V32 below = hn::BitCast(D32(), second);
        half[0] = hn::BitCast(DU16(), merge_low(above, below));
        half[1] = hn::BitCast(DU16(), merge_high(above, below));
    }
    template <bool is_byte> HWY_INLINE void store(int16_t *to) const // 8 bits need no centring
    {
        for (int i = 0; i < 2; ++i)
            hn::Store(is_byte ? hn::BitCast(D16(), half[i]) : centred(half[i]), D16(),
                      to + i * kLanes16);
    }
};

/// Stores the products of samples a and b at `to`, or their high and low halves there and at `to` +
/// step.
template <bool is_byte>
HWY_INLINE void store_products(const Samples &a, const Samples &b, int16_t *to, size_t step)
{
    for (int i = 0; i < 2; ++i, to += kLanes16) {
        if (!is_byte)
            hn::Store(centred(hn::MulHigh(a.half[i], b.half[i])), D16(), to);
        hn::Store(centred(hn::Mul(a.half[i], b.half[i])), D16(), is_byte ? to : to + step);
    }
}

/// The samples of row y from column x on: `wanted` of them, in memory of `count`. If the row is
/// shorter, this is a copy with reflected borders.
template <typename Sample> inline const Sample *
tile_row(const Plane &plane, const Level &level, int y, int x, int wanted, int count, Sample *copy)
{
    const auto *row = plane_row<Sample>(plane, y);
    if (x >= 0 && x + count <= level.width)
        return row + x;
    const int begin = HWY_MAX(0, -x);
    const int end = HWY_MIN(count, level.width - x);
    std::memcpy(copy + begin, row + x + begin, static_cast<size_t>(end - begin) * sizeof(Sample));
    for (int i = 0; i < begin; ++i)
        copy[i] = row[mirror(x + i, level.width)];
    for (int i = end; i < wanted; ++i)
        copy[i] = row[mirror(x + i, level.width)];
    return copy;
}

/// Row i of pair p of the rows that the strip needs. Rows too far below are loaded only with the
/// last group, and are not used.
template <int scale> HWY_INLINE int source_row(const Strip &strip, int p, int i)
{
    const int wanted = strip.first - kHalfWidth[scale] + 2 * p + i;
    return mirror(HWY_MIN(wanted, strip.level.height - 1 + kHalfWidth[scale]), strip.level.height);
}

/// Writes pair p of the rows that the strip needs into the ring.
template <int scale, typename Sample>
void load_pair(const Tile &tile, int p, Work<scale, Sample> &work)
{
    using S = Shape<scale, Sample>;
    const Level &level = tile.strip.level;
    const int wanted = tile.x1 - tile.x0 + 2 * S::kHalf;
    const int columns = (wanted + kLanes16 - 1) / kLanes16 * kLanes16;
    const Sample *rows[2][2];
    const Sample *ahead[2][2]; // the next group's: a tile's rows are too short to be foreseen
    for (int i = 0; i < 2; ++i) {
        const int next = source_row<scale>(tile.strip, p + kGroup / 2, i);
        ahead[0][i] = plane_row<Sample>(level.reference, next) + tile.x0;
        ahead[1][i] = plane_row<Sample>(level.distorted, next) + tile.x0;
        const int y = source_row<scale>(tile.strip, p, i);
        const int x = tile.x0 - S::kHalf;
        rows[0][i] = tile_row(level.reference, level, y, x, wanted, columns, work.padded[0][i]);
        rows[1][i] = tile_row(level.distorted, level, y, x, wanted, columns, work.padded[1][i]);
    }
    int16_t *to = work.ring[p % S::kRing][0];
    const size_t step = 2 * S::kColumns;
    const int products = S::kIsByte ? 1 : 2;
    for (int x = 0; x < columns; x += kLanes16, to += 2 * kLanes16) {
        for (int i = 0; i < 2; ++i) {
            prefetch(ahead[0][i] + x);
            prefetch(ahead[1][i] + x);
        }
        const Samples u(load_samples(rows[0][0] + x), load_samples(rows[0][1] + x));
        const Samples v(load_samples(rows[1][0] + x), load_samples(rows[1][1] + x));
        u.template store<S::kIsByte>(to);
        v.template store<S::kIsByte>(to + step);
        store_products<S::kIsByte>(u, u, to + 2 * step, step);
        store_products<S::kIsByte>(v, v, to + (2 + products) * step, step);
        store_products<S::kIsByte>(u, v, to + (2 + 2 * products) * step, step);
    }
}

/// Vertical filter: sums for kGroup rows of the even and of the odd columns of a block. These are
/// eight chains of additions: with four the processor would wait for their latency.
template <int scale, int ring> HWY_INLINE void filter_down(const int16_t *const (&pairs)[ring],
                                                           size_t at, V32 start,
                                                           V32 (&even)[kGroup], V32 (&odd)[kGroup])
{
    for (int r = 0; r < kGroup; ++r)
        even[r] = odd[r] = begin_sum<scale>(start);
    HWY_UNROLL(10)
    for (int i = 0; i < ring; ++i) {
        const V16 first = hn::Load(D16(), pairs[i] + at);
        const V16 second = hn::Load(D16(), pairs[i] + at + kLanes16);
        for (int r = i < ring - 1 ? 0 : 2; r < (i > 0 ? kGroup : 2); ++r) {
            const V16 taps = taps_of<scale>(i - r / 2, r % 2 != 0);
            even[r] = multiply_add_pairs(first, taps, even[r]);
            odd[r] = multiply_add_pairs(second, taps, odd[r]);
        }
    }
    for (int r = 0; r < kGroup; ++r) {
        end_sum<scale>(start, even[r]);
        end_sum<scale>(start, odd[r]);
    }
}

/// The start value of a vertical sum of samples, which rounds it and centres it: 32768 is
/// subtracted from what merge_means() makes of it.
template <typename Sample> HWY_INLINE V32 mean_start(int shift)
{
    return start_at((1u << (shift - 1)) - (32768u << shift) + (sizeof(Sample) == 1 ? 0 : kCentre));
}

/// 16 bits of each sum of the even and of the odd columns, from bit `shift` on.
HWY_INLINE V16 merge_means(V32 even, V32 odd, int shift)
{
    const auto low = hn::ShiftRightSame(hn::BitCast(DU32(), even), shift);
    return hn::OddEven(as16(hn::ShiftLeftSame(odd, 16 - shift)), hn::BitCast(D16(), low));
}

/// Vertical pass over the samples of one picture: from `quantity` of the ring to `result`.
template <int scale, typename Sample>
HWY_INLINE void filter_means(const int16_t *const (&pairs)[Shape<scale, Sample>::kRing], size_t at,
                             size_t x, int shift, Result result, Work<scale, Sample> &work)
{
    const V32 start = mean_start<Sample>(shift);
    V32 even[kGroup], odd[kGroup];
    filter_down<scale>(pairs, at, start, even, odd);
    for (int r = 0; r < kGroup; ++r)
        hn::Store(merge_means(even[r], odd[r], shift), D16(), work.rows[r][result] + x);
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
    filter_down<scale>(pairs, at, start_at(32768), even, odd);
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
    V32 sums[2][kGroup], low_sums[2][kGroup];
    filter_down<scale>(high, at, high_start, sums[0], sums[1]);
    filter_down<scale>(low, at, low_start, low_sums[0], low_sums[1]);
    for (int r = 0; r < kGroup; ++r) {
        for (int odd = 0; odd < 2; ++odd) {
            const auto h = hn::ShiftLeftSame(hn::BitCast(du, sums[odd][r]), 16 - shift);
            const auto l = hn::ShiftRightSame(hn::BitCast(du, low_sums[odd][r]), shift);
            sums[odd][r] = hn::BitCast(D32(), hn::Add(h, l));
        }
        store_halves(sums[0][r], sums[1][r], work.rows[r][result] + x,
                     work.rows[r][result + 1] + x);
    }
}

/// Vertical pass of kGroup rows; `pair` is the first pair of rows that they need.
template <int scale, typename Sample>
void filter_group(const Tile &tile, int pair, Work<scale, Sample> &work)
{
    using S = Shape<scale, Sample>;
    const int columns = tile.x1 - tile.x0 + 2 * S::kHalf;
    const int shift_mean = mean_shift(scale, tile.strip.depth);
    const int shift_square = square_shift(scale, tile.strip.depth);
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
    for (int i = 0; i <= kHalfWidth[scale]; ++i) {
        const V16 v = hn::LoadU(D16(), from + 2 * i);
        sum.even = multiply_add_pairs(v, taps_of<scale>(i, false), sum.even);
        sum.odd = multiply_add_pairs(v, taps_of<scale>(i, true), sum.odd);
    }
    end_sum<scale>(start, sum.even);
    end_sum<scale>(start, sum.odd);
    return sum;
}

/// second_moment() of vectors.
HWY_INLINE V32 sigma_of(V32 moment, VU32 m1, VU32 m2)
{
    const VU64 half = hn::Set(DU64(), 0x80000000u);
    const VU64 even = hn::Add(hn::MulEven(m1, m2), half);
    const VU64 odd = hn::Add(multiply_odd(m1, m2), half);
    return hn::Sub(moment, hn::BitCast(D32(), merge_high_halves(even, odd)));
}

/// Filters one second moment around the means, from its two halves.
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
inline void clear_rest(int count, int end, SigmaRow &sigma)
{
    for (int x = count; x < end; ++x) {
        const int block = x / kLanes16 * kLanes16;
        const int at = block + (x - block) / 2 + (x % 2) * kLanes32;
        sigma.reference[at] = sigma.distorted[at] = sigma.both[at] = 0;
    }
}

/// Horizontal pass and statistics of one row. Returns the number of zeros among the pixels.
template <int scale> inline int finish_row(const int16_t *const (&row)[kResults], int count,
                                           const Config &config, SigmaRow &sigma, PixelSums &sums)
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

/// Vertical pass of a row of the next scale; `pair` is the first pair of rows that the row needs at
/// this scale.
template <int scale, typename Sample>
void halve_down(const Tile &tile, int pair, int picture, Work<scale, Sample> &work, int16_t *to)
{
    using S = Shape<scale, Sample>;
    const int next = scale + 1;
    const int half = kHalfWidth[next];
    const int before = S::kHalf - half; // rows of the pairs above the first tap
    const int shift = mean_shift(scale, tile.strip.depth);
    const V32 start = mean_start<Sample>(shift);
    const int columns = tile.x1 - tile.x0 + 2 * S::kHalf;
    const int16_t *pairs[half + 1];
    for (int i = 0; i <= half; ++i)
        pairs[i] = work.ring[(pair + before / 2 + i) % S::kRing][picture];
    for (int x = 0; x < columns; x += kLanes16) {
        V32 sum[2] = {begin_sum<next>(start), begin_sum<next>(start)};
        for (int i = 0; i <= half; ++i) {
            const V16 taps = taps_of<next>(i, before % 2 != 0);
            const int16_t *from = pairs[i] + 2 * x;
            sum[0] = multiply_add_pairs(hn::Load(D16(), from), taps, sum[0]);
            sum[1] = multiply_add_pairs(hn::Load(D16(), from + kLanes16), taps, sum[1]);
        }
        end_sum<next>(start, sum[0]);
        end_sum<next>(start, sum[1]);
        hn::Store(merge_means(sum[0], sum[1], shift), D16(), to + x);
    }
}

/// Horizontal pass of row y of the next scale. It writes whole vectors, for which the rows of a
/// plane have room.
template <int scale>
void halve_across(const Tile &tile, int y, int picture, const int16_t *filtered)
{
    const int before = kHalfWidth[scale] - kHalfWidth[scale + 1];
    const Plane &plane = picture == 0 ? tile.strip.next.reference : tile.strip.next.distorted;
    auto *to = const_cast<uint16_t *>(plane_row<uint16_t>(plane, y)) + tile.x0 / 2;
    const int count = HWY_MIN(tile.x1 / 2, tile.strip.next.width) - tile.x0 / 2;
    const hn::Rebind<uint16_t, DU32> d;
    for (int x = 0; x < count; x += kLanes32) {
        const Columns sum =
            filter_across<scale + 1>(filtered + 2 * x + before, start_at(kCentre + 32768));
        hn::Store(hn::TruncateTo(d, hn::ShiftRight<16>(hn::BitCast(DU32(), sum.even))), d, to + x);
    }
}

/// Rows of the next scale for up to kGroup rows from y on.
template <int scale, typename Sample>
void halve_group(const Tile &tile, int y, int pair, Work<scale, Sample> &work)
{
    const int rows = HWY_MIN(kGroup, tile.strip.last - y) / 2;
    // All rows are filtered before the second pass, which reads over the seams of recent stores.
    for (int i = 0; i < 2 * rows; ++i)
        halve_down<scale>(tile, pair + i / 2, i % 2, work, work.rows[i][0]);
    for (int i = 0; i < 2 * rows; ++i)
        halve_across<scale>(tile, y / 2 + i / 2, i % 2, work.rows[i][0]);
}

template <int scale, typename Sample>
void run_tile(const Tile &tile, Work<scale, Sample> &work, ScaleSums &total)
{
    using S = Shape<scale, Sample>;
    const Strip &strip = tile.strip;
    const int count = tile.x1 - tile.x0;
    PixelSums sums;
    int64_t zeros = 0;
    int loaded = 0;
    for (int y = strip.first; y < strip.last; y += kGroup) {
        const int pair = (y - strip.first) / 2;
        for (; loaded < pair + S::kRing; ++loaded)
            load_pair<scale, Sample>(tile, loaded, work);
        if constexpr (scale + 1 < kScales)
            halve_group<scale, Sample>(tile, y, pair, work);
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

template <int scale, typename Sample> void run_scale(const Strip &strip)
{
    Work<scale, Sample> work; // at most about 110 KiB
    ScaleSums total = {};
    const int width = Shape<scale, Sample>::kTile;
    for (int x = 0; x < strip.level.width; x += width)
        run_tile<scale, Sample>({strip, x, HWY_MIN(x + width, strip.level.width)}, work, total);
    *strip.sums = total;
}

inline void run_strip(const Strip &strip)
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

} // namespace vmafgpu::vif::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
