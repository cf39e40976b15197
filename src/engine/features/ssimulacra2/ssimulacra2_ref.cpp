// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 in plain code, the oracle for all other forms: whole planes, one step after the
// other. ssimulacra2_math.h has the arithmetic of a pixel.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "features/ssimulacra2/ssimulacra2.h"

namespace vmafgpu::ssimulacra2 {

namespace {

using Samples = std::vector<float>;

struct Image {
    int width, height;
    std::array<Samples, kPlanes> plane;

    Image(int w, int h) : width(w), height(h)
    {
        for (Samples &samples : plane)
            samples.resize(static_cast<size_t>(w) * static_cast<size_t>(h));
    }
    size_t at(int x, int y) const
    {
        return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
    }
};

template <typename Sample>
void load_linear(const Config &config, const Colour &colour, const Plane *planes, Image &image)
{
    const Format &format = config.format;
    const auto sample = [&](int p, int x, int y) -> int {
        return plane_row<Sample>(planes[p], y)[x];
    };
    const auto chroma = [&](int p, int x, int y) {
        return chroma_sample(format.chroma != Chroma::k444, format.chroma == Chroma::k420,
                             format.plane_width(p), format.plane_height(p), x, y,
                             [&](int cx, int cy) { return sample(p, cx, cy); }) -
               config.chroma_middle();
    };
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const Rgb pixel =
                colour.is_rgb != 0
                    ? linear_rgb(colour, sample(2, x, y), sample(0, x, y), sample(1, x, y))
                    : linear_yuv(colour, sample(0, x, y), chroma(1, x, y), chroma(2, x, y));
            image.plane[0][image.at(x, y)] = pixel.r;
            image.plane[1][image.at(x, y)] = pixel.g;
            image.plane[2][image.at(x, y)] = pixel.b;
        }
}

Image half(const Image &from)
{
    Image to((from.width + 1) / 2, (from.height + 1) / 2);
    for (int p = 0; p < kPlanes; ++p)
        for (int y = 0; y < to.height; ++y)
            for (int x = 0; x < to.width; ++x) {
                const Samples &of = from.plane[p];
                const int right = std::min(2 * x + 1, from.width - 1);
                const int below = std::min(2 * y + 1, from.height - 1);
                to.plane[p][to.at(x, y)] =
                    quarter_of(of[from.at(2 * x, 2 * y)], of[from.at(right, 2 * y)],
                               of[from.at(2 * x, below)], of[from.at(right, below)]);
            }
    return to;
}

Image xyb(const Image &linear)
{
    Image to(linear.width, linear.height);
    for (size_t i = 0; i < to.plane[0].size(); ++i) {
        const Xyb pixel = xyb_of({linear.plane[0][i], linear.plane[1][i], linear.plane[2][i]});
        for (int p = 0; p < kPlanes; ++p)
            to.plane[p][i] = pixel.plane[p];
    }
    return to;
}

/// Returns the filter's input at place i of a line of n samples; 0 around it.
template <typename At> float input_at(int i, int n, const At &at)
{
    const int before = i - kBefore;
    const int after = i + kAfter;
    return (before >= 0 ? at(before) : 0.0F) + (after < n ? at(after) : 0.0F);
}

void blur_row(const float *from, int width, float *to)
{
    const auto input = [&](int i) {
        return input_at(i, width, [&](int x) { return from[x]; });
    };
    State state;
    int i = -kAfter;
    const auto one = [&] {
        const float out = filter_along(state, input(i));
        if (i >= 0)
            to[i] = out;
        ++i;
    };
    while (i < std::min(kHead, width))
        one();
    for (; i < width - kTail; i += kBlock) {
        const float in[kBlock] = {input(i), input(i + 1), input(i + 2), input(i + 3)};
        filter_block(state, in, to + i);
    }
    while (i < width)
        one();
}

Samples blur(const Image &size, const Samples &from)
{
    Samples rows(from.size());
    for (int y = 0; y < size.height; ++y)
        blur_row(from.data() + size.at(0, y), size.width, rows.data() + size.at(0, y));
    Samples to(from.size());
    for (int x = 0; x < size.width; ++x) {
        State state;
        for (int y = -kAfter; y < size.height; ++y) {
            const float out = filter_down(
                state, input_at(y, size.height, [&](int i) { return rows[size.at(x, i)]; }));
            if (y >= 0)
                to[size.at(x, y)] = out;
        }
    }
    return to;
}

Samples product(const Samples &a, const Samples &b)
{
    Samples to(a.size());
    for (size_t i = 0; i < a.size(); ++i)
        to[i] = a[i] * b[i];
    return to;
}

void add_plane(const Image &size, const Samples &a, const Samples &b, int needed, double *sums)
{
    const Samples mean1 = blur(size, a), mean2 = blur(size, b);
    const Samples square1 = blur(size, product(a, a)), square2 = blur(size, product(b, b));
    const Samples both = blur(size, product(a, b));
    for (size_t i = 0; i < a.size(); ++i) {
        const Terms terms =
            pixel_terms(similarity_of({mean1[i], mean2[i], square1[i], square2[i], both[i]}),
                        std::fabs(a[i] - mean1[i]), std::fabs(b[i] - mean2[i]));
        for (int k = 0; k < kMaps; ++k) {
            const double square = terms.map[k] * terms.map[k];
            sums[k] += terms.map[k];
            sums[kMaps + k] += square * square;
        }
    }
    for (int k = 0; k < kSums; ++k)
        if ((needed >> k & 1) == 0)
            sums[k] = 0;
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    sums = {};
    const auto load = config.format.depth > 8 ? load_linear<uint16_t> : load_linear<uint8_t>;
    Image reference(config.width[0], config.height[0]);
    Image distorted(config.width[0], config.height[0]);
    load(config, config.colours[0], pair.reference, reference);
    load(config, config.colours[1], pair.distorted, distorted);
    for (int scale = 0; scale < config.scales; ++scale) {
        if (scale > 0) {
            reference = half(reference);
            distorted = half(distorted);
        }
        const Image a = xyb(reference), b = xyb(distorted);
        for (int p = 0; p < kPlanes; ++p)
            add_plane(a, a.plane[p], b.plane[p], config.needed[scale][p], sums.of[scale][p]);
    }
}

} // namespace vmafgpu::ssimulacra2
