// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of CAMBI before the counts: from a picture to 10-bit levels with the mask
// of flat regions, and the mode filter. A subject of its own: cambi_kernels.cpp counts in its
// planes.
#pragma once

#include "features/cambi/cambi_args.h"
#include "simt/simt.h"

namespace vmafgpu::cambi {
namespace {

// A thread walks down eight columns. Of a row it keeps sums of raw levels, levels and the number
// of flat samples above; what lies beside its columns it gets from the threads beside it. The
// first and the last thread of a row of threads only give.
constexpr int kPrepareHalo = 2 * kMaskHalf + 2; ///< rows from a raw one to the first it serves
constexpr uint32_t kHalfTops = 0x80008000;
constexpr uint32_t kByteTops = 0x80808080;
constexpr uint32_t kNibbles = 0x0f0f0f0f;

static_assert(kMaskHalf == 3 && kPrepareHalo == 8 && kPrepareRows % kPrepareHalo == 0,
              "sums_of_seven, rings of eight rows");
static_assert(kPrepareLanes <= kMinWave, "a row of threads lies within a wave");

/// Eight samples as they are loaded.
template <typename Sample> struct alignas(8 * sizeof(Sample)) Piece {
    uint32_t words[2 * sizeof(Sample)];
};

/// A thread's columns in a row, two in a word: 0 and 2, 4 and 6, 8 and 10; 1 and 3, 5 and 7, 9.
struct Eight {
    uint32_t even[3], odd[3];
};

/// The picture, and a thread's columns of the target.
struct PrepareColumns {
    const char *plane;
    int64_t pitch;
    int x;
    int from_x;           ///< where to load pieces; below 0: samples one by one
    uint32_t right_piece; ///< selects the first four samples of what lies to the right
    uint32_t inside[2];   ///< tops of the bytes of columns inside the target
    int left_lane, right_lane;
};

SIMT_DEVICE int clamp_index(int i, int n)
{
    return i < 0 ? 0 : (i < n ? i : n - 1);
}

/// Beyond the right border the last column is repeated: a piece there gives its last sample.
template <typename Sample> SIMT_DEVICE PrepareColumns columns_of_thread(const PrepareArgs &args)
{
    const int place = thread_id() % kPrepareLanes;
    const int lane = lane_id();
    PrepareColumns columns;
    columns.plane = static_cast<const char *>(args.planes[block_id_z()]);
    columns.pitch = args.pitches[block_id_z()];
    columns.x = block_id_x() * kPrepareWidth + (place - 1) * kPrepareColumns;
    columns.left_lane = lane == 0 ? 0 : lane - 1;
    columns.right_lane = lane == wave_size() - 1 ? lane : lane + 1;
    const int last = args.width - kPrepareColumns;
    const int nearest = columns.x < 0 ? 0 : (columns.x < last ? columns.x : last);
    const auto places = reinterpret_cast<uintptr_t>(columns.plane) |
                        static_cast<uintptr_t>(columns.pitch) |
                        static_cast<uintptr_t>(nearest) * sizeof(Sample);
    const bool is_piece =
        args.columns == nullptr && last >= 0 && places % sizeof(Piece<Sample>) == 0;
    columns.from_x = is_piece ? nearest : -1;
    columns.right_piece = 0x3210;
    if (is_piece && columns.x > last)
        columns.right_piece = sizeof(Sample) == 1 ? 0x7777 : 0x7676;
    columns.inside[0] = columns.inside[1] = 0;
    SIMT_UNROLL
    for (int i = 0; i < kPrepareColumns; ++i)
        if (columns.x >= 0 && columns.x + i < args.width)
            columns.inside[i / 4] |= 0x80u << (8 * (i % 4));
    return columns;
}

/// Moves all samples up by one.
template <typename Sample> SIMT_DEVICE void push_sample(Piece<Sample> &piece, uint32_t sample)
{
    constexpr int kBits = 8 * static_cast<int>(sizeof(Sample));
    constexpr int kLast = 2 * static_cast<int>(sizeof(Sample)) - 1;
    SIMT_UNROLL
    for (int i = kLast; i > 0; --i)
        piece.words[i] = funnel_shift_right(piece.words[i], piece.words[i - 1], 32 - kBits);
    piece.words[0] = piece.words[0] << kBits | sample;
}

/// A row of the target, the first or last one where there is none.
template <typename Sample>
SIMT_DEVICE Piece<Sample> load_piece(const PrepareArgs &args, const PrepareColumns &columns, int y)
{
    int from_y = clamp_index(y, args.height);
    if (args.columns != nullptr)
        from_y = load_readonly(args.rows + from_y);
    const auto *row = reinterpret_cast<const Sample *>(columns.plane + columns.pitch * from_y);
    if (columns.from_x >= 0)
        return load_readonly(reinterpret_cast<const Piece<Sample> *>(row + columns.from_x));
    Piece<Sample> piece = {};
    SIMT_NO_UNROLL
    for (int i = kPrepareColumns - 1; i >= 0; --i) {
        int x = clamp_index(columns.x + i, args.width);
        if (args.columns != nullptr)
            x = load_readonly(args.columns + x);
        push_sample(piece, load_readonly(row + x));
    }
    return piece;
}

/// A sample at ten bits.
SIMT_DEVICE uint32_t level_of(const PrepareArgs &args, uint32_t sample)
{
    return args.depth <= 10 ? sample << (10 - args.depth)
                            : (sample + (1u << (args.depth - 11))) >> (args.depth - 10);
}

SIMT_DEVICE uint32_t two_levels(const PrepareArgs &args, uint32_t two)
{
    return level_of(args, two & 0xffff) | level_of(args, two >> 16) << 16;
}

/// Raw levels. Those of 8 bits that are to be filtered stay a quarter of that. [wave]
template <bool kFiltered> SIMT_DEVICE Eight split(const PrepareArgs & /*args*/,
                                                  const PrepareColumns &columns,
                                                  const Piece<uint8_t> &piece)
{
    const uint32_t first = piece.words[0];
    const uint32_t second = piece.words[1];
    const uint32_t right =
        shfl(byte_permute(first, second, columns.right_piece), columns.right_lane);
    const auto halves = [](uint32_t four, uint32_t selector) {
        return byte_permute(four, 0, selector) << (kFiltered ? 0 : 2);
    };
    return {{halves(first, 0x4240), halves(second, 0x4240), halves(right, 0x4240)},
            {halves(first, 0x4341), halves(second, 0x4341), halves(right, 0x4341)}};
}

template <bool /*kFiltered*/> SIMT_DEVICE Eight split(const PrepareArgs &args,
                                                      const PrepareColumns &columns,
                                                      Piece<uint16_t> piece)
{
    if (args.depth != 10)
        SIMT_UNROLL
    for (uint32_t &word : piece.words)
        word = two_levels(args, word);
    const uint32_t *words = piece.words;
    const uint32_t right =
        shfl(byte_permute(words[0], words[3], columns.right_piece), columns.right_lane);
    return {
        {byte_permute(words[0], words[1], 0x5410), byte_permute(words[2], words[3], 0x5410), right},
        {byte_permute(words[0], words[1], 0x7632), byte_permute(words[2], words[3], 0x7632),
         right >> 16}};
}

/// The even columns one to the right of the odd ones.
SIMT_DEVICE uint32_t next_even(const Eight &row, int i)
{
    return byte_permute(row.even[i], row.even[i + 1], 0x5432);
}

/// Sums of each column and the one to its right, but of the last.
SIMT_DEVICE Eight add_right(const Eight &row)
{
    return {{row.even[0] + row.odd[0], row.even[1] + row.odd[1], row.even[2] + row.odd[2]},
            {row.odd[0] + next_even(row, 0), row.odd[1] + next_even(row, 1), 0}};
}

/// The filter: the mean of 2x2 levels, rounded down. At the right and lower borders, where samples
/// are repeated, it is the mean of those that exist.
template <typename Sample> SIMT_DEVICE Eight mean_of(const Eight &upper, const Eight &lower)
{
    const auto mean = [](uint32_t a, uint32_t b) {
        return sizeof(Sample) == 1 ? a + b : (a + b) >> 2 & 0x3fff3fff;
    };
    return {{mean(upper.even[0], lower.even[0]), mean(upper.even[1], lower.even[1]),
             mean(upper.even[2], lower.even[2])},
            {mean(upper.odd[0], lower.odd[0]), mean(upper.odd[1], lower.odd[1]), 0}};
}

/// Sets the top bit of each half in which the three words differ. No level has more than 11 bits.
SIMT_DEVICE uint32_t differing_halves(uint32_t own, uint32_t right, uint32_t lower)
{
    return ((own ^ right) | (own ^ lower)) + 0x7fff7fff;
}

/// 1 in a nibble for each column whose level equals its right and lower neighbours: byte i holds
/// columns i and 4 + i. Repeated samples equal each other. of_row: kByteTops, or 0 for a row
/// without.
SIMT_DEVICE uint32_t flat_of(const Eight &own, const Eight &lower, const uint32_t (&inside)[2],
                             uint32_t of_row)
{
    uint32_t flat[2];
    SIMT_UNROLL
    for (int i = 0; i < 2; ++i) {
        const uint32_t even = differing_halves(own.even[i], own.odd[i], lower.even[i]);
        const uint32_t odd = differing_halves(own.odd[i], next_even(own, i), lower.odd[i]);
        flat[i] = ~byte_permute(even, odd, 0x7351) & inside[i] & of_row;
    }
    return (flat[0] >> 4 | flat[1]) >> 3;
}

/// Two words of four sums of seven columns' counts each. [wave]
SIMT_DEVICE void sums_of_seven(const PrepareColumns &columns, uint32_t counts, uint32_t (&sums)[2])
{
    const uint32_t left = shfl(counts, columns.left_lane) >> 4 & kNibbles;
    const uint32_t right = shfl(counts, columns.right_lane) & kNibbles;
    const uint32_t first = counts & kNibbles;
    const uint32_t second = counts >> 4 & kNibbles;
    const auto between = [](uint32_t a, uint32_t b) {
        return funnel_shift_right(b, a, 8) + funnel_shift_right(b, a, 16) +
               funnel_shift_right(b, a, 24);
    };
    const uint32_t middle = between(first, second);
    sums[0] = between(left, first) + first + middle;
    sums[1] = middle + second + between(second, right);
}

/// kSamples of a row, two in a word. is_whole: all are in the target, and aligned as a whole.
template <int kSamples> SIMT_DEVICE void
write_samples(uint16_t *to, const uint32_t (&words)[kSamples / 2], int count, bool is_whole)
{
    struct alignas(2 * kSamples) Samples {
        uint32_t words[kSamples / 2];
    };
    if (is_whole) {
        Samples samples;
        SIMT_UNROLL
        for (int i = 0; i < kSamples / 2; ++i)
            samples.words[i] = words[i];
        *reinterpret_cast<Samples *>(to) = samples;
        return;
    }
    SIMT_UNROLL
    for (int i = 0; i < kSamples; ++i)
        if (i < count)
            to[i] = static_cast<uint16_t>(words[i / 2] >> (i % 2 * 16));
}

/// Where a thread writes.
struct PrepareTarget {
    uint16_t *to; ///< row 0
    int count;    ///< samples of a row; may be 0 or less
    bool is_whole;

    SIMT_DEVICE PrepareTarget(const PrepareArgs &args, int x, int step)
    {
        constexpr int kLast = kPrepareLanes - 1;
        const int place = thread_id() % kPrepareLanes;
        char *scratch = args.scratch + args.scratch_stride * block_id_z();
        const int samples = kPrepareColumns / step;
        to = reinterpret_cast<uint16_t *>(scratch + args.to) + x / step;
        count = place > 0 && place < kLast ? args.to_width - x / step : 0;
        is_whole = count >= samples && args.to_width % samples == 0;
    }
};

/// A row of levels with marks. In halved pictures of even columns only. `sums`: of flat samples
/// around each column.
template <bool kHalved> SIMT_DEVICE void write_row(const PrepareArgs &args,
                                                   const PrepareTarget &target, const Eight &levels,
                                                   const uint32_t (&sums)[2], int y)
{
    uint16_t *to = target.to + static_cast<int64_t>(kHalved ? y / 2 : y) * args.to_width;
    const uint32_t above = static_cast<uint32_t>(127 - args.mask_threshold) * 0x01010101;
    uint32_t even[2], all[4];
    SIMT_UNROLL
    for (int i = 0; i < 2; ++i) {
        const uint32_t flat = sums[i] + above; // the top bits of bytes
        even[i] = levels.even[i] | (~(flat << 8) & kHalfTops);
        const uint32_t odd = levels.odd[i] | (~flat & kHalfTops);
        all[2 * i] = byte_permute(even[i], odd, 0x5410);
        all[2 * i + 1] = byte_permute(even[i], odd, 0x7632);
    }
    if (kHalved)
        write_samples<kPrepareColumns / 2>(to, even, target.count, target.is_whole);
    else
        write_samples<kPrepareColumns>(to, all, target.count, target.is_whole);
}

/// Clears the totals. The first row of blocks does that.
SIMT_DEVICE void clear_totals(const PrepareArgs &args)
{
    constexpr int kWords = kScales * static_cast<int>(sizeof(Totals) / sizeof(uint32_t));
    if (block_id_y() > 0)
        return;
    const int blocks = (args.width + kPrepareWidth - 1) / kPrepareWidth;
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    for (int i = block_id_x() * kPrepareThreads + thread_id(); i < kWords;
         i += blocks * kPrepareThreads)
        reinterpret_cast<uint32_t *>(scratch)[i] = 0;
}

/// A thread's rows on their way from pictures to samples. A row of the target is loaded, completes
/// the levels of the row above, those the flat samples of the row above them, and those what is
/// written five rows above. Rings hold what belongs to the last eight rows.
template <typename Sample, bool kFiltered, bool kHalved> struct PrepareStrip {
    const PrepareArgs &args;
    PrepareColumns columns;
    PrepareTarget target;
    /// Rows that are being loaded.
    static constexpr int kAhead = 4 / static_cast<int>(sizeof(Sample));
    int y0;        ///< the first row that is written
    int top;       ///< the first that is loaded
    int first;     ///< first of the rows whose flat samples count
    uint32_t rows; ///< how many these are
    Piece<Sample> pieces[kAhead];
    Eight sums = {}; ///< sums of the row before and its right neighbours, or its levels
    Eight levels[kPrepareHalo] = {};
    uint32_t flat[kPrepareHalo] = {};
    uint32_t counts = 0; ///< counts of flat samples in seven rows of a column, as in flat_of()

    SIMT_DEVICE explicit PrepareStrip(const PrepareArgs &args)
        : args(args), columns(columns_of_thread<Sample>(args)),
          target(args, columns.x, kHalved ? 2 : 1),
          y0(block_id_y() * kPrepareHeight + thread_id() / kPrepareLanes * kPrepareRows),
          top(y0 - kMaskHalf), first(top > 0 ? top : 0),
          rows(args.height > first ? static_cast<uint32_t>(args.height - first) : 0)
    {
        SIMT_UNROLL
        for (int i = 0; i < kAhead; ++i)
            pieces[i] = load_piece<Sample>(args, columns, top + i);
    }

    /// Row y, whose place in the rings is i. [wave]
    SIMT_DEVICE void step(int y, int i, bool is_written)
    {
        const Eight raw = split<kFiltered>(args, columns, pieces[i % kAhead]);
        pieces[i % kAhead] = load_piece<Sample>(args, columns, y + kAhead);
        const Eight next = kFiltered ? add_right(raw) : raw;
        const Eight &own = levels[(i + 6) % kPrepareHalo];
        Eight &lower = levels[(i + 7) % kPrepareHalo];
        lower = kFiltered ? mean_of<Sample>(sums, next) : sums;
        sums = next;
        const bool has_flat = static_cast<uint32_t>(y - 2 - first) < rows;
        flat[i] = flat_of(own, lower, columns.inside, has_flat ? kByteTops : 0);
        counts += flat[i] - flat[(i + 1) % kPrepareHalo];
        if ((kHalved && i % 2 != 0) || !is_written)
            return;
        uint32_t around[2];
        sums_of_seven(columns, counts, around);
        if (target.count > 0 && y - 5 < args.height)
            write_row<kHalved>(args, target, levels[(i + 3) % kPrepareHalo], around, y - 5);
    }
};

template <typename Sample, bool kFiltered, bool kHalved>
SIMT_DEVICE void prepare_strip(const PrepareArgs &args)
{
    PrepareStrip<Sample, kFiltered, kHalved> strip(args);
    for (int row = 0; row < kPrepareRows + kPrepareHalo; row += kPrepareHalo)
        SIMT_UNROLL
    for (int i = 0; i < kPrepareHalo; ++i)
        strip.step(strip.top + row + i, i, row > 0);
}

template <typename Sample, bool kFiltered> SIMT_DEVICE void prepare_strips(const PrepareArgs &args)
{
    if (args.is_halved != 0)
        prepare_strip<Sample, kFiltered, true>(args);
    else
        prepare_strip<Sample, kFiltered, false>(args);
}

template <typename Sample> SIMT_DEVICE void prepare(const PrepareArgs &args)
{
    clear_totals(args);
    if (args.is_filtered != 0)
        prepare_strips<Sample, true>(args);
    else
        prepare_strips<Sample, false>(args);
}

SIMT_DEVICE uint32_t mode_of(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t lesser = a < b ? a : b;
    const uint32_t least = lesser < c ? lesser : c;
    return a == b || a == c ? a : (b == c ? b : least);
}

constexpr uint32_t kLevelBits = kUnmarkedBit - 1;

/// Where a thread finds its columns in a row. Beyond the ends the last sample is repeated, which
/// keeps the ends as they are.
struct ModeColumns {
    int x, width;
    int left, own, right; ///< samples from the beginning of a row
    bool is_whole;        ///< all own samples can be loaded at once

    SIMT_DEVICE ModeColumns(const ModeArgs &args, int x)
        : x(x), width(args.width), left(clamp_index(x - 1, width) * args.step), own(x * args.step),
          right(clamp_index(x + kModeThreadColumns, width) * args.step),
          is_whole((x + kModeThreadColumns) * args.step <= args.from_width &&
                   args.from_width % (kModeThreadColumns * args.step) == 0)
    {
    }
};

/// A row of a thread's columns: samples, two in a word, and the mode of each level and its two
/// neighbours.
struct ModeRow {
    uint32_t samples[kModeThreadColumns / 2];
    uint32_t modes[kModeThreadColumns];

    SIMT_DEVICE uint32_t level(int i) const { return samples[i / 2] >> (i % 2 * 16) & kLevelBits; }
};

template <int kStep>
SIMT_DEVICE void load_samples(const ModeColumns &columns, const uint16_t *row, ModeRow &loaded)
{
    static_assert(kModeThreadColumns == 4, "two words");
    struct alignas(8 * kStep) Words {
        uint32_t v[2 * kStep];
    };
    if (columns.is_whole) {
        const Words words = *reinterpret_cast<const Words *>(row + columns.own);
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i)
            loaded.samples[i] =
                kStep == 1 ? words.v[i]
                           : byte_permute(words.v[kStep * i], words.v[kStep * i + 1], 0x5410);
        return;
    }
    loaded.samples[0] = loaded.samples[1] = 0;
    SIMT_NO_UNROLL
    for (int i = kModeThreadColumns - 1; i >= 0; --i) {
        const uint32_t sample = row[clamp_index(columns.x + i, columns.width) * kStep];
        loaded.samples[1] = funnel_shift_right(loaded.samples[1], loaded.samples[0], 16);
        loaded.samples[0] = loaded.samples[0] << 16 | sample;
    }
}

template <int kStep> SIMT_DEVICE ModeRow load_modes(const ModeColumns &columns, const uint16_t *row)
{
    ModeRow loaded;
    load_samples<kStep>(columns, row, loaded);
    uint32_t left = row[columns.left] & kLevelBits;
    uint32_t own = loaded.level(0);
    SIMT_UNROLL
    for (int i = 0; i < kModeThreadColumns; ++i) {
        const uint32_t right =
            i + 1 < kModeThreadColumns ? loaded.level(i + 1) : row[columns.right] & kLevelBits;
        loaded.modes[i] = mode_of(left, own, right);
        left = own;
        own = right;
    }
    return loaded;
}

/// A thread's rows. The first and the last row of the plane are kept.
template <int kStep> SIMT_DEVICE void filter_mode(const ModeArgs &args)
{
    constexpr int kLanes = kModeWidth / kModeThreadColumns;
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    const int x = block_id_x() * kModeWidth + thread_id() % kLanes * kModeThreadColumns;
    const int first = block_id_y() * kModeHeight + thread_id() / kLanes * kModeRows;
    if (x >= args.width || first >= args.height)
        return;
    const ModeColumns columns(args, x);
    const auto *from = reinterpret_cast<const uint16_t *>(scratch + args.from);
    const int64_t pitch = static_cast<int64_t>(args.from_width) * kStep;
    const auto load = [&](int y) {
        return load_modes<kStep>(columns, from + pitch * clamp_index(y, args.height));
    };
    auto *to = reinterpret_cast<uint16_t *>(scratch + args.to) +
               static_cast<int64_t>(first) * args.width + x;
    const bool is_whole =
        x + kModeThreadColumns <= args.width && args.width % kModeThreadColumns == 0;
    ModeRow above = load(first - 1);
    ModeRow own = load(first);
    SIMT_UNROLL
    for (int i = 0; i < kModeRows; ++i) {
        const int y = first + i;
        const ModeRow below = load(y + 1);
        const bool is_kept = y == 0 || y + 1 == args.height;
        uint32_t words[kModeThreadColumns / 2];
        SIMT_UNROLL
        for (int k = 0; k < kModeThreadColumns / 2; ++k) {
            const uint32_t left = mode_of(above.modes[2 * k], own.modes[2 * k], below.modes[2 * k]);
            const uint32_t right =
                mode_of(above.modes[2 * k + 1], own.modes[2 * k + 1], below.modes[2 * k + 1]);
            words[k] = is_kept ? own.samples[k] : (own.samples[k] & kHalfTops) | left | right << 16;
        }
        if (y < args.height)
            write_samples<kModeThreadColumns>(to, words, args.width - x, is_whole);
        to += args.width;
        above = own;
        own = below;
    }
}

} // namespace
} // namespace vmafgpu::cambi
