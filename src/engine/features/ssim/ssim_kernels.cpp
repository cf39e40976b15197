// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of SSIM and MS-SSIM: the planes of the scales, means and second moments of each
// pixel, their terms, and integers from which ssim_finish makes the serial sums. ssim_record.cpp
// launches it.
#include "features/ssim/ssim.h"
#include "features/ssim/ssim_sum.h"
#include "simt/reduce.h"

namespace vmafgpu::ssim {
namespace {

// The pictures and the planes of the scales.

/// A plane of samples or floats.
struct Source {
    const char *data;
    int64_t pitch; ///< bytes
    int width, height;
    float unit; ///< value of the sample 1 of 16 bits; that of a byte is 1
};

template <typename Sample> SIMT_DEVICE float value_at(const Source &source, int x, int y)
{
    const auto *row = reinterpret_cast<const Sample *>(source.data + source.pitch * y);
    const auto value = static_cast<float>(load_readonly(row + x));
    return sizeof(Sample) == sizeof(uint16_t) ? value * source.unit : value;
}

/// Plane of picture 0 or 1 of `pair` at `scale`: the picture itself for samples.
template <typename Sample>
SIMT_DEVICE Source source_of(const Args &args, int pair, int picture, int scale)
{
    const Args::Scale &of = args.scales[scale];
    if (sizeof(Sample) != sizeof(float))
        return {static_cast<const char *>(args.pairs[pair].pictures[picture]),
                args.pairs[pair].pitches[picture], args.width, args.height, args.unit};
    const float *plane = args.planes + pair * args.planes_stride + of.planes[picture];
    return {reinterpret_cast<const char *>(plane), of.pitch * static_cast<int64_t>(sizeof(float)),
            of.width, of.height, 1};
}

SIMT_DEVICE float *plane_of(const Args &args, int pair, int picture, int scale)
{
    return args.planes + pair * args.planes_stride + args.scales[scale].planes[picture];
}

// Sums of products of floats are doubles. Conversions are slow on every GPU, and the pyramid's
// filter uses each one for few additions. There, a float's fields are moved into those of a double,
// whose exponent has another bias: this makes it 2^-896 of its value, also if it is 0 or subnormal,
// and the sum's roundings are those of the sum itself.
constexpr double kUnscale = 0x1p896;

template <bool kMayBeNegative> SIMT_DEVICE double scaled(float v)
{
    const uint32_t bits = bits_of_float(v);
    if (!kMayBeNegative)
        return double_of_bits(static_cast<uint64_t>(bits) << 29);
    const auto fields = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(bits)))
                        << 29;
    return double_of_bits(fields & ~UINT64_C(0x7000000000000000)); // the sign once
}

SIMT_DEVICE float unscaled(double sum)
{
    return static_cast<float>(sum * kUnscale);
}

SIMT_DEVICE int clamped(int i, int n)
{
    return i < 0 ? 0 : (i >= n ? n - 1 : i);
}

/// Adds `count` samples of a row to a box's sum. `column_at`: where they are.
template <typename Sample, typename Column>
SIMT_DEVICE void add_row(const Args &args, const Source &from, int row, int count,
                         const Column &column_at, double &sum)
{
    constexpr int kStep = 4;
    for (int first = 0; first < count; first += kStep) {
        SIMT_UNROLL
        for (int i = 0; i < kStep; ++i) {
            const int u = first + i;
            if (u >= count)
                break;
            const float term = value_at<Sample>(from, column_at(u), row) * args.weight;
            sum = sum + static_cast<double>(term);
        }
    }
}

/// A sample of scale 0 from factor x factor samples of the picture. Grid: x over samples.
template <typename Sample> SIMT_DEVICE void box(const Args &args)
{
    const Args::Scale &to = args.scales[0];
    const int index = block_id_x() * kThreads + thread_id();
    if (index >= to.width * to.height)
        return;
    const int x = index % to.width;
    const int y = index / to.width;
    const int pair = block_id_z() / 2;
    const int picture = block_id_z() % 2;
    const Source from = source_of<Sample>(args, pair, picture, 0);
    const int left = x * args.factor - args.factor / 2;
    const int top = y * args.factor - args.factor / 2;
    const bool is_inside = left >= 0 && left + args.factor <= from.width;
    double sum = 0;
    for (int v = 0; v < args.factor; ++v) {
        const int row = mirror_repeat(top + v, from.height);
        if (is_inside)
            add_row<Sample>(
                args, from, row, args.factor, [&](int u) { return left + u; }, sum);
        else
            add_row<Sample>(
                args, from, row, args.factor,
                [&](int u) { return mirror_repeat(left + u, from.width); }, sum);
    }
    plane_of(args, pair, picture, 0)[y * static_cast<int64_t>(to.pitch) + x] =
        static_cast<float>(sum);
}

struct TwoFloats {
    float values[2];
};
constexpr int kHalfSpanX = (2 * kHalfTileWidth + 2 * kHalfReach) / 2; ///< TwoFloats
constexpr int kHalfSpanY = 2 * kHalfTileHeight + 2 * kHalfReach - 1;
constexpr int kHalfRun = kHalfTileWidth * kHalfTileHeight / kThreads;
constexpr int kHalfWidth = 2 * kHalfReach + 1;

/// sum + value * weight, scaled.
template <bool kMayBeNegative> SIMT_DEVICE double add_product(double sum, float value, float weight)
{
    if (kMayBeNegative)
        return sum + scaled<true>(value * weight);
    // The weight's sign is a constant, and rounding does not depend on it.
    return weight < 0 ? sum - scaled<false>(value * -weight) : sum + scaled<false>(value * weight);
}

/// kHalfRun samples below each other, scaled. `corner`: the first one's first input.
template <bool kMayBeNegative>
SIMT_DEVICE void half_run(const TwoFloats *corner, double (&sums)[kHalfRun])
{
    SIMT_UNROLL
    for (int row = 0; row < 2 * kHalfRun + kHalfWidth - 2; ++row) {
        float values[kHalfWidth + 1];
        SIMT_UNROLL
        for (int i = 0; i < (kHalfWidth + 1) / 2; ++i) {
            const TwoFloats two = corner[row * kHalfSpanX + i];
            values[2 * i] = two.values[0];
            values[2 * i + 1] = two.values[1];
        }
        SIMT_UNROLL
        for (int i = 0; i < kHalfRun; ++i) {
            const int v = row - 2 * i - kHalfReach;
            if (v < -kHalfReach || v > kHalfReach)
                continue;
            SIMT_UNROLL
            for (int u = -kHalfReach; u <= kHalfReach; ++u) {
                const float weight = kHalfWeights[v < 0 ? -v : v][u < 0 ? -u : u];
                sums[i] = add_product<kMayBeNegative>(sums[i], values[u + kHalfReach], weight);
            }
        }
    }
}

/// Loads one of the samples around a tile.
template <typename Sample> SIMT_DEVICE void load_half(const Source &from, int left, int top,
                                                      int column, int row, TwoFloats *input)
{
    const int x = mirror_repeat(2 * left - kHalfReach + column, from.width);
    const int y = mirror_repeat(2 * top - kHalfReach + row, from.height);
    // Samples further out than a mirror image are not used.
    input[row * kHalfSpanX + column / 2].values[column % 2] =
        value_at<Sample>(from, clamped(x, from.width), clamped(y, from.height));
}

/// A tile of the scale after first_scale.
template <typename Sample> SIMT_DEVICE void half(const Args &args)
{
    SIMT_SHARED(TwoFloats, input, kHalfSpanX * kHalfSpanY);
    const int pair = block_id_z() / 2;
    const int picture = block_id_z() % 2;
    const Source from = source_of<Sample>(args, pair, picture, args.first_scale);
    const int left = block_id_x() * kHalfTileWidth;
    const int top = block_id_y() * kHalfTileHeight;
    // Threads keep their column as long as they can.
    constexpr int kColumns = 2 * kHalfTileWidth;
    for (int row = thread_id() / kColumns; row < kHalfSpanY; row += kThreads / kColumns)
        load_half<Sample>(from, left, top, thread_id() % kColumns, row, input);
    constexpr int kMore = 2 * kHalfSpanX - kColumns;
    for (int t = thread_id(); t < kMore * kHalfSpanY; t += kThreads)
        load_half<Sample>(from, left, top, kColumns + t % kMore, t / kMore, input);
    barrier();
    const int column = thread_id() % kHalfTileWidth;
    const int row = thread_id() / kHalfTileWidth * kHalfRun;
    double sums[kHalfRun] = {};
    half_run<sizeof(Sample) == sizeof(float)>(input + 2 * row * kHalfSpanX + column, sums);
    const Args::Scale &to = args.scales[args.first_scale + 1];
    float *plane = plane_of(args, pair, picture, args.first_scale + 1);
    SIMT_UNROLL
    for (int i = 0; i < kHalfRun; ++i) {
        const int y = top + row + i;
        if (left + column < to.width && y < to.height)
            plane[y * static_cast<int64_t>(to.pitch) + left + column] = unscaled(sums[i]);
    }
}

// Means and second moments of each pixel, and their terms.

constexpr int kReach = kTaps - 1;
constexpr int kRun = 16; ///< results that a thread makes beside or below each other
constexpr int kSpan = kRun + kReach;
constexpr int kQuantities = 5; ///< members of Moments
// Both widths are odd so that rows lie in different banks.
constexpr int kInputWidth = kTileWidth + kReach + 1;
constexpr int kRowsWidth = kTileWidth + 1;
constexpr int kInputSize = kGroupRows * kInputWidth;
constexpr int kRowsSize = (kGroupRows + kReach) * kRowsWidth;
constexpr int kQuantityThreads = kCoreThreads / kQuantities; ///< threads that make one quantity
static_assert(kQuantityThreads == kTileWidth, "each thread blurs one column of a quantity,");
static_assert(kGroupRows == kRun && kTileWidth % kRun == 0, "and one run along a row");
constexpr int kPixels = 4; ///< below each other, whose terms a thread adds
constexpr int kTermThreads = kTileWidth * kGroupRows / kPixels;
static_assert(kTermThreads <= kCoreThreads && kTermThreads % 64 == 0, "whole waves of them");

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
            products[k] = static_cast<double>(v * kGaussian[k]);
        SIMT_UNROLL
        for (int i = 0; i < kRun; ++i) {
            const int k = at - i;
            if (k == 0)
                sums[i] = products[0]; // the sign of a zero reaches no term
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

SIMT_DEVICE Tile tile_of(const Args &args)
{
    Tile tile = {};
    tile.scale = args.first_scale;
    const int number = block_id_x();
    while (tile.scale + 1 < args.scale_count && args.first_scale > 0 &&
           args.scales[tile.scale + 1].tiles_x > 0 &&
           number >= args.scales[tile.scale + 1].first_tile)
        ++tile.scale;
    const Args::Scale &scale = args.scales[tile.scale];
    const int index = args.first_scale > 0 ? number - scale.first_tile : number;
    tile.x = index % scale.tiles_x * kTileWidth;
    tile.groups = scale.tile_groups;
    tile.y = index / scale.tiles_x * tile.groups * kGroupRows;
    tile.pixels_x = scale.width - kReach;
    tile.pixels_y = scale.height - kReach;
    return tile;
}

/// Loads rows y .. of a group in both pictures, with the window's reach to the right.
template <typename Sample>
SIMT_DEVICE void load_rows(const Args &args, const Tile &tile, int y, float *input)
{
    constexpr int kLanes = 80; ///< threads of a row
    constexpr int kStep = kCoreThreads / kLanes;
    static_assert(kLanes >= kTileWidth + kReach && kGroupRows % kStep == 0, "all loaded");
    const int column = thread_id() % kLanes;
    const int first = thread_id() / kLanes;
    if (column >= kTileWidth + kReach)
        return;
    SIMT_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
        const Source from = source_of<Sample>(args, block_id_z(), picture, tile.scale);
        const int x = clamped(tile.x + column, from.width);
        float *to = input + picture * kInputSize + column;
        SIMT_UNROLL
        for (int row = first; row < kGroupRows; row += kStep)
            to[row * kInputWidth] = value_at<Sample>(from, x, clamped(y + row, from.height));
    }
}

/// Along the rows: from the input to the last kGroupRows rows of each quantity, which are in
/// the order of Moments.
SIMT_DEVICE void blur_rows(const float *input, float *rows)
{
    const int quantity = thread_id() / kQuantityThreads;
    const int row = thread_id() % kGroupRows;
    const int column = thread_id() % kQuantityThreads / kGroupRows * kRun;
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
        to[row * kRowsWidth] = to[(row + kGroupRows) * kRowsWidth];
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
SIMT_DEVICE uint64_t *group_words(const Args &args, int pair, int scale, int kind, int groups,
                                  int group)
{
    return args.groups + pair * args.groups_stride + args.scales[scale].groups +
           (static_cast<int64_t>(kind) * groups + group) * kGroupWords;
}

/// Adds what the threads of a wave have to a group. [wave]
SIMT_DEVICE void add_tally(const TermTally &tally, uint64_t *words)
{
    static_assert(kPlaces == 2 && kGroupWords == 6, "the words are named below");
    constexpr uint32_t kCount = (1u << kCountBits) - 1;
    const int64_t sum = wave_sum(tally.sum);
    const uint64_t remainders =
        wave_sum(static_cast<uint64_t>(tally.remainders[1]) << 32 | tally.remainders[0]);
    const uint32_t counts = wave_sum(tally.counts);
    if (lane_id() != 0)
        return;
    const uint64_t values[kGroupWords] = {
        static_cast<uint64_t>(sum),    remainders & 0xffffffffu,  remainders >> 32, counts & kCount,
        counts >> kCountBits & kCount, counts >> (2 * kCountBits)};
    SIMT_UNROLL
    for (int i = 0; i < kGroupWords; ++i)
        if (values[i] != 0)
            atomic_add(words + i, values[i]);
}

/// Words of ScaleSums: the means, then `open`.
SIMT_DEVICE uint32_t *sums_of(const Args &args, int pair, int scale)
{
    constexpr int kWords = kMeans + 1;
    return reinterpret_cast<uint32_t *>(args.sums + pair * args.sums_stride) + scale * kWords;
}

/// The terms of a thread's pixels, added to group `group`. [wave]
SIMT_DEVICE void add_terms(const Args &args, const Tile &tile, int group, const float *rows)
{
    const int column = thread_id() % kTileWidth;
    const int first = thread_id() / kTileWidth * kPixels;
    const int groups = divide_up(tile.pixels_y, kGroupRows);
    const int end = (group + 1) * kGroupRows;
    const TermGrid grid(tile.pixels_x, end < tile.pixels_y ? end : tile.pixels_y);
    TermTally tallies[kMeans] = {};
    bool is_small = true;
    SIMT_UNROLL
    for (int i = 0; i < kPixels; ++i) {
        const int y = group * kGroupRows + first + i;
        if (tile.x + column >= tile.pixels_x || y >= tile.pixels_y)
            continue;
        const float *moments = rows + (first + i) * kRowsWidth + column;
        const Terms terms = terms_of({moments[0], moments[kRowsSize], moments[2 * kRowsSize],
                                      moments[3 * kRowsSize], moments[4 * kRowsSize]});
        const double values[kMeans] = {terms.product(), terms.l, terms.c, terms.s};
        SIMT_UNROLL
        for (int kind = 0; kind < kMeans; ++kind)
            if (kind >= args.first_kind)
                is_small =
                    add_term(values[kind], kind_of(kind == kMeans - 1), grid, tallies[kind]) &&
                    is_small;
    }
    if (!is_small)
        atomic_add(sums_of(args, block_id_z(), tile.scale) + kMeans, 1u);
    SIMT_UNROLL
    for (int kind = 0; kind < kMeans; ++kind)
        if (kind >= args.first_kind)
            add_tally(tallies[kind],
                      group_words(args, block_id_z(), tile.scale, kind, groups, group));
}

/// A tile of pixels, a group of rows at a time. The first turn only fills the rows above.
template <typename Sample> SIMT_DEVICE void core(const Args &args)
{
    SIMT_SHARED(float, input, 2 * kInputSize);
    SIMT_SHARED(float, rows, kQuantities *kRowsSize);
    const Tile tile = tile_of(args);
    const int first_group = tile.y / kGroupRows;
    for (int turn = -1; turn < tile.groups; ++turn) {
        const int y = tile.y + turn * kGroupRows;
        if (y >= tile.pixels_y)
            break; // all threads of the block leave the loop
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

SIMT_DEVICE TermGroup load_group(const uint64_t *words)
{
    static_assert(kGroupWords == 6, "all of them");
    const auto word = [&](int i) {
        return static_cast<int64_t>(load_readonly(words + i));
    };
    return {word(0), {word(1), word(2)}, {word(3), word(4)}, word(5)};
}

} // namespace

SIMT_KERNEL(ssim_box_u8, Args, kThreads)
{
    box<uint8_t>(args);
}
SIMT_KERNEL(ssim_box_u16, Args, kThreads)
{
    box<uint16_t>(args);
}

SIMT_KERNEL(ssim_half_u8, Args, kThreads, 4)
{
    half<uint8_t>(args);
}
SIMT_KERNEL(ssim_half_u16, Args, kThreads, 4)
{
    half<uint16_t>(args);
}
SIMT_KERNEL(ssim_half_f32, Args, kThreads, 4)
{
    half<float>(args);
}

SIMT_KERNEL(ssim_core_u8, Args, kCoreThreads, 3)
{
    core<uint8_t>(args);
}
SIMT_KERNEL(ssim_core_u16, Args, kCoreThreads, 3)
{
    core<uint16_t>(args);
}
SIMT_KERNEL(ssim_core_f32, Args, kCoreThreads, 3)
{
    core<float>(args);
}

/// The groups of a scale and kind, one after the other. Doubles of one thread.
SIMT_KERNEL(ssim_finish, Args, 64)
{
    const int scale = thread_id() / kMeans;
    const int kind = thread_id() % kMeans;
    const int pair = block_id_z();
    if (scale < args.scale_count && args.scales[scale].tiles_x > 0 && kind >= args.first_kind) {
        const int pixels_x = args.scales[scale].width - kReach;
        const int pixels_y = args.scales[scale].height - kReach;
        const int groups = divide_up(pixels_y, kGroupRows);
        Prefix prefix;
        TermGroup next = load_group(group_words(args, pair, scale, kind, groups, 0));
        for (int group = 0; group < groups; ++group) {
            const TermGroup terms = next;
            // While the sums of this one are made; the last one once more.
            next = load_group(
                group_words(args, pair, scale, kind, groups, clamped(group + 1, groups)));
            const int begin = group * kGroupRows;
            const int end = begin + kGroupRows < pixels_y ? begin + kGroupRows : pixels_y;
            append_group(terms, kind_of(kind == kMeans - 1), TermGrid(pixels_x, end),
                         static_cast<int64_t>(end - begin) * pixels_x, prefix);
        }
        float mean = 0;
        const double count = static_cast<double>(pixels_x) * static_cast<double>(pixels_y);
        if (!mean_of(prefix, count, mean))
            atomic_add(sums_of(args, pair, scale) + kMeans, 1u);
        sums_of(args, pair, scale)[kind] = bits_of_float(mean);
    }
}

} // namespace vmafgpu::ssim
