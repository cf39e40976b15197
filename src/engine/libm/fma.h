// SPDX-License-Identifier: BSD-2-Clause-Patent
// a * b + c with a single rounding: by integers alone, so that every machine has
// it, and which of the two forms libm.cpp uses. The C library's fma is not used:
// some libraries' is not exact. For host code; kernels have their own words.
#pragma once

namespace vmafgpu::libm {

/// Exact in all cases (to nearest, ties to even): subnormal, overflow, cancellation.
double soft_fma(double a, double b, double c);

/// Returns a * b + c, by the form that is in use.
double fused(double a, double b, double c);

enum class Fma { kHardware, kSoftware };

/// kHardware where the processor has the instruction, unless the environment
/// variable VMAFGPU_FMA is "software". All results are equal; only speed differs.
Fma fma_in_use();
/// Chooses a form, for tests. Ignored where there is no such instruction.
void set_fma(Fma form);

} // namespace vmafgpu::libm
