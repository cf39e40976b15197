// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of CAMBI before the counts: from a picture to 10-bit levels with the mask
// of flat regions, and the mode filter. Included by cambi_kernels.cpp only.
#pragma once

#include "cambi_args.h"
#include "simt/simt.h"

namespace vmafgpu {
namespace {

// A tile with what its mask looks at: 3 samples on each side; levels need one more on
// the right and below, the filter's sources yet another. Rows begin a fourth sample to
// the left, so that four samples can be loaded at once; two share a word.
constexpr int kTileLeft = 4;
constexpr int kLevelWords = (kCambiTileWidth + 3 * kTileLeft) / 2;
constexpr int kFlatWords = (kCambiTileWidth + 2 * kTileLeft) / 4; ///< four flags in a word
constexpr int kFlatHeight = kCambiTileHeight + 2 * kCambiMaskHalf;
constexpr int kLevelHeight = kFlatHeight + 1;
constexpr int kRawHeight = kFlatHeight + 2;
constexpr int kSumWords = kCambiTileWidth / 4;

static_assert(kCambiMaskHalf == 3 && kLevelWords % 2 == 0, "sums_of_seven, load_four");

/// The picture, and where in the target a block's tile begins.
struct Tile {
    const char *plane;
    int64_t pitch;
    int left, top;
    bool is_inside; ///< all samples of the tile are samples of the picture, in loads of four
};

template <typename Sample> SIMT_DEVICE Tile tile_of_block(const CambiPrepareArgs &args)
{
    Tile tile;
    tile.plane = static_cast<const char *>(args.planes[block_id_z()]);
    tile.pitch = args.pitches[block_id_z()];
    tile.left = block_id_x() * kCambiTileWidth - kTileLeft;
    tile.top = block_id_y() * kCambiTileHeight - kCambiMaskHalf;
    const int64_t bytes = static_cast<int64_t>(reinterpret_cast<uintptr_t>(tile.plane));
    const bool is_aligned = ((bytes | tile.pitch) & (4 * sizeof(Sample) - 1)) == 0;
    tile.is_inside = is_aligned && args.columns == nullptr && tile.left >= 0 && tile.top >= 0 &&
                     tile.left + 2 * kLevelWords <= args.width &&
                     tile.top + kRawHeight <= args.height;
    return tile;
}

SIMT_DEVICE int clamp_index(int i, int n)
{
    return i < 0 ? 0 : (i < n ? i : n - 1);
}

/// A sample at ten bits.
SIMT_DEVICE uint32_t level_of(const CambiPrepareArgs &args, uint32_t sample)
{
    return args.depth <= 10 ? sample << (10 - args.depth)
                            : (sample + (1u << (args.depth - 11))) >> (args.depth - 10);
}

SIMT_DEVICE uint32_t two_levels(const CambiPrepareArgs &args, uint32_t two)
{
    return level_of(args, two & 0xffff) | level_of(args, two >> 16) << 16;
}

/// The level at (x, y) of the target, before the filter; anything outside.
template <typename Sample>
SIMT_DEVICE uint32_t load_level(const CambiPrepareArgs &args, const Tile &tile, int x, int y)
{
    int from_x = clamp_index(x, args.width);
    int from_y = clamp_index(y, args.height);
    if (args.columns != nullptr) {
        from_x = load_readonly(args.columns + from_x);
        from_y = load_readonly(args.rows + from_y);
    }
    const auto *row = reinterpret_cast<const Sample *>(tile.plane + tile.pitch * from_y);
    return level_of(args, load_readonly(row + from_x));
}

struct alignas(8) TwoWords {
    uint32_t v[2];
};

/// Four samples of a tile inside the picture, two in a word.
SIMT_DEVICE TwoWords load_four(const char *row, int x, const uint16_t *)
{
    return reinterpret_cast<const TwoWords *>(row)[x / 4];
}

SIMT_DEVICE TwoWords load_four(const char *row, int x, const uint8_t *)
{
    const uint32_t four = reinterpret_cast<const uint32_t *>(row)[x / 4];
    return {{byte_permute(four, 0, 0x4140), byte_permute(four, 0, 0x4342)}};
}

/// The tile's levels before the filter.
template <typename Sample>
SIMT_DEVICE void load_tile(const CambiPrepareArgs &args, const Tile &tile, uint32_t *raw)
{
    constexpr int kPieces = kLevelWords / 2;
    for (int i = thread_id(); i < kRawHeight * kPieces; i += kCambiPrepareThreads) {
        const int x = tile.left + i % kPieces * 4;
        const int y = tile.top + i / kPieces;
        if (tile.is_inside) {
            const TwoWords four =
                load_four(tile.plane + tile.pitch * y, x, static_cast<const Sample *>(nullptr));
            raw[2 * i] = args.depth == 10 ? four.v[0] : two_levels(args, four.v[0]);
            raw[2 * i + 1] = args.depth == 10 ? four.v[1] : two_levels(args, four.v[1]);
            continue;
        }
        SIMT_UNROLL
        for (int k = 0; k < 2; ++k)
            raw[2 * i + k] = load_level<Sample>(args, tile, x + 2 * k, y) |
                             load_level<Sample>(args, tile, x + 2 * k + 1, y) << 16;
    }
}

SIMT_DEVICE uint32_t level_at(const uint32_t *levels, int column, int row)
{
    return levels[row * kLevelWords + column / 2] >> (column % 2 * 16) & 0xffff;
}

/// Mean of up to 2x2 levels, rounded down.
SIMT_DEVICE uint32_t filter_level(const CambiPrepareArgs &args, const Tile &tile,
                                  const uint32_t *raw, int column, int row)
{
    const bool has_right = tile.left + column + 1 < args.width;
    const bool has_lower = tile.top + row + 1 < args.height;
    uint32_t sum = level_at(raw, column, row);
    sum += has_right ? level_at(raw, column + 1, row) : 0;
    sum += has_lower ? level_at(raw, column, row + 1) : 0;
    sum += has_right && has_lower ? level_at(raw, column + 1, row + 1) : 0;
    return sum >> ((has_right ? 1 : 0) + (has_lower ? 1 : 0));
}

SIMT_DEVICE void filter_tile(const CambiPrepareArgs &args, const Tile &tile, const uint32_t *raw,
                             uint32_t *filtered)
{
    for (int i = thread_id(); i < kLevelHeight * kLevelWords; i += kCambiPrepareThreads) {
        const int word = i % kLevelWords;
        const int row = i / kLevelWords;
        if (word + 1 == kLevelWords) // nobody looks there
            continue;
        if (!tile.is_inside) {
            filtered[i] = filter_level(args, tile, raw, 2 * word, row) |
                          filter_level(args, tile, raw, 2 * word + 1, row) << 16;
            continue;
        }
        const uint32_t *lower = raw + i + kLevelWords;
        const uint32_t sums = raw[i] + funnel_shift_right(raw[i + 1], raw[i], 16) + lower[0] +
                              funnel_shift_right(lower[1], lower[0], 16);
        filtered[i] = sums >> 2 & 0x3fff3fff;
    }
}

/// 1 if the level equals its right and lower neighbours, as far as there are any.
SIMT_DEVICE uint32_t is_flat(const CambiPrepareArgs &args, const Tile &tile, const uint32_t *levels,
                             int column, int row)
{
    const int x = tile.left + column;
    const int y = tile.top + row;
    const uint32_t own = level_at(levels, column, row);
    const bool is_inside = x >= 0 && y >= 0 && x < args.width && y < args.height;
    const bool equals_right = x + 1 >= args.width || own == level_at(levels, column + 1, row);
    const bool equals_lower = y + 1 >= args.height || own == level_at(levels, column, row + 1);
    return is_inside && equals_right && equals_lower ? 1 : 0;
}

/// In each half 1 if it is the same in all three words; no level has more than 11 bits.
SIMT_DEVICE uint32_t equal_halves(uint32_t own, uint32_t right, uint32_t lower)
{
    const uint32_t differing = (own ^ right) | (own ^ lower);
    return ~(differing + 0x7fff7fff) >> 15 & 0x00010001;
}

SIMT_DEVICE void flat_tile(const CambiPrepareArgs &args, const Tile &tile, const uint32_t *levels,
                           uint32_t *flat)
{
    for (int i = thread_id(); i < kFlatHeight * kFlatWords; i += kCambiPrepareThreads) {
        const int column = i % kFlatWords * 4;
        const int row = i / kFlatWords;
        if (tile.is_inside) {
            const uint32_t *own = levels + row * kLevelWords + column / 2;
            const uint32_t *lower = own + kLevelWords;
            flat[i] = byte_permute(
                equal_halves(own[0], funnel_shift_right(own[1], own[0], 16), lower[0]),
                equal_halves(own[1], funnel_shift_right(own[2], own[1], 16), lower[1]), 0x6420);
            continue;
        }
        uint32_t four = 0;
        for (int k = 0; k < 4; ++k)
            four |= is_flat(args, tile, levels, column + k, row) << (8 * k);
        flat[i] = four;
    }
}

/// Four neighbouring sums of seven bytes from three words, from the second byte on.
SIMT_DEVICE uint32_t sums_of_seven(const uint32_t *words)
{
    const uint32_t a = words[0];
    const uint32_t b = words[1];
    const uint32_t c = words[2];
    return funnel_shift_right(b, a, 8) + funnel_shift_right(b, a, 16) +
           funnel_shift_right(b, a, 24) + b + funnel_shift_right(c, b, 8) +
           funnel_shift_right(c, b, 16) + funnel_shift_right(c, b, 24);
}

/// Four samples of a row of the tile to the plane: two words of levels.
SIMT_DEVICE void write_four(const CambiPrepareArgs &args, uint16_t *to, const uint32_t *levels,
                            uint32_t counts, int x, int y)
{
    SIMT_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int count = static_cast<int>(counts >> (8 * i) & 255);
        const uint32_t mark = count > args.mask_threshold ? 0 : kCambiUnmarked;
        const auto sample = static_cast<uint16_t>((levels[i / 2] >> (i % 2 * 16) & 0xffff) | mark);
        if (x + i >= args.width)
            continue;
        if (args.is_halved == 0)
            to[static_cast<int64_t>(y) * args.to_width + x + i] = sample;
        else if (i % 2 == 0)
            to[static_cast<int64_t>(y / 2) * args.to_width + (x + i) / 2] = sample;
    }
}

/// By the first row of blocks.
SIMT_DEVICE void clear_totals(const CambiPrepareArgs &args)
{
    constexpr int kWords = kCambiScales * static_cast<int>(sizeof(CambiTotals) / sizeof(uint32_t));
    if (block_id_y() > 0)
        return;
    const int blocks = (args.width + kCambiTileWidth - 1) / kCambiTileWidth;
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    for (int i = block_id_x() * kCambiPrepareThreads + thread_id(); i < kWords;
         i += blocks * kCambiPrepareThreads)
        reinterpret_cast<uint32_t *>(scratch)[i] = 0;
}

template <typename Sample> SIMT_DEVICE void prepare(const CambiPrepareArgs &args)
{
    SIMT_SHARED(uint32_t, raw, kRawHeight * kLevelWords);
    SIMT_SHARED(uint32_t, filtered, kLevelHeight * kLevelWords);
    SIMT_SHARED(uint32_t, flat, kFlatHeight * kFlatWords);
    SIMT_SHARED(uint32_t, sums, kFlatHeight * kSumWords);
    const Tile tile = tile_of_block<Sample>(args);
    clear_totals(args);
    load_tile<Sample>(args, tile, raw);
    barrier();
    const uint32_t *levels = raw;
    if (args.is_filtered != 0) {
        filter_tile(args, tile, raw, filtered);
        levels = filtered;
    }
    barrier();
    flat_tile(args, tile, levels, flat);
    barrier();
    for (int i = thread_id(); i < kFlatHeight * kSumWords; i += kCambiPrepareThreads)
        sums[i] = sums_of_seven(flat + i / kSumWords * kFlatWords + i % kSumWords);
    barrier();
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    auto *to = reinterpret_cast<uint16_t *>(scratch + args.to);
    const int step = args.is_halved != 0 ? 2 : 1;
    for (int i = thread_id(); i < kCambiTileHeight / step * kSumWords; i += kCambiPrepareThreads) {
        const int row = i / kSumWords * step;
        const int word = i % kSumWords;
        uint32_t counts = 0;
        SIMT_UNROLL
        for (int k = 0; k <= 2 * kCambiMaskHalf; ++k)
            counts += sums[(row + k) * kSumWords + word];
        const int y = tile.top + kCambiMaskHalf + row;
        if (y < args.height)
            write_four(args, to,
                       levels + (row + kCambiMaskHalf) * kLevelWords + kTileLeft / 2 + 2 * word,
                       counts, tile.left + kTileLeft + 4 * word, y);
    }
}

SIMT_DEVICE uint32_t mode_of(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t lesser = a < b ? a : b;
    const uint32_t least = lesser < c ? lesser : c;
    return a == b || a == c ? a : (b == c ? b : least);
}

/// Mode of three samples of a row; its ends are kept.
SIMT_DEVICE uint32_t mode_across(const CambiModeArgs &args, const uint16_t *row, int x)
{
    constexpr uint32_t kLevel = kCambiUnmarked - 1;
    const uint32_t own = row[x * args.step] & kLevel;
    if (x == 0 || x + 1 == args.width)
        return own;
    return mode_of(row[(x - 1) * args.step] & kLevel, own, row[(x + 1) * args.step] & kLevel);
}

} // namespace
} // namespace vmafgpu
