// SPDX-License-Identifier: BSD-2-Clause-Patent
// Inputs and per-thread cases of the self-test, compiled for the host and for each device. The same
// source must give the same results. Where a host compiler could make the same error as a device
// compiler, the expected results are constants in selftest.cpp.
#pragma once

#include <cstdint>

#include "simt/simt.h"

namespace vmafgpu {
namespace selftest {

/// 64 random bits for thread `i` and use `n` (splitmix64).
SIMT_DEVICE uint64_t input(int i, int n)
{
    uint64_t z = (static_cast<uint64_t>(i) * 64 + static_cast<uint64_t>(n) + 1) *
                 UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

SIMT_DEVICE uint32_t input32(int i, int n)
{
    return static_cast<uint32_t>(input(i, n));
}

SIMT_DEVICE uint64_t bits_of(double v)
{
    union {
        double value;
        uint64_t bits;
    } both;
    both.value = v;
    return both.bits;
}

SIMT_DEVICE uint64_t bits_of(float v)
{
    union {
        float value;
        uint32_t bits;
    } both;
    both.value = v;
    return both.bits;
}

/// c - (b / (a + tiny)) * b truncated: with a fused multiply-subtract the last
/// digit of the first three triples changes.
struct Triple {
    int32_t a, b, c;
};
constexpr int kTriples = 5;
SIMT_TABLE Triple kTriple[kTriples] = {{812046881, 698756805, 601272049},
                                       {832537676, 804889901, 778160306},
                                       {593363951, 585449167, 577639981},
                                       {330162740, 274742858, 228654874},
                                       {856540584, 469849941, 257823077}};

SIMT_DEVICE uint64_t multiply_subtract(int i)
{
    const Triple &t = kTriple[i % kTriples];
    const double g = static_cast<double>(t.b) / (static_cast<double>(t.a) + 65536 * 1e-10);
    const double rest = static_cast<double>(t.c) - g * static_cast<double>(t.b);
    return static_cast<uint64_t>(static_cast<int64_t>(rest));
}

// Product and addend are of the same size: about every second rounding shows.
SIMT_DEVICE uint64_t multiply_add_f64(int i)
{
    const double a = static_cast<double>(input(i, 0) >> 11);
    const double b = static_cast<double>(input(i, 1) >> 11);
    const double c = static_cast<double>(input(i, 2) >> 11) * -9007199254740992.0;
    return bits_of(a * b + c);
}

SIMT_DEVICE uint64_t divide_f64(int i)
{
    return bits_of(static_cast<double>(static_cast<int64_t>(input(i, 3))) /
                   static_cast<double>(input(i, 4) >> (i % 60) | 1));
}

SIMT_DEVICE uint64_t convert_i64_f32(int i)
{
    return bits_of(static_cast<float>(static_cast<int64_t>(input(i, 5)) >> (i % 40)));
}

SIMT_DEVICE uint64_t convert_f64_i64(int i)
{
    return static_cast<uint64_t>(
        static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(input(i, 6))) / 65536.0));
}

SIMT_DEVICE uint64_t multiply_add_f32(int i)
{
    const float a = static_cast<float>(input32(i, 7) >> 8);
    const float b = static_cast<float>(input32(i, 8) >> 8);
    const float c = static_cast<float>(input32(i, 9) >> 8) * -16777216.0f;
    return bits_of(a * b + c);
}

SIMT_DEVICE uint64_t divide_f32(int i)
{
    return bits_of(static_cast<float>(static_cast<int32_t>(input32(i, 10))) /
                   static_cast<float>(input32(i, 11) | 1));
}

SIMT_DEVICE uint64_t subnormal_f32(int i)
{
    const float small = static_cast<float>(input32(i, 12) >> 8) * 1e-38f;
    return bits_of(small * (1.0f / 16777216.0f));
}

SIMT_DEVICE uint64_t divide_integer(int i)
{
    const auto a = static_cast<int64_t>(input(i, 13));
    const auto b = static_cast<int64_t>(input(i, 14) >> (1 + i % 62)) + 1;
    const auto c = static_cast<int32_t>(input32(i, 15));
    const auto d = static_cast<int32_t>(input32(i, 16) >> (1 + i % 31)) + 1;
    return static_cast<uint64_t>(a / b) + static_cast<uint64_t>(a % b) * 3 +
           static_cast<uint64_t>(static_cast<int64_t>(c / d)) * 5 +
           static_cast<uint64_t>(static_cast<int64_t>(c % d)) * 7;
}

SIMT_DEVICE uint64_t shift_right(int i)
{
    const auto a = static_cast<int64_t>(input(i, 17));
    const auto b = static_cast<int32_t>(input32(i, 18));
    return static_cast<uint64_t>(round_shift(a >> 2, i % 61)) +
           static_cast<uint64_t>(static_cast<int64_t>(b >> (i % 32)));
}

SIMT_DEVICE uint64_t leading_zeros(int i)
{
    const uint32_t v = i == 7 ? 0 : input32(i, 19) >> (i % 32);
    return static_cast<uint64_t>(clz32(v));
}

SIMT_DEVICE uint64_t multiply24(int i)
{
    return mul24(input32(i, 20) >> 8, input32(i, 21) >> 8);
}

SIMT_DEVICE uint64_t dot2_mixed(int i)
{
    const uint32_t a = input32(i, 28);
    const uint32_t b = input32(i, 29);
    const uint32_t c = input32(i, 30);
    return static_cast<uint64_t>(dot2_u16_u8_hi(a, b, c)) << 32 | dot2_u16_u8_lo(a, b, c);
}

SIMT_DEVICE uint64_t dots(int i)
{
    const uint32_t a = input32(i, 49);
    const uint32_t b = input32(i, 50);
    const uint32_t c = input32(i, 51);
    return (static_cast<uint64_t>(dot2_u16(a, b, c)) << 32 | dot4_u8(a, b, c)) +
           static_cast<uint64_t>(multiply2_u16(a, b)) * 3;
}

SIMT_DEVICE uint64_t permute_bytes(int i)
{
    const uint32_t a = input32(i, 31);
    const uint32_t b = input32(i, 32);
    const uint32_t selector = input32(i, 33) & 0x7777;
    return static_cast<uint64_t>(byte_permute(a, b, selector)) << 32 |
           funnel_shift_right(a, b, i % 32);
}

SIMT_DEVICE uint64_t roots(int i)
{
    const double wide = static_cast<double>(input(i, 41) >> 11) * (i % 2 == 0 ? 1.0 : 0x1p-1000);
    const float narrow = static_cast<float>(input32(i, 42) >> 8) * (i % 2 == 0 ? 1.0f : 1e-38f);
    return bits_of(square_root(wide)) * 3 + bits_of(square_root(i % 61 == 0 ? 0 : narrow));
}

// Quotients as VIF has them, of integers below 2^31, which only an IEEE division rounds right.
SIMT_DEVICE uint64_t lean_words(int i)
{
    const uint32_t a = input32(i, 43) >> (1 + i % 31),
                   b = (input32(i, 44) >> (1 + i % 14)) | 131072;
    const double quotient = divide(double_from(a), double_from(b) + 65536 * 1e-10);
    const double rest = double_from(a) - static_cast<double>(b >> 1) / 3;
    // Half of them would be rounded up by a plain conversion.
    const uint32_t large = a | 1u << 17 | (i % 2 != 0 ? 0xffffu : 0);
    return bits_of(quotient) * 3 + float_bits_about(large) / 256 +
           truncated(rest < 0 ? -rest : rest);
}

SIMT_DEVICE uint64_t dot2_signed(int i)
{
    const uint32_t a = input32(i, 45);
    const uint32_t b = input32(i, 46);
    const int32_t c = static_cast<int32_t>(input32(i, 47)) / 2;
    return static_cast<uint64_t>(static_cast<uint32_t>(dot2_s16_u8_hi(a, b, c))) << 32 |
           static_cast<uint32_t>(dot2_s16_u8_lo(a, b, c));
}

// Devices differ in the last place: what counts is that they keep to one unit of it.
SIMT_DEVICE uint64_t estimate(int i)
{
    const uint32_t exponent = 64 + static_cast<uint32_t>(i) % 120;
    const float x = float_of_bits(exponent << 23 | input32(i, 48) >> 9);
    const uint32_t above = bits_of_float(reciprocal_estimate(x)) - bits_of_float(1.0f / x) + 1;
    return above <= 2 ? bits_of_float(x) : 0;
}

// Returns the part that rounding a product loses, which only a fused step sees.
SIMT_DEVICE uint64_t fused_f32(int i)
{
    const float a = float_of_bits(127u << 23 | input32(i, 52) >> 9);
    const float b = float_of_bits(127u << 23 | input32(i, 53) >> 9);
    const float c = i % 3 == 0 ? -(a * b) : float_of_bits(110u << 23 | input32(i, 54) >> 9);
    return bits_of_float(multiply_add(a, b, c));
}

/// Every case: its function, and what an error calls it. One result per thread each.
#define VMAFGPU_SELFTEST_CASES(CASE)                                                               \
    CASE(multiply_subtract, "f64 multiply-subtract (contracted?)")                                 \
    CASE(multiply_add_f64, "f64 multiply-add (contracted?)")                                       \
    CASE(divide_f64, "f64 division")                                                               \
    CASE(convert_i64_f32, "int64 to f32 conversion")                                               \
    CASE(convert_f64_i64, "f64 to int64 conversion")                                               \
    CASE(multiply_add_f32, "f32 multiply-add (contracted?)")                                       \
    CASE(divide_f32, "f32 division")                                                               \
    CASE(subnormal_f32, "f32 subnormal product (flushed?)")                                        \
    CASE(divide_integer, "integer division")                                                       \
    CASE(shift_right, "arithmetic shift")                                                          \
    CASE(leading_zeros, "clz32")                                                                   \
    CASE(multiply24, "mul24")                                                                      \
    CASE(dot2_mixed, "dot2_u16_u8")                                                                \
    CASE(dots, "dot2_u16, dot4_u8, multiply2_u16")                                                 \
    CASE(permute_bytes, "byte_permute, funnel_shift_right")                                        \
    CASE(roots, "f64 and f32 square roots")                                                        \
    CASE(lean_words, "divide, double_from, truncated, float_bits_about")                           \
    CASE(dot2_signed, "dot2_s16_u8")                                                               \
    CASE(fused_f32, "multiply_add")                                                                \
    CASE(estimate, "reciprocal_estimate, float_of_bits, bits_of_float")

enum SelftestCase {
#define VMAFGPU_CASE(function, text) kCase_##function,
    VMAFGPU_SELFTEST_CASES(VMAFGPU_CASE)
#undef VMAFGPU_CASE
        kSelftestCases
};

SIMT_DEVICE uint64_t run_case(int which, int i)
{
    switch (which) {
#define VMAFGPU_CASE(function, text)                                                               \
    case kCase_##function:                                                                         \
        return function(i);
        VMAFGPU_SELFTEST_CASES(VMAFGPU_CASE)
#undef VMAFGPU_CASE
    default:
        return 0;
    }
}

// Rows one after the other, each mixed with neighbours of the wave and
// of the block. Some compilers take barriers apart from shuffles in a loop.
constexpr int kWalkSteps = 5;

/// What a thread has after a step, of what it and two others had before.
SIMT_DEVICE uint64_t walk_step(uint64_t own, uint64_t neighbour, uint64_t other, int step)
{
    return (own ^ other) + neighbour * 3 + static_cast<uint64_t>(step);
}

/// Every word that exchanges values: what an error calls it, what a thread of the kernel stores,
/// and what the host expects. Both have its number `t` in the block, its `lane` and the size of
/// `waves`, and the number of the block, `number`. The kernel has its 64 bits `v` and half of them,
/// `low`; the host value(thread) and sum(first thread, threads), where block and wave begin with
/// the threads `block` and `wave`. `walked` is the thread's on both.
#define VMAFGPU_SELFTEST_WORDS(WORD)                                                               \
    WORD("shfl of 64 bits", shfl(v, (lane * 7 + 3) % waves), value(wave + (lane * 7 + 3) % waves)) \
    WORD("shfl of 32 bits", shfl(low, waves - 1 - lane),                                           \
         static_cast<uint32_t>(value(wave + waves - 1 - lane)))                                    \
    WORD("broadcast", broadcast(v, (number + 5) % waves), value(wave + (number + 5) % waves))      \
    WORD("shfl_xor", shfl_xor(v, waves / 2 + 1), value(wave + (lane ^ (waves / 2 + 1))))           \
    WORD("wave_sum of uint32", wave_sum(low), sum(wave, waves).u32)                                \
    WORD("wave_sum of uint64", wave_sum(v), sum(wave, waves).u64)                                  \
    WORD("wave_sum of int64", wave_sum(static_cast<int64_t>(v) >> 8), sum(wave, waves).i64)        \
    WORD("block_sum", wave_id() == 0 ? whole : 0,                                                  \
         t < waves ? sum(block, kSelftestThreads).u64 : 0)                                         \
    WORD("shared memory", reversed[t], value(block + kSelftestThreads - 1 - t))                    \
    WORD("atomic_add in shared memory", counter[0], sum(block, kSelftestThreads).u32)              \
    WORD("ids and sizes",                                                                          \
         static_cast<uint64_t>(block_threads()) << 32 | static_cast<uint64_t>(wave_size()) << 16 | \
             static_cast<uint64_t>(block_id_y() + block_id_z() + wave_id()),                       \
         static_cast<uint64_t>(kSelftestThreads) << 32 | static_cast<uint64_t>(waves) << 16 |      \
             static_cast<uint64_t>(t / waves))                                                     \
    WORD("shfl in a loop with barriers", walked, walked)

} // namespace selftest
} // namespace vmafgpu
