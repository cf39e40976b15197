// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma on the CPU, fast: the same bytes as speed_chroma_ref.cpp. A task per plane; loops
// that the compiler vectorises although each sum stays serial. The steps after the covariance are
// the reference code itself: they are little work in long dependent chains.
#include "features/speed_chroma/speed_chroma.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/numeric.h"
#include "features/kit/arena.h"
#include "simd/cpu_recompile.h"
#include "system/thread_pool.h"

namespace vmafgpu::speed_chroma {

namespace {

constexpr int kN = kVector;
constexpr int kLanes = 8; ///< covariances that one loop sums
constexpr int kPadded = (kN + kLanes - 1) / kLanes * kLanes;
constexpr int kRowsAtOnce = 4; ///< rows of the covariance matrix that are computed together

size_t padded(size_t count)
{
    return round_up(count, size_t{16});
}

/// Memory of one task.
struct Work {
    float *line;   ///< a resized row
    float *source; ///< source rows, as many as a resized one needs
    float *column; ///< a row filtered down the columns
    float *kept;   ///< a row filtered down the columns, while others are resized
    float *low, *residual;
    double *deviations; ///< places_x rows of kPadded; the sums follow

    Work(Arena &arena, const Config &config)
    {
        const auto resized = static_cast<size_t>(config.resized_width);
        const size_t samples = static_cast<size_t>(config.low_width) * config.low_height;
        line = arena.take<float>(resized);
        source = arena.take<float>(padded(config.width) * static_cast<size_t>(config.taps));
        column = arena.take<float>(resized);
        kept = arena.take<float>(resized);
        low = arena.take<float>(samples);
        residual = arena.take<float>(samples);
        deviations =
            arena.take<double>(static_cast<size_t>(kPadded) * (config.places_x() + kPadded));
    }
};

struct Scratch {
    std::array<Work, kPlanes> work;

    Scratch(Arena &arena, const Config &config)
        : work{Work(arena, config), Work(arena, config), Work(arena, config), Work(arena, config)}
    {
    }
};

template <typename Sample> VMAFGPU_ALWAYS_INLINE void centre_row(const Sample *from, int count,
                                                                 float scale, float *__restrict to)
{
    for (int x = 0; x < count; ++x)
        to[x] = static_cast<float>(from[x]) * scale - 128;
}

VMAFGPU_ALWAYS_INLINE void source_row(const Config &config, const Plane &plane, int y, float *to)
{
    const float scale = 1.0F / static_cast<float>(1 << (config.depth - 8));
    if (config.depth == 8)
        centre_row(plane_row<uint8_t>(plane, y), config.width, scale, to);
    else
        centre_row(plane_row<uint16_t>(plane, y), config.width, scale, to);
}

/// Row y of the resized plane, from `kTaps` source rows.
template <int kTaps> VMAFGPU_ALWAYS_INLINE void
combine_rows(const Config &config, const float *row_weight, const Work &work)
{
    const int32_t *index = config.columns.index.data();
    const float *column_weight = config.columns.weight.data();
    const bool divides = config.resize == FloatResize::kLanczos4;
    const auto pitch = static_cast<ptrdiff_t>(padded(config.width));
    for (int x = 0; x < config.resized_width; ++x) {
        float sum = 0;
        float weights = 0;
        for (int j = 0; j < kTaps; ++j) {
            for (int i = 0; i < kTaps; ++i) {
                const float weight = column_weight[x * kTaps + i] * row_weight[j];
                weights = weights + weight;
                sum = sum + work.source[j * pitch + index[x * kTaps + i]] * weight;
            }
        }
        work.line[x] = divides ? sum / weights : sum;
    }
}

/// Row y of the resized plane (or, not resized, of the plane), in work.line.
VMAFGPU_ALWAYS_INLINE void resized_row(const Config &config, const Plane &plane, int y,
                                       const Work &work)
{
    const int taps = config.taps;
    if (taps == 0) {
        source_row(config, plane, y, work.line);
        return;
    }
    const int32_t *rows = config.rows.index.data() + static_cast<ptrdiff_t>(y) * taps;
    const float *weights = config.rows.weight.data() + static_cast<ptrdiff_t>(y) * taps;
    for (int j = 0; j < taps; ++j)
        source_row(config, plane, rows[j],
                   work.source + static_cast<ptrdiff_t>(padded(config.width)) * j);
    if (taps == 1)
        combine_rows<1>(config, weights, work);
    else if (taps == 2)
        combine_rows<2>(config, weights, work);
    else if (taps == 4)
        combine_rows<4>(config, weights, work);
    else
        combine_rows<9>(config, weights, work);
}

VMAFGPU_ALWAYS_INLINE void add_scaled(float *__restrict sum, const float *from, float factor,
                                      int count)
{
    for (int x = 0; x < count; ++x)
        sum[x] = sum[x] + factor * from[x];
}

VMAFGPU_ALWAYS_INLINE float filter_at(const std::vector<float> &taps, const float *row, int x,
                                      int n)
{
    const int length = static_cast<int>(taps.size());
    float sum = 0;
    for (int t = 0; t < length; ++t)
        sum = sum + taps[static_cast<size_t>(t)] * row[mirror(x - (length - 1) / 2 + t, n)];
    return sum;
}

VMAFGPU_ALWAYS_INLINE void low_pass(const Config &config, const Plane &plane, const Work &work)
{
    const int length = static_cast<int>(config.low_pass.size());
    for (int i = 0; i < config.low_height; ++i) {
        std::fill_n(work.kept, config.resized_width, 0.0F);
        for (int u = 0; u < length; ++u) {
            const int y = mirror(kLowPassStep * i - (length - 1) / 2 + u, config.resized_height);
            resized_row(config, plane, y, work);
            add_scaled(work.kept, work.line, config.low_pass[static_cast<size_t>(u)],
                       config.resized_width);
        }
        float *row = work.low + static_cast<ptrdiff_t>(i) * config.low_width;
        for (int j = 0; j < config.low_width; ++j)
            row[j] = filter_at(config.low_pass, work.kept, kLowPassStep * j, config.resized_width);
    }
}

VMAFGPU_ALWAYS_INLINE void subtract_mean(const Config &config, const Work &work)
{
    const int width = config.low_width;
    const int length = static_cast<int>(config.local_mean.size());
    for (int i = 0; i < config.low_height; ++i) {
        std::fill_n(work.column, width, 0.0F);
        for (int u = 0; u < length; ++u) {
            const int y = mirror(i - (length - 1) / 2 + u, config.low_height);
            add_scaled(work.column, work.low + static_cast<ptrdiff_t>(y) * width,
                       config.local_mean[static_cast<size_t>(u)], width);
        }
        const ptrdiff_t at = static_cast<ptrdiff_t>(i) * width;
        for (int j = 0; j < width; ++j)
            work.residual[at + j] =
                work.low[at + j] - filter_at(config.local_mean, work.column, j, width);
    }
}

/// The serial sums of the 25 elements, side by side.
VMAFGPU_ALWAYS_INLINE void window_means(const Config &config, const float *residual, float *mean)
{
    float sum[kN] = {};
    for (int i = 0; i < config.places_y(); ++i) {
        for (int j = 0; j < config.places_x(); ++j) {
            const float *corner = residual + static_cast<ptrdiff_t>(i) * config.low_width + j;
            for (int e = 0; e < kN; ++e)
                sum[e] = sum[e] + corner[e / kEdge * config.low_width + e % kEdge];
        }
    }
    const auto places = static_cast<float>(config.places_x() * config.places_y());
    for (int e = 0; e < kN; ++e)
        mean[e] = sum[e] / places;
}

/// sums[x][y] += deviation x * deviation y at each place, in order, for kRowsAtOnce x and
/// kLanes y.
VMAFGPU_ALWAYS_INLINE void add_products(const double *deviations, int places, int x, int y,
                                        double *sums)
{
    double sum[kRowsAtOnce][kLanes];
    for (int a = 0; a < kRowsAtOnce; ++a)
        std::memcpy(sum[a], sums + (x + a) * kPadded + y, sizeof(sum[a]));
    for (int place = 0; place < places; ++place) {
        const double *at = deviations + static_cast<ptrdiff_t>(place) * kPadded;
        for (int a = 0; a < kRowsAtOnce; ++a)
            for (int b = 0; b < kLanes; ++b)
                sum[a][b] = sum[a][b] + at[x + a] * at[y + b];
    }
    for (int a = 0; a < kRowsAtOnce; ++a)
        std::memcpy(sums + (x + a) * kPadded + y, sum[a], sizeof(sum[a]));
}

VMAFGPU_ALWAYS_INLINE void covariances(const Config &config, const Work &work, Matrix &covariance)
{
    const int places = config.places_x();
    double *sums = work.deviations + static_cast<ptrdiff_t>(places) * kPadded;
    std::fill_n(work.deviations, (places + kPadded) * kPadded, 0.0);
    float mean[kN];
    window_means(config, work.residual, mean);
    for (int i = 0; i < config.places_y(); ++i) {
        for (int e = 0; e < kN; ++e) {
            const float *from = work.residual + e % kEdge +
                                static_cast<ptrdiff_t>(i + e / kEdge) * config.low_width;
            for (int j = 0; j < places; ++j)
                work.deviations[static_cast<ptrdiff_t>(j) * kPadded + e] =
                    static_cast<double>(from[j]) - static_cast<double>(mean[e]);
        }
        for (int x = 0; x < kN; x += kRowsAtOnce)
            for (int y = 0; y < x + kRowsAtOnce; y += kLanes)
                add_products(work.deviations, places, x, y, sums);
    }
    for (int x = 0; x < kN; ++x)
        for (int y = 0; y <= x; ++y)
            covariance[x * kN + y] = covariance[y * kN + x] =
                static_cast<float>(sums[x * kPadded + y] / (places * config.places_y()));
}

VMAFGPU_ALWAYS_INLINE void run_any(const Config &config, const Plane &plane, const Work &work,
                                   Matrix &covariance)
{
    low_pass(config, plane, work);
    subtract_mean(config, work);
    covariances(config, work, covariance);
}

void run_plane(const Config &config, const Plane &plane, const Work &work, Matrix &covariance)
{
    run_any(config, plane, work, covariance);
}
VMAFGPU_TARGET_AVX2 void run_plane_avx2(const Config &config, const Plane &plane, const Work &work,
                                        Matrix &covariance)
{
    run_any(config, plane, work, covariance);
}
VMAFGPU_TARGET_AVX512 void run_plane_avx512(const Config &config, const Plane &plane,
                                            const Work &work, Matrix &covariance)
{
    run_any(config, plane, work, covariance);
}

} // namespace

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Scratch>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto run = choose_level(run_plane, run_plane_avx2, run_plane_avx512);
    const int blocks = config.blocks();
    const SumsView out(sums, blocks);
    Arena arena(scratch);
    const Scratch memory(arena, config);
    pool.parallel_for(kPlanes, [&](int p) {
        const Work &work = memory.work[p];
        Matrix covariance;
        run(config, plane_of(pair, p), work, covariance);
        solve(config, covariance, work.residual, out.planes[p], out.s + p * blocks,
              out.e + p * blocks);
    });
}

} // namespace vmafgpu::speed_chroma
