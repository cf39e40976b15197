// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM on the CPU, fast: the same bytes as adm_ref.cpp. Each scale is cut into strips of band rows
// that run in parallel. Only the approximation bands, the next scale's input, are kept as planes.
// The work on a strip is SIMD code (adm_strip-inl.h). Nothing is allocated: see adm_cpu_scratch().
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/numeric.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_simd.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/adm/adm_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

constexpr int kMinStripRows = 48; ///< the two rows of halo are computed for each strip

/// All memory of one adm_compute().
struct Scratch {
    int16_t *first_plane[2];                ///< approximation of scale 0
    int32_t *next_plane[kAdmScales - 1][2]; ///< of scales 1 and 2
    AdmStripRows strip[kAdmMaxStrips];
    AdmScaleSums *partial; ///< one per strip

    Scratch(const AdmConfig &config, AdmArena &arena)
    {
        for (int p = 0; p < 2; ++p) {
            first_plane[p] = arena.take<int16_t>(plane_samples(config.scale[0]));
            for (int scale = 1; scale < kAdmScales - 1; ++scale)
                next_plane[scale][p] = arena.take<int32_t>(plane_samples(config.scale[scale]));
        }
        partial = arena.take<AdmScaleSums>(kAdmMaxStrips);
        for (AdmStripRows &rows : strip)
            rows.carve(arena, config.format.width, config.gains);
    }

    static size_t plane_samples(const AdmScale &scale)
    {
        return static_cast<size_t>(adm_pitch(scale.width)) * static_cast<size_t>(scale.height);
    }
};

void add_sums(AdmScaleSums &total, const AdmScaleSums &part)
{
    for (int b = 0; b < kAdmOrientations; ++b) {
        total.den[b] += part.den[b];
        for (int g = 0; g < kAdmMaxGains; ++g) {
            total.num[g][b] += part.num[g][b];
            total.aim[g][b] += part.aim[g][b];
        }
    }
}

using RunStrip = void(const AdmStrip &);

void run_scale(RunStrip *run, const AdmStrip &whole, const Scratch &scratch, AdmScaleSums *total,
               ThreadPool &pool)
{
    const int height = whole.config->scale[whole.scale].height;
    const int most = std::min(kAdmMaxStrips, std::max(1, height / kMinStripRows));
    const int strips = std::min(most, std::max(1, pool.size()));
    pool.parallel_for(strips, [&](int i) {
        AdmStrip strip = whole;
        strip.begin = height * i / strips;
        strip.end = height * (i + 1) / strips;
        strip.rows = &scratch.strip[i];
        strip.sums = &scratch.partial[i];
        run(strip);
    });
    *total = {};
    for (int i = 0; i < strips; ++i)
        add_sums(*total, scratch.partial[i]);
}

} // namespace

size_t adm_cpu_scratch(const AdmConfig &config)
{
    AdmArena arena(nullptr);
    const Scratch scratch(config, arena);
    return arena.used();
}

void adm_compute(const AdmConfig &config, const PairView &pair, AdmSums *sums, void *scratch,
                 ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(RunStrip, adm_run_strip);
    if (run == nullptr)
        return adm_reference(config, pair, sums);
    AdmArena arena(scratch);
    const Scratch memory(config, arena);
    for (int scale = 0; scale < kAdmScales; ++scale) {
        AdmStrip whole = {};
        whole.config = &config;
        whole.scale = scale;
        whole.pair = &pair;
        whole.input_width = scale == 0 ? config.format.width : config.scale[scale - 1].width;
        whole.input_height = scale == 0 ? config.format.height : config.scale[scale - 1].height;
        for (int p = 0; p < 2; ++p) {
            if (scale == 1)
                whole.input[p] = memory.first_plane[p];
            else if (scale > 1)
                whole.input[p] = memory.next_plane[scale - 1][p];
            if (scale == 0)
                whole.approximation[p] = memory.first_plane[p];
            else if (scale + 1 < kAdmScales)
                whole.approximation[p] = memory.next_plane[scale][p];
        }
        run_scale(run, whole, memory, &sums->scale[scale], pool);
    }
}

} // namespace vmafgpu
