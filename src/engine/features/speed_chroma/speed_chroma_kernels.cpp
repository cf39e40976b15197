// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of speed_chroma. Sums are float and their order is part of the numerics:
// every sum is one thread's, in the order of speed_chroma_ref.cpp; threads share out
// the sums, never the terms of one. Grid z: planes of the batch.
#include "features/speed_chroma/speed_chroma_args.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "features/speed_chroma/speed_chroma_matrix.h"
#include "simt/simt.h"

namespace vmafgpu {
namespace {

SIMT_DEVICE float *plane_scratch(const SpeedChromaArgs &args)
{
    const int plane = block_id_z();
    return args.scratch + plane / kSpeedChromaPlanesOfPair * args.pair_scratch_stride +
           plane % kSpeedChromaPlanesOfPair * args.scratch_stride;
}

SIMT_DEVICE SpeedChromaScratch layout_of(const SpeedChromaArgs &args)
{
    return speed_chroma_scratch(args.low_width, args.low_height);
}

/// The words of SpeedChromaPlaneSums, and the floats behind all planes' ones.
struct SumsView {
    float *eigenvalues;
    uint32_t *is_singular, *open;
    float *s, *e;
};

SIMT_DEVICE SumsView plane_sums(const SpeedChromaArgs &args)
{
    constexpr int kWords = kSpeedChromaSize + 3;
    const int plane = block_id_z() % kSpeedChromaPlanesOfPair;
    const int blocks = args.blocks_x * args.blocks_y;
    char *pair = args.sums + block_id_z() / kSpeedChromaPlanesOfPair * args.sums_stride;
    auto *words = reinterpret_cast<uint32_t *>(pair);
    auto *floats = reinterpret_cast<float *>(pair);
    const int head = plane * kWords;
    const int tail = kSpeedChromaPlanesOfPair * kWords + plane * blocks;
    return {floats + head, words + head + kSpeedChromaSize, words + head + kSpeedChromaSize + 1,
            floats + tail, floats + tail + kSpeedChromaPlanesOfPair * blocks};
}

template <typename Sample>
SIMT_DEVICE float source_sample(const SpeedChromaArgs &args, int y, int x, float scale)
{
    const SpeedChromaArgs::Source &source = args.planes[block_id_z()];
    const auto *row =
        reinterpret_cast<const Sample *>(static_cast<const char *>(source.data) + source.pitch * y);
    return static_cast<float>(load_readonly(row + x)) * scale - 128;
}

template <typename Sample, bool kResize>
SIMT_DEVICE float resized_sample(const SpeedChromaArgs &args, int y, int x, float scale)
{
    if (!kResize)
        return source_sample<Sample>(args, y, x, scale);
    float sum = 0;
    float weights = 0;
    for (int j = y * args.taps; j < (y + 1) * args.taps; ++j) {
        for (int i = x * args.taps; i < (x + 1) * args.taps; ++i) {
            const float weight = args.column_weight[i] * args.row_weight[j];
            weights = weights + weight;
            sum =
                sum + source_sample<Sample>(args, args.row_index[j], args.column_index[i], scale) *
                          weight;
        }
    }
    return args.divides != 0 ? sum / weights : sum;
}

/// One row of kSpeedChromaReduceColumns low-pass samples: down the columns that they need,
/// then along the row. Grid: x over columns, y over rows.
template <typename Sample, bool kResize> SIMT_DEVICE void reduce(const SpeedChromaArgs &args)
{
    constexpr int kStep = 16;
    constexpr int kSpan = kStep * kSpeedChromaReduceColumns + kSpeedChromaMaxFilter;
    SIMT_SHARED(float, columns, kSpan);
    const int length = args.low_pass_length;
    const int half = (length - 1) / 2;
    const int first = block_id_x() * kSpeedChromaReduceColumns;
    const int rest = args.low_width - first;
    const int count = rest < kSpeedChromaReduceColumns ? rest : kSpeedChromaReduceColumns;
    const float scale = 1.0f / static_cast<float>(1 << (args.depth - 8));
    const int span = kStep * (count - 1) + length;
    for (int t = thread_id(); t < span; t += kSpeedChromaThreads) {
        if (length < kStep && t % kStep >= length)
            continue; // no sample needs it
        const int x = mirror(kStep * first - half + t, args.resized_width);
        float sum = 0;
        for (int u = 0; u < length; ++u) {
            const int y = mirror(kStep * block_id_y() - half + u, args.resized_height);
            sum = sum + load_readonly(args.low_pass + u) *
                            resized_sample<Sample, kResize>(args, y, x, scale);
        }
        columns[t] = sum;
    }
    barrier();
    if (thread_id() < count) {
        float sum = 0;
        for (int t = 0; t < length; ++t)
            sum = sum + load_readonly(args.low_pass + t) * columns[kStep * thread_id() + t];
        plane_scratch(args)[block_id_y() * args.low_width + first + thread_id()] = sum;
    }
}

constexpr int kCentredPlaces = 64; ///< of a row of places, at a time
constexpr int kCentredGroup = 8;   ///< places of one turn of the loop over products
/// Odd, so that threads with different elements read different banks.
constexpr int kCentredPitch = kCentredPlaces + 1;
static_assert(kSpeedChromaCovarianceThreads == 2 * kCentredPlaces);

/// Elements less their means, at the next places of a row. Each is used by 25 pairs, and on many
/// GPUs a conversion or subtraction of double costs as much as 16 of float. Of a place's two
/// threads, one takes the even columns of the window and the other one the odd columns.
SIMT_DEVICE void centre(const float *row, int width, int places, const double *means,
                        double *centred)
{
    const int place = thread_id() % kCentredPlaces;
    const int odd = thread_id() / kCentredPlaces;
    if (place >= places)
        return;
    SIMT_UNROLL
    for (int even = 0; even < kSpeedChromaSide; even += 2) {
        const int column = even + odd;
        if (column < kSpeedChromaSide) {
            SIMT_UNROLL
            for (int i = 0; i < kSpeedChromaSide; ++i) {
                const int element = i * kSpeedChromaSide + column;
                const double sample = load_readonly(row + i * width + column + place);
                centred[element * kCentredPitch + place] = sample - means[element];
            }
        }
    }
}

/// Adds the products of the next places to the sum, one after the other.
SIMT_DEVICE double add_products(double sum, const double *a, const double *b, int places)
{
    const int end = places < kCentredPlaces ? places : kCentredPlaces;
    int j = 0;
    for (; j + kCentredGroup <= end; j += kCentredGroup) {
        SIMT_UNROLL
        for (int k = 0; k < kCentredGroup; ++k)
            sum = sum + a[j + k] * b[j + k];
    }
    for (; j < end; ++j)
        sum = sum + a[j] * b[j];
    return sum;
}

/// Pair number q of (0,0) (1,0) (1,1) (2,0) ...
SIMT_DEVICE void element_pair(int q, int &x, int &y)
{
    x = 0;
    while ((x + 1) * (x + 2) / 2 <= q)
        ++x;
    y = q - x * (x + 1) / 2;
}

} // namespace

SIMT_KERNEL(speed_chroma_reduce_u8, SpeedChromaArgs, kSpeedChromaReduceU8.threads)
{
    reduce<uint8_t, false>(args);
}
SIMT_KERNEL(speed_chroma_reduce_u16, SpeedChromaArgs, kSpeedChromaReduceU16.threads)
{
    reduce<uint16_t, false>(args);
}
SIMT_KERNEL(speed_chroma_resize_u8, SpeedChromaArgs, kSpeedChromaResizeU8.threads)
{
    reduce<uint8_t, true>(args);
}
SIMT_KERNEL(speed_chroma_resize_u16, SpeedChromaArgs, kSpeedChromaResizeU16.threads)
{
    reduce<uint16_t, true>(args);
}

/// Low-pass samples less their local mean, where whole blocks are. Grid: x over samples.
SIMT_KERNEL(speed_chroma_residual, SpeedChromaArgs, kSpeedChromaResidual.threads)
{
    const int used_width = kSpeedChromaSide * args.blocks_x;
    const int index = block_id_x() * kSpeedChromaThreads + thread_id();
    const int row = index / used_width;
    const int column = index % used_width;
    if (row < kSpeedChromaSide * args.blocks_y) {
        const float *low = plane_scratch(args);
        const int length = args.local_mean_length;
        const int half = (length - 1) / 2;
        float mean = 0;
        for (int t = 0; t < length; ++t) {
            const int x = mirror(column - half + t, args.low_width);
            float sum = 0;
            for (int u = 0; u < length; ++u) {
                const int y = mirror(row - half + u, args.low_height);
                sum = sum + load_readonly(args.local_mean + u) * low[y * args.low_width + x];
            }
            mean = mean + load_readonly(args.local_mean + t) * sum;
        }
        const int at = row * args.low_width + column;
        plane_scratch(args)[layout_of(args).residual + at] = low[at] - mean;
    }
}

/// Means, then a thread per pair of elements. Grid: x over pairs.
SIMT_KERNEL(speed_chroma_covariance, SpeedChromaArgs, kSpeedChromaCovariance.threads)
{
    SIMT_SHARED(double, means, kSpeedChromaSize);
    SIMT_SHARED(double, centred, kSpeedChromaSize *kCentredPitch);
    const SpeedChromaScratch layout = layout_of(args);
    const float *residual = plane_scratch(args) + layout.residual;
    const int width = args.low_width;
    const int places_x = kSpeedChromaSide * args.blocks_x - kSpeedChromaSide + 1;
    const int places_y = kSpeedChromaSide * args.blocks_y - kSpeedChromaSide + 1;
    if (thread_id() < kSpeedChromaSize) {
        const float *window =
            residual + thread_id() / kSpeedChromaSide * width + thread_id() % kSpeedChromaSide;
        float sum = 0;
        for (int i = 0; i < places_y; ++i)
            for (int j = 0; j < places_x; ++j)
                sum = sum + load_readonly(window + i * width + j);
        means[thread_id()] = sum / static_cast<float>(places_x * places_y);
    }
    barrier();
    const int pair = block_id_x() * kSpeedChromaCovarianceThreads + thread_id();
    int x = 0;
    int y = 0;
    if (pair < kSpeedChromaProducts)
        element_pair(pair, x, y);
    double sum = 0;
    for (int i = 0; i < places_y; ++i) {
        for (int first = 0; first < places_x; first += kCentredPlaces) {
            centre(residual + i * width + first, width, places_x - first, means, centred);
            barrier();
            if (pair < kSpeedChromaProducts)
                sum = add_products(sum, centred + x * kCentredPitch, centred + y * kCentredPitch,
                                   places_x - first);
            barrier();
        }
    }
    if (pair < kSpeedChromaProducts) {
        const auto value = static_cast<float>(sum / (places_x * places_y));
        float *covariance = plane_scratch(args) + layout.covariance;
        covariance[x * kSpeedChromaSize + y] = value;
        covariance[y * kSpeedChromaSize + x] = value;
    }
}

/// Block y 0: eigenvalues into the Sums; block y 1: Q and R into scratch.
SIMT_KERNEL(speed_chroma_factor, SpeedChromaArgs, kSpeedChromaFactor.threads)
{
    SIMT_SHARED(SpeedChromaRow, first, kSpeedChromaSize);
    SIMT_SHARED(SpeedChromaRow, second, kSpeedChromaSize);
    const SpeedChromaScratch layout = layout_of(args);
    float *scratch = plane_scratch(args);
    const float *covariance = scratch + layout.covariance;
    for (int t = thread_id(); t < kSpeedChromaSize * kSpeedChromaSize; t += kSpeedChromaThreads)
        first[t / kSpeedChromaSize][t % kSpeedChromaSize] = covariance[t];
    barrier();
    if (block_id_y() == 0) {
        speed_chroma_tridiagonalise(first);
        speed_chroma_store_eigenvalues(first, plane_sums(args).eigenvalues);
    } else {
        speed_chroma_factorise(first, second, covariance);
        speed_chroma_store_factors(second, covariance, scratch + layout.q, scratch + layout.r);
    }
}

/// S and E, a thread per block. Grid: x over blocks.
SIMT_KERNEL(speed_chroma_blocks, SpeedChromaArgs, kSpeedChromaBlocks.threads)
{
    const SpeedChromaScratch layout = layout_of(args);
    const float *scratch = plane_scratch(args);
    const SumsView sums = plane_sums(args);
    const int block = block_id_x() * kSpeedChromaChainThreads + thread_id();
    if (block < args.blocks_x * args.blocks_y) {
        const bool is_singular = speed_chroma_is_singular(sums.eigenvalues, scratch + layout.r);
        float s = 0;
        if (!is_singular) {
            const float *corner = scratch + layout.residual +
                                  block / args.blocks_x * kSpeedChromaSide * args.low_width +
                                  block % args.blocks_x * kSpeedChromaSide;
            s = speed_chroma_block_s(corner, args.low_width, scratch + layout.q,
                                     scratch + layout.r);
        }
        sums.s[block] = speed_chroma_one_nan(s);
        uint32_t open = 0;
        float e = 0;
        for (int k = 0; k < kSpeedChromaSize; ++k) {
            const float eigenvalue = load_readonly(sums.eigenvalues + k);
            e = speed_chroma_add_entropy(e, (eigenvalue < 0 ? 0 : eigenvalue) * s + args.sigma,
                                         open);
        }
        sums.e[block] = e;
        if (open > 0)
            atomic_add(sums.open, open);
        if (block == 0)
            *sums.is_singular = is_singular ? 1 : 0;
    }
}

} // namespace vmafgpu
