// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM on the CPU, fast: the same bytes as adm_ref.cpp. Each scale is cut into strips of band rows
// that run in parallel. Only the approximation bands, the next scale's input, are kept as planes.
// The work on a strip is SIMD code (adm_simd-inl.h). Nothing is allocated: see
// Forms::cpu_scratch().
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/numeric.h"
#include "features/adm/adm.h"
#include "features/adm/adm_math.h"
#include "features/kit/arena.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/adm/adm_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::adm {

namespace {

constexpr int kMinStripRows = 48; ///< the two rows of halo are computed for each strip

/// A row, aligned at column 0. On both sides there is room for the halo of the filters and for
/// whole vectors.
template <typename T> T *take_row(Arena &arena, int width)
{
    constexpr size_t kPad = 64 / sizeof(T);
    T *row = arena.take<T>(static_cast<size_t>(width) + 3 * kPad);
    return row == nullptr ? nullptr : row + kPad;
}

StripRows take_rows(Arena &arena, int width, int gains)
{
    StripRows rows = {};
    const int half = (width + 1) / 2;
    for (int p = 0; p < 2; ++p)
        for (int pass = 0; pass < 2; ++pass) {
            rows.first[p][pass] = take_row<int16_t>(arena, width);
            for (int32_t *&row : rows.next[p][pass])
                row = take_row<int32_t>(arena, (half + 1) / 2);
        }
    rows.columns = take_row<int32_t>(arena, half);
    for (int g = 0; g < gains; ++g)
        for (auto &signal : rows.weighted[g])
            for (WeightedRow &row : signal) {
                for (int32_t *&contrast : row.contrast)
                    contrast = take_row<int32_t>(arena, half);
                row.f = take_row<int32_t>(arena, half);
                row.centre = take_row<int32_t>(arena, half);
            }
    return rows;
}

struct Scratch {
    int16_t *first_plane[2];             ///< approximation of scale 0
    int32_t *next_plane[kScales - 1][2]; ///< low-pass bands of scales 1 and 2
    StripRows strip[kMaxStrips];
    ScaleSums *partial; ///< sums of each strip

    Scratch(Arena &arena, const Config &config)
    {
        for (int p = 0; p < 2; ++p) {
            first_plane[p] = arena.take<int16_t>(plane_samples(config.scale[0]));
            for (int scale = 1; scale < kScales - 1; ++scale)
                next_plane[scale][p] = arena.take<int32_t>(plane_samples(config.scale[scale]));
        }
        partial = arena.take<ScaleSums>(kMaxStrips);
        for (StripRows &rows : strip)
            rows = take_rows(arena, config.format.width, config.gains);
    }

    static size_t plane_samples(const Scale &scale)
    {
        return static_cast<size_t>(plane_pitch(scale.width)) * static_cast<size_t>(scale.height);
    }
};

void add_sums(ScaleSums &total, const ScaleSums &part)
{
    for (int b = 0; b < kOrientations; ++b) {
        total.den[b] += part.den[b];
        for (int g = 0; g < kMaxGains; ++g) {
            total.num[g][b] += part.num[g][b];
            total.aim[g][b] += part.aim[g][b];
        }
    }
}

using RunStrip = void(const StripTask &);

void run_scale(RunStrip *run, const StripTask &whole, const Scratch &scratch, ScaleSums *total,
               ThreadPool &pool)
{
    const int height = whole.config->scale[whole.scale].height;
    const int most = std::min(kMaxStrips, std::max(1, height / kMinStripRows));
    const int strips = std::min(most, std::max(1, pool.size()));
    pool.parallel_for(strips, [&](int i) {
        StripTask strip = whole;
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

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Scratch>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(RunStrip, run_strip);
    if (run == nullptr)
        return reference(config, pair, sums);
    Arena arena(scratch);
    const Scratch memory(arena, config);
    for (int scale = 0; scale < kScales; ++scale) {
        StripTask whole = {};
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
            else if (scale + 1 < kScales)
                whole.approximation[p] = memory.next_plane[scale][p];
        }
        run_scale(run, whole, memory, &sums.scale[scale], pool);
    }
}

} // namespace vmafgpu::adm
