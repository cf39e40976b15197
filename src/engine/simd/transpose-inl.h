// SPDX-License-Identifier: BSD-2-Clause-Patent
// Squares of binary32 numbers whose columns become rows, for files that simd_targets.h compiles
// once per level. Like simd-inl.h, which it includes, it has no include guard.
#include "simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

/// Four samples of each of the rows 0, 4, 8, ...; `stride` is that of one row.
template <class D> HWY_INLINE hn::Vec<D> load_quads(D d, const float *from, size_t stride)
{
    constexpr size_t kLanes = hn::MaxLanes(D());
    if constexpr (kLanes == 4) {
        return hn::LoadU(d, from);
    } else {
        const hn::Half<D> half;
        return hn::Combine(d, load_quads(half, from + kLanes / 2 * stride, stride),
                           load_quads(half, from, stride));
    }
}

HWY_INLINE VF32 lower_pairs(VF32 a, VF32 b)
{
    const DF64 d;
    return hn::BitCast(DF32(), hn::InterleaveLower(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}
HWY_INLINE VF32 upper_pairs(VF32 a, VF32 b)
{
    const DF64 d;
    return hn::BitCast(DF32(), hn::InterleaveUpper(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}

/// A square of as many rows as a vector has lanes: its columns become rows.
HWY_INLINE void transpose_square(const float *from, size_t stride, float *to, size_t to_stride)
{
    const DF32 d;
    for (int x = 0; x < kLanes32; x += 4) {
        const VF32 a = load_quads(d, from + x, stride);
        const VF32 b = load_quads(d, from + x + stride, stride);
        const VF32 c = load_quads(d, from + x + 2 * stride, stride);
        const VF32 e = load_quads(d, from + x + 3 * stride, stride);
        const VF32 ab_low = hn::InterleaveLower(d, a, b);
        const VF32 ce_low = hn::InterleaveLower(d, c, e);
        const VF32 ab_high = hn::InterleaveUpper(d, a, b);
        const VF32 ce_high = hn::InterleaveUpper(d, c, e);
        float *out = to + static_cast<size_t>(x) * to_stride;
        hn::StoreU(lower_pairs(ab_low, ce_low), d, out);
        hn::StoreU(upper_pairs(ab_low, ce_low), d, out + to_stride);
        hn::StoreU(lower_pairs(ab_high, ce_high), d, out + 2 * to_stride);
        hn::StoreU(upper_pairs(ab_high, ce_high), d, out + 3 * to_stride);
    }
}

} // namespace VMAFGPU_SIMD
} // namespace vmafgpu
HWY_AFTER_NAMESPACE();
