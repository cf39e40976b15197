// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of SSIM and MS-SSIM: the planes of the scales, then means and second moments of each
// pixel, their terms, and integers from which ssim_finish makes the serial sums. ssim_record.cpp
// launches it.
#include "features/ssim/ssim_args.h"
#include "features/ssim/ssim_math.h"
#include "features/ssim/ssim_sum.h"
#include "simt/reduce.h"

namespace vmafgpu {
namespace {

/// A plane of samples or floats.
struct Source {
    const char *data;
    int64_t pitch; ///< bytes
    int width, height;
    float unit; ///< value of the sample 1
};

template <typename Sample> SIMT_DEVICE float value_at(const Source &source, int x, int y)
{
    const auto *row = reinterpret_cast<const Sample *>(source.data + source.pitch * y);
    const auto value = static_cast<float>(load_readonly(row + x));
    return sizeof(Sample) == sizeof(float) ? value : value * source.unit;
}

/// Plane of picture 0 or 1 of `pair` at `scale`: the picture itself for samples.
template <typename Sample>
SIMT_DEVICE Source source_of(const SsimArgs &args, int pair, int picture, int scale)
{
    const SsimArgs::Scale &of = args.scales[scale];
    if (sizeof(Sample) != sizeof(float))
        return {static_cast<const char *>(args.pairs[pair].pictures[picture]),
                args.pairs[pair].pitches[picture], args.width, args.height, args.unit};
    const float *plane = args.planes + pair * args.planes_stride + of.planes[picture];
    return {reinterpret_cast<const char *>(plane), of.pitch * static_cast<int64_t>(sizeof(float)),
            of.width, of.height, 1};
}

SIMT_DEVICE float *plane_of(const SsimArgs &args, int pair, int picture, int scale)
{
    return args.planes + pair * args.planes_stride + args.scales[scale].planes[picture];
}

// Sums of products of floats are doubles. Conversions are slow on every GPU, so a float's fields
// are moved into those of a double, whose exponent has another bias: this makes it 2^-896 of its
// value, also if it is 0 or subnormal, and the sum's roundings are those of the sum itself.
constexpr double kSsimUnscale = 0x1p896;

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
    return static_cast<float>(sum * kSsimUnscale);
}

SIMT_DEVICE int clamped(int i, int n)
{
    return i < 0 ? 0 : (i >= n ? n - 1 : i);
}

/// A sample of scale 0 from factor x factor samples of the picture. Grid: x over samples.
template <typename Sample> SIMT_DEVICE void box(const SsimArgs &args)
{
    const SsimArgs::Scale &to = args.scales[0];
    const int index = block_id_x() * kSsimThreads + thread_id();
    if (index >= to.width * to.height)
        return;
    const int x = index % to.width;
    const int y = index / to.width;
    const int pair = block_id_z() / 2;
    const int picture = block_id_z() % 2;
    const Source from = source_of<Sample>(args, pair, picture, 0);
    double sum = 0;
    for (int v = 0; v < args.factor; ++v) {
        const int row = ssim_mirror(y * args.factor - args.factor / 2 + v, from.height);
        for (int u = 0; u < args.factor; ++u) {
            const int column = ssim_mirror(x * args.factor - args.factor / 2 + u, from.width);
            const float term = value_at<Sample>(from, column, row) * args.weight;
            sum = sum + static_cast<double>(term);
        }
    }
    plane_of(args, pair, picture, 0)[y * static_cast<int64_t>(to.pitch) + x] =
        static_cast<float>(sum);
}

struct TwoFloats {
    float values[2];
};
constexpr int kHalfSpanX = (2 * kSsimHalfTileWidth + 2 * kSsimHalfReach) / 2; ///< TwoFloats
constexpr int kHalfSpanY = 2 * kSsimHalfTileHeight + 2 * kSsimHalfReach - 1;
constexpr int kHalfRun = kSsimHalfTileWidth * kSsimHalfTileHeight / kSsimThreads;
constexpr int kHalfWidth = 2 * kSsimHalfReach + 1;

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
            const int v = row - 2 * i - kSsimHalfReach;
            if (v < -kSsimHalfReach || v > kSsimHalfReach)
                continue;
            SIMT_UNROLL
            for (int u = -kSsimHalfReach; u <= kSsimHalfReach; ++u) {
                const float weight = kSsimHalf[v < 0 ? -v : v][u < 0 ? -u : u];
                sums[i] = add_product<kMayBeNegative>(sums[i], values[u + kSsimHalfReach], weight);
            }
        }
    }
}

/// A tile of the scale after first_scale.
template <typename Sample> SIMT_DEVICE void half(const SsimArgs &args)
{
    SIMT_SHARED(TwoFloats, input, kHalfSpanX * kHalfSpanY);
    const int pair = block_id_z() / 2;
    const int picture = block_id_z() % 2;
    const Source from = source_of<Sample>(args, pair, picture, args.first_scale);
    const int left = block_id_x() * kSsimHalfTileWidth;
    const int top = block_id_y() * kSsimHalfTileHeight;
    for (int t = thread_id(); t < 2 * kHalfSpanX * kHalfSpanY; t += kSsimThreads) {
        const int column = t % (2 * kHalfSpanX);
        const int row = t / (2 * kHalfSpanX);
        const int x = ssim_mirror(2 * left - kSsimHalfReach + column, from.width);
        const int y = ssim_mirror(2 * top - kSsimHalfReach + row, from.height);
        // Of what lies further out than a mirror image, nothing is used.
        input[t / 2].values[t % 2] =
            value_at<Sample>(from, clamped(x, from.width), clamped(y, from.height));
    }
    barrier();
    const int column = thread_id() % kSsimHalfTileWidth;
    const int row = thread_id() / kSsimHalfTileWidth * kHalfRun;
    double sums[kHalfRun] = {};
    half_run<sizeof(Sample) == sizeof(float)>(input + 2 * row * kHalfSpanX + column, sums);
    const SsimArgs::Scale &to = args.scales[args.first_scale + 1];
    float *plane = plane_of(args, pair, picture, args.first_scale + 1);
    SIMT_UNROLL
    for (int i = 0; i < kHalfRun; ++i) {
        const int y = top + row + i;
        if (left + column < to.width && y < to.height)
            plane[y * static_cast<int64_t>(to.pitch) + left + column] = unscaled(sums[i]);
    }
}

constexpr int kReach = kSsimTaps - 1;
constexpr int kRun = 8; ///< results that a thread makes beside or below each other
constexpr int kSpan = kRun + kReach;
constexpr int kQuantities = 5;                           ///< of SsimMoments
constexpr int kInputWidth = kSsimTileWidth + kReach + 1; // odd,
constexpr int kRowsWidth = kSsimTileWidth + 1;           // so that rows lie in
constexpr int kInputSize = kSsimGroupRows * kInputWidth; // different banks
constexpr int kRowsSize = (kSsimGroupRows + kReach) * kRowsWidth;
static_assert(kSsimGroupRows * kSsimTileWidth == kRun * kSsimThreads, "each thread has one run");
static_assert(kSsimGroupRows % kRun == 0 && kSsimTileWidth % kRun == 0, "runs fill the tile");

/// The window along a line. Each value meets the taps, which are symmetric, once, and its products
/// go to all results that it is part of. A result's products arrive in the order of the taps.
template <bool kMayBeNegative>
SIMT_DEVICE void blur_run(const float (&values)[kSpan], float (&results)[kRun])
{
    double sums[kRun] = {};
    SIMT_UNROLL
    for (int at = 0; at < kSpan; ++at) {
        double products[kReach / 2 + 1];
        SIMT_UNROLL
        for (int k = 0; k <= kReach / 2; ++k)
            products[k] = scaled<kMayBeNegative>(values[at] * kSsimGaussian[k]);
        SIMT_UNROLL
        for (int i = 0; i < kRun; ++i) {
            const int k = at - i;
            if (k >= 0 && k <= kReach)
                sums[i] = sums[i] + products[k <= kReach / 2 ? k : kReach - k];
        }
    }
    SIMT_UNROLL
    for (int i = 0; i < kRun; ++i)
        results[i] = unscaled(sums[i]);
}

/// Quantities are in the order of SsimMoments. Squares are never negative.
SIMT_DEVICE constexpr bool is_square(int quantity)
{
    return quantity == 2 || quantity == 3;
}
template <bool kMayBeNegative>
SIMT_DEVICE void blur_quantity(int quantity, const float (&values)[kSpan], float (&results)[kRun])
{
    if (kMayBeNegative && !is_square(quantity))
        blur_run<true>(values, results);
    else
        blur_run<false>(values, results);
}

/// Where a block works.
struct Tile {
    int scale, x, y, pixels_x, pixels_y;
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
    tile.y = index / scale.tiles_x * kSsimTileGroups * kSsimGroupRows;
    tile.pixels_x = scale.width - kReach;
    tile.pixels_y = scale.height - kReach;
    return tile;
}

/// Both pictures' rows y .. of a group, with the window's reach to the right.
template <typename Sample>
SIMT_DEVICE void load_rows(const SsimArgs &args, const Tile &tile, int y, float *input)
{
    constexpr int kWidth = kSsimTileWidth + kReach;
    SIMT_NO_UNROLL
    for (int picture = 0; picture < 2; ++picture) {
        const Source from = source_of<Sample>(args, block_id_z(), picture, tile.scale);
        SIMT_NO_UNROLL // addresses held for several turns cost registers that others need
            for (int t = thread_id(); t < kSsimGroupRows * kWidth; t += kSsimThreads)
        {
            const int row = t / kWidth;
            const int column = t % kWidth;
            input[picture * kInputSize + row * kInputWidth + column] = value_at<Sample>(
                from, clamped(tile.x + column, from.width), clamped(y + row, from.height));
        }
    }
}

/// Along the rows: from the input to the last kSsimGroupRows rows of each quantity.
template <bool kMayBeNegative> SIMT_DEVICE void blur_rows(const float *input, float *rows)
{
    const int row = thread_id() % kSsimGroupRows;
    const int column = thread_id() / kSsimGroupRows * kRun;
    float first[kSpan], second[kSpan];
    SIMT_UNROLL
    for (int i = 0; i < kSpan; ++i) {
        first[i] = input[row * kInputWidth + column + i];
        second[i] = input[kInputSize + row * kInputWidth + column + i];
    }
    SIMT_NO_UNROLL // one copy of the code: it fits the instruction cache, and fewer registers do
        for (int quantity = 0; quantity < kQuantities; ++quantity)
    {
        float values[kSpan], results[kRun];
        SIMT_UNROLL
        for (int i = 0; i < kSpan; ++i) {
            const float one = quantity == 1 || quantity == 3 ? second[i] : first[i];
            const float other = quantity == 2 ? first[i] : second[i];
            values[i] = quantity < 2 ? one : one * other;
        }
        blur_quantity<kMayBeNegative>(quantity, values, results);
        SIMT_UNROLL
        for (int i = 0; i < kRun; ++i)
            rows[quantity * kRowsSize + (kReach + row) * kRowsWidth + column + i] = results[i];
    }
}

/// The last rows of the group before become the first ones.
SIMT_DEVICE void move_rows(float *rows)
{
    for (int t = thread_id(); t < kQuantities * kReach * kSsimTileWidth; t += kSsimThreads) {
        const int quantity = t / (kReach * kSsimTileWidth);
        const int row = t / kSsimTileWidth % kReach;
        float *to = rows + quantity * kRowsSize + row * kRowsWidth + t % kSsimTileWidth;
        *to = to[kSsimGroupRows * kRowsWidth];
    }
}

/// Down the columns: the moments of a thread's kRun pixels.
template <bool kMayBeNegative> SIMT_DEVICE void
blur_columns(const float *rows, int column, int first, float (&moments)[kQuantities][kRun])
{
    SIMT_UNROLL
    for (int quantity = 0; quantity < kQuantities; ++quantity) {
        float values[kSpan];
        SIMT_UNROLL
        for (int i = 0; i < kSpan; ++i)
            values[i] = rows[quantity * kRowsSize + (first + i) * kRowsWidth + column];
        blur_quantity<kMayBeNegative>(quantity, values, moments[quantity]);
    }
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
SIMT_DEVICE void add_terms(const SsimArgs &args, const Tile &tile, int group, int column, int first,
                           const float (&moments)[kQuantities][kRun])
{
    const int groups = divide_up(tile.pixels_y, kSsimGroupRows);
    const int end = (group + 1) * kSsimGroupRows;
    const SsimGrid grid(tile.pixels_x, end < tile.pixels_y ? end : tile.pixels_y);
    SsimTally tallies[kSsimKinds] = {};
    bool is_small = true;
    SIMT_UNROLL
    for (int i = 0; i < kRun; ++i) {
        const int y = group * kSsimGroupRows + first + i;
        if (tile.x + column >= tile.pixels_x || y >= tile.pixels_y)
            continue;
        const SsimTerms terms =
            ssim_terms({moments[0][i], moments[1][i], moments[2][i], moments[3][i], moments[4][i]});
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
    constexpr bool kMayBeNegative =
        sizeof(Sample) == sizeof(float); // the pyramid's filter overshoots
    const Tile tile = tile_of(args);
    const int first_group = tile.y / kSsimGroupRows;
    const int column = thread_id() % kSsimTileWidth;
    const int first = thread_id() / kSsimTileWidth * kRun;
    for (int turn = -1; turn < kSsimTileGroups; ++turn) {
        const int y = tile.y + turn * kSsimGroupRows;
        if (y >= tile.pixels_y)
            break; // all threads of the block
        if (turn >= 0)
            move_rows(rows);
        load_rows<Sample>(args, tile, y + kReach, input);
        barrier();
        blur_rows<kMayBeNegative>(input, rows);
        barrier();
        if (turn >= 0) {
            float moments[kQuantities][kRun];
            blur_columns<kMayBeNegative>(rows, column, first, moments);
            add_terms(args, tile, first_group + turn, column, first, moments);
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

SIMT_KERNEL(ssim_core_u8, SsimArgs, kSsimThreads, 4)
{
    core<uint8_t>(args);
}
SIMT_KERNEL(ssim_core_u16, SsimArgs, kSsimThreads, 4)
{
    core<uint16_t>(args);
}
SIMT_KERNEL(ssim_core_f32, SsimArgs, kSsimThreads, 4)
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
        for (int group = 0; group < groups; ++group) {
            const int begin = group * kSsimGroupRows;
            const int end = begin + kSsimGroupRows < pixels_y ? begin + kSsimGroupRows : pixels_y;
            ssim_append(load_group(group_words(args, pair, scale, kind, groups, group)),
                        ssim_kind(kind == kSsimKinds - 1), SsimGrid(pixels_x, end),
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
