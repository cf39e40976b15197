// SPDX-License-Identifier: BSD-2-Clause-Patent
// See cpu_level.h.
#include "simd/cpu_level.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace vmafgpu {

namespace {

CpuLevel best_level()
{
    CpuLevel best = CpuLevel::kBaseline;
    for (const CpuLevel level : kCpuLevels)
        if (cpu_has_level(level))
            best = level;
    return best;
}

CpuLevel initial_level()
{
    const CpuLevel best = best_level();
    const char *wanted = std::getenv("VMAFGPU_CPU_LEVEL");
    if (wanted != nullptr)
        for (const CpuLevel level : kCpuLevels)
            if (std::strcmp(cpu_level_name(level), wanted) == 0 && level < best)
                return level;
    return best;
}

std::atomic<CpuLevel> &level_in_use()
{
    static std::atomic<CpuLevel> level(initial_level());
    return level;
}

} // namespace

const char *cpu_level_name(CpuLevel level)
{
    switch (level) {
    case CpuLevel::kBaseline:
#if defined(__aarch64__)
        return "neon";
#else
        return "baseline";
#endif
    case CpuLevel::kSse4:
        return "sse4";
    case CpuLevel::kAvx2:
        return "avx2";
    case CpuLevel::kAvx512:
        return "avx512";
    default:
        return "avx512vnni";
    }
}

#if defined(__GNUC__) && defined(__x86_64__)
bool cpu_has_level(CpuLevel level)
{
    // What the compiler may use at each level, see Highway's set_macros-inl.h.
    switch (level) {
    case CpuLevel::kBaseline:
        return true;
    case CpuLevel::kSse4:
        return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2");
    case CpuLevel::kAvx2:
        return cpu_has_level(CpuLevel::kSse4) && __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("fma");
    case CpuLevel::kAvx512:
        return cpu_has_level(CpuLevel::kAvx2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw");
    default:
        return cpu_has_level(CpuLevel::kAvx512) && __builtin_cpu_supports("avx512vnni");
    }
}
#else
bool cpu_has_level(CpuLevel level)
{
    return level == CpuLevel::kBaseline;
}
#endif

CpuLevel cpu_level()
{
    return level_in_use().load(std::memory_order_relaxed);
}

void set_cpu_level(CpuLevel level)
{
    level_in_use().store(level, std::memory_order_relaxed);
}

} // namespace vmafgpu
