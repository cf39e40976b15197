// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion of one strip of rows, tile by tile; the lanes of vectors are rows. simd_targets.h
// compiles it once per level for float_motion_cpu.cpp.
#include "simd/float_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::float_motion::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

constexpr int kTileColumns = 128; ///< columns of a tile
constexpr int kMostHalf = 2;
constexpr int kTilePitch = kTileColumns + 16;
constexpr int kTileRows = kStripRows + 2 * kMostHalf;

struct Work {
    alignas(64) float tile[kTileRows * kTilePitch];
    alignas(64) float columns[2][kTilePitch * kStripRows];
    alignas(64) float sums[kStripRows];
};

/// Adds the differences of `count` columns to the sums of rows.
HWY_INLINE void add_differences(const Strip &strip, int count, Work &work)
{
    constexpr int kAtOnce = 8;
    const DF32 d;
    HWY_ALIGN float blurred[2][kAtOnce * kLanes32];
    for (int y = 0; y < kStripRows; y += kLanes32) {
        VF32 sum = hn::Load(d, work.sums + y);
        for (int x = 0; x < count; x += kAtOnce) {
            const int now = HWY_MIN(kAtOnce, count - x);
            for (int p = 0; p < 2; ++p)
                filter_vectors<1>(work.columns[p] + x * kStripRows + y, kStripRows, now, strip.taps,
                                  strip.length, blurred[p], kLanes32);
            for (int i = 0; i < now; ++i)
                sum = hn::Add(sum, hn::Abs(hn::Sub(hn::Load(d, blurred[0] + i * kLanes32),
                                                   hn::Load(d, blurred[1] + i * kLanes32))));
        }
        hn::Store(sum, d, work.sums + y);
    }
}

inline void run_strip(const Strip &strip)
{
    const int half = strip.length / 2;
    const int width = strip.later.width;
    Work work;
    std::memset(work.sums, 0, sizeof(work.sums));
    for (int x0 = 0; x0 < width; x0 += kTileColumns) {
        const int count = HWY_MIN(kTileColumns, width - x0);
        const TileArea area = {x0 - half,
                               count + 2 * half,
                               strip.first - half,
                               kStripRows + 2 * half,
                               strip.last - 1 + half,
                               kTilePitch,
                               false};
        for (int p = 0; p < 2; ++p) {
            load_tile(p == 0 ? strip.earlier : strip.later, area, work.tile);
            filter_down<1>(work.tile, kTilePitch, area.count, kStripRows, strip.taps, strip.length,
                           work.columns[p]);
        }
        add_differences(strip, count, work);
    }
    for (int y = strip.first; y < strip.last; ++y)
        strip.row_sums[y] = work.sums[y - strip.first];
}

} // namespace vmafgpu::float_motion::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
