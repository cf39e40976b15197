// SPDX-License-Identifier: BSD-2-Clause-Patent
// Compiles plain C++ in a *_cpu.cpp several times, for the build's own target, for AVX2 and for
// AVX-512, and chooses at run time. This is enough where the compiler vectorises well. It does not
// change numerics: AVX2 has no fused multiply-add, and for AVX-512 the build's numeric flags forbid
// it. Code with explicit SIMD operations uses simd_targets.h.
#pragma once

#include "simd/cpu_level.h"

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

/// The best of three forms of a function up to the level in use. The compiler drops forms that a
/// build for the processor at hand never uses.
template <typename Function>
inline Function *choose_level(Function *plain, Function *avx2, Function *avx512)
{
#if VMAFGPU_LOCAL_LEVEL >= 2
    const auto level = VMAFGPU_LOCAL_LEVEL >= 3 ? CpuLevel::kAvx512 : CpuLevel::kAvx2;
    return cpu_level() >= level ? (VMAFGPU_LOCAL_LEVEL >= 3 ? avx512 : avx2) : plain;
#else
    const CpuForm<Function> forms[] = {
        {CpuLevel::kBaseline, plain}, {CpuLevel::kAvx2, avx2}, {CpuLevel::kAvx512, avx512}};
    return choose_form(forms, 3);
#endif
}

} // namespace vmafgpu
