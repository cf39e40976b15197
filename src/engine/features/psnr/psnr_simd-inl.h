// SPDX-License-Identifier: BSD-2-Clause-Patent
// Squared differences of one strip of rows. simd_targets.h compiles it once per level for
// psnr_cpu.cpp. The rest of a row behind its last full vector is plain code.
#include "simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::psnr::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

using DU8 = hn::ScalableTag<uint8_t>;
using VU8 = hn::Vec<DU8>;

/// |a - b|; V: of unsigned lanes.
template <class V> HWY_INLINE V distance(V a, V b)
{
    return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

/// Adds the squares of all lanes of v to `sum`.
HWY_INLINE V32 add_squares(VU8 v, V32 sum)
{
    const DU8 d;
    const VU8 zero = hn::Zero(d);
    const V16 lower = hn::BitCast(D16(), hn::InterleaveLower(d, v, zero));
    const V16 upper = hn::BitCast(D16(), hn::InterleaveUpper(d, v, zero));
    return multiply_add_pairs(upper, upper, multiply_add_pairs(lower, lower, sum));
}

/// Two sums of 32 bits without sign become one of 64.
HWY_INLINE VU64 widen(V32 sum)
{
    return add_pairs(hn::BitCast(DU32(), sum));
}

/// Rows of 8 bits. A row has at most 65535 samples; so a lane of 32 bits does not overflow.
HWY_INLINE VU64 add_vectors(const uint8_t *a, const uint8_t *b, int count, int /*depth*/, VU64 sum)
{
    const DU8 d;
    constexpr int kLanes = 2 * kLanes16;
    V32 part[2] = {hn::Zero(D32()), hn::Zero(D32())};
    int x = 0;
    for (; x + 2 * kLanes <= count; x += 2 * kLanes)
        for (int i = 0; i < 2; ++i)
            part[i] = add_squares(
                distance(hn::LoadU(d, a + x + i * kLanes), hn::LoadU(d, b + x + i * kLanes)),
                part[i]);
    if (x < count)
        part[0] = add_squares(distance(hn::LoadU(d, a + x), hn::LoadU(d, b + x)), part[0]);
    return hn::Add(sum, hn::Add(widen(part[0]), widen(part[1])));
}

/// Up to 12 bits: a lane of 32 bits takes the squares of 256 samples.
HWY_INLINE VU64 add_narrow(const uint16_t *a, const uint16_t *b, int count, VU64 sum)
{
    const DU16 d;
    constexpr int kMost = 120 * kLanes16; // two samples of each vector meet in a lane
    for (int begin = 0; begin < count; begin += kMost) {
        V32 part = hn::Zero(D32());
        for (int x = begin; x < HWY_MIN(count, begin + kMost); x += kLanes16) {
            const V16 v = hn::BitCast(D16(), hn::Sub(hn::LoadU(d, a + x), hn::LoadU(d, b + x)));
            part = multiply_add_pairs(v, v, part);
        }
        sum = hn::Add(sum, widen(part));
    }
    return sum;
}

/// Any depth: low and high halves of the squares.
HWY_INLINE VU64 add_wide(const uint16_t *a, const uint16_t *b, int count, VU64 sum)
{
    const DU16 d;
    for (int x = 0; x < count; x += kLanes16) {
        const VU16 v = distance(hn::LoadU(d, a + x), hn::LoadU(d, b + x));
        const VU16 low = hn::Mul(v, v);
        const VU16 high = hn::MulHigh(v, v);
        sum = hn::Add(sum, add_pairs(hn::BitCast(DU32(), hn::InterleaveLower(d, low, high))));
        sum = hn::Add(sum, add_pairs(hn::BitCast(DU32(), hn::InterleaveUpper(d, low, high))));
    }
    return sum;
}

HWY_INLINE VU64 add_vectors(const uint16_t *a, const uint16_t *b, int count, int depth, VU64 sum)
{
    return depth <= 12 ? add_narrow(a, b, count, sum) : add_wide(a, b, count, sum);
}

template <typename Sample> HWY_INLINE uint64_t sum_strip(const Strip &strip)
{
    constexpr int kLanes = 2 * kLanes16 / static_cast<int>(sizeof(Sample));
    const int vectors = strip.width / kLanes * kLanes;
    VU64 sum = hn::Zero(DU64());
    uint64_t rest = 0;
    for (int y = strip.first; y < strip.last; ++y) {
        const auto *a = plane_row<Sample>(strip.reference, y);
        const auto *b = plane_row<Sample>(strip.distorted, y);
        sum = add_vectors(a, b, vectors, strip.depth, sum);
        for (int x = vectors; x < strip.width; ++x) {
            const int64_t difference = static_cast<int64_t>(a[x]) - b[x];
            rest += static_cast<uint64_t>(difference * difference);
        }
    }
    HWY_ALIGN uint64_t lanes[kLanes64];
    hn::Store(sum, DU64(), lanes);
    for (const uint64_t lane : lanes)
        rest += lane;
    return rest;
}

inline void run_strip(const Strip &strip)
{
    *strip.squares = strip.depth == 8 ? sum_strip<uint8_t>(strip) : sum_strip<uint16_t>(strip);
}

} // namespace vmafgpu::psnr::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
