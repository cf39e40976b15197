// SPDX-License-Identifier: BSD-2-Clause-Patent
// Vector words that compare: each is there with a mask as result and, as v_cmpx, with the
// lanes that are on.
#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

template <typename T> void add_common(Table &t, const std::string &type)
{
    compare(t, "lt_" + type, [](T a, T b) { return a < b; });
    compare(t, "eq_" + type, [](T a, T b) { return a == b; });
    compare(t, "le_" + type, [](T a, T b) { return a <= b; });
    compare(t, "gt_" + type, [](T a, T b) { return a > b; });
    compare(t, "ge_" + type, [](T a, T b) { return a >= b; });
}

template <typename T> void add_integers(Table &t, const std::string &type)
{
    add_common<T>(t, type);
    compare(t, "ne_" + type, [](T a, T b) { return a != b; });
}

template <typename T> void add_reals(Table &t, const std::string &type)
{
    add_common<T>(t, type);
    compare(t, "lg_" + type, [](T a, T b) { return a < b || a > b; });
    compare(t, "o_" + type, [](T a, T b) { return a == a && b == b; });
    compare(t, "u_" + type, [](T a, T b) { return a != a || b != b; });
    compare(t, "nlt_" + type, [](T a, T b) { return !(a < b); });
    compare(t, "nle_" + type, [](T a, T b) { return !(a <= b); });
    compare(t, "ngt_" + type, [](T a, T b) { return !(a > b); });
    compare(t, "nge_" + type, [](T a, T b) { return !(a >= b); });
    compare(t, "nlg_" + type, [](T a, T b) { return !(a < b || a > b); });
    compare(t, "neq_" + type, [](T a, T b) { return a != b; });
}

/// Returns one bit of ten: signalling and quiet NaN, then from minus to plus infinity.
uint32_t class_of(double v)
{
    const auto bits = bits_as<uint64_t>(v);
    const uint64_t exponent = bits >> 52 & 0x7ff, fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0x7ff && fraction != 0)
        return (fraction >> 51) != 0 ? 2 : 1;
    const unsigned size = exponent == 0x7ff ? 3 : exponent != 0 ? 2 : fraction != 0 ? 1 : 0;
    return (bits >> 63) != 0 ? 1u << (5 - size) : 1u << (6 + size);
}

} // namespace

void add_compare_words(Table &table)
{
    add_integers<int16_t>(table, "i16");
    add_integers<uint16_t>(table, "u16");
    add_integers<int32_t>(table, "i32");
    add_integers<uint32_t>(table, "u32");
    add_integers<int64_t>(table, "i64");
    add_integers<uint64_t>(table, "u64");
    add_reals<float>(table, "f32");
    add_reals<double>(table, "f64");
    compare(table, "class_f64",
            [](double a, uint32_t classes) { return (class_of(a) & classes) != 0; });
}

} // namespace isa
} // namespace vmafgpu
