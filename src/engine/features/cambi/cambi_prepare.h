// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of CAMBI before the counts: from a picture to 10-bit levels with the mask
// of flat regions, and the mode filter. Included by cambi_kernels.cpp only.
#pragma once

#include "cambi_kernel.h"
#include "simt.h"

namespace vmafgpu {
namespace {

// A tile with what its mask looks at: 3 samples on each side; levels need one more on
// the right and below, the filter's sources yet another.
constexpr int kFlatWidth = kCambiTileWidth + 2 * kCambiMaskHalf;
constexpr int kFlatHeight = kCambiTileHeight + 2 * kCambiMaskHalf;
constexpr int kLevelPitch = kFlatWidth + 2;
constexpr int kLevelHeight = kFlatHeight + 1;
constexpr int kRawHeight = kFlatHeight + 2;
constexpr int kFlatPitch = (kFlatWidth + 3) / 4 * 4;
constexpr int kSumWords = kCambiTileWidth / 4;

SIMT_DEVICE int clamp_index(int i, int n)
{
    return i < 0 ? 0 : (i < n ? i : n - 1);
}

/// The level at (x, y) of the target, before the filter; anything outside.
template <typename Sample> SIMT_DEVICE uint16_t load_level(const CambiPrepareArgs &args,
                                                           const char *plane, int64_t pitch, int x,
                                                           int y)
{
    int from_x = clamp_index(x, args.width);
    int from_y = clamp_index(y, args.height);
    if (args.columns != nullptr) {
        from_x = load_readonly(args.columns + from_x);
        from_y = load_readonly(args.rows + from_y);
    }
    const auto *row = reinterpret_cast<const Sample *>(plane + pitch * from_y);
    const int sample = load_readonly(row + from_x);
    if (args.depth <= 10)
        return static_cast<uint16_t>(sample << (10 - args.depth));
    return static_cast<uint16_t>((sample + (1 << (args.depth - 11))) >> (args.depth - 10));
}

/// Mean of up to 2x2 levels, rounded down; p is in the tile, (x, y) in the target.
SIMT_DEVICE uint16_t filter_level(const CambiPrepareArgs &args, const uint16_t *p, int x, int y)
{
    const bool has_right = x + 1 < args.width;
    const bool has_lower = y + 1 < args.height;
    int sum = p[0];
    sum += has_right ? p[1] : 0;
    sum += has_lower ? p[kLevelPitch] : 0;
    sum += has_right && has_lower ? p[kLevelPitch + 1] : 0;
    return static_cast<uint16_t>(sum >> ((has_right ? 1 : 0) + (has_lower ? 1 : 0)));
}

/// 1 if the level equals its right and lower neighbours, as far as there are any.
SIMT_DEVICE uint8_t is_flat(const CambiPrepareArgs &args, const uint16_t *p, int x, int y)
{
    const bool is_inside = x >= 0 && y >= 0 && x < args.width && y < args.height;
    const bool equals_right = x + 1 >= args.width || p[0] == p[1];
    const bool equals_lower = y + 1 >= args.height || p[0] == p[kLevelPitch];
    return is_inside && equals_right && equals_lower ? 1 : 0;
}

/// Four neighbouring sums of seven bytes from three words.
SIMT_DEVICE uint32_t sums_of_seven(const uint32_t *words)
{
    const uint32_t a = words[0];
    const uint32_t b = words[1];
    const uint32_t c = words[2];
    return a + funnel_shift_right(b, a, 8) + funnel_shift_right(b, a, 16) +
           funnel_shift_right(b, a, 24) + b + funnel_shift_right(c, b, 8) +
           funnel_shift_right(c, b, 16);
}

/// Four samples of a row of the tile to the plane.
SIMT_DEVICE void write_four(const CambiPrepareArgs &args, uint16_t *to, const uint16_t *levels,
                            uint32_t counts, int x, int y)
{
    SIMT_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int count = static_cast<int>(counts >> (8 * i) & 255);
        const uint32_t mark = count > args.mask_threshold ? 0 : kCambiUnmarked;
        const auto sample = static_cast<uint16_t>(levels[i] | mark);
        if (x + i >= args.width)
            continue;
        if (args.is_halved == 0)
            to[static_cast<int64_t>(y) * args.to_width + x + i] = sample;
        else if (i % 2 == 0)
            to[static_cast<int64_t>(y / 2) * args.to_width + (x + i) / 2] = sample;
    }
}

SIMT_DEVICE void clear_totals(const CambiPrepareArgs &args)
{
    constexpr int kWords = kCambiScales * static_cast<int>(sizeof(CambiTotals) / sizeof(uint32_t));
    static_assert(kWords <= kCambiPrepareThreads, "a word per thread");
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    if (block_id_x() == 0 && block_id_y() == 0 && thread_id() < kWords)
        reinterpret_cast<uint32_t *>(scratch)[thread_id()] = 0;
}

template <typename Sample> SIMT_DEVICE void prepare(const CambiPrepareArgs &args)
{
    SIMT_SHARED(uint16_t, raw, kRawHeight * kLevelPitch);
    SIMT_SHARED(uint16_t, filtered, kLevelHeight * kLevelPitch);
    SIMT_SHARED(uint32_t, flat_words, kFlatHeight * kFlatPitch / 4);
    SIMT_SHARED(uint32_t, sums, kFlatHeight * kSumWords);
    auto *flat = reinterpret_cast<uint8_t *>(flat_words);
    const int left = block_id_x() * kCambiTileWidth - kCambiMaskHalf;
    const int top = block_id_y() * kCambiTileHeight - kCambiMaskHalf;
    const auto *plane = static_cast<const char *>(args.planes[block_id_z()]);
    const int64_t pitch = args.pitches[block_id_z()];
    clear_totals(args);
    for (int i = thread_id(); i < kRawHeight * kLevelPitch; i += kCambiPrepareThreads)
        raw[i] =
            load_level<Sample>(args, plane, pitch, left + i % kLevelPitch, top + i / kLevelPitch);
    barrier();
    const uint16_t *levels = raw;
    if (args.is_filtered != 0) {
        for (int i = thread_id(); i < kLevelHeight * kLevelPitch; i += kCambiPrepareThreads)
            if (i % kLevelPitch + 1 < kLevelPitch)
                filtered[i] =
                    filter_level(args, raw + i, left + i % kLevelPitch, top + i / kLevelPitch);
        levels = filtered;
    }
    barrier();
    for (int i = thread_id(); i < kFlatHeight * kFlatPitch; i += kCambiPrepareThreads) {
        const int x = i % kFlatPitch;
        const int y = i / kFlatPitch;
        flat[i] =
            x < kFlatWidth ? is_flat(args, levels + y * kLevelPitch + x, left + x, top + y) : 0;
    }
    barrier();
    for (int i = thread_id(); i < kFlatHeight * kSumWords; i += kCambiPrepareThreads)
        sums[i] = sums_of_seven(flat_words + i / kSumWords * (kFlatPitch / 4) + i % kSumWords);
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
        const int y = top + kCambiMaskHalf + row;
        if (y < args.height)
            write_four(args, to,
                       levels + (row + kCambiMaskHalf) * kLevelPitch + kCambiMaskHalf + 4 * word,
                       counts, left + kCambiMaskHalf + 4 * word, y);
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
