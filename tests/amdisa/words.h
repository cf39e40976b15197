// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a formula of one lane becomes a word of the table: sources are read as the types of
// the formula's parameters, with modifiers, its result is written to the lanes that are on.
// Included by the *_table.cpp files only.
#pragma once

#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include "wave.h"

namespace vmafgpu {
namespace isa {

/// A formula's parameter and result types.
template <typename F> struct Signature : Signature<decltype(&F::operator())> {
};
template <typename F, typename R, typename... A> struct Signature<R (F::*)(A...) const> {
    using Result = R;
    static constexpr unsigned kCount = sizeof...(A);
    template <unsigned I> using Argument = std::tuple_element_t<I, std::tuple<A..., int>>;
};

template <typename T> constexpr Type type_of()
{
    if constexpr (std::is_same_v<T, float>)
        return Type::kF32;
    else if constexpr (std::is_same_v<T, double>)
        return Type::kF64;
    else if constexpr (sizeof(T) == 2)
        return std::is_signed_v<T> ? Type::kI16 : Type::kU16;
    else if constexpr (sizeof(T) == 8)
        return std::is_signed_v<T> ? Type::kI64 : Type::kU64;
    else
        return std::is_signed_v<T> ? Type::kI32 : Type::kU32;
}

template <typename To, typename From> To bits_as(From from)
{
    To to{};
    std::memcpy(&to, &from, sizeof(to) < sizeof(from) ? sizeof(to) : sizeof(from));
    return to;
}

template <int W, typename T> struct Lanes {
    alignas(64) T at[W];
};

template <typename T> T scalar_bits(const WaveBase &wave, const Operand &from)
{
    if (from.is_constant())
        return bits_as<T>(from.bits);
    if (from.index == kNull)
        return T{};
    if constexpr (sizeof(T) == 8)
        return bits_as<T>(wave.read64(from.index));
    else
        return bits_as<T>(wave.scalars[from.index]);
}

/// The parts of registers that "sub-dword addressing" selects.
template <int W> void select_lanes(const Operand &from, Lanes<W, uint32_t> &lanes)
{
    const auto at = static_cast<unsigned>(from.select);
    const bool is_word = from.select >= Select::kWord0;
    const unsigned bits = is_word ? 16 : 8;
    const unsigned up = 32 - bits -
                        bits * (is_word ? at - static_cast<unsigned>(Select::kWord0)
                                        : at - static_cast<unsigned>(Select::kByte0));
    for (int lane = 0; lane < W; ++lane) {
        const uint32_t top = lanes.at[lane] << up;
        lanes.at[lane] = from.is_sign_extended
                             ? static_cast<uint32_t>(static_cast<int32_t>(top) >> (32 - bits))
                             : top >> (32 - bits);
    }
}

template <int W, typename T> void modify(const Operand &from, Lanes<W, T> &lanes)
{
    if constexpr (std::is_floating_point_v<T>) {
        // Bits, not arithmetic: a NaN has a sign too.
        using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
        constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
        const Bits keep = from.is_absolute ? ~kSign : ~Bits{0};
        const Bits flip = from.is_negated ? kSign : 0;
        for (int lane = 0; lane < W; ++lane)
            lanes.at[lane] = bits_as<T>((bits_as<Bits>(lanes.at[lane]) & keep) ^ flip);
    }
}

/// Source k of the instruction, for all lanes.
template <typename T, int W> void read(Wave<W> &wave, const Inst &inst, int k, Lanes<W, T> &lanes)
{
    const Operand &from = inst.from[k];
    if (!from.is_vector()) {
        const T value = scalar_bits<T>(wave, from);
        for (int lane = 0; lane < W; ++lane)
            lanes.at[lane] = value;
    } else if constexpr (sizeof(T) == 8) {
        const uint32_t *low = wave.vectors[from.index], *high = wave.vectors[from.index + 1];
        for (int lane = 0; lane < W; ++lane)
            lanes.at[lane] = bits_as<T>(low[lane] | uint64_t{high[lane]} << 32);
    } else if constexpr (sizeof(T) == 2) {
        const unsigned up = inst.op_sel >> k & 1 ? 16 : 0;
        for (int lane = 0; lane < W; ++lane)
            lanes.at[lane] = static_cast<T>(wave.vectors[from.index][lane] >> up);
    } else {
        std::memcpy(lanes.at, wave.vectors[from.index], sizeof(lanes.at));
    }
    if (from.select != Select::kAll) {
        Lanes<W, uint32_t> parts;
        for (int lane = 0; lane < W; ++lane)
            parts.at[lane] = from.is_vector() ? wave.vectors[from.index][lane]
                                              : scalar_bits<uint32_t>(wave, from);
        select_lanes(from, parts);
        for (int lane = 0; lane < W; ++lane)
            lanes.at[lane] = bits_as<T>(parts.at[lane]);
    }
    if (from.is_negated || from.is_absolute)
        modify<W, T>(from, lanes);
}

template <int W> void write_row(Wave<W> &wave, unsigned index, const uint32_t (&values)[W])
{
    uint32_t *to = wave.vectors[index];
    if (wave.all_live()) {
        std::memcpy(to, values, sizeof(values));
        return;
    }
    const uint32_t *live = wave.live();
    for (int lane = 0; lane < W; ++lane)
        to[lane] = (values[lane] & live[lane]) | (to[lane] & ~live[lane]);
}

template <typename T, int W> void write(Wave<W> &wave, const Inst &inst, const Lanes<W, T> &lanes)
{
    const Operand &to = inst.to[0];
    alignas(64) uint32_t row[W];
    if constexpr (sizeof(T) == 8) {
        for (int lane = 0; lane < W; ++lane)
            row[lane] = static_cast<uint32_t>(bits_as<uint64_t>(lanes.at[lane]));
        write_row<W>(wave, to.index, row);
        for (int lane = 0; lane < W; ++lane)
            row[lane] = static_cast<uint32_t>(bits_as<uint64_t>(lanes.at[lane]) >> 32);
        write_row<W>(wave, to.index + 1u, row);
    } else if constexpr (sizeof(T) == 2) {
        // GFX9 clears the other half; later ones keep it.
        const bool is_high = (inst.op_sel & 8) != 0;
        const bool clears = wave.program.generation == 9 && !is_high;
        for (int lane = 0; lane < W; ++lane) {
            const uint32_t old = wave.vectors[to.index][lane];
            const uint32_t value = static_cast<uint16_t>(lanes.at[lane]);
            row[lane] =
                is_high ? (old & 0xffff) | value << 16 : (clears ? 0 : old & 0xffff0000) | value;
        }
        write_row<W>(wave, to.index, row);
    } else {
        std::memcpy(row, lanes.at, sizeof(row));
        write_row<W>(wave, to.index, row);
    }
}

/// Bit of each lane for which `lanes` is not 0, if it is on.
template <int W, typename T> uint64_t mask_of(const Lanes<W, T> &lanes, uint64_t exec)
{
    uint64_t mask = 0;
    for (unsigned lane = 0; lane < W; ++lane)
        mask |= static_cast<uint64_t>(lanes.at[lane] != 0) << lane;
    return mask & exec;
}

/// A NaN that arithmetic makes: of the first source that is one, made quiet, else the default.
template <typename T, typename... A> T number(T result, A... sources)
{
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    constexpr Bits kQuiet = Bits{1} << (sizeof(T) == 8 ? 51 : 22);
    constexpr Bits kDefault = (sizeof(T) == 8 ? Bits{0x7ff} : Bits{0xff})
                              << (sizeof(T) == 8 ? 52 : 23);
    if (result == result)
        return result;
    Bits bits = kDefault;
    for (const T source : {static_cast<T>(sources)...})
        if (source != source && bits == kDefault)
            bits = bits_as<Bits>(source);
    return bits_as<T>(bits | kQuiet);
}

/// Where a formula lives while it is called; it has no members.
template <typename F> struct Formula {
    static inline const F *is = nullptr;
};

// ---- one lane's formula over all lanes

template <int W, typename F, size_t... I>
void run_vector(Wave<W> &wave, const Inst &inst, std::index_sequence<I...>)
{
    using S = Signature<F>;
    using R = typename S::Result;
    std::tuple<Lanes<W, typename S::template Argument<I>>...> sources;
    (read<typename S::template Argument<I>, W>(wave, inst, I, std::get<I>(sources)), ...);
    Lanes<W, R> result;
    const F &formula = *Formula<F>::is;
    for (int lane = 0; lane < W; ++lane)
        result.at[lane] = formula(std::get<I>(sources).at[lane]...);
    if constexpr (std::is_floating_point_v<R>) {
        if (inst.is_clamped)
            for (R &value : result.at)
                value = value > 0 ? (value < 1 ? value : R{1}) : R{0};
    }
    write<R, W>(wave, inst, result);
}

template <int W, typename F> void vector_handler(WaveBase &base, const Inst &inst)
{
    run_vector<W, F>(static_cast<Wave<W> &>(base), inst,
                     std::make_index_sequence<Signature<F>::kCount>());
}

/// A formula that writes a mask of lanes; `IsExec`: to EXEC instead of the destination.
template <int W, typename F, bool IsExec> void compare_handler(WaveBase &base, const Inst &inst)
{
    using S = Signature<F>;
    using A = typename S::template Argument<0>;
    using B = typename S::template Argument<1>;
    auto &wave = static_cast<Wave<W> &>(base);
    Lanes<W, A> a;
    Lanes<W, B> b;
    read<A, W>(wave, inst, 0, a);
    read<B, W>(wave, inst, 1, b);
    Lanes<W, uint8_t> result;
    const F &formula = *Formula<F>::is;
    for (int lane = 0; lane < W; ++lane)
        result.at[lane] = formula(a.at[lane], b.at[lane]);
    const uint64_t mask = mask_of<W>(result, wave.exec());
    if (IsExec)
        wave.write_mask(kExec, mask);
    else
        wave.write_mask(inst.to[0].index, mask);
}

/// (wave, inst, formula) as written: for what is not one lane's business.
template <int W, typename F> void special_handler(WaveBase &base, const Inst &inst)
{
    (*Formula<F>::is)(static_cast<Wave<W> &>(base), inst);
}

template <typename F, size_t... I>
void run_scalar(WaveBase &wave, const Inst &inst, std::index_sequence<I...>)
{
    using S = Signature<F>;
    using R = typename S::Result;
    const F &formula = *Formula<F>::is;
    // The first parameter is the wave's condition code.
    if constexpr (std::is_void_v<R>) {
        formula(wave.scc, scalar_bits<typename S::template Argument<I + 1>>(wave, inst.from[I])...);
    } else {
        const R value = formula(
            wave.scc, scalar_bits<typename S::template Argument<I + 1>>(wave, inst.from[I])...);
        if constexpr (sizeof(R) == 8)
            wave.write64(inst.to[0].index, bits_as<uint64_t>(value));
        else
            wave.write32(inst.to[0].index, bits_as<uint32_t>(value));
    }
}

template <typename F> void scalar_handler(WaveBase &wave, const Inst &inst)
{
    run_scalar<F>(wave, inst, std::make_index_sequence<Signature<F>::kCount - 1>());
}

// ---- adding words; `names` are separated by blanks

void add_word(Table &table, const std::string &names, const Word &word);

template <typename F, size_t... I> Word vector_word(const F &formula, std::index_sequence<I...>)
{
    static const F kept = formula;
    Formula<F>::is = &kept;
    Word word;
    word.run[0] = vector_handler<32, F>;
    word.run[1] = vector_handler<64, F>;
    ((word.types[I] = type_of<typename Signature<F>::template Argument<I>>()), ...);
    return word;
}

template <typename F> void vector(Table &table, const char *names, const F &formula)
{
    add_word(table, names, vector_word(formula, std::make_index_sequence<Signature<F>::kCount>()));
}

/// The last parameter is the destination's old value.
template <typename F> void accumulating(Table &table, const char *names, const F &formula)
{
    Word word = vector_word(formula, std::make_index_sequence<Signature<F>::kCount>());
    word.accumulates = true;
    add_word(table, names, word);
}

/// `saturating` is what the instruction does with "clamp".
template <typename F, typename G>
void clamping(Table &table, const char *names, const F &formula, const G &saturating)
{
    constexpr auto kSources = std::make_index_sequence<Signature<F>::kCount>();
    Word word = vector_word(formula, kSources);
    const Word other = vector_word(saturating, kSources);
    word.clamped[0] = other.run[0];
    word.clamped[1] = other.run[1];
    add_word(table, names, word);
}

template <typename F> void compare(Table &table, const std::string &name, const F &formula)
{
    static const F kept = formula;
    Formula<F>::is = &kept;
    Word word;
    word.run[0] = compare_handler<32, F, false>;
    word.run[1] = compare_handler<64, F, false>;
    word.types[0] = type_of<typename Signature<F>::template Argument<0>>();
    word.types[1] = type_of<typename Signature<F>::template Argument<1>>();
    add_word(table, "v_cmp_" + name, word);
    word.run[0] = compare_handler<32, F, true>;
    word.run[1] = compare_handler<64, F, true>;
    word.destinations = 0;
    add_word(table, "v_cmpx_" + name, word);
}

/// formula(wave, inst), for both wave sizes.
template <typename F> void special(Table &table, const char *names, Word word, const F &formula)
{
    static const F kept = formula;
    Formula<F>::is = &kept;
    word.run[0] = special_handler<32, F>;
    word.run[1] = special_handler<64, F>;
    add_word(table, names, word);
}

template <typename F, size_t... I> Word scalar_word(const F &formula, std::index_sequence<I...>)
{
    static const F kept = formula;
    Formula<F>::is = &kept;
    Word word;
    word.unit = Unit::kScalar;
    word.run[0] = word.run[1] = scalar_handler<F>;
    word.destinations = std::is_void_v<typename Signature<F>::Result> ? 0 : 1;
    ((word.types[I] = type_of<typename Signature<F>::template Argument<I + 1>>()), ...);
    return word;
}

/// formula(scc, sources...).
template <typename F> void scalar(Table &table, const char *names, const F &formula)
{
    add_word(table, names,
             scalar_word(formula, std::make_index_sequence<Signature<F>::kCount - 1>()));
}

/// The destination is the first source too, the constant is of 16 bits.
template <typename F> void scalar_short(Table &table, const char *names, const F &formula)
{
    Word word = scalar_word(formula, std::make_index_sequence<Signature<F>::kCount - 1>());
    word.accumulates = true;
    add_word(table, names, word);
}

inline Word word_of(Unit unit, unsigned destinations, std::initializer_list<Type> types = {})
{
    Word word;
    word.unit = unit;
    word.destinations = static_cast<uint8_t>(destinations);
    int i = 0;
    for (const Type type : types)
        word.types[i++] = type;
    return word;
}

// ---- the parts of the table

void add_integer_words(Table &table);
void add_wide_words(Table &table);
void add_real_words(Table &table);
void add_division_words(Table &table);
void add_compare_words(Table &table);
void add_lane_words(Table &table);
void add_packed_words(Table &table);
void add_matrix_words(Table &table);
void add_scalar_words(Table &table);
void add_control_words(Table &table);
void add_memory_words(Table &table);

} // namespace isa
} // namespace vmafgpu
