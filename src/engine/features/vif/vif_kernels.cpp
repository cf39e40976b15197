// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of VIF. One kernel per scale reads the planes of a pair once, and makes the
// statistics and the planes of the next scale. vif_record.cpp launches it. vif_tile.h has the
// vertical pass, vif_math.h the arithmetic of a pixel.
#include "simt/reduce.h"
#include "vif_add.h"
#include "vif_tile.h"

namespace vmafgpu {
namespace {

constexpr int kWaveSumsBytes = kVifThreads / kMinWave * kVifSums * sizeof(int64_t);

constexpr int kVifSquares = 3;
constexpr int kQuantities = 1 + kVifSquares; ///< the means of both planes are one
constexpr int kQuantityQuads = kVifTileRows * kVifQuads;

/// Place of a column's quad in a row of vertical results. Neighbouring threads write
/// neighbouring columns but read the same columns of neighbouring rows: the
/// permutation spreads both over the banks.
SIMT_DEVICE int quad_index(int row, int quad)
{
    static_assert(kVifTileRows == 8 && kVifQuads % 8 == 0, "row may flip three bits");
    return row * kVifQuads + (quad ^ row);
}

/// Vertically filtered quantities of this thread's column.
template <int count>
SIMT_DEVICE void store_columns(const uint32_t (&columns)[count][kVifTileRows], VifQuad *quantities)
{
    auto *words = reinterpret_cast<uint32_t *>(quantities);
    const int quad = thread_id() / 4, rest = thread_id() % 4;
    SIMT_UNROLL
    for (int row = 0; row < kVifTileRows; ++row) {
        uint32_t *at = words + quad_index(row, quad) * 4 + rest;
        SIMT_UNROLL
        for (int i = 0; i < count; ++i)
            at[i * 4 * kQuantityQuads] = columns[i][row];
    }
}

SIMT_DEVICE void store_halved(const uint32_t (&column)[kVifTileRows / 2], VifQuad *halved)
{
    auto *words = reinterpret_cast<uint32_t *>(halved);
    SIMT_UNROLL
    for (int row = 0; row < kVifTileRows / 2; ++row)
        words[row * kVifTileColumns + thread_id()] = column[row];
}

/// The pixels of one thread in the horizontal pass: kVifRun neighbours of a row.
template <int scale> struct Run {
    static constexpr int kHalf = kVifHalf[scale];
    /// Columns between a quad's begin and the first tap.
    static constexpr int kSkip = vif_side_columns(scale) - kHalf;
    static constexpr int kWindowQuads = (kSkip + kVifRun + 2 * kHalf + 3) / 4;
    static constexpr int kWindow = 4 * kWindowQuads;

    int row, column; ///< of the tile
    int pixels;      ///< how many of them there are
    bool has_pixels;
    uint32_t means[2][kVifRun]; ///< with 16 fractional bits more than the vertical ones
    int32_t sigmas[3][kVifRun];

    /// x, y: first pixel of the tile.
    SIMT_DEVICE Run(const VifScaleArgs &args, int x, int y)
        : row(thread_id() % kVifTileRows), column(thread_id() / kVifTileRows * kVifRun),
          pixels(smaller(vif_tile_width(scale) - column, args.width - x - column)),
          has_pixels(pixels > 0 && y + row < args.height)
    {
    }

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

    /// `quantity` is that of the means.
    SIMT_DEVICE void filter_means(const VifQuad *quantity)
    {
        uint32_t window[kWindow];
        read(quantity, row, column / 4, window);
        VifLimbs<kWindow> planes;
        planes.take(window);
        SIMT_UNROLL
        for (int i = 0; i < kVifRun; ++i) {
            means[0][i] = planes.low.template filter_at<scale>(kSkip + i, 0);
            means[1][i] = planes.high.template filter_at<scale>(kSkip + i, 0);
        }
    }

    /// Second moments, as VifTile::squares() numbers them; after filter_means().
    SIMT_DEVICE void filter_squares(int which, const VifQuad *quantity)
    {
        const int a = which == 1 ? 1 : 0, b = which == 0 ? 0 : 1;
        uint32_t window[kWindow];
        read(quantity, row, column / 4, window);
        VifLimbs<kWindow> limbs;
        limbs.take(window);
        SIMT_UNROLL
        for (int i = 0; i < kVifRun; ++i)
            sigmas[which][i] =
                vif_sigma(limbs.template filter_at<scale>(kSkip + i, 16), means[a][i], means[b][i]);
    }

    SIMT_DEVICE void add(const VifScaleArgs &args, const VifLogs &logs, VifThreadSums &sums) const
    {
        const auto sigma_of = [&](int i) {
            return VifSigma{sigmas[0][i], sigmas[1][i], sigmas[2][i]};
        };
        if (vif_has_one_limit(args.limits))
            vif_add_all<1, kVifRun>(sigma_of, pixels, args.limits, logs, sums);
        else
            vif_add_all<kVifMaxLimits, kVifRun>(sigma_of, pixels, args.limits, logs, sums);
    }
};

/// Horizontal pass and statistics; x, y: first pixel of the tile.
template <int scale> SIMT_DEVICE void measure(const VifScaleArgs &args, const VifQuad *moments,
                                              const VifLogs &logs, int x, int y,
                                              VifThreadSums &sums)
{
    Run<scale> run(args, x, y);
    if (!run.has_pixels)
        return;
    run.filter_means(moments);
    SIMT_UNROLL
    for (int i = 0; i < kVifSquares; ++i)
        run.filter_squares(i, moments + (1 + i) * kQuantityQuads);
    run.add(args, logs, sums);
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

/// The tile of a block, by all threads; a barrier must follow.
template <int scale, typename Sample> SIMT_DEVICE void
load_tile(const VifScaleArgs &args, const VifPairArgs &pair, int x, int y, VifQuad *tile)
{
    using Tile = VifTile<scale, Sample>;
    const auto plane = [&](const void *data, int64_t pitch) {
        return DevicePlane{static_cast<const char *>(data), pitch, args.width, args.height};
    };
    Tile::load(plane(pair.reference, pair.reference_pitch),
               plane(pair.distorted, pair.distorted_pitch), x - vif_side_columns(scale),
               y - Tile::kHalf, tile);
}

/// A block's work with all moments at once. Order of VifScaleSums' fields: add_sums().
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
    load_tile<scale, Sample>(args, pair, x, y, tile);
    if (is_measured)
        vif_copy_logs(args.logs, thread_id(), kVifThreads, logs);
    barrier();

    {
        const Tile samples(tile);
        if constexpr (scale + 1 < kVifScales) {
            uint32_t column[kVifTileRows / 2];
            samples.halve(args.depth, column);
            store_halved(column, halved);
        }
        if (is_measured) {
            uint32_t columns[kQuantities][kVifTileRows];
            samples.means(args.depth, columns[0]);
            SIMT_UNROLL
            for (int i = 0; i < kVifSquares; ++i)
                samples.squares(i, args.depth, columns[1 + i]);
            store_columns(columns, moments);
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
        add_sums(sums, args.limits.count, reinterpret_cast<int64_t *>(tile),
                 args.sums + args.sums_stride * block_id_z());
    }
}

/// measure() for quantities that come one after the other, in two buffers: while one quantity is
/// filtered horizontally, the next one is filtered vertically. Buffer 0 must be free. [block]
template <int scale, typename Tile>
SIMT_DEVICE void measure_in_turns(const VifScaleArgs &args, const Tile &samples,
                                  VifQuad *const (&buffers)[2], const VifLogs &logs, int x, int y,
                                  VifThreadSums &sums)
{
    uint32_t columns[1][kVifTileRows];
    samples.means(args.depth, columns[0]);
    store_columns(columns, buffers[0]);
    barrier();
    Run<scale> run(args, x, y);
    if (run.has_pixels)
        run.filter_means(buffers[0]);
    SIMT_UNROLL
    for (int i = 0; i < kVifSquares; ++i) {
        VifQuad *const buffer = buffers[(1 + i) % 2];
        samples.squares(i, args.depth, columns[0]);
        store_columns(columns, buffer);
        barrier();
        if (run.has_pixels)
            run.filter_squares(i, buffer);
    }
    if (run.has_pixels)
        run.add(args, logs, sums);
}

/// A block's work with half of the shared memory or less, and more barriers. The tile is where the
/// buffers and the table of logarithms will be.
template <int scale, typename Sample> SIMT_DEVICE void vif_scale_in_turns(const VifScaleArgs &args)
{
    using Tile = VifTile<scale, Sample>;
    constexpr int kAllQuads = 2 * kQuantityQuads + kVifLogBytes / 16;
    static_assert(Tile::kSharedQuads <= kAllQuads, "the tile fits");
    SIMT_SHARED(VifQuad, memory, kAllQuads);
    VifQuad *const buffers[2] = {memory, memory + kQuantityQuads};
    VifQuad *const logs = memory + 2 * kQuantityQuads;

    const VifPairArgs &pair = args.pairs[block_id_z()];
    const int x = block_id_x() * vif_tile_width(scale);
    const int y = block_id_y() * kVifTileRows;
    load_tile<scale, Sample>(args, pair, x, y, memory);
    VifLogShare<kVifThreads> share;
    share.load(args.logs, thread_id()); // on its way while the tile is
    barrier();
    const Tile samples(memory);
    barrier();
    share.store(logs, thread_id());
    if constexpr (scale + 1 < kVifScales) {
        uint32_t column[kVifTileRows / 2];
        samples.halve(args.depth, column);
        store_halved(column, buffers[1]);
        barrier();
        write_next<scale>(args, buffers[1], x, y);
    }
    if (args.is_measured != 0) {
        VifThreadSums sums = {};
        measure_in_turns<scale>(args, samples, buffers, {reinterpret_cast<const uint16_t *>(logs)},
                                x, y, sums);
        static_assert(kVifSquares % 2 == 1 && sizeof(VifQuad) * kQuantityQuads >= kWaveSumsBytes,
                      "nobody reads buffer 0 since the last barrier, and they fit");
        add_sums(sums, args.limits.count, reinterpret_cast<int64_t *>(buffers[0]),
                 args.sums + args.sums_stride * block_id_z());
    }
}

template <int scale, typename Sample> SIMT_DEVICE void vif_block(const VifScaleArgs &args)
{
    if (has_scarce_shared())
        vif_scale_in_turns<scale, Sample>(args);
    else
        vif_scale<scale, Sample>(args);
}

} // namespace

SIMT_KERNEL(vif_scale0_u8, VifScaleArgs, kVifThreads, 6)
{
    vif_block<0, uint8_t>(args);
}

SIMT_KERNEL(vif_scale0_u16, VifScaleArgs, kVifThreads, 4)
{
    vif_block<0, uint16_t>(args);
}

SIMT_KERNEL(vif_scale1, VifScaleArgs, kVifThreads, 4)
{
    vif_block<1, uint16_t>(args);
}

SIMT_KERNEL(vif_scale2, VifScaleArgs, kVifThreads, 4)
{
    vif_block<2, uint16_t>(args);
}

SIMT_KERNEL(vif_scale3, VifScaleArgs, kVifThreads, 4)
{
    vif_block<3, uint16_t>(args);
}

} // namespace vmafgpu
