// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion in plain loops: the reference code for float_motion_cpu.cpp. It follows
// docs/numerics/float.md, and is not fast.
#include <cmath>
#include <cstring>

#include "features/float_motion/float_motion.h"
#include "picture/float_plane.h"

namespace vmafgpu::float_motion {

namespace {

/// Mean absolute difference: sums of rows, then their sum, each from the first to the last.
float mean_difference(const FloatPlane &a, const FloatPlane &b)
{
    float sum = 0;
    for (int y = 0; y < a.height; ++y) {
        float row = 0;
        for (int x = 0; x < a.width; ++x)
            row = row + std::fabs(a.at(x, y) - b.at(x, y));
        sum = sum + row;
    }
    return sum / static_cast<float>(a.width * a.height);
}

float plane_difference(const Config &config, const Planes &planes)
{
    const int depth = config.format.depth;
    const FloatPlane a =
        filter_plane(to_float(planes.earlier, planes.width, planes.height, depth), config.taps, 1);
    const FloatPlane b =
        filter_plane(to_float(planes.later, planes.width, planes.height, depth), config.taps, 1);
    const float difference = mean_difference(a, b);
    if (!config.adds_half_size)
        return difference;
    const int half_width = resized_size(planes.width, 0.5);
    const int half_height = resized_size(planes.height, 0.5);
    const float half =
        mean_difference(resize_plane(a, FloatResize::kBilinear, half_width, half_height),
                        resize_plane(b, FloatResize::kBilinear, half_width, half_height));
    return difference + half;
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    std::memset(&sums, 0, sizeof(sums));
    if (config.skip || pair.previous[0].data == nullptr)
        return;
    for (int p = 0; p < (config.adds_chroma ? 3 : 1); ++p)
        sums.difference[p] = plane_difference(config, planes_of(config.format, pair, p));
}

} // namespace vmafgpu::float_motion
