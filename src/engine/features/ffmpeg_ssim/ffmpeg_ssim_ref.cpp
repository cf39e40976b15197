// SPDX-License-Identifier: BSD-2-Clause-Patent
// The plain oracle of ffmpeg_ssim: what ffmpeg_ssim_cpu.cpp must equal. Not fast: each window adds
// up its 64 samples.
#include "features/ffmpeg_ssim/ffmpeg_ssim.h"

#include <cmath>

namespace vmafgpu::ffmpeg_ssim {

namespace {

struct Moments {
    int64_t reference, distorted, squares, products;
};

template <typename Sample> Moments moments_of(const PairView &pair, int plane, int column, int row)
{
    Moments sums = {};
    for (int y = 0; y < 2 * kBlock; ++y) {
        const int at = kBlock * column;
        const auto *a = plane_row<Sample>(pair.reference[plane], kBlock * row + y) + at;
        const auto *b = plane_row<Sample>(pair.distorted[plane], kBlock * row + y) + at;
        for (int x = 0; x < 2 * kBlock; ++x) {
            const int64_t r = a[x];
            const int64_t d = b[x];
            sums.reference += r;
            sums.distorted += d;
            sums.squares += r * r + d * d;
            sums.products += r * d;
        }
    }
    return sums;
}

float window_value(const Moments &sums, const Constants &constants)
{
    const int64_t product = sums.reference * sums.distorted;
    const int64_t squares = sums.reference * sums.reference + sums.distorted * sums.distorted;
    const int64_t covariance = 64 * sums.products - product;
    const int64_t variances = 64 * sums.squares - squares;
    const auto luminance = static_cast<float>(2 * product + constants.mean);
    const auto contrast = static_cast<float>(2 * covariance + constants.variance);
    return luminance * contrast /
           (static_cast<float>(squares + constants.mean) *
            static_cast<float>(variances + constants.variance));
}

} // namespace

Constants constants_of(int depth)
{
    const int peak = (1 << depth) - 1;
    return {std::llround(.01 * .01 * peak * peak * 64),
            std::llround(.03 * .03 * peak * peak * 64 * 63)};
}

double sum_of_row(const Config &config, const PairView &pair, int plane, int row)
{
    const int depth = config.format.depth;
    const Constants constants = constants_of(depth);
    double wide = 0;
    float narrow = 0; // FFmpeg adds up a row of more than 8 bits in float
    for (int column = 0; column < config.columns(plane); ++column) {
        const Moments sums = depth > 8 ? moments_of<uint16_t>(pair, plane, column, row)
                                       : moments_of<uint8_t>(pair, plane, column, row);
        const float value = window_value(sums, constants);
        wide += static_cast<double>(value);
        narrow += value;
    }
    return depth > 8 ? static_cast<double>(narrow) : wide;
}

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    sums = {};
    for (int plane = 0; plane < config.planes; ++plane)
        for (int row = 0; row < config.rows(plane); ++row)
            sums.windows[plane] += sum_of_row(config, pair, plane, row);
}

} // namespace vmafgpu::ffmpeg_ssim
