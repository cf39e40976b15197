// SPDX-License-Identifier: BSD-2-Clause-Patent
// What cuda_dialect.h takes from nvcc, for clang: qualifiers, vector types, and the device
// functions that it calls. clang compiles the kernels to PTX without NVIDIA's headers and
// libraries (-nocudainc -nocudalib); cuda/meson.build includes this file before every source.
// Not here: what a word of the device language means.
#pragma once

#if !defined(__clang__) || !defined(__NVPTX__)
#error "for clang's NVPTX target only"
#endif

#include <cstring>

// clang's own, not NVIDIA's: threadIdx, blockIdx, blockDim, gridDim. Needs two names.
struct uint3;
struct dim3;
#include <__clang_cuda_builtin_vars.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __forceinline__ __attribute__((always_inline)) inline
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// The arguments are read where the driver puts them if nothing takes their address.
#define __grid_constant__

// The host's, declared by <cstring>, cannot be called here.
#define memcpy __builtin_memcpy

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

#define VMAFGPU_CLANG_WORD static __device__ __forceinline__

// ---- between lanes. The last operand: segments of 32 lanes, and the last lane.

VMAFGPU_CLANG_WORD void __syncwarp()
{
    __nvvm_bar_warp_sync(0xffffffffu);
}

VMAFGPU_CLANG_WORD unsigned __shfl_sync(unsigned lanes, unsigned v, int lane)
{
    return static_cast<unsigned>(__nvvm_shfl_sync_idx_i32(lanes, static_cast<int>(v), lane, 0x1f));
}
VMAFGPU_CLANG_WORD unsigned __shfl_xor_sync(unsigned lanes, unsigned v, int mask)
{
    return static_cast<unsigned>(__nvvm_shfl_sync_bfly_i32(lanes, static_cast<int>(v), mask, 0x1f));
}
VMAFGPU_CLANG_WORD unsigned long long __shfl_sync(unsigned lanes, unsigned long long v, int lane)
{
    const unsigned low = __shfl_sync(lanes, static_cast<unsigned>(v), lane);
    const unsigned high = __shfl_sync(lanes, static_cast<unsigned>(v >> 32), lane);
    return static_cast<unsigned long long>(high) << 32 | low;
}
VMAFGPU_CLANG_WORD unsigned long long __shfl_xor_sync(unsigned lanes, unsigned long long v,
                                                      int mask)
{
    const unsigned low = __shfl_xor_sync(lanes, static_cast<unsigned>(v), mask);
    const unsigned high = __shfl_xor_sync(lanes, static_cast<unsigned>(v >> 32), mask);
    return static_cast<unsigned long long>(high) << 32 | low;
}

VMAFGPU_CLANG_WORD int atomicAdd(int *p, int v)
{
    return __nvvm_atom_add_gen_i(p, v);
}
VMAFGPU_CLANG_WORD unsigned atomicAdd(unsigned *p, unsigned v)
{
    return static_cast<unsigned>(
        __nvvm_atom_add_gen_i(reinterpret_cast<int *>(p), static_cast<int>(v)));
}
VMAFGPU_CLANG_WORD unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return static_cast<unsigned long long>(
        __nvvm_atom_add_gen_ll(reinterpret_cast<long long *>(p), static_cast<long long>(v)));
}

// ---- integers

VMAFGPU_CLANG_WORD int __clz(int v)
{
    return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v));
}
VMAFGPU_CLANG_WORD unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c)
{
    unsigned sum;
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
VMAFGPU_CLANG_WORD unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c)
{
    unsigned sum;
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
VMAFGPU_CLANG_WORD unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    return __nvvm_prmt(a, b, selector);
}
VMAFGPU_CLANG_WORD unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n)
{
    unsigned word;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(low), "r"(high), "r"(n));
    return word;
}

// ---- bits and numbers

VMAFGPU_CLANG_WORD float __uint_as_float(unsigned v)
{
    return __builtin_bit_cast(float, v);
}
VMAFGPU_CLANG_WORD unsigned __float_as_uint(float x)
{
    return __builtin_bit_cast(unsigned, x);
}
VMAFGPU_CLANG_WORD double __longlong_as_double(long long v)
{
    return __builtin_bit_cast(double, v);
}
VMAFGPU_CLANG_WORD long long __double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
VMAFGPU_CLANG_WORD double __hiloint2double(int high, int low)
{
    return __nvvm_lohi_i2d(low, high);
}
VMAFGPU_CLANG_WORD int __double2loint(double x)
{
    return __nvvm_d2i_lo(x);
}

// Assembler, because clang 19 compiles __nvvm_ui2f_rz to a conversion that rounds to nearest.
// Later versions may do the same to the other builtins of this kind.
VMAFGPU_CLANG_WORD float __uint2float_rz(unsigned v)
{
    float x;
    asm("cvt.rz.f32.u32 %0, %1;" : "=f"(x) : "r"(v));
    return x;
}
VMAFGPU_CLANG_WORD double __dadd_rz(double a, double b)
{
    double sum;
    asm("add.rz.f64 %0, %1, %2;" : "=d"(sum) : "d"(a), "d"(b));
    return sum;
}
VMAFGPU_CLANG_WORD double __fma_rn(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
VMAFGPU_CLANG_WORD float __fmaf_rn(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
VMAFGPU_CLANG_WORD float __fsqrt_rn(float x)
{
    float root;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}
VMAFGPU_CLANG_WORD double __dsqrt_rn(double x)
{
    double root;
    asm("sqrt.rn.f64 %0, %1;" : "=d"(root) : "d"(x));
    return root;
}

// ---- memory that nobody writes during the launch

VMAFGPU_CLANG_WORD unsigned char __ldg(const unsigned char *p)
{
    return static_cast<unsigned char>(__nvvm_ldg_uc(p));
}
VMAFGPU_CLANG_WORD unsigned short __ldg(const unsigned short *p)
{
    return __nvvm_ldg_us(p);
}
VMAFGPU_CLANG_WORD unsigned __ldg(const unsigned *p)
{
    return __nvvm_ldg_ui(p);
}
VMAFGPU_CLANG_WORD unsigned long long __ldg(const unsigned long long *p)
{
    return __nvvm_ldg_ull(p);
}
VMAFGPU_CLANG_WORD uint4 __ldg(const uint4 *p)
{
    using Words = unsigned __attribute__((ext_vector_type(4)));
    return __builtin_bit_cast(uint4, __nvvm_ldg_ui4(reinterpret_cast<const Words *>(p)));
}

#undef VMAFGPU_CLANG_WORD
