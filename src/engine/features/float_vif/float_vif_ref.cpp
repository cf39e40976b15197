// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif in plain loops: the reference code for float_vif_cpu.cpp. It follows
// docs/numerics/float.md, and is not fast.
#include <cstring>

#include "features/float_vif/float_vif.h"
#include "features/float_vif/float_vif_tables.h"

namespace vmafgpu::float_vif {

namespace {

/// A polynomial in place of log2; x is at least 1, infinite or NaN.
float log2_of(float x)
{
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    const int exponent = static_cast<int>(bits >> 23 & 255) - 127;
    const uint32_t mantissa_bits = (bits & 0x7fffff) | 0x3f800000;
    float mantissa;
    std::memcpy(&mantissa, &mantissa_bits, sizeof(mantissa));
    const float z = mantissa - 1.0F;
    float sum = 0;
    for (const float coefficient : kLog)
        sum = sum * z + coefficient;
    return static_cast<float>(exponent) + sum;
}

float larger(float a, float b)
{
    return a > b ? a : b;
}

/// Filtered samples, squares and products of a pixel.
struct Moments {
    float mean1, mean2, square1, square2, product;
};

struct Terms {
    float num, den;
};

Terms terms_of(const Moments &m, const Config &config)
{
    const double noise = config.noise;
    float variance1 = larger(m.square1 - m.mean1 * m.mean1, 0.0F);
    const float variance2 = larger(m.square2 - m.mean2 * m.mean2, 0.0F);
    const float covariance = m.product - m.mean1 * m.mean2;
    float gain = covariance / (variance1 + kEpsilon);
    float rest = variance2 - gain * covariance;
    if (variance1 < kEpsilon) {
        gain = 0;
        rest = variance2;
        variance1 = 0;
    }
    if (variance2 < kEpsilon) {
        gain = 0;
        rest = 0;
    }
    if (gain < 0) {
        rest = variance2;
        gain = 0;
    }
    rest = larger(rest, kEpsilon);
    gain = gain < config.gain_limit ? gain : config.gain_limit;
    if (static_cast<double>(variance1) < noise)
        return {1.0F - variance2 * flat_factor(noise), 1.0F};
    const float signal = gain * gain * variance1;
    const auto num =
        static_cast<float>(1.0 + static_cast<double>(signal) / (static_cast<double>(rest) + noise));
    const auto den = static_cast<float>(1.0 + static_cast<double>(variance1) / noise);
    return {covariance < 0 ? 0.0F : log2_of(num), log2_of(den)};
}

void add_scale(const FloatPlane &reference, const FloatPlane &distorted, int scale,
               const Config &config, Sums &sums)
{
    const std::vector<float> &taps = config.taps[scale];
    const FloatPlane mean1 = filter_plane(reference, taps, 1);
    const FloatPlane mean2 = filter_plane(distorted, taps, 1);
    const FloatPlane square1 = filter_plane(multiply_planes(reference, reference), taps, 1);
    const FloatPlane square2 = filter_plane(multiply_planes(distorted, distorted), taps, 1);
    const FloatPlane product = filter_plane(multiply_planes(reference, distorted), taps, 1);
    for (int y = 0; y < reference.height; ++y) {
        Terms row = {0, 0};
        for (int x = 0; x < reference.width; ++x) {
            const Terms terms = terms_of({mean1.at(x, y), mean2.at(x, y), square1.at(x, y),
                                          square2.at(x, y), product.at(x, y)},
                                         config);
            row.num = row.num + terms.num;
            row.den = row.den + terms.den;
        }
        sums.num[scale] = sums.num[scale] + row.num;
        sums.den[scale] = sums.den[scale] + row.den;
    }
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    std::memset(&sums, 0, sizeof(sums));
    const Format &format = config.format;
    FloatPlane reference =
        resize_plane(to_float(pair.reference[0], format.width, format.height, format.depth),
                     config.method, config.width, config.height);
    FloatPlane distorted =
        resize_plane(to_float(pair.distorted[0], format.width, format.height, format.depth),
                     config.method, config.width, config.height);
    for (int scale = 0; scale < kScales; ++scale) {
        if (scale > 0) { // the new scale's own filter halves it
            reference = filter_plane(reference, config.taps[scale], 2);
            distorted = filter_plane(distorted, config.taps[scale], 2);
        }
        if (scale > 0 || !config.skip_scale0)
            add_scale(reference, distorted, scale, config, sums);
    }
}

} // namespace vmafgpu::float_vif
