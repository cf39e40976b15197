// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif on the CPU, fast: the same bytes as float_vif_ref.cpp. Strips of rows run on the thread
// pool; the planes of the smaller scales, and of a resized picture, lie in the caller's scratch
// memory. The work on a strip is SIMD code (float_vif_strip-inl.h). float_vif.cpp calls this.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/numeric.h"
#include "features/float_vif/float_vif.h"
#include "features/float_vif/float_vif_math.h"
#include "features/float_vif/float_vif_simd.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_vif/float_vif_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

/// In samples, of a plane in scratch memory.
size_t pitch_of(int width)
{
    return round_up(static_cast<size_t>(width), size_t{16});
}

size_t plane_samples(int width, int height)
{
    return pitch_of(width) * static_cast<size_t>(height);
}

/// Divides the caller's scratch memory.
class Scratch {
public:
    explicit Scratch(void *memory) : next_(static_cast<float *>(memory)) {}

    float *take(size_t samples)
    {
        float *memory = next_;
        next_ += round_up(samples, size_t{16});
        return memory;
    }

private:
    float *next_;
};

struct Level {
    FloatSource picture[2]; ///< reference, distorted
};

FloatSource source_of(const float *samples, int width, int height)
{
    return {{samples, static_cast<ptrdiff_t>(pitch_of(width) * sizeof(float))}, width, height, 0};
}

Level resized_level(const FloatVifConfig &config, const PairView &pair, Scratch &scratch,
                    ThreadPool &pool)
{
    const Format &format = config.format;
    const ResizeAxis columns = resize_axis(config.method, format.width, config.width);
    const ResizeAxis rows = resize_axis(config.method, format.height, config.height);
    Level level = {};
    for (int p = 0; p < 2; ++p) {
        const FloatPlane plane = to_float(p == 0 ? pair.reference[0] : pair.distorted[0],
                                          format.width, format.height, format.depth);
        float *to = scratch.take(plane_samples(config.width, config.height));
        const size_t pitch = pitch_of(config.width);
        pool.parallel_for(config.height, [&](int y) {
            resize_row(plane.view(), config.method, columns, rows, y,
                       to + static_cast<size_t>(y) * pitch);
        });
        level.picture[p] = source_of(to, config.width, config.height);
    }
    return level;
}

Level halve(const Level &from, const std::vector<float> &taps, Scratch &scratch, ThreadPool &pool)
{
    const int width = from.picture[0].width / 2;
    const int height = from.picture[0].height / 2;
    FloatVifHalving all = {};
    Level level = {};
    for (int p = 0; p < 2; ++p) {
        all.from[p] = from.picture[p];
        all.to[p] = scratch.take(plane_samples(width, height));
        level.picture[p] = source_of(all.to[p], width, height);
    }
    all.pitch = pitch_of(width);
    all.taps = &taps;
    const auto run = VMAFGPU_CHOOSE_FORM(void(const FloatVifHalving &), float_vif_halve_strip);
    pool.parallel_for(divide_up(height, kFloatVifStripRows), [&](int i) {
        FloatVifHalving task = all;
        task.first = i * kFloatVifStripRows;
        task.last = std::min(height, task.first + kFloatVifStripRows);
        run(task);
    });
    return level;
}

float sum_of(const float *rows, int count)
{
    float sum = 0;
    for (int y = 0; y < count; ++y)
        sum = sum + rows[y];
    return sum;
}

} // namespace

size_t float_vif_scratch(const FloatVifConfig &config)
{
    size_t samples = 2 * round_up(static_cast<size_t>(config.height), size_t{16});
    int width = config.width;
    int height = config.height;
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
        if (scale > 0 || config.resizes())
            samples += 2 * plane_samples(width, height);
        width /= 2;
        height /= 2;
    }
    return samples * sizeof(float);
}

void float_vif_compute(const FloatVifConfig &config, const PairView &pair, FloatVifSums &sums,
                       void *scratch_memory, ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const FloatVifStrip &), float_vif_run_strip);
    if (run == nullptr)
        return float_vif_reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    Scratch scratch(scratch_memory);
    float *num_rows = scratch.take(static_cast<size_t>(config.height));
    float *den_rows = scratch.take(static_cast<size_t>(config.height));
    const Format &format = config.format;
    Level level = {{{pair.reference[0], format.width, format.height, format.depth},
                    {pair.distorted[0], format.width, format.height, format.depth}}};
    if (config.resizes())
        level = resized_level(config, pair, scratch, pool);
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
        if (scale > 0)
            level = halve(level, config.taps[scale], scratch, pool);
        else if (config.skip_scale0)
            continue;
        const int height = level.picture[0].height;
        pool.parallel_for(divide_up(height, kFloatVifStripRows), [&](int i) {
            FloatVifStrip strip = {};
            strip.reference = level.picture[0];
            strip.distorted = level.picture[1];
            strip.first = i * kFloatVifStripRows;
            strip.last = std::min(height, strip.first + kFloatVifStripRows);
            strip.config = &config;
            strip.taps = &config.taps[scale];
            strip.num_rows = num_rows;
            strip.den_rows = den_rows;
            run(strip);
        });
        sums.num[scale] = sum_of(num_rows, height);
        sums.den[scale] = sum_of(den_rows, height);
    }
}

} // namespace vmafgpu
