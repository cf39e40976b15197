// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF on the CPU, fast: the same bytes as vif_ref.cpp. Strips of rows run on the thread pool; the
// planes of the smaller scales lie in the caller's scratch memory. The work on a strip is SIMD code
// (vif_simd-inl.h). vif.cpp calls this.
#include <cstring>

#include "base/numeric.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "features/vif/vif.h"
#include "features/vif/vif_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/vif/vif_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::vif {

namespace {

void add(ScaleSums &to, const ScaleSums &from)
{
    for (int i = 0; i < kMaxLimits; ++i)
        to.num_log[i] += from.num_log[i];
    to.den_log += from.den_log;
    to.num_nl += from.num_nl;
    to.den_nl += from.den_nl;
}

struct Scratch {
    ScaleSums *parts;           ///< one for each strip
    Level levels[kScales] = {}; ///< the first is not used: it is the pictures

    Scratch(Arena &arena, const Config &config)
        : parts(arena.take<ScaleSums>(
              static_cast<size_t>(divide_up(config.format.height, kCpuStripRows))))
    {
        int width = config.format.width;
        int height = config.format.height;
        for (int scale = 1; scale < kScales; ++scale) {
            width /= 2;
            height /= 2;
            levels[scale].width = width;
            levels[scale].height = height;
            const size_t pitch =
                round_up(static_cast<size_t>(width) * sizeof(uint16_t), size_t{64});
            for (Plane *plane : {&levels[scale].reference, &levels[scale].distorted}) {
                plane->data = arena.take<char>(pitch * static_cast<size_t>(height));
                plane->pitch = static_cast<ptrdiff_t>(pitch);
            }
        }
    }
};

} // namespace

void add_row(const SigmaRow &row, int count, const Config &config, ScaleSums &sums)
{
    using Function = void(const SigmaRow &, int, const Config &, ScaleSums &);
    if (const auto add = VMAFGPU_CHOOSE_FORM(Function, add_pixels_once))
        return add(row, count, config, sums);
    for (int i = 0; i < count; ++i)
        add_pixel({row.reference[i], row.distorted[i], row.both[i]}, config.limits,
                  config.limit_count, log2_table(), sums);
}

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Scratch>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    std::memset(&sums, 0, sizeof(sums));
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Strip &), run_strip);
    if (run == nullptr)
        return reference(config, pair, sums);
    Arena arena(scratch);
    const Scratch memory(arena, config);
    const Format &format = config.format;
    Level level = {pair.reference[0], pair.distorted[0], format.width, format.height};
    for (int scale = 0; scale < kScales; ++scale) {
        const Level next = scale + 1 == kScales ? Level{} : memory.levels[scale + 1];
        for_strips(pool, level.height, kCpuStripRows, [&](const StripOfRows &rows) {
            Strip strip = {};
            strip.level = level;
            strip.next = next;
            strip.scale = scale;
            strip.depth = format.depth;
            strip.first = rows.first;
            strip.last = rows.last;
            strip.statistics = scale > 0 || !config.skip_scale0;
            strip.config = &config;
            strip.sums = &memory.parts[rows.number];
            run(strip);
        });
        for (int i = 0; i < divide_up(level.height, kCpuStripRows); ++i)
            add(sums.scale[scale], memory.parts[i]);
        level = next;
    }
}

} // namespace vmafgpu::vif
