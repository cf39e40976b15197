// SPDX-License-Identifier: BSD-2-Clause-Patent
// Vector words of integers of 16 and 32 bits, and of 64 bits without carries.
#include <algorithm>

#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

u32 low24(u32 v)
{
    return v & 0xffffff;
}

i64 signed24(u32 v)
{
    return static_cast<i32>(v << 8) >> 8;
}

u32 leading_zeros(u32 v)
{
    return v == 0 ? ~0u : static_cast<u32>(__builtin_clz(v));
}

/// Places before the first bit that differs from the sign.
u32 leading_signs(i32 v)
{
    return leading_zeros(static_cast<u32>(v < 0 ? ~v : v));
}

u32 reversed(u32 v)
{
    u32 result = 0;
    for (int i = 0; i < 32; ++i)
        result |= (v >> i & 1) << (31 - i);
    return result;
}

/// Byte of {a, b} that one byte of the selector asks for.
u32 permuted_byte(u32 a, u32 b, u32 which)
{
    const u64 both = static_cast<u64>(a) << 32 | b;
    if (which < 8)
        return static_cast<u32>(both >> (8 * which)) & 0xff;
    if (which < 12)
        return (both >> (16 * (which - 8) + 15) & 1) != 0 ? 0xff : 0;
    return which == 12 ? 0 : 0xff;
}

u32 permuted(u32 a, u32 b, u32 selector)
{
    u32 result = 0;
    for (int i = 0; i < 32; i += 8)
        result |= permuted_byte(a, b, selector >> i & 0xff) << i;
    return result;
}

u32 field(u32 v, u32 offset, u32 width)
{
    return v >> (offset & 31) & ((1u << (width & 31)) - 1);
}

i32 signed_field(u32 v, u32 offset, u32 width)
{
    width &= 31;
    const u32 bits = field(v, offset, width);
    return width == 0 ? 0 : static_cast<i32>(bits << (32 - width)) >> (32 - width);
}

void add_sums(Table &t)
{
    clamping(
        t, "v_add_u32 v_add_nc_u32", [](u32 a, u32 b) { return a + b; },
        [](u32 a, u32 b) { return a + b < a ? ~0u : a + b; });
    clamping(
        t, "v_sub_u32 v_sub_nc_u32", [](u32 a, u32 b) { return a - b; },
        [](u32 a, u32 b) { return a < b ? 0 : a - b; });
    clamping(
        t, "v_subrev_u32 v_subrev_nc_u32", [](u32 a, u32 b) { return b - a; },
        [](u32 a, u32 b) { return b < a ? 0 : b - a; });
    vector(t, "v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; });
    vector(t, "v_add_lshl_u32", [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); });
    vector(t, "v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; });
    vector(t, "v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; });
    vector(t, "v_max_i32", [](i32 a, i32 b) { return std::max(a, b); });
    vector(t, "v_min_i32", [](i32 a, i32 b) { return std::min(a, b); });
    vector(t, "v_max_u32", [](u32 a, u32 b) { return std::max(a, b); });
    vector(t, "v_min_u32", [](u32 a, u32 b) { return std::min(a, b); });
    vector(t, "v_min3_u32", [](u32 a, u32 b, u32 c) { return std::min({a, b, c}); });
    vector(t, "v_minmax_i32", [](i32 a, i32 b, i32 c) { return std::max(std::min(a, b), c); });
    vector(t, "v_max3_i32", [](i32 a, i32 b, i32 c) { return std::max({a, b, c}); });
    vector(t, "v_med3_i32", [](i32 a, i32 b, i32 c) {
        return std::max(std::min(a, b), std::min(std::max(a, b), c));
    });
}

void add_bits(Table &t)
{
    vector(t, "v_mov_b32", [](u32 a) { return a; });
    vector(t, "v_not_b32", [](u32 a) { return ~a; });
    vector(t, "v_and_b32", [](u32 a, u32 b) { return a & b; });
    vector(t, "v_or_b32", [](u32 a, u32 b) { return a | b; });
    vector(t, "v_xor_b32", [](u32 a, u32 b) { return a ^ b; });
    vector(t, "v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; });
    vector(t, "v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; });
    vector(t, "v_lshl_or_b32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; });
    vector(t, "v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); });
    vector(t, "v_lshrrev_b32", [](u32 a, u32 b) { return b >> (a & 31); });
    vector(t, "v_ashrrev_i32", [](u32 a, i32 b) { return b >> (a & 31); });
    vector(t, "v_bfrev_b32", [](u32 a) { return reversed(a); });
    vector(t, "v_ffbh_u32 v_clz_i32_u32", [](u32 a) { return leading_zeros(a); });
    vector(t, "v_ffbh_i32 v_cls_i32", [](i32 a) { return leading_signs(a); });
    vector(t, "v_bfe_u32", [](u32 a, u32 b, u32 c) { return field(a, b, c); });
    vector(t, "v_bfe_i32", [](u32 a, u32 b, u32 c) { return signed_field(a, b, c); });
    vector(t, "v_alignbit_b32", [](u32 a, u32 b, u32 c) {
        return static_cast<u32>((static_cast<u64>(a) << 32 | b) >> (c & 31));
    });
    vector(t, "v_perm_b32", [](u32 a, u32 b, u32 c) { return permuted(a, b, c); });
}

void add_products(Table &t)
{
    vector(t, "v_mul_lo_u32", [](u32 a, u32 b) { return a * b; });
    vector(t, "v_mul_hi_u32",
           [](u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); });
    vector(t, "v_mul_hi_i32",
           [](i32 a, i32 b) { return static_cast<i32>(static_cast<i64>(a) * b >> 32); });
    vector(t, "v_mul_u32_u24", [](u32 a, u32 b) { return low24(a) * low24(b); });
    vector(t, "v_mul_i32_i24",
           [](u32 a, u32 b) { return static_cast<u32>(signed24(a) * signed24(b)); });
    vector(t, "v_mul_hi_i32_i24",
           [](u32 a, u32 b) { return static_cast<u32>(signed24(a) * signed24(b) >> 32); });
    vector(t, "v_mad_u32_u24", [](u32 a, u32 b, u32 c) { return low24(a) * low24(b) + c; });
    vector(t, "v_mad_i32_i24",
           [](u32 a, u32 b, u32 c) { return static_cast<u32>(signed24(a) * signed24(b)) + c; });
}

void add_dots(Table &t)
{
    vector(t, "v_dot4_u32_u8", [](u32 a, u32 b, u32 c) {
        u32 sum = c;
        for (int i = 0; i < 32; i += 8)
            sum += (a >> i & 255) * (b >> i & 255);
        return sum;
    });
}

void add_halves(Table &t)
{
    vector(t, "v_add_u16 v_add_nc_u16", [](u16 a, u16 b) { return static_cast<u16>(a + b); });
    vector(t, "v_sub_u16 v_sub_nc_u16", [](u16 a, u16 b) { return static_cast<u16>(a - b); });
    vector(t, "v_mul_lo_u16", [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); });
    vector(t, "v_lshlrev_b16", [](u16 a, u16 b) { return static_cast<u16>(u32{b} << (a & 15)); });
    vector(t, "v_lshrrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); });
    vector(t, "v_ashrrev_i16", [](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); });
}

} // namespace

void add_integer_words(Table &table)
{
    add_sums(table);
    add_bits(table);
    add_products(table);
    add_dots(table);
    add_halves(table);
}

void add_wide_words(Table &t)
{
    vector(t, "v_mov_b64", [](u64 a) { return a; });
    vector(t, "v_lshlrev_b64", [](u32 a, u64 b) { return b << (a & 63); });
    vector(t, "v_lshrrev_b64", [](u32 a, u64 b) { return b >> (a & 63); });
    vector(t, "v_ashrrev_i64", [](u32 a, i64 b) { return b >> (a & 63); });
    vector(t, "v_lshl_add_u64", [](u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; });
}

} // namespace isa
} // namespace vmafgpu
