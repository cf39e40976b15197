// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede of one row of pixels. simd_targets.h compiles it once per level for ciede_cpu.cpp. With a
// fused multiply-add every step is the one of the reference code. All values are doubles, rounded
// to float where the reference code has a float: an operation on two floats that is made in double
// and then rounded gives the float operation's bits. Without it, the reference code runs pixel by
// pixel.
#include "simd/simd-inl.h"

#if HWY_NATIVE_FMA
#include "features/ciede/ciede_libm-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ciede::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

#if HWY_NATIVE_FMA

using DF32Half = hn::Rebind<float, DF64>;

/// Rounds to float and converts back.
HWY_INLINE VF64 rounded(VF64 v)
{
    return hn::PromoteTo(DF64(), hn::DemoteTo(DF32Half(), v));
}

HWY_INLINE VF64 times(double factor, VF64 v)
{
    return hn::Mul(number(factor), v);
}

HWY_INLINE VF64 linear_light(VF64 value)
{
    const auto is_power = hn::Gt(value, number(10.0 / 255));
    const VF64 base = hn::Mul(hn::Add(value, number(0.055)), number(1 / 1.055));
    const VF64 power = vector_pow(hn::IfThenElse(is_power, base, number(1)), 2.4);
    return hn::IfThenElse(is_power, power, hn::Mul(value, number(1 / 12.92)));
}

HWY_INLINE VF64 lab_part(VF64 value)
{
    const auto is_root = hn::Gt(value, number(kCube));
    const VF64 root = vector_pow(hn::IfThenElse(is_root, value, number(1)), 1.0 / 3);
    const VF64 line = hn::Mul(hn::Add(times(kSlope, value), number(16)), number(1.0 / 116));
    return rounded(hn::IfThenElse(is_root, root, line));
}

struct VectorLab {
    VF64 l, a, b;
};

/// Entries of a table of LightTables for samples from 0 to 255.
HWY_INLINE VF64 light_from(const double (&table)[256][256], VF64 luma, VF64 chroma)
{
    const VF64 place = hn::MulAdd(luma, number(256), chroma);
    return hn::GatherIndex(DF64(), table[0], hn::ConvertTo(D64(), place));
}

HWY_INLINE VectorLab lab_of(const LightTables *light, int depth, VF64 y, VF64 u, VF64 v)
{
    const double unit = 1 << (depth - 8);
    const VF64 luma = hn::Mul(hn::Sub(y, number(16 * unit)), number(1 / (219 * unit)));
    const VF64 blue = hn::Mul(hn::Sub(u, number(128 * unit)), number(1 / (224 * unit)));
    const VF64 red = hn::Mul(hn::Sub(v, number(128 * unit)), number(1 / (224 * unit)));
    const VF64 rgb[3] = {
        light != nullptr ? light_from(light->red, y, v)
                         : linear_light(hn::Add(luma, times(1.28033, red))),
        linear_light(hn::Sub(hn::Sub(luma, times(0.21482, blue)), times(0.38059, red))),
        light != nullptr ? light_from(light->blue, y, u)
                         : linear_light(hn::Add(luma, times(2.12798, blue)))};
    VF64 xyz[3];
    for (int i = 0; i < 3; ++i)
        xyz[i] = hn::Add(
            hn::Add(hn::Mul(rgb[0], number(kXyz[i][0])), hn::Mul(rgb[1], number(kXyz[i][1]))),
            hn::Mul(rgb[2], number(kXyz[i][2])));
    const VF64 x = lab_part(times(kWhiteX, xyz[0]));
    const VF64 middle = lab_part(xyz[1]);
    const VF64 z = lab_part(times(kWhiteZ, xyz[2]));
    return {rounded(hn::Sub(times(116, middle), number(16))),
            rounded(times(500, hn::Sub(x, middle))), rounded(times(200, hn::Sub(middle, z)))};
}

HWY_INLINE VF64 square(VF64 v)
{
    return hn::Mul(v, v);
}

HWY_INLINE VF64 root_of_squares(VF64 a, VF64 b)
{
    return rounded(hn::Sqrt(hn::Add(square(a), square(b))));
}

/// Mean of two floats, as floats.
HWY_INLINE VF64 mean_of(VF64 a, VF64 b)
{
    return hn::Mul(rounded(hn::Add(a, b)), number(0.5));
}

HWY_INLINE VF64 hue_of(VF64 b, VF64 a)
{
    const VF64 zero = number(0);
    const VF64 hue = rounded(vector_atan2(b, a));
    const VF64 turned = rounded(hn::Add(hue, number(2 * kPi)));
    const VF64 angle = hn::IfThenElse(hn::Lt(hue, zero), turned, hue);
    return hn::IfThenElse(hn::And(hn::Eq(b, zero), hn::Eq(a, zero)), zero, angle);
}

HWY_INLINE VF64 hue_difference(VF64 first, VF64 second)
{
    const VF64 difference = rounded(hn::Sub(second, first));
    const VF64 round = number(2 * kPi);
    const VF64 turned = hn::IfThenElse(hn::Le(second, first), hn::Add(difference, round),
                                       hn::Sub(difference, round));
    return hn::IfThenElse(hn::Le(hn::Abs(difference), number(kPi)), difference, rounded(turned));
}

HWY_INLINE VF64 mean_hue(VF64 first, VF64 second)
{
    const VF64 sum = rounded(hn::Add(first, second));
    const VF64 half = number(0.5);
    const VF64 turned = rounded(hn::Mul(hn::Add(sum, number(2 * kPi)), half));
    const auto is_far = hn::Gt(hn::Abs(rounded(hn::Sub(first, second))), number(kPi));
    return hn::IfThenElse(is_far, turned, hn::Mul(sum, half));
}

HWY_INLINE VF64 hue_weight(VF64 hue)
{
    VF64 sum = hn::Sub(number(1), times(0.17, vector_wave<true>(hn::Sub(hue, number(kPi / 6)))));
    sum = hn::Add(sum, times(0.24, vector_wave<true>(times(2, hue))));
    sum = hn::Add(sum, times(0.32, vector_wave<true>(hn::Add(times(3, hue), number(kPi / 30)))));
    sum =
        hn::Sub(sum, times(0.20, vector_wave<true>(hn::Sub(times(4, hue), number(7 * kPi / 20)))));
    return rounded(sum);
}

HWY_INLINE VF64 rotation(VF64 chroma, VF64 hue)
{
    const VF64 zero = number(0);
    const VF64 degrees = rounded(times(180 / kPi, hue));
    const VF64 distance = rounded(hn::Mul(hn::Sub(degrees, number(275)), number(1.0 / 25)));
    const VF64 power_e = vector_exp(hn::Neg(rounded(square(distance))), zero);
    const VF64 radians = rounded(times(kPi / 180, rounded(times(60, power_e))));
    const auto is_gray = hn::Eq(chroma, zero);
    const VF64 power = hn::IfThenElse(
        is_gray, zero, rounded(vector_powf7(hn::IfThenElse(is_gray, number(1), chroma))));
    const VF64 sum = rounded(hn::Add(power, number(static_cast<double>(kPower7Float))));
    const VF64 root = rounded(hn::Div(power, sum));
    return rounded(hn::Mul(times(-2, hn::Sqrt(root)), vector_wave<false>(radians)));
}

HWY_INLINE VF64 difference_of(const VectorLab &reference, const VectorLab &distorted)
{
    const VF64 zero = number(0);
    const VF64 one = number(1);
    const VF64 lightness = rounded(hn::Sub(distorted.l, reference.l));
    const VF64 chroma1 = root_of_squares(reference.a, reference.b);
    const VF64 chroma2 = root_of_squares(distorted.a, distorted.b);
    const VF64 mean_chroma = mean_of(chroma1, chroma2);
    const auto is_gray = hn::Eq(mean_chroma, zero);
    const VF64 power =
        hn::IfThenElse(is_gray, zero, vector_pow(hn::IfThenElse(is_gray, one, mean_chroma), 7));
    const VF64 gray = hn::Sub(one, hn::Sqrt(hn::Div(power, hn::Add(power, number(kPower7)))));
    const VF64 half = number(0.5);
    const VF64 a1 = rounded(hn::Add(reference.a, hn::Mul(hn::Mul(reference.a, half), gray)));
    const VF64 a2 = rounded(hn::Add(distorted.a, hn::Mul(hn::Mul(distorted.a, half), gray)));
    const VF64 prime1 = root_of_squares(a1, reference.b);
    const VF64 prime2 = root_of_squares(a2, distorted.b);
    const VF64 mean_prime = mean_of(prime1, prime2);
    const VF64 prime = rounded(hn::Sub(prime2, prime1));
    const VF64 middle = square(rounded(hn::Sub(mean_of(reference.l, distorted.l), number(50))));
    const VF64 weight_l =
        rounded(hn::Add(one, hn::Div(times(0.015, middle), hn::Sqrt(hn::Add(number(20), middle)))));
    const VF64 weight_c = rounded(hn::Add(one, times(0.045, mean_prime)));
    const VF64 hue1 = hue_of(reference.b, a1);
    const VF64 hue2 = hue_of(distorted.b, a2);
    const auto has_no_hue = hn::Or(hn::Eq(chroma1, zero), hn::Eq(chroma2, zero));
    const VF64 turn = hn::IfThenElse(has_no_hue, zero, hue_difference(hue1, hue2));
    const VF64 length = times(2, hn::Sqrt(rounded(hn::Mul(prime1, prime2))));
    const VF64 hue = rounded(hn::Mul(length, vector_wave<false>(hn::Mul(turn, half))));
    const VF64 between = mean_hue(hue1, hue2);
    const VF64 weight_h =
        rounded(hn::Add(one, hn::Mul(times(0.015, mean_prime), hue_weight(between))));
    const VF64 factor = number(static_cast<double>(0.65F));
    const VF64 l = rounded(hn::Div(lightness, rounded(hn::Mul(factor, weight_l))));
    const VF64 c = rounded(hn::Div(prime, weight_c));
    const VF64 h = rounded(hn::Div(hue, times(4, weight_h)));
    const VF64 turned = rounded(hn::Mul(rounded(hn::Mul(rotation(mean_prime, between), c)), h));
    return hn::Sqrt(hn::Add(hn::Add(hn::Add(square(l), square(c)), square(h)), turned));
}

inline void run_row(const Row &row)
{
    const DF32Half f;
    const auto load = [&](int picture, int plane, int x) HWY_ATTR {
        return hn::PromoteTo(DF64(), hn::LoadU(f, row.samples[picture][plane] + x));
    };
    for (int x = 0; x < row.width; x += kLanes64) {
        const VectorLab reference =
            lab_of(row.light, row.depth, load(0, 0, x), load(0, 1, x), load(0, 2, x));
        const VectorLab distorted =
            lab_of(row.light, row.depth, load(1, 0, x), load(1, 1, x), load(1, 2, x));
        hn::StoreU(hn::DemoteTo(f, difference_of(reference, distorted)), f, row.difference + x);
    }
}

#else

inline void run_row(const Row &row)
{
    const auto lab = [&](int picture, int x) {
        const float *const *samples = row.samples[picture];
        return lab_of_pixel(row.depth, samples[0][x], samples[1][x], samples[2][x]);
    };
    for (int x = 0; x < row.width; ++x)
        row.difference[x] = difference_of(lab(0, x), lab(1, x));
}

#endif

} // namespace vmafgpu::ciede::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
