// SPDX-License-Identifier: BSD-2-Clause-Patent
// The first half of float_adm's SIMD code: the wavelet of a tile, and its decoupling into what is
// restored of the reference and what is added. A subject of its own: it makes the planes that
// float_adm_simd-inl.h, which includes it, masks and adds up.
#include "simd/float_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::float_adm::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

constexpr int kTileColumns = 64; ///< columns of a tile
constexpr int kBandColumns = kTileColumns + 2;
constexpr int kSourceRows = 2 * kTileRows + 2;
constexpr size_t kTilePitch = 2 * kBandColumns + 2 + 10; ///< a multiple of 16
static_assert(kTilePitch % 16 == 0, "whole vectors");
/// Rows of a column of parts: with the one above, and what vectors read beyond.
constexpr int kPartRows = kTileRows + 16;

enum Picture { kRestored, kAdded, kReference, kPictures };

/// Where a tile lies in the bands.
struct Tile {
    int first, last;   ///< columns whose results count
    int begin, end;    ///< columns that exist here: with their neighbours
    int row0, row_end; ///< rows that exist here
    int column(int x) const { return x - first + 1; }
};

/// Memory of a strip. Index 0 of its columns is the one before the tile.
class Work {
public:
    Work() : memory_(kTotal)
    {
        std::memset(part(0, 0, 0), 0, sizeof(float) * kParts);
        std::memset(size(0, 0, 0), 0, sizeof(float) * kSizes);
        std::memset(sums(0, 0), 0, sizeof(float) * kSums);
    }

    float *tile() const { return memory_.get(); }
    /// Rows side by side, filtered down; `high` or low, of the reference or the distorted.
    float *filtered(int picture, int high) const
    {
        return memory_.get() + kTile + (2 * picture + high) * kFiltered;
    }
    float *approximation() const { return memory_.get() + kTile + 4 * kFiltered; }
    /// Weighted sizes of samples, 64 rows to a column.
    float *size(int picture, int orientation, int column) const
    {
        return approximation() + kApproximation +
               ((picture * kOrientations + orientation) * kBandColumns + column) * kTileRows;
    }
    /// Returns what samples add to the masking of their neighbours; index 0 is the row above.
    float *part(int picture, int orientation, int column) const
    {
        return approximation() + kApproximation + kSizes +
               ((picture * kOrientations + orientation) * kBandColumns + column) * kPartRows;
    }
    float *sums(int kind, int orientation) const
    {
        return approximation() + kApproximation + kSizes + kParts +
               (kind * kOrientations + orientation) * kTileRows;
    }

private:
    static constexpr size_t kTile = kSourceRows * kTilePitch;
    static constexpr size_t kFiltered = kTilePitch * kTileRows;
    static constexpr size_t kApproximation = size_t{kTileColumns} * kTileRows;
    static constexpr size_t kSizes = size_t{kPictures * kOrientations * kBandColumns} * kTileRows;
    static constexpr size_t kParts = size_t{2 * kOrientations * kBandColumns} * kPartRows;
    static constexpr size_t kSums = size_t{kRowSums} * kTileRows;
    static constexpr size_t kTotal =
        kTile + 4 * kFiltered + kApproximation + kSizes + kParts + kSums;

    AlignedFloats memory_;
};

HWY_INLINE void load_columns(const Strip &strip, const Tile &tile, const Work &work)
{
    const TileArea area = {2 * tile.begin - 1,
                           2 * (tile.end - tile.begin) + 2,
                           2 * tile.row0 - 1,
                           kSourceRows,
                           2 * (tile.row_end - 1) + 2,
                           kTilePitch,
                           true};
    for (int p = 0; p < 2; ++p) {
        load_tile(strip.picture[p], area, work.tile());
        filter_down<2>(work.tile(), kTilePitch, area.count, kTileRows, kLow, 4,
                       work.filtered(p, 0));
        filter_down<2>(work.tile(), kTilePitch, area.count, kTileRows, kHigh, 4,
                       work.filtered(p, 1));
    }
}

/// Along the rows to a column of a band. `from` is its first of four source columns.
HWY_INLINE VF32 filter_along(const float *from, const float (&taps)[4])
{
    const DF32 d;
    VF32 sum = hn::Mul(hn::Set(d, taps[0]), hn::Load(d, from));
    for (int k = 1; k < 4; ++k)
        sum = hn::Add(sum, hn::Mul(hn::Set(d, taps[k]), hn::Load(d, from + k * kTileRows)));
    return sum;
}

HWY_INLINE void write_approximations(const Strip &strip, const Tile &tile, const Work &work)
{
    const DF32 d;
    HWY_ALIGN float turned[kLanes32 * kLanes32];
    for (int p = 0; p < 2; ++p) {
        for (int x = tile.first; x < tile.last; ++x)
            for (int y = 0; y < kTileRows; y += kLanes32)
                hn::Store(
                    filter_along(work.filtered(p, 0) + 2 * (x - tile.begin) * kTileRows + y, kLow),
                    d, work.approximation() + (x - tile.first) * kTileRows + y);
        for (int x = tile.last; (x - tile.first) % kLanes32 != 0; ++x)
            std::memset(work.approximation() + (x - tile.first) * kTileRows, 0,
                        kTileRows * sizeof(float));
        for (int y = 0; y < kTileRows; y += kLanes32)
            for (int x = tile.first; x < tile.last; x += kLanes32) {
                transpose_square(work.approximation() + (x - tile.first) * kTileRows + y, kTileRows,
                                 turned, kLanes32);
                for (int i = 0; i < kLanes32; ++i) {
                    const int row = tile.row0 + y + i;
                    if (row >= strip.first && row < strip.last)
                        hn::Store(hn::Load(d, turned + i * kLanes32), d,
                                  strip.approximation[p] + row * strip.pitch + x);
                }
            }
    }
}

/// Bits of the table's entries, as approximate_reciprocal() looks them up.
HWY_INLINE VF32 reciprocal_from(const ReciprocalTable &table, VF32 x)
{
    const D32 d;
    const V32 bits = hn::BitCast(d, x);
    const V32 index =
        hn::And(hn::ShiftRight<23 - kReciprocalBits>(bits), hn::Set(d, kReciprocals - 1));
    const V32 entry = hn::GatherIndex(d, reinterpret_cast<const int32_t *>(table.bits), index);
    const V32 exponent = hn::And(bits, hn::Set(d, 0x7f800000));
    const V32 result = hn::Add(hn::Sub(entry, exponent), hn::Set(d, 0x3f800000));
    return hn::CopySign(hn::BitCast(DF32(), result), x);
}

HWY_INLINE VF32 reciprocal_of(const ReciprocalTable &table, VF32 x)
{
#if HWY_TARGET == HWY_AVX3
    if (table.is_hosts)
        return VF32{
            _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_rcp_ps(_mm512_castps512_ps256(x.raw))),
                               _mm256_rcp_ps(_mm512_extractf32x8_ps(x.raw, 1)), 1)};
#elif HWY_TARGET == HWY_AVX2
    if (table.is_hosts)
        return VF32{_mm256_rcp_ps(x.raw)};
#elif HWY_TARGET == HWY_SSE4
    if (table.is_hosts)
        return VF32{_mm_rcp_ps(x.raw)};
#endif
    return reciprocal_from(table, x);
}

HWY_INLINE VF32 quotient(const ReciprocalTable *table, VF32 t, VF32 o)
{
    const DF32 d;
    const VF32 divisor = hn::Add(o, hn::Set(d, kTiny));
    if (table == nullptr)
        return hn::Div(t, divisor);
    const VF32 first = reciprocal_of(*table, divisor);
    const VF32 error = hn::Sub(hn::Set(d, 1.0F), hn::Mul(divisor, first));
    return hn::Mul(t, hn::Add(first, hn::Mul(first, error)));
}

/// Returns the largest restored sample that the gain limit allows, before it is compared with the
/// distorted one.
HWY_INLINE VF32 enhance(VF32 restored, double limit)
{
    const auto narrow = static_cast<float>(limit);
    if (static_cast<double>(narrow) == limit) // the double product would be exact
        return hn::Mul(restored, hn::Set(DF32(), narrow));
    const VF64 wide = hn::Set(DF64(), limit);
    return round_to_float(hn::Mul(low_to_double(restored), wide),
                          hn::Mul(high_to_double(restored), wide));
}

/// Three bands of a picture at one column.
struct BandSamples {
    VF32 of[kOrientations];
};

HWY_INLINE BandSamples detail_at(const Work &work, int picture, int offset)
{
    const float *low = work.filtered(picture, 0) + offset;
    const float *high = work.filtered(picture, 1) + offset;
    return {{filter_along(high, kLow), filter_along(low, kHigh), filter_along(high, kHigh)}};
}

HWY_INLINE hn::Mask<DF32> is_aligned(const BandSamples &o, const BandSamples &t)
{
    const DF32 d;
    const VF32 product = hn::Add(hn::Mul(o.of[0], t.of[0]), hn::Mul(o.of[1], t.of[1]));
    const VF32 square_o = hn::Add(hn::Mul(o.of[0], o.of[0]), hn::Mul(o.of[1], o.of[1]));
    const VF32 square_t = hn::Add(hn::Mul(t.of[0], t.of[0]), hn::Mul(t.of[1], t.of[1]));
    const VF32 least = hn::Mul(hn::Mul(hn::Set(d, kCosine), square_o), square_t);
    return hn::And(hn::Ge(product, hn::Zero(d)), hn::Ge(hn::Mul(product, product), least));
}

/// Stores a weighted sample's size, and its part in the masking of neighbours.
HWY_INLINE void store_weighted(const Work &work, int picture, int orientation, int column, int y,
                               VF32 sample)
{
    const DF32 d;
    const VF32 size = hn::Abs(sample);
    hn::Store(size, d, work.size(picture, orientation, column) + y);
    if (picture == kReference)
        return;
    const VF64 weight = hn::Set(DF64(), kNeighbourWeight);
    hn::StoreU(
        round_to_float(hn::Mul(weight, low_to_double(size)), hn::Mul(weight, high_to_double(size))),
        d, work.part(picture, orientation, column) + 1 + y);
}

/// The columns of the region and their neighbours.
HWY_INLINE void decouple_columns(const Strip &strip, const Tile &tile, const Work &work)
{
    const DF32 d;
    const VF32 zero = hn::Zero(d);
    const VF32 one = hn::Set(d, 1.0F);
    const int begin = HWY_MAX(tile.begin, strip.band->left - 1);
    const int end = HWY_MIN(tile.end, strip.band->right + 1);
    for (int y = 0; y < kTileRows; y += kLanes32)
        for (int x = begin; x < end; ++x) {
            const int offset = 2 * (x - tile.begin) * kTileRows + y;
            const BandSamples o = detail_at(work, 0, offset);
            const BandSamples t = detail_at(work, 1, offset);
            const auto aligned = is_aligned(o, t);
            for (int i = 0; i < kOrientations; ++i) {
                const VF32 q = quotient(strip.config->table, t.of[i], o.of[i]);
                const VF32 share =
                    hn::IfThenZeroElse(hn::Lt(q, zero), hn::IfThenElse(hn::Gt(q, one), one, q));
                VF32 restored = hn::Mul(share, o.of[i]);
                const VF32 enhanced = enhance(restored, strip.config->gain_limit);
                const auto is_positive = hn::And(aligned, hn::Gt(restored, zero));
                const auto is_negative = hn::And(aligned, hn::Lt(restored, zero));
                restored = hn::IfThenElse(is_positive, hn::Min(enhanced, t.of[i]), restored);
                restored = hn::IfThenElse(is_negative, hn::Max(enhanced, t.of[i]), restored);
                const VF32 added = hn::Sub(t.of[i], restored);
                const VF32 factor = hn::Set(d, strip.band->factor[i]);
                const int column = tile.column(x);
                store_weighted(work, kReference, i, column, y, hn::Mul(factor, o.of[i]));
                store_weighted(work, kRestored, i, column, y, hn::Mul(factor, restored));
                store_weighted(work, kAdded, i, column, y, hn::Mul(factor, added));
            }
        }
}

} // namespace vmafgpu::float_adm::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
