// SPDX-License-Identifier: BSD-2-Clause-Patent
// A strip of skeleton. simd_targets.h compiles it once per level for skeleton_cpu.cpp. The rest of
// a row behind its last full vector is plain code.
#include "simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::skeleton::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

/// The sums of |a - b| in lanes of 64 bits.
HWY_INLINE VU64 differences_of(const uint8_t *a, const uint8_t *b)
{
    const hn::ScalableTag<uint8_t> d;
    const auto v = hn::LoadU(d, a), w = hn::LoadU(d, b);
    return hn::SumsOf8(hn::Or(hn::SaturatedSub(v, w), hn::SaturatedSub(w, v)));
}

HWY_INLINE VU64 differences_of(const uint16_t *a, const uint16_t *b)
{
    const VU16 v = hn::LoadU(DU16(), a), w = hn::LoadU(DU16(), b);
    const VU16 both = hn::Or(hn::SaturatedSub(v, w), hn::SaturatedSub(w, v));
    const VU32 pairs = hn::BitCast(DU32(), both);
    return add_pairs(hn::Add(hn::ShiftRight<16>(pairs), hn::And(pairs, hn::Set(DU32(), 0xffff))));
}

template <typename Sample> HWY_INLINE uint64_t sum_strip(const Strip &strip)
{
    constexpr int kLanes = 2 * kLanes16 / static_cast<int>(sizeof(Sample));
    VU64 sums = hn::Zero(DU64());
    uint64_t sum = 0;
    for (int y = strip.first; y < strip.last; ++y) {
        const auto *reference = plane_row<Sample>(strip.reference, y);
        const auto *distorted = plane_row<Sample>(strip.distorted, y);
        int x = 0;
        for (; x + kLanes <= strip.width; x += kLanes)
            sums = hn::Add(sums, differences_of(reference + x, distorted + x));
        for (; x < strip.width; ++x)
            sum += difference_of(reference[x], distorted[x]);
    }
    HWY_ALIGN uint64_t lanes[kLanes64];
    hn::Store(sums, DU64(), lanes);
    for (const uint64_t lane : lanes)
        sum += lane;
    return sum;
}

inline void run_strip(const Strip &strip)
{
    *strip.difference = strip.depth > 8 ? sum_strip<uint16_t>(strip) : sum_strip<uint8_t>(strip);
}

} // namespace vmafgpu::skeleton::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
