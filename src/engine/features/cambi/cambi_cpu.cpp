// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on the CPU, fast: memory and tasks. Rows of the first steps and strips of
// columns of all scales go to the thread pool; the loops are in cambi_cpu_plane.h
// and cambi_cpu_count.h. Equal to cambi_ref.cpp in every byte of the Sums.
// Called by cambi.cpp.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/cambi/cambi.h"
#include "features/cambi/cambi_cpu_count.h"
#include "features/cambi/cambi_cpu_plane.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "simd/cpu_recompile.h"
#include "system/thread_pool.h"

namespace vmafgpu::cambi {

namespace {

using cambi_cpu::Counting;
using cambi_cpu::Samples;
using cambi_cpu::Source;
using cambi_cpu::Strip;

constexpr int kStripColumns = 256;
constexpr int kRowsPerTask = 128; // even: tasks of halved pictures begin with a row that is kept

Counting counting_of(const Config &config, int picture)
{
    Counting counting = {};
    counting.config = &config;
    counting.radius = config.target[picture].window / 2;
    counting.lowest = config.lowest_counted();
    counting.levels = config.highest_counted() - counting.lowest + 1;
    // An odd number of cache lines, so that levels next to each other share no sets.
    const int bytes = kStripColumns + 2 * counting.radius;
    counting.pitch = (divide_up(bytes, 64) | 1) * 64;
    return counting;
}

/// The areas of one target in the scratch memory. Both targets use the same areas, one after the
/// other.
struct Scratch {
    uint16_t *prepared; ///< samples of scale 0 before the mode filter
    uint16_t *images[kScales];
    float *contrasts[kScales];
    int strip_count = 0; ///< strips of all scales
    Strip *strips;
    size_t counts_stride;
    uint8_t *counts; ///< counts of all strips
    int32_t *columns = nullptr, *rows = nullptr;

    Scratch(Arena &arena, const Config &config, int picture)
    {
        for (int scale = 0; scale < kScales; ++scale) {
            const auto width = static_cast<size_t>(config.scale_width(picture, scale));
            const size_t samples = width * static_cast<size_t>(config.scale_height(picture, scale));
            if (scale == 0)
                prepared = arena.take<uint16_t>(samples);
            images[scale] = arena.take<uint16_t>(samples);
            contrasts[scale] = arena.take<float>(samples);
            strip_count += divide_up(static_cast<int>(width), kStripColumns);
        }
        const Counting counting = counting_of(config, picture);
        // Rows of zeros below the lowest level, above the highest the row that nobody reads.
        counts_stride = static_cast<size_t>(counting.pitch) *
                        static_cast<size_t>(config.steps + counting.levels + 1);
        strips = arena.take<Strip>(static_cast<size_t>(strip_count));
        counts = arena.take<uint8_t>(counts_stride * static_cast<size_t>(strip_count));
        const Target &target = config.target[picture];
        if (target.width != config.format.width || target.height != config.format.height) {
            columns = arena.take<int32_t>(static_cast<size_t>(target.width));
            rows = arena.take<int32_t>(static_cast<size_t>(target.height));
        }
    }
};

struct PrepareTask {
    Source source;
    int y0, y1;
    Samples to;
};

VMAFGPU_ALWAYS_INLINE void prepare_any(const PrepareTask &task)
{
    if (task.source.depth > 8)
        cambi_cpu::prepare_rows<uint16_t>(task.source, task.y0, task.y1, task.to);
    else
        cambi_cpu::prepare_rows<uint8_t>(task.source, task.y0, task.y1, task.to);
}
void prepare(const PrepareTask &task)
{
    prepare_any(task);
}
VMAFGPU_TARGET_AVX2 void prepare_avx2(const PrepareTask &task)
{
    prepare_any(task);
}
VMAFGPU_TARGET_AVX512 void prepare_avx512(const PrepareTask &task)
{
    prepare_any(task);
}

struct ModeTask {
    Samples from;
    int step, y0, y1;
    Samples to;
};

void filter(const ModeTask &task)
{
    cambi_cpu::mode_rows(task.from, task.step, task.y0, task.y1, task.to);
}
VMAFGPU_TARGET_AVX2 void filter_avx2(const ModeTask &task)
{
    cambi_cpu::mode_rows(task.from, task.step, task.y0, task.y1, task.to);
}
VMAFGPU_TARGET_AVX512 void filter_avx512(const ModeTask &task)
{
    cambi_cpu::mode_rows(task.from, task.step, task.y0, task.y1, task.to);
}

void count(const Counting &counting, Strip &strip)
{
    cambi_cpu::count_strip<16>(counting, strip);
}
VMAFGPU_TARGET_AVX2 void count_avx2(const Counting &counting, Strip &strip)
{
    cambi_cpu::count_strip<32>(counting, strip);
}
VMAFGPU_TARGET_AVX512 void count_avx512(const Counting &counting, Strip &strip)
{
    cambi_cpu::count_strip<32>(counting, strip);
}

struct PoolTask {
    const float *c;
    int64_t n, k;
};

void pool_top(const PoolTask &task, ScaleSums &sums)
{
    cambi_cpu::pool_largest(task.c, task.n, task.k, sums);
}
VMAFGPU_TARGET_AVX2 void pool_top_avx2(const PoolTask &task, ScaleSums &sums)
{
    cambi_cpu::pool_largest(task.c, task.n, task.k, sums);
}
VMAFGPU_TARGET_AVX512 void pool_top_avx512(const PoolTask &task, ScaleSums &sums)
{
    cambi_cpu::pool_largest(task.c, task.n, task.k, sums);
}

/// The Sums of a scale from those of its strips. Spoils c if libvmaf's order is needed.
ScaleSums pool_scale(const Strip *strips, int count, float *c, int64_t n, int64_t k)
{
    ScaleSums sums = {};
    int64_t nonzero = 0;
    uint32_t smallest = UINT32_MAX;
    for (int i = 0; i < count; ++i) {
        sums.units += strips[i].units;
        nonzero += strips[i].nonzero;
        smallest = std::min(smallest, strips[i].smallest - 1);
    }
    if (nonzero == 0)
        return sums;
    if (nonzero <= k) {
        sums.exponent = exponent_of(smallest + 1);
    } else {
        choose_level(pool_top, pool_top_avx2, pool_top_avx512)({c, n, k}, sums);
    }
    if (!is_exact_sum(sums)) {
        sums.is_ordered = 1;
        sums.ordered = ordered_sum(c, n, k);
    }
    return sums;
}

class PictureScorer {
public:
    PictureScorer(const Config &config, int picture, void *scratch, ThreadPool &pool)
        : format_(config.format), config_(config), picture_(picture), pool_(pool), arena_(scratch),
          memory_(arena_, config, picture)
    {
    }

    void run(const Plane &plane, ScaleSums *sums, const std::vector<Heatmaps> &heatmaps,
             int64_t index)
    {
        prepare_all(plane);
        for (int scale = 0; scale < kScales; ++scale)
            filter_all(scale);
        count_all();
        for (const Heatmaps &target : heatmaps)
            write(target, index); // the heatmap needs the contrasts before pooling moves them
        pool_.parallel_for(kScales, [&](int scale) {
            const Strip *first = memory_.strips;
            for (int s = 0; s < scale; ++s)
                first += strip_count(s);
            const Samples samples = image(scale);
            sums[scale] = pool_scale(first, strip_count(scale), memory_.contrasts[scale],
                                     static_cast<int64_t>(samples.width) * samples.height,
                                     config_.top_count(picture_, scale));
        });
    }

private:
    Samples samples_at(uint16_t *data, int scale) const
    {
        return {data, config_.scale_width(picture_, scale), config_.scale_height(picture_, scale)};
    }
    Samples image(int scale) const { return samples_at(memory_.images[scale], scale); }
    int strip_count(int scale) const
    {
        return divide_up(config_.scale_width(picture_, scale), kStripColumns);
    }

    static const int32_t *fill_map(int in, int out, int32_t *map)
    {
        const std::vector<int32_t> samples = sample_map_of(in, out);
        std::copy(samples.begin(), samples.end(), map);
        return map;
    }

    void prepare_all(const Plane &plane)
    {
        const Target &target = config_.target[picture_];
        Source source = {};
        source.plane = plane;
        source.depth = format_.depth;
        source.width = target.width;
        source.height = target.height;
        source.mask_threshold = target.mask_threshold;
        source.is_filtered = config_.is_filtered;
        source.is_halved = config_.is_halved;
        if (target.width != format_.width || target.height != format_.height) {
            source.columns = fill_map(format_.width, target.width, memory_.columns);
            source.rows = fill_map(format_.height, target.height, memory_.rows);
        }
        const auto run = choose_level(prepare, prepare_avx2, prepare_avx512);
        for_strips(pool_, target.height, kRowsPerTask, [&](const StripOfRows &rows) {
            run({source, rows.first, rows.last, samples_at(memory_.prepared, 0)});
        });
    }

    void filter_all(int scale)
    {
        const Samples from = scale == 0 ? samples_at(memory_.prepared, 0) : image(scale - 1);
        const Samples to = image(scale);
        const auto run = choose_level(filter, filter_avx2, filter_avx512);
        for_strips(pool_, to.height, kRowsPerTask, [&](const StripOfRows &rows) {
            run({from, scale == 0 ? 1 : 2, rows.first, rows.last, to});
        });
    }

    void count_all()
    {
        const Counting counting = counting_of(config_, picture_);
        int strip = 0;
        for (int scale = 0; scale < kScales; ++scale) {
            for (int i = 0; i < strip_count(scale); ++i, ++strip) {
                const Samples samples = image(scale);
                memory_.strips[strip] = {samples,
                                         memory_.contrasts[scale],
                                         i * kStripColumns,
                                         std::min(samples.width, (i + 1) * kStripColumns),
                                         memory_.counts +
                                             memory_.counts_stride * static_cast<size_t>(strip),
                                         0,
                                         0,
                                         0};
            }
        }
        const auto run = choose_level(count, count_avx2, count_avx512);
        pool_.parallel_for(memory_.strip_count, [&](int i) { run(counting, memory_.strips[i]); });
    }

    void write(const Heatmaps &heatmaps, int64_t index)
    {
        for (int scale = 0; scale < kScales; ++scale) {
            const int height = config_.scale_height(picture_, scale);
            for_strips(pool_, height, kRowsPerTask, [&](const StripOfRows &rows) {
                heatmaps.write(index, scale, rows.first, rows.last, memory_.contrasts[scale]);
            });
        }
    }

    const Format &format_;
    const Config &config_;
    int picture_;
    ThreadPool &pool_;
    Arena arena_;
    Scratch memory_;
};

} // namespace

size_t Forms::cpu_scratch(const Config &config)
{
    size_t bytes = 0;
    for (int picture = 0; picture < config.pictures; ++picture)
        bytes = std::max(bytes, arena_size<Scratch>(config, picture));
    return bytes;
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    compute_with(config, pair, sums, scratch, pool, {});
}

void compute_with(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                  ThreadPool &pool, const std::vector<Heatmaps> &heatmaps)
{
    static const std::vector<Heatmaps> none; // the reference has no heatmaps
    std::memset(&sums, 0, sizeof(sums));
    const Plane *planes[2] = {&pair.distorted[0], &pair.reference[0]};
    for (int picture = 0; picture < config.pictures; ++picture) // 1 or 2
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        PictureScorer(config, picture, scratch, pool)
            .run(*planes[picture], sums.scale[picture], picture == 0 ? heatmaps : none, pair.index);
}

} // namespace vmafgpu::cambi
