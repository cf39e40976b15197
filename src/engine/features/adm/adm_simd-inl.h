// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM of one strip of band rows: wavelet, decoupling into restored and additive part, contrast
// sensitivity, masking. It works row by row, so that all but the next scale's input stays in the
// cache. simd_targets.h compiles it once per level for adm_cpu.cpp. Arithmetic: adm_row-inl.h.
#include "simd/simd-inl.h"

#include "features/adm/adm_row-inl.h" // needs simd-inl.h before it

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::adm::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

HWY_INLINE V16 load_signed(const uint8_t *from)
{
    return hn::BitCast(D16(), hn::PromoteTo(DU16(), hn::LoadU(hn::Rebind<uint8_t, DU16>(), from)));
}
/// Less 32768.
HWY_INLINE V16 load_signed(const uint16_t *from)
{
    return hn::BitCast(D16(), hn::Xor(hn::LoadU(DU16(), from), hn::Set(DU16(), 0x8000)));
}
HWY_INLINE V16 load_signed(const int16_t *from)
{
    return hn::LoadU(D16(), from);
}

/// Sum of four samples times the wavelet's taps, in 64 bits.
struct Taps {
    V32 even[4], odd[4]; ///< even lanes and odd lanes of the samples; the others are undefined

    HWY_INLINE void set(int i, V32 v)
    {
        even[i] = v;
        odd[i] = hn::BitCast(D32(), hn::ShiftRight<32>(hn::BitCast(DU64(), v)));
    }
    template <int shift> HWY_INLINE V32 sum(const int32_t (&taps)[4]) const
    {
        V64 sums[2];
        for (int lane = 0; lane < 2; ++lane) {
            const V32 *v = lane == 0 ? even : odd;
            V64 sum = hn::Set(D64(), INT64_C(1) << (shift - 1));
            for (int i = 0; i < 4; ++i)
                sum = hn::Add(sum, hn::MulEven(v[i], hn::Set(D32(), taps[i])));
            sums[lane] = sum;
        }
        const Wide wide = {hn::BitCast(DU64(), sums[0]), hn::BitCast(DU64(), sums[1])};
        return signed_of(wide.template bits_from<shift>());
    }
};

/// In is the sample type of the scale's input: unsigned for a picture, int16_t for scale 1, int32_t
/// for scales 2 and 3.
template <int scale, typename In> class Strip {
public:
    explicit Strip(const StripTask &strip)
        : strip_(strip), config_(*strip.config), layout_(config_.scale[scale]), rows_(*strip.rows)
    {
        wanted_begin_ = HWY_MAX(layout_.left - 1, 0) / kLanes32 * kLanes32;
        wanted_end_ = HWY_MIN(layout_.width - layout_.left + 1, layout_.width);
        region_begin_ = layout_.left;
        region_end_ = layout_.width - layout_.left;
    }

    void run()
    {
        *strip_.sums = {};
        int mask_row = HWY_MAX(strip_.begin, layout_.top);
        int mask_end = HWY_MIN(strip_.end, layout_.height - layout_.top);
        if (scale == 0 && config_.skip_scale0)
            mask_end = mask_row;
        const bool masks = mask_row < mask_end;
        const int detail_begin = masks ? HWY_MAX(mask_row - 1, 0) : strip_.begin;
        const int detail_end = masks ? HWY_MIN(mask_end + 1, layout_.height) : strip_.begin;
        for (int row = HWY_MIN(strip_.begin, detail_begin); row < HWY_MAX(strip_.end, detail_end);
             ++row) {
            const bool detail = row >= detail_begin && row < detail_end;
            const bool own = row >= strip_.begin && row < strip_.end;
            for (int p = 0; p < 2; ++p)
                filter_down(p, row);
            if (layout_.is_narrow)
                set_narrow_front();
            if (own && strip_.approximation[0] != nullptr)
                for (int p = 0; p < 2; ++p)
                    approximate(p, row);
            if (!detail)
                continue;
            weigh_row(row, row >= mask_row && row < mask_end);
            // A row can be masked once the row below it is computed.
            for (; mask_row < mask_end && HWY_MIN(mask_row + 1, layout_.height - 1) <= row;
                 ++mask_row)
                mask(mask_row);
        }
    }

private:
    static constexpr bool kIsFirst = scale == 0;
    static constexpr int kAcross = kHorizontalShift[scale];

    const In *input_row(int p, int y) const
    {
        if constexpr (kIsFirst)
            return plane_row<In>(p == 0 ? strip_.pair->reference[0] : strip_.pair->distorted[0], y);
        else
            return static_cast<const In *>(strip_.input[p]) + y * plane_pitch(strip_.input_width);
    }

    /// Vertical filters, low-pass and high-pass, into `first` or `next` of the rows.
    void filter_down(int p, int row)
    {
        const In *in[4];
        for (int t = 0; t < 4; ++t)
            in[t] = input_row(p, mirror_high_repeat(2 * row - 1 + t, strip_.input_height));
        const int width = strip_.input_width;
        if constexpr (kIsFirst) {
            const In *ahead[2]; // input rows that the next row needs
            for (int t = 0; t < 2; ++t)
                ahead[t] = input_row(p, HWY_MIN(2 * row + 3 + t, strip_.input_height - 1));
            int x = 0;
            for (; x + kLanes16 <= width; x += kLanes16) {
                prefetch(ahead[0] + x);
                prefetch(ahead[1] + x);
                down_first(in, x, p, x);
            }
            if (x < width) { // no read beyond the rows of a picture
                HWY_ALIGN In rest[4][kLanes16] = {};
                for (int t = 0; t < 4; ++t) {
                    std::memcpy(rest[t], in[t] + x, static_cast<size_t>(width - x) * sizeof(In));
                    in[t] = rest[t];
                }
                down_first(in, 0, p, x);
            }
        } else {
            for (int x = 0; x < width; x += kLanes16)
                down_next(in, x, p);
        }
        for (int pass = 0; pass < 2; ++pass)
            for (const int x : {-1, width, width + 1})
                sample(p, pass, x) = sample(p, pass, mirror_high_repeat(x, width));
    }

    /// Column -1 of both pictures where it is no mirror image: takes_no_mirror().
    void set_narrow_front()
    {
        const int last = strip_.input_width - 1;
        sample(0, 0, -1) = 0;
        sample(0, 1, -1) = sample(0, 0, last);
        sample(1, 0, -1) = sample(0, 1, last);
        sample(1, 1, -1) = sample(1, 0, last);
    }

    /// One vertically filtered sample.
    auto &sample(int p, int pass, int x)
    {
        if constexpr (kIsFirst)
            return rows_.first[p][pass][x];
        else
            return rows_.next[p][pass][x & 1][(x - (x & 1)) / 2];
    }

    /// Vertical filters for kLanes16 columns of a picture. Low-pass samples count from mid-grey;
    /// 46342 is the sum of the taps. High-pass taps add up to 0.
    HWY_INLINE void down_first(const In *const (&in)[4], int at, int p, int x)
    {
        const int depth = config_.format.depth;
        const int32_t half = 1 << (depth - 1);
        const uint32_t grey = sizeof(In) == 1 ? 0 : 32768;
        const auto offset = (grey - static_cast<uint32_t>(half)) * 46342U;
        const V32 low_start = hn::Set(D32(), static_cast<int32_t>(offset + half));
        const V32 high_start = hn::Set(D32(), half);
        V32 even[2], odd[2];
        sum_pairs(in, at, low_start, kLowTaps, even[0], odd[0]);
        sum_pairs(in, at, high_start, kHighTaps, even[1], odd[1]);
        for (int pass = 0; pass < 2; ++pass)
            hn::Store(hn::OddEven(as16(hn::ShiftLeftSame(odd[pass], 16 - depth)),
                                  as16(hn::ShiftRightSame(even[pass], depth))),
                      D16(), rows_.first[p][pass] + x);
    }

    HWY_INLINE void sum_pairs(const In *const (&in)[4], int at, V32 start, const int32_t (&taps)[4],
                              V32 &even, V32 &odd) const
    {
        even = odd = start;
        for (int i = 0; i < 4; i += 2) {
            const V32 above = as32(load_signed(in[i] + at));
            const V32 below = as32(load_signed(in[i + 1] + at));
            const V16 pair = pair_of(taps[i], taps[i + 1]);
            even = multiply_add_pairs(merge_low(above, below), pair, even);
            odd = multiply_add_pairs(merge_high(above, below), pair, odd);
        }
    }

    /// Vertical filters for kLanes16 columns of an approximation.
    HWY_INLINE void down_next(const In *const (&in)[4], int x, int p)
    {
        const D32 d;
        V32 even[2], odd[2];
        if constexpr (sizeof(In) == 2) { // 16 bits times 16 bits: no shift
            sum_pairs(in, x, hn::Zero(d), kLowTaps, even[0], odd[0]);
            sum_pairs(in, x, hn::Zero(d), kHighTaps, even[1], odd[1]);
        } else {
            Taps samples[2];
            for (int half = 0; half < 2; ++half)
                for (int t = 0; t < 4; ++t)
                    samples[half].set(t, hn::LoadU(d, in[t] + x + half * kLanes32));
            for (int pass = 0; pass < 2; ++pass) {
                const auto &taps = pass == 0 ? kLowTaps : kHighTaps;
                const V32 first = samples[0].template sum<16>(taps);
                const V32 second = samples[1].template sum<16>(taps);
                even[pass] = hn::ConcatEven(d, second, first);
                odd[pass] = hn::ConcatOdd(d, second, first);
            }
        }
        for (int pass = 0; pass < 2; ++pass) {
            hn::Store(even[pass], d, rows_.next[p][pass][0] + x / 2);
            hn::Store(odd[pass], d, rows_.next[p][pass][1] + x / 2);
        }
    }

    /// Horizontal filters: the bands at columns n to n + kLanes32 - 1.
    HWY_INLINE V32 across(int p, int pass, const int32_t (&taps)[4], int n) const
    {
        if constexpr (kIsFirst) {
            const int16_t *from = rows_.first[p][pass] + 2 * n;
            V32 sum = hn::Set(D32(), 1 << (kAcross - 1));
            sum = multiply_add_pairs(hn::LoadU(D16(), from - 1), pair_of(taps[0], taps[1]), sum);
            sum = multiply_add_pairs(hn::LoadU(D16(), from + 1), pair_of(taps[2], taps[3]), sum);
            return hn::ShiftRight<kAcross>(sum);
        } else {
            const D32 d;
            const int32_t *even = rows_.next[p][pass][0] + n;
            const int32_t *odd = rows_.next[p][pass][1] + n;
            Taps samples;
            samples.set(0, hn::LoadU(d, odd - 1));
            samples.set(1, hn::LoadU(d, even));
            samples.set(2, hn::LoadU(d, odd));
            samples.set(3, hn::LoadU(d, even + 1));
            return samples.template sum<kAcross>(taps);
        }
    }

    void approximate(int p, int row)
    {
        using Out = std::conditional_t<kIsFirst, int16_t, int32_t>;
        Out *to = static_cast<Out *>(strip_.approximation[p]) + row * plane_pitch(layout_.width);
        for (int n = 0; n < layout_.width; n += kLanes32) {
            const V32 v = across(p, 0, kLowTaps, n);
            if constexpr (kIsFirst) {
                const hn::Rebind<int16_t, D32> half;
                hn::Store(hn::DemoteTo(half, v), half, to + n);
            } else {
                hn::Store(v, D32(), to + n);
            }
        }
    }

    /// Computes details, decoupling, contrast sensitivity of both parts and the denominator of one
    /// row.
    void weigh_row(int row, bool counts)
    {
        VU64 den[3];
        den[0] = den[1] = den[2] = hn::Zero(DU64());
        for (int n = wanted_begin_; n < wanted_end_; n += kLanes32) {
            BandPair bands[3];
            bands[0] = {across(0, 1, kLowTaps, n), across(1, 1, kLowTaps, n)};
            bands[1] = {across(0, 0, kHighTaps, n), across(1, 0, kHighTaps, n)};
            bands[2] = {across(0, 1, kHighTaps, n), across(1, 1, kHighTaps, n)};
            if constexpr (!kIsFirst)
                weigh_columns<Range::kNext>(bands, row, n, counts, den);
            else if (HWY_LIKELY(are_small(bands)))
                weigh_columns<Range::kSmall>(bands, row, n, counts, den);
            else
                weigh_columns<Range::kFirst>(bands, row, n, counts, den);
        }
        for (int b = 0; b < kOrientations; ++b)
            strip_.sums->den[b] += round_shift(sum_wide(den[b]), layout_.den_row_shift);
    }

    /// Returns all ones in the lanes of the columns from n on that are summed.
    HWY_INLINE V32 inside_region(int n) const
    {
        return hn::VecFromMask(
            D32(), hn::AndNot(first_lanes(region_begin_ - n), first_lanes(region_end_ - n)));
    }

    template <Range range> HWY_INLINE void weigh_columns(const BandPair (&bands)[3], int row, int n,
                                                         bool counts, VU64 (&den)[3])
    {
        const V32 same = same_angle<range>(bands[0], bands[1]);
        Split split[3];
        for (int b = 0; b < kOrientations; ++b)
            split[b].template set<range>(bands[b]);
        for (int g = 0; g < config_.gains; ++g)
            weigh<range>(split, same, g, row, n);
        if (!counts)
            return;
        const V32 inside = inside_region(n);
        for (int b = 0; b < kOrientations; ++b)
            den[b] = hn::Add(den[b], energy<range>(bands[b].ref, inside, kEnergySquareShift[scale],
                                                   layout_.den_cube_shift));
    }

    template <Range range>
    HWY_INLINE void weigh(const Split (&split)[3], V32 same, int g, int row, int n)
    {
        const D32 d;
        const Enhance enhance(config_.gain_limit[g]);
        V32 f[2], centre[2];
        f[0] = f[1] = centre[0] = centre[1] = hn::Zero(d);
        const WeightedRow *out[2] = {&rows_.weighted[g][0][row % 3],
                                     &rows_.weighted[g][1][row % 3]};
        for (int b = 0; b < kOrientations; ++b) {
            const V32 sign = split[b].target_sign;
            const V32 restored = enhance.apply<range>(split[b], same);
            const V32 rest = hn::Sub(split[b].target, restored);
            const bool is_small = range == Range::kSmall; // then rest >= 0
            const V32 sizes[2] = {restored, is_small ? rest : hn::Abs(rest)};
            const V32 signs[2] = {sign, is_small ? sign : hn::Xor(sign, sign_of(rest))};
            for (int s = 0; s < 2; ++s) {
                const uint32_t q = layout_.multiplier[b];
                const V32 contrast =
                    b == 2 ? weight<range, true>(sizes[s], signs[s], q, f[s], centre[s])
                           : weight<range, false>(sizes[s], signs[s], q, f[s], centre[s]);
                hn::Store(contrast, d, out[s]->contrast[b] + n);
            }
        }
        for (int s = 0; s < 2; ++s) {
            hn::Store(f[s], d, out[s]->f + n);
            hn::Store(centre[s], d, out[s]->centre + n);
        }
    }

    void mask(int row)
    {
        for (int g = 0; g < config_.gains; ++g) {
            mask_signal(row, rows_.weighted[g][0], rows_.weighted[g][1], strip_.sums->num[g]);
            if (!config_.skip_aim)
                mask_signal(row, rows_.weighted[g][1], rows_.weighted[g][0], strip_.sums->aim[g]);
        }
    }

    /// Adds one row of `signal`, masked by `masker`. The sum of the complete row is rounded.
    void mask_signal(int row, const WeightedRow (&signal)[3], const WeightedRow (&masker)[3],
                     int64_t (&sums)[kOrientations])
    {
        const D32 d;
        const int width = layout_.width;
        const WeightedRow &here = masker[row % 3];
        const int32_t *above = masker[mirror_high_repeat(row - 1, layout_.height) % 3].f;
        const int32_t *below = masker[mirror_high_repeat(row + 1, layout_.height) % 3].f;
        int32_t *columns = rows_.columns;
        for (int n = wanted_begin_; n < wanted_end_; n += kLanes32)
            hn::Store(hn::Add(hn::Add(hn::Load(d, above + n), hn::Load(d, here.f + n)),
                              hn::Load(d, below + n)),
                      d, columns + n);
        if (region_begin_ == 0)
            columns[-1] = columns[mirror_high_repeat(-1, width)];
        if (region_end_ == width)
            columns[width] = columns[mirror_high_repeat(width, width)];
        int64_t row_sums[kOrientations];
        if (!sum_masked(signal[row % 3], here, row_sums))
            sum_masked_plainly(signal[row % 3], here, row_sums);
        for (int b = 0; b < kOrientations; ++b)
            sums[b] += round_shift(row_sums[b], layout_.num_row_shift);
    }

    /// Row sums of all orientations. False if a difference is too large: use sum_masked_plainly().
    bool sum_masked(const WeightedRow &signal, const WeightedRow &here,
                    int64_t (&row_sums)[kOrientations]) const
    {
        const D32 d;
        MaskShifts shifts[kOrientations];
        VU64 sum[kOrientations];
        for (int b = 0; b < kOrientations; ++b) {
            shifts[b] = {threshold_shift_of(scale, b), square_shift_of(scale, b),
                         layout_.num_cube_shift[b]};
            sum[b] = hn::Zero(DU64());
        }
        VU32 seen = hn::Zero(DU32());
        const int32_t *columns = rows_.columns;
        for (int n = region_begin_ / kLanes32 * kLanes32; n < region_end_; n += kLanes32) {
            const V32 box =
                hn::Add(hn::Add(hn::LoadU(d, columns + n - 1), hn::Load(d, columns + n)),
                        hn::LoadU(d, columns + n + 1));
            const V32 threshold =
                hn::Add(hn::Sub(box, hn::Load(d, here.f + n)), hn::Load(d, here.centre + n));
            const V32 inside = inside_region(n);
            V32 rest[kOrientations];
            for (int b = 0; b < kOrientations; ++b)
                rest[b] = unmasked(hn::Load(d, signal.contrast[b] + n), threshold, inside,
                                   shifts[b].threshold);
            const VU32 all = unsigned_of(hn::Or(hn::Or(rest[0], rest[1]), rest[2]));
            seen = hn::Or(seen, all);
            if (hn::AllTrue(DU32(), hn::Eq(all, hn::Zero(DU32()))))
                continue; // masked samples add 0: half a unit rounds down to 0
            for (int b = 0; b < kOrientations; ++b)
                sum[b] = masked_cubes(unsigned_of(rest[b]), shifts[b], sum[b]);
        }
        for (int b = 0; b < kOrientations; ++b)
            row_sums[b] = static_cast<int64_t>(sum_wide(sum[b]));
        return hn::AllTrue(d, hn::Lt(signed_of(hn::ShiftRight<30>(seen)), hn::Set(d, 1)));
    }

    void sum_masked_plainly(const WeightedRow &signal, const WeightedRow &here,
                            int64_t (&row_sums)[kOrientations]) const
    {
        const int32_t *columns = rows_.columns;
        for (int b = 0; b < kOrientations; ++b) {
            row_sums[b] = 0;
            for (int n = region_begin_; n < region_end_; ++n) {
                const int64_t box = static_cast<int64_t>(columns[n - 1]) + columns[n] +
                                    columns[n + 1] - here.f[n] + here.centre[n];
                row_sums[b] +=
                    masked_cube(signal.contrast[b][n], wrap32(box), threshold_shift_of(scale, b),
                                square_shift_of(scale, b), layout_.num_cube_shift[b]);
            }
        }
    }

    const StripTask &strip_;
    const Config &config_;
    const Scale &layout_;
    const StripRows &rows_;
    int region_begin_, region_end_; ///< columns that are summed
    int wanted_begin_, wanted_end_; ///< `region` with neighbours, from a whole vector on
};

inline void run_strip(const StripTask &strip)
{
    switch (strip.scale) {
    case 0:
        return strip.config->format.depth > 8 ? Strip<0, uint16_t>(strip).run()
                                              : Strip<0, uint8_t>(strip).run();
    case 1:
        return Strip<1, int16_t>(strip).run();
    case 2:
        return Strip<2, int32_t>(strip).run();
    default:
        return Strip<3, int32_t>(strip).run();
    }
}

} // namespace vmafgpu::adm::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
