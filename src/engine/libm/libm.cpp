// SPDX-License-Identifier: BSD-2-Clause-Patent
// Compiles each elementary function twice, with the processor's fma and with
// the software one, and chooses between them at run time. The functions
// themselves are in libm_atan.h, libm_exp.h, libm_log.h and libm_sin.h.
#include "libm/libm.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "libm/fma.h"
#include "libm/libm_atan.h"
#include "libm/libm_exp.h"
#include "libm/libm_log.h"
#include "libm/libm_sin.h"

// x86-64 has the instruction on some processors only; AArch64 always has it.
#if defined(__x86_64__) && !defined(__FMA__)
#define VMAFGPU_WITH_FMA [[gnu::target("fma")]]
#else
#define VMAFGPU_WITH_FMA
#endif

namespace vmafgpu::libm {

namespace {

#if defined(__x86_64__) || defined(__aarch64__)
using FastFma = HardwareFma;
#else
using FastFma = SoftwareFma; // the builtin might be a call of the C library
#endif

bool has_hardware_fma()
{
#if defined(__x86_64__) && !defined(__FMA__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma") != 0;
#elif defined(__x86_64__) || defined(__aarch64__)
    return true;
#else
    return false; // FastFma is the software one
#endif
}

bool wants_software_fma()
{
    const char *wanted = std::getenv("VMAFGPU_FMA");
    return wanted != nullptr && std::strcmp(wanted, "software") == 0;
}

// This is false until it is initialised, which is right on every processor.
std::atomic<bool> is_fast{has_hardware_fma() && !wants_software_fma()};

VMAFGPU_WITH_FMA double fast_fused(double a, double b, double c)
{
    return FastFma::fma(a, b, c);
}

VMAFGPU_WITH_FMA double fast_exp(double x)
{
    return exp_of<FastFma>(x);
}

VMAFGPU_WITH_FMA double fast_pow(double x, double y)
{
    return pow_of<FastFma>(x, y);
}

VMAFGPU_WITH_FMA float fast_powf(float x, float y)
{
    return powf_of<FastFma>(x, y);
}

VMAFGPU_WITH_FMA double fast_log2(double x)
{
    return log2_of<FastFma>(x);
}

VMAFGPU_WITH_FMA double fast_log10(double x)
{
    return log10_of<FastFma>(x);
}

VMAFGPU_WITH_FMA double fast_sin(double x)
{
    return sin_of<FastFma>(x);
}

VMAFGPU_WITH_FMA double fast_cos(double x)
{
    return cos_of<FastFma>(x);
}

VMAFGPU_WITH_FMA double fast_atan2(double y, double x)
{
    return atan2_of<FastFma>(y, x);
}

bool uses_fast()
{
    return is_fast.load(std::memory_order_relaxed);
}

} // namespace

Fma fma_in_use()
{
    return uses_fast() ? Fma::kHardware : Fma::kSoftware;
}

void set_fma(Fma form)
{
    is_fast.store(form == Fma::kHardware && has_hardware_fma(), std::memory_order_relaxed);
}

double fused(double a, double b, double c)
{
    return uses_fast() ? fast_fused(a, b, c) : soft_fma(a, b, c);
}

double exp(double x)
{
    return uses_fast() ? fast_exp(x) : exp_of<SoftwareFma>(x);
}

double pow(double x, double y)
{
    return uses_fast() ? fast_pow(x, y) : pow_of<SoftwareFma>(x, y);
}

float powf(float x, float y)
{
    return uses_fast() ? fast_powf(x, y) : powf_of<SoftwareFma>(x, y);
}

double log2(double x)
{
    return uses_fast() ? fast_log2(x) : log2_of<SoftwareFma>(x);
}

double log10(double x)
{
    return uses_fast() ? fast_log10(x) : log10_of<SoftwareFma>(x);
}

double sin(double x)
{
    return uses_fast() ? fast_sin(x) : sin_of<SoftwareFma>(x);
}

double cos(double x)
{
    return uses_fast() ? fast_cos(x) : cos_of<SoftwareFma>(x);
}

double atan2(double y, double x)
{
    return uses_fast() ? fast_atan2(y, x) : atan2_of<SoftwareFma>(y, x);
}

} // namespace vmafgpu::libm
