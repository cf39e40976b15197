// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of SSIM and MS-SSIM: reads the pictures and the planes of the scales, and makes those
// planes. Only ssim_kernels.cpp includes it.
#pragma once

#include "features/ssim/ssim_args.h"
#include "features/ssim/ssim_math.h"

namespace vmafgpu {
namespace {

/// A plane of samples or floats.
struct Source {
    const char *data;
    int64_t pitch; ///< bytes
    int width, height;
    float unit; ///< value of the sample 1 of 16 bits; that of a byte is 1
};

template <typename Sample> SIMT_DEVICE float value_at(const Source &source, int x, int y)
{
    const auto *row = reinterpret_cast<const Sample *>(source.data + source.pitch * y);
    const auto value = static_cast<float>(load_readonly(row + x));
    return sizeof(Sample) == sizeof(uint16_t) ? value * source.unit : value;
}

/// Plane of picture 0 or 1 of `pair` at `scale`: the picture itself for samples.
template <typename Sample>
SIMT_DEVICE Source source_of(const SsimArgs &args, int pair, int picture, int scale)
{
    const SsimArgs::Scale &of = args.scales[scale];
    if (sizeof(Sample) != sizeof(float))
        return {static_cast<const char *>(args.pairs[pair].pictures[picture]),
                args.pairs[pair].pitches[picture], args.width, args.height, args.unit};
    const float *plane = args.planes + pair * args.planes_stride + of.planes[picture];
    return {reinterpret_cast<const char *>(plane), of.pitch * static_cast<int64_t>(sizeof(float)),
            of.width, of.height, 1};
}

SIMT_DEVICE float *plane_of(const SsimArgs &args, int pair, int picture, int scale)
{
    return args.planes + pair * args.planes_stride + args.scales[scale].planes[picture];
}

// Sums of products of floats are doubles. Conversions are slow on every GPU, and the pyramid's
// filter uses each one for few additions. There, a float's fields are moved into those of a double,
// whose exponent has another bias: this makes it 2^-896 of its value, also if it is 0 or subnormal,
// and the sum's roundings are those of the sum itself.
constexpr double kSsimUnscale = 0x1p896;

template <bool kMayBeNegative> SIMT_DEVICE double scaled(float v)
{
    const uint32_t bits = bits_of_float(v);
    if (!kMayBeNegative)
        return double_of_bits(static_cast<uint64_t>(bits) << 29);
    const auto fields = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(bits)))
                        << 29;
    return double_of_bits(fields & ~UINT64_C(0x7000000000000000)); // the sign once
}

SIMT_DEVICE float unscaled(double sum)
{
    return static_cast<float>(sum * kSsimUnscale);
}

SIMT_DEVICE int clamped(int i, int n)
{
    return i < 0 ? 0 : (i >= n ? n - 1 : i);
}

/// Adds `count` samples of a row to a box's sum. `column_at`: where they are.
template <typename Sample, typename Column>
SIMT_DEVICE void add_row(const SsimArgs &args, const Source &from, int row, int count,
                         const Column &column_at, double &sum)
{
    constexpr int kStep = 4;
    for (int first = 0; first < count; first += kStep) {
        SIMT_UNROLL
        for (int i = 0; i < kStep; ++i) {
            const int u = first + i;
            if (u >= count)
                break;
            const float term = value_at<Sample>(from, column_at(u), row) * args.weight;
            sum = sum + static_cast<double>(term);
        }
    }
}

/// A sample of scale 0 from factor x factor samples of the picture. Grid: x over samples.
template <typename Sample> SIMT_DEVICE void box(const SsimArgs &args)
{
    const SsimArgs::Scale &to = args.scales[0];
    const int index = block_id_x() * kSsimThreads + thread_id();
    if (index >= to.width * to.height)
        return;
    const int x = index % to.width;
    const int y = index / to.width;
    const int pair = block_id_z() / 2;
    const int picture = block_id_z() % 2;
    const Source from = source_of<Sample>(args, pair, picture, 0);
    const int left = x * args.factor - args.factor / 2;
    const int top = y * args.factor - args.factor / 2;
    const bool is_inside = left >= 0 && left + args.factor <= from.width;
    double sum = 0;
    for (int v = 0; v < args.factor; ++v) {
        const int row = ssim_mirror(top + v, from.height);
        if (is_inside)
            add_row<Sample>(
                args, from, row, args.factor, [&](int u) { return left + u; }, sum);
        else
            add_row<Sample>(
                args, from, row, args.factor,
                [&](int u) { return ssim_mirror(left + u, from.width); }, sum);
    }
    plane_of(args, pair, picture, 0)[y * static_cast<int64_t>(to.pitch) + x] =
        static_cast<float>(sum);
}

struct TwoFloats {
    float values[2];
};
constexpr int kHalfSpanX = (2 * kSsimHalfTileWidth + 2 * kSsimHalfReach) / 2; ///< TwoFloats
constexpr int kHalfSpanY = 2 * kSsimHalfTileHeight + 2 * kSsimHalfReach - 1;
constexpr int kHalfRun = kSsimHalfTileWidth * kSsimHalfTileHeight / kSsimThreads;
constexpr int kHalfWidth = 2 * kSsimHalfReach + 1;

/// sum + value * weight, scaled.
template <bool kMayBeNegative> SIMT_DEVICE double add_product(double sum, float value, float weight)
{
    if (kMayBeNegative)
        return sum + scaled<true>(value * weight);
    // The weight's sign is a constant, and rounding does not depend on it.
    return weight < 0 ? sum - scaled<false>(value * -weight) : sum + scaled<false>(value * weight);
}

/// kHalfRun samples below each other, scaled. `corner`: the first one's first input.
template <bool kMayBeNegative>
SIMT_DEVICE void half_run(const TwoFloats *corner, double (&sums)[kHalfRun])
{
    SIMT_UNROLL
    for (int row = 0; row < 2 * kHalfRun + kHalfWidth - 2; ++row) {
        float values[kHalfWidth + 1];
        SIMT_UNROLL
        for (int i = 0; i < (kHalfWidth + 1) / 2; ++i) {
            const TwoFloats two = corner[row * kHalfSpanX + i];
            values[2 * i] = two.values[0];
            values[2 * i + 1] = two.values[1];
        }
        SIMT_UNROLL
        for (int i = 0; i < kHalfRun; ++i) {
            const int v = row - 2 * i - kSsimHalfReach;
            if (v < -kSsimHalfReach || v > kSsimHalfReach)
                continue;
            SIMT_UNROLL
            for (int u = -kSsimHalfReach; u <= kSsimHalfReach; ++u) {
                const float weight = kSsimHalf[v < 0 ? -v : v][u < 0 ? -u : u];
                sums[i] = add_product<kMayBeNegative>(sums[i], values[u + kSsimHalfReach], weight);
            }
        }
    }
}

/// One of the samples around a tile.
template <typename Sample> SIMT_DEVICE void load_half(const Source &from, int left, int top,
                                                      int column, int row, TwoFloats *input)
{
    const int x = ssim_mirror(2 * left - kSsimHalfReach + column, from.width);
    const int y = ssim_mirror(2 * top - kSsimHalfReach + row, from.height);
    // Of what lies further out than a mirror image, nothing is used.
    input[row * kHalfSpanX + column / 2].values[column % 2] =
        value_at<Sample>(from, clamped(x, from.width), clamped(y, from.height));
}

/// A tile of the scale after first_scale.
template <typename Sample> SIMT_DEVICE void half(const SsimArgs &args)
{
    SIMT_SHARED(TwoFloats, input, kHalfSpanX * kHalfSpanY);
    const int pair = block_id_z() / 2;
    const int picture = block_id_z() % 2;
    const Source from = source_of<Sample>(args, pair, picture, args.first_scale);
    const int left = block_id_x() * kSsimHalfTileWidth;
    const int top = block_id_y() * kSsimHalfTileHeight;
    // Threads keep their column as long as they can.
    constexpr int kColumns = 2 * kSsimHalfTileWidth;
    for (int row = thread_id() / kColumns; row < kHalfSpanY; row += kSsimThreads / kColumns)
        load_half<Sample>(from, left, top, thread_id() % kColumns, row, input);
    constexpr int kMore = 2 * kHalfSpanX - kColumns;
    for (int t = thread_id(); t < kMore * kHalfSpanY; t += kSsimThreads)
        load_half<Sample>(from, left, top, kColumns + t % kMore, t / kMore, input);
    barrier();
    const int column = thread_id() % kSsimHalfTileWidth;
    const int row = thread_id() / kSsimHalfTileWidth * kHalfRun;
    double sums[kHalfRun] = {};
    half_run<sizeof(Sample) == sizeof(float)>(input + 2 * row * kHalfSpanX + column, sums);
    const SsimArgs::Scale &to = args.scales[args.first_scale + 1];
    float *plane = plane_of(args, pair, picture, args.first_scale + 1);
    SIMT_UNROLL
    for (int i = 0; i < kHalfRun; ++i) {
        const int y = top + row + i;
        if (left + column < to.width && y < to.height)
            plane[y * static_cast<int64_t>(to.pitch) + left + column] = unscaled(sums[i]);
    }
}

} // namespace
} // namespace vmafgpu
