// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arithmetic that the reference code and the kernels share because it has one serial order: the
// eigenvalues of a tridiagonal matrix, and a logarithm with an error bound. A subject of its own:
// it knows nothing of pictures. All of it is float unless double is written; every operation is
// rounded by itself.
#pragma once

#include <cstdint>

#include "simt/simt.h"

namespace vmafgpu::speed_chroma {

constexpr double kTiny = 1e-6;                    ///< below it, singular
constexpr int kMaxSteps = 500;                    ///< limit of the QR iteration
constexpr double kEntropy = 0x1.06073a671183dp+2; ///< log2(2 * pi * e)
/// The one NaN in Sums: devices differ in its bits.
constexpr uint32_t kNan = 0x7fc00000;

SIMT_HOST_DEVICE inline float absolute(float v)
{
    return v <= 0 ? 0 - v : v; // -0 too becomes +0
}

/// 1 / sqrt(1 + t * t), as libvmaf's rotations have it.
SIMT_HOST_DEVICE inline float rotation(float t)
{
    return static_cast<float>(1.0 / square_root(static_cast<double>(1 + t * t)));
}

/// Zeroes the off-diagonal elements first .. last-1 that are small beside the diagonal.
SIMT_HOST_DEVICE inline void chop(const float *diagonal, float *off, int first, int last)
{
    for (int k = first; k < last; ++k) {
        const auto size = static_cast<double>(absolute(diagonal[k] + diagonal[k + 1]));
        if (static_cast<double>(absolute(off[k])) < kTiny * size)
            off[k] = 0;
    }
}

/// Shift of a QR step over n diagonal elements: the eigenvalue of the last 2x2 block
/// that is nearer to its last element.
SIMT_HOST_DEVICE inline float shift_of(const float *diagonal, const float *off, int n)
{
    const float last = diagonal[n - 1];
    const float t = off[n - 2];
    const float delta = (diagonal[n - 2] - last) / 2;
    const float h = square_root(delta * delta + t * t);
    float shift = last - absolute(t);
    if (delta > 0)
        shift = last - t * (t / (delta + h));
    else if (delta != 0)
        shift = last + t * (t / (-delta + h));
    const auto size = static_cast<double>(absolute(diagonal[0]) + absolute(off[0]));
    return kTiny * static_cast<double>(absolute(shift)) > size ? 0 : shift;
}

/// Carries out one implicit QR step on n >= 2 diagonal elements.
SIMT_HOST_DEVICE inline void qr_step(float *diagonal, float *off, int n)
{
    const float shift = shift_of(diagonal, off, n);
    float x = diagonal[0] - shift;
    float z = off[0];
    float p = diagonal[0];
    float q = off[0];
    float r = diagonal[1];
    float w = n > 2 ? off[1] : 0;
    float bulge = 0; // "B" and "Z": what the last rotation left beside the diagonal
    float far = 0;
    for (int k = 0; k < n - 1; ++k) {
        float c = 1;
        float s = 0;
        if (z != 0 && absolute(z) > absolute(x)) {
            const float t = -x / z;
            s = rotation(t);
            c = s * t;
        } else if (z != 0) {
            const float t = -z / x;
            c = rotation(t);
            s = c * t;
        }
        const float before = c * bulge - s * far;
        const float cp_sq = c * p - s * q;
        const float sr_cq = s * r - c * q;
        const float sp_cq = s * p + c * q;
        const float sq_cr = s * q + c * r;
        p = c * cp_sq + s * sr_cq;
        q = c * sp_cq - s * sq_cr;
        r = s * sp_cq + c * sq_cr;
        far = -s * w;
        w = c * w;
        diagonal[k] = p;
        if (k > 0)
            off[k - 1] = before;
        bulge = q;
        p = r;
        q = w;
        if (k < n - 2) {
            r = diagonal[k + 2];
            off[k + 1] = q;
        }
        if (k < n - 3)
            w = off[k + 2];
        x = bulge;
        z = far;
    }
    diagonal[n - 1] = p;
    off[n - 2] = bulge;
}

/// Replaces the diagonal of a symmetric tridiagonal matrix of n rows by its eigenvalues,
/// in the order in which they come out.
SIMT_HOST_DEVICE inline void tridiagonal_eigenvalues(float *diagonal, float *off, int n)
{
    chop(diagonal, off, 0, n - 1);
    int last = n - 1;
    for (int steps = 0; last > 0 && steps < kMaxSteps;) {
        if (off[last - 1] == 0) {
            --last;
            continue;
        }
        int first = last - 1;
        while (first > 0 && off[first - 1] != 0)
            --first;
        qr_step(diagonal + first, off + first, last - first + 1);
        chop(diagonal, off, first, last);
        ++steps;
    }
}

/// Half the width of the interval around bounded_log2() that holds the logarithm as any C
/// library gives it. bounded_log2() itself errs by less than 2^-51 + 2^-53 |log2 v|, and
/// |log2 v| < 128.
constexpr double kLog2Bound = 0x1p-44;

/// log2 of 2^-100 < v < 2^100, by additions, multiplications and one division.
SIMT_HOST_DEVICE inline double bounded_log2(float v)
{
    uint32_t bits = 0;
    __builtin_memcpy(&bits, &v, sizeof(bits));
    int exponent = static_cast<int>(bits >> 23) - 127;
    bits = (bits & 0x7fffff) | UINT32_C(127) << 23;
    float fraction = 0;
    __builtin_memcpy(&fraction, &bits, sizeof(bits));
    double m = static_cast<double>(fraction);
    if (m > 1.4142135) {
        m = m * 0.5;
        ++exponent;
    }
    // log2 m = 2 / ln 2 * (z + z^3 / 3 + z^5 / 5 + ...), |z| < 0.1716
    const double z = (m - 1) / (m + 1);
    const double zz = z * z;
    double sum = 1.0 / 23;
    for (int i = 21; i > 0; i -= 2)
        sum = sum * zz + 1.0 / i;
    return exponent + 2.8853900817779268 * (z * sum);
}

/// Adds one step of a block's entropy: e + log2(v) + constant, rounded to float once, if the bound
/// above leaves no doubt. Otherwise counts it in `open`.
SIMT_HOST_DEVICE inline float add_entropy(float e, float v, uint32_t &open)
{
    if (!(v > 0x1p-100F && v < 0x1p+100F)) {
        ++open;
        return e;
    }
    const double log = bounded_log2(v);
    const auto wide = static_cast<double>(e);
    const auto low = static_cast<float>(wide + (log - kLog2Bound + kEntropy));
    const auto high = static_cast<float>(wide + (log + kLog2Bound + kEntropy));
    if (low != high)
        ++open;
    return low;
}

} // namespace vmafgpu::speed_chroma
