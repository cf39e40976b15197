// SPDX-License-Identifier: BSD-2-Clause-Patent
// Lets a *_cpu.cpp compile one piece of plain C++ twice, for the processor that
// the build asks for and for AVX2, and choose when it runs. Numerics are the
// same: AVX2 has no fused multiply-add. SIMD proper does not belong here.
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
#else
#define VMAFGPU_TARGET_AVX2
#endif

namespace vmafgpu {

/// Whether functions marked VMAFGPU_TARGET_AVX2 may be called.
inline bool cpu_has_avx2()
{
#if defined(__GNUC__) && defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

} // namespace vmafgpu
