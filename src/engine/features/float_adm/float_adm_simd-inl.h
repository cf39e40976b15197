// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm of one strip of rows, tile by tile; the lanes of vectors are rows. simd_targets.h
// compiles it once per level for float_adm_cpu.cpp. Wavelet and decoupling are in
// float_adm_bands-inl.h; masking and sums are here.
#include "features/float_adm/float_adm_bands-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::float_adm::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

/// Masking by one orientation. `part` is at the row above in the column to the left.
HWY_INLINE VF32 masking_of(const float *part, VF32 centre)
{
    const DF32 d;
    const DF64 wide;
    const float *middle = part + kPartRows;
    const float *right = middle + kPartRows;
    VF32 sum = hn::LoadU(d, part);
    sum = hn::Add(sum, hn::LoadU(d, middle));
    sum = hn::Add(sum, hn::LoadU(d, right));
    sum = hn::Add(sum, hn::LoadU(d, part + 1));
    const VF64 weight = hn::Set(wide, kCentreWeight);
    sum = round_to_float(hn::Add(low_to_double(sum), hn::Mul(weight, low_to_double(centre))),
                         hn::Add(high_to_double(sum), hn::Mul(weight, high_to_double(centre))));
    sum = hn::Add(sum, hn::LoadU(d, right + 1));
    sum = hn::Add(sum, hn::LoadU(d, part + 2));
    sum = hn::Add(sum, hn::LoadU(d, middle + 2));
    return hn::Add(sum, hn::LoadU(d, right + 2));
}

HWY_INLINE VF32 cube(VF32 value)
{
    return hn::Mul(hn::Mul(value, value), value);
}

/// Adds to sums what masking by `masker` leaves of `source`, for one column and a group of rows.
HWY_INLINE void add_visible(const Work &work, int source, int masker, int column, int y,
                            bool bypasses, VF32 (&sums)[kOrientations])
{
    const DF32 d;
    VF32 threshold = hn::Zero(d);
    if (!bypasses)
        for (int i = 0; i < kOrientations; ++i) {
            const VF32 one = masking_of(work.part(masker, i, column - 1) + y,
                                        hn::Load(d, work.size(masker, i, column) + y));
            threshold = i == 0 ? one : hn::Add(threshold, one);
        }
    for (int i = 0; i < kOrientations; ++i) {
        const VF32 visible = hn::Sub(hn::Load(d, work.size(source, i, column) + y), threshold);
        sums[i] = hn::Add(sums[i], cube(hn::Max(visible, hn::Zero(d))));
    }
}

/// Columns from..to-1 of the tile, which are inside the region.
HWY_INLINE void add_columns(Work &work, int from, int to, bool bypasses)
{
    const DF32 d;
    for (int y = 0; y < kTileRows; y += kLanes32) {
        VF32 sums[3][kOrientations];
        for (int s = 0; s < 3; ++s)
            for (int i = 0; i < kOrientations; ++i)
                sums[s][i] = hn::Load(d, work.sums(s, i) + y);
        for (int x = from; x < to; ++x) {
            for (int i = 0; i < kOrientations; ++i)
                sums[0][i] =
                    hn::Add(sums[0][i], cube(hn::Load(d, work.size(kReference, i, x) + y)));
            add_visible(work, kRestored, kAdded, x, y, bypasses, sums[1]);
            add_visible(work, kAdded, kRestored, x, y, bypasses, sums[2]);
        }
        for (int s = 0; s < 3; ++s)
            for (int i = 0; i < kOrientations; ++i)
                hn::Store(sums[s][i], d, work.sums(s, i) + y);
    }
}

/// Neighbours outside of the band: before the first is the second, after the last is the last.
HWY_INLINE void reflect_parts(Work &work, const Tile &tile, const Band &band)
{
    for (int picture = kRestored; picture <= kAdded; ++picture)
        for (int i = 0; i < kOrientations; ++i) {
            if (tile.row0 == 0)
                for (int x = tile.begin; x < tile.end; ++x) {
                    float *part = work.part(picture, i, tile.column(x));
                    part[0] = part[2];
                }
            if (tile.row0 + kTileRows >= band.height)
                for (int x = tile.begin; x < tile.end; ++x) {
                    float *part = work.part(picture, i, tile.column(x)) + band.height - tile.row0;
                    part[1] = part[0];
                }
            const size_t bytes = kPartRows * sizeof(float);
            if (tile.begin == 0)
                std::memcpy(work.part(picture, i, tile.column(-1)),
                            work.part(picture, i, tile.column(1)), bytes);
            if (tile.last == band.width)
                std::memcpy(work.part(picture, i, tile.column(band.width)),
                            work.part(picture, i, tile.column(band.width - 1)), bytes);
        }
}

inline void run_strip(const Strip &strip)
{
    const Band &band = *strip.band;
    const bool has_sums =
        !strip.only_approximation && strip.first < band.bottom && strip.last > band.top;
    if (!has_sums && strip.approximation[0] == nullptr)
        return;
    Work work;
    for (int x0 = 0; x0 < band.width; x0 += kTileColumns) {
        Tile tile = {};
        tile.first = x0;
        tile.last = HWY_MIN(band.width, x0 + kTileColumns);
        tile.begin = HWY_MAX(0, x0 - 1);
        tile.end = HWY_MIN(band.width, tile.last + 1);
        tile.row0 = HWY_MAX(0, strip.first - 1);
        tile.row_end = HWY_MIN(band.height, strip.last + 1);
        load_columns(strip, tile, work);
        if (strip.approximation[0] != nullptr)
            write_approximations(strip, tile, work);
        if (!has_sums)
            continue;
        decouple_columns(strip, tile, work);
        reflect_parts(work, tile, band);
        add_columns(work, tile.column(HWY_MAX(x0, band.left)),
                    tile.column(HWY_MIN(tile.last, band.right)), strip.config->bypasses_masking);
    }
    if (!has_sums)
        return;
    for (int s = 0; s < kRowSums; ++s)
        for (int y = strip.first; y < strip.last; ++y)
            strip.row_sums[s * band.height + y] =
                work.sums(s / kOrientations, s % kOrientations)[y - HWY_MAX(0, strip.first - 1)];
}

} // namespace vmafgpu::float_adm::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
