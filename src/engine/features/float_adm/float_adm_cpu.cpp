// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm on the CPU, fast: the same bytes as float_adm_ref.cpp. Strips of rows run on the thread
// pool; approximations lie in the caller's scratch memory. The work on a strip is SIMD code
// (float_adm_simd-inl.h). float_adm.cpp calls this.
#include <cstring>

#include "features/float_adm/float_adm.h"
#include "features/float_adm/float_adm_tables.h"
#include "features/kit/scratch_plane.h"
#include "features/kit/strips.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_adm/float_adm_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::float_adm {

namespace {

struct Scratch {
    float *row_sums;
    ScratchPlane approximation[kScales - 1][2]; ///< reference, distorted

    Scratch(Arena &arena, const Config &config)
        : row_sums(arena.take<float>(static_cast<size_t>(kRowSums) * config.band[0].height))
    {
        for (int scale = 0; scale + 1 < kScales; ++scale)
            for (ScratchPlane &plane : approximation[scale])
                plane =
                    ScratchPlane::take(arena, config.band[scale].width, config.band[scale].height);
    }
};

void add_rows(const Band &band, const float *row_sums, int scale, Sums &sums)
{
    for (int s = 0; s < kRowSums; ++s) {
        const float *rows = row_sums + static_cast<size_t>(s) * band.height;
        float sum = 0;
        for (int y = band.top; y < band.bottom; ++y)
            sum = sum + rows[y];
        const int i = s % kOrientations;
        if (s < kOrientations)
            sums.den[scale][i] = sum;
        else
            (s < 2 * kOrientations ? sums.num : sums.aim)[scale][i] = sum;
    }
}

} // namespace

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Scratch>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Strip &), run_strip);
    if (run == nullptr || config.power != 3.0F) // other powers need a function call per sample
        return reference(config, pair, sums);
    std::memset(&sums, 0, sizeof(sums));
    Arena arena(scratch);
    const Scratch memory(arena, config);
    const Format &format = config.format;
    FloatSource picture[2] = {{pair.reference[0], format.width, format.height, format.depth},
                              {pair.distorted[0], format.width, format.height, format.depth}};
    for (int scale = 0; scale < kScales; ++scale) {
        const Band &band = config.band[scale];
        Strip all = {};
        all.config = &config;
        all.band = &band;
        all.only_approximation = scale == 0 && config.skip_scale0;
        all.row_sums = memory.row_sums;
        for (int p = 0; p < 2; ++p) {
            all.picture[p] = picture[p];
            if (scale + 1 == kScales)
                continue;
            const ScratchPlane &to = memory.approximation[scale][p];
            all.approximation[p] = to.samples;
            all.pitch = to.pitch();
            picture[p] = to.source();
        }
        for_strips(pool, band.height, kStripRows, [&](const StripOfRows &rows) {
            Strip strip = all;
            strip.first = rows.first;
            strip.last = rows.last;
            run(strip);
        });
        if (!all.only_approximation)
            add_rows(band, memory.row_sums, scale, sums);
    }
}

} // namespace vmafgpu::float_adm
