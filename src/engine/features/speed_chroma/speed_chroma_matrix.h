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

using SpeedRow = float[kSpeedSize];

SIMT_DEVICE float speed_one_nan(float v)
{
    const uint32_t nan = kSpeedNan;
    if (!(v == v))
        __builtin_memcpy(&v, &nan, sizeof(v));
    return v;
}

/// What Householder's reduction of column i reflects along; the same in every thread.
struct SpeedReflection {
    float tau, beta, gamma;
    bool is_null; ///< the column is left as it is
};

SIMT_DEVICE SpeedReflection speed_reflection(const SpeedRow *a, int i)
{
    const int s = i + 1;
    float squares = 0;
    for (int r = s + 1; r < kSpeedSize; ++r)
        squares = squares + a[r][i] * a[r][i];
    const float norm = square_root(squares);
    if (norm == 0)
        return {0, 0, 0, true};
    const float alpha = a[s][i];
    const float length = square_root(alpha * alpha + norm * norm);
    const float beta = alpha >= 0 ? -length : length;
    return {(beta - alpha) / beta, beta, alpha - beta, false};
}

/// [block] a becomes tridiagonal (its upper part is not kept up).
SIMT_DEVICE void speed_tridiagonalise(SpeedRow *a)
{
    SIMT_SHARED(float, v, kSpeedSize);
    SIMT_SHARED(float, raw, kSpeedSize);
    SIMT_SHARED(float, x, kSpeedSize);
    const int t = thread_id();
    for (int i = 0; i < kSpeedSize - 2; ++i) {
        const int s = i + 1;
        const int n = kSpeedSize - s;
        const SpeedReflection reflection = speed_reflection(a, i);
        if (reflection.is_null) // in all threads
            continue;
        barrier();
        if (t > s && t < kSpeedSize && reflection.gamma != 0)
            a[t][i] = a[t][i] / reflection.gamma;
        if (t == s && reflection.gamma != 0)
            a[s][i] = reflection.beta;
        if (t >= s && t < kSpeedSize)
            v[t] = t == s ? 1 : a[t][i];
        barrier();
        if (reflection.tau == 0)
            continue;
        if (t >= s && t < kSpeedSize) {
            float sum = 0;
            for (int c = s; c < kSpeedSize; ++c)
                sum = sum + reflection.tau * a[t][c] * v[c];
            raw[t] = sum;
        }
        barrier();
        float product = 0;
        for (int r = s; r < kSpeedSize; ++r)
            product = product + raw[r] * v[r];
        const float kappa = -0.5f * reflection.tau * product;
        if (t >= s && t < kSpeedSize)
            x[t] = raw[t] + kappa * v[t];
        barrier();
        for (int at = t; at < n * n; at += kSpeedThreads) {
            const int r = s + at / n;
            const int c = s + at % n;
            a[r][c] = a[r][c] - (x[r] * v[c] + v[r] * x[c]);
        }
        barrier();
    }
}

/// [block] Of a tridiagonal matrix.
SIMT_DEVICE void speed_store_eigenvalues(const SpeedRow *a, float *eigenvalues)
{
    SIMT_SHARED(float, diagonal, kSpeedSize);
    SIMT_SHARED(float, off, kSpeedSize);
    const int t = thread_id();
    if (t < kSpeedSize) {
        diagonal[t] = a[t][t];
        off[t] = t + 1 < kSpeedSize ? a[t + 1][t] : 0;
    }
    barrier();
    if (t == 0)
        speed_tridiagonal_eigenvalues(diagonal, off, kSpeedSize);
    barrier();
    if (t < kSpeedSize)
        eigenvalues[t] = speed_one_nan(diagonal[t]);
}

SIMT_DEVICE float speed_norm_from(const float *v, int k)
{
    float sum = 0;
    for (int i = k; i < kSpeedSize; ++i)
        sum = sum + v[i] * v[i];
    return square_root(sum);
}

/// [block] One reflection: rows k and below of z and q.
SIMT_DEVICE void speed_reflect(SpeedRow *z, SpeedRow *q, const float *v, int k)
{
    constexpr int kElements = 2 * kSpeedSize * kSpeedSize;
    constexpr int kPerThread = (kElements + kSpeedThreads - 1) / kSpeedThreads;
    const int rows = kSpeedSize - k;
    float sums[kPerThread] = {};
    SIMT_UNROLL
    for (int part = 0; part < kPerThread; ++part) {
        const int at = thread_id() + part * kSpeedThreads;
        const int i = k + at / (2 * kSpeedSize);
        const int column = at % (2 * kSpeedSize);
        if (at >= rows * 2 * kSpeedSize)
            break;
        const SpeedRow *from = column < kSpeedSize ? z : q;
        const int j = column % kSpeedSize;
        const float factor = -2 * v[i];
        float sum = 0;
        for (int m = k; m < kSpeedSize; ++m) {
            const float product = factor * v[m];
            sum = sum + (m == i ? product + 1 : product) * from[m][j];
        }
        sums[part] = sum;
    }
    barrier();
    SIMT_UNROLL
    for (int part = 0; part < kPerThread; ++part) {
        const int at = thread_id() + part * kSpeedThreads;
        const int i = k + at / (2 * kSpeedSize);
        const int column = at % (2 * kSpeedSize);
        if (at >= rows * 2 * kSpeedSize)
            break;
        (column < kSpeedSize ? z : q)[i][column % kSpeedSize] = sums[part];
    }
    barrier();
}

/// [block] z: the covariance, which becomes triangular; q: the product of the reflections.
SIMT_DEVICE void speed_factorise(SpeedRow *z, SpeedRow *q, const float *covariance)
{
    SIMT_SHARED(float, raw, kSpeedSize);
    SIMT_SHARED(float, v, kSpeedSize);
    const int t = thread_id();
    for (int at = t; at < kSpeedSize * kSpeedSize; at += kSpeedThreads)
        q[at / kSpeedSize][at % kSpeedSize] = at % (kSpeedSize + 1) == 0 ? 1 : 0;
    barrier();
    for (int k = 0; k < kSpeedSize - 1; ++k) {
        if (t >= k && t < kSpeedSize)
            raw[t] = z[t][k];
        barrier();
        if (t == 0) {
            const float length = speed_norm_from(raw, k);
            raw[k] = covariance[k * kSpeedSize + k] >= 0 ? raw[k] + length : raw[k] - length;
        }
        barrier();
        const float norm = speed_norm_from(raw, k);
        if (t >= k && t < kSpeedSize)
            v[t] = raw[t] / norm;
        barrier();
        speed_reflect(z, q, v, k);
    }
}

/// [block] Q and R = Q * covariance.
SIMT_DEVICE void speed_store_factors(const SpeedRow *q, const float *covariance, float *stored_q,
                                     float *stored_r)
{
    for (int at = thread_id(); at < kSpeedSize * kSpeedSize; at += kSpeedThreads) {
        const int i = at / kSpeedSize;
        const int j = at % kSpeedSize;
        float sum = 0;
        for (int m = 0; m < kSpeedSize; ++m)
            sum = sum + q[i][m] * load_readonly(covariance + m * kSpeedSize + j);
        stored_q[at] = q[i][j];
        stored_r[at] = sum;
    }
}

SIMT_DEVICE bool speed_is_singular(const float *eigenvalues, const float *r)
{
    bool is_singular = false;
    for (int k = 0; k < kSpeedSize; ++k) {
        const float diagonal = load_readonly(r + k * (kSpeedSize + 1));
        is_singular = is_singular ||
                      static_cast<double>(load_readonly(eigenvalues + k)) < kSpeedTiny ||
                      static_cast<double>(speed_abs(diagonal)) < kSpeedTiny;
    }
    return is_singular;
}

/// The block's samples times the inverse covariance times its samples.
SIMT_DEVICE float speed_block_s(const float *corner, int pitch, const float *q, const float *r)
{
    float y[kSpeedSize];
    float x[kSpeedSize];
    SIMT_UNROLL
    for (int e = 0; e < kSpeedSize; ++e)
        y[e] = load_readonly(corner + e / kSpeedSide * pitch + e % kSpeedSide);
    SIMT_UNROLL
    for (int step = 0; step < kSpeedSize; ++step) {
        const int i = kSpeedSize - 1 - step;
        float sum = 0;
        SIMT_UNROLL
        for (int m = 0; m < kSpeedSize; ++m)
            sum = sum + load_readonly(q + i * kSpeedSize + m) * y[m];
        SIMT_UNROLL
        for (int m = 0; m < kSpeedSize; ++m)
            if (m > i)
                sum = sum - x[m] * load_readonly(r + i * kSpeedSize + m);
        x[i] = sum / load_readonly(r + i * kSpeedSize + i);
    }
    float s = x[0] * y[0] / kSpeedSize;
    SIMT_UNROLL
    for (int e = 1; e < kSpeedSize; ++e)
        s = s + x[e] * y[e] / kSpeedSize;
    return s;
}

} // namespace
} // namespace vmafgpu
