// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer helpers that define the numerics: reflected indices, rounding shifts. Reference code,
// fast CPU code and kernels share them, so nothing here may depend on a host library.
#pragma once

#include <cstdint>

// Device dialects define this to their own qualifier before they include us.
#ifndef SIMT_HOST_DEVICE
#define SIMT_HOST_DEVICE
#endif

namespace vmafgpu {

/// Reflection that does not repeat the border sample, for one bounce only:
/// -1 -> 1, n -> n-2. Right as long as the filter's half width is below n.
SIMT_HOST_DEVICE inline constexpr int mirror(int i, int n)
{
    return i < 0 ? -i : (i >= n ? 2 * n - 2 - i : i);
}

/// Reflection that repeats the border sample on the high side only:
/// -1 -> 1, n -> n-1 (ADM's wavelet; motion up to libvmaf 3.1).
SIMT_HOST_DEVICE inline constexpr int mirror_high_repeat(int i, int n)
{
    return i < 0 ? -i : (i >= n ? 2 * n - 1 - i : i);
}

/// floor((a + half) / 2^n); n == 0 returns a. Right shift of a negative value
/// is arithmetic on every compiler we build with.
template <typename T> SIMT_HOST_DEVICE inline constexpr T round_shift(T a, int n)
{
    return n == 0 ? a : static_cast<T>((a + (static_cast<T>(1) << (n - 1))) >> n);
}

/// The smaller one; of a NaN and a number it is b, as in libvmaf.
template <typename T> SIMT_HOST_DEVICE inline constexpr T smaller(T a, T b)
{
    return a < b ? a : b;
}

/// ceil(a / b) for a >= 0 and b > 0.
template <typename T> SIMT_HOST_DEVICE inline constexpr T divide_up(T a, T b)
{
    return (a + b - 1) / b;
}

/// Smallest multiple of b that is at least a, for a >= 0 and b > 0.
template <typename T> SIMT_HOST_DEVICE inline constexpr T round_up(T a, T b)
{
    return divide_up(a, b) * b;
}

/// Smallest c with 2^c >= n, for n >= 1.
SIMT_HOST_DEVICE inline constexpr int ceil_log2(uint32_t n)
{
    int c = 0;
    while ((static_cast<uint64_t>(1) << c) < n)
        ++c;
    return c;
}

} // namespace vmafgpu
