// SPDX-License-Identifier: BSD-2-Clause-Patent
// Vector words of division: estimates and the three words of the division that compilers
// expand to. An estimate gets an error up to the documented bound, other for each value: what
// needs a better one shows. The bounds are 1 unit in the last place for floats and 2^29
// units for doubles. Where the documents contradict themselves (both scales of a quotient
// that is too small), the words here are such that the expansion divides correctly.
#include <limits>

#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

uint64_t mixed(uint64_t v)
{
    v = (v ^ v >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ v >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return v ^ v >> 32;
}

template <typename T> struct Shape;
template <> struct Shape<float> {
    using Bits = uint32_t;
    using Wider = double;
    static constexpr int kFraction = 23, kScale = 64, kFar = 96, kTiny = 23, kUnderflow = -150;
    static constexpr int kMaxExponent = 255;
};
template <> struct Shape<double> {
    using Bits = uint64_t;
    using Wider = long double;
    static constexpr int kFraction = 52, kScale = 128, kFar = 768, kTiny = 53, kUnderflow = -1075;
    static constexpr int kMaxExponent = 2047;
};

template <typename T> int exponent(T v)
{
    return static_cast<int>(bits_as<typename Shape<T>::Bits>(v) >> Shape<T>::kFraction) &
           Shape<T>::kMaxExponent;
}

template <typename T, typename Wider> bool is_denormal(Wider v)
{
    return v != 0 && std::fabs(v) < static_cast<Wider>(std::numeric_limits<T>::min());
}

/// Some float at most one unit from `exact`.
float near(double exact)
{
    const auto nearest = static_cast<float>(exact);
    if (!std::isfinite(nearest) || nearest == 0)
        return nearest;
    const float up = std::nextafter(nearest, std::numeric_limits<float>::infinity());
    const float down = std::nextafter(nearest, -std::numeric_limits<float>::infinity());
    switch (mixed(bits_as<uint64_t>(exact)) % 3) {
    case 0:
        return exact >= nearest ? up : nearest;
    case 1:
        return exact <= nearest ? down : nearest;
    default:
        return nearest;
    }
}

/// Returns a double at most 2^29 units away from `exact`.
double near_double(double exact)
{
    if (!std::isfinite(exact) || exact == 0 || is_denormal<double>(exact))
        return exact;
    const auto bits = bits_as<uint64_t>(exact);
    const int64_t error = static_cast<int64_t>(mixed(bits) >> 34) - (INT64_C(1) << 29);
    return bits_as<double>(bits + static_cast<uint64_t>(error));
}

/// Returns an estimate as for a float, which knows no denormal numbers.
float reciprocal(float v)
{
    if (is_denormal<float>(v))
        v = std::copysign(0.0f, v);
    const float result = near(1.0 / static_cast<double>(v));
    return is_denormal<float>(result) ? std::copysign(0.0f, result) : number(result, v);
}

template <typename T> struct Scaled {
    T value;
    bool is_marked;
};

template <typename T> Scaled<T> scaled(T v, T denominator, T numerator)
{
    using S = Shape<T>;
    using Wider = typename S::Wider;
    if (numerator == 0 || denominator == 0)
        return {std::numeric_limits<T>::quiet_NaN(), false};
    const T up = std::ldexp(v, S::kScale), down = std::ldexp(v, -S::kScale);
    const Wider inverse = Wider{1} / static_cast<Wider>(denominator);
    const Wider quotient = static_cast<Wider>(numerator) / static_cast<Wider>(denominator);
    if (exponent(numerator) - exponent(denominator) >= S::kFar)
        return {v == denominator ? up : v, true};
    if (is_denormal<T>(denominator))
        return {up, false};
    if (is_denormal<T>(inverse) && is_denormal<T>(quotient))
        return {v == denominator ? down : v, true};
    if (is_denormal<T>(inverse))
        return {down, false};
    if (is_denormal<T>(quotient))
        return {v == numerator ? up : v, true};
    return {exponent(numerator) <= S::kTiny ? up : v, false};
}

template <typename T> T unscaled(T a, T b, T c, bool is_marked)
{
    const T result = number(std::fma(a, b, c), a, b, c);
    if (!is_marked)
        return result;
    const bool is_large = exponent(c) > Shape<T>::kMaxExponent / 2;
    return std::ldexp(result, is_large ? Shape<T>::kScale : -Shape<T>::kScale);
}

template <typename T> T fixed_up(T quotient, T denominator, T numerator)
{
    using S = Shape<T>;
    const bool is_negative = std::signbit(denominator) != std::signbit(numerator);
    const T sign = is_negative ? T{-1} : T{1};
    const T infinite = std::numeric_limits<T>::infinity();
    if (numerator != numerator || denominator != denominator)
        return number(std::numeric_limits<T>::quiet_NaN(), numerator, denominator);
    if ((numerator == 0 && denominator == 0) || (std::isinf(numerator) && std::isinf(denominator)))
        return -std::numeric_limits<T>::quiet_NaN();
    if (denominator == 0 || std::isinf(numerator))
        return sign * infinite;
    if (std::isinf(denominator) || numerator == 0)
        return sign * T{0};
    if (exponent(numerator) - exponent(denominator) < S::kUnderflow)
        return sign * T{0};
    return std::copysign(quotient, sign);
}

template <typename T> void add_division(Table &t, const std::string &type)
{
    const Type kind = type_of<T>();
    special(t, ("v_div_scale_" + type).c_str(), word_of(Unit::kVector, 2, {kind, kind, kind}),
            [](auto &wave, const Inst &inst) {
                constexpr int kLanes = kLanesOf<decltype(wave)>;
                Lanes<kLanes, T> v, denominator, numerator;
                Lanes<kLanes, uint8_t> marks;
                read<T, kLanes>(wave, inst, 0, v);
                read<T, kLanes>(wave, inst, 1, denominator);
                read<T, kLanes>(wave, inst, 2, numerator);
                for (int i = 0; i < kLanes; ++i) {
                    const auto result = scaled(v.at[i], denominator.at[i], numerator.at[i]);
                    v.at[i] = result.value;
                    marks.at[i] = result.is_marked;
                }
                write<T, kLanes>(wave, inst, v);
                wave.write_mask(inst.to[1].index, mask_of<kLanes>(marks, wave.exec()));
            });
    Word fmas = word_of(Unit::kVector, 1, {kind, kind, kind});
    fmas.reads_vcc = true;
    special(t, ("v_div_fmas_" + type).c_str(), fmas, [](auto &wave, const Inst &inst) {
        constexpr int kLanes = kLanesOf<decltype(wave)>;
        Lanes<kLanes, T> a, b, c;
        read<T, kLanes>(wave, inst, 0, a);
        read<T, kLanes>(wave, inst, 1, b);
        read<T, kLanes>(wave, inst, 2, c);
        const uint64_t marks = wave.read_mask(kVcc);
        for (int i = 0; i < kLanes; ++i)
            a.at[i] = unscaled(a.at[i], b.at[i], c.at[i], (marks >> i & 1) != 0);
        write<T, kLanes>(wave, inst, a);
    });
    vector(t, ("v_div_fixup_" + type).c_str(), [](T a, T b, T c) { return fixed_up(a, b, c); });
}

} // namespace

void add_division_words(Table &table)
{
    add_division<float>(table, "f32");
    add_division<double>(table, "f64");
    vector(table, "v_rcp_f32 v_rcp_iflag_f32", [](float a) { return reciprocal(a); });
    vector(table, "v_rcp_f64", [](double a) { return near_double(number(1 / a, a)); });
    vector(table, "v_rsq_f64", [](double a) { return near_double(number(1 / std::sqrt(a), a)); });
}

} // namespace isa
} // namespace vmafgpu
