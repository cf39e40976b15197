// SPDX-License-Identifier: BSD-2-Clause-Patent
// Vector words of floating-point numbers and conversions, but for division. Rounding is to
// nearest even and denormal numbers are kept, as code_object.cpp requires of the kernels.
#include <limits>

#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

using u32 = uint32_t;
using i32 = int32_t;

/// Toward zero, to the nearest that the type holds; NaN gives 0.
template <typename Int, typename Real> Int truncated(Real v)
{
    if (!(v == v))
        return 0;
    if (v <= static_cast<Real>(std::numeric_limits<Int>::min()))
        return std::numeric_limits<Int>::min();
    // 2^31 or 2^32, exact in both types of numbers.
    const Real limit = static_cast<Real>(std::numeric_limits<Int>::max() / 2 + 1) * 2;
    return v >= limit ? std::numeric_limits<Int>::max() : static_cast<Int>(v);
}

template <typename Real> void add_arithmetic(Table &t, const std::string &type)
{
    vector(t, ("v_add_" + type).c_str(), [](Real a, Real b) { return number(a + b, a, b); });
    vector(t, ("v_mul_" + type).c_str(), [](Real a, Real b) { return number(a * b, a, b); });
    vector(t, ("v_fma_" + type).c_str(),
           [](Real a, Real b, Real c) { return number(std::fma(a, b, c), a, b, c); });
    accumulating(t, ("v_fmac_" + type).c_str(),
                 [](Real a, Real b, Real c) { return number(std::fma(a, b, c), a, b, c); });
    vector(t, ("v_ldexp_" + type).c_str(),
           [](Real a, i32 b) { return number(std::ldexp(a, b), a); });
    vector(t, ("v_trunc_" + type).c_str(), [](Real a) { return number(std::trunc(a), a); });
    vector(t, ("v_floor_" + type).c_str(), [](Real a) { return number(std::floor(a), a); });
}

float flushed(float v)
{
    return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
}

void add_conversions(Table &t)
{
    vector(t, "v_cvt_f32_i32", [](i32 a) { return static_cast<float>(a); });
    vector(t, "v_cvt_f32_u32", [](u32 a) { return static_cast<float>(a); });
    vector(t, "v_cvt_f64_i32", [](i32 a) { return static_cast<double>(a); });
    vector(t, "v_cvt_f64_u32", [](u32 a) { return static_cast<double>(a); });
    vector(t, "v_cvt_f32_ubyte0", [](u32 a) { return static_cast<float>(a & 0xff); });
    vector(t, "v_cvt_f32_ubyte1", [](u32 a) { return static_cast<float>(a >> 8 & 0xff); });
    vector(t, "v_cvt_f32_ubyte2", [](u32 a) { return static_cast<float>(a >> 16 & 0xff); });
    vector(t, "v_cvt_f32_ubyte3", [](u32 a) { return static_cast<float>(a >> 24); });
    vector(t, "v_cvt_f32_f64", [](double a) { return static_cast<float>(a); });
    vector(t, "v_cvt_f64_f32", [](float a) { return static_cast<double>(a); });
    vector(t, "v_cvt_i32_f32", [](float a) { return truncated<i32>(a); });
    vector(t, "v_cvt_u32_f32", [](float a) { return truncated<u32>(a); });
    vector(t, "v_cvt_i32_f64", [](double a) { return truncated<i32>(a); });
    vector(t, "v_cvt_u32_f64", [](double a) { return truncated<u32>(a); });
}

} // namespace

void add_real_words(Table &table)
{
    add_arithmetic<float>(table, "f32");
    add_arithmetic<double>(table, "f64");
    vector(table, "v_sub_f32", [](float a, float b) { return number(a - b, a, b); });
    vector(table, "v_subrev_f32", [](float a, float b) { return number(b - a, a, b); });
    // The constant is the second operand.
    vector(table, "v_fmamk_f32",
           [](float a, float k, float c) { return number(std::fma(a, k, c), a, k, c); });
    vector(table, "v_fmaak_f32",
           [](float a, float b, float k) { return number(std::fma(a, b, k), a, b, k); });
    vector(table, "v_max_f64 v_max_num_f64", [](double a, double b) { return std::fmax(a, b); });
    // Rounds twice, and knows no denormal numbers.
    vector(table, "v_madmk_f32", [](float a, float k, float c) {
        return number(flushed(flushed(flushed(a) * flushed(k)) + flushed(c)), a, k, c);
    });
    add_conversions(table);
}

} // namespace isa
} // namespace vmafgpu
