// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM's formulas (adm_math.h) for SIMD vectors; part of adm_simd-inl.h, compiled once per SIMD
// level. A subject of its own: it knows vectors of samples, and neither rows nor borders. All lanes
// have 32 bits. Samples are handled as magnitude and sign; where that changes a rounding, the
// comment says how.

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::adm::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

HWY_INLINE VU32 unsigned_of(V32 v)
{
    return hn::BitCast(DU32(), v);
}
HWY_INLINE V32 signed_of(VU32 v)
{
    return hn::BitCast(D32(), v);
}
/// Returns all ones in lanes where v is negative.
HWY_INLINE V32 sign_of(V32 v)
{
    return hn::ShiftRight<31>(v);
}
/// A magnitude with a sign, which is all ones or zeros.
HWY_INLINE V32 with_sign(V32 size, V32 sign)
{
    return hn::Sub(hn::Xor(size, sign), sign);
}

/// 64-bit values of 32-bit lanes: those of even lanes, those of odd lanes.
struct Wide {
    VU64 even, odd;

    static HWY_INLINE Wide product(VU32 a, VU32 b)
    {
        return {hn::MulEven(a, b), multiply_odd(a, b)};
    }
    HWY_INLINE Wide plus(VU64 v) const { return {hn::Add(even, v), hn::Add(odd, v)}; }
    /// Bits shift .. shift + 31 of each; shift < 32.
    template <int shift> HWY_INLINE VU32 bits_from() const
    {
        return hn::OddEven(hn::BitCast(DU32(), hn::ShiftLeft<32 - shift>(odd)),
                           hn::BitCast(DU32(), hn::ShiftRight<shift>(even)));
    }
};

HWY_INLINE VU64 wide_constant(uint64_t value)
{
    return hn::Set(DU64(), value);
}
/// A sign of all ones or zeros, widened so that it can be added to a 64-bit value.
HWY_INLINE Wide wide_sign(V32 sign)
{
    const D64 d;
    const V64 both = hn::BitCast(d, sign);
    return {hn::BitCast(DU64(), hn::ShiftRight<63>(hn::ShiftLeft<32>(both))),
            hn::BitCast(DU64(), hn::ShiftRight<63>(both))};
}

/// Bands of one orientation: reference and distorted.
struct BandPair {
    V32 ref, dis;
};

/// How large samples may be. Small ones are below kSmall, and scale 0 has short cuts for them:
///  - The reciprocal of o is too small by less than 1, so the gain k is within 3/2 of 32768 t / o
///    (t <= o), and k o / 32768 within 3/2 o / 32768 < 1/4 of t. It is rounded to t, or to o where
///    t > o.
///  - A product with a multiplier of 16 bits has 28 bits, a weighted sample 13, and nothing wraps.
enum class Range { kSmall, kFirst, kNext };
constexpr int32_t kSmall = 4096;

template <Range range> constexpr bool kIsFirstScale = range != Range::kNext;

HWY_INLINE bool are_small(const BandPair (&bands)[kOrientations])
{
    V32 most = hn::Zero(D32());
    for (const BandPair &band : bands)
        most = hn::Max(most, hn::Max(hn::Abs(band.ref), hn::Abs(band.dis)));
    return hn::AllTrue(D32(), hn::Lt(most, hn::Set(D32(), kSmall)));
}

/// v times a constant, plus another one; both factors have 16 bits, and v >= 0.
HWY_INLINE V32 multiply_add(V32 v, int factor, int addend)
{
    return multiply_add_pairs(as16(v), pair_of(factor, 0), hn::Set(D32(), addend));
}

/// Products of the gradients o and t: o t, o o, t t.
struct Products {
    VF32 dp, oo, tt;

    template <Range range> HWY_INLINE void set(const BandPair &h, const BandPair &v)
    {
        const DF32 df;
        if constexpr (range == Range::kSmall) {
            const V32 zero = hn::Zero(D32());
            const V16 o = merge_low(h.ref, v.ref);
            const V16 t = merge_low(h.dis, v.dis);
            dp = hn::ConvertTo(df, multiply_add_pairs(o, t, zero));
            oo = hn::ConvertTo(df, multiply_add_pairs(o, o, zero));
            tt = hn::ConvertTo(df, multiply_add_pairs(t, t, zero));
        } else {
            const VF32 oh = hn::ConvertTo(df, h.ref);
            const VF32 ov = hn::ConvertTo(df, v.ref);
            const VF32 th = hn::ConvertTo(df, h.dis);
            const VF32 tv = hn::ConvertTo(df, v.dis);
            dp = hn::Add(hn::Mul(oh, th), hn::Mul(ov, tv));
            oo = hn::Add(hn::Mul(oh, oh), hn::Mul(ov, ov));
            tt = hn::Add(hn::Mul(th, th), hn::Mul(tv, tv));
        }
    }
};

/// has_same_angle() as a mask of all ones or zeros. Binary32 decides, unless the two sides are
/// within 2^-16 of each other, which is far more than its rounding error. Then each lane is
/// computed alone.
template <Range range> HWY_INLINE V32 same_angle(const BandPair &h, const BandPair &v)
{
    const DF32 df;
    const D32 d;
    Products products;
    products.set<range>(h, v);
    const VF32 dp = products.dp;
    const VF32 oo = products.oo;
    const VF32 tt = products.tt;
    const VF32 left = hn::Mul(dp, hn::Max(dp, hn::Zero(df)));
    const VF32 right = hn::Mul(hn::Mul(oo, hn::Set(df, kCosOneDegree)), tt);
    const auto above = hn::Ge(left, hn::Mul(right, hn::Set(df, 1.0F + 0x1p-16F)));
    const auto below = hn::Lt(left, hn::Mul(right, hn::Set(df, 1.0F - 0x1p-16F)));
    V32 same = hn::VecFromMask(d, hn::RebindMask(d, above));
    if (HWY_LIKELY(hn::AllTrue(df, hn::Or(above, below))))
        return same;
    HWY_ALIGN int32_t lanes[5][kLanes32];
    hn::Store(h.ref, d, lanes[0]);
    hn::Store(h.dis, d, lanes[1]);
    hn::Store(v.ref, d, lanes[2]);
    hn::Store(v.dis, d, lanes[3]);
    for (int i = 0; i < kLanes32; ++i) {
        const int64_t oh_i = lanes[0][i];
        const int64_t th_i = lanes[1][i];
        const int64_t ov_i = lanes[2][i];
        const int64_t tv_i = lanes[3][i];
        lanes[4][i] = has_same_angle(oh_i * th_i + ov_i * tv_i, oh_i * oh_i + ov_i * ov_i,
                                     th_i * th_i + tv_i * tv_i)
                          ? -1
                          : 0;
    }
    return hn::Load(d, lanes[4]);
}

/// reciprocal_of() of 1 to 32768; any value for 0. The first estimate is too low by less than
/// 256 / n + 1, so the remainder is small. Half a unit is added to the remainder. This keeps the
/// quotient away from integers by more than the rounding error of binary32.
HWY_INLINE VU32 reciprocal(V32 n)
{
    const DF32 df;
    const D32 d;
    const VF32 inverse = hn::Div(hn::Set(df, 1.0F), hn::ConvertTo(df, n));
    const V32 low = truncate(hn::Mul(inverse, hn::Set(df, 0x1p30F * (1 - 0x1p-22F))));
    const V32 rest = hn::Sub(hn::Set(d, 1 << 30), hn::Mul(low, n));
    const VF32 more = hn::Mul(hn::Add(hn::ConvertTo(df, rest), hn::Set(df, 0.5F)), inverse);
    return unsigned_of(hn::Add(low, truncate(more)));
}

/// Magnitude of the restored part before the gain limit, scale 0. Both magnitudes are below 2^15.
HWY_INLINE V32 restore_first(V32 o, V32 t, V32 sign)
{
    const D32 d;
    const Wide product = Wide::product(reciprocal(o), unsigned_of(t));
    const VU32 k = product.plus(wide_constant(16384)).bits_from<15>();
    const V32 gain = signed_of(hn::Min(k, hn::Set(DU32(), 32768)));
    // floor(-x + 1/2) = -floor(x + 1/2 - unit)
    const V32 half = hn::Add(hn::Set(d, 16384), sign);
    return hn::ShiftRight<15>(hn::Add(hn::Mul(gain, o), half));
}

/// Magnitude of the restored part before the gain limit, scales 1 to 3.
HWY_INLINE V32 restore_next(V32 o, V32 t, V32 sign)
{
    const D32 d;
    const DU32 du;
    const DU64 du64;
    // Binary32's exponent is that of the leading bit: the bit after it is cleared, so
    // that rounding does not carry.
    const V32 leading = hn::AndNot(hn::ShiftRight<1>(o), o);
    const V32 exponent = shift_right_unsigned<23>(hn::BitCast(d, hn::ConvertTo(DF32(), leading)));
    const V32 excess = hn::Max(hn::Sub(exponent, hn::Set(d, 127 + 14)), hn::Zero(d));
    const VU32 e = unsigned_of(excess);
    const VU32 unit = hn::Shl(hn::Set(du, 1), e);
    const VU32 mantissa = hn::Shr(hn::Add(unsigned_of(o), hn::ShiftRight<1>(unit)), e);
    // The gain is 1 from 2 o on. The limit keeps the product small.
    const VU32 target = hn::Min(unsigned_of(t), hn::ShiftLeft<1>(unsigned_of(o)));
    const Wide product = Wide::product(reciprocal(signed_of(mantissa)), target);
    const VU64 e_even = hn::And(hn::BitCast(du64, e), wide_constant(31));
    const VU64 e_odd = hn::ShiftRight<32>(hn::BitCast(du64, e));
    const VU64 half = wide_constant(16384);
    const VU64 even = hn::Shr(hn::Add(product.even, hn::Shl(half, e_even)), e_even);
    const VU64 odd = hn::Shr(hn::Add(product.odd, hn::Shl(half, e_odd)), e_odd);
    const VU32 k = Wide{even, odd}.bits_from<15>();
    const VU32 gain = hn::Min(k, hn::Set(du, 32768));
    const Wide half_signed = wide_sign(sign);
    const Wide scaled = Wide::product(gain, unsigned_of(o)).plus(half);
    return signed_of(
        Wide{hn::Add(scaled.even, half_signed.even), hn::Add(scaled.odd, half_signed.odd)}
            .bits_from<15>());
}

/// Restored part of one orientation, and magnitudes and signs for the next steps.
struct Split {
    V32 restored, target; ///< magnitudes
    V32 target_sign;      ///< sign of the target, and of the restored part unless that is 0

    template <Range range> HWY_INLINE void set(const BandPair &band)
    {
        const V32 o = hn::Abs(band.ref);
        target = hn::Abs(band.dis);
        target_sign = sign_of(band.dis);
        const V32 differs = sign_of(hn::Xor(band.ref, band.dis));
        const V32 same = hn::AndNot(differs, target); // if the signs differ, the gain is 0
        if constexpr (range == Range::kSmall) {
            restored = hn::Min(o, same);
            return;
        }
        const V32 size = kIsFirstScale<range> ? restore_first(o, same, target_sign)
                                              : restore_next(o, same, target_sign);
        // A sample without gain has no restored part. 0 / 0 gave an arbitrary value there.
        const auto is_none = hn::Eq(hn::Min(o, same), hn::Zero(D32()));
        restored = hn::IfThenZeroElse(is_none, size);
    }
};

/// enhanced() on magnitudes: where the gain is not 0, the signs agree.
struct Enhance {
    double limit;
    int32_t factor;  ///< the limit if it is an integer, else 0
    int32_t largest; ///< largest restored part whose product with factor fits

    explicit Enhance(double gain_limit)
        : limit(gain_limit), factor(static_cast<int32_t>(gain_limit)),
          largest(0x7fffffff / HWY_MAX(factor, 1))
    {
        if (factor != gain_limit)
            factor = 0;
    }

    template <Range range> HWY_INLINE V32 apply(const Split &split, V32 same) const
    {
        const D32 d;
        V32 enhanced = split.restored;
        if (range == Range::kSmall && factor > 1) {
            enhanced = multiply_add(enhanced, factor, 0);
        } else if (factor > 1) { // above `largest` the product exceeds any target
            enhanced = hn::Mul(hn::Min(enhanced, hn::Set(d, largest)), hn::Set(d, factor));
        } else if (factor == 0) {
            const VF64 f = hn::Set(DF64(), limit);
            const VF64 low =
                hn::Min(hn::Mul(low_to_double(enhanced), f), low_to_double(split.target));
            const VF64 high =
                hn::Min(hn::Mul(high_to_double(enhanced), f), high_to_double(split.target));
            enhanced = combine(truncate(low), truncate(high));
        }
        const V32 limited = hn::Min(enhanced, split.target);
        return hn::IfThenElse(hn::MaskFromVec(same), limited, split.restored);
    }
};

/// weight_first() or _next() of a magnitude; adds to f and centre.
template <Range range, bool is_diagonal>
HWY_INLINE V32 weight(V32 size, V32 sign, uint32_t multiplier, V32 &f, V32 &centre)
{
    const D32 d;
    if constexpr (kIsFirstScale<range>) {
        const V32 contrast = hn::Mul(size, hn::Set(d, static_cast<int32_t>(multiplier)));
        // Ties of negative values round the other way, see restore_first().
        const V32 half =
            is_diagonal ? hn::Sub(hn::Set(d, 65535), sign) : hn::Add(hn::Set(d, 16384), sign);
        constexpr int kShift = is_diagonal ? 17 : 15;
        const V32 whole = hn::ShiftRight<kShift>(hn::Add(contrast, half));
        if constexpr (range == Range::kSmall) {
            f = hn::Add(f, hn::ShiftRight<12>(multiply_add(whole, kThirtieth16, 2048)));
            const V32 fifteenth = multiply_add(whole, kFifteenth16, 2048);
            centre = hn::Add(centre, hn::ShiftRight<12>(fifteenth));
            return contrast;
        }
        const V32 y = hn::And(whole, hn::Set(d, 65535));
        const V32 wrapped = hn::Min(y, hn::Sub(hn::Set(d, 65536), y)); // y wrapped to 16 bits
        // Both products wrap to signed 16 bits.
        const V32 thirtieth = hn::Mul(wrapped, hn::Set(d, kThirtieth16));
        const V32 unit = hn::Set(d, 2048 << 4);
        f = hn::Add(f, hn::ShiftRight<16>(hn::Add(hn::ShiftLeft<4>(thirtieth), unit)));
        centre = hn::Add(centre, hn::ShiftRight<16>(hn::Add(hn::ShiftLeft<5>(thirtieth), unit)));
        return hn::Abs(contrast); // large multipliers wrap
    } else {
        const Wide negative = wide_sign(sign);
        const Wide product = Wide::product(unsigned_of(size), hn::Set(DU32(), multiplier))
                                 .plus(wide_constant(UINT64_C(1) << 27));
        const VU32 bits =
            Wide{hn::Add(product.even, negative.even), hn::Add(product.odd, negative.odd)}
                .template bits_from<28>();
        // With large multipliers: the magnitude of the value wrapped to signed 32 bits.
        const VU32 y = hn::Min(bits, hn::Sub(hn::Zero(DU32()), bits));
        const VU64 half = wide_constant(UINT64_MAX - 0x7fffffff); // -2^31
        const auto thirtieth = hn::Set(DU32(), static_cast<uint32_t>(kThirtieth32));
        const auto fifteenth = hn::Set(DU32(), static_cast<uint32_t>(kFifteenth32));
        const Wide f_wide = Wide::product(y, thirtieth).plus(half);
        const Wide centre_wide = Wide::product(y, fifteenth).plus(half);
        f = hn::Add(f, signed_of(merge_high_halves(f_wide.even, f_wide.odd)));
        centre = hn::Add(centre, signed_of(merge_high_halves(centre_wide.even, centre_wide.odd)));
        return signed_of(y);
    }
}

/// Sum of energy_first() or _next() over the lanes in `inside`.
template <Range range>
HWY_INLINE VU64 energy(V32 band, V32 inside, int square_shift, int cube_shift)
{
    const VU32 size = unsigned_of(hn::And(hn::Abs(band), inside));
    if constexpr (kIsFirstScale<range>) {
        const V16 pairs = as16(signed_of(size));
        const VU32 square = range == Range::kSmall
                                ? unsigned_of(multiply_add_pairs(pairs, pairs, hn::Zero(D32())))
                                : hn::Mul(size, size);
        return hn::Add(hn::MulEven(square, size), multiply_odd(square, size));
    } else {
        const Wide square =
            Wide::product(size, size).plus(wide_constant(UINT64_C(1) << square_shift));
        const VU64 half = wide_constant(cube_shift > 0 ? UINT64_C(1) << (cube_shift - 1) : 0);
        const VU64 odd_size = hn::ShiftRight<32>(hn::BitCast(DU64(), size));
        const VU64 even =
            hn::MulEven(hn::BitCast(DU32(), hn::ShiftRightSame(square.even, square_shift)), size);
        const VU64 odd =
            hn::MulEven(hn::BitCast(DU32(), hn::ShiftRightSame(square.odd, square_shift)),
                        hn::BitCast(DU32(), odd_size));
        return hn::Add(hn::ShiftRightSame(hn::Add(even, half), cube_shift),
                       hn::ShiftRightSame(hn::Add(odd, half), cube_shift));
    }
}

/// Shifts of one orientation, see masked_cube().
struct MaskShifts {
    int threshold, square, cube;
};

/// Returns what masking leaves of the samples in `inside`.
HWY_INLINE V32 unmasked(V32 contrast, V32 threshold, V32 inside, int threshold_shift)
{
    const V32 scaled = hn::ShiftLeftSame(threshold, threshold_shift);
    return hn::And(hn::Max(hn::Sub(contrast, scaled), hn::Zero(D32())), inside);
}

/// Sum of masked_cube() of these differences, if all are below 2^30.
HWY_INLINE VU64 masked_cubes(VU32 v, const MaskShifts &shifts, VU64 sum)
{
    const VU64 square_half = wide_constant(UINT64_C(1) << (shifts.square - 1));
    const VU64 cube_half = wide_constant(shifts.cube > 0 ? UINT64_C(1) << (shifts.cube - 1) : 0);
    const VU32 v_odd = hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(DU64(), v)));
    const VU64 even = hn::ShiftRightSame(hn::Add(hn::MulEven(v, v), square_half), shifts.square);
    const VU64 odd =
        hn::ShiftRightSame(hn::Add(hn::MulEven(v_odd, v_odd), square_half), shifts.square);
    const VU64 even_cube = hn::Add(hn::MulEven(hn::BitCast(DU32(), even), v), cube_half);
    const VU64 odd_cube = hn::Add(hn::MulEven(hn::BitCast(DU32(), odd), v_odd), cube_half);
    sum = hn::Add(sum, hn::ShiftRightSame(even_cube, shifts.cube));
    return hn::Add(sum, hn::ShiftRightSame(odd_cube, shifts.cube));
}

HWY_INLINE uint64_t sum_wide(VU64 v)
{
    HWY_ALIGN uint64_t lanes[kLanes64];
    hn::Store(v, DU64(), lanes);
    uint64_t sum = 0;
    for (const uint64_t lane : lanes)
        sum += lane;
    return sum;
}

} // namespace vmafgpu::adm::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
