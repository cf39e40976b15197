// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF on the CPU, fast: the same bytes as vif_ref.cpp. Strips of rows run on the thread pool; the
// planes of the smaller scales lie in the caller's scratch memory. The work on a strip is SIMD code
// (vif_strip-inl.h). vif.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/vif/vif.h"
#include "features/vif/vif_log2_fit.h"
#include "features/vif/vif_simd.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/vif/vif_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

int strips_of(int height)
{
    return divide_up(height, kVifCpuStripRows);
}

void add(VifScaleSums &to, const VifScaleSums &from)
{
    for (int i = 0; i < kVifMaxLimits; ++i)
        to.num_log[i] += from.num_log[i];
    to.den_log += from.den_log;
    to.num_nl += from.num_nl;
    to.den_nl += from.den_nl;
}

/// Divides the caller's scratch memory into planes.
class Scratch {
public:
    explicit Scratch(void *memory) : next_(static_cast<char *>(memory)) {}

    char *take(size_t bytes)
    {
        char *memory = next_;
        next_ += round_up(bytes, size_t{64});
        return memory;
    }

private:
    char *next_;
};

size_t plane_pitch(int width)
{
    return round_up(static_cast<size_t>(width) * sizeof(uint16_t), size_t{64});
}

VifLevel take_half(const VifLevel &level, Scratch &scratch)
{
    VifLevel half = {};
    half.width = level.width / 2;
    half.height = level.height / 2;
    const size_t pitch = plane_pitch(half.width);
    for (Plane *plane : {&half.reference, &half.distorted}) {
        plane->data = scratch.take(pitch * half.height);
        plane->pitch = static_cast<ptrdiff_t>(pitch);
    }
    return half;
}

} // namespace

void vif_add_pixels(const VifSigmaRow &row, int count, const VifConfig &config, VifScaleSums &sums)
{
    using Function = void(const VifSigmaRow &, int, const VifConfig &, VifScaleSums &);
    if (const auto add = VMAFGPU_CHOOSE_FORM(Function, add_pixels_once))
        return add(row, count, config, sums);
    for (int i = 0; i < count; ++i)
        vif_add_pixel({row.reference[i], row.distorted[i], row.both[i]}, config.limits,
                      config.limit_count, vif_log2_table(), sums);
}

size_t vif_cpu_scratch(const Format &format)
{
    size_t bytes = round_up(strips_of(format.height) * sizeof(VifScaleSums), size_t{64});
    int width = format.width;
    int height = format.height;
    for (int scale = 1; scale < kVifScales; ++scale) {
        width /= 2;
        height /= 2;
        bytes += 2 * plane_pitch(width) * height;
    }
    return bytes;
}

void vif_compute(const Format &format, const VifConfig &config, const PairView &pair, VifSums &sums,
                 void *scratch_memory, ThreadPool &pool)
{
    std::memset(&sums, 0, sizeof(sums));
    const auto run = VMAFGPU_CHOOSE_FORM(void(const VifStrip &), vif_run_strip);
    if (run == nullptr)
        return vif_reference(format, config, pair, sums);
    Scratch scratch(scratch_memory);
    const int most_strips = strips_of(format.height);
    auto *parts =
        reinterpret_cast<VifScaleSums *>(scratch.take(most_strips * sizeof(VifScaleSums)));
    VifLevel level = {pair.reference[0], pair.distorted[0], format.width, format.height};
    for (int scale = 0; scale < kVifScales; ++scale) {
        const bool last = scale + 1 == kVifScales;
        const VifLevel next = last ? VifLevel{} : take_half(level, scratch);
        const int strips = strips_of(level.height);
        pool.parallel_for(strips, [&](int i) {
            VifStrip strip = {};
            strip.level = level;
            strip.next = next;
            strip.scale = scale;
            strip.depth = format.depth;
            strip.first = i * kVifCpuStripRows;
            strip.last = std::min(level.height, strip.first + kVifCpuStripRows);
            strip.statistics = scale > 0 || !config.skip_scale0;
            strip.config = &config;
            strip.sums = &parts[i];
            run(strip);
        });
        for (int i = 0; i < strips; ++i)
            add(sums.scale[scale], parts[i]);
        level = next;
    }
}

} // namespace vmafgpu
