// SPDX-License-Identifier: BSD-2-Clause-Patent
// The linear algebra of speed_chroma_kernels.cpp, on 25 x 25 matrices in shared memory:
// a block's threads work on one matrix, each of a sum's terms in its serial order.
// Functions marked [block] are called by every thread of the block. For the plain form
// of each see speed_chroma_ref.cpp. A subject of its own: it knows nothing of pictures.
#pragma once

#include "features/speed_chroma/speed_chroma_args.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "simt/simt.h"

namespace vmafgpu::speed_chroma {
namespace {

using Row = float[kVector];

SIMT_DEVICE float one_nan(float v)
{
    const uint32_t nan = kNan;
    if (!(v == v))
        __builtin_memcpy(&v, &nan, sizeof(v));
    return v;
}

/// The vector of Householder's reflection of column i; equal in every thread.
struct Reflection {
    float tau, beta, gamma;
    bool is_null; ///< the column is left as it is
};

SIMT_DEVICE Reflection reflection_of(const Row *a, int i)
{
    const int s = i + 1;
    float squares = 0;
    for (int r = s + 1; r < kVector; ++r)
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
SIMT_DEVICE void store_reflection(Row *a, int s, const Reflection &reflection, float *v)
{
    const int t = thread_id();
    if (t > s && t < kVector && reflection.gamma != 0)
        a[t][s - 1] = a[t][s - 1] / reflection.gamma;
    if (t == s && reflection.gamma != 0)
        a[s][s - 1] = reflection.beta;
    if (t >= s && t < kVector)
        v[t] = t == s ? 1 : a[t][s - 1];
    barrier();
}

/// [block] Applies a reflection to rows and columns s and up of a, from both sides:
/// a -= x v' + v x'.
SIMT_DEVICE void reflect_both_sides(Row *a, int s, float tau, const float *v)
{
    SIMT_SHARED(float, raw, kVector);
    SIMT_SHARED(float, x, kVector);
    const int t = thread_id();
    if (t >= s && t < kVector) {
        float sum = 0;
        for (int c = s; c < kVector; ++c)
            sum = sum + tau * a[t][c] * v[c];
        raw[t] = sum;
    }
    barrier();
    float product = 0;
    for (int r = s; r < kVector; ++r)
        product = product + raw[r] * v[r];
    const float kappa = -0.5f * tau * product;
    if (t >= s && t < kVector)
        x[t] = raw[t] + kappa * v[t];
    barrier();
    const int n = kVector - s;
    for (int at = t; at < n * n; at += kThreads) {
        const int r = s + at / n;
        const int c = s + at % n;
        a[r][c] = a[r][c] - (x[r] * v[c] + v[r] * x[c]);
    }
    barrier();
}

/// [block] a becomes tridiagonal (its upper part is not kept up).
SIMT_DEVICE void tridiagonalise(Row *a)
{
    SIMT_SHARED(float, v, kVector);
    for (int i = 0; i < kVector - 2; ++i) {
        const Reflection reflection = reflection_of(a, i);
        if (reflection.is_null) // all threads have the same answer
            continue;
        barrier();
        store_reflection(a, i + 1, reflection, v);
        if (reflection.tau != 0)
            reflect_both_sides(a, i + 1, reflection.tau, v);
    }
}

/// [block] Of a tridiagonal matrix.
SIMT_DEVICE void store_eigenvalues(const Row *a, float *eigenvalues)
{
    SIMT_SHARED(float, diagonal, kVector);
    SIMT_SHARED(float, off, kVector);
    const int t = thread_id();
    if (t < kVector) {
        diagonal[t] = a[t][t];
        off[t] = t + 1 < kVector ? a[t + 1][t] : 0;
    }
    barrier();
    if (t == 0)
        tridiagonal_eigenvalues(diagonal, off, kVector);
    barrier();
    if (t < kVector)
        eigenvalues[t] = one_nan(diagonal[t]);
}

SIMT_DEVICE float norm_from(const float *v, int k)
{
    float sum = 0;
    for (int i = k; i < kVector; ++i)
        sum = sum + v[i] * v[i];
    return square_root(sum);
}

/// [block] One reflection: rows k and below of z and q.
SIMT_DEVICE void reflect(Row *z, Row *q, const float *v, int k)
{
    constexpr int kElements = 2 * kVector * kVector;
    constexpr int kPerThread = divide_up(kElements, kThreads);
    const int rows = kVector - k;
    float sums[kPerThread] = {};
    SIMT_UNROLL
    for (int part = 0; part < kPerThread; ++part) {
        const int at = thread_id() + part * kThreads;
        const int i = k + at / (2 * kVector);
        const int column = at % (2 * kVector);
        if (at >= rows * 2 * kVector)
            break;
        const Row *from = column < kVector ? z : q;
        const int j = column % kVector;
        const float factor = -2 * v[i];
        float sum = 0;
        for (int m = k; m < kVector; ++m) {
            const float product = factor * v[m];
            sum = sum + (m == i ? product + 1 : product) * from[m][j];
        }
        sums[part] = sum;
    }
    barrier();
    SIMT_UNROLL
    for (int part = 0; part < kPerThread; ++part) {
        const int at = thread_id() + part * kThreads;
        const int i = k + at / (2 * kVector);
        const int column = at % (2 * kVector);
        if (at >= rows * 2 * kVector)
            break;
        (column < kVector ? z : q)[i][column % kVector] = sums[part];
    }
    barrier();
}

/// [block] z: the covariance, which becomes triangular; q: the product of the reflections.
SIMT_DEVICE void factorise_qr(Row *z, Row *q, const float *covariance)
{
    SIMT_SHARED(float, raw, kVector);
    SIMT_SHARED(float, v, kVector);
    const int t = thread_id();
    for (int at = t; at < kVector * kVector; at += kThreads)
        q[at / kVector][at % kVector] = at % (kVector + 1) == 0 ? 1 : 0;
    barrier();
    for (int k = 0; k < kVector - 1; ++k) {
        if (t >= k && t < kVector)
            raw[t] = z[t][k];
        barrier();
        if (t == 0) {
            const float length = norm_from(raw, k);
            raw[k] = covariance[k * kVector + k] >= 0 ? raw[k] + length : raw[k] - length;
        }
        barrier();
        const float norm = norm_from(raw, k);
        if (t >= k && t < kVector)
            v[t] = raw[t] / norm;
        barrier();
        reflect(z, q, v, k);
    }
}

/// [block] Q and R = Q * covariance.
SIMT_DEVICE void store_factors(const Row *q, const float *covariance, float *stored_q,
                               float *stored_r)
{
    for (int at = thread_id(); at < kVector * kVector; at += kThreads) {
        const int i = at / kVector;
        const int j = at % kVector;
        float sum = 0;
        for (int m = 0; m < kVector; ++m)
            sum = sum + q[i][m] * load_readonly(covariance + m * kVector + j);
        stored_q[at] = q[i][j];
        stored_r[at] = sum;
    }
}

SIMT_DEVICE bool is_singular_matrix(const float *eigenvalues, const float *r)
{
    bool is_singular = false;
    for (int k = 0; k < kVector; ++k) {
        const float diagonal = load_readonly(r + k * (kVector + 1));
        is_singular = is_singular || static_cast<double>(load_readonly(eigenvalues + k)) < kTiny ||
                      static_cast<double>(absolute(diagonal)) < kTiny;
    }
    return is_singular;
}

/// The block's samples times the inverse covariance times its samples.
SIMT_DEVICE float block_s(const float *corner, int pitch, const float *q, const float *r)
{
    float y[kVector];
    float x[kVector];
    SIMT_UNROLL
    for (int e = 0; e < kVector; ++e)
        y[e] = load_readonly(corner + e / kEdge * pitch + e % kEdge);
    SIMT_UNROLL
    for (int step = 0; step < kVector; ++step) {
        const int i = kVector - 1 - step;
        float sum = 0;
        SIMT_UNROLL
        for (int m = 0; m < kVector; ++m)
            sum = sum + load_readonly(q + i * kVector + m) * y[m];
        SIMT_UNROLL
        for (int m = 0; m < kVector; ++m)
            if (m > i)
                sum = sum - x[m] * load_readonly(r + i * kVector + m);
        x[i] = sum / load_readonly(r + i * kVector + i);
    }
    float s = x[0] * y[0] / kVector;
    SIMT_UNROLL
    for (int e = 1; e < kVector; ++e)
        s = s + x[e] * y[e] / kVector;
    return s;
}

} // namespace
} // namespace vmafgpu::speed_chroma
