// SPDX-License-Identifier: BSD-2-Clause-Patent
// Compiles one file of SIMD code for every level of cpu_level.h. Before this is included,
// HWY_TARGET_INCLUDE must name that file. The file defines its functions in namespace
// vmafgpu::VMAFGPU_SIMD (see simd-inl.h). Afterwards VMAFGPU_CHOOSE_FORM(Type, f) is the best f, or
// nullptr if the processor has none of these levels; callers then use the reference code. Only
// Highway's headers are used. Its own dispatcher needs its library, and has no level between
// AVX-512 and Ice Lake, where the multiply-add of VNNI helps most.
#pragma once

#include "simd/cpu_level.h"

// -Dcpu_levels=local: the level of this machine only, a number of CpuLevel; other processors run
// the reference code. A fifth of the time to compile.
#if VMAFGPU_LOCAL_LEVEL == 1
#define VMAFGPU_LEFT_OUT (HWY_AVX2 | HWY_AVX3)
#elif VMAFGPU_LOCAL_LEVEL == 2
#define VMAFGPU_LEFT_OUT (HWY_SSE4 | HWY_AVX3)
#elif VMAFGPU_LOCAL_LEVEL == 3 || VMAFGPU_LOCAL_LEVEL == 4
#define VMAFGPU_LEFT_OUT (HWY_SSE4 | HWY_AVX2)
// Builds for sanitizers, which compile slowly, have two of the levels only.
#elif defined(VMAFGPU_FEW_LEVELS)
#define VMAFGPU_LEFT_OUT (HWY_SSE4 | HWY_AVX3)
#else
#define VMAFGPU_LEFT_OUT 0
#endif

// Scalable vectors are not written for; SSSE3 alone and Ice Lake are not worth a copy.
#define HWY_DISABLED_TARGETS                                                                       \
    (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | VMAFGPU_LEFT_OUT)

#ifdef __aarch64__
// NEON is all that is written for, and part of the architecture. With run-time dispatch
// Highway would add the instructions for encryption to its functions, which GCC then
// does not inline into implicit constructors.
#define TOOLCHAIN_MISS_SYS_AUXV_H
#endif

#define VMAFGPU_SIMD HWY_NAMESPACE
#define VMAFGPU_SIMD_VNNI 0
#if VMAFGPU_LOCAL_LEVEL == 4 // only the operations of AVX-512, which VNNI's code uses
#include <hwy/detect_targets.h>
#undef HWY_TARGET
#define HWY_TARGET HWY_AVX3
#include <hwy/highway.h>
#else
#include <hwy/foreach_target.h> // every level but the build's own
#endif
#if HWY_STATIC_TARGET == HWY_SCALAR || HWY_STATIC_TARGET == HWY_EMU128 || VMAFGPU_LOCAL_LEVEL
#define VMAFGPU_FORM_BASELINE(f)                                                                   \
    {                                                                                              \
        CpuLevel::kBaseline, nullptr                                                               \
    }
#else
#include HWY_TARGET_INCLUDE
#define VMAFGPU_FORM_BASELINE(f)                                                                   \
    {                                                                                              \
        CpuLevel::kBaseline, HWY_STATIC_DISPATCH(f)                                                \
    }
#endif
#if VMAFGPU_LOCAL_LEVEL == 4 || (HWY_TARGETS & HWY_AVX3 && VMAFGPU_LOCAL_LEVEL != 3)
#define VMAFGPU_FORM_VNNI(f) {CpuLevel::kAvx512Vnni, N_AVX3_VNNI::f},
#undef VMAFGPU_SIMD
#define VMAFGPU_SIMD N_AVX3_VNNI
#undef VMAFGPU_SIMD_VNNI
#define VMAFGPU_SIMD_VNNI 1
#undef HWY_TARGET
#define HWY_TARGET HWY_AVX3
#include <hwy/ops/set_macros-inl.h>
#undef HWY_TARGET_STR
#define HWY_TARGET_STR HWY_TARGET_STR_AVX3 ",avx512vnni"
#include HWY_TARGET_INCLUDE
#else
#define VMAFGPU_FORM_VNNI(f)
#endif

namespace vmafgpu {

#if HWY_TARGETS & HWY_SSE4 && HWY_STATIC_TARGET != HWY_SSE4
#define VMAFGPU_FORM_SSE4(f) {CpuLevel::kSse4, N_SSE4::f},
#else
#define VMAFGPU_FORM_SSE4(f)
#endif
#if HWY_TARGETS & HWY_AVX2 && HWY_STATIC_TARGET != HWY_AVX2
#define VMAFGPU_FORM_AVX2(f) {CpuLevel::kAvx2, N_AVX2::f},
#else
#define VMAFGPU_FORM_AVX2(f)
#endif
#if HWY_TARGETS & HWY_AVX3 && VMAFGPU_LOCAL_LEVEL != 4
#define VMAFGPU_FORM_AVX512(f) {CpuLevel::kAvx512, N_AVX3::f},
#else
#define VMAFGPU_FORM_AVX512(f)
#endif

#define VMAFGPU_CHOOSE_FORM(Function, f)                                                           \
    [] {                                                                                           \
        static const CpuForm<Function> forms[] = {                                                 \
            VMAFGPU_FORM_BASELINE(f), VMAFGPU_FORM_SSE4(f) VMAFGPU_FORM_AVX2(f)                    \
                                          VMAFGPU_FORM_AVX512(f) VMAFGPU_FORM_VNNI(f)};            \
        return choose_form(forms, static_cast<int>(sizeof(forms) / sizeof(forms[0])));             \
    }()

} // namespace vmafgpu
