// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma in plain loops: the reference code for speed_chroma_cpu.cpp and for the kernels. A
// "serial" sum is part of the numerics: it starts at +0 and adds its terms in order.
#include "features/speed_chroma/speed_chroma.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/numeric.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "libm/libm.h"

namespace vmafgpu::speed_chroma {

namespace {

constexpr int kN = kVector;

/// A plane of floats, rows without padding.
struct FloatPlane {
    FloatPlane(int w, int h) : width(w), height(h), samples(static_cast<size_t>(w) * h) {}
    float &at(int y, int x) { return samples[static_cast<size_t>(y) * width + x]; }
    float at(int y, int x) const { return samples[static_cast<size_t>(y) * width + x]; }

    int width, height;
    std::vector<float> samples;
};

FloatPlane centred(const Config &config, const Plane &plane)
{
    FloatPlane result(config.width, config.height);
    const float scale = 1.0F / static_cast<float>(1 << (config.depth - 8));
    for (int y = 0; y < result.height; ++y) {
        for (int x = 0; x < result.width; ++x) {
            const int sample = config.depth == 8 ? plane_row<uint8_t>(plane, y)[x]
                                                 : plane_row<uint16_t>(plane, y)[x];
            result.at(y, x) = static_cast<float>(sample) * scale - 128;
        }
    }
    return result;
}

FloatPlane resized(const Config &config, const FloatPlane &from)
{
    if (config.taps == 0)
        return from;
    FloatPlane result(config.resized_width, config.resized_height);
    for (int y = 0; y < result.height; ++y) {
        for (int x = 0; x < result.width; ++x) {
            float sum = 0;
            float weights = 0;
            for (int j = y * config.taps; j < (y + 1) * config.taps; ++j) {
                for (int i = x * config.taps; i < (x + 1) * config.taps; ++i) {
                    const float weight = config.columns.weight[i] * config.rows.weight[j];
                    weights = weights + weight;
                    sum = sum + from.at(config.rows.index[j], config.columns.index[i]) * weight;
                }
            }
            result.at(y, x) = config.resize == FloatResize::kLanczos4 ? sum / weights : sum;
        }
    }
    return result;
}

/// Filters down the columns, then along the rows; only every step-th row and column.
FloatPlane filtered(const std::vector<float> &taps, const FloatPlane &from, int step)
{
    const int length = static_cast<int>(taps.size());
    const int half = (length - 1) / 2;
    FloatPlane result(from.width / step, from.height / step);
    std::vector<float> column(from.width);
    for (int i = 0; i < result.height; ++i) {
        for (int x = 0; x < from.width; ++x) {
            column[x] = 0;
            for (int u = 0; u < length; ++u)
                column[x] =
                    column[x] + taps[u] * from.at(mirror(step * i - half + u, from.height), x);
        }
        for (int j = 0; j < result.width; ++j) {
            float sum = 0;
            for (int t = 0; t < length; ++t)
                sum = sum + taps[t] * column[mirror(step * j - half + t, from.width)];
            result.at(i, j) = sum;
        }
    }
    return result;
}

FloatPlane residual_of(const Config &config, const Plane &plane)
{
    FloatPlane low =
        filtered(config.low_pass, resized(config, centred(config, plane)), kLowPassStep);
    const FloatPlane mean = filtered(config.local_mean, low, 1);
    for (size_t i = 0; i < low.samples.size(); ++i)
        low.samples[i] = low.samples[i] - mean.samples[i];
    return low;
}

/// Returns the mean of element e = 5 * row + column of all windows; over all places, rows first.
float window_mean(const Config &config, const FloatPlane &residual, int e)
{
    float sum = 0;
    for (int i = 0; i < config.places_y(); ++i)
        for (int j = 0; j < config.places_x(); ++j)
            sum = sum + residual.at(i + e / kEdge, j + e % kEdge);
    return sum / static_cast<float>(config.places_x() * config.places_y());
}

void covariance_of(const Config &config, const FloatPlane &residual, Matrix &covariance)
{
    float mean[kN];
    for (int e = 0; e < kN; ++e)
        mean[e] = window_mean(config, residual, e);
    for (int x = 0; x < kN; ++x) {
        for (int y = 0; y <= x; ++y) {
            double sum = 0;
            for (int i = 0; i < config.places_y(); ++i) {
                for (int j = 0; j < config.places_x(); ++j) {
                    const double a = residual.at(i + x / kEdge, j + x % kEdge);
                    const double b = residual.at(i + y / kEdge, j + y % kEdge);
                    sum = sum + (a - mean[x]) * (b - mean[y]);
                }
            }
            const auto value = static_cast<float>(sum / (config.places_x() * config.places_y()));
            covariance[x * kN + y] = covariance[y * kN + x] = value;
        }
    }
}

/// Householder's reduction, column i: v is what it reflects along; false if nothing is
/// to be done. Changes A's column i.
bool make_reflection(float *a, int i, float *v, float &tau)
{
    const int s = i + 1;
    float squares = 0;
    for (int r = s + 1; r < kN; ++r)
        squares = squares + a[r * kN + i] * a[r * kN + i];
    const float norm = std::sqrt(squares);
    if (norm == 0)
        return false;
    const float alpha = a[s * kN + i];
    const float length = std::sqrt(alpha * alpha + norm * norm);
    const float beta = alpha >= 0 ? -length : length;
    tau = (beta - alpha) / beta;
    const float gamma = alpha - beta;
    if (gamma != 0) {
        for (int r = s + 1; r < kN; ++r)
            a[r * kN + i] = a[r * kN + i] / gamma;
        a[s * kN + i] = beta;
    }
    v[s] = 1;
    for (int r = s + 1; r < kN; ++r)
        v[r] = a[r * kN + i];
    return tau != 0;
}

void tridiagonalise(float *a)
{
    for (int i = 0; i < kN - 2; ++i) {
        float v[kN], x[kN], tau = 0;
        if (!make_reflection(a, i, v, tau))
            continue;
        const int s = i + 1;
        float product = 0;
        for (int r = s; r < kN; ++r) {
            x[r] = 0;
            for (int c = s; c < kN; ++c)
                x[r] = x[r] + tau * a[r * kN + c] * v[c];
            product = product + x[r] * v[r];
        }
        const float kappa = -0.5F * tau * product;
        for (int r = s; r < kN; ++r)
            x[r] = x[r] + kappa * v[r];
        for (int r = s; r < kN; ++r)
            for (int c = s; c < kN; ++c)
                a[r * kN + c] = a[r * kN + c] - (x[r] * v[c] + v[r] * x[c]);
    }
}

void eigenvalues_of(const Matrix &covariance, float *eigenvalues)
{
    Matrix a;
    std::memcpy(a, covariance, sizeof(a));
    tridiagonalise(a);
    float off[kN - 1];
    for (int i = 0; i < kN; ++i)
        eigenvalues[i] = a[i * kN + i];
    for (int i = 0; i < kN - 1; ++i)
        off[i] = a[(i + 1) * kN + i];
    tridiagonal_eigenvalues(eigenvalues, off, kN);
}

float norm_from(const float *v, int k)
{
    float sum = 0;
    for (int i = k; i < kN; ++i)
        sum = sum + v[i] * v[i];
    return std::sqrt(sum);
}

/// Reflections that make `covariance` triangular: q * covariance = r.
void factorise(const Matrix &covariance, Matrix &q, Matrix &r)
{
    Matrix z;
    std::memcpy(z, covariance, sizeof(z));
    for (int i = 0; i < kN * kN; ++i)
        q[i] = i % (kN + 1) == 0 ? 1 : 0;
    for (int k = 0; k < kN - 1; ++k) {
        float v[kN];
        for (int i = k; i < kN; ++i)
            v[i] = z[i * kN + k];
        const float length = norm_from(v, k);
        v[k] = covariance[k * kN + k] >= 0 ? v[k] + length : v[k] - length;
        const float norm = norm_from(v, k);
        for (int i = k; i < kN; ++i)
            v[i] = v[i] / norm;
        Matrix next_z, next_q;
        std::memcpy(next_z, z, sizeof(z));
        std::memcpy(next_q, q, sizeof(z));
        // Each sum runs over ascending m; all columns j are computed side by side.
        for (int i = k; i < kN; ++i) {
            float *row_z = next_z + i * kN;
            float *row_q = next_q + i * kN;
            std::fill_n(row_z + k, kN - k, 0.0F);
            std::fill_n(row_q, kN, 0.0F);
            for (int m = k; m < kN; ++m) {
                const float product = -2 * v[i] * v[m];
                const float p = m == i ? product + 1 : product;
                for (int j = k; j < kN; ++j)
                    row_z[j] = row_z[j] + p * z[m * kN + j];
                for (int j = 0; j < kN; ++j)
                    row_q[j] = row_q[j] + p * q[m * kN + j];
            }
        }
        std::memcpy(z, next_z, sizeof(z));
        std::memcpy(q, next_q, sizeof(z));
    }
    std::fill_n(r, kN * kN, 0.0F);
    for (int i = 0; i < kN; ++i)
        for (int m = 0; m < kN; ++m)
            for (int j = 0; j < kN; ++j)
                r[i * kN + j] = r[i * kN + j] + q[i * kN + m] * covariance[m * kN + j];
}

float block_s(const Matrix &q, const Matrix &r, const float *y)
{
    float x[kN];
    for (int i = kN - 1; i >= 0; --i) {
        float sum = 0;
        for (int m = 0; m < kN; ++m)
            sum = sum + q[i * kN + m] * y[m];
        for (int m = i + 1; m < kN; ++m)
            sum = sum - x[m] * r[i * kN + m];
        x[i] = sum / r[i * kN + i];
    }
    float s = x[0] * y[0] / kN;
    for (int e = 1; e < kN; ++e)
        s = s + x[e] * y[e] / kN;
    return s;
}

float one_nan(float v)
{
    if (v == v)
        return v;
    std::memcpy(&v, &kNan, sizeof(v));
    return v;
}

} // namespace

void set_entropies(const Config &config, const PlaneSums &plane, const float *s, float *e)
{
    for (int b = 0; b < config.blocks(); ++b) {
        float entropy = 0;
        for (const float eigenvalue : plane.eigenvalues) {
            const float positive = eigenvalue < 0 ? 0 : eigenvalue;
            const double log = libm::log2(static_cast<double>(positive * s[b] + config.sigma));
            entropy = static_cast<float>(static_cast<double>(entropy) + (log + kEntropy));
        }
        e[b] = one_nan(entropy);
    }
}

void solve(const Config &config, const Matrix &covariance, const float *residual, PlaneSums &plane,
           float *s, float *e)
{
    plane = {};
    eigenvalues_of(covariance, plane.eigenvalues);
    Matrix q, r;
    factorise(covariance, q, r);
    for (int i = 0; i < kN; ++i) {
        if (plane.eigenvalues[i] < kTiny || std::fabs(r[i * kN + i]) < kTiny)
            plane.is_singular = 1;
        plane.eigenvalues[i] = one_nan(plane.eigenvalues[i]);
    }
    for (int b = 0; b < config.blocks(); ++b) {
        const float *corner =
            residual + static_cast<ptrdiff_t>(kEdge) * config.low_width * (b / config.blocks_x) +
            kEdge * (b % config.blocks_x);
        float y[kN];
        for (int i = 0; i < kN; ++i)
            y[i] = corner[i / kEdge * config.low_width + i % kEdge];
        s[b] = plane.is_singular != 0 ? 0 : one_nan(block_s(q, r, y));
    }
    set_entropies(config, plane, s, e);
}

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    const int blocks = config.blocks();
    const SumsView out(sums, blocks);
    for (int p = 0; p < kPlanes; ++p) {
        const FloatPlane residual = residual_of(config, plane_of(pair, p));
        Matrix covariance;
        covariance_of(config, residual, covariance);
        solve(config, covariance, residual.samples.data(), out.planes[p], out.s + p * blocks,
              out.e + p * blocks);
    }
}

} // namespace vmafgpu::speed_chroma
