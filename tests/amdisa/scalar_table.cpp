// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scalar words. A formula's first parameter is the condition code.

#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using i16 = int16_t;

u32 add(bool &scc, u32 a, u32 b, u32 carry)
{
    const u64 sum = u64{a} + b + carry;
    scc = sum >> 32 != 0;
    return static_cast<u32>(sum);
}

u32 subtract(bool &scc, u32 a, u32 b, u32 borrow)
{
    scc = u64{b} + borrow > a;
    return a - b - borrow;
}

/// Sets the condition to signed overflow.
i32 narrowed(bool &scc, i64 exact)
{
    scc = exact != static_cast<i32>(exact);
    return static_cast<i32>(exact);
}

template <typename T> T tested(bool &scc, T result)
{
    scc = result != 0;
    return result;
}

void add_sums(Table &t)
{
    scalar(t, "s_add_u32 s_add_co_u32", [](bool &scc, u32 a, u32 b) { return add(scc, a, b, 0); });
    scalar(t, "s_addc_u32 s_add_co_ci_u32",
           [](bool &scc, u32 a, u32 b) { return add(scc, a, b, scc); });
    scalar(t, "s_sub_u32 s_sub_co_u32",
           [](bool &scc, u32 a, u32 b) { return subtract(scc, a, b, 0); });
    scalar(t, "s_subb_u32 s_sub_co_ci_u32",
           [](bool &scc, u32 a, u32 b) { return subtract(scc, a, b, scc); });
    scalar(t, "s_add_i32 s_add_co_i32",
           [](bool &scc, i32 a, i32 b) { return narrowed(scc, i64{a} + b); });
    scalar(t, "s_sub_i32 s_sub_co_i32",
           [](bool &scc, i32 a, i32 b) { return narrowed(scc, i64{a} - b); });
    scalar_short(t, "s_addk_i32 s_addk_co_i32",
                 [](bool &scc, i16 k, i32 a) { return narrowed(scc, i64{a} + k); });
    scalar(t, "s_add_nc_u64", [](bool &, u64 a, u64 b) { return a + b; });
    scalar(t, "s_sub_nc_u64", [](bool &, u64 a, u64 b) { return a - b; });
    scalar(t, "s_mul_i32", [](bool &, u32 a, u32 b) { return a * b; });
    scalar(t, "s_mul_u64", [](bool &, u64 a, u64 b) { return a * b; });
    scalar(t, "s_mul_hi_u32",
           [](bool &, u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
    scalar(t, "s_mul_hi_i32",
           [](bool &, i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); });
    scalar_short(t, "s_mulk_i32",
                 [](bool &, i16 k, i32 a) { return static_cast<i32>(i64{a} * k); });
    scalar(t, "s_min_i32", [](bool &scc, i32 a, i32 b) {
        scc = a < b;
        return scc ? a : b;
    });
    scalar(t, "s_max_i32", [](bool &scc, i32 a, i32 b) {
        scc = a >= b;
        return scc ? a : b;
    });
    scalar(t, "s_abs_i32",
           [](bool &scc, u32 a) { return tested(scc, (a >> 31) != 0 ? 0 - a : a); });
}

void add_moves(Table &t)
{
    scalar(t, "s_mov_b32", [](bool &, u32 a) { return a; });
    scalar(t, "s_mov_b64", [](bool &, u64 a) { return a; });
    scalar(t, "s_movk_i32", [](bool &, i16 k) { return i32{k}; });
    scalar(t, "s_sext_i32_i16", [](bool &, u32 a) { return i32{static_cast<i16>(a)}; });
    scalar(t, "s_cselect_b32", [](bool &scc, u32 a, u32 b) { return scc ? a : b; });
    scalar(t, "s_cselect_b64", [](bool &scc, u64 a, u64 b) { return scc ? a : b; });
    scalar_short(t, "s_bitset1_b32", [](bool &, u32 bit, u32 a) { return a | 1u << (bit & 31); });
}

void add_bits(Table &t)
{
    scalar(t, "s_and_b32", [](bool &scc, u32 a, u32 b) { return tested(scc, a & b); });
    scalar(t, "s_and_b64", [](bool &scc, u64 a, u64 b) { return tested(scc, a & b); });
    scalar(t, "s_or_b32", [](bool &scc, u32 a, u32 b) { return tested(scc, a | b); });
    scalar(t, "s_or_b64", [](bool &scc, u64 a, u64 b) { return tested(scc, a | b); });
    scalar(t, "s_xor_b32", [](bool &scc, u32 a, u32 b) { return tested(scc, a ^ b); });
    scalar(t, "s_xor_b64", [](bool &scc, u64 a, u64 b) { return tested(scc, a ^ b); });
    scalar(t, "s_andn2_b32 s_and_not1_b32",
           [](bool &scc, u32 a, u32 b) { return tested(scc, a & ~b); });
    scalar(t, "s_andn2_b64 s_and_not1_b64",
           [](bool &scc, u64 a, u64 b) { return tested(scc, a & ~b); });
    scalar(t, "s_orn2_b32 s_or_not1_b32",
           [](bool &scc, u32 a, u32 b) { return tested(scc, a | ~b); });
    scalar(t, "s_orn2_b64 s_or_not1_b64",
           [](bool &scc, u64 a, u64 b) { return tested(scc, a | ~b); });
    scalar(t, "s_not_b32", [](bool &scc, u32 a) { return tested(scc, ~a); });
    scalar(t, "s_not_b64", [](bool &scc, u64 a) { return tested(scc, ~a); });
    scalar(t, "s_lshl_b32", [](bool &scc, u32 a, u32 b) { return tested(scc, a << (b & 31)); });
    scalar(t, "s_lshl_b64", [](bool &scc, u64 a, u32 b) { return tested(scc, a << (b & 63)); });
    scalar(t, "s_lshr_b32", [](bool &scc, u32 a, u32 b) { return tested(scc, a >> (b & 31)); });
    scalar(t, "s_lshr_b64", [](bool &scc, u64 a, u32 b) { return tested(scc, a >> (b & 63)); });
    scalar(t, "s_ashr_i32", [](bool &scc, i32 a, u32 b) { return tested(scc, a >> (b & 31)); });
    scalar(t, "s_ashr_i64", [](bool &scc, i64 a, u32 b) { return tested(scc, a >> (b & 63)); });
}

void add_fields(Table &t)
{
    scalar(t, "s_bfe_u32", [](bool &scc, u32 a, u32 b) {
        const unsigned width = b >> 16 & 127;
        const u64 mask = width >= 32 ? 0xffffffff : (u64{1} << width) - 1;
        return tested(scc, static_cast<u32>(a >> (b & 31) & mask));
    });
    scalar(t, "s_bfe_i32", [](bool &scc, i32 a, u32 b) {
        const unsigned width = b >> 16 & 127;
        const auto shifted = static_cast<u32>(a >> (b & 31));
        if (width == 0)
            return tested(scc, i32{0});
        const unsigned up = width >= 32 ? 0 : 32 - width;
        return tested(scc, static_cast<i32>(shifted << up) >> up);
    });
    scalar(t, "s_bfe_i64", [](bool &scc, i64 a, u32 b) {
        const unsigned width = b >> 16 & 127;
        const auto shifted = static_cast<u64>(a >> (b & 63));
        if (width == 0)
            return tested(scc, i64{0});
        const unsigned up = width >= 64 ? 0 : 64 - width;
        return tested(scc, static_cast<i64>(shifted << up) >> up);
    });
    scalar(t, "s_brev_b32", [](bool &, u32 a) {
        u32 result = 0;
        for (int i = 0; i < 32; ++i)
            result |= (a >> i & 1) << (31 - i);
        return result;
    });
    scalar(t, "s_bcnt1_i32_b32",
           [](bool &scc, u32 a) { return tested(scc, __builtin_popcount(a)); });
    scalar(t, "s_bcnt1_i32_b64",
           [](bool &scc, u64 a) { return tested(scc, __builtin_popcountll(a)); });
    scalar(t, "s_ff1_i32_b32 s_ctz_i32_b32",
           [](bool &, u32 a) { return a == 0 ? -1 : __builtin_ctz(a); });
    scalar(t, "s_ff1_i32_b64 s_ctz_i32_b64",
           [](bool &, u64 a) { return a == 0 ? -1 : __builtin_ctzll(a); });
}

template <typename T> void add_compares(Table &t, const std::string &type)
{
    const auto name = [&](const char *what) {
        return "s_cmp_" + (what + type);
    };
    scalar(t, name("eq_").c_str(), [](bool &scc, T a, T b) { scc = a == b; });
    scalar(t, name(std::is_floating_point_v<T> ? "neq_" : "lg_").c_str(),
           [](bool &scc, T a, T b) { scc = a != b; });
    if (sizeof(T) == 8)
        return; // this target has no other words
    scalar(t, name("lt_").c_str(), [](bool &scc, T a, T b) { scc = a < b; });
    scalar(t, name("le_").c_str(), [](bool &scc, T a, T b) { scc = a <= b; });
    scalar(t, name("gt_").c_str(), [](bool &scc, T a, T b) { scc = a > b; });
    scalar(t, name("ge_").c_str(), [](bool &scc, T a, T b) { scc = a >= b; });
}

/// Scalar floating point, of GFX12 here.
void add_reals(Table &t)
{
    add_compares<float>(t, "f32");
    scalar(t, "s_cmp_lg_f32", [](bool &scc, float a, float b) { scc = a < b || a > b; });
    scalar(t, "s_cmp_nge_f32", [](bool &scc, float a, float b) { scc = !(a >= b); });
    scalar(t, "s_cmp_ngt_f32", [](bool &scc, float a, float b) { scc = !(a > b); });
    scalar(t, "s_add_f32", [](bool &, float a, float b) { return number(a + b, a, b); });
    scalar(t, "s_sub_f32", [](bool &, float a, float b) { return number(a - b, a, b); });
    scalar(t, "s_mul_f32", [](bool &, float a, float b) { return number(a * b, a, b); });
    scalar(t, "s_cvt_f32_i32", [](bool &, i32 a) { return static_cast<float>(a); });
    scalar(t, "s_cvt_f32_u32", [](bool &, u32 a) { return static_cast<float>(a); });
    scalar(t, "s_cvt_u32_f32", [](bool &, float a) {
        return !(a > 0) ? 0 : a >= 0x1p+32f ? ~0u : static_cast<u32>(a);
    });
}

/// dst = EXEC; EXEC = formula(source, EXEC).
template <typename F> void saving(Table &table, const char *names, Type type, const F &formula)
{
    special(table, names, word_of(Unit::kScalar, 1, {type}),
            [formula](auto &wave, const Inst &inst) {
                const Operand &from = inst.from[0];
                const u64 old = wave.exec();
                const u64 mask = from.is_constant() ? from.bits : wave.read_mask(from.index);
                const u64 exec = formula(mask, old) & wave.full;
                wave.write_mask(inst.to[0].index, old);
                wave.write_mask(kExec, exec);
                wave.scc = exec != 0;
            });
}

} // namespace

void add_scalar_words(Table &table)
{
    add_sums(table);
    add_moves(table);
    add_bits(table);
    add_fields(table);
    add_compares<i32>(table, "i32");
    add_compares<u32>(table, "u32");
    add_compares<u64>(table, "u64");
    add_reals(table);
    scalar(table, "s_cmpk_eq_i32", [](bool &scc, i32 a, i16 k) { scc = a == k; });
    scalar(table, "s_cmpk_gt_i32", [](bool &scc, i32 a, i16 k) { scc = a > k; });
    scalar(table, "s_cmpk_gt_u32",
           [](bool &scc, u32 a, i16 k) { scc = a > static_cast<uint16_t>(k); });
    scalar(table, "s_cmpk_lt_i32", [](bool &scc, i32 a, i16 k) { scc = a < k; });
    scalar(table, "s_bitcmp0_b32", [](bool &scc, u32 a, u32 b) { scc = (a >> (b & 31) & 1) == 0; });
    scalar(table, "s_bitcmp1_b32", [](bool &scc, u32 a, u32 b) { scc = (a >> (b & 31) & 1) != 0; });
    for (const bool is_wide : {false, true}) {
        const Type type = is_wide ? Type::kU64 : Type::kU32;
        const auto name = [&](const char *text) {
            return std::string(text) + (is_wide ? "_saveexec_b64" : "_saveexec_b32");
        };
        saving(table, name("s_and").c_str(), type, [](u64 a, u64 exec) { return a & exec; });
        saving(table, name("s_or").c_str(), type, [](u64 a, u64 exec) { return a | exec; });
        const std::string both = name("s_andn2") + " " + name("s_and_not1");
        saving(table, both.c_str(), type, [](u64 a, u64 exec) { return a & ~exec; });
    }
}

} // namespace isa
} // namespace vmafgpu
