// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of VIF. One kernel per scale reads the planes of a pair once, and makes the
// statistics and the planes of the next scale. vif_record.cpp launches it. vif_tile.h has the
// vertical pass, vif_math.h the arithmetic of a pixel.
#include "simt/reduce.h"
#include "vif_pixels.h"
#include "vif_tile.h"

namespace vmafgpu {
namespace {

constexpr int kWaveSumsBytes = kVifThreads / kMinWave * kVifSums * sizeof(int64_t);

SIMT_DEVICE int smaller(int a, int b)
{
    return a < b ? a : b;
}

constexpr int kMeans = 0, kReference = 1, kDistorted = 2, kBoth = 3, kQuantities = 4;
constexpr int kQuantityQuads = kVifTileRows * kVifQuads;

/// Place of a column's quad in a row of vertical results. Neighbouring threads write
/// neighbouring columns but read the same columns of neighbouring rows: the
/// permutation spreads both over the banks.
SIMT_DEVICE int quad_index(int row, int quad)
{
    static_assert(kVifTileRows == 8 && kVifQuads % 8 == 0, "row may flip three bits");
    return row * kVifQuads + (quad ^ row);
}

SIMT_DEVICE void store_column(const VifColumn &column, VifQuad *moments)
{
    auto *words = reinterpret_cast<uint32_t *>(moments);
    const int quad = thread_id() / 4, rest = thread_id() % 4;
    SIMT_UNROLL
    for (int row = 0; row < kVifTileRows; ++row) {
        uint32_t *at = words + quad_index(row, quad) * 4 + rest;
        at[kMeans * 4 * kQuantityQuads] = column.means[row];
        SIMT_UNROLL
        for (int i = 0; i < 3; ++i)
            at[(kReference + i) * 4 * kQuantityQuads] = column.squares[i][row];
    }
}

/// The pixels of one thread in the horizontal pass: kVifRun neighbours of a row.
template <int scale> struct Run {
    static constexpr int kHalf = kVifHalf[scale];
    /// Columns between a quad's begin and the first tap.
    static constexpr int kSkip = vif_side_columns(scale) - kHalf;
    static constexpr int kWindowQuads = (kSkip + kVifRun + 2 * kHalf + 3) / 4;
    static constexpr int kWindow = 4 * kWindowQuads;

    SIMT_DEVICE static void read(const VifQuad *quantity, int row, int first,
                                 uint32_t (&window)[kWindow])
    {
        SIMT_UNROLL
        for (int j = 0; j < kWindowQuads; ++j) {
            const VifQuad quad = quantity[quad_index(row, first + j)];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                window[4 * j + i] = quad.word[i];
        }
    }

    /// Unrounded means, with 16 fractional bits more than the vertical ones.
    SIMT_DEVICE static void means(const VifQuad *moments, int row, int first,
                                  uint32_t (&reference)[kVifRun], uint32_t (&distorted)[kVifRun])
    {
        uint32_t window[kWindow];
        read(moments + kMeans * kQuantityQuads, row, first, window);
        VifLimbs<kWindow> planes;
        planes.take(window);
        SIMT_UNROLL
        for (int i = 0; i < kVifRun; ++i) {
            reference[i] = planes.low.template filter_at<scale>(kSkip + i, 0);
            distorted[i] = planes.high.template filter_at<scale>(kSkip + i, 0);
        }
    }

    SIMT_DEVICE static void sigmas(const VifQuad *quantity, int row, int first,
                                   const uint32_t (&a)[kVifRun], const uint32_t (&b)[kVifRun],
                                   int32_t (&sigma)[kVifRun])
    {
        uint32_t window[kWindow];
        read(quantity, row, first, window);
        VifLimbs<kWindow> limbs;
        limbs.take(window);
        SIMT_UNROLL
        for (int i = 0; i < kVifRun; ++i)
            sigma[i] = vif_sigma(limbs.template filter_at<scale>(kSkip + i, 16), a[i], b[i]);
    }
};

/// Horizontal pass and statistics; x, y: first pixel of the tile.
template <int scale> SIMT_DEVICE void measure(const VifScaleArgs &args, const VifQuad *moments,
                                              const VifLogs &logs, int x, int y,
                                              VifThreadSums &sums)
{
    const int row = thread_id() % kVifTileRows;
    const int column = thread_id() / kVifTileRows * kVifRun;
    const int pixels = smaller(vif_tile_width(scale) - column, args.width - x - column);
    if (pixels <= 0 || y + row >= args.height)
        return;
    using Pixels = Run<scale>;
    uint32_t m1[kVifRun], m2[kVifRun];
    int32_t s1[kVifRun], s2[kVifRun], s12[kVifRun];
    const int first = column / 4;
    Pixels::means(moments, row, first, m1, m2);
    Pixels::sigmas(moments + kReference * kQuantityQuads, row, first, m1, m1, s1);
    Pixels::sigmas(moments + kDistorted * kQuantityQuads, row, first, m2, m2, s2);
    Pixels::sigmas(moments + kBoth * kQuantityQuads, row, first, m1, m2, s12);
    SIMT_UNROLL
    for (int i = 0; i < kVifRun; ++i) {
        const VifSigma sigma = {s1[i], s2[i], s12[i]};
        if (i >= pixels)
            break;
        if (args.limit_count == 1)
            vif_add_fast<1>(sigma, args.limits, logs, sums);
        else
            vif_add_fast<kVifMaxLimits>(sigma, args.limits, logs, sums);
    }
}

/// Horizontal pass of the next scale's samples, two of both planes for each thread.
template <int scale>
SIMT_DEVICE void write_next(const VifScaleArgs &args, const VifQuad *halved, int x, int y)
{
    constexpr int kNext = scale + 1;
    constexpr int kHalf = kVifHalf[kNext];
    constexpr int kBegin = vif_side_columns(scale) - kHalf; // first tap of the tile
    constexpr int kSkip = kBegin % 4;
    constexpr int kWindow = (kSkip + 3 + 2 * kHalf + 3) / 4 * 4;
    constexpr int kItems = vif_tile_width(scale) / 4;
    const int row = thread_id() / kItems;
    const int item = thread_id() % kItems;
    const int next_x = x / 2 + 2 * item, next_y = y / 2 + row;
    if (row >= kVifTileRows / 2 || next_x >= args.width / 2 || next_y >= args.height / 2)
        return;
    uint32_t window[kWindow];
    SIMT_UNROLL
    for (int j = 0; j < kWindow / 4; ++j) {
        const VifQuad quad = halved[row * kVifQuads + kBegin / 4 + item + j];
        SIMT_UNROLL
        for (int i = 0; i < 4; ++i)
            window[4 * j + i] = quad.word[i];
    }
    VifHalves<kWindow> samples[2];
    samples[0].take(window, false);
    samples[1].take(window, true);
    char *planes = args.next + args.next_stride * block_id_z() + args.next_pitch * next_y;
    SIMT_UNROLL
    for (int plane = 0; plane < 2; ++plane) {
        auto *to = reinterpret_cast<uint16_t *>(planes + args.next_plane_bytes * plane) + next_x;
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i) {
            const uint32_t sum = samples[plane].template filter_at<kNext>(kSkip + 2 * i, 0);
            if (next_x + i < args.width / 2)
                to[i] = static_cast<uint16_t>(round_shift(sum, 16));
        }
    }
}

/// Adds the sums of all threads to the pair's, through shared memory. [block]
SIMT_DEVICE void add_sums(const VifThreadSums &sums, int limit_count, int64_t *wave_sums, char *to)
{
    const int32_t second = limit_count > 1 ? wave_sum(sums.num_log[1]) : 0;
    const int64_t parts[kVifSums] = {wave_sum(sums.num_log[0]), second, wave_sum(sums.den_log),
                                     wave_sum(sums.num_nl), wave_sum(sums.den_nl)};
    if (lane_id() == 0) {
        SIMT_UNROLL
        for (int i = 0; i < kVifSums; ++i)
            wave_sums[wave_id() * kVifSums + i] = parts[i];
    }
    barrier();
    if (thread_id() < kVifSums) {
        int64_t sum = 0;
        for (int wave = 0; wave < kVifThreads / wave_size(); ++wave)
            sum += wave_sums[wave * kVifSums + thread_id()];
        atomic_add(reinterpret_cast<int64_t *>(to) + thread_id(), sum);
    }
}

/// A block's work. Order of VifScaleSums' fields: add_sums().
template <int scale, typename Sample> SIMT_DEVICE void vif_scale(const VifScaleArgs &args)
{
    using Tile = VifTile<scale, Sample>;
    SIMT_SHARED(VifQuad, tile, Tile::kSharedQuads);
    SIMT_SHARED(VifQuad, moments, kQuantities * kQuantityQuads);
    SIMT_SHARED(VifQuad, halved, kVifTileRows / 2 * kVifQuads);
    SIMT_SHARED(VifQuad, logs, kVifLogBytes / 16);

    const VifPairArgs &pair = args.pairs[block_id_z()];
    const int x = block_id_x() * vif_tile_width(scale);
    const int y = block_id_y() * kVifTileRows;
    const bool is_measured = args.is_measured != 0;
    const auto plane = [&](const void *data, int64_t pitch) {
        return DevicePlane{static_cast<const char *>(data), pitch, args.width, args.height};
    };
    Tile::load(plane(pair.reference, pair.reference_pitch),
               plane(pair.distorted, pair.distorted_pitch), x - vif_side_columns(scale),
               y - Tile::kHalf, tile);
    if (is_measured)
        vif_copy_logs(args.logs, thread_id(), kVifThreads, logs);
    barrier();

    {
        const Tile samples(tile);
        VifColumn column;
        if constexpr (scale + 1 < kVifScales) {
            samples.halve(args.depth, column);
            auto *words = reinterpret_cast<uint32_t *>(halved);
            SIMT_UNROLL
            for (int row = 0; row < kVifTileRows / 2; ++row)
                words[row * kVifTileColumns + thread_id()] = column.halved[row];
        }
        if (is_measured) {
            samples.filter(args.depth, column);
            store_column(column, moments);
        }
    }
    barrier();

    if constexpr (scale + 1 < kVifScales)
        write_next<scale>(args, halved, x, y);
    if (is_measured) {
        VifThreadSums sums = {};
        measure<scale>(args, moments, {reinterpret_cast<const uint16_t *>(logs)}, x, y, sums);
        // No room of their own: two blocks on 64 KiB. Nobody reads the tile any more.
        static_assert(sizeof(VifQuad) * Tile::kSharedQuads >= kWaveSumsBytes, "they fit");
        add_sums(sums, args.limit_count, reinterpret_cast<int64_t *>(tile),
                 args.sums + args.sums_stride * block_id_z());
    }
}

} // namespace

SIMT_KERNEL(vif_scale0_u8, VifScaleArgs, kVifThreads, 6)
{
    vif_scale<0, uint8_t>(args);
}

SIMT_KERNEL(vif_scale0_u16, VifScaleArgs, kVifThreads, 4)
{
    vif_scale<0, uint16_t>(args);
}

SIMT_KERNEL(vif_scale1, VifScaleArgs, kVifThreads, 4)
{
    vif_scale<1, uint16_t>(args);
}

SIMT_KERNEL(vif_scale2, VifScaleArgs, kVifThreads, 4)
{
    vif_scale<2, uint16_t>(args);
}

SIMT_KERNEL(vif_scale3, VifScaleArgs, kVifThreads, 4)
{
    vif_scale<3, uint16_t>(args);
}

} // namespace vmafgpu
