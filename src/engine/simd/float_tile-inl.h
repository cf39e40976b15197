// SPDX-License-Identifier: BSD-2-Clause-Patent
// Separable filters of binary32 samples whose results are added up along rows. Sums along a row are
// chains that must not be cut, so the lanes of a vector are rows: a tile is filtered down its
// columns, transposed, and filtered along its rows from there. For files that simd_targets.h
// compiles once per level. Like simd-inl.h it has no include guard.
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

using DF32Half = hn::Half<DF32>;

constexpr int kMostTileRows = 64;

HWY_INLINE VF64 low_to_double(VF32 v)
{
    return hn::PromoteTo(DF64(), hn::LowerHalf(DF32Half(), v));
}
HWY_INLINE VF64 high_to_double(VF32 v)
{
    return hn::PromoteTo(DF64(), hn::UpperHalf(DF32Half(), v));
}
HWY_INLINE VF32 round_to_float(VF64 low, VF64 high)
{
    return hn::Combine(DF32(), hn::DemoteTo(DF32Half(), high), hn::DemoteTo(DF32Half(), low));
}

/// Vector i of the result: the taps applied to the vectors from step * i on, one after the other.
template <int step> HWY_INLINE void filter_vectors(const float *from, size_t stride, int count,
                                                   const float *taps, int length, float *to,
                                                   size_t to_stride)
{
    constexpr int kAtOnce = 8; // independent chains hide the latency of additions
    const DF32 d;
    int i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
        VF32 sum[kAtOnce];
        for (VF32 &one : sum)
            one = hn::Zero(d);
        for (int k = 0; k < length; ++k) {
            const VF32 tap = hn::Set(d, taps[k]);
            const float *at = from + static_cast<size_t>(step * i + k) * stride;
            for (int j = 0; j < kAtOnce; ++j)
                sum[j] = hn::Add(sum[j], hn::Mul(tap, hn::Load(d, at + step * j * stride)));
        }
        for (int j = 0; j < kAtOnce; ++j)
            hn::Store(sum[j], d, to + (i + j) * to_stride);
    }
    for (; i < count; ++i) {
        VF32 sum = hn::Zero(d);
        for (int k = 0; k < length; ++k)
            sum = hn::Add(
                sum, hn::Mul(hn::Set(d, taps[k]), hn::Load(d, from + (step * i + k) * stride)));
        hn::Store(sum, d, to + i * to_stride);
    }
}

/// Down the columns of a tile to `rows` rows (a multiple of 16, at most kMostTileRows), transposed:
/// the rows of column c are at to + c * rows. `columns` is rounded up to whole vectors.
template <int step> HWY_INLINE void filter_down(const float *tile, size_t pitch, int columns,
                                                int rows, const float *taps, int length, float *to)
{
    HWY_ALIGN float block[kMostTileRows * kLanes32];
    for (int x = 0; x < columns; x += kLanes32) {
        filter_vectors<step>(tile + x, pitch, rows, taps, length, block, kLanes32);
        for (int y = 0; y < rows; y += kLanes32)
            transpose_square(block + y * kLanes32, kLanes32, to + static_cast<size_t>(x) * rows + y,
                             rows);
    }
}

HWY_INLINE VF32 load_as_float(const uint8_t *from)
{
    const hn::Rebind<uint8_t, D32> narrow;
    return hn::ConvertTo(DF32(), hn::PromoteTo(D32(), hn::LoadU(narrow, from)));
}
HWY_INLINE VF32 load_as_float(const uint16_t *from)
{
    const hn::Rebind<uint16_t, D32> narrow;
    return hn::ConvertTo(DF32(), hn::PromoteTo(D32(), hn::LoadU(narrow, from)));
}

HWY_INLINE void convert_samples(const float *from, int count, int /*depth*/, float *to)
{
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
}
template <typename Sample>
HWY_INLINE void convert_samples(const Sample *from, int count, int depth, float *to)
{
    const DF32 d;
    const VF32 scale = hn::Set(d, 1.0F / static_cast<float>(1 << (depth - 8))); // exact
    const VF32 middle = hn::Set(d, 128.0F);
    int x = 0;
    for (; x + kLanes32 <= count; x += kLanes32)
        hn::StoreU(hn::Sub(hn::Mul(load_as_float(from + x), scale), middle), d, to + x);
    for (; x < count; ++x)
        to[x] = float_sample(from[x], depth);
}

/// Columns x0 .. x0 + count - 1 of row y, reflected at the sides; zeros up to `pitch`.
template <typename Sample> HWY_INLINE void load_tile_row(const FloatSource &source, int y, int x0,
                                                         int count, size_t pitch, bool repeats,
                                                         float *to)
{
    const int left = HWY_MAX(0, x0);
    const int right = HWY_MIN(source.width, x0 + count);
    convert_samples(plane_row<Sample>(source.plane, y) + left, right - left, source.depth,
                    to + (left - x0));
    for (int x = x0; x < 0; ++x)
        to[x - x0] = to[-x - x0];
    for (int x = source.width; x < x0 + count; ++x)
        to[x - x0] =
            to[(repeats ? mirror_high_repeat(x, source.width) : mirror(x, source.width)) - x0];
    for (auto x = static_cast<size_t>(count); x < pitch; ++x)
        to[x] = 0;
}

/// A tile with what filters reach beyond it.
struct TileArea {
    int x0, count;      ///< columns
    int y0, rows, last; ///< rows; those after `last` are not looked at
    size_t pitch;
    bool repeats; ///< the reflection at the high side repeats the border's sample
};

HWY_INLINE void load_tile(const FloatSource &source, const TileArea &area, float *to)
{
    for (int i = 0; i < area.rows; ++i) {
        const int at = HWY_MIN(area.y0 + i, area.last);
        const int y =
            area.repeats ? mirror_high_repeat(at, source.height) : mirror(at, source.height);
        float *row = to + i * area.pitch;
        if (source.depth == 0)
            load_tile_row<float>(source, y, area.x0, area.count, area.pitch, area.repeats, row);
        else if (source.depth == 8)
            load_tile_row<uint8_t>(source, y, area.x0, area.count, area.pitch, area.repeats, row);
        else
            load_tile_row<uint16_t>(source, y, area.x0, area.count, area.pitch, area.repeats, row);
    }
}

} // namespace VMAFGPU_SIMD
} // namespace vmafgpu
HWY_AFTER_NAMESPACE();
