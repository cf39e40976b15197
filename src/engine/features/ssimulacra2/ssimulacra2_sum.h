// SPDX-License-Identifier: BSD-2-Clause-Patent
// A serial sum of doubles that are not negative, cut into chunks. docs/numerics/ssimulacra2.md has
// the reasoning. Across threads, only integers are combined.
//
// While the sum stays between two powers of 2 it is a multiple of its last place, and each term
// adds itself, rounded to that place; a tie goes to the even sum. So a chunk is a step: add; after
// a first tie become even; add the rest. Steps follow each other as one step. Which powers of 2
// they are, bounds of the chunks' sums tell. Where they do not, terms are added one by one. A
// subject of its own: it knows nothing of pictures.
#pragma once

#include <cstdint>

#include "simt/simt.h"

namespace vmafgpu::ssimulacra2 {

constexpr int kChunkTerms = 1024; ///< terms
constexpr int kChunkBits = 10;

/// A chunk of a sum, as the kernels leave it to each other.
struct ChunkState {
    int64_t first;    ///< units of the chunk; later only those before its first tie
    int64_t second;   ///< twice the units after the first tie, plus 1 if there is a tie
    int64_t exponent; ///< the terms' largest one; later the sum's, kUnknown or kNothing
};
constexpr int kUnknown = 0;  ///< the sum's exponent may change in this chunk
constexpr int kNothing = -1; ///< all terms are 0

/// A double as mantissa * 2^(exponent - 1075); 0 has the exponent 1.
struct Bits {
    uint64_t mantissa;
    int exponent;

    SIMT_HOST_DEVICE explicit Bits(double v)
    {
        const uint64_t bits = bits_of_double(v);
        const int field = static_cast<int>(bits >> 52);
        mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (field > 0 ? UINT64_C(1) << 52 : 0);
        exponent = field > 0 ? field : 1;
    }
    /// Returns the value in units of 2^(top - 1075 + kChunkBits), rounded down.
    SIMT_HOST_DEVICE int64_t units(int top) const
    {
        const int shift = top - exponent + kChunkBits;
        return shift > 63 ? 0 : static_cast<int64_t>(mantissa >> shift);
    }
};

/// The amount that a chunk adds to a sum with the exponent for which its terms were rounded.
struct Step {
    int64_t units = 0;     ///< units of the chunk, for a sum that is even at the first tie
    int64_t until_tie = 0; ///< units before the first tie
    bool has_tie = false;

    SIMT_HOST_DEVICE Step() {}
    /// Reads the words of ChunkState.
    SIMT_HOST_DEVICE Step(int64_t first, int64_t second)
        : units(first + (second >> 1)), until_tie(first), has_tie((second & 1) != 0)
    {
    }
    SIMT_HOST_DEVICE int64_t first() const { return has_tie ? until_tie : units; }
    SIMT_HOST_DEVICE int64_t second() const { return has_tie ? 2 * (units - until_tie) + 1 : 0; }

    /// `later` follows.
    SIMT_HOST_DEVICE void append(const Step &later)
    {
        if (!later.has_tie) {
            units += later.units;
            return;
        }
        append(later.until_tie, true);
        units += later.units - later.until_tie;
    }
    /// Units, and then perhaps a tie. At a tie the sum becomes even, and so its parity is known.
    SIMT_HOST_DEVICE void append(int64_t more, bool is_tie)
    {
        units += more;
        if (!is_tie)
            return;
        if (has_tie)
            units += (units - until_tie) & 1;
        else
            until_tie = units;
        has_tie = true;
    }
    /// Appends one term, for a sum with this exponent, which is not less than the term's.
    SIMT_HOST_DEVICE void append_term(double term, int exponent)
    {
        const Bits bits(term);
        const int shift = exponent - bits.exponent;
        if (shift > 54)
            return;
        const uint64_t half = shift > 0 ? UINT64_C(1) << (shift - 1) : 0;
        const uint64_t rest = shift > 0 ? bits.mantissa & (2 * half - 1) : 0;
        append(static_cast<int64_t>(bits.mantissa >> shift) + (rest > half ? 1 : 0),
               shift > 0 && rest == half);
    }
    /// Appends with doubles: the least sum with this exponent, above 53, rounds the term as any
    /// other does, to an even one at a tie. With the term it is less than the next power of 2.
    SIMT_HOST_DEVICE void append_by_sum(double term, int exponent)
    {
        const uint64_t least_bits = static_cast<uint64_t>(exponent) << 52;
        const double least = double_of_bits(least_bits);
        const double sum = least + term;
        const double rest = term - (sum - least); // exact
        const bool is_tie = bits_of_double(rest) << 1 == static_cast<uint64_t>(exponent - 53) << 53;
        append(static_cast<int64_t>(bits_of_double(sum) - least_bits) -
                   (is_tie && rest < 0 ? 1 : 0),
               is_tie);
    }
    SIMT_HOST_DEVICE double add_to(double sum) const
    {
        const uint64_t bits = bits_of_double(sum);
        uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
        mantissa += static_cast<uint64_t>(first());
        if (has_tie)
            mantissa += (mantissa & 1) + static_cast<uint64_t>(units - until_tie);
        return double_of_bits((bits >> 52 << 52) + mantissa);
    }
};

/// Bounds of a serial sum, which are added up in double.
struct Bounds {
    double low, high;

    /// Returns the bounds of a chunk of `count` terms. units: partial sums of them, none larger
    /// than 2^(top - 1022), in Bits::units(). If top is 0, all terms are 0.
    SIMT_HOST_DEVICE static Bounds of(int64_t units, int top, int count)
    {
        if (top == 0)
            return {0, 0};
        const bool is_tiny = top < 2 * kChunkBits + 64;
        const double unit =
            is_tiny ? 0x1p-900 : double_of_bits(static_cast<uint64_t>(top - 52 + kChunkBits) << 52);
        return {is_tiny ? 0.0 : static_cast<double>(units) * unit,
                static_cast<double>(units + count) * unit};
    }
    SIMT_HOST_DEVICE void append(const Bounds &later)
    {
        low += later.low;
        high += later.high;
    }
};

/// The exponent that a sum has all the while from `before` a chunk until `after` it, 0: not known.
/// `terms` and `chunks` come until then. Each term is added twice, here and there, and each chunk
/// once, and each addition may be wrong by 2^-53.
SIMT_HOST_DEVICE inline int exponent_of(const Bounds &before, const Bounds &after, int terms,
                                        int chunks)
{
    const double slack =
        (2.0 * static_cast<double>(terms) + static_cast<double>(chunks) + 4) * 0x1p-52;
    const double start = before.low * (1 - slack);
    const double end = after.high * (1 + slack);
    const int exponent = static_cast<int>(bits_of_double(start) >> 52);
    // An infinite sum has no last place.
    const bool is_same = exponent == static_cast<int>(bits_of_double(end) >> 52);
    return is_same && exponent < 2047 ? exponent : 0;
}

} // namespace vmafgpu::ssimulacra2
