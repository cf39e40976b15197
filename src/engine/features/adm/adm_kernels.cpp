// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ADM; see adm_kernel.h for the division of work. Formulas per
// sample are adm_math.h's, the same as the reference's.
//
// A tile goes through four steps: vertical wavelet of its input columns into
// shared memory (halo of one band sample); each thread's four samples, and the
// halo's, to masking shares in shared memory; thresholds from 3x3 of those;
// sums of 16 lanes = one row.
#include "features/adm/adm_kernel.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_tables.h"
#include "simt_reduce.h"

namespace vmafgpu {
namespace {

constexpr int kHaloWidth = kAdmTileWidth + 2;
/// Rows lie 16 banks apart, since the two halves of 32 lanes read two rows.
constexpr int kSharePitch = 80;
/// Input columns of a tile with its halo.
constexpr int kInputColumns = 2 * kHaloWidth + 2;
constexpr int kSamples = 4; ///< per thread
constexpr int kLanesPerRow = 16;

/// Vertical results of one input column at one band row.
struct DownFirst {
    int16_t low, high;
};
struct DownNext {
    int32_t low, high;
};

template <int kScale> struct ScaleTraits {
    using Down = DownNext;
    static constexpr int kTileHeight = kAdmTileHeightNext;
};
template <> struct ScaleTraits<0> {
    using Down = DownFirst;
    static constexpr int kTileHeight = kAdmTileHeightFirst;
};

struct Tile {
    int x, y; ///< band position of its first sample
};

/// Bands at one position: [0] reference, [1] distorted.
struct Details {
    int32_t approximation[2];
    int32_t detail[2][3];
};

template <int kGains> struct Split {
    int32_t restored[kGains][3];
};

template <int kScale, typename Sample> SIMT_DEVICE typename ScaleTraits<kScale>::Down
filter_down(const AdmScaleArgs &args, const char *input, int64_t pitch, int column, int row)
{
    int64_t low = 0;
    int64_t high = 0;
    SIMT_UNROLL
    for (int t = 0; t < 4; ++t) {
        constexpr int32_t kLow[4] = {kAdmLowTaps[0], kAdmLowTaps[1], kAdmLowTaps[2],
                                     kAdmLowTaps[3]};
        constexpr int32_t kHigh[4] = {kAdmHighTaps[0], kAdmHighTaps[1], kAdmHighTaps[2],
                                      kAdmHighTaps[3]};
        const int y = mirror_high_repeat(2 * row - 1 + t, args.input_height);
        const int64_t sample = reinterpret_cast<const Sample *>(input + pitch * y)[column];
        low += kLow[t] * sample;
        high += kHigh[t] * sample;
    }
    constexpr int32_t kTapSum = kAdmLowTaps[0] + kAdmLowTaps[1] + kAdmLowTaps[2] + kAdmLowTaps[3];
    if constexpr (kScale == 0) {
        const int64_t grey = static_cast<int64_t>(kTapSum) << (args.depth - 1);
        return {static_cast<int16_t>(adm_wrap16(round_shift(low - grey, args.depth))),
                static_cast<int16_t>(adm_wrap16(round_shift(high, args.depth)))};
    } else {
        constexpr int kShift = kAdmVerticalShift[kScale];
        return {adm_wrap32(round_shift(low, kShift)), adm_wrap32(round_shift(high, kShift))};
    }
}

/// Step 1: all of the block. down[image][row][column] of the tile and its halo.
template <int kScale, typename Sample, typename Down>
SIMT_DEVICE void filter_tile_down(const AdmScaleArgs &args, Tile tile, Down *down)
{
    constexpr int kRows = ScaleTraits<kScale>::kTileHeight + 2;
    constexpr int kItems = kRows * kInputColumns;
    const int pair = block_id_z();
    for (int item = thread_id(); item < 2 * kItems; item += block_threads()) {
        const int image = item / kItems;
        const int place = item % kItems;
        const int row = tile.y - 1 + place / kInputColumns;
        const int column = 2 * (tile.x - 1) - 1 + place % kInputColumns;
        if (row < 0 || row >= args.height || column < -1 || column > args.input_width + 1)
            continue;
        down[item] = filter_down<kScale, Sample>(
            args, static_cast<const char *>(args.input[pair][image]), args.input_pitch[pair][image],
            mirror_high_repeat(column, args.input_width), row);
    }
}

/// Horizontal wavelet at band position (x, y), from the tile's vertical results.
template <int kScale, typename Down>
SIMT_DEVICE Details details_at(const Down *down, Tile tile, int x, int y)
{
    constexpr int kRows = ScaleTraits<kScale>::kTileHeight + 2;
    constexpr int kShift = kAdmHorizontalShift[kScale];
    using Wide = typename ScaleTraits<kScale>::Down;
    Details out;
    SIMT_UNROLL
    for (int image = 0; image < 2; ++image) {
        const Down *at =
            down + (image * kRows + y - (tile.y - 1)) * kInputColumns + 2 * (x - (tile.x - 1));
        int64_t sums[4] = {0, 0, 0, 0}; // a, h, v, d
        SIMT_UNROLL
        for (int t = 0; t < 4; ++t) {
            constexpr int32_t kLow[4] = {kAdmLowTaps[0], kAdmLowTaps[1], kAdmLowTaps[2],
                                         kAdmLowTaps[3]};
            constexpr int32_t kHigh[4] = {kAdmHighTaps[0], kAdmHighTaps[1], kAdmHighTaps[2],
                                          kAdmHighTaps[3]};
            const Wide v = at[t];
            const int64_t low = v.low;
            const int64_t high = v.high;
            sums[0] += kLow[t] * low;
            sums[1] += kLow[t] * high;
            sums[2] += kHigh[t] * low;
            sums[3] += kHigh[t] * high;
        }
        int32_t bands[4];
        SIMT_UNROLL
        for (int b = 0; b < 4; ++b)
            bands[b] = kScale == 0 ? adm_wrap16(round_shift(sums[b], kShift))
                                   : adm_wrap32(round_shift(sums[b], kShift));
        out.approximation[image] = bands[0];
        out.detail[image][0] = bands[1];
        out.detail[image][1] = bands[2];
        out.detail[image][2] = bands[3];
    }
    return out;
}

SIMT_DEVICE int64_t product(int32_t a, int32_t b)
{
    return static_cast<int64_t>(a) * b;
}

template <int kScale, int kGains>
SIMT_DEVICE Split<kGains> split_at(const AdmScaleArgs &args, const Details &bands)
{
    const int32_t(&o)[3] = bands.detail[0];
    const int32_t(&t)[3] = bands.detail[1];
    const bool same_angle = adm_same_angle(product(o[0], t[0]) + product(o[1], t[1]),
                                           product(o[0], o[0]) + product(o[1], o[1]),
                                           product(t[0], t[0]) + product(t[1], t[1]));
    Split<kGains> out;
    SIMT_UNROLL
    for (int b = 0; b < 3; ++b) {
        const int32_t k = kScale == 0 ? adm_gain_first(o[b], t[b]) : adm_gain_next(o[b], t[b]);
        const int32_t r0 = kScale == 0 ? adm_restore_first(k, o[b]) : adm_restore_next(k, o[b]);
        SIMT_UNROLL
        for (int g = 0; g < kGains; ++g)
            out.restored[g][b] = adm_enhance(r0, k, o[b], t[b], same_angle, args.gain_limit[g]);
    }
    return out;
}

template <int kScale> SIMT_DEVICE int32_t additive(int32_t t, int32_t restored)
{
    const int64_t rest = static_cast<int64_t>(t) - restored;
    return kScale == 0 ? adm_wrap16(rest) : adm_wrap32(rest);
}

template <int kScale>
SIMT_DEVICE AdmWeighted weight(const AdmScaleArgs &args, int32_t sample, int orientation)
{
    return kScale == 0 ? adm_weight_first(sample, args.multiplier[orientation], orientation == 2)
                       : adm_weight_next(sample, args.multiplier[orientation]);
}

/// Shares of one position in its neighbours' thresholds: [gain][0] of the
/// restored part, [gain][1] of the additive one; all orientations together.
template <int kScale, int kGains>
SIMT_DEVICE void write_shares(const AdmScaleArgs &args, const Details &bands,
                              const Split<kGains> &split, int32_t *shares, int plane_size, int at)
{
    SIMT_UNROLL
    for (int g = 0; g < kGains; ++g) {
        uint32_t restored = 0;
        uint32_t rest = 0;
        SIMT_UNROLL
        for (int b = 0; b < 3; ++b) {
            const int32_t r = split.restored[g][b];
            restored += static_cast<uint32_t>(weight<kScale>(args, r, b).f);
            rest += static_cast<uint32_t>(
                weight<kScale>(args, additive<kScale>(bands.detail[1][b], r), b).f);
        }
        shares[2 * g * plane_size + at] = static_cast<int32_t>(restored);
        shares[(2 * g + 1) * plane_size + at] = static_cast<int32_t>(rest);
    }
}

/// What a thread keeps of one of its samples between steps.
template <int kGains> struct Kept {
    int32_t distorted[3];
    Split<kGains> split;
};

SIMT_DEVICE bool in_region(const AdmScaleArgs &args, int x, int y)
{
    return x >= args.left && x < args.width - args.left && y >= args.top &&
           y < args.height - args.top;
}

template <int kScale> SIMT_DEVICE uint64_t energy(const AdmScaleArgs &args, int32_t x)
{
    if constexpr (kScale == 0) {
        return adm_energy_first(x);
    } else {
        constexpr int kSquareShift = kAdmEnergySquareShift[kScale];
        return adm_energy_next(x, kSquareShift, args.den_cube_shift);
    }
}

/// Step 2 for the thread's own sample: approximation, energy, shares.
template <int kScale, int kGains, typename Down>
SIMT_DEVICE Kept<kGains> take_sample(const AdmScaleArgs &args, const Down *down, Tile tile, int x,
                                     int y, bool has_sums, int32_t *shares, int plane_size,
                                     uint64_t (&values)[kAdmRowValues])
{
    Kept<kGains> kept = {};
    if (x >= args.width || y >= args.height)
        return kept;
    const Details bands = details_at<kScale>(down, tile, x, y);
    if (args.approximation != nullptr) {
        int32_t *to = args.approximation + args.approximation_stride * block_id_z() +
                      static_cast<int64_t>(args.approximation_pitch) * y + x;
        to[0] = bands.approximation[0];
        to[args.distorted_offset] = bands.approximation[1];
    }
    if (!has_sums)
        return kept;
    kept.split = split_at<kScale, kGains>(args, bands);
    SIMT_UNROLL
    for (int b = 0; b < 3; ++b) {
        kept.distorted[b] = bands.detail[1][b];
        if (in_region(args, x, y))
            values[6 + b] += energy<kScale>(args, bands.detail[0][b]);
    }
    const int at = (y - tile.y + 1) * kSharePitch + x - tile.x + 1;
    write_shares<kScale, kGains>(args, bands, kept.split, shares, plane_size, at);
    return kept;
}

/// Step 2 for the ring around the tile. Beyond the picture's edge stands the
/// position that the reference takes for a neighbour there.
template <int kScale, int kGains, typename Down> SIMT_DEVICE void
take_halo(const AdmScaleArgs &args, const Down *down, Tile tile, int32_t *shares, int plane_size)
{
    constexpr int kHeight = ScaleTraits<kScale>::kTileHeight;
    constexpr int kRing = 2 * kHaloWidth + 2 * kHeight;
    for (int item = thread_id(); item < kRing; item += block_threads()) {
        int column = 0;
        int row = 0;
        if (item < 2 * kHaloWidth) {
            column = item % kHaloWidth;
            row = item < kHaloWidth ? 0 : kHeight + 1;
        } else {
            const int side = item - 2 * kHaloWidth;
            column = side < kHeight ? 0 : kHaloWidth - 1;
            row = 1 + side % kHeight;
        }
        const int x = tile.x - 1 + column;
        const int y = tile.y - 1 + row;
        if (x > args.width || y > args.height)
            continue;
        const Details bands = details_at<kScale>(down, tile, mirror_high_repeat(x, args.width),
                                                 mirror_high_repeat(y, args.height));
        write_shares<kScale, kGains>(args, bands, split_at<kScale, kGains>(args, bands), shares,
                                     plane_size, row * kSharePitch + column);
    }
}

/// Inside a tile that the picture's edge cuts, the position just beyond the edge.
template <int kScale, int kGains, typename Down> SIMT_DEVICE void
take_edge(const AdmScaleArgs &args, const Down *down, Tile tile, int32_t *shares, int plane_size)
{
    constexpr int kHeight = ScaleTraits<kScale>::kTileHeight;
    const int column = args.width - tile.x + 1;
    const int row = args.height - tile.y + 1;
    for (int item = thread_id(); item < kHaloWidth + kHeight + 2; item += block_threads()) {
        const bool is_row = item < kHaloWidth;
        const int c = is_row ? item : column;
        const int r = is_row ? row : item - kHaloWidth;
        const int x = tile.x - 1 + c;
        const int y = tile.y - 1 + r;
        // The ring itself is take_halo()'s.
        if (c < 1 || c > kAdmTileWidth || r < 1 || r > kHeight || x > args.width ||
            y > args.height || (x < args.width && y < args.height) || (!is_row && r == row))
            continue;
        const Details bands = details_at<kScale>(down, tile, mirror_high_repeat(x, args.width),
                                                 mirror_high_repeat(y, args.height));
        write_shares<kScale, kGains>(args, bands, split_at<kScale, kGains>(args, bands), shares,
                                     plane_size, r * kSharePitch + c);
    }
}

SIMT_DEVICE uint32_t neighbours(const int32_t *shares, int at)
{
    uint32_t sum = 0;
    SIMT_UNROLL
    for (int dy = -1; dy <= 1; ++dy)
        SIMT_UNROLL
    for (int dx = -1; dx <= 1; ++dx)
        if (dx != 0 || dy != 0)
            sum += static_cast<uint32_t>(shares[at + dy * kSharePitch + dx]);
    return sum;
}

/// Steps 3 and 4 for one sample and gain: cubes above the threshold.
template <int kScale, int kGains>
SIMT_DEVICE void mask_sample(const AdmScaleArgs &args, const Kept<kGains> &kept, int g,
                             const int32_t *shares, int plane_size, int at,
                             uint64_t (&values)[kAdmRowValues])
{
    AdmWeighted restored[3];
    AdmWeighted rest[3];
    uint32_t restored_threshold = neighbours(shares + 2 * g * plane_size, at);
    uint32_t rest_threshold = neighbours(shares + (2 * g + 1) * plane_size, at);
    SIMT_UNROLL
    for (int b = 0; b < 3; ++b) {
        const int32_t r = kept.split.restored[g][b];
        restored[b] = weight<kScale>(args, r, b);
        rest[b] = weight<kScale>(args, additive<kScale>(kept.distorted[b], r), b);
        restored_threshold += static_cast<uint32_t>(restored[b].centre);
        rest_threshold += static_cast<uint32_t>(rest[b].centre);
    }
    SIMT_UNROLL
    for (int b = 0; b < 3; ++b) {
        const int threshold_shift = adm_threshold_shift(kScale, b);
        const int square_shift = adm_square_shift(kScale, b);
        values[3 * g + b] += static_cast<uint64_t>(
            adm_masked_cube(restored[b].contrast, static_cast<int32_t>(rest_threshold),
                            threshold_shift, square_shift, args.num_cube_shift[b]));
        if (args.skip_aim == 0)
            values[9 + 3 * g + b] += static_cast<uint64_t>(
                adm_masked_cube(rest[b].contrast, static_cast<int32_t>(restored_threshold),
                                threshold_shift, square_shift, args.num_cube_shift[b]));
    }
}

/// One tile of one pair.
template <int kScale, typename Sample, int kGains>
SIMT_DEVICE void adm_tile(const AdmScaleArgs &args)
{
    using Down = typename ScaleTraits<kScale>::Down;
    constexpr int kHeight = ScaleTraits<kScale>::kTileHeight;
    constexpr int kPlane = kSharePitch * (kHeight + 2);
    SIMT_SHARED(Down, down, 2 * (kHeight + 2) * kInputColumns);
    SIMT_SHARED(int32_t, shares, 2 * kGains * kPlane);

    const Tile tile = {block_id_x() * kAdmTileWidth, block_id_y() * kHeight};
    // Equal for the whole block: does the region reach into this tile?
    const bool has_sums = args.skip_sums == 0 && tile.x + kAdmTileWidth > args.left &&
                          tile.x < args.width - args.left && tile.y + kHeight > args.top &&
                          tile.y < args.height - args.top;
    filter_tile_down<kScale, Sample>(args, tile, down);
    barrier();

    const int y = tile.y + thread_id() / kLanesPerRow;
    const int first_x = tile.x + thread_id() % kLanesPerRow;
    uint64_t values[kAdmRowValues] = {};
    Kept<kGains> kept[kSamples];
    SIMT_UNROLL
    for (int i = 0; i < kSamples; ++i)
        kept[i] = take_sample<kScale, kGains>(args, down, tile, first_x + i * kLanesPerRow, y,
                                              has_sums, shares, kPlane, values);
    if (has_sums) {
        take_halo<kScale, kGains>(args, down, tile, shares, kPlane);
        if (tile.x + kAdmTileWidth > args.width || tile.y + kHeight > args.height)
            take_edge<kScale, kGains>(args, down, tile, shares, kPlane);
    }
    barrier();

    SIMT_UNROLL
    for (int i = 0; i < kSamples; ++i) {
        const int x = first_x + i * kLanesPerRow;
        if (!has_sums || !in_region(args, x, y))
            continue;
        const int at = (y - tile.y + 1) * kSharePitch + x - tile.x + 1;
        SIMT_UNROLL
        for (int g = 0; g < kGains; ++g)
            mask_sample<kScale, kGains>(args, kept[i], g, shares, kPlane, at, values);
    }
    const uint64_t sum = sixteen_sums(values);
    if (has_sums && sum != 0)
        atomic_add(args.rows + args.rows_stride * block_id_z() +
                       static_cast<int64_t>(y) * kAdmRowValues + thread_id() % kLanesPerRow,
                   sum);
}

} // namespace

SIMT_KERNEL(adm_scale0_u8_plain, AdmScaleArgs, kAdmThreadsFirst, 2)
{
    adm_tile<0, uint8_t, 1>(args);
}

SIMT_KERNEL(adm_scale0_u8_both, AdmScaleArgs, kAdmThreadsFirst, 2)
{
    adm_tile<0, uint8_t, 2>(args);
}

SIMT_KERNEL(adm_scale0_u16_plain, AdmScaleArgs, kAdmThreadsFirst, 2)
{
    adm_tile<0, uint16_t, 1>(args);
}

SIMT_KERNEL(adm_scale0_u16_both, AdmScaleArgs, kAdmThreadsFirst, 2)
{
    adm_tile<0, uint16_t, 2>(args);
}

SIMT_KERNEL(adm_scale1_plain, AdmScaleArgs, kAdmThreadsNext, 3)
{
    adm_tile<1, int32_t, 1>(args);
}
SIMT_KERNEL(adm_scale1_both, AdmScaleArgs, kAdmThreadsNext, 3)
{
    adm_tile<1, int32_t, 2>(args);
}
SIMT_KERNEL(adm_scale2_plain, AdmScaleArgs, kAdmThreadsNext, 3)
{
    adm_tile<2, int32_t, 1>(args);
}
SIMT_KERNEL(adm_scale2_both, AdmScaleArgs, kAdmThreadsNext, 3)
{
    adm_tile<2, int32_t, 2>(args);
}
SIMT_KERNEL(adm_scale3_plain, AdmScaleArgs, kAdmThreadsNext, 3)
{
    adm_tile<3, int32_t, 1>(args);
}
SIMT_KERNEL(adm_scale3_both, AdmScaleArgs, kAdmThreadsNext, 3)
{
    adm_tile<3, int32_t, 2>(args);
}

/// Grid: x = scale, z = pair. Thread = value, and one of 16 residues of rows.
SIMT_KERNEL(adm_rows, AdmRowsArgs, 256)
{
    SIMT_SHARED(uint64_t, partial, 256);
    const int scale = block_id_x();
    const int value = thread_id() % kAdmRowValues;
    const int residue = thread_id() / kAdmRowValues;
    const bool is_den = value >= 6 && value < 9;
    const int shift = is_den ? args.den_row_shift[scale] : args.num_row_shift[scale];
    const uint64_t *rows = args.rows + args.rows_stride * block_id_z() +
                           static_cast<int64_t>(args.first_row[scale]) * kAdmRowValues + value;
    uint64_t sum = 0;
    for (int row = residue; row < args.row_count[scale]; row += 256 / kAdmRowValues)
        sum += round_shift(rows[static_cast<int64_t>(row) * kAdmRowValues], shift);
    partial[thread_id()] = sum;
    barrier();
    if (residue == 0 && value < kAdmRowValues - 1) {
        sum = 0;
        for (int i = 0; i < 256 / kAdmRowValues; ++i)
            sum += partial[i * kAdmRowValues + value];
        auto *out = reinterpret_cast<uint64_t *>(args.sums + args.sums_stride * block_id_z());
        out[scale * (kAdmRowValues - 1) + value] = sum;
    }
}

} // namespace vmafgpu
