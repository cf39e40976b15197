// SPDX-License-Identifier: BSD-2-Clause-Patent
// The elementary functions on which a score depends. Their bits are those of
// glibc 2.28 and later on a CPU with FMA, on every machine: the C library's own
// differ by its maker, its version and the processor. For host code only.
#pragma once

namespace vmafgpu::libm {

double exp(double x);
double pow(double x, double y);
float powf(float x, float y);
double log2(double x);
double log10(double x);
/// sin and cos: for |x| below 1e8; beyond that the result is NaN, as it is for infinities.
double sin(double x);
double cos(double x);
/// The function of glibc 2.34 and later: earlier ones spend more on arguments that are hard to
/// round.
double atan2(double y, double x);

} // namespace vmafgpu::libm
