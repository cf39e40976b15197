// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm in plain loops: the reference code for float_adm_cpu.cpp. It follows
// docs/numerics/float.md, and is not fast.
#include <cmath>
#include <cstring>

#include "base/numeric.h"
#include "features/float_adm/float_adm.h"
#include "features/float_adm/float_adm_tables.h"
#include "libm/libm.h"
#include "picture/float_plane.h"

namespace vmafgpu::float_adm {

namespace {

/// Bands of a picture, of what is restored or added of them: by orientation.
// The names are those of the copying that the compiler adds.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
struct Bands {
    FloatPlane of[kOrientations];
};

struct Wavelet {
    FloatPlane approximation;
    Bands detail;
};

enum Orientation { kHorizontal, kVertical, kDiagonal };

float apply(const float (&taps)[4], const float (&samples)[4])
{
    return taps[0] * samples[0] + taps[1] * samples[1] + taps[2] * samples[2] +
           taps[3] * samples[3];
}

/// Down the columns, to half the rows.
FloatPlane filter_columns(const FloatPlane &plane, const float (&taps)[4])
{
    FloatPlane result(plane.width, (plane.height + 1) / 2);
    for (int y = 0; y < result.height; ++y)
        for (int x = 0; x < plane.width; ++x) {
            float samples[4];
            for (int t = 0; t < 4; ++t)
                samples[t] = plane.at(x, mirror_high_repeat(2 * y - 1 + t, plane.height));
            result.at(x, y) = apply(taps, samples);
        }
    return result;
}

FloatPlane filter_rows(const FloatPlane &plane, const float (&taps)[4])
{
    FloatPlane result((plane.width + 1) / 2, plane.height);
    for (int y = 0; y < result.height; ++y)
        for (int x = 0; x < result.width; ++x) {
            float samples[4];
            for (int t = 0; t < 4; ++t)
                samples[t] = plane.at(mirror_high_repeat(2 * x - 1 + t, plane.width), y);
            result.at(x, y) = apply(taps, samples);
        }
    return result;
}

Wavelet transform(const FloatPlane &plane)
{
    const FloatPlane low = filter_columns(plane, kLow);
    const FloatPlane high = filter_columns(plane, kHigh);
    return {filter_rows(low, kLow),
            {{filter_rows(high, kLow), filter_rows(low, kHigh), filter_rows(high, kHigh)}}};
}

float quotient(const ReciprocalTable *table, float t, float o)
{
    const float divisor = o + kTiny;
    if (table == nullptr)
        return t / divisor;
    const float first = approximate_reciprocal(*table, divisor);
    const float error = 1.0F - divisor * first;
    return t * (first + first * error);
}

/// The part of `t` that is the reference's `o`, weaker or enhanced.
float restore(const Config &config, float o, float t, bool is_aligned)
{
    const float q = quotient(config.table, t, o);
    const float share = q < 0 ? 0 : (q > 1 ? 1 : q);
    const float restored = share * o;
    const double enhanced = static_cast<double>(restored) * config.gain_limit;
    const double wide = t;
    if (is_aligned && restored > 0)
        return static_cast<float>(enhanced < wide ? enhanced : wide);
    if (is_aligned && restored < 0)
        return static_cast<float>(enhanced > wide ? enhanced : wide);
    return restored;
}

/// Splits the distorted bands into what is restored of the reference and what is added.
void decouple(const Config &config, const Bands &reference, const Bands &distorted, Bands &restored,
              Bands &added)
{
    const int width = reference.of[0].width;
    const int height = reference.of[0].height;
    for (int i = 0; i < kOrientations; ++i)
        restored.of[i] = added.of[i] = FloatPlane(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const float oh = reference.of[kHorizontal].at(x, y);
            const float ov = reference.of[kVertical].at(x, y);
            const float th = distorted.of[kHorizontal].at(x, y);
            const float tv = distorted.of[kVertical].at(x, y);
            const float product = oh * th + ov * tv;
            const float square_o = oh * oh + ov * ov;
            const float square_t = th * th + tv * tv;
            const bool is_aligned =
                product >= 0 && product * product >= kCosine * square_o * square_t;
            for (int i = 0; i < kOrientations; ++i) {
                const float t = distorted.of[i].at(x, y);
                const float r = restore(config, reference.of[i].at(x, y), t, is_aligned);
                restored.of[i].at(x, y) = r;
                added.of[i].at(x, y) = t - r;
            }
        }
}

float powered(float value, float power)
{
    return power == 3.0F ? value * value * value : libm::powf(value, power);
}

/// Sum over the region of a band: of rows, then of their sums.
template <typename Value> float sum_powers(const Config &config, const Band &band, Value value)
{
    float sum = 0;
    for (int y = band.top; y < band.bottom; ++y) {
        float row = 0;
        for (int x = band.left; x < band.right; ++x)
            row = row + powered(value(x, y), config.power);
        sum = sum + row;
    }
    return sum;
}

/// Masking by the weighted band `masker` at a sample.
float masking(const FloatPlane &masker, int x, int y)
{
    float sum = 0;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
            const float value = std::fabs(masker.at(mirror_high_repeat(x + i, masker.width),
                                                    mirror_high_repeat(y + j, masker.height)));
            const double wide = value;
            if (i == 0 && j == 0)
                sum = static_cast<float>(static_cast<double>(sum) + kCentreWeight * wide);
            else
                sum = sum + static_cast<float>(kNeighbourWeight * wide);
        }
    return sum;
}

Bands weighted(const Band &band, const Bands &bands)
{
    Bands result = bands;
    for (int i = 0; i < kOrientations; ++i)
        for (float &sample : result.of[i].samples)
            sample = band.factor[i] * sample;
    return result;
}

/// Powers of what masking leaves of `source`.
void sum_visible(const Config &config, const Band &band, const Bands &source, const Bands &masker,
                 float (&sums)[kOrientations])
{
    FloatPlane threshold(band.width, band.height);
    if (!config.bypasses_masking)
        for (int y = 0; y < band.height; ++y)
            for (int x = 0; x < band.width; ++x)
                threshold.at(x, y) = masking(masker.of[kHorizontal], x, y) +
                                     masking(masker.of[kVertical], x, y) +
                                     masking(masker.of[kDiagonal], x, y);
    for (int i = 0; i < kOrientations; ++i)
        sums[i] = sum_powers(config, band, [&](int x, int y) {
            const float visible = std::fabs(source.of[i].at(x, y)) - threshold.at(x, y);
            return visible < 0 ? 0.0F : visible;
        });
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    std::memset(&sums, 0, sizeof(sums));
    const Format &format = config.format;
    FloatPlane reference = to_float(pair.reference[0], format.width, format.height, format.depth);
    FloatPlane distorted = to_float(pair.distorted[0], format.width, format.height, format.depth);
    for (int scale = 0; scale < kScales; ++scale) {
        Wavelet o = transform(reference);
        Wavelet t = transform(distorted);
        if (scale > 0 || !config.skip_scale0) {
            const Band &band = config.band[scale];
            Bands restored;
            Bands added;
            decouple(config, o.detail, t.detail, restored, added);
            const Bands weighted_reference = weighted(band, o.detail);
            for (int i = 0; i < kOrientations; ++i)
                sums.den[scale][i] = sum_powers(config, band, [&](int x, int y) {
                    return std::fabs(weighted_reference.of[i].at(x, y));
                });
            restored = weighted(band, restored);
            added = weighted(band, added);
            sum_visible(config, band, restored, added, sums.num[scale]);
            sum_visible(config, band, added, restored, sums.aim[scale]);
        }
        reference = std::move(o.approximation);
        distorted = std::move(t.approximation);
    }
}

} // namespace vmafgpu::float_adm
