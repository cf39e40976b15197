// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede in plain loops: what ciede_cpu.cpp and ciede_kernels.cpp must equal. The formulas are in
// ciede.h.
#include "features/ciede/ciede.h"

#include <memory>

#include "features/kit/floor_size.h"
#include "libm/libm.h"

namespace vmafgpu::ciede {

namespace {

/// The engine's functions for the host.
struct HostMath {
    static double exponential(double x) { return libm::exp(x); }
    static double power(double x, double y) { return libm::pow(x, y); }
    static float power7(float x) { return libm::powf(x, 7); }
    static double sine(double x) { return libm::sin(x); }
    static double cosine(double x) { return libm::cos(x); }
    static double angle(double y, double x) { return libm::atan2(y, x); }
};

} // namespace

Lab lab_of_pixel(int depth, float y, float u, float v)
{
    return Formulas<HostMath>().lab_of_pixel(scale_of(depth), y, u, v);
}

float difference_of(const Lab &reference, const Lab &distorted)
{
    return Formulas<HostMath>().difference_of(reference, distorted);
}

const LightTables &light_tables()
{
    static const auto tables = [] {
        auto made = std::make_unique<LightTables>();
        const Scale scale = scale_of(8);
        for (int y = 0; y < 256; ++y)
            for (int c = 0; c < 256; ++c) {
                const auto luma = static_cast<float>(y), chroma = static_cast<float>(c);
                made->red[y][c] = Formulas<HostMath>().red_light(scale, luma, chroma);
                made->blue[y][c] = Formulas<HostMath>().blue_light(scale, luma, chroma);
            }
        return made;
    }();
    return *tables;
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
