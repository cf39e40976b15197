// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede of one row of pixels. simd_targets.h compiles it once per level for ciede_cpu.cpp. With a
// fused multiply-add every step is the one of the reference code, or one whose result is rounded to
// the same float. All values are doubles, rounded
// to float where the reference code has a float: an operation on two floats that is made in double
// and then rounded gives the float operation's bits. Without it, the reference code runs pixel by
// pixel.
#include "simd/simd-inl.h"

#if HWY_NATIVE_FMA
#include "features/ciede/ciede_libm-inl.h"
#include "features/ciede/ciede_tables.h"
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

} // namespace vmafgpu::ciede::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();

#include "features/ciede/ciede_quick-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ciede::VMAFGPU_SIMD {

/// The elementary functions as the reference code has them.
struct Exact {
    HWY_INLINE static VF64 round(VF64 v) { return rounded(v); }
    HWY_INLINE static VF64 power_2_4(VF64 x) { return vector_pow(x, 2.4); }
    HWY_INLINE static VF64 cube_root(VF64 x) { return vector_pow(x, 1.0 / 3); }
    HWY_INLINE static VF64 power_7(VF64 x)
    {
        const auto is_zero = hn::Eq(x, number(0));
        const VF64 power = vector_pow(hn::IfThenElse(is_zero, number(1), x), 7);
        return hn::IfThenElse(is_zero, number(0), power);
    }
    HWY_INLINE static VF64 sine(VF64 x) { return vector_wave<false>(x); }
    HWY_INLINE static VF64 angle(VF64 y, VF64 x) { return vector_atan2(y, x); }
    HWY_INLINE static VF64 round_lab_part(VF64, VF64 part) { return rounded(part); }
    HWY_INLINE static VF64 hue_weight(VF64 hue)
    {
        VF64 sum =
            hn::Sub(number(1), times(0.17, vector_wave<true>(hn::Sub(hue, number(kPi / 6)))));
        sum = hn::Add(sum, times(0.24, vector_wave<true>(times(2, hue))));
        sum =
            hn::Add(sum, times(0.32, vector_wave<true>(hn::Add(times(3, hue), number(kPi / 30)))));
        sum = hn::Sub(sum,
                      times(0.20, vector_wave<true>(hn::Sub(times(4, hue), number(7 * kPi / 20)))));
        return rounded(sum);
    }
};

template <class Math> HWY_INLINE VF64 linear_light(VF64 value)
{
    const auto is_power = hn::Gt(value, number(10.0 / 255));
    const VF64 base = hn::Mul(hn::Add(value, number(0.055)), number(1 / 1.055));
    const VF64 power = Math::power_2_4(hn::IfThenElse(is_power, base, number(1)));
    return hn::IfThenElse(is_power, power, hn::Mul(value, number(1 / 12.92)));
}

template <class Math> HWY_INLINE VF64 lab_part(Math &math, VF64 value)
{
    const auto is_root = hn::Gt(value, number(kCube));
    const VF64 root = Math::cube_root(hn::IfThenElse(is_root, value, number(1)));
    const VF64 line = hn::Mul(hn::Add(times(kSlope, value), number(16)), number(1.0 / 116));
    return math.round_lab_part(value, hn::IfThenElse(is_root, root, line));
}

struct VectorLab {
    VF64 l, a, b;
};

constexpr int kChunk = 128; ///< pixels whose colours are kept

/// Entries of a table of LightTables for samples from 0 to 255.
HWY_INLINE VF64 light_from(const double (&table)[256][256], VF64 luma, VF64 chroma)
{
    const VF64 place = hn::MulAdd(luma, number(256), chroma);
    return hn::GatherIndex(DF64(), table[0], hn::ConvertTo(D64(), place));
}

template <class Math>
HWY_INLINE VectorLab lab_of(Math &math, const LightTables *light, int depth, VF64 y, VF64 u, VF64 v)
{
    const double unit = 1 << (depth - 8);
    const VF64 luma = hn::Mul(hn::Sub(y, number(16 * unit)), number(1 / (219 * unit)));
    const VF64 blue = hn::Mul(hn::Sub(u, number(128 * unit)), number(1 / (224 * unit)));
    const VF64 red = hn::Mul(hn::Sub(v, number(128 * unit)), number(1 / (224 * unit)));
    const VF64 rgb[3] = {
        light != nullptr ? light_from(light->red, y, v)
                         : linear_light<Math>(hn::Add(luma, times(1.28033, red))),
        linear_light<Math>(hn::Sub(hn::Sub(luma, times(0.21482, blue)), times(0.38059, red))),
        light != nullptr ? light_from(light->blue, y, u)
                         : linear_light<Math>(hn::Add(luma, times(2.12798, blue)))};
    VF64 xyz[3];
    for (int i = 0; i < 3; ++i)
        xyz[i] = hn::Add(
            hn::Add(hn::Mul(rgb[0], number(kXyz[i][0])), hn::Mul(rgb[1], number(kXyz[i][1]))),
            hn::Mul(rgb[2], number(kXyz[i][2])));
    const VF64 x = lab_part(math, times(kWhiteX, xyz[0]));
    const VF64 middle = lab_part(math, xyz[1]);
    const VF64 z = lab_part(math, times(kWhiteZ, xyz[2]));
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

template <class Math> HWY_INLINE VF64 hue_of(Math &math, VF64 b, VF64 a)
{
    const VF64 zero = number(0);
    const auto is_gray = hn::And(hn::Eq(b, zero), hn::Eq(a, zero));
    const VF64 hue = math.round(hn::IfThenElse(is_gray, zero, Math::angle(b, a)));
    const VF64 turned = rounded(hn::Add(hue, number(2 * kPi)));
    return hn::IfThenElse(hn::Lt(hue, zero), turned, hue);
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

template <class Math> HWY_INLINE VF64 rotation(Math &math, VF64 chroma, VF64 hue)
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
    return math.round(hn::Mul(times(-2, hn::Sqrt(root)), Math::sine(radians)));
}

template <class Math>
HWY_INLINE VF64 difference_of(Math &math, const VectorLab &reference, const VectorLab &distorted)
{
    const VF64 zero = number(0);
    const VF64 one = number(1);
    const VF64 lightness = rounded(hn::Sub(distorted.l, reference.l));
    const VF64 chroma1 = root_of_squares(reference.a, reference.b);
    const VF64 chroma2 = root_of_squares(distorted.a, distorted.b);
    const VF64 power = Math::power_7(mean_of(chroma1, chroma2));
    const VF64 gray = hn::Sub(one, hn::Sqrt(hn::Div(power, hn::Add(power, number(kPower7)))));
    const VF64 half = number(0.5);
    const VF64 a1 = math.round(hn::Add(reference.a, hn::Mul(hn::Mul(reference.a, half), gray)));
    const VF64 a2 = math.round(hn::Add(distorted.a, hn::Mul(hn::Mul(distorted.a, half), gray)));
    const VF64 prime1 = root_of_squares(a1, reference.b);
    const VF64 prime2 = root_of_squares(a2, distorted.b);
    const VF64 mean_prime = mean_of(prime1, prime2);
    const VF64 prime = rounded(hn::Sub(prime2, prime1));
    const VF64 middle = square(rounded(hn::Sub(mean_of(reference.l, distorted.l), number(50))));
    const VF64 weight_l =
        rounded(hn::Add(one, hn::Div(times(0.015, middle), hn::Sqrt(hn::Add(number(20), middle)))));
    const VF64 weight_c = rounded(hn::Add(one, times(0.045, mean_prime)));
    const VF64 hue1 = hue_of(math, reference.b, a1);
    const VF64 hue2 = hue_of(math, distorted.b, a2);
    const auto has_no_hue = hn::Or(hn::Eq(chroma1, zero), hn::Eq(chroma2, zero));
    const VF64 turn = hn::IfThenElse(has_no_hue, zero, hue_difference(hue1, hue2));
    const VF64 length = times(2, hn::Sqrt(rounded(hn::Mul(prime1, prime2))));
    const VF64 hue = math.round(hn::Mul(length, Math::sine(hn::Mul(turn, half))));
    const VF64 between = mean_hue(hue1, hue2);
    const VF64 weight_h =
        rounded(hn::Add(one, hn::Mul(times(0.015, mean_prime), math.hue_weight(between))));
    const VF64 factor = number(static_cast<double>(0.65F));
    const VF64 l = rounded(hn::Div(lightness, rounded(hn::Mul(factor, weight_l))));
    const VF64 c = rounded(hn::Div(prime, weight_c));
    const VF64 h = rounded(hn::Div(hue, times(4, weight_h)));
    const VF64 turned =
        rounded(hn::Mul(rounded(hn::Mul(rotation(math, mean_prime, between), c)), h));
    return hn::Sqrt(hn::Add(hn::Add(hn::Add(square(l), square(c)), square(h)), turned));
}

/// A picture's colours of a vector of pixels.
template <class Math> HWY_INLINE VectorLab lab_at(Math &math, const Row &row, int picture, int x)
{
    const auto load = [&](int plane) HWY_ATTR {
        return hn::PromoteTo(DF64(), hn::LoadU(DF32Half(), row.samples[picture][plane] + x));
    };
    return lab_of(math, row.light, row.depth, load(0), load(1), load(2));
}

HWY_INLINE void store_difference(VF64 difference, const Row &row, int x)
{
    hn::StoreU(hn::DemoteTo(DF32Half(), difference), DF32Half(), row.difference + x);
}

inline HWY_NOINLINE void store_exact(const Row &row, int x)
{
    Exact exact;
    store_difference(difference_of(exact, lab_at(exact, row, 0, x), lab_at(exact, row, 1, x)), row,
                     x);
}

/// Some pixels: short loops, of which processors compute several rounds at a time.
inline void run_pixels(const Row &row, int begin, int end)
{
    constexpr int kMost = kChunk / kLanes64;
    HWY_ALIGN double labs[2][kMost][3][kLanes64];
    bool has_doubt[kMost] = {};
    const auto for_all = [&](const auto &work) HWY_ATTR {
        for (int x = begin, i = 0; x < end; x += kLanes64, ++i) {
            Quick quick;
            work(quick, x, i);
            has_doubt[i] = has_doubt[i] || !hn::AllFalse(DF64(), quick.has_doubt);
        }
    };
    for (int picture = 0; picture < 2; ++picture)
        for_all([&](Quick &quick, int x, int i) HWY_ATTR {
            const VectorLab lab = lab_at(quick, row, picture, x);
            double(&to)[3][kLanes64] = labs[picture][i];
            hn::Store(lab.l, DF64(), to[0]);
            hn::Store(lab.a, DF64(), to[1]);
            hn::Store(lab.b, DF64(), to[2]);
        });
    const auto load = [&](int picture, int i) HWY_ATTR {
        const double(&from)[3][kLanes64] = labs[picture][i];
        const DF64 d;
        return VectorLab{hn::Load(d, from[0]), hn::Load(d, from[1]), hn::Load(d, from[2])};
    };
    for_all([&](Quick &quick, int x, int i) HWY_ATTR {
        store_difference(difference_of(quick, load(0, i), load(1, i)), row, x);
    });
    for (int x = begin, i = 0; x < end; x += kLanes64, ++i)
        if (has_doubt[i])
            store_exact(row, x);
}

inline void run_row(const Row &row)
{
    for (int x = 0; x < row.width; x += kChunk)
        run_pixels(row, x, HWY_MIN(x + kChunk, row.width));
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
