// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIM and MS-SSIM in plain loops: the reference code for ssim_cpu.cpp and for the kernels.
#include <cstring>
#include <vector>

#include "features/ssim/ssim.h"

namespace vmafgpu::ssim {

namespace {

/// A plane of floats, rows without padding.
struct FloatPlane {
    FloatPlane(int w, int h)
        : width(w), height(h), values(static_cast<size_t>(w) * static_cast<size_t>(h))
    {
    }
    float &at(int x, int y)
    {
        return values[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
    }
    float at(int x, int y) const { return const_cast<FloatPlane *>(this)->at(x, y); }
    float mirrored(int x, int y) const
    {
        return at(mirror_repeat(x, width), mirror_repeat(y, height));
    }

    int width, height;
    std::vector<float> values;
};

FloatPlane load(const Plane &plane, const Config &config)
{
    FloatPlane result(config.width, config.height);
    const auto unit = static_cast<float>(1 << (config.depth - 8));
    for (int y = 0; y < config.height; ++y) {
        for (int x = 0; x < config.width; ++x) {
            const int sample = config.depth > 8 ? plane_row<uint16_t>(plane, y)[x]
                                                : plane_row<uint8_t>(plane, y)[x];
            result.at(x, y) = static_cast<float>(sample) / unit;
        }
    }
    return result;
}

/// Means of boxes of factor x factor samples; those of an even factor reach further up and left.
FloatPlane box(const FloatPlane &from, const Config &config)
{
    const int factor = config.factor;
    const float weight = 1.0F / static_cast<float>(factor * factor);
    FloatPlane to(config.scale_width[0], config.scale_height[0]);
    for (int y = 0; y < to.height; ++y) {
        for (int x = 0; x < to.width; ++x) {
            double sum = 0;
            for (int v = 0; v < factor; ++v)
                for (int u = 0; u < factor; ++u) {
                    const float term =
                        from.mirrored(x * factor - factor / 2 + u, y * factor - factor / 2 + v) *
                        weight;
                    sum = sum + static_cast<double>(term);
                }
            to.at(x, y) = static_cast<float>(sum);
        }
    }
    return to;
}

/// The next scale of the pyramid.
FloatPlane half(const FloatPlane &from)
{
    FloatPlane to((from.width + 1) / 2, (from.height + 1) / 2);
    for (int y = 0; y < to.height; ++y) {
        for (int x = 0; x < to.width; ++x) {
            double sum = 0;
            for (int v = -kHalfReach; v <= kHalfReach; ++v)
                for (int u = -kHalfReach; u <= kHalfReach; ++u) {
                    const float weight = kHalfWeights[v < 0 ? -v : v][u < 0 ? -u : u];
                    const float term = from.mirrored(2 * x + u, 2 * y + v) * weight;
                    sum = sum + static_cast<double>(term);
                }
            to.at(x, y) = static_cast<float>(sum);
        }
    }
    return to;
}

/// The window's means of the products of two planes; of one plane where there is no second.
FloatPlane blur(const FloatPlane &first, const FloatPlane *second)
{
    FloatPlane rows(first.width - kTaps + 1, first.height);
    for (int y = 0; y < rows.height; ++y) {
        for (int x = 0; x < rows.width; ++x) {
            double sum = 0;
            for (int k = 0; k < kTaps; ++k) {
                const float one = first.at(x + k, y);
                const float value = second == nullptr ? one : one * second->at(x + k, y);
                const float term = value * kGaussian[k];
                sum = sum + static_cast<double>(term);
            }
            rows.at(x, y) = static_cast<float>(sum);
        }
    }
    FloatPlane result(rows.width, rows.height - kTaps + 1);
    for (int y = 0; y < result.height; ++y) {
        for (int x = 0; x < result.width; ++x) {
            double sum = 0;
            for (int k = 0; k < kTaps; ++k) {
                const float term = rows.at(x, y + k) * kGaussian[k];
                sum = sum + static_cast<double>(term);
            }
            result.at(x, y) = static_cast<float>(sum);
        }
    }
    return result;
}

void scale_sums(const FloatPlane &a, const FloatPlane &c, int first_mean, ScaleSums &sums)
{
    const FloatPlane mean1 = blur(a, nullptr);
    const FloatPlane mean2 = blur(c, nullptr);
    const FloatPlane square1 = blur(a, &a);
    const FloatPlane square2 = blur(c, &c);
    const FloatPlane product = blur(a, &c);
    double totals[kMeans] = {};
    for (size_t i = 0; i < mean1.values.size(); ++i) {
        const Terms terms = terms_of({mean1.values[i], mean2.values[i], square1.values[i],
                                      square2.values[i], product.values[i]});
        totals[kProduct] += terms.product();
        totals[kLuminance] += terms.l;
        totals[kContrast] += terms.c;
        totals[kStructure] += terms.s;
    }
    const auto count = static_cast<double>(mean1.values.size());
    for (int kind = first_mean; kind < kMeans; ++kind)
        sums.means[kind] = static_cast<float>(totals[kind] / count);
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    std::memset(&sums, 0, sums_bytes(config));
    FloatPlane a = load(pair.reference[0], config);
    FloatPlane c = load(pair.distorted[0], config);
    if (config.factor > 1) {
        a = box(a, config);
        c = box(c, config);
    }
    for (int scale = 0; scale < config.scales; ++scale) {
        if (scale > 0) {
            a = half(a);
            c = half(c);
        }
        if (config.has_pixels(scale))
            scale_sums(a, c, config.first_mean(), sums.scales[scale]);
    }
}

} // namespace vmafgpu::ssim
