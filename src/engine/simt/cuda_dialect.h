// SPDX-License-Identifier: BSD-2-Clause-Patent
// simt.h for nvcc. Included by simt.h only; needs only what nvcc includes by itself. The
// shuffles name all 32 lanes, which is safe because of simt.h's rule 3.
#pragma once

#include <cstdint>
#include <cstring>

#define SIMT_HOST_DEVICE __host__ __device__
#define SIMT_DEVICE __device__ __forceinline__
#define SIMT_TABLE static __device__ __constant__ constexpr
#define SIMT_SHARED(type, name, count) __shared__ type name[count]
#define SIMT_UNROLL _Pragma("unroll")
#define SIMT_NO_UNROLL _Pragma("unroll 1")
// __grid_constant__: helpers may take args by reference without a copy on the stack.
#define SIMT_DEFINE_KERNEL(name, Args, threads, min_blocks)                                        \
    static SIMT_DEVICE void name##_body(const Args &args);                                         \
    extern "C" __global__ void __launch_bounds__(threads, min_blocks)                              \
        name(const __grid_constant__ Args args, uint32_t *launches)                                \
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
    return static_cast<int>(threadIdx.x);
}
SIMT_DEVICE int block_threads()
{
    return static_cast<int>(blockDim.x);
}
SIMT_DEVICE int block_id_x()
{
    return static_cast<int>(blockIdx.x);
}
SIMT_DEVICE int block_id_y()
{
    return static_cast<int>(blockIdx.y);
}
SIMT_DEVICE int block_id_z()
{
    return static_cast<int>(blockIdx.z);
}
SIMT_DEVICE constexpr int wave_size()
{
    return 32;
}
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
    __syncthreads();
}
SIMT_DEVICE void wave_barrier()
{
    __syncwarp();
}

namespace cuda {

constexpr unsigned kAllLanes = 0xffffffffu;

// The bits of a value as a type that the vendor's shuffles and loads know.
template <size_t kBytes> struct Bits;
template <> struct Bits<1> {
    using Type = unsigned char;
};
template <> struct Bits<2> {
    using Type = unsigned short;
};
template <> struct Bits<4> {
    using Type = unsigned;
};
template <> struct Bits<8> {
    using Type = unsigned long long;
};
template <> struct Bits<16> {
    using Type = uint4;
};

template <typename T> SIMT_DEVICE typename Bits<sizeof(T)>::Type to_bits(T v)
{
    typename Bits<sizeof(T)>::Type bits;
    memcpy(&bits, &v, sizeof(v));
    return bits;
}

template <typename T> SIMT_DEVICE T from_bits(typename Bits<sizeof(T)>::Type bits)
{
    T v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

template <typename T> constexpr bool kMovable = sizeof(T) == 4 || sizeof(T) == 8;

} // namespace cuda

template <typename T> SIMT_DEVICE T shfl(T v, int lane)
{
    static_assert(cuda::kMovable<T>, "4 or 8 bytes");
    return cuda::from_bits<T>(__shfl_sync(cuda::kAllLanes, cuda::to_bits(v), lane));
}

template <typename T> SIMT_DEVICE T broadcast(T v, int lane)
{
    return shfl(v, lane);
}

template <typename T> SIMT_DEVICE T shfl_xor(T v, int mask)
{
    static_assert(cuda::kMovable<T>, "4 or 8 bytes");
    return cuda::from_bits<T>(__shfl_xor_sync(cuda::kAllLanes, cuda::to_bits(v), mask));
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
SIMT_DEVICE constexpr bool has_wave_add()
{
    return true;
}
SIMT_DEVICE uint32_t wave_add(uint32_t v)
{
    uint32_t sum;
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(v));
    return sum;
}
#else
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
#endif

SIMT_DEVICE int32_t atomic_add(int32_t *p, int32_t v)
{
    return atomicAdd(p, v);
}
SIMT_DEVICE uint32_t atomic_add(uint32_t *p, uint32_t v)
{
    return atomicAdd(p, v);
}

SIMT_DEVICE uint64_t atomic_add(uint64_t *p, uint64_t v)
{
    return atomicAdd(reinterpret_cast<unsigned long long *>(p), v);
}

SIMT_DEVICE int64_t atomic_add(int64_t *p, int64_t v)
{
    return static_cast<int64_t>(
        atomic_add(reinterpret_cast<uint64_t *>(p), static_cast<uint64_t>(v)));
}

SIMT_DEVICE int clz32(uint32_t v)
{
    return __clz(static_cast<int>(v));
}
// 16-bit dot products are several instructions, and those of bytes have no place where
// dot2_u16_u8 is one.
SIMT_DEVICE constexpr bool has_scarce_shared()
{
    return false;
}
// CUDA C++ Programming Guide, throughput of 64-bit additions: a half of the float rate on these,
// 1/32 to 1/64 on others. PTX serves other GPUs, too; see cuda_blobs_for().
SIMT_DEVICE constexpr bool has_scarce_double()
{
#if defined(SIMT_SCARCE_DOUBLE) || !defined(__CUDA_ARCH__)
    return true;
#else
    return __CUDA_ARCH__ != 700 && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 &&
           __CUDA_ARCH__ != 1000;
#endif
}
SIMT_DEVICE constexpr bool has_dot2_u16()
{
    return false;
}
SIMT_DEVICE constexpr bool has_dot4_u8()
{
    return false;
}
using plain::dot2_u16;
using plain::dot4_u8;
using plain::multiply2_u16;

// 32-bit multiplies are full rate here; masking would cost more than it saves.
SIMT_DEVICE uint32_t mul24(uint32_t a, uint32_t b)
{
    return a * b;
}
SIMT_DEVICE uint32_t dot2_u16_u8_lo(uint32_t a, uint32_t b, uint32_t c)
{
    return __dp2a_lo(a, b, c);
}
SIMT_DEVICE uint32_t dot2_u16_u8_hi(uint32_t a, uint32_t b, uint32_t c)
{
    return __dp2a_hi(a, b, c);
}
SIMT_DEVICE int32_t dot2_s16_u8_lo(uint32_t a, uint32_t b, int32_t c)
{
    int32_t sum;
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
SIMT_DEVICE int32_t dot2_s16_u8_hi(uint32_t a, uint32_t b, int32_t c)
{
    int32_t sum;
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
SIMT_DEVICE float reciprocal_estimate(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
SIMT_DEVICE float float_of_bits(uint32_t v)
{
    return __uint_as_float(v);
}
SIMT_DEVICE uint32_t bits_of_float(float x)
{
    return __float_as_uint(x);
}
SIMT_DEVICE double double_of_bits(uint64_t v)
{
    return __longlong_as_double(static_cast<long long>(v));
}
SIMT_DEVICE uint64_t bits_of_double(double x)
{
    return static_cast<uint64_t>(__double_as_longlong(x));
}
SIMT_DEVICE uint32_t byte_permute(uint32_t a, uint32_t b, uint32_t selector)
{
    return __byte_perm(a, b, selector);
}
SIMT_DEVICE uint32_t funnel_shift_right(uint32_t high, uint32_t low, int n)
{
    return __funnelshift_r(low, high, static_cast<unsigned>(n));
}
SIMT_DEVICE double square_root(double v)
{
    return __dsqrt_rn(v);
}
SIMT_DEVICE float square_root(float v)
{
    return __fsqrt_rn(v);
}
SIMT_DEVICE float multiply_add(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}
SIMT_DEVICE double multiply_add(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}
SIMT_DEVICE uint32_t float_bits_about(uint32_t v)
{
    return __float_as_uint(__uint2float_rz(v));
}
// Conversion instructions are slow. The double 2^52 + v has v as its low word.
SIMT_DEVICE double double_from(uint32_t v)
{
    return __hiloint2double(0x43300000, static_cast<int>(v)) - 4503599627370496.0;
}
SIMT_DEVICE uint32_t truncated(double v)
{
    return static_cast<uint32_t>(__double2loint(__dadd_rz(v, 4503599627370496.0)));
}
// The compiler's division without its tests for extreme operands: two Newton steps for
// the reciprocal, of the third and the second order, then a correction by the remainder.
SIMT_DEVICE double divide(double a, double b)
{
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(b));
    double error = __fma_rn(-b, r, 1.0);
    error = __fma_rn(error, error, error);
    r = __fma_rn(r, error, r);
    r = __fma_rn(r, __fma_rn(-b, r, 1.0), r);
    const double quotient = a * r;
    return __fma_rn(r, __fma_rn(-b, quotient, a), quotient);
}

template <typename T> SIMT_DEVICE T load_readonly(const T *p)
{
    return cuda::from_bits<T>(
        __ldg(reinterpret_cast<const typename cuda::Bits<sizeof(T)>::Type *>(p)));
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
// A quarter of the product: 8 rows of A, 16 rows of B.
namespace cuda {
SIMT_DEVICE void matrix_quarter(uint32_t a, uint32_t b, uint32_t &c0, uint32_t &c1)
{
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(c0), "+r"(c1)
                 : "r"(a), "r"(b));
}
} // namespace cuda

SIMT_DEVICE MatrixC matrix_u8(const MatrixA &a, const MatrixB &b, const MatrixC &c)
{
    MatrixC d = c;
    cuda::matrix_quarter(a.word[0], b.word[0], d.word[0], d.word[1]);
    cuda::matrix_quarter(a.word[1], b.word[0], d.word[2], d.word[3]);
    cuda::matrix_quarter(a.word[2], b.word[1], d.word[0], d.word[1]);
    cuda::matrix_quarter(a.word[3], b.word[1], d.word[2], d.word[3]);
    return d;
}
#else
SIMT_DEVICE MatrixC matrix_u8(const MatrixA &a, const MatrixB &b, const MatrixC &c)
{
    MatrixC d;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
                 : "=r"(d.word[0]), "=r"(d.word[1]), "=r"(d.word[2]), "=r"(d.word[3])
                 : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[0]),
                   "r"(b.word[1]), "r"(c.word[0]), "r"(c.word[1]), "r"(c.word[2]), "r"(c.word[3]));
    return d;
}
#endif

// No matrix_s8().
constexpr int kMatrixMostLanes = MatrixU8::kLanes;
template <typename F> SIMT_DEVICE void with_matrix(const F &f)
{
    f(MatrixU8());
}

/// The end of every kernel, see SIMT_DEFINE_KERNEL: its first block counts the launch.
SIMT_DEVICE void count_launch(uint32_t *launches)
{
    if (launches != nullptr && (thread_id() | block_id_x() | block_id_y() | block_id_z()) == 0)
        atomic_add(launches, UINT32_C(1));
}

} // namespace vmafgpu
