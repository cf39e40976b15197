// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 pixel by pixel: linear light, the next scale, X, Y and B. Included by
// ssimulacra2_simd-inl.h, for levels with a fused multiply-add. Every step is the one of
// ssimulacra2_math.h. Rows are made up to the end of their padding. A subject of its own: it makes
// the planes, and ssimulacra2_simd-inl.h their sums.

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ssimulacra2::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

HWY_INLINE VF32 number32(float v)
{
    return hn::Set(DF32(), v);
}

HWY_INLINE VF32 linear_light(VF32 x)
{
    VF32 p = number32(kCurveP[4]);
    VF32 q = number32(kCurveQ[4]);
    for (int i = 3; i >= 0; --i) {
        p = hn::MulAdd(p, x, number32(kCurveP[i]));
        q = hn::MulAdd(q, x, number32(kCurveQ[i]));
    }
    return hn::IfThenElse(hn::Gt(x, number32(kCurveFrom)), hn::Div(p, q),
                          hn::Mul(x, number32(kCurveLine)));
}

HWY_INLINE VF32 clipped_light(VF32 x)
{
    return linear_light(hn::Min(hn::Max(x, number32(0)), number32(1)));
}

inline void run_linear_row(const Row &row)
{
    const DF32 d;
    const Colour &colour = *row.colour;
    const VF32 factor = number32(colour.luma_factor);
    const auto load = [&](int plane, int x) HWY_ATTR {
        return hn::ConvertTo(d, hn::LoadU(D32(), row.in[plane] + x));
    };
    if (colour.is_rgb != 0) {
        for (int plane = 0; plane < 3; ++plane)
            for (int x = 0; x < row.width; x += kLanes32)
                hn::StoreU(linear_light(hn::Mul(load(plane, x), factor)), d, row.out[plane] + x);
        return;
    }
    const VF32 offset = number32(colour.luma_offset);
    const VF32 unit = number32(1.0F / kChromaUnit);
    const VF32 red_cr = number32(colour.red_cr), green_cr = number32(colour.green_cr);
    const VF32 green_cb = number32(colour.green_cb), blue_cb = number32(colour.blue_cb);
    for (int x = 0; x < row.width; x += kLanes32) {
        const VF32 y = hn::Mul(hn::Sub(load(0, x), offset), factor);
        const VF32 cb = hn::Mul(load(1, x), unit);
        const VF32 cr = hn::Mul(load(2, x), unit);
        const VF32 green = hn::MulAdd(green_cb, cb, hn::MulAdd(green_cr, cr, y));
        hn::StoreU(clipped_light(hn::MulAdd(red_cr, cr, y)), d, row.out[0] + x);
        hn::StoreU(clipped_light(green), d, row.out[1] + x);
        hn::StoreU(clipped_light(hn::MulAdd(blue_cb, cb, y)), d, row.out[2] + x);
    }
}

HWY_INLINE VF32 root_of(VF32 x)
{
    const DU32 u;
    const VU32 exponent = hn::ShiftRight<23>(hn::BitCast(u, x));
    const VU32 start = hn::Sub(hn::Set(u, 0x54800000u), hn::Mul(exponent, hn::Set(u, 0x2aaaaau)));
    const VF32 one_third = number32(1.0F / 3);
    const VF32 four_thirds = number32(4.0F / 3);
    const VF32 third = hn::Mul(one_third, x);
    VF32 r = hn::BitCast(DF32(), start);
    for (int i = 0; i < 3; ++i) {
        const VF32 square = hn::Mul(r, r);
        r = hn::NegMulAdd(third, hn::Mul(square, square), hn::Mul(four_thirds, r));
    }
    const VF32 square = hn::Mul(r, r);
    r = hn::MulAdd(one_third, hn::NegMulAdd(x, hn::Mul(square, square), r), r);
    return hn::MulSub(hn::Mul(r, r), x, number32(kBiasRoot));
}

inline void run_xyb_row(float *const *rows, int width)
{
    const DF32 d;
    const VF32 bias = number32(kBias);
    const VF32 half = number32(0.5F);
    for (int x = 0; x < width; x += kLanes32) {
        const VF32 red = hn::LoadU(d, rows[0] + x), green = hn::LoadU(d, rows[1] + x);
        const VF32 blue = hn::LoadU(d, rows[2] + x);
        const auto receptor = [&](int i) HWY_ATTR {
            const float *mix = kMix[i];
            return root_of(hn::MulAdd(
                number32(mix[0]), red,
                hn::MulAdd(number32(mix[1]), green, hn::MulAdd(number32(mix[2]), blue, bias))));
        };
        const VF32 l = receptor(0), m = receptor(1), s = receptor(2);
        const VF32 opponent = hn::Mul(half, hn::Sub(l, m));
        const VF32 luma = hn::Mul(half, hn::Add(l, m));
        hn::StoreU(hn::Add(hn::Mul(opponent, number32(14.0F)), number32(0.42F)), d, rows[0] + x);
        hn::StoreU(hn::Add(luma, number32(0.01F)), d, rows[1] + x);
        hn::StoreU(hn::Add(hn::Sub(s, luma), number32(0.55F)), d, rows[2] + x);
    }
}

inline void run_half_row(const float *upper, const float *lower, float *to, int width)
{
    const DF32 d;
    const VF32 quarter = number32(0.25F);
    int x = 0;
    for (; x + kLanes32 <= width; x += kLanes32) {
        VF32 a, b, c, e;
        hn::LoadInterleaved2(d, upper + 2 * x, a, b);
        hn::LoadInterleaved2(d, lower + 2 * x, c, e);
        hn::StoreU(hn::Mul(hn::Add(hn::Add(hn::Add(a, b), c), e), quarter), d, to + x);
    }
    for (; x < width; ++x)
        to[x] = quarter_of(upper[2 * x], upper[2 * x + 1], lower[2 * x], lower[2 * x + 1]);
}

} // namespace vmafgpu::ssimulacra2::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
