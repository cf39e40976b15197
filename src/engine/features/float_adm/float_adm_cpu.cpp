// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm on the CPU, fast: the same bytes as float_adm_ref.cpp. Strips of rows run on the thread
// pool; approximations lie in the caller's scratch memory. The work on a strip is SIMD code
// (float_adm_strip-inl.h). float_adm.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/float_adm/float_adm.h"
#include "features/float_adm/float_adm_simd.h"
#include "features/float_adm/float_adm_tables.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_adm/float_adm_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

/// In samples, of an approximation in scratch memory.
size_t pitch_of(const FloatAdmBand &band)
{
    return round_up(static_cast<size_t>(band.width), size_t{16});
}

size_t plane_samples(const FloatAdmBand &band)
{
    return pitch_of(band) * static_cast<size_t>(band.height);
}

size_t row_sum_count(const FloatAdmBand &band)
{
    return round_up(static_cast<size_t>(kFloatAdmRowSums) * band.height, size_t{16});
}

void add_rows(const FloatAdmBand &band, const float *row_sums, int scale, FloatAdmSums &sums)
{
    for (int s = 0; s < kFloatAdmRowSums; ++s) {
        const float *rows = row_sums + static_cast<size_t>(s) * band.height;
        float sum = 0;
        for (int y = band.top; y < band.bottom; ++y)
            sum = sum + rows[y];
        const int i = s % kFloatAdmOrientations;
        if (s < kFloatAdmOrientations)
            sums.den[scale][i] = sum;
        else
            (s < 2 * kFloatAdmOrientations ? sums.num : sums.aim)[scale][i] = sum;
    }
}

} // namespace

size_t float_adm_scratch(const FloatAdmConfig &config)
{
    size_t samples = row_sum_count(config.band[0]);
    for (int scale = 0; scale + 1 < kFloatAdmScales; ++scale)
        samples += 2 * plane_samples(config.band[scale]);
    return samples * sizeof(float);
}

void float_adm_compute(const FloatAdmConfig &config, const PairView &pair, FloatAdmSums &sums,
                       void *scratch, ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const FloatAdmStrip &), float_adm_run_strip);
    if (run == nullptr || config.power != 3.0F) // other powers need a function call per sample
        return float_adm_reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    auto *row_sums = static_cast<float *>(scratch);
    float *next = row_sums + row_sum_count(config.band[0]);
    const Format &format = config.format;
    FloatSource picture[2] = {{pair.reference[0], format.width, format.height, format.depth},
                              {pair.distorted[0], format.width, format.height, format.depth}};
    for (int scale = 0; scale < kFloatAdmScales; ++scale) {
        const FloatAdmBand &band = config.band[scale];
        FloatAdmStrip all = {};
        all.config = &config;
        all.band = &band;
        all.only_approximation = scale == 0 && config.skip_scale0;
        all.pitch = pitch_of(band);
        all.row_sums = row_sums;
        for (int p = 0; p < 2; ++p) {
            all.picture[p] = picture[p];
            if (scale + 1 == kFloatAdmScales)
                continue;
            all.approximation[p] = next;
            next += plane_samples(band);
            picture[p] = {{all.approximation[p], static_cast<ptrdiff_t>(all.pitch * sizeof(float))},
                          band.width,
                          band.height,
                          0};
        }
        pool.parallel_for(divide_up(band.height, kFloatAdmStripRows), [&](int i) {
            FloatAdmStrip strip = all;
            strip.first = i * kFloatAdmStripRows;
            strip.last = std::min(band.height, strip.first + kFloatAdmStripRows);
            run(strip);
        });
        if (!all.only_approximation)
            add_rows(band, row_sums, scale, sums);
    }
}

} // namespace vmafgpu
