// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on the CPU, fast: memory and tasks. Rows of the first steps and strips of
// columns of all scales go to the thread pool; the loops are in cambi_cpu_plane.h,
// cambi_cpu_count.h and cambi_cpu_pooling.h. Equal to cambi_ref.cpp in every byte of the Sums.
// Called by cambi.cpp.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "cambi.h"
#include "cambi_cpu_count.h"
#include "cambi_cpu_plane.h"
#include "cambi_cpu_pooling.h"
#include "simd/cpu_recompile.h"
#include "system/thread_pool.h"

namespace vmafgpu {

namespace {

using cambi_cpu::Counting;
using cambi_cpu::Samples;
using cambi_cpu::Source;
using cambi_cpu::Strip;

constexpr int kStripColumns = 256;
constexpr int kRowsPerTask = 128; // even: tasks of halved pictures begin with a row that is kept

/// One target's areas in the scratch memory; both targets use the same.
struct Layout {
    size_t prepared = 0; ///< samples of scale 0 before the mode filter
    size_t images[kCambiScales] = {};
    size_t contrasts[kCambiScales] = {};
    size_t strips = 0;
    size_t counts = 0; ///< of all strips
    size_t columns = 0, rows = 0;
    size_t bytes = 0;
    int strip_count = 0;
    size_t counts_stride = 0;
};

class Areas {
public:
    size_t add(size_t bytes)
    {
        const size_t at = bytes_;
        bytes_ += round_up(bytes, size_t{64});
        return at;
    }
    size_t bytes() const { return bytes_; }

private:
    size_t bytes_ = 0;
};

Counting counting_of(const CambiConfig &config, int picture)
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

Layout layout_of(const Format &format, const CambiConfig &config, int picture)
{
    Layout layout;
    Areas areas;
    const CambiTarget &target = config.target[picture];
    for (int scale = 0; scale < kCambiScales; ++scale) {
        const auto width = static_cast<size_t>(config.scale_width(picture, scale));
        const size_t samples = width * static_cast<size_t>(config.scale_height(picture, scale));
        if (scale == 0)
            layout.prepared = areas.add(samples * sizeof(uint16_t));
        layout.images[scale] = areas.add(samples * sizeof(uint16_t));
        layout.contrasts[scale] = areas.add(samples * sizeof(float));
        layout.strip_count += divide_up(static_cast<int>(width), kStripColumns);
    }
    const Counting counting = counting_of(config, picture);
    // Rows of zeros below the lowest level, above the highest the row that nobody reads.
    layout.counts_stride = static_cast<size_t>(counting.pitch) *
                           static_cast<size_t>(config.steps + counting.levels + 1);
    layout.strips = areas.add(sizeof(Strip) * static_cast<size_t>(layout.strip_count));
    layout.counts = areas.add(layout.counts_stride * static_cast<size_t>(layout.strip_count));
    if (target.width != format.width || target.height != format.height) {
        layout.columns = areas.add(sizeof(int32_t) * static_cast<size_t>(target.width));
        layout.rows = areas.add(sizeof(int32_t) * static_cast<size_t>(target.height));
    }
    layout.bytes = areas.bytes();
    return layout;
}

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

void pool_top(const PoolTask &task, CambiScaleSums &sums)
{
    cambi_cpu::pool_largest(task.c, task.n, task.k, sums);
}
VMAFGPU_TARGET_AVX2 void pool_top_avx2(const PoolTask &task, CambiScaleSums &sums)
{
    cambi_cpu::pool_largest(task.c, task.n, task.k, sums);
}
VMAFGPU_TARGET_AVX512 void pool_top_avx512(const PoolTask &task, CambiScaleSums &sums)
{
    cambi_cpu::pool_largest(task.c, task.n, task.k, sums);
}

/// The Sums of a scale from those of its strips. Spoils c if libvmaf's order is needed.
CambiScaleSums pool_scale(const Strip *strips, int count, float *c, int64_t n, int64_t k)
{
    CambiScaleSums sums = {};
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
        sums.exponent = cambi_exponent(smallest + 1);
    } else {
        choose_level(pool_top, pool_top_avx2, pool_top_avx512)({c, n, k}, sums);
    }
    if (!cambi_is_exact(sums)) {
        sums.is_ordered = 1;
        sums.ordered = cambi_ordered_sum(c, n, k);
    }
    return sums;
}

class PictureScorer {
public:
    PictureScorer(const Format &format, const CambiConfig &config, int picture, void *scratch,
                  ThreadPool &pool)
        : format_(format), config_(config), picture_(picture),
          memory_(static_cast<char *>(scratch)), pool_(pool),
          layout_(layout_of(format, config, picture))
    {
    }

    void run(const Plane &plane, CambiScaleSums *sums, const std::vector<CambiHeatmaps> &heatmaps,
             int64_t index)
    {
        prepare_all(plane);
        for (int scale = 0; scale < kCambiScales; ++scale)
            filter_all(scale);
        count_all();
        for (const CambiHeatmaps &target : heatmaps)
            write(target, index); // before pooling, which may move the contrasts about
        pool_.parallel_for(kCambiScales, [&](int scale) {
            const Strip *first = strips();
            for (int s = 0; s < scale; ++s)
                first += strip_count(s);
            const Samples samples = image(scale);
            sums[scale] = pool_scale(first, strip_count(scale), contrasts(scale),
                                     static_cast<int64_t>(samples.width) * samples.height,
                                     config_.top_count(picture_, scale));
        });
    }

private:
    Samples samples_at(size_t offset, int scale) const
    {
        return {reinterpret_cast<uint16_t *>(memory_ + offset),
                config_.scale_width(picture_, scale), config_.scale_height(picture_, scale)};
    }
    Samples image(int scale) const { return samples_at(layout_.images[scale], scale); }
    float *contrasts(int scale) const
    {
        return reinterpret_cast<float *>(memory_ + layout_.contrasts[scale]);
    }
    Strip *strips() const { return reinterpret_cast<Strip *>(memory_ + layout_.strips); }
    int strip_count(int scale) const
    {
        return divide_up(config_.scale_width(picture_, scale), kStripColumns);
    }

    const int32_t *sample_map(int in, int out, size_t offset) const
    {
        auto *map = reinterpret_cast<int32_t *>(memory_ + offset);
        const std::vector<int32_t> samples = cambi_sample_map(in, out);
        std::copy(samples.begin(), samples.end(), map);
        return map;
    }

    void prepare_all(const Plane &plane)
    {
        const CambiTarget &target = config_.target[picture_];
        Source source = {};
        source.plane = plane;
        source.depth = format_.depth;
        source.width = target.width;
        source.height = target.height;
        source.mask_threshold = target.mask_threshold;
        source.is_filtered = config_.is_filtered;
        source.is_halved = config_.is_halved;
        if (target.width != format_.width || target.height != format_.height) {
            source.columns = sample_map(format_.width, target.width, layout_.columns);
            source.rows = sample_map(format_.height, target.height, layout_.rows);
        }
        const auto run = choose_level(prepare, prepare_avx2, prepare_avx512);
        pool_.parallel_for(divide_up(target.height, kRowsPerTask), [&](int i) {
            const int y0 = i * kRowsPerTask;
            run({source, y0, std::min(target.height, y0 + kRowsPerTask),
                 samples_at(layout_.prepared, 0)});
        });
    }

    void filter_all(int scale)
    {
        const Samples from = scale == 0 ? samples_at(layout_.prepared, 0) : image(scale - 1);
        const Samples to = image(scale);
        const auto run = choose_level(filter, filter_avx2, filter_avx512);
        pool_.parallel_for(divide_up(to.height, kRowsPerTask), [&](int i) {
            const int y0 = i * kRowsPerTask;
            run({from, scale == 0 ? 1 : 2, y0, std::min(to.height, y0 + kRowsPerTask), to});
        });
    }

    void count_all()
    {
        const Counting counting = counting_of(config_, picture_);
        int strip = 0;
        for (int scale = 0; scale < kCambiScales; ++scale) {
            for (int i = 0; i < strip_count(scale); ++i, ++strip) {
                const Samples samples = image(scale);
                strips()[strip] = {samples,
                                   contrasts(scale),
                                   i * kStripColumns,
                                   std::min(samples.width, (i + 1) * kStripColumns),
                                   reinterpret_cast<uint8_t *>(memory_ + layout_.counts) +
                                       layout_.counts_stride * static_cast<size_t>(strip),
                                   0,
                                   0,
                                   0};
            }
        }
        const auto run = choose_level(count, count_avx2, count_avx512);
        pool_.parallel_for(layout_.strip_count, [&](int i) { run(counting, strips()[i]); });
    }

    void write(const CambiHeatmaps &heatmaps, int64_t index)
    {
        for (int scale = 0; scale < kCambiScales; ++scale) {
            const int height = config_.scale_height(picture_, scale);
            pool_.parallel_for(divide_up(height, kRowsPerTask), [&](int i) {
                const int y0 = i * kRowsPerTask;
                heatmaps.write(index, scale, y0, std::min(height, y0 + kRowsPerTask),
                               contrasts(scale));
            });
        }
    }

    const Format &format_;
    const CambiConfig &config_;
    int picture_;
    char *memory_;
    ThreadPool &pool_;
    Layout layout_;
};

} // namespace

size_t cambi_cpu_scratch(const Format &format, const CambiConfig &config)
{
    size_t bytes = 0;
    for (int picture = 0; picture < config.pictures; ++picture)
        bytes = std::max(bytes, layout_of(format, config, picture).bytes);
    return bytes;
}

void cambi_compute(const Format &format, const CambiConfig &config, const PairView &pair,
                   CambiSums &sums, void *scratch, ThreadPool &pool,
                   const std::vector<CambiHeatmaps> &heatmaps)
{
    static const std::vector<CambiHeatmaps> none; // of the reference
    std::memset(&sums, 0, sizeof(sums));
    const Plane *planes[2] = {&pair.distorted[0], &pair.reference[0]};
    for (int picture = 0; picture < config.pictures; ++picture) // 1 or 2
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        PictureScorer(format, config, picture, scratch, pool)
            .run(*planes[picture], sums.scale[picture], picture == 0 ? heatmaps : none, pair.index);
}

} // namespace vmafgpu
