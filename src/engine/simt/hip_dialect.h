// SPDX-License-Identifier: BSD-2-Clause-Patent
// simt.h for clang's AMD GPU target. Included by simt.h only. Compiler builtins
// alone, no HIP headers: clang -x hip -nogpuinc -nogpulib --cuda-device-only.
// Blocks are one-dimensional, so a wave is a run of consecutive threads.
#pragma once

#include <cstdint>

#define SIMT_HOST_DEVICE __attribute__((host, device))
#define SIMT_DEVICE __attribute__((device, always_inline)) inline
#define SIMT_TABLE static __attribute__((constant)) constexpr
#define SIMT_SHARED(type, name, count) static __attribute__((shared)) type name[count]
#define SIMT_UNROLL _Pragma("unroll")
#define SIMT_NO_UNROLL _Pragma("unroll 1")
// CDNA 3 and 4. Where one wave may fill a SIMD's registers, the compiler lets matrix instructions
// write to the half of them that other instructions cannot read; so no kernel may do that.
#if defined(__gfx942__) || defined(__gfx950__) || defined(__gfx9_4_generic__)
#define SIMT_HIP_HAS_MATRIX 1
#define SIMT_HIP_WAVES , amdgpu_waves_per_eu(2)
#else
#define SIMT_HIP_HAS_MATRIX 0
#define SIMT_HIP_WAVES
#endif
// CDNA, and what GCN had for servers. An image for all of gfx9 serves gfx906, too.
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || SIMT_HIP_HAS_MATRIX
#define SIMT_HIP_HAS_SCARCE_DOUBLE 0
#else
#define SIMT_HIP_HAS_SCARCE_DOUBLE 1
#endif
// min_blocks has no counterpart that means the same on all of AMD's chips.
#define SIMT_DEFINE_KERNEL(name, Args, threads, min_blocks)                                        \
    static SIMT_DEVICE void name##_body(const Args &args);                                         \
    extern "C"                                                                                     \
        __attribute__((global, amdgpu_flat_work_group_size(64, threads) SIMT_HIP_WAVES)) void      \
        name(const Args args, uint32_t *launches)                                                  \
    {                                                                                              \
        name##_body(args);                                                                         \
        ::vmafgpu::count_launch(launches);                                                         \
    }                                                                                              \
    static SIMT_DEVICE void name##_body(const Args &args)

#include "simt/matrix.h"
#include "simt/plain.h"

namespace vmafgpu {

SIMT_DEVICE int thread_id()
{
    return static_cast<int>(__builtin_amdgcn_workitem_id_x());
}
/// From the dispatch packet, where workgroup_size_x is the third 16-bit word (HSA runtime
/// specification). The builtin of that name reads hidden arguments since code object version 5.
SIMT_DEVICE int block_threads()
{
    return reinterpret_cast<const uint16_t *>(__builtin_amdgcn_dispatch_ptr())[2];
}
SIMT_DEVICE int block_id_x()
{
    return static_cast<int>(__builtin_amdgcn_workgroup_id_x());
}
SIMT_DEVICE int block_id_y()
{
    return static_cast<int>(__builtin_amdgcn_workgroup_id_y());
}
SIMT_DEVICE int block_id_z()
{
    return static_cast<int>(__builtin_amdgcn_workgroup_id_z());
}
#if defined(__AMDGCN_WAVEFRONT_SIZE)
SIMT_DEVICE constexpr int wave_size()
{
    return __AMDGCN_WAVEFRONT_SIZE;
}
#else
SIMT_DEVICE int wave_size()
{
    return static_cast<int>(__builtin_amdgcn_wavefrontsize());
}
#endif

SIMT_DEVICE int lane_id()
{
    const unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
    return static_cast<int>(wave_size() == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low);
}
SIMT_DEVICE int wave_id()
{
    return thread_id() / wave_size();
}

SIMT_DEVICE void barrier()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

SIMT_DEVICE void wave_barrier()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

namespace hip {

// A value as one or two registers. Both halves of a 64-bit value come from the same lane
// and are joined before anything is added, so no carry is lost.
template <typename T> union Words {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
    T value;
    int words[sizeof(T) / 4];
};

template <typename T> SIMT_DEVICE T from_lane(T v, int lane)
{
    Words<T> all;
    all.value = v;
    for (int &word : all.words)
        word = __builtin_amdgcn_ds_bpermute(lane << 2, word);
    return all.value;
}

} // namespace hip

template <typename T> SIMT_DEVICE T shfl(T v, int lane)
{
    return hip::from_lane(v, lane);
}

template <typename T> SIMT_DEVICE T broadcast(T v, int lane)
{
    hip::Words<T> all;
    all.value = v;
    for (int &word : all.words)
        word = __builtin_amdgcn_readlane(word, lane);
    return all.value;
}

template <typename T> SIMT_DEVICE T shfl_xor(T v, int mask)
{
    return hip::from_lane(v, lane_id() ^ mask);
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

// Kernels that use the word are not compiled for other architectures, and traits() of the queues do
// not offer it there (hip_targets.h). No matrix_u8(): the instructions take signed bytes, and
// operands lie otherwise.
#if SIMT_HIP_HAS_MATRIX
namespace hip {
typedef int MatrixSums __attribute__((ext_vector_type(4)));

SIMT_DEVICE int64_t matrix_line(const MatrixLine &line)
{
    return static_cast<int64_t>(line.word[0] | static_cast<uint64_t>(line.word[1]) << 32);
}
} // namespace hip

SIMT_DEVICE MatrixC matrix_s8(const MatrixLine &a, const MatrixLine &b, const MatrixC &c)
{
    const hip::MatrixSums sums = __builtin_amdgcn_mfma_i32_16x16x32_i8(
        hip::matrix_line(a), hip::matrix_line(b), __builtin_bit_cast(hip::MatrixSums, c), 0, 0, 0);
    return __builtin_bit_cast(MatrixC, sums);
}
#endif
constexpr int kMatrixMostLanes = MatrixS8::kLanes;
template <typename F> SIMT_DEVICE void with_matrix(const F &f)
{
    f(MatrixS8());
}

template <typename T> SIMT_DEVICE T atomic_add(T *p, T v)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "int32_t, uint32_t, int64_t, uint64_t");
    return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

SIMT_DEVICE int clz32(uint32_t v)
{
    return v == 0 ? 32 : __builtin_clz(v);
}
// The conversion rounds. v >> 17 has a one 17 places below v's leading one: where v has a zero for
// it, no carry of the rounding gets any further.
SIMT_DEVICE uint32_t float_bits_about(uint32_t v)
{
    return __builtin_bit_cast(uint32_t, static_cast<float>(v & ~(v >> 17)));
}

// The masks of the plain mul24 tell the compiler that 24 bits are enough.
using plain::mul24;

// The instruction's selector has a byte for each byte of the result, and its bytes 0..3
// are those of the second operand.
SIMT_DEVICE uint32_t byte_permute(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint32_t spread = (selector & 7) | (selector & 0x70) << 4 | (selector & 0x700) << 8 |
                            (selector & 0x7000) << 12;
    return __builtin_amdgcn_perm(b, a, spread);
}

namespace hip {
typedef unsigned short Halves __attribute__((ext_vector_type(2)));

SIMT_DEVICE Halves halves(uint32_t v)
{
    return __builtin_bit_cast(Halves, v);
}
} // namespace hip

SIMT_DEVICE uint32_t multiply2_u16(uint32_t a, uint32_t b)
{
    return __builtin_bit_cast(uint32_t, static_cast<hip::Halves>(hip::halves(a) * hip::halves(b)));
}

// 64 KiB for four SIMDs (CDNA, GCN) or two (RDNA).
SIMT_DEVICE constexpr bool has_scarce_shared()
{
    return true;
}

SIMT_DEVICE constexpr bool has_scarce_double()
{
    return SIMT_HIP_HAS_SCARCE_DOUBLE != 0;
}

// Older compilers say that every target has these builtins.
#if __clang_major__ >= 19 && __has_builtin(__builtin_amdgcn_udot2)
namespace hip {
typedef short SignedHalves __attribute__((ext_vector_type(2)));

SIMT_DEVICE int32_t dot2_s16(uint32_t a, uint32_t b, int32_t c)
{
    return __builtin_amdgcn_sdot2(__builtin_bit_cast(SignedHalves, a),
                                  __builtin_bit_cast(SignedHalves, b), c, false);
}
} // namespace hip
SIMT_DEVICE constexpr bool has_dot2_u16()
{
    return true;
}
SIMT_DEVICE uint32_t dot2_u16(uint32_t a, uint32_t b, uint32_t c)
{
    return __builtin_amdgcn_udot2(hip::halves(a), hip::halves(b), c, false);
}
SIMT_DEVICE uint32_t dot2_u16_u8_lo(uint32_t a, uint32_t b, uint32_t c)
{
    return dot2_u16(a, byte_permute(b, 0, 0x4140), c);
}
SIMT_DEVICE uint32_t dot2_u16_u8_hi(uint32_t a, uint32_t b, uint32_t c)
{
    return dot2_u16(a, byte_permute(b, 0, 0x4342), c);
}
SIMT_DEVICE int32_t dot2_s16_u8_lo(uint32_t a, uint32_t b, int32_t c)
{
    return hip::dot2_s16(a, byte_permute(b, 0, 0x4140), c);
}
SIMT_DEVICE int32_t dot2_s16_u8_hi(uint32_t a, uint32_t b, int32_t c)
{
    return hip::dot2_s16(a, byte_permute(b, 0, 0x4342), c);
}
#else
SIMT_DEVICE constexpr bool has_dot2_u16()
{
    return false;
}
using plain::dot2_s16_u8_hi;
using plain::dot2_s16_u8_lo;
using plain::dot2_u16;
using plain::dot2_u16_u8_hi;
using plain::dot2_u16_u8_lo;
#endif

#if __clang_major__ >= 19 && __has_builtin(__builtin_amdgcn_udot4)
SIMT_DEVICE constexpr bool has_dot4_u8()
{
    return true;
}
SIMT_DEVICE uint32_t dot4_u8(uint32_t a, uint32_t b, uint32_t c)
{
    return __builtin_amdgcn_udot4(a, b, c, false);
}
#else
SIMT_DEVICE constexpr bool has_dot4_u8()
{
    return false;
}
using plain::dot4_u8;
#endif

SIMT_DEVICE uint32_t funnel_shift_right(uint32_t high, uint32_t low, int n)
{
    return __builtin_amdgcn_alignbit(high, low, static_cast<uint32_t>(n));
}

// The hardware's root is an approximation. Two steps of Goldschmidt's iteration and two
// corrections by the exact remainder give the correctly rounded root. Scaling by a power
// of 4 avoids underflow.
SIMT_DEVICE double square_root(double v)
{
    const bool is_small = v < 0x1p-767;
    const double x = is_small ? v * 0x1p+256 : v;
    const double y = __builtin_amdgcn_rsq(x);
    double g = x * y;
    double h = 0.5 * y;
    const double r = __builtin_fma(-h, g, 0.5);
    g = __builtin_fma(g, r, g);
    h = __builtin_fma(h, r, h);
    g = __builtin_fma(__builtin_fma(-g, g, x), h, g);
    g = __builtin_fma(__builtin_fma(-g, g, x), h, g);
    g = is_small ? g * 0x1p-128 : g;
    return x == 0 || x == __builtin_inf() ? x : g;
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

SIMT_DEVICE float reciprocal_estimate(float x)
{
    return __builtin_amdgcn_rcpf(x);
}

// What the compiler makes of a division, without the steps that scale the operands: those change
// nothing unless an exponent is near the end of its range.
SIMT_DEVICE double divide(double a, double b)
{
    double y = __builtin_amdgcn_rcp(b);
    y = __builtin_fma(__builtin_fma(-b, y, 1.0), y, y);
    y = __builtin_fma(__builtin_fma(-b, y, 1.0), y, y);
    const double quotient = a * y;
    return __builtin_fma(__builtin_fma(-b, quotient, a), y, quotient);
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

using plain::double_from;
using plain::load_readonly;
using plain::truncated;

/// The end of every kernel, see SIMT_DEFINE_KERNEL: its first block counts the launch.
SIMT_DEVICE void count_launch(uint32_t *launches)
{
    if (launches != nullptr && (thread_id() | block_id_x() | block_id_y() | block_id_z()) == 0)
        atomic_add(launches, UINT32_C(1));
}

} // namespace vmafgpu
