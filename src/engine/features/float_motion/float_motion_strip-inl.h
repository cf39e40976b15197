// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion of one strip of rows, tile by tile; the lanes of vectors are rows. simd_targets.h
// compiles it once per level for float_motion_cpu.cpp.
#include "simd/float_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

constexpr int kMotionColumns = 128; ///< of a tile
constexpr int kMotionHalfMost = 2;
constexpr int kMotionPitch = kMotionColumns + 16;
constexpr int kMotionTileRows = kFloatMotionStripRows + 2 * kMotionHalfMost;

struct FloatMotionWork {
    alignas(64) float tile[kMotionTileRows * kMotionPitch];
    alignas(64) float columns[2][kMotionPitch * kFloatMotionStripRows];
    alignas(64) float sums[kFloatMotionStripRows];
};

/// Adds the differences of `count` columns to the sums of rows.
HWY_INLINE void add_differences(const FloatMotionStrip &strip, int count, FloatMotionWork &work)
{
    constexpr int kAtOnce = 8;
    const DF32 d;
    HWY_ALIGN float blurred[2][kAtOnce * kLanes32];
    for (int y = 0; y < kFloatMotionStripRows; y += kLanes32) {
        VF32 sum = hn::Load(d, work.sums + y);
        for (int x = 0; x < count; x += kAtOnce) {
            const int now = HWY_MIN(kAtOnce, count - x);
            for (int p = 0; p < 2; ++p)
                filter_vectors<1>(work.columns[p] + x * kFloatMotionStripRows + y,
                                  kFloatMotionStripRows, now, strip.taps, strip.length, blurred[p],
                                  kLanes32);
            for (int i = 0; i < now; ++i)
                sum = hn::Add(sum, hn::Abs(hn::Sub(hn::Load(d, blurred[0] + i * kLanes32),
                                                   hn::Load(d, blurred[1] + i * kLanes32))));
        }
        hn::Store(sum, d, work.sums + y);
    }
}

inline void float_motion_run_strip(const FloatMotionStrip &strip)
{
    const int half = strip.length / 2;
    const int width = strip.later.width;
    FloatMotionWork work;
    std::memset(work.sums, 0, sizeof(work.sums));
    for (int x0 = 0; x0 < width; x0 += kMotionColumns) {
        const int count = HWY_MIN(kMotionColumns, width - x0);
        const TileArea area = {x0 - half,
                               count + 2 * half,
                               strip.first - half,
                               kFloatMotionStripRows + 2 * half,
                               strip.last - 1 + half,
                               kMotionPitch,
                               false};
        for (int p = 0; p < 2; ++p) {
            load_tile(p == 0 ? strip.earlier : strip.later, area, work.tile);
            filter_down<1>(work.tile, kMotionPitch, area.count, kFloatMotionStripRows, strip.taps,
                           strip.length, work.columns[p]);
        }
        add_differences(strip, count, work);
    }
    for (int y = strip.first; y < strip.last; ++y)
        strip.row_sums[y] = work.sums[y - strip.first];
}

} // namespace VMAFGPU_SIMD
} // namespace vmafgpu
HWY_AFTER_NAMESPACE();
