// SPDX-License-Identifier: BSD-2-Clause-Patent
// The linear algebra of speed_chroma_kernels.cpp, on 25 x 25 matrices in shared memory:
// a block's threads work on one matrix, each of a sum's terms in its serial order.
// Functions marked [block] are called by every thread of the block. For the plain form
// of each see speed_chroma_ref.cpp.
#pragma once

#include "features/speed_chroma/speed_chroma_args.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "simt/simt.h"

namespace vmafgpu {
namespace {

using SpeedChromaRow = float[kSpeedChromaSize];

SIMT_DEVICE float speed_chroma_one_nan(float v)
{
    const uint32_t nan = kSpeedChromaNan;
    if (!(v == v))
        __builtin_memcpy(&v, &nan, sizeof(v));
    return v;
}

/// What Householder's reduction of column i reflects along; the same in every thread.
struct SpeedChromaReflection {
    float tau, beta, gamma;
    bool is_null; ///< the column is left as it is
};

SIMT_DEVICE SpeedChromaReflection speed_chroma_reflection(const SpeedChromaRow *a, int i)
{
    const int s = i + 1;
    float squares = 0;
    for (int r = s + 1; r < kSpeedChromaSize; ++r)
        squares = squares + a[r][i] * a[r][i];
    const float norm = square_root(squares);
    if (norm == 0)
        return {0, 0, 0, true};
    const float alpha = a[s][i];
    const float length = square_root(alpha * alpha + norm * norm);
    const float beta = alpha >= 0 ? -length : length;
    return {(beta - alpha) / beta, beta, alpha - beta, false};
}

/// [block] Stores a reflection in column s - 1 of a, and its vector in v.
SIMT_DEVICE void speed_chroma_store_reflection(SpeedChromaRow *a, int s,
                                               const SpeedChromaReflection &reflection, float *v)
{
    const int t = thread_id();
    if (t > s && t < kSpeedChromaSize && reflection.gamma != 0)
        a[t][s - 1] = a[t][s - 1] / reflection.gamma;
    if (t == s && reflection.gamma != 0)
        a[s][s - 1] = reflection.beta;
    if (t >= s && t < kSpeedChromaSize)
        v[t] = t == s ? 1 : a[t][s - 1];
    barrier();
}

/// [block] Applies a reflection to rows and columns s and up of a, from both sides:
/// a -= x v' + v x'.
SIMT_DEVICE void speed_chroma_reflect_both_sides(SpeedChromaRow *a, int s, float tau,
                                                 const float *v)
{
    SIMT_SHARED(float, raw, kSpeedChromaSize);
    SIMT_SHARED(float, x, kSpeedChromaSize);
    const int t = thread_id();
    if (t >= s && t < kSpeedChromaSize) {
        float sum = 0;
        for (int c = s; c < kSpeedChromaSize; ++c)
            sum = sum + tau * a[t][c] * v[c];
        raw[t] = sum;
    }
    barrier();
    float product = 0;
    for (int r = s; r < kSpeedChromaSize; ++r)
        product = product + raw[r] * v[r];
    const float kappa = -0.5f * tau * product;
    if (t >= s && t < kSpeedChromaSize)
        x[t] = raw[t] + kappa * v[t];
    barrier();
    const int n = kSpeedChromaSize - s;
    for (int at = t; at < n * n; at += kSpeedChromaThreads) {
        const int r = s + at / n;
        const int c = s + at % n;
        a[r][c] = a[r][c] - (x[r] * v[c] + v[r] * x[c]);
    }
    barrier();
}

/// [block] a becomes tridiagonal (its upper part is not kept up).
SIMT_DEVICE void speed_chroma_tridiagonalise(SpeedChromaRow *a)
{
    SIMT_SHARED(float, v, kSpeedChromaSize);
    for (int i = 0; i < kSpeedChromaSize - 2; ++i) {
        const SpeedChromaReflection reflection = speed_chroma_reflection(a, i);
        if (reflection.is_null) // in all threads
            continue;
        barrier();
        speed_chroma_store_reflection(a, i + 1, reflection, v);
        if (reflection.tau != 0)
            speed_chroma_reflect_both_sides(a, i + 1, reflection.tau, v);
    }
}

/// [block] Of a tridiagonal matrix.
SIMT_DEVICE void speed_chroma_store_eigenvalues(const SpeedChromaRow *a, float *eigenvalues)
{
    SIMT_SHARED(float, diagonal, kSpeedChromaSize);
    SIMT_SHARED(float, off, kSpeedChromaSize);
    const int t = thread_id();
    if (t < kSpeedChromaSize) {
        diagonal[t] = a[t][t];
        off[t] = t + 1 < kSpeedChromaSize ? a[t + 1][t] : 0;
    }
    barrier();
    if (t == 0)
        speed_chroma_tridiagonal_eigenvalues(diagonal, off, kSpeedChromaSize);
    barrier();
    if (t < kSpeedChromaSize)
        eigenvalues[t] = speed_chroma_one_nan(diagonal[t]);
}

SIMT_DEVICE float speed_chroma_norm_from(const float *v, int k)
{
    float sum = 0;
    for (int i = k; i < kSpeedChromaSize; ++i)
        sum = sum + v[i] * v[i];
    return square_root(sum);
}

/// [block] One reflection: rows k and below of z and q.
SIMT_DEVICE void speed_chroma_reflect(SpeedChromaRow *z, SpeedChromaRow *q, const float *v, int k)
{
    constexpr int kElements = 2 * kSpeedChromaSize * kSpeedChromaSize;
    constexpr int kPerThread = divide_up(kElements, kSpeedChromaThreads);
    const int rows = kSpeedChromaSize - k;
    float sums[kPerThread] = {};
    SIMT_UNROLL
    for (int part = 0; part < kPerThread; ++part) {
        const int at = thread_id() + part * kSpeedChromaThreads;
        const int i = k + at / (2 * kSpeedChromaSize);
        const int column = at % (2 * kSpeedChromaSize);
        if (at >= rows * 2 * kSpeedChromaSize)
            break;
        const SpeedChromaRow *from = column < kSpeedChromaSize ? z : q;
        const int j = column % kSpeedChromaSize;
        const float factor = -2 * v[i];
        float sum = 0;
        for (int m = k; m < kSpeedChromaSize; ++m) {
            const float product = factor * v[m];
            sum = sum + (m == i ? product + 1 : product) * from[m][j];
        }
        sums[part] = sum;
    }
    barrier();
    SIMT_UNROLL
    for (int part = 0; part < kPerThread; ++part) {
        const int at = thread_id() + part * kSpeedChromaThreads;
        const int i = k + at / (2 * kSpeedChromaSize);
        const int column = at % (2 * kSpeedChromaSize);
        if (at >= rows * 2 * kSpeedChromaSize)
            break;
        (column < kSpeedChromaSize ? z : q)[i][column % kSpeedChromaSize] = sums[part];
    }
    barrier();
}

/// [block] z: the covariance, which becomes triangular; q: the product of the reflections.
SIMT_DEVICE void speed_chroma_factorise(SpeedChromaRow *z, SpeedChromaRow *q,
                                        const float *covariance)
{
    SIMT_SHARED(float, raw, kSpeedChromaSize);
    SIMT_SHARED(float, v, kSpeedChromaSize);
    const int t = thread_id();
    for (int at = t; at < kSpeedChromaSize * kSpeedChromaSize; at += kSpeedChromaThreads)
        q[at / kSpeedChromaSize][at % kSpeedChromaSize] = at % (kSpeedChromaSize + 1) == 0 ? 1 : 0;
    barrier();
    for (int k = 0; k < kSpeedChromaSize - 1; ++k) {
        if (t >= k && t < kSpeedChromaSize)
            raw[t] = z[t][k];
        barrier();
        if (t == 0) {
            const float length = speed_chroma_norm_from(raw, k);
            raw[k] = covariance[k * kSpeedChromaSize + k] >= 0 ? raw[k] + length : raw[k] - length;
        }
        barrier();
        const float norm = speed_chroma_norm_from(raw, k);
        if (t >= k && t < kSpeedChromaSize)
            v[t] = raw[t] / norm;
        barrier();
        speed_chroma_reflect(z, q, v, k);
    }
}

/// [block] Q and R = Q * covariance.
SIMT_DEVICE void speed_chroma_store_factors(const SpeedChromaRow *q, const float *covariance,
                                            float *stored_q, float *stored_r)
{
    for (int at = thread_id(); at < kSpeedChromaSize * kSpeedChromaSize;
         at += kSpeedChromaThreads) {
        const int i = at / kSpeedChromaSize;
        const int j = at % kSpeedChromaSize;
        float sum = 0;
        for (int m = 0; m < kSpeedChromaSize; ++m)
            sum = sum + q[i][m] * load_readonly(covariance + m * kSpeedChromaSize + j);
        stored_q[at] = q[i][j];
        stored_r[at] = sum;
    }
}

SIMT_DEVICE bool speed_chroma_is_singular(const float *eigenvalues, const float *r)
{
    bool is_singular = false;
    for (int k = 0; k < kSpeedChromaSize; ++k) {
        const float diagonal = load_readonly(r + k * (kSpeedChromaSize + 1));
        is_singular = is_singular ||
                      static_cast<double>(load_readonly(eigenvalues + k)) < kSpeedChromaTiny ||
                      static_cast<double>(speed_chroma_abs(diagonal)) < kSpeedChromaTiny;
    }
    return is_singular;
}

/// The block's samples times the inverse covariance times its samples.
SIMT_DEVICE float speed_chroma_block_s(const float *corner, int pitch, const float *q,
                                       const float *r)
{
    float y[kSpeedChromaSize];
    float x[kSpeedChromaSize];
    SIMT_UNROLL
    for (int e = 0; e < kSpeedChromaSize; ++e)
        y[e] = load_readonly(corner + e / kSpeedChromaSide * pitch + e % kSpeedChromaSide);
    SIMT_UNROLL
    for (int step = 0; step < kSpeedChromaSize; ++step) {
        const int i = kSpeedChromaSize - 1 - step;
        float sum = 0;
        SIMT_UNROLL
        for (int m = 0; m < kSpeedChromaSize; ++m)
            sum = sum + load_readonly(q + i * kSpeedChromaSize + m) * y[m];
        SIMT_UNROLL
        for (int m = 0; m < kSpeedChromaSize; ++m)
            if (m > i)
                sum = sum - x[m] * load_readonly(r + i * kSpeedChromaSize + m);
        x[i] = sum / load_readonly(r + i * kSpeedChromaSize + i);
    }
    float s = x[0] * y[0] / kSpeedChromaSize;
    SIMT_UNROLL
    for (int e = 1; e < kSpeedChromaSize; ++e)
        s = s + x[e] * y[e] / kSpeedChromaSize;
    return s;
}

} // namespace
} // namespace vmafgpu
