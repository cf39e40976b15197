// SPDX-License-Identifier: BSD-2-Clause-Patent
// What speed_chroma computes once from the format and the options: sizes, filters, and the sample
// positions of resizing. speed_chroma.cpp calls it.
#include "speed_chroma.h"

#include <cerrno>
#include <cmath>
#include <string>

#include "base/error.h"
#include "libm/libm.h"
#include "speed_chroma_tables.h"

namespace vmafgpu {

namespace {

constexpr double kPi = 3.14159265358979323846;

constexpr float kKernelScaleTolerance = 1e-3F;
constexpr double kPrescaleTolerance = 1e-3; ///< this near to 1 nothing is resized

/// Smallest resized size whose low-pass plane holds a block.
constexpr int kMinResized = kSpeedChromaStep * kSpeedChromaEdge;

void check_kernel_scale(double scale)
{
    for (const float known : kSpeedChromaKernelScales)
        if (std::fabs(static_cast<float>(scale) - known) < kKernelScaleTolerance)
            return;
    throw Error(EINVAL, "feature speed_chroma: option speed_kernelscale is " +
                            std::to_string(scale) +
                            "; only 0.444444, 0.5, 2/3, 0.711111, 0.74074, "
                            "1, 1.06667, 1.11111, 1.16667, 1.25, 1.33333, 1.41667, 1.4746, 1.5, "
                            "1.54, 1.6, 1.66667, 2, 2.4, 3 and 3.71134 have kernels");
}

int odd_length(int length, double kernel_scale)
{
    const float scaled = static_cast<float>(length) * static_cast<float>(kernel_scale);
    const int rounded = static_cast<int>(std::ceil(scaled));
    const int odd = rounded % 2 == 0 ? rounded + 1 : rounded;
    return odd < 3 ? 3 : odd;
}

/// Normalised Gaussian. libvmaf rounds to float after each of the steps seen here.
std::vector<float> gaussian(int length, float sigma)
{
    const double wide = sigma;
    const auto peak = static_cast<float>(1.0 / (wide * std::sqrt(2.0 * kPi)));
    std::vector<float> taps;
    float total = 0;
    for (int i = 0; i < length; ++i) {
        const double x = i - (length - 1) / 2; // NOLINT(bugprone-integer-division): as libvmaf
        const auto value = static_cast<float>(libm::exp(-0.5 * x / wide * x / wide));
        taps.push_back(value / peak);
        total = total + taps.back();
    }
    for (float &tap : taps)
        tap = tap / total;
    return taps;
}

int reflect(int i, int n)
{
    if (i < 0)
        return -i;
    return i > n - 1 ? 2 * (n - 1) - i : i;
}

float cubic(float t)
{
    const float a = -0.75F;
    t = std::fabs(t);
    if (t < 1)
        return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? (((t - 5) * t + 8) * t - 4) * a : 0;
}

float lanczos(float distance)
{
    const double t = distance;
    if (t == 0)
        return 1;
    if (std::fabs(t) >= 4)
        return 0;
    return static_cast<float>(4 * libm::sin(kPi * t) * libm::sin(kPi * t / 4) /
                              (kPi * kPi * t * t));
}

/// Source indices and weights of output `at`, of n source samples.
void add_position(SpeedChromaConfig::Positions &positions, SpeedChromaResize resize, int at, int n,
                  int resized)
{
    const float ratio = static_cast<float>(n) / static_cast<float>(resized);
    const auto add = [&](int index, float weight) {
        positions.index.push_back(index);
        positions.weight.push_back(weight);
    };
    if (resize == SpeedChromaResize::kNearest) {
        add(static_cast<int>(static_cast<float>(at) * ratio), 1.0F);
        return;
    }
    const auto x = static_cast<float>((at + 0.5) * static_cast<double>(ratio) - 0.5);
    const int below = static_cast<int>(std::floor(x));
    if (resize == SpeedChromaResize::kBilinear) {
        const int first = reflect(below, n);
        // Enlarging, x < 0 happens and extrapolates from the reflected sample.
        const float offset = x - static_cast<float>(first);
        add(first, 1 - offset);
        add(reflect(static_cast<int>(std::ceil(x)), n), offset);
        return;
    }
    const float offset = x - static_cast<float>(below);
    const int reach = resize == SpeedChromaResize::kBicubic ? 2 : 4;
    for (int i = resize == SpeedChromaResize::kBicubic ? -1 : -4; i <= reach; ++i) {
        const float distance = static_cast<float>(i) - offset;
        add(reflect(below + i, n),
            resize == SpeedChromaResize::kBicubic ? cubic(distance) : lanczos(distance));
    }
}

SpeedChromaConfig::Positions positions(SpeedChromaResize resize, int n, int resized)
{
    SpeedChromaConfig::Positions result;
    for (int i = 0; i < resized; ++i)
        add_position(result, resize, i, n, resized);
    return result;
}

void check_format(const Format &format)
{
    if (format.chroma == Chroma::k400)
        throw Error(EINVAL,
                    "feature speed_chroma needs chroma, but the pictures are gray or the two "
                    "inputs differ in their chroma format: give both the same 4:2:0, 4:2:2 "
                    "or 4:4:4 format");
    if (format.depth != 8 && format.depth != 10 && format.depth != 12 && format.depth != 16)
        throw Error(EINVAL, "feature speed_chroma: depth is " + std::to_string(format.depth) +
                                "; allowed: 8, 10, 12, 16");
}

void set_size(SpeedChromaConfig &config, const Format &format, double prescale)
{
    const bool half_width = format.chroma != Chroma::k444;
    const bool half_height = format.chroma == Chroma::k420;
    config.width = half_width ? format.width / 2 : format.width;
    config.height = half_height ? format.height / 2 : format.height;
    const bool resizes = std::fabs(prescale - 1) >= kPrescaleTolerance;
    // NOLINTBEGIN(bugprone-incorrect-roundings): as libvmaf rounds
    config.resized_width = resizes ? static_cast<int>(config.width * prescale + 0.5) : config.width;
    config.resized_height =
        resizes ? static_cast<int>(config.height * prescale + 0.5) : config.height;
    // NOLINTEND(bugprone-incorrect-roundings)
    config.low_width = config.resized_width / kSpeedChromaStep;
    config.low_height = config.resized_height / kSpeedChromaStep;
    config.blocks_x = config.low_width / kSpeedChromaEdge;
    config.blocks_y = config.low_height / kSpeedChromaEdge;
    if (config.blocks_x > 0 && config.blocks_y > 0)
        return;
    throw Error(EINVAL, "feature speed_chroma: chroma planes of " + std::to_string(config.width) +
                            "x" + std::to_string(config.height) + " (after speed_prescale " +
                            std::to_string(config.resized_width) + "x" +
                            std::to_string(config.resized_height) +
                            ") are smaller than the minimum " + std::to_string(kMinResized) + "x" +
                            std::to_string(kMinResized));
}

} // namespace

SpeedChromaConfig speed_chroma_config(const Format &format, const SpeedChromaOptions &options)
{
    check_format(format);
    check_kernel_scale(options.kernel_scale);
    SpeedChromaConfig config;
    config.depth = format.depth;
    config.sigma = static_cast<float>(options.sigma);
    config.resize = options.resize;
    set_size(config, format, options.prescale);

    const int low_pass = odd_length(kSpeedChromaLowPassLength, options.kernel_scale);
    const int local_mean = odd_length(kSpeedChromaLocalMeanLength, options.kernel_scale);
    config.low_pass = gaussian(low_pass, static_cast<float>(2.0 * low_pass / 5.0));
    config.local_mean = gaussian(local_mean, static_cast<float>(local_mean) / 5);

    if (config.resized_width == config.width && config.resized_height == config.height)
        return config;
    config.taps = kSpeedChromaResizeTaps[static_cast<int>(config.resize)];
    config.columns = positions(config.resize, config.width, config.resized_width);
    config.rows = positions(config.resize, config.height, config.resized_height);
    return config;
}

} // namespace vmafgpu
