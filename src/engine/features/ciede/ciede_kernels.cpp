// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of ciede: the difference of each pixel, then their sum in raster order. ciede_record.cpp
// launches them.
#include "features/ciede/ciede.h"
#include "simt/elementary.h"
#include "simt/serial_sum.h"

namespace vmafgpu::ciede {
namespace {

/// A sample of a plane of the pair.
template <typename Sample>
SIMT_DEVICE int sample_at(const Args &args, int picture, int plane, int x, int y)
{
    const Args::Pair &pair = args.pairs[block_id_z()];
    const char *row = static_cast<const char *>(pair.planes[picture][plane]) +
                      static_cast<int64_t>(pair.pitches[picture][plane]) * y;
    return load_readonly(reinterpret_cast<const Sample *>(row) + x);
}

/// Where chroma_index() lies in the plane.
struct ChromaPlace {
    int x, y;
    bool is_sample;

    SIMT_DEVICE ChromaPlace(const ChromaMemory &chroma, int luma_x, int luma_y)
        : x(chroma.layout == Chroma::k420 ? luma_x / 2 : luma_x),
          y(chroma.layout == Chroma::k444 ? luma_y : luma_y / 2)
    {
        for (; x >= chroma.pitch; x -= chroma.pitch) // in 4:2:2, twice at most
            ++y;
        is_sample = x < chroma.width && y < chroma.height;
    }
};

template <typename Sample>
SIMT_DEVICE Lab lab_of(const Args &args, const Formulas<Elementary> &formulas, int y, int u, int v)
{
    const auto luma = static_cast<float>(y);
    const auto blue = static_cast<float>(u), red = static_cast<float>(v);
    if (sizeof(Sample) > 1)
        return formulas.lab_of_pixel(args.scale, luma, blue, red);
    return formulas.lab_of_light(
        {{load_readonly(&args.light->red[y][v]), formulas.green_light(args.scale, luma, blue, red),
          load_readonly(&args.light->blue[y][u])}});
}

template <typename Sample> SIMT_DEVICE void measure_pixel(const Args &args)
{
    const int x = block_id_x() * kThreads + thread_id();
    const int y = block_id_y();
    if (x >= args.width)
        return;
    const Formulas<Elementary> formulas = {{args.constants, args.tables}};
    const ChromaPlace place(args.chroma, x, y);
    Lab reference = {}, distorted = {};
    SIMT_NO_UNROLL
    for (int picture = 0; picture < 2; ++picture) { // one copy of the code for both
        const auto chroma = [&](int plane) {
            return place.is_sample ? sample_at<Sample>(args, picture, plane, place.x, place.y) : 0;
        };
        reference = distorted;
        distorted = lab_of<Sample>(args, formulas, sample_at<Sample>(args, picture, 0, x, y),
                                   chroma(1), chroma(2));
    }
    float *differences = args.differences + args.differences_stride * block_id_z();
    differences[static_cast<int64_t>(y) * args.width + x] =
        formulas.difference_of(reference, distorted);
}

} // namespace

SIMT_KERNEL(ciede_pixels_u8, Args, kThreads)
{
    measure_pixel<uint8_t>(args);
}

SIMT_KERNEL(ciede_pixels_u16, Args, kThreads)
{
    measure_pixel<uint16_t>(args);
}

SIMT_KERNEL(ciede_sum, Args, kSumThreads)
{
    constexpr int kLength = 16; // terms of a thread that are added together
    constexpr int kPart = kSumThreads * kLength;
    const float *from = args.differences + args.differences_stride * block_id_z();
    const int64_t all = static_cast<int64_t>(args.width) * args.height;
    SerialSum<kSumThreads, double> sum(0);
    TermsAhead<kLength> ahead;
    const auto load = [&](int64_t first) {
        const int64_t left = all - first;
        ahead.load(from + first, static_cast<int>(left < kPart ? left : kPart));
    };
    load(0);
    for (int64_t first = 0; first < all; first += kPart) {
        const TermsAhead<kLength> part = ahead;
        load(first + kPart);
        sum.add(part.terms);
    }
    if (thread_id() == 0)
        reinterpret_cast<Sums *>(args.sums + args.sums_stride * block_id_z())->difference =
            sum.value;
}

} // namespace vmafgpu::ciede
