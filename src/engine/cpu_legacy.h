// SPDX-License-Identifier: BSD-2-Clause-Patent
// Lets a *_cpu.cpp compile one piece of plain C++ several times, for the
// processor that the build asks for and for AVX2 and AVX-512, and choose when it
// runs. Numerics are the same: AVX2 has no fused multiply-add, and for AVX-512
// the build's numeric flags forbid it. SIMD proper does not belong here.
#pragma once

#if defined(__GNUC__)
/// For every function between the two entry points and the loops: a function
/// that is not inlined would be compiled once, for the build's processor.
#define VMAFGPU_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define VMAFGPU_ALWAYS_INLINE inline
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define VMAFGPU_TARGET_AVX2 __attribute__((target("avx2")))
#define VMAFGPU_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define VMAFGPU_TARGET_AVX2
#define VMAFGPU_TARGET_AVX512
#endif

namespace vmafgpu {

/// 0: plain, 1: up to AVX2, 2: up to AVX-512. Lowered by tests only, so that they
/// reach what runs on older processors.
inline int cpu_level_limit = 2;

/// Whether functions marked VMAFGPU_TARGET_AVX2 may be called.
inline bool cpu_has_avx2()
{
#if defined(__GNUC__) && defined(__x86_64__)
    return cpu_level_limit >= 1 && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/// Whether functions marked VMAFGPU_TARGET_AVX512 may be called.
inline bool cpu_has_avx512()
{
#if defined(__GNUC__) && defined(__x86_64__)
    return cpu_level_limit >= 2 && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

/// The best of three forms of a function that this processor can run.
template <typename Function>
inline Function *choose_level(Function *plain, Function *avx2, Function *avx512)
{
    if (cpu_has_avx512())
        return avx512;
    return cpu_has_avx2() ? avx2 : plain;
}

} // namespace vmafgpu
