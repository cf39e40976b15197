// SPDX-License-Identifier: BSD-2-Clause-Patent
// The elementary functions of libm/libm.h for a vector of arguments, as far as ciede needs them:
// the same steps, so the same bits, without the cases that cannot occur there. A subject of its
// own: it knows nothing of colours. Included by ciede_simd-inl.h, once per level that has a fused
// multiply-add.

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ciede::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

HWY_INLINE VF64 number(double value)
{
    return hn::Set(DF64(), value);
}
HWY_INLINE VU64 bits_of(VF64 v)
{
    return hn::BitCast(DU64(), v);
}
HWY_INLINE VF64 double_of(VU64 v)
{
    return hn::BitCast(DF64(), v);
}

/// Member `member` of entries of `stride` doubles.
template <typename Entry> HWY_INLINE VF64 look_up(const Entry *table, VU64 place, int member)
{
    return hn::GatherIndex(DF64(), reinterpret_cast<const double *>(table) + member,
                           hn::BitCast(D64(), place));
}

/// x = z * 2^k, see libm::Split; of positive normal numbers.
struct VectorSplit {
    VF64 z, k;
    VU64 index;
};

template <int index_bits> HWY_INLINE VectorSplit split(VF64 x, uint64_t first)
{
    const DU64 d;
    const VU64 above = hn::Sub(bits_of(x), hn::Set(d, first));
    const VU64 exponent = hn::And(above, hn::Set(d, libm::kExponentMask));
    // k + 1024 in the low bits of a double that counts by ones.
    const VU64 biased = hn::ShiftRight<52>(hn::Add(exponent, hn::Set(d, uint64_t{0x400} << 52)));
    const VF64 counted = double_of(hn::Or(biased, bits_of(number(0x1p52))));
    return {double_of(hn::Sub(bits_of(x), exponent)), hn::Sub(counted, number(0x1p52 + 1024)),
            hn::And(hn::ShiftRight<52 - index_bits>(above), hn::Set(d, (1U << index_bits) - 1))};
}

/// exp(x + tail) for |x| below 512.
HWY_INLINE VF64 vector_exp(VF64 x, VF64 tail)
{
    const DU64 d;
    const VF64 round = number(libm::kRoundToInteger);
    const VF64 shifted = hn::MulAdd(number(libm::kExpInverseLn2), x, round);
    const VU64 k = bits_of(shifted);
    const VF64 multiple = hn::Sub(shifted, round);
    const VF64 r = hn::Add(hn::MulAdd(multiple, number(libm::kExpLn2Low),
                                      hn::MulAdd(multiple, number(libm::kExpLn2High), x)),
                           tail);
    const VU64 place = hn::ShiftLeft<1>(hn::And(k, hn::Set(d, 127)));
    const VF64 entry_tail = look_up(libm::kExpTable, place, 0);
    const VU64 bits = bits_of(look_up(libm::kExpTable, place, 1));
    const VF64 scale = double_of(hn::Add(bits, hn::ShiftLeft<45>(k)));
    const VF64 r2 = hn::Mul(r, r);
    const double(&c)[4] = libm::kExpPolynomial;
    const VF64 low = hn::MulAdd(r, number(c[1]), number(c[0]));
    const VF64 high = hn::MulAdd(r, number(c[3]), number(c[2]));
    const VF64 rest =
        hn::MulAdd(hn::Mul(r2, r2), high, hn::MulAdd(r2, low, hn::Add(entry_tail, r)));
    return hn::MulAdd(scale, rest, scale);
}

/// x^y for positive normal x, where the result is one too.
HWY_INLINE VF64 vector_pow(VF64 x, double power)
{
    const VectorSplit at = split<7>(x, 0x3fe6955500000000);
    const VU64 place = hn::Add(at.index, hn::ShiftLeft<1>(at.index));
    const VF64 inverse = look_up(libm::kPowLogTable, place, 0);
    const VF64 entry_log = look_up(libm::kPowLogTable, place, 1);
    const VF64 entry_tail = look_up(libm::kPowLogTable, place, 2);
    const double(&a)[7] = libm::kPowPolynomial;
    const VF64 r = hn::MulAdd(at.z, inverse, number(-1.0));
    const VF64 base = hn::MulAdd(at.k, number(libm::kPowLn2High), entry_log);
    const VF64 sum = hn::Add(base, r);
    const VF64 base_tail = hn::MulAdd(at.k, number(libm::kPowLn2Low), entry_tail);
    const VF64 sum_tail = hn::Add(hn::Sub(base, sum), r);

    const VF64 ar = hn::Mul(number(a[0]), r);
    const VF64 ar2 = hn::Mul(r, ar);
    const VF64 ar3 = hn::Mul(r, ar2);
    const VF64 high = hn::Add(sum, ar2);
    const VF64 square_tail = hn::MulSub(ar, r, ar2);
    const VF64 high_tail = hn::Add(hn::Sub(sum, high), ar2);
    const VF64 inner = hn::MulAdd(ar2, hn::MulAdd(r, number(a[6]), number(a[5])),
                                  hn::MulAdd(r, number(a[4]), number(a[3])));
    const VF64 outer = hn::MulAdd(ar2, inner, hn::MulAdd(r, number(a[2]), number(a[1])));
    const VF64 tails = hn::Add(hn::Add(hn::Add(base_tail, sum_tail), square_tail), high_tail);
    const VF64 low = hn::MulAdd(ar3, outer, tails);
    const VF64 log = hn::Add(high, low);
    const VF64 log_tail = hn::Add(hn::Sub(high, log), low);

    const VF64 y = number(power);
    const VF64 product = hn::Mul(y, log);
    const VF64 tail = hn::MulAdd(y, log_tail, hn::MulSub(y, log, product));
    return vector_exp(product, tail);
}

/// powf(x, 7) before it is rounded to float, for positive normal floats x; the same conditions.
HWY_INLINE VF64 vector_powf7(VF64 x)
{
    const DU64 d;
    const VectorSplit at = split<4>(x, 0x3fe6600000000000);
    const VU64 place = hn::ShiftLeft<1>(at.index);
    const VF64 inverse = look_up(libm::kLog2FloatTable, place, 0);
    const VF64 whole = hn::Add(look_up(libm::kLog2FloatTable, place, 1), at.k);
    const double(&a)[5] = libm::kPowfLogPolynomial;
    const VF64 r = hn::MulAdd(at.z, inverse, number(-1.0));
    const VF64 r2 = hn::Mul(r, r);
    const VF64 high = hn::MulAdd(number(a[0]), r, number(a[1]));
    const VF64 middle = hn::MulAdd(number(a[2]), r, number(a[3]));
    const VF64 low = hn::MulAdd(middle, r2, hn::MulAdd(number(a[4]), r, whole));
    const VF64 log = hn::Mul(number(7), hn::MulAdd(high, hn::Mul(r2, r2), low));

    const VF64 round = number(libm::kRoundTo32nd);
    const VF64 shifted = hn::Add(log, round);
    const VU64 k = bits_of(shifted);
    const VF64 rest = hn::Sub(log, hn::Sub(shifted, round));
    const VU64 bits = bits_of(look_up(libm::kExp2FloatTable, hn::And(k, hn::Set(d, 31)), 0));
    const VF64 scale = double_of(hn::Add(bits, hn::ShiftLeft<47>(k)));
    const double(&c)[3] = libm::kPowfExpPolynomial;
    const VF64 cubic = hn::MulAdd(number(c[0]), rest, number(c[1]));
    const VF64 sum =
        hn::MulAdd(cubic, hn::Mul(rest, rest), hn::MulAdd(number(c[2]), rest, number(1)));
    return hn::Mul(sum, scale);
}

/// Sine and cosine of x + tail, for |x| below 0.8555.
struct VectorWaves {
    VF64 sin, cos;
};

HWY_INLINE VectorWaves waves_near_zero(VF64 x, VF64 tail)
{
    const VF64 round = number(libm::kRoundTo128th);
    const VF64 magnitude = hn::Abs(x);
    const VF64 shifted = hn::Add(magnitude, round);
    const VF64 rest = hn::Sub(magnitude, hn::Sub(shifted, round));
    const VU64 place = hn::ShiftLeft<2>(hn::And(bits_of(shifted), hn::Set(DU64(), 127)));
    const VF64 sin = look_up(libm::kSinCosTable, place, 0);
    const VF64 sin_tail = look_up(libm::kSinCosTable, place, 1);
    const VF64 cos = look_up(libm::kSinCosTable, place, 2);
    const VF64 cos_tail = look_up(libm::kSinCosTable, place, 3);
    const VF64 rest_tail = hn::IfThenElse(hn::Lt(x, number(0)), hn::Neg(tail), tail);
    const auto short_sin = [](VF64 x2) HWY_ATTR {
        return hn::MulAdd(number(libm::kShortSin[1]), x2, number(libm::kShortSin[0]));
    };
    const auto short_cos = [](VF64 x2) HWY_ATTR {
        const double(&c)[3] = libm::kShortCos;
        const VF64 sum = hn::MulAdd(number(c[2]), x2, number(c[1]));
        return hn::Mul(x2, hn::MulAdd(sum, x2, number(c[0])));
    };

    const VF64 whole = hn::Add(rest, rest_tail);
    const VF64 whole2 = hn::Mul(whole, whole);
    const VF64 s = hn::MulAdd(hn::Mul(whole, whole2), short_sin(whole2), whole);
    const VF64 c = short_cos(whole2);
    VF64 low = hn::NegMulAdd(s, sin_tail, cos_tail);
    low = hn::NegMulAdd(c, cos, low);
    low = hn::NegMulAdd(s, sin, low);
    const VF64 cosine = hn::Add(cos, low);

    const VF64 rest2 = hn::Mul(rest, rest);
    const VF64 t = hn::Add(rest, hn::MulAdd(hn::Mul(rest, rest2), short_sin(rest2), rest_tail));
    const VF64 e = hn::MulAdd(rest, rest_tail, short_cos(rest2));
    low = hn::MulAdd(t, cos_tail, sin_tail);
    low = hn::NegMulAdd(e, sin, low);
    low = hn::MulAdd(t, cos, low);
    const VF64 by_table = hn::CopySign(hn::Add(sin, low), x);

    const VF64 x2 = hn::Mul(x, x);
    const double(&p)[5] = libm::kSinPolynomial;
    VF64 sum = hn::MulAdd(number(p[4]), x2, number(p[3]));
    for (int i = 2; i >= 0; --i)
        sum = hn::MulAdd(sum, x2, number(p[i]));
    const VF64 half_tail = hn::Mul(number(0.5), tail);
    const VF64 by_series = hn::Add(x, hn::MulAdd(x2, hn::MulSub(sum, x, half_tail), tail));
    return {hn::IfThenElse(hn::Lt(magnitude, number(0.126)), by_series, by_table), cosine};
}

/// Sine or cosine for |x| below 1e8.
template <bool is_cos> HWY_INLINE VF64 vector_wave(VF64 x)
{
    const DU64 d;
    const VF64 magnitude = hn::Abs(x);
    // Near 0, then near pi / 2; the quadrant's lowest bit chooses the cosine, the next the sign.
    VF64 reduced = x;
    VF64 tail = number(0);
    VU64 quadrant = hn::Set(d, is_cos ? 1 : 0);
    const auto is_middle = hn::Ge(magnitude, number(0x1.b6p-1));
    const VF64 distance = hn::Sub(number(libm::kHalfPi), magnitude);
    const VF64 sum = hn::Add(distance, number(libm::kHalfPiTail));
    const VF64 sum_tail = hn::Add(hn::Sub(distance, sum), number(libm::kHalfPiTail));
    const VU64 sign = hn::ShiftLeft<1>(hn::ShiftRight<63>(bits_of(x)));
    reduced = hn::IfThenElse(is_middle, is_cos ? sum : distance, reduced);
    tail = hn::IfThenElse(is_middle, is_cos ? sum_tail : number(libm::kHalfPiTail), tail);
    const VU64 turned = is_cos ? hn::Zero(d) : hn::Or(sign, hn::Set(d, 1));
    quadrant = bits_of(hn::IfThenElse(is_middle, double_of(turned), double_of(quadrant)));

    const double(&p)[4] = libm::kHalfPiParts;
    const VF64 round = number(libm::kRoundToInteger);
    const VF64 shifted = hn::MulAdd(x, number(libm::kTwoOverPi), round);
    const VF64 n = hn::Sub(shifted, round);
    const VF64 first = hn::NegMulAdd(n, number(p[1]), hn::NegMulAdd(n, number(p[0]), x));
    const VF64 second = hn::NegMulAdd(n, number(p[2]), first);
    const VF64 third = hn::NegMulAdd(n, number(p[3]), second);
    const VF64 third_tail = hn::Add(hn::NegMulAdd(n, number(p[2]), hn::Sub(first, second)),
                                    hn::NegMulAdd(n, number(p[3]), hn::Sub(second, third)));
    const auto is_far = hn::Ge(magnitude, number(0x1.368fdp1));
    reduced = hn::IfThenElse(is_far, third, reduced);
    tail = hn::IfThenElse(is_far, third_tail, tail);
    const VU64 of_far = hn::Add(bits_of(shifted), hn::Set(d, is_cos ? 1 : 0));
    quadrant = bits_of(hn::IfThenElse(is_far, double_of(of_far), double_of(quadrant)));

    const VectorWaves waves = waves_near_zero(reduced, tail);
    const auto wants_cos =
        hn::MaskFromVec(double_of(hn::Sub(hn::Zero(d), hn::And(quadrant, hn::Set(d, 1)))));
    const VF64 result = hn::IfThenElse(wants_cos, waves.cos, waves.sin);
    const VU64 negative = hn::ShiftLeft<62>(hn::And(quadrant, hn::Set(d, 2)));
    return double_of(hn::Xor(bits_of(result), negative));
}

/// atan2; NaN where both are 0.
HWY_INLINE VF64 vector_atan2(VF64 y, VF64 x)
{
    const VF64 zero = number(0);
    const VF64 height = hn::Abs(y);
    const VF64 width = hn::Abs(x);
    const auto is_flat = hn::Lt(height, width);
    const auto is_right = hn::Gt(x, zero);
    const VF64 numerator = hn::IfThenElse(is_flat, height, width);
    const VF64 denominator = hn::IfThenElse(is_flat, width, height);
    const VF64 u = hn::Div(numerator, denominator);
    const VF64 rest = hn::Div(hn::NegMulAdd(denominator, u, numerator), denominator);
    // angle = base + base_tail + sign * atan(u + rest)
    const VF64 base = hn::IfThenElse(is_flat, hn::IfThenElse(is_right, zero, number(libm::kPi)),
                                     number(libm::kHalfPi));
    const VF64 base_tail =
        hn::IfThenElse(is_flat, number(libm::kPiTail), number(libm::kHalfPiTail));
    const VF64 sign = hn::IfThenElse(is_right, number(-1), number(1));
    const VF64 turn = hn::IfThenElse(is_flat, number(-1), sign);
    const auto is_plain = hn::And(is_flat, is_right);

    const VF64 u2 = hn::Mul(u, u);
    const double(&p)[6] = libm::kAtanPolynomial;
    VF64 sum = hn::MulAdd(number(p[5]), u2, number(p[4]));
    for (int i = 3; i >= 0; --i)
        sum = hn::MulAdd(sum, u2, number(p[i]));
    const VF64 u3 = hn::Mul(u, u2);
    const VF64 plain_short = hn::Add(u, hn::MulAdd(u3, sum, rest));
    const VF64 turned_u = hn::Mul(turn, u);
    const VF64 high = hn::Add(base, turned_u);
    VF64 turned_short = hn::Add(hn::Add(hn::Sub(base, high), turned_u), base_tail);
    turned_short = hn::Add(turned_short, hn::Mul(turn, rest));
    turned_short = hn::Add(turned_short, hn::Mul(turn, hn::Mul(u3, sum)));
    turned_short = hn::Add(turned_short, high);
    const VF64 by_series = hn::IfThenElse(is_plain, plain_short, turned_short);

    const auto is_short = hn::Not(hn::Ge(u, number(libm::kAtanFirst)));
    const VF64 inside = hn::IfThenElse(is_short, number(0.5), u);
    const VU64 counted = bits_of(hn::MulAdd(inside, number(256), number(0x1p52)));
    const VU64 index = hn::Sub(hn::And(counted, hn::Set(DU64(), 0x1ff)), hn::Set(DU64(), 16));
    const VU64 place = hn::Sub(hn::ShiftLeft<3>(index), index);
    VF64 c[6];
    for (int i = 0; i < 6; ++i)
        c[i] = look_up(libm::kAtanTable, place, 1 + i);
    const VF64 offset = hn::Sub(u, look_up(libm::kAtanTable, place, 0));
    const VF64 v = hn::Add(rest, offset);
    const VF64 v_tail =
        hn::IfThenElse(hn::Gt(hn::Abs(offset), hn::Abs(rest)), hn::Add(hn::Sub(offset, v), rest),
                       hn::Add(hn::Sub(rest, v), offset));
    sum = hn::MulAdd(c[5], v, c[4]);
    sum = hn::MulAdd(sum, v, c[3]);
    sum = hn::MulAdd(sum, v, c[2]);
    const VF64 plain_sum = hn::MulAdd(v_tail, c[1], hn::Mul(hn::Mul(v, v), sum));
    const VF64 plain_long = hn::Add(hn::MulAdd(v, c[1], plain_sum), c[0]);
    const VF64 turned_long =
        hn::Add(hn::Add(base, hn::Mul(turn, c[0])),
                hn::MulAdd(hn::Mul(turn, v), hn::MulAdd(sum, v, c[1]), base_tail));
    const VF64 by_table = hn::IfThenElse(is_plain, plain_long, turned_long);
    return hn::CopySign(hn::IfThenElse(is_short, by_series, by_table), y);
}

} // namespace vmafgpu::ciede::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
