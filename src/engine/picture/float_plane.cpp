// SPDX-License-Identifier: BSD-2-Clause-Patent
// See float_plane.h. Every operation is rounded once, in libvmaf's order
// (docs/numerics/float.md).
#include "picture/float_plane.h"

#include <cmath>

#include "base/numeric.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

constexpr double kPi = 3.14159265358979323846;

float cubic(float distance)
{
    constexpr float kSharpness = -0.75F;
    const float t = std::fabs(distance);
    if (t < 1)
        return ((kSharpness + 2) * t - (kSharpness + 3)) * t * t + 1;
    return t < 2 ? (((t - 5) * t + 8) * t - 4) * kSharpness : 0;
}

float lanczos(float distance)
{
    const double t = distance;
    if (t == 0)
        return 1;
    if (!(t > -4 && t < 4))
        return 0;
    return static_cast<float>(4 * libm::sin(kPi * t) * libm::sin(kPi * t / 4) /
                              (kPi * kPi * t * t));
}

void add_sample(ResizeAxis &axis, int index, float weight)
{
    axis.index.push_back(index);
    axis.weight.push_back(weight);
}

} // namespace

FloatPlane to_float(const Plane &plane, int width, int height, int depth)
{
    FloatPlane result(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            result.at(x, y) = float_sample(depth > 8 ? plane_row<uint16_t>(plane, y)[x]
                                                     : plane_row<uint8_t>(plane, y)[x],
                                           depth);
    return result;
}

FloatPlane filter_plane(const FloatPlane &plane, const std::vector<float> &taps, int step)
{
    const int length = static_cast<int>(taps.size());
    const int half = length / 2;
    FloatPlane columns(plane.width, plane.height / step);
    for (int y = 0; y < columns.height; ++y)
        for (int x = 0; x < plane.width; ++x) {
            float sum = 0;
            for (int k = 0; k < length; ++k)
                sum = sum + taps[k] * plane.at(x, mirror(step * y + k - half, plane.height));
            columns.at(x, y) = sum;
        }
    FloatPlane result(plane.width / step, plane.height / step);
    for (int y = 0; y < result.height; ++y)
        for (int x = 0; x < result.width; ++x) {
            float sum = 0;
            for (int k = 0; k < length; ++k)
                sum = sum + taps[k] * columns.at(mirror(step * x + k - half, plane.width), y);
            result.at(x, y) = sum;
        }
    return result;
}

FloatPlane multiply_planes(const FloatPlane &a, const FloatPlane &b)
{
    FloatPlane result(a.width, a.height);
    for (size_t i = 0; i < a.samples.size(); ++i)
        result.samples[i] = a.samples[i] * b.samples[i];
    return result;
}

ResizeAxis resize_axis(FloatResize method, int size, int resized)
{
    ResizeAxis axis;
    const float ratio = static_cast<float>(size) / static_cast<float>(resized);
    for (int i = 0; i < resized; ++i) {
        if (method == FloatResize::kNearest) {
            add_sample(axis, static_cast<int>(static_cast<float>(i) * ratio), 1.0F);
            continue;
        }
        const auto at = static_cast<float>((i + 0.5) * static_cast<double>(ratio) - 0.5);
        const int below = static_cast<int>(std::floor(at));
        if (method == FloatResize::kBilinear) {
            const int first = mirror(below, size);
            // QUIRK: measured from the reflected sample, so weights beyond 0 and 1 occur.
            const float offset = at - static_cast<float>(first);
            add_sample(axis, first, 1 - offset);
            add_sample(axis, mirror(static_cast<int>(std::ceil(at)), size), offset);
            continue;
        }
        const float offset = at - static_cast<float>(below);
        const bool is_cubic = method == FloatResize::kBicubic;
        for (int k = is_cubic ? -1 : -4; k <= (is_cubic ? 2 : 4); ++k) {
            const float distance = static_cast<float>(k) - offset;
            add_sample(axis, mirror(below + k, size),
                       is_cubic ? cubic(distance) : lanczos(distance));
        }
    }
    axis.taps = static_cast<int>(axis.index.size()) / resized;
    return axis;
}

void resize_row(const Plane &plane, FloatResize method, const ResizeAxis &columns,
                const ResizeAxis &rows, int y, float *to)
{
    const int width = static_cast<int>(columns.index.size()) / columns.taps;
    for (int x = 0; x < width; ++x) {
        float sum = 0;
        float total = 0;
        for (int j = 0; j < rows.taps; ++j) {
            const size_t at_row = static_cast<size_t>(y) * rows.taps + j;
            const float *row = plane_row<float>(plane, rows.index[at_row]);
            for (int i = 0; i < columns.taps; ++i) {
                const size_t at = static_cast<size_t>(x) * columns.taps + i;
                const float weight = rows.weight[at_row] * columns.weight[at];
                sum = sum + row[columns.index[at]] * weight;
                total = total + weight;
            }
        }
        to[x] = method == FloatResize::kLanczos4 ? sum / total : sum;
    }
}

FloatPlane resize_plane(const FloatPlane &plane, FloatResize method, int width, int height)
{
    if (width == plane.width && height == plane.height)
        return plane;
    const ResizeAxis columns = resize_axis(method, plane.width, width);
    const ResizeAxis rows = resize_axis(method, plane.height, height);
    FloatPlane result(width, height);
    for (int y = 0; y < height; ++y)
        resize_row(plane.view(), method, columns, rows, y, &result.at(0, y));
    return result;
}

int resized_size(int size, double factor)
{
    return static_cast<int>(size * factor + 0.5); // NOLINT(bugprone-incorrect-roundings): its rule
}

std::vector<float> gaussian_taps(int length, float deviation)
{
    const double sigma = deviation;
    const auto peak = static_cast<float>(1.0 / (sigma * std::sqrt(2.0 * kPi)));
    std::vector<float> taps;
    float total = 0;
    for (int i = 0; i < length; ++i) {
        const int from_middle = i - length / 2;
        const double x = static_cast<float>(from_middle);
        taps.push_back(static_cast<float>(libm::exp(-0.5 * x / sigma * x / sigma)) / peak);
        total = total + taps.back();
    }
    for (float &tap : taps)
        tap = tap / total;
    return taps;
}

std::vector<float> gaussian_taps(int length)
{
    return gaussian_taps(length, static_cast<float>(length) / 5);
}

} // namespace vmafgpu
