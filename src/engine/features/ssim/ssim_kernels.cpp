// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of SSIM and MS-SSIM: means and second moments of each pixel, their terms, and
// integers from which ssim_finish makes the serial sums. ssim_planes.h makes the planes of the
// scales. ssim_record.cpp launches it.
#include "features/ssim/ssim_args.h"
#include "features/ssim/ssim_math.h"
#include "features/ssim/ssim_planes.h"
#include "features/ssim/ssim_sum.h"
#include "simt/reduce.h"

namespace vmafgpu {
namespace {

constexpr int kReach = kSsimTaps - 1;
constexpr int kRun = 16; ///< results that a thread makes beside or below each other
constexpr int kSpan = kRun + kReach;
constexpr int kQuantities = 5;                           ///< of SsimMoments
constexpr int kInputWidth = kSsimTileWidth + kReach + 1; // odd,
constexpr int kRowsWidth = kSsimTileWidth + 1;           // so that rows lie in
constexpr int kInputSize = kSsimGroupRows * kInputWidth; // different banks
constexpr int kRowsSize = (kSsimGroupRows + kReach) * kRowsWidth;
constexpr int kQuantityThreads = kSsimCoreThreads / kQuantities; ///< that make one quantity
static_assert(kQuantityThreads == kSsimTileWidth, "each thread blurs one column of a quantity,");
static_assert(kSsimGroupRows == kRun && kSsimTileWidth % kRun == 0, "and one run along a row");
constexpr int kPixels = 4; ///< below each other, whose terms a thread adds
constexpr int kTermThreads = kSsimTileWidth * kSsimGroupRows / kPixels;
static_assert(kTermThreads <= kSsimCoreThreads && kTermThreads % 64 == 0, "whole waves of them");

/// The window along a line. Each value meets the taps, which are symmetric, once, and its products
/// go to all results that it is part of. A result's products arrive in the order of the taps.
template <typename Value, typename Keep>
SIMT_DEVICE void blur_run(const Value &value, const Keep &keep)
{
    double sums[kRun];
    SIMT_UNROLL
    for (int at = 0; at < kSpan; ++at) {
        const float v = value(at);
        double products[kReach / 2 + 1];
        SIMT_UNROLL
        for (int k = 0; k <= kReach / 2; ++k)
            products[k] = static_cast<double>(v * kSsimGaussian[k]);
        SIMT_UNROLL
        for (int i = 0; i < kRun; ++i) {
            const int k = at - i;
            if (k == 0)
                sums[i] = products[0]; // its sign, if it is 0, reaches no term
            else if (k > 0 && k <= kReach)
                sums[i] = sums[i] + products[k <= kReach / 2 ? k : kReach - k];
        }
        if (at >= kReach)
            keep(at - kReach, static_cast<float>(sums[at - kReach]));
    }
}

/// Where a block works.
struct Tile {
    int scale, x, y, pixels_x, pixels_y;
    int groups; ///< below each other
};

SIMT_DEVICE Tile tile_of(const SsimArgs &args)
{
    Tile tile = {};
    tile.scale = args.first_scale;
    const int number = block_id_x();
    while (tile.scale + 1 < args.scale_count && args.first_scale > 0 &&
           args.scales[tile.scale + 1].tiles_x > 0 &&
           number >= args.scales[tile.scale + 1].first_tile)
        ++tile.scale;
    const SsimArgs::Scale &scale = args.scales[tile.scale];
    const int index = args.first_scale > 0 ? number - scale.first_tile : number;
    tile.x = index % scale.tiles_x * kSsimTileWidth;
    tile.groups = scale.tile_groups;
    tile.y = index / scale.tiles_x * tile.groups * kSsimGroupRows;
    tile.pixels_x = scale.width - kReach;
    tile.pixels_y = scale.height - kReach;
    return tile;
}

/// Both pictures' rows y .. of a group, with the window's reach to the right.
template <typename Sample>
SIMT_DEVICE void load_rows(const SsimArgs &args, const Tile &tile, int y, float *input)
{
    constexpr int kLanes = 80; ///< threads of a row
    constexpr int kStep = kSsimCoreThreads / kLanes;
    static_assert(kLanes >= kSsimTileWidth + kReach && kSsimGroupRows % kStep == 0, "all loaded");
    const int column = thread_id() % kLanes;
    const int first = thread_id() / kLanes;
    if (column >= kSsimTileWidth + kReach)
        return;
    SIMT_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
        const Source from = source_of<Sample>(args, block_id_z(), picture, tile.scale);
        const int x = clamped(tile.x + column, from.width);
        float *to = input + picture * kInputSize + column;
        SIMT_UNROLL
        for (int row = first; row < kSsimGroupRows; row += kStep)
            to[row * kInputWidth] = value_at<Sample>(from, x, clamped(y + row, from.height));
    }
}

/// Along the rows: from the input to the last kSsimGroupRows rows of each quantity, which are in
/// the order of SsimMoments.
SIMT_DEVICE void blur_rows(const float *input, float *rows)
{
    const int quantity = thread_id() / kQuantityThreads;
    const int row = thread_id() % kSsimGroupRows;
    const int column = thread_id() % kQuantityThreads / kSsimGroupRows * kRun;
    const bool is_product = quantity >= 2;
    const bool has_second = quantity == 1 || quantity == 3;
    const float *one = input + (has_second ? kInputSize : 0) + row * kInputWidth + column;
    const float *other = input + (quantity == 2 ? 0 : kInputSize) + row * kInputWidth + column;
    float *to = rows + quantity * kRowsSize + (kReach + row) * kRowsWidth + column;
    blur_run([&](int i) { return is_product ? one[i] * other[i] : one[i]; },
             [&](int i, float result) { to[i] = result; });
}

/// The last rows of the group before become the first ones.
SIMT_DEVICE void move_rows(float *rows)
{
    float *to = rows + thread_id() / kQuantityThreads * kRowsSize + thread_id() % kQuantityThreads;
    SIMT_UNROLL
    for (int row = 0; row < kReach; ++row)
        to[row * kRowsWidth] = to[(row + kSsimGroupRows) * kRowsWidth];
}

/// Down the columns: moments of the pixels take the place of the first rows, which are not needed
/// any more.
SIMT_DEVICE void blur_columns(float *rows)
{
    float *column =
        rows + thread_id() / kQuantityThreads * kRowsSize + thread_id() % kQuantityThreads;
    blur_run([&](int i) { return column[i * kRowsWidth]; },
             [&](int i, float result) { column[i * kRowsWidth] = result; });
}

/// Where the integers of a group are.
SIMT_DEVICE uint64_t *group_words(const SsimArgs &args, int pair, int scale, int kind, int groups,
                                  int group)
{
    return args.groups + pair * args.groups_stride + args.scales[scale].groups +
           (static_cast<int64_t>(kind) * groups + group) * kSsimGroupWords;
}

/// Adds what the threads of a wave have to a group. [wave]
SIMT_DEVICE void add_tally(const SsimTally &tally, uint64_t *words)
{
    static_assert(kSsimPlaces == 2 && kSsimGroupWords == 6, "the words are named below");
    constexpr uint32_t kCount = (1u << kSsimCountBits) - 1;
    const int64_t sum = wave_sum(tally.sum);
    const uint64_t remainders =
        wave_sum(static_cast<uint64_t>(tally.remainders[1]) << 32 | tally.remainders[0]);
    const uint32_t counts = wave_sum(tally.counts);
    if (lane_id() != 0)
        return;
    const uint64_t values[kSsimGroupWords] = {static_cast<uint64_t>(sum),
                                              remainders & 0xffffffffu,
                                              remainders >> 32,
                                              counts & kCount,
                                              counts >> kSsimCountBits & kCount,
                                              counts >> (2 * kSsimCountBits)};
    SIMT_UNROLL
    for (int i = 0; i < kSsimGroupWords; ++i)
        if (values[i] != 0)
            atomic_add(words + i, values[i]);
}

/// Words of SsimScaleSums: the means, then `open`.
SIMT_DEVICE uint32_t *sums_of(const SsimArgs &args, int pair, int scale)
{
    constexpr int kWords = kSsimKinds + 1;
    return reinterpret_cast<uint32_t *>(args.sums + pair * args.sums_stride) + scale * kWords;
}

/// The terms of a thread's pixels, added to group `group`. [wave]
SIMT_DEVICE void add_terms(const SsimArgs &args, const Tile &tile, int group, const float *rows)
{
    const int column = thread_id() % kSsimTileWidth;
    const int first = thread_id() / kSsimTileWidth * kPixels;
    const int groups = divide_up(tile.pixels_y, kSsimGroupRows);
    const int end = (group + 1) * kSsimGroupRows;
    const SsimGrid grid(tile.pixels_x, end < tile.pixels_y ? end : tile.pixels_y);
    SsimTally tallies[kSsimKinds] = {};
    bool is_small = true;
    SIMT_UNROLL
    for (int i = 0; i < kPixels; ++i) {
        const int y = group * kSsimGroupRows + first + i;
        if (tile.x + column >= tile.pixels_x || y >= tile.pixels_y)
            continue;
        const float *moments = rows + (first + i) * kRowsWidth + column;
        const SsimTerms terms = ssim_terms({moments[0], moments[kRowsSize], moments[2 * kRowsSize],
                                            moments[3 * kRowsSize], moments[4 * kRowsSize]});
        const double values[kSsimKinds] = {terms.product(), terms.l, terms.c, terms.s};
        SIMT_UNROLL
        for (int kind = 0; kind < kSsimKinds; ++kind)
            if (kind >= args.first_kind)
                is_small = ssim_add_term(values[kind], ssim_kind(kind == kSsimKinds - 1), grid,
                                         tallies[kind]) &&
                           is_small;
    }
    if (!is_small)
        atomic_add(sums_of(args, block_id_z(), tile.scale) + kSsimKinds, 1u);
    SIMT_UNROLL
    for (int kind = 0; kind < kSsimKinds; ++kind)
        if (kind >= args.first_kind)
            add_tally(tallies[kind],
                      group_words(args, block_id_z(), tile.scale, kind, groups, group));
}

/// A tile of pixels, a group of rows at a time. The first turn only fills the rows above.
template <typename Sample> SIMT_DEVICE void core(const SsimArgs &args)
{
    SIMT_SHARED(float, input, 2 * kInputSize);
    SIMT_SHARED(float, rows, kQuantities *kRowsSize);
    const Tile tile = tile_of(args);
    const int first_group = tile.y / kSsimGroupRows;
    for (int turn = -1; turn < tile.groups; ++turn) {
        const int y = tile.y + turn * kSsimGroupRows;
        if (y >= tile.pixels_y)
            break; // all threads of the block
        if (turn >= 0)
            move_rows(rows);
        load_rows<Sample>(args, tile, y + kReach, input);
        barrier();
        blur_rows(input, rows);
        barrier();
        if (turn >= 0) {
            blur_columns(rows);
            barrier();
            if (thread_id() < kTermThreads)
                add_terms(args, tile, first_group + turn, rows);
            barrier();
        }
    }
}

SIMT_DEVICE SsimGroup load_group(const uint64_t *words)
{
    static_assert(kSsimGroupWords == 6, "all of them");
    const auto word = [&](int i) {
        return static_cast<int64_t>(load_readonly(words + i));
    };
    return {word(0), {word(1), word(2)}, {word(3), word(4)}, word(5)};
}

} // namespace

SIMT_KERNEL(ssim_box_u8, SsimArgs, kSsimThreads)
{
    box<uint8_t>(args);
}
SIMT_KERNEL(ssim_box_u16, SsimArgs, kSsimThreads)
{
    box<uint16_t>(args);
}

SIMT_KERNEL(ssim_half_u8, SsimArgs, kSsimThreads, 4)
{
    half<uint8_t>(args);
}
SIMT_KERNEL(ssim_half_u16, SsimArgs, kSsimThreads, 4)
{
    half<uint16_t>(args);
}
SIMT_KERNEL(ssim_half_f32, SsimArgs, kSsimThreads, 4)
{
    half<float>(args);
}

SIMT_KERNEL(ssim_core_u8, SsimArgs, kSsimCoreThreads, 3)
{
    core<uint8_t>(args);
}
SIMT_KERNEL(ssim_core_u16, SsimArgs, kSsimCoreThreads, 3)
{
    core<uint16_t>(args);
}
SIMT_KERNEL(ssim_core_f32, SsimArgs, kSsimCoreThreads, 3)
{
    core<float>(args);
}

/// The groups of a scale and kind, one after the other. Doubles of one thread.
SIMT_KERNEL(ssim_finish, SsimArgs, 64)
{
    const int scale = thread_id() / kSsimKinds;
    const int kind = thread_id() % kSsimKinds;
    const int pair = block_id_z();
    if (scale < args.scale_count && args.scales[scale].tiles_x > 0 && kind >= args.first_kind) {
        const int pixels_x = args.scales[scale].width - kReach;
        const int pixels_y = args.scales[scale].height - kReach;
        const int groups = divide_up(pixels_y, kSsimGroupRows);
        SsimPrefix prefix;
        SsimGroup next = load_group(group_words(args, pair, scale, kind, groups, 0));
        for (int group = 0; group < groups; ++group) {
            const SsimGroup terms = next;
            // While the sums of this one are made; the last one once more.
            next = load_group(
                group_words(args, pair, scale, kind, groups, clamped(group + 1, groups)));
            const int begin = group * kSsimGroupRows;
            const int end = begin + kSsimGroupRows < pixels_y ? begin + kSsimGroupRows : pixels_y;
            ssim_append(terms, ssim_kind(kind == kSsimKinds - 1), SsimGrid(pixels_x, end),
                        static_cast<int64_t>(end - begin) * pixels_x, prefix);
        }
        float mean = 0;
        const double count = static_cast<double>(pixels_x) * static_cast<double>(pixels_y);
        if (!ssim_mean_of(prefix, count, mean))
            atomic_add(sums_of(args, pair, scale) + kSsimKinds, 1u);
        sums_of(args, pair, scale)[kind] = bits_of_float(mean);
    }
}

} // namespace vmafgpu
