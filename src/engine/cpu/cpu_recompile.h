// SPDX-License-Identifier: BSD-2-Clause-Patent
// Compiles plain C++ in a *_cpu.cpp several times, for the build's own target, for AVX2 and for
// AVX-512, and chooses at run time. This is enough where the compiler vectorises well. It does not
// change numerics: AVX2 has no fused multiply-add, and for AVX-512 the build's numeric flags forbid
// it. Code with explicit SIMD operations uses simd_targets.h.
#pragma once

#include "cpu/cpu_level.h"

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

/// The best of three forms of a function up to the level in use.
template <typename Function>
Function *choose_level(Function *plain, Function *avx2, Function *avx512)
{
    const CpuForm<Function> forms[] = {
        {CpuLevel::kBaseline, plain}, {CpuLevel::kAvx2, avx2}, {CpuLevel::kAvx512, avx512}};
    return choose_form(forms, 3);
}

} // namespace vmafgpu
