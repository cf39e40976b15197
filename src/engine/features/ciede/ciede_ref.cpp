// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede in plain loops: the reference code for ciede_cpu.cpp, and the colour of one pixel and the
// difference of two. Where libvmaf mixes float and double, a conversion stands here: each is a
// rounding.
#include "features/ciede/ciede.h"

#include <cmath>

#include "features/kit/floor_size.h"
#include "libm/libm.h"

namespace vmafgpu::ciede {

namespace {

double linear_light(double value)
{
    return value > 10.0 / 255 ? libm::pow((value + 0.055) * (1 / 1.055), 2.4) : value * (1 / 12.92);
}

float lab_part(double value)
{
    if (value > kCube)
        return static_cast<float>(libm::pow(value, 1.0 / 3));
    return static_cast<float>((kSlope * value + 16) * (1.0 / 116));
}

double square(double value)
{
    return value * value;
}

float root_of_squares(float a, float b)
{
    return static_cast<float>(std::sqrt(square(a) + square(b)));
}

float hue_of(float b, float a)
{
    if (b == 0 && a == 0)
        return 0;
    const auto hue = static_cast<float>(libm::atan2(b, a));
    return hue < 0 ? static_cast<float>(hue + 2 * kPi) : hue;
}

/// Returns the hue's way from the first to the second, in the shorter direction.
float hue_difference(float first, float second)
{
    const float difference = second - first;
    if (static_cast<double>(std::fabs(first - second)) <= kPi)
        return difference;
    return static_cast<float>(second <= first ? difference + 2 * kPi : difference - 2 * kPi);
}

float mean_hue(float first, float second)
{
    const float sum = first + second;
    if (static_cast<double>(std::fabs(first - second)) > kPi)
        return static_cast<float>((sum + 2 * kPi) / 2);
    return sum / 2;
}

/// How the weight of hue depends on the mean hue.
float hue_weight(float hue)
{
    const double h = hue;
    return static_cast<float>(1 - 0.17 * libm::cos(h - kPi / 6) + 0.24 * libm::cos(2 * h) +
                              0.32 * libm::cos(3 * h + kPi / 30) -
                              0.20 * libm::cos(4 * h - 7 * kPi / 20));
}

/// The term that turns blue, without its chroma and hue.
float rotation(float chroma, float hue)
{
    const auto degrees = static_cast<float>(static_cast<double>(hue) * (180 / kPi));
    const auto distance = static_cast<float>((static_cast<double>(degrees) - 275) * (1.0 / 25));
    const auto angle =
        static_cast<float>(60 * libm::exp(-static_cast<double>(distance * distance)));
    const auto radians = static_cast<float>(static_cast<double>(angle) * (kPi / 180));
    const float power = libm::powf(chroma, 7);
    const float root = power / (power + kPower7Float);
    return static_cast<float>(-2 * std::sqrt(static_cast<double>(root)) *
                              libm::sin(static_cast<double>(radians)));
}

} // namespace

Lab lab_of_pixel(int depth, float y, float u, float v)
{
    const double unit = 1 << (depth - 8);
    const double luma = (static_cast<double>(y) - 16 * unit) * (1 / (219 * unit));
    const double blue = (static_cast<double>(u) - 128 * unit) * (1 / (224 * unit));
    const double red = (static_cast<double>(v) - 128 * unit) * (1 / (224 * unit));
    const double rgb[3] = {linear_light(luma + 1.28033 * red),
                           linear_light((luma - 0.21482 * blue) - 0.38059 * red),
                           linear_light(luma + 2.12798 * blue)};
    double xyz[3];
    for (int i = 0; i < 3; ++i)
        xyz[i] = rgb[0] * kXyz[i][0] + rgb[1] * kXyz[i][1] + rgb[2] * kXyz[i][2];
    const double parts[3] = {lab_part(xyz[0] * kWhiteX), lab_part(xyz[1]),
                             lab_part(xyz[2] * kWhiteZ)};
    return {static_cast<float>(116 * parts[1] - 16),
            static_cast<float>(500 * (parts[0] - parts[1])),
            static_cast<float>(200 * (parts[1] - parts[2]))};
}

float difference_of(const Lab &reference, const Lab &distorted)
{
    const float lightness = distorted.l - reference.l;
    const float chroma1 = root_of_squares(reference.a, reference.b);
    const float chroma2 = root_of_squares(distorted.a, distorted.b);
    const double power = libm::pow(static_cast<double>((chroma1 + chroma2) / 2), 7);
    const double gray = 1 - std::sqrt(power / (power + kPower7));
    const auto a1 = static_cast<float>(reference.a + static_cast<double>(reference.a / 2) * gray);
    const auto a2 = static_cast<float>(distorted.a + static_cast<double>(distorted.a / 2) * gray);
    const float prime1 = root_of_squares(a1, reference.b);
    const float prime2 = root_of_squares(a2, distorted.b);
    const float mean_prime = (prime1 + prime2) / 2;
    const float prime = prime2 - prime1;
    const double middle = square((reference.l + distorted.l) / 2 - 50);
    const auto weight_l = static_cast<float>(1 + 0.015 * middle / std::sqrt(20 + middle));
    const auto weight_c = static_cast<float>(1 + 0.045 * static_cast<double>(mean_prime));
    const float hue1 = hue_of(reference.b, a1);
    const float hue2 = hue_of(distorted.b, a2);
    const float turn = chroma1 == 0 || chroma2 == 0 ? 0 : hue_difference(hue1, hue2);
    const double length = 2 * std::sqrt(static_cast<double>(prime1 * prime2));
    const auto hue = static_cast<float>(length * libm::sin(static_cast<double>(turn) / 2));
    const float between = mean_hue(hue1, hue2);
    const auto weight_h = static_cast<float>(1 + 0.015 * static_cast<double>(mean_prime) *
                                                     static_cast<double>(hue_weight(between)));
    const float l = lightness / (0.65F * weight_l);
    const float c = prime / weight_c;
    const float h = hue / (4 * weight_h);
    const float turned = rotation(mean_prime, between) * c * h;
    return static_cast<float>(
        std::sqrt(square(l) + square(c) + square(h) + static_cast<double>(turned)));
}

ChromaMemory chroma_of(const Format &format)
{
    ChromaMemory chroma = {format.chroma, floor_width(format, 1), floor_height(format, 1), 0};
    chroma.pitch = (chroma.width + 31) / 32 * 32;
    return chroma;
}

namespace {

template <typename Sample> void add_pixels(const Format &format, const PairView &pair, Sums &sums)
{
    const ChromaMemory chroma = chroma_of(format);
    const auto lab = [&](const Plane *planes, int x, int y) {
        const int64_t index = chroma_index(chroma, x, y);
        return lab_of_pixel(format.depth, plane_row<Sample>(planes[0], y)[x],
                            chroma_sample<Sample>(chroma, planes[1], index),
                            chroma_sample<Sample>(chroma, planes[2], index));
    };
    for (int y = 0; y < format.height; ++y)
        for (int x = 0; x < format.width; ++x)
            sums.difference += static_cast<double>(
                difference_of(lab(pair.reference, x, y), lab(pair.distorted, x, y)));
}

} // namespace

void Forms::reference(const Format &format, const PairView &pair, Sums &sums)
{
    sums = {};
    if (format.depth > 8)
        add_pixels<uint16_t>(format, pair, sums);
    else
        add_pixels<uint8_t>(format, pair, sums);
}

} // namespace vmafgpu::ciede
