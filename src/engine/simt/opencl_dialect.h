// SPDX-License-Identifier: BSD-2-Clause-Patent
// simt.h for SPIR-V that OpenCL runtimes load. Included by simt.h only. clang compiles it as HIP
// for spirv64, where a name below stands for the instruction that llvm-spirv makes of OpenCL's
// function. tools/lower_opencl.py does the rest: address spaces, and divisions of floats. Blocks
// are one-dimensional and have a multiple of 64 threads, so every wave is whole.
#pragma once

#include <cstddef>
#include <cstdint>

#define SIMT_HOST_DEVICE __attribute__((host, device))
#define SIMT_DEVICE __attribute__((device, always_inline)) inline
#define SIMT_TABLE static __attribute__((constant)) constexpr
#define SIMT_SHARED(type, name, count) static __attribute__((shared)) type name[count]
#define SIMT_UNROLL _Pragma("unroll")
#define SIMT_NO_UNROLL _Pragma("unroll 1")
// Arguments lie in a buffer, since runtimes need not pass more than 1024 bytes by value; the
// counter of launches lies behind them (OpenClQueue::launch_raw). min_blocks has no counterpart.
#define SIMT_DEFINE_KERNEL(name, Args, threads, min_blocks)                                        \
    static SIMT_DEVICE void name##_body(const Args &args);                                         \
    extern "C" __attribute__((global)) void name(                                                  \
        const ::vmafgpu::opencl::Launch<Args> *__restrict launch)                                  \
    {                                                                                              \
        name##_body(launch->args);                                                                 \
        ::vmafgpu::count_launch(launch->launches);                                                 \
    }                                                                                              \
    static SIMT_DEVICE void name##_body(const Args &args)

#include "simt/matrix.h"
#include "simt/plain.h"

// SPIR-V's own names, as llvm-spirv knows them.
#define SIMT_SPIRV_WORD __attribute__((device, nothrow, const))
SIMT_SPIRV_WORD size_t __spirv_BuiltInLocalInvocationId(int dimension);
SIMT_SPIRV_WORD size_t __spirv_BuiltInWorkgroupSize(int dimension);
SIMT_SPIRV_WORD size_t __spirv_BuiltInWorkgroupId(int dimension);
SIMT_SPIRV_WORD uint32_t __spirv_BuiltInSubgroupSize();
__attribute__((device, nothrow, convergent)) uint32_t
__spirv_GroupNonUniformShuffle(uint32_t scope, uint32_t v, uint32_t lane);
__attribute__((device, nothrow, convergent)) void
__spirv_ControlBarrier(uint32_t execution, uint32_t memory, uint32_t semantics);

namespace vmafgpu {
namespace opencl {

template <typename Args> struct Launch {
    Args args;
    alignas(8) uint32_t *launches;
};

constexpr uint32_t kBlock = 2, kWave = 3; // SPIR-V: Scope
constexpr uint32_t kSharedAndGlobal =
    0x308; // AcquireRelease, WorkgroupMemory, CrossWorkgroupMemory

// A value as one or two words. Both halves of a 64-bit value come from the same lane and are
// joined before anything is added, so no carry is lost.
template <typename T> union Words {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
    T value;
    uint32_t words[sizeof(T) / 4];
};

SIMT_DEVICE uint32_t add_word(uint32_t *p, uint32_t v)
{
    return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

} // namespace opencl

SIMT_DEVICE int thread_id()
{
    return static_cast<int>(__spirv_BuiltInLocalInvocationId(0));
}
SIMT_DEVICE int block_threads()
{
    return static_cast<int>(__spirv_BuiltInWorkgroupSize(0));
}
SIMT_DEVICE int block_id_x()
{
    return static_cast<int>(__spirv_BuiltInWorkgroupId(0));
}
SIMT_DEVICE int block_id_y()
{
    return static_cast<int>(__spirv_BuiltInWorkgroupId(1));
}
SIMT_DEVICE int block_id_z()
{
    return static_cast<int>(__spirv_BuiltInWorkgroupId(2));
}
SIMT_DEVICE int wave_size()
{
    return static_cast<int>(__spirv_BuiltInSubgroupSize());
}
// Threads lie in waves in their order, which the self-test looks at.
SIMT_DEVICE int lane_id()
{
    return thread_id() % wave_size();
}
SIMT_DEVICE int wave_id()
{
    return thread_id() / wave_size();
}

SIMT_DEVICE void barrier()
{
    __spirv_ControlBarrier(opencl::kBlock, opencl::kBlock, opencl::kSharedAndGlobal);
}
SIMT_DEVICE void wave_barrier()
{
    __spirv_ControlBarrier(opencl::kWave, opencl::kWave, opencl::kSharedAndGlobal);
}

template <typename T> SIMT_DEVICE T shfl(T v, int lane)
{
    opencl::Words<T> all;
    all.value = v;
    for (uint32_t &word : all.words)
        word = __spirv_GroupNonUniformShuffle(opencl::kWave, word, static_cast<uint32_t>(lane));
    return all.value;
}
template <typename T> SIMT_DEVICE T broadcast(T v, int lane)
{
    return shfl(v, lane);
}
template <typename T> SIMT_DEVICE T shfl_xor(T v, int mask)
{
    return shfl(v, lane_id() ^ mask);
}

SIMT_DEVICE constexpr bool has_wave_add()
{
    return false;
}
SIMT_DEVICE uint32_t wave_add(uint32_t v)
{
    for (int mask = wave_size() / 2; mask > 0; mask /= 2)
        v += shfl_xor(v, mask);
    return v;
}

// Not every device has atomic additions of 64 bits. The carry of the low word is added with the
// high one; the sum is whole when all additions have ended, and no kernel reads it earlier.
template <typename T> SIMT_DEVICE void atomic_add(T *p, T v)
{
    const auto bits = static_cast<uint64_t>(v);
    auto *words = reinterpret_cast<uint32_t *>(p);
    const auto low = static_cast<uint32_t>(bits);
    const uint32_t before = opencl::add_word(words, low);
    if constexpr (sizeof(T) == 8)
        opencl::add_word(words + 1, static_cast<uint32_t>(bits >> 32) + (before + low < low));
}

SIMT_DEVICE int clz32(uint32_t v)
{
    return v == 0 ? 32 : __builtin_clz(v);
}
// See hip_dialect.h.
SIMT_DEVICE uint32_t float_bits_about(uint32_t v)
{
    return __builtin_bit_cast(uint32_t, static_cast<float>(v & ~(v >> 17)));
}

SIMT_DEVICE constexpr bool has_scarce_shared()
{
    return true;
}
SIMT_DEVICE constexpr bool has_scarce_double()
{
    return true;
}
SIMT_DEVICE constexpr bool has_dot2_u16()
{
    return false;
}
SIMT_DEVICE constexpr bool has_dot4_u8()
{
    return false;
}
using plain::byte_permute;
using plain::divide;
using plain::dot2_s16_u8_hi;
using plain::dot2_s16_u8_lo;
using plain::dot2_u16;
using plain::dot2_u16_u8_hi;
using plain::dot2_u16_u8_lo;
using plain::dot4_u8;
using plain::double_from;
using plain::funnel_shift_right;
using plain::load_readonly;
using plain::mul24;
using plain::multiply2_u16;
using plain::reciprocal_estimate;
using plain::truncated;

// OpenCL rounds the root of a double as IEEE 754 says, that of a float it need not.
SIMT_DEVICE double square_root(double v)
{
    return __builtin_sqrt(v);
}
// Rounding twice is harmless: 53 bits are more than twice 24 and two.
SIMT_DEVICE float square_root(float v)
{
    return static_cast<float>(square_root(static_cast<double>(v)));
}

SIMT_DEVICE float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
SIMT_DEVICE double multiply_add(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

SIMT_DEVICE float float_of_bits(uint32_t v)
{
    return __builtin_bit_cast(float, v);
}
SIMT_DEVICE uint32_t bits_of_float(float x)
{
    return __builtin_bit_cast(uint32_t, x);
}
SIMT_DEVICE double double_of_bits(uint64_t v)
{
    return __builtin_bit_cast(double, v);
}
SIMT_DEVICE uint64_t bits_of_double(double x)
{
    return __builtin_bit_cast(uint64_t, x);
}

/// The end of every kernel, see SIMT_DEFINE_KERNEL: its first block counts the launch.
SIMT_DEVICE void count_launch(uint32_t *launches)
{
    if (launches != nullptr && (thread_id() | block_id_x() | block_id_y() | block_id_z()) == 0)
        atomic_add(launches, UINT32_C(1));
}

} // namespace vmafgpu
