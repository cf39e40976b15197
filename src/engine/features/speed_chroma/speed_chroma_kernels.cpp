// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of speed_chroma. Sums are float and their order is part of the numerics:
// every sum is one thread's, in the order of speed_chroma_ref.cpp; threads share out
// the sums, never the terms of one. Grid z: planes of the batch.
#include "features/speed_chroma/speed_chroma_args.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "features/speed_chroma/speed_chroma_matrix.h"
#include "simt/simt.h"

namespace vmafgpu::speed_chroma {
namespace {

SIMT_DEVICE float *plane_scratch(const Args &args)
{
    const int plane = block_id_z();
    return args.scratch + plane / kPlanes * args.pair_scratch_stride +
           plane % kPlanes * args.scratch_stride;
}

SIMT_DEVICE PlaneScratch layout_of(const Args &args)
{
    return plane_layout(args.low_width, args.low_height);
}

/// The words of PlaneSums, and the floats behind all planes' ones.
struct SumsView {
    float *eigenvalues;
    uint32_t *is_singular, *open;
    float *s, *e;
};

SIMT_DEVICE SumsView plane_sums(const Args &args)
{
    constexpr int kWords = kVector + 3;
    const int plane = block_id_z() % kPlanes;
    const int blocks = args.blocks_x * args.blocks_y;
    char *pair = args.sums + block_id_z() / kPlanes * args.sums_stride;
    auto *words = reinterpret_cast<uint32_t *>(pair);
    auto *floats = reinterpret_cast<float *>(pair);
    const int head = plane * kWords;
    const int tail = kPlanes * kWords + plane * blocks;
    return {floats + head, words + head + kVector, words + head + kVector + 1, floats + tail,
            floats + tail + kPlanes * blocks};
}

template <typename Sample>
SIMT_DEVICE float source_sample(const Args &args, int y, int x, float scale)
{
    const Args::Source &source = args.planes[block_id_z()];
    const auto *row =
        reinterpret_cast<const Sample *>(static_cast<const char *>(source.data) + source.pitch * y);
    return static_cast<float>(load_readonly(row + x)) * scale - 128;
}

template <typename Sample, bool kResize>
SIMT_DEVICE float resized_sample(const Args &args, int y, int x, float scale)
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

/// Computes one row of kReduceColumns low-pass samples: down the columns that they need, then along
/// the row. Grid: x over columns, y over rows.
template <typename Sample, bool kResize> SIMT_DEVICE void reduce(const Args &args)
{
    constexpr int kStep = 16;
    constexpr int kSpan = kStep * kReduceColumns + kMaxFilter;
    SIMT_SHARED(float, columns, kSpan);
    const int length = args.low_pass_length;
    const int half = (length - 1) / 2;
    const int first = block_id_x() * kReduceColumns;
    const int rest = args.low_width - first;
    const int count = rest < kReduceColumns ? rest : kReduceColumns;
    const float scale = 1.0f / static_cast<float>(1 << (args.depth - 8));
    const int span = kStep * (count - 1) + length;
    for (int t = thread_id(); t < span; t += kThreads) {
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

constexpr int kRunPlaces = 64; ///< places of a row that are processed at a time
constexpr int kRunGroup = 8;   ///< places of one turn of a loop over a run
/// Odd, so that threads with different elements read different banks.
constexpr int kCentredPitch = kRunPlaces + 1;
/// Samples of a row of the windows at a run's places; 1 more, so that the elements of a window lie
/// in different banks.
constexpr int kRunSamples = kRunPlaces + kEdge - 1;
constexpr int kRunPitch = kRunSamples + 1;
static_assert(kCovarianceThreads == 2 * kRunPlaces);

/// Where the windows of a plane are.
struct Places {
    const float *residual;
    int pitch, width, height;
};

/// A thread's samples of a run, on their way from global to shared memory.
class RunSamples {
public:
    /// Loads the windows at places from `first` on of row y. Reads nothing outside of the plane's
    /// windows.
    SIMT_DEVICE void load(const Places &places, int y, int first)
    {
        const int count = places.width - first + kEdge - 1;
        const float *from = places.residual + y * places.pitch + first;
        SIMT_UNROLL
        for (int i = 0; i < kCount; ++i) {
            const int at = thread_id() + i * kCovarianceThreads;
            const int column = at % kRunSamples;
            if (y < places.height && at < kEdge * kRunSamples && column < count)
                samples_[i] = load_readonly(from + at / kRunSamples * places.pitch + column);
        }
    }
    SIMT_DEVICE void store(float *run) const
    {
        SIMT_UNROLL
        for (int i = 0; i < kCount; ++i) {
            const int at = thread_id() + i * kCovarianceThreads;
            if (at < kEdge * kRunSamples)
                run[at / kRunSamples * kRunPitch + at % kRunSamples] = samples_[i];
        }
    }

private:
    static constexpr int kCount = divide_up(kEdge * kRunSamples, kCovarianceThreads);
    float samples_[kCount] = {};
};

/// visit(places) for the runs of all rows, in order, whose samples are then in `run`. While one is
/// visited, the samples of the next one are on their way: a plane is read by few threads, which
/// would otherwise wait for most of their time. [block]
template <typename Visit>
SIMT_DEVICE void visit_runs(const Places &places, float *run, const Visit &visit)
{
    RunSamples samples;
    samples.load(places, 0, 0);
    int first = 0;
    for (int y = 0; y < places.height;) {
        const int rest = places.width - first;
        first = rest > kRunPlaces ? first + kRunPlaces : 0;
        y += first == 0 ? 1 : 0;
        samples.store(run);
        barrier();
        samples.load(places, y, first);
        visit(rest < kRunPlaces ? rest : kRunPlaces);
        barrier();
    }
}

/// term(j), term(j + 1) .. of a group.
template <typename Sum, typename Term>
SIMT_DEVICE void make_terms(Sum *terms, int j, const Term &term)
{
    SIMT_UNROLL
    for (int k = 0; k < kRunGroup; ++k)
        terms[k] = term(j + k);
}

template <typename Sum> SIMT_DEVICE Sum add_terms(Sum sum, const Sum *terms)
{
    SIMT_UNROLL
    for (int k = 0; k < kRunGroup; ++k)
        sum = sum + terms[k];
    return sum;
}

/// Adds term(0), term(1) .. to the sum, one after the other. The terms of a group are made before
/// those of the group before it are added: an addition waits for the one before it only.
template <typename Sum, typename Term>
SIMT_DEVICE Sum add_in_order(Sum sum, int count, const Term &term)
{
    Sum even[kRunGroup];
    Sum odd[kRunGroup];
    int j = 0;
    if (kRunGroup <= count) {
        make_terms(even, 0, term);
        for (; j + 2 * kRunGroup <= count; j += 2 * kRunGroup) {
            make_terms(odd, j + kRunGroup, term);
            sum = add_terms(sum, even);
            if (j + 3 * kRunGroup <= count)
                make_terms(even, j + 2 * kRunGroup, term);
            sum = add_terms(sum, odd);
        }
        if (j + kRunGroup <= count) {
            sum = add_terms(sum, even);
            j += kRunGroup;
        }
    }
    for (; j < count; ++j)
        sum = sum + term(j);
    return sum;
}

/// Means of the elements, each in the order of its places. Valid after a barrier. [block]
SIMT_DEVICE void store_means(const Places &places, float *run, double *means)
{
    const int t = thread_id();
    const float *samples = run + t / kEdge * kRunPitch + t % kEdge;
    float sum = 0;
    visit_runs(places, run, [&](int count) {
        if (t < kVector)
            sum = add_in_order(sum, count, [&](int j) { return samples[j]; });
    });
    if (t < kVector)
        means[t] = sum / static_cast<float>(places.width * places.height);
}

/// Elements less their means, at the places of a run. Each is used by 25 pairs, and on many
/// GPUs a conversion or subtraction of double costs as much as 16 of float. Of a place's two
/// threads, one takes the even columns of the window and the other one the odd columns.
SIMT_DEVICE void centre(const float *run, int count, const double *means, double *centred)
{
    const int place = thread_id() % kRunPlaces;
    const int odd = thread_id() / kRunPlaces;
    if (place >= count)
        return;
    SIMT_UNROLL
    for (int even = 0; even < kEdge; even += 2) {
        const int column = even + odd;
        if (column < kEdge) {
            SIMT_UNROLL
            for (int i = 0; i < kEdge; ++i) {
                const int element = i * kEdge + column;
                const double sample = run[i * kRunPitch + column + place];
                centred[element * kCentredPitch + place] = sample - means[element];
            }
        }
    }
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

SIMT_KERNEL(speed_chroma_reduce_u8, Args, kReduceU8.threads)
{
    reduce<uint8_t, false>(args);
}
SIMT_KERNEL(speed_chroma_reduce_u16, Args, kReduceU16.threads)
{
    reduce<uint16_t, false>(args);
}
SIMT_KERNEL(speed_chroma_resize_u8, Args, kResizeU8.threads)
{
    reduce<uint8_t, true>(args);
}
SIMT_KERNEL(speed_chroma_resize_u16, Args, kResizeU16.threads)
{
    reduce<uint16_t, true>(args);
}

/// Low-pass samples less their local mean, where whole blocks are. Grid: x over samples.
SIMT_KERNEL(speed_chroma_residual, Args, kResidual.threads)
{
    const int used_width = kEdge * args.blocks_x;
    const int index = block_id_x() * kThreads + thread_id();
    const int row = index / used_width;
    const int column = index % used_width;
    if (row < kEdge * args.blocks_y) {
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
SIMT_KERNEL(speed_chroma_covariance, Args, kCovariance.threads)
{
    SIMT_SHARED(double, means, kVector);
    SIMT_SHARED(double, centred, kVector *kCentredPitch);
    SIMT_SHARED(float, run, kEdge *kRunPitch);
    const PlaneScratch layout = layout_of(args);
    const Places places = {plane_scratch(args) + layout.residual, args.low_width,
                           kEdge * (args.blocks_x - 1) + 1, kEdge * (args.blocks_y - 1) + 1};
    store_means(places, run, means);
    const int pair = block_id_x() * kCovarianceThreads + thread_id();
    int x = 0;
    int y = 0;
    if (pair < kPairs)
        element_pair(pair, x, y);
    const double *a = centred + x * kCentredPitch;
    const double *b = centred + y * kCentredPitch;
    double sum = 0;
    visit_runs(places, run, [&](int count) {
        centre(run, count, means, centred);
        barrier();
        if (pair < kPairs)
            sum = add_in_order(sum, count, [&](int j) { return a[j] * b[j]; });
    });
    if (pair < kPairs) {
        const auto value = static_cast<float>(sum / (places.width * places.height));
        float *covariance = plane_scratch(args) + layout.covariance;
        covariance[x * kVector + y] = value;
        covariance[y * kVector + x] = value;
    }
}

/// Block y 0: eigenvalues into the Sums; block y 1: Q and R into scratch.
SIMT_KERNEL(speed_chroma_factor, Args, kFactor.threads)
{
    SIMT_SHARED(Row, first, kVector);
    SIMT_SHARED(Row, second, kVector);
    const PlaneScratch layout = layout_of(args);
    float *scratch = plane_scratch(args);
    const float *covariance = scratch + layout.covariance;
    for (int t = thread_id(); t < kVector * kVector; t += kThreads)
        first[t / kVector][t % kVector] = covariance[t];
    barrier();
    if (block_id_y() == 0) {
        tridiagonalise(first);
        store_eigenvalues(first, plane_sums(args).eigenvalues);
    } else {
        factorise_qr(first, second, covariance);
        store_factors(second, covariance, scratch + layout.q, scratch + layout.r);
    }
}

/// S and E, a thread per block. Grid: x over blocks.
SIMT_KERNEL(speed_chroma_blocks, Args, kBlocks.threads)
{
    const PlaneScratch layout = layout_of(args);
    const float *scratch = plane_scratch(args);
    const SumsView sums = plane_sums(args);
    const int block = block_id_x() * kChainThreads + thread_id();
    if (block < args.blocks_x * args.blocks_y) {
        const bool is_singular = is_singular_matrix(sums.eigenvalues, scratch + layout.r);
        float s = 0;
        if (!is_singular) {
            const float *corner = scratch + layout.residual +
                                  block / args.blocks_x * kEdge * args.low_width +
                                  block % args.blocks_x * kEdge;
            s = block_s(corner, args.low_width, scratch + layout.q, scratch + layout.r);
        }
        sums.s[block] = one_nan(s);
        uint32_t open = 0;
        float e = 0;
        for (int k = 0; k < kVector; ++k) {
            const float eigenvalue = load_readonly(sums.eigenvalues + k);
            e = add_entropy(e, (eigenvalue < 0 ? 0 : eigenvalue) * s + args.sigma, open);
        }
        sums.e[block] = e;
        if (open > 0)
            atomic_add(sums.open, open);
        if (block == 0)
            *sums.is_singular = is_singular ? 1 : 0;
    }
}

} // namespace vmafgpu::speed_chroma
