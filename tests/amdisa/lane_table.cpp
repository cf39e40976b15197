// SPDX-License-Identifier: BSD-2-Clause-Patent
// Vector words with carries or masks, those that know their lane, and packed ones.
#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;

/// formula(a, b, carry) gives 33 bits; `takes`: the third source is a mask of carries.
template <typename F> void carrying(Table &table, const char *names, bool takes, const F &formula)
{
    Word word = word_of(Unit::kVector, 2, {Type::kU32, Type::kU32, Type::kU32});
    if (!takes)
        word.types[2] = Type::kNone;
    special(table, names, word, [formula](auto &wave, const Inst &inst) {
        constexpr int kLanes = kLanesOf<decltype(wave)>;
        Lanes<kLanes, u32> a, b;
        Lanes<kLanes, uint8_t> carry;
        read<u32, kLanes>(wave, inst, 0, a);
        read<u32, kLanes>(wave, inst, 1, b);
        const u64 in =
            inst.from[2].kind == Operand::Kind::kScalar ? wave.read_mask(inst.from[2].index) : 0;
        for (int i = 0; i < kLanes; ++i) {
            const u64 sum = formula(a.at[i], b.at[i], in >> i & 1);
            a.at[i] = static_cast<u32>(sum);
            carry.at[i] = static_cast<uint8_t>(sum >> 32 & 1);
        }
        const u64 out = mask_of<kLanes>(carry, wave.exec());
        write<u32, kLanes>(wave, inst, a);
        wave.write_mask(inst.to[1].index, out);
    });
}

/// 32 by 32 bits and 64 bits: (dst, carries, a, b, c).
template <typename Int> void multiply_add(Table &table, const char *names)
{
    using Wide = std::conditional_t<std::is_signed_v<Int>, int64_t, uint64_t>;
    special(table, names,
            word_of(Unit::kVector, 2, {type_of<Int>(), type_of<Int>(), type_of<Wide>()}),
            [](auto &wave, const Inst &inst) {
                constexpr int kLanes = kLanesOf<decltype(wave)>;
                Lanes<kLanes, Int> a, b;
                Lanes<kLanes, u64> c;
                Lanes<kLanes, uint8_t> carry;
                read<Int, kLanes>(wave, inst, 0, a);
                read<Int, kLanes>(wave, inst, 1, b);
                read<u64, kLanes>(wave, inst, 2, c);
                for (int i = 0; i < kLanes; ++i) {
                    const u64 product = static_cast<u64>(Wide{a.at[i]} * Wide{b.at[i]});
                    c.at[i] += product;
                    carry.at[i] = c.at[i] < product;
                }
                write<u64, kLanes>(wave, inst, c);
                // The signed word's result there is not documented.
                wave.write_mask(inst.to[1].index, std::is_signed_v<Int>
                                                      ? wave.random.next()
                                                      : mask_of<kLanes>(carry, wave.exec()));
            });
}

void add_carries(Table &t)
{
    carrying(t, "v_add_co_u32", false, [](u64 a, u64 b, u64) { return a + b; });
    carrying(t, "v_addc_co_u32 v_add_co_ci_u32", true,
             [](u64 a, u64 b, u64 carry) { return a + b + carry; });
    carrying(t, "v_sub_co_u32", false, [](u64 a, u64 b, u64) { return a - b; });
    carrying(t, "v_subrev_co_u32", false, [](u64 a, u64 b, u64) { return b - a; });
    carrying(t, "v_subb_co_u32 v_sub_co_ci_u32", true,
             [](u64 a, u64 b, u64 carry) { return a - b - carry; });
    carrying(t, "v_subbrev_co_u32 v_subrev_co_ci_u32", true,
             [](u64 a, u64 b, u64 carry) { return b - a - carry; });
    multiply_add<u32>(t, "v_mad_u64_u32 v_mad_co_u64_u32");
    multiply_add<i32>(t, "v_mad_i64_i32 v_mad_co_i64_i32");
}

unsigned first_lane(u64 exec)
{
    return exec == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(exec));
}

void add_lanes(Table &t)
{
    special(t, "v_cndmask_b32", word_of(Unit::kVector, 1, {Type::kU32, Type::kU32, Type::kU32}),
            [](auto &wave, const Inst &inst) {
                constexpr int kLanes = kLanesOf<decltype(wave)>;
                Lanes<kLanes, float> a, b; // read as floats, since the only modifiers are signs
                read<float, kLanes>(wave, inst, 0, a);
                read<float, kLanes>(wave, inst, 1, b);
                const u64 mask = wave.read_mask(inst.from[2].index);
                Lanes<kLanes, u32> result;
                for (int i = 0; i < kLanes; ++i)
                    result.at[i] = bits_as<u32>((mask >> i & 1) != 0 ? b.at[i] : a.at[i]);
                write<u32, kLanes>(wave, inst, result);
            });
    special(t, "v_readfirstlane_b32", word_of(Unit::kVector, 1, {Type::kU32}),
            [](auto &wave, const Inst &inst) {
                const Operand &from = inst.from[0];
                wave.write32(inst.to[0].index,
                             from.is_vector() ? wave.vectors[from.index][first_lane(wave.exec())]
                                              : scalar_bits<u32>(wave, from));
            });
    special(t, "v_readlane_b32", word_of(Unit::kVector, 1, {Type::kU32, Type::kU32}),
            [](auto &wave, const Inst &inst) {
                const u32 lane = scalar_bits<u32>(wave, inst.from[1]) & (wave.size - 1);
                wave.write32(inst.to[0].index, wave.vectors[inst.from[0].index][lane]);
            });
    special(t, "v_writelane_b32", word_of(Unit::kVector, 1, {Type::kU32, Type::kU32}),
            [](auto &wave, const Inst &inst) {
                const u32 lane = scalar_bits<u32>(wave, inst.from[1]) & (wave.size - 1);
                wave.vectors[inst.to[0].index][lane] = scalar_bits<u32>(wave, inst.from[0]);
            });
}

/// Bits of the mask below the lane: in lanes [first, first + 32).
template <int First> void counting(Table &table, const char *name)
{
    special(table, name, word_of(Unit::kVector, 1, {Type::kU32, Type::kU32}),
            [](auto &wave, const Inst &inst) {
                constexpr int kLanes = kLanesOf<decltype(wave)>;
                Lanes<kLanes, u32> mask, sum;
                read<u32, kLanes>(wave, inst, 0, mask);
                read<u32, kLanes>(wave, inst, 1, sum);
                for (int i = 0; i < kLanes; ++i) {
                    const int below = i - First;
                    const u32 bits = below >= 32 ? ~0u : below > 0 ? (1u << below) - 1 : 0;
                    sum.at[i] += static_cast<u32>(__builtin_popcount(mask.at[i] & bits));
                }
                write<u32, kLanes>(wave, inst, sum);
            });
}

/// The register of source k that `choice` has chosen, with a sign of its own.
float part_of(u64 v, unsigned choice, unsigned negate, unsigned k)
{
    const u32 bits = static_cast<u32>(choice >> k & 1 ? v >> 32 : v);
    return bits_as<float>(bits ^ (negate >> k & 1) << 31);
}

/// Two floats in two registers; op_sel chooses the register for the low result,
/// op_sel_hi for the high one.
template <typename F, size_t... I>
void packed_floats(Table &table, const char *name, const F &formula, std::index_sequence<I...>)
{
    Word word = word_of(Unit::kVector, 1);
    ((word.types[I] = Type::kF32), ...);
    special(table, name, word, [formula](auto &wave, const Inst &inst) {
        constexpr int kLanes = kLanesOf<decltype(wave)>;
        Lanes<kLanes, u64> sources[sizeof...(I)];
        (read<u64, kLanes>(wave, inst, I, sources[I]), ...);
        for (int i = 0; i < kLanes; ++i) {
            const auto result = [&](unsigned choice, unsigned negate) {
                return bits_as<u32>(formula(part_of(sources[I].at[i], choice, negate, I)...));
            };
            const u64 high = result(inst.op_sel_hi, inst.neg_hi);
            sources[0].at[i] = result(inst.op_sel, inst.neg_lo) | high << 32;
        }
        write<u64, kLanes>(wave, inst, sources[0]);
    });
}

template <typename F> void packed_pair(Table &table, const char *name, const F &formula)
{
    packed_floats(table, name, formula, std::make_index_sequence<Signature<F>::kCount>());
}

/// A half of a register; op_sel chooses it for the low products or results, op_sel_hi for the high.
u32 half_of(u32 v, unsigned choice, int k)
{
    return (choice >> k & 1 ? v >> 16 : v) & 0xffff;
}

/// c + the two products of halves, modulo 2^32.
template <typename F>
void dot_of_halves(Table &table, const char *name, bool accumulates, const F &product)
{
    Word word = word_of(Unit::kVector, 1, {Type::kU32, Type::kU32, Type::kU32});
    word.accumulates = accumulates;
    special(table, name, word, [product](auto &wave, const Inst &inst) {
        constexpr int kLanes = kLanesOf<decltype(wave)>;
        Lanes<kLanes, u32> a, b, c;
        read<u32, kLanes>(wave, inst, 0, a);
        read<u32, kLanes>(wave, inst, 1, b);
        read<u32, kLanes>(wave, inst, 2, c);
        for (int i = 0; i < kLanes; ++i)
            c.at[i] +=
                product(half_of(a.at[i], inst.op_sel, 0), half_of(b.at[i], inst.op_sel, 1)) +
                product(half_of(a.at[i], inst.op_sel_hi, 0), half_of(b.at[i], inst.op_sel_hi, 1));
        write<u32, kLanes>(wave, inst, c);
    });
}

/// Two halves of one register.
template <typename F> void packed_halves(Table &table, const char *name, const F &formula)
{
    special(table, name, word_of(Unit::kVector, 1, {Type::kU32, Type::kU32}),
            [formula](auto &wave, const Inst &inst) {
                constexpr int kLanes = kLanesOf<decltype(wave)>;
                Lanes<kLanes, u32> a, b;
                read<u32, kLanes>(wave, inst, 0, a);
                read<u32, kLanes>(wave, inst, 1, b);
                for (int i = 0; i < kLanes; ++i) {
                    const u32 low =
                        formula(half_of(a.at[i], inst.op_sel, 0), half_of(b.at[i], inst.op_sel, 1));
                    const u32 high = formula(half_of(a.at[i], inst.op_sel_hi, 0),
                                             half_of(b.at[i], inst.op_sel_hi, 1));
                    a.at[i] = (low & 0xffff) | high << 16;
                }
                write<u32, kLanes>(wave, inst, a);
            });
}

/// (first register of source 0, of source 1), each chosen by op_sel.
void add_packed_move(Table &table)
{
    special(table, "v_pk_mov_b32", word_of(Unit::kVector, 1, {Type::kU64, Type::kU64}),
            [](auto &wave, const Inst &inst) {
                constexpr int kLanes = kLanesOf<decltype(wave)>;
                Lanes<kLanes, u64> a, b;
                read<u64, kLanes>(wave, inst, 0, a);
                read<u64, kLanes>(wave, inst, 1, b);
                for (int i = 0; i < kLanes; ++i) {
                    const u64 low = inst.op_sel & 1 ? a.at[i] >> 32 : a.at[i] & 0xffffffff;
                    const u64 high = inst.op_sel & 2 ? b.at[i] >> 32 : b.at[i] & 0xffffffff;
                    a.at[i] = low | high << 32;
                }
                write<u64, kLanes>(wave, inst, a);
            });
}

} // namespace

void add_lane_words(Table &table)
{
    add_carries(table);
    add_lanes(table);
    counting<0>(table, "v_mbcnt_lo_u32_b32");
    counting<32>(table, "v_mbcnt_hi_u32_b32");
}

void add_packed_words(Table &table)
{
    packed_pair(table, "v_pk_mul_f32", [](float a, float b) { return number(a * b, a, b); });
    packed_pair(table, "v_pk_add_f32", [](float a, float b) { return number(a + b, a, b); });
    packed_pair(table, "v_pk_fma_f32",
                [](float a, float b, float c) { return number(std::fma(a, b, c), a, b, c); });
    packed_halves(table, "v_pk_mul_lo_u16", [](u32 a, u32 b) { return a * b; });
    packed_halves(table, "v_pk_sub_i16", [](u32 a, u32 b) { return a - b; });
    add_packed_move(table);
    const auto product = [](u32 a, u32 b) {
        return a * b;
    };
    const auto signed_product = [](u32 a, u32 b) {
        return static_cast<u32>(static_cast<int16_t>(a) * static_cast<int16_t>(b));
    };
    dot_of_halves(table, "v_dot2_u32_u16", false, product);
    dot_of_halves(table, "v_dot2_i32_i16", false, signed_product);
    dot_of_halves(table, "v_dot2c_i32_i16", true, signed_product);
    add_matrix_words(table);
}

} // namespace isa
} // namespace vmafgpu
