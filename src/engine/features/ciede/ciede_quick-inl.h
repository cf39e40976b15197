// SPDX-License-Identifier: BSD-2-Clause-Patent
// The elementary functions of ciede for a vector of arguments, quick: wrong by some units in the
// last place of a double. All that is made of them is rounded to float, which hides such errors
// unless a value is nearly in the middle between two floats. That is noticed, and then
// ciede_simd-inl.h computes the vector again with ciede_libm-inl.h. A subject of its own: it bounds
// errors. Included by ciede_simd-inl.h, once per level that has a fused multiply-add.

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ciede::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

using MF64 = hn::Mask<DF64>;

/// Bits of a double's fraction that a float's does not have.
constexpr int kBitsLost = 29;
/// Values may be wrong by so many units in the last place: 2^-39 of them, or less. The functions
/// below are 200 times as good, so that sums of what they return may lose some places.
constexpr uint64_t kMostWrong = 1 << 14;

/// True where a value might be on the wrong side of the middle between two floats.
HWY_INLINE MF64 is_near_middle(VF64 v)
{
    const DU64 d;
    constexpr uint64_t kLost = (UINT64_C(1) << kBitsLost) - 1;
    constexpr uint64_t kMiddle = UINT64_C(1) << (kBitsLost - 1);
    const VU64 above = hn::Add(bits_of(v), hn::Set(d, kMiddle + kMostWrong));
    const VU64 far = hn::And(above, hn::Set(d, kLost & ~(2 * kMostWrong - 1)));
    return hn::RebindMask(DF64(), hn::Eq(far, hn::Zero(d)));
}

/// x^(-1 / n) for normal x > 0, wrong by 2^-51 of it at most: two steps of the fourth order from a
/// line that is wrong by 0.035.
template <int n> HWY_INLINE VF64 inverse_root(VF64 x)
{
    static_assert(n == 3 || n == 5, "those that have a start");
    // The upper half of the bits as a number, behind 2^52.
    constexpr double kStart = n == 3 ? 1430188032 : 1287170457;
    const VU64 upper = hn::Or(hn::ShiftRight<32>(bits_of(x)), bits_of(number(0x1p52)));
    const VF64 start =
        hn::MulAdd(double_of(upper), number(-1.0 / n), number(kStart + 0x1p52 + 0x1p52 / n));
    VF64 r = double_of(hn::ShiftLeft<32>(bits_of(start)));
    for (int step = 0; step < 2; ++step) {
        const VF64 square = hn::Mul(r, r);
        const VF64 power = hn::Mul(n == 3 ? square : hn::Mul(square, square), r);
        const VF64 rest = hn::NegMulAdd(x, power, number(1));
        VF64 sum = hn::MulAdd(number((n + 1.0) * (2 * n + 1) / (6.0 * n * n * n)), rest,
                              number((n + 1.0) / (2.0 * n * n)));
        sum = hn::MulAdd(sum, rest, number(1.0 / n));
        r = hn::MulAdd(hn::Mul(r, rest), sum, r);
    }
    return r;
}

/// Factors of Taylor's series: of x^i in the sine for odd i, in the cosine for even ones.
struct Taylor {
    static constexpr int kLast = 21;
    double factor[kLast + 1] = {};

    constexpr Taylor()
    {
        double factorial = 1;
        for (int i = 0; i <= kLast; ++i) {
            factorial *= i > 0 ? i : 1;
            factor[i] = (i % 4 < 2 ? 1 : -1) / factorial;
        }
    }
};
constexpr Taylor kTaylor;

/// The factors last, last - 2 ... first, of powers of `square`.
template <int last, int first> HWY_INLINE VF64 taylor_sum(VF64 square)
{
    VF64 sum = number(kTaylor.factor[last]);
    for (int i = last - 2; i >= first; i -= 2)
        sum = hn::MulAdd(sum, square, number(kTaylor.factor[i]));
    return sum;
}

/// Sine for |x| up to 1.6.
HWY_INLINE VF64 quick_sine(VF64 x)
{
    const VF64 square = hn::Mul(x, x);
    return hn::MulAdd(hn::Mul(x, square), taylor_sum<21, 3>(square), x);
}

/// Sine and cosine for 0 <= x < 8.
HWY_INLINE VectorWaves quick_waves(VF64 x)
{
    const DU64 d;
    const VF64 round = number(libm::kRoundToInteger);
    const VF64 shifted = hn::MulAdd(x, number(libm::kTwoOverPi), round);
    const VF64 n = hn::Sub(shifted, round);
    const VF64 r =
        hn::NegMulAdd(n, number(libm::kHalfPiTail), hn::NegMulAdd(n, number(libm::kHalfPi), x));
    const VF64 square = hn::Mul(r, r);
    const VF64 sine = hn::MulAdd(hn::Mul(r, square), taylor_sum<17, 3>(square), r);
    const VF64 cosine = taylor_sum<16, 0>(square);
    const VU64 quadrant = bits_of(shifted);
    const auto bit_of = [&](VU64 v, uint64_t bit) HWY_ATTR {
        return hn::And(v, hn::Set(d, bit));
    };
    const MF64 is_odd = hn::RebindMask(DF64(), hn::Ne(bit_of(quadrant, 1), hn::Zero(d)));
    const VU64 sine_sign = hn::ShiftLeft<62>(bit_of(quadrant, 2));
    const VU64 cosine_sign = hn::ShiftLeft<62>(bit_of(hn::Add(quadrant, hn::Set(d, 1)), 2));
    const VF64 s = hn::IfThenElse(is_odd, cosine, sine);
    const VF64 c = hn::IfThenElse(is_odd, sine, cosine);
    return {double_of(hn::Xor(bits_of(s), sine_sign)), double_of(hn::Xor(bits_of(c), cosine_sign))};
}

/// atan2; NaN where both are 0.
HWY_INLINE VF64 quick_angle(VF64 y, VF64 x)
{
    const VF64 height = hn::Abs(y), width = hn::Abs(x);
    const VF64 shorter = hn::Min(height, width), longer = hn::Max(height, width);
    // Beyond an eighth of pi it is pi / 4 and the angle of (longer + shorter, shorter - longer).
    const auto is_wide = hn::Gt(shorter, hn::Mul(longer, number(kTanEighthPi)));
    const VF64 t = hn::Div(hn::IfThenElse(is_wide, hn::Sub(shorter, longer), shorter),
                           hn::IfThenElse(is_wide, hn::Add(longer, shorter), longer));
    const VF64 square = hn::Mul(t, t);
    VF64 sum = number(kQuickAtan[kQuickAtanTerms - 1]);
    for (int i = kQuickAtanTerms - 2; i >= 0; --i)
        sum = hn::MulAdd(sum, square, number(kQuickAtan[i]));
    VF64 angle = hn::MulAdd(hn::Mul(t, square), sum, t);
    angle = hn::IfThenElse(is_wide, hn::Add(angle, number(kPi / 4)), angle);
    angle = hn::IfThenElse(hn::Gt(height, width), hn::Sub(number(kPi / 2), angle), angle);
    angle = hn::IfThenElse(hn::Lt(x, number(0)), hn::Sub(number(kPi), angle), angle);
    return hn::CopySign(angle, y);
}

/// The functions of Exact (ciede_simd-inl.h), quick.
struct Quick {
    MF64 has_doubt;

    HWY_INLINE Quick() : has_doubt(hn::MaskFromVec(hn::Zero(DF64()))) {}

    HWY_INLINE VF64 round(VF64 v)
    {
        has_doubt = hn::Or(has_doubt, is_near_middle(v));
        return rounded(v);
    }
    HWY_INLINE static VF64 power_2_4(VF64 x)
    {
        const VF64 root = hn::Mul(x, inverse_root<5>(x)); // x^0.8
        return hn::Mul(hn::Mul(root, root), root);
    }
    HWY_INLINE static VF64 cube_root(VF64 x)
    {
        const VF64 inverse = inverse_root<3>(x);
        return hn::Mul(hn::Mul(inverse, inverse), x);
    }
    HWY_INLINE static VF64 power_7(VF64 x)
    {
        const VF64 cube = hn::Mul(hn::Mul(x, x), x);
        return hn::Mul(hn::Mul(cube, cube), x);
    }
    HWY_INLINE static VF64 sine(VF64 x) { return quick_sine(x); }
    HWY_INLINE static VF64 angle(VF64 y, VF64 x) { return quick_angle(y, x); }

    /// Where red and blue are below 0, sums of light are wrong by more than their terms: by 2^-49
    /// in all, so that a part near 0 is too uncertain. And there is a step where the root begins.
    HWY_INLINE VF64 round_lab_part(VF64 value, VF64 part)
    {
        const auto is_at_step = hn::Lt(hn::Abs(hn::Sub(value, number(kCube))), number(0x1p-40));
        has_doubt = hn::Or(has_doubt, hn::Or(is_at_step, hn::Lt(hn::Abs(part), number(0x1p-9))));
        return round(part);
    }

    /// The cosines of multiples of the hue, by those of the hue.
    HWY_INLINE VF64 hue_weight(VF64 hue)
    {
        constexpr double kCos30 = 0.86602540378443864676, kSin30 = 0.5;
        constexpr double kCos6 = 0.99452189536827333692, kSin6 = 0.10452846326765347140;
        constexpr double kCos63 = 0.45399049973954679156, kSin63 = 0.89100652418836786236;
        const VectorWaves one = quick_waves(hue);
        const VF64 twice = hn::Add(one.cos, one.cos);
        const VectorWaves two = {hn::Mul(twice, one.sin), hn::MulSub(twice, one.cos, number(1))};
        const VF64 sin3 = hn::MulAdd(two.sin, one.cos, hn::Mul(two.cos, one.sin));
        const VF64 cos3 = hn::NegMulAdd(two.sin, one.sin, hn::Mul(two.cos, one.cos));
        const VF64 double_cos = hn::Add(two.cos, two.cos);
        const VF64 sin4 = hn::Mul(double_cos, two.sin);
        const VF64 cos4 = hn::MulSub(double_cos, two.cos, number(1));
        VF64 sum = hn::NegMulAdd(number(0.17 * kCos30), one.cos, number(1));
        sum = hn::NegMulAdd(number(0.17 * kSin30), one.sin, sum);
        sum = hn::MulAdd(number(0.24), two.cos, sum);
        sum = hn::MulAdd(number(0.32 * kCos6), cos3, sum);
        sum = hn::NegMulAdd(number(0.32 * kSin6), sin3, sum);
        sum = hn::NegMulAdd(number(0.20 * kCos63), cos4, sum);
        sum = hn::NegMulAdd(number(0.20 * kSin63), sin4, sum);
        return round(sum);
    }
};

} // namespace vmafgpu::ciede::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
