// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which instruction set the SIMD code of the CPU backend uses. simd_targets.h compiles that code
// once per level; the level is chosen at run time. All levels give the same bytes.
#pragma once

#include <initializer_list>

namespace vmafgpu {

/// Levels in order of preference. kBaseline is what the build is compiled for: plain code on
/// x86-64, NEON on 64-bit Arm.
enum class CpuLevel { kBaseline, kSse4, kAvx2, kAvx512, kAvx512Vnni };

constexpr CpuLevel kCpuLevels[] = {CpuLevel::kBaseline, CpuLevel::kSse4, CpuLevel::kAvx2,
                                   CpuLevel::kAvx512, CpuLevel::kAvx512Vnni};

/// "baseline" ("neon" on 64-bit Arm), "sse4", "avx2", "avx512", "avx512vnni".
const char *cpu_level_name(CpuLevel level);

/// Whether this processor has all that a level needs.
bool cpu_has_level(CpuLevel level);

/// The level in use: the best that the processor has, or what the environment
/// variable VMAFGPU_CPU_LEVEL names if that is lower. Read once.
CpuLevel cpu_level();

/// Sets another level from now on, for tests; one that the processor has.
void set_cpu_level(CpuLevel level);

/// A function in the form of one level.
template <typename Function> struct CpuForm {
    CpuLevel level;
    Function *function;
};

/// The best form up to the level in use. They are in ascending order; the
/// first runs everywhere.
template <typename Function> Function *choose_form(const CpuForm<Function> *forms, int count)
{
    Function *best = forms[0].function;
    for (int i = 0; i < count; ++i)
        if (forms[i].level <= cpu_level())
            best = forms[i].function;
    return best;
}

} // namespace vmafgpu
