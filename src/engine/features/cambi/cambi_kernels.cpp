// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of CAMBI: the contrast of every pixel and the sum of the largest ones.
// cambi_record.cpp launches it; what comes before the counts is in cambi_prepare.h. The
// largest are found digit by digit.
//
// A block slides its window down 128 columns. In shared memory it keeps, for every level
// of a band, how many pixels of a column's window have that level, in two parts: what the
// windows of four neighbouring columns share, and what each has beyond that. Most pixels are
// added once for eight columns, since the first part of two fours lies in one word. Levels
// beyond the band take another pass, but only where the block has pixels that need them.
#include "features/cambi/cambi_args.h"
#include "features/cambi/cambi_prepare.h"
#include "simt/reduce.h"

namespace vmafgpu::cambi {
namespace {

// Pooling: the k-th largest of a plane of contrasts, by three histograms of nine bits. Many blocks
// fill each of them, in a launch of its own: only the end of a launch says that a histogram is
// complete.

struct alignas(16) FourValues {
    uint32_t v[4];
};

/// visit(v) of n values, shared out among the block's threads.
template <typename Visit>
SIMT_DEVICE void visit_values(const uint32_t *values, int n, const Visit &visit)
{
    const auto *fours = reinterpret_cast<const FourValues *>(values);
    FourValues next = {};
    if (thread_id() < n / 4)
        next = fours[thread_id()];
    for (int i = thread_id(); i < n / 4; i += kSelectThreads) {
        const FourValues four = next;
        if (i + kSelectThreads < n / 4)
            next = fours[i + kSelectThreads];
        SIMT_UNROLL
        for (int j = 0; j < 4; ++j)
            visit(four.v[j]);
    }
    const int last = n / 4 * 4 + thread_id();
    if (last < n)
        visit(values[last]);
}

/// State of the search for the k-th largest value.
struct Kth {
    uint32_t digits; ///< the value's first digits
    int64_t larger;  ///< how many values have larger ones
};

/// The next digit of the k-th largest. Only the lane that has it writes to `next`. [wave]
SIMT_DEVICE void find_digit(const uint32_t *histogram, int64_t k, const Kth &kth, Kth &next)
{
    const int count = kDigitValues / wave_size(); // digits of a lane
    const uint32_t *own = histogram + lane_id() * count;
    uint32_t sum = 0;
    for (int i = 0; i < count; ++i)
        sum += own[i];
    uint32_t from_here = sum; // count of the lane's digits and all larger ones
    for (int step = 1; step < wave_size(); step *= 2) {
        const bool is_lane = lane_id() + step < wave_size();
        const uint32_t other = shfl(from_here, is_lane ? lane_id() + step : lane_id());
        from_here += is_lane ? other : 0;
    }
    int64_t larger = kth.larger + (from_here - sum);
    if (larger < k && larger + sum >= k) {
        int i = count - 1;
        while (larger + own[i] < k)
            larger += own[i--];
        next.digits = kth.digits << kDigitBits | static_cast<uint32_t>(lane_id() * count + i);
        next.larger = larger;
    }
}

/// The first `places` digits of the k-th largest of values of which more than k are above 0;
/// as many histograms are complete. [block]
SIMT_DEVICE Kth find_digits(const Totals &totals, int64_t k, int places)
{
    SIMT_SHARED(Kth, found, kPlaces);
    Kth kth = {0, 0};
    for (int place = 0; place < places; ++place) {
        if (wave_id() == 0)
            find_digit(totals.digits[place], k, kth, found[place]);
        barrier();
        kth = found[place];
    }
    return kth;
}

constexpr int kCopies = 8; ///< copies of a histogram, so that equal values collide less
/// Four banks more, so that the copies of a few neighbouring digits lie in different banks.
constexpr int kCopyPitch = kDigitValues + 4;

/// Counts the digit at args.place of those of a block's values that begin with `digits`. At the
/// last place it also adds up the values that are larger by the digits before it. [block]
SIMT_DEVICE void count_digits(const SelectArgs &args, const SelectArgs::Scale &scale,
                              const uint32_t *values, uint32_t digits, Totals &totals)
{
    SIMT_SHARED(uint32_t, histogram, kCopies * kCopyPitch);
    for (int i = thread_id(); i < kCopies * kCopyPitch; i += kSelectThreads)
        histogram[i] = 0;
    barrier();
    const bool is_last = args.place == kPlaces - 1;
    const int shift = (kPlaces - 1 - args.place) * kDigitBits;
    const uint32_t too_large = is_last ? ((digits + 1) << kDigitBits) + kLowestBits : 0xffffffff;
    uint32_t *copy = histogram + thread_id() % kCopies * kCopyPitch;
    uint64_t larger = 0;
    const int64_t first = static_cast<int64_t>(block_id_x() - scale.first_block) * kDigitsPart;
    const int64_t rest = scale.count - first;
    const int count = rest < kDigitsPart ? static_cast<int>(rest) : kDigitsPart;
    visit_values(values + first, count, [&](uint32_t value) {
        const uint32_t key = value - kLowestBits; // a value of 0 wraps to at least 2^27
        if (key >> (shift + kDigitBits) == digits)
            atomic_add(copy + (key >> shift & (kDigitValues - 1)), 1u);
        else if (value >= too_large)
            larger += units_of(value);
    });
    barrier();
    if (thread_id() < kDigitValues) {
        uint32_t sum = 0;
        for (int i = 0; i < kCopies; ++i)
            sum += histogram[i * kCopyPitch + thread_id()];
        if (sum > 0)
            atomic_add(&totals.digits[args.place][thread_id()], sum);
    }
    if (is_last) {
        larger = block_sum(larger);
        if (thread_id() == 0)
            atomic_add(&totals.larger, larger);
    }
}

/// This thread's part of the values that are above the k-th largest and share its digits but
/// the last: the last histogram tells them all.
SIMT_DEVICE uint64_t units_above(const Totals &totals, uint32_t digits)
{
    const auto last = static_cast<uint32_t>(thread_id());
    const uint32_t key = digits / kDigitValues * kDigitValues + last;
    if (last >= kDigitValues || key <= digits)
        return 0;
    return totals.digits[kPlaces - 1][last] * units_of(key + kLowestBits);
}

// Counts and contrasts.

constexpr int kFours = kCountColumns / 4;
constexpr int kEights = kCountColumns / 8;
/// Words of a level: two for each eight, so that the lanes of a wave of 32 add to words of
/// different banks, then one for each four, a byte for each column.
constexpr int kWordsOfLevel = 2 * kEights + kFours;
constexpr int kLevelBytes = 4 * kWordsOfLevel;
constexpr int kEightParts = kCountThreads / kEights;
constexpr int kEightSamples = kMaxWindow - 1 + 8; ///< samples of a row that eight columns read
constexpr int kRowWords = kCountThreads - kCountColumns; ///< each fetching thread loads one
constexpr int kGroupLevels = 16; ///< levels of a bit in the masks of what occurs
constexpr int kLevels = 1025;
constexpr uint32_t kNothing = 0xffffffff; ///< two samples that are not marked

// Levels that are counted at a time. Fewer take more passes over blocks with many levels, but leave
// room for more blocks. In 64 KiB there is room for one block, two, or four. With four, waves of 64
// lanes are two on each of the four SIMDs of a compute unit.
constexpr int kManyBins = 176;
constexpr int kSomeBins = 240;
constexpr int kFewBins = 112;

static_assert(kRowWords >= kCountColumns / 2 + kMaxWindow / 2, "a row of the widest window");
static_assert((kSomeBins + 1) * kLevelBytes <= 0x10000, "where counts begin has 16 bits");
static_assert(3 * kMaxWindow < 0x100, "a byte holds what a column has beyond its four");
static_assert(kFours == 32, "each lane of a wave of 32 has a four");
static_assert(kFewBins > kGroupLevels + 2 * kMaxSteps, "a pass counts a group");

/// The picture and the rows that a block works on.
struct Task {
    const uint16_t *image;
    float *contrasts;
    int width, height;
    int x0, y0, y1;

    /// Returns the index of a sample or contrast. No plane has 2^32 of them.
    SIMT_DEVICE uint32_t index(int x, int y) const
    {
        return static_cast<uint32_t>(y) * static_cast<uint32_t>(width) + static_cast<uint32_t>(x);
    }
};

/// Two neighbouring columns that a thread fetches. Samples outside the picture are not marked.
struct TwoColumns {
    int x[2];         ///< inside the picture
    uint32_t outside; ///< kNothing's bits of a column that is not

    SIMT_DEVICE TwoColumns(const Task &task, int first) : outside(0)
    {
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i) {
            x[i] = clamp_index(first + i, task.width);
            outside |= x[i] != first + i ? 0xffffu << (16 * i) : 0;
        }
    }
    SIMT_DEVICE uint32_t samples(const Task &task, int y) const
    {
        if (outside == kNothing || y < 0 || y >= task.height)
            return kNothing;
        return task.image[task.index(x[0], y)] |
               static_cast<uint32_t>(task.image[task.index(x[1], y)]) << 16 | outside;
    }
};

template <typename Args> SIMT_DEVICE int scale_of_block(const Args &args)
{
    int scale = 0;
    for (int s = 1; s < kScales; ++s)
        scale = block_id_x() >= args.scale[s].first_block ? s : scale;
    return scale;
}

SIMT_DEVICE Task task_of_block(const CountArgs &args, const ScaleArgs &scale)
{
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    const int block = block_id_x() - scale.first_block;
    Task task;
    task.image = reinterpret_cast<const uint16_t *>(scratch + scale.image);
    task.contrasts = reinterpret_cast<float *>(scratch + scale.contrasts);
    task.width = scale.width;
    task.height = scale.height;
    task.x0 = block % scale.strips * kCountColumns;
    task.y0 = block / scale.strips * args.rows_per_block;
    const int end = task.y0 + args.rows_per_block;
    task.y1 = end < scale.height ? end : scale.height;
    return task;
}

SIMT_DEVICE bool is_scored(const CountArgs &args, uint32_t sample)
{
    const auto level = static_cast<int>(sample);
    return level >= args.lowest && level <= args.highest;
}

SIMT_DEVICE int group_of(uint32_t level)
{
    const auto group = static_cast<int>(level / kGroupLevels);
    return group < 63 ? group : 63; // level 1024 is with the last
}

/// Levels.
struct Levels {
    uint32_t lowest, count;

    SIMT_DEVICE bool has(uint32_t sample) const { return sample - lowest < count; }
};

/// Returns the levels of a pass whose samples can score.
SIMT_DEVICE Levels scored_levels(const CountArgs &args, int first_group, int groups)
{
    const int first = first_group * kGroupLevels;
    const int end = first_group + groups > 63 ? kLevels : first + groups * kGroupLevels;
    const int low = first > args.lowest ? first : args.lowest;
    const int high = end <= args.highest ? end - 1 : args.highest;
    return {static_cast<uint32_t>(low), high < low ? 0 : static_cast<uint32_t>(high - low + 1)};
}

SIMT_DEVICE int lowest_bit(uint64_t bits)
{
    const auto low = static_cast<uint32_t>(bits);
    const uint32_t word = low != 0 ? low : static_cast<uint32_t>(bits >> 32);
    return 31 - clz32(word & (0u - word)) + (low != 0 ? 0 : 32);
}

/// Groups of levels whose pixels can score; zeros to all contrasts. [block]
SIMT_DEVICE uint64_t groups_of_block(const CountArgs &args, const Task &task)
{
    SIMT_SHARED(uint64_t, wave_groups, kCountThreads / kMinWave);
    uint64_t groups = 0;
    const int x = task.x0 + thread_id() % kCountColumns;
    if (x < task.width) {
        for (int y = task.y0 + thread_id() / kCountColumns; y < task.y1;
             y += kCountThreads / kCountColumns) {
            const uint32_t sample = task.image[task.index(x, y)];
            task.contrasts[task.index(x, y)] = 0;
            if (is_scored(args, sample))
                groups |= UINT64_C(1) << group_of(sample);
        }
    }
    for (int mask = wave_size() / 2; mask > 0; mask /= 2)
        groups |= shfl_xor(groups, mask);
    if (lane_id() == 0)
        wave_groups[wave_id()] = groups;
    barrier();
    for (int wave = 0; wave < kCountThreads / wave_size(); ++wave)
        groups |= wave_groups[wave];
    return groups;
}

/// Where the counts of two samples begin, bytes in 16 bits each: what rows are kept as. Behind the
/// band are counts nobody reads: of samples beyond it or not marked. Adding to them costs less than
/// a branch around it.
template <int kBins> SIMT_DEVICE uint32_t two_bins(uint32_t two, int base)
{
    const uint32_t first = (two & 0xffff) - static_cast<uint32_t>(base);
    const uint32_t second = (two >> 16) - static_cast<uint32_t>(base);
    return ((first < kBins ? first : kBins) | (second < kBins ? second : kBins) << 16) *
           kLevelBytes;
}

/// What a sample adds to the word of an eight. Sample s, counted from the first one that the eight
/// sees, is seen by column i if i <= s <= i + 2 * radius: by all of the first four from 3 to
/// 2 * radius, by all of the second four from 7 to 4 + 2 * radius.
SIMT_DEVICE uint32_t unit_of_eight(int s, int radius)
{
    const bool first = s >= 3 && s <= 2 * radius;
    const bool second = s >= 7 && s <= 4 + 2 * radius;
    return (first ? 1 : 0) | (second ? 0x10000 : 0);
}

SIMT_DEVICE void add_at(uint32_t *counts, uint32_t bytes, uint32_t unit)
{
    atomic_add(reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(counts) + bytes), unit);
}

/// Adds to the words of an eight. `rows`: entering and leaving, from the first word that the eight
/// sees; of these the words 1 .. radius + 2 count.
SIMT_DEVICE void add_to_eight(uint32_t *counts, const uint32_t *rows, const uint32_t *units,
                              int radius)
{
    for (int word = 1 + thread_id() / kEights; word <= radius + 2; word += kEightParts) {
        const uint32_t entering = rows[word];
        const uint32_t leaving = rows[kRowWords + word];
        const uint32_t left = units[2 * word];
        const uint32_t right = units[2 * word + 1];
        add_at(counts, entering & 0xffff, left);
        add_at(counts, entering >> 16, right);
        add_at(counts, leaving & 0xffff, 0u - left);
        add_at(counts, leaving >> 16, 0u - right);
    }
}

/// Adds the samples that only some columns of a four see. `row`: from the first word that it sees.
SIMT_DEVICE void add_to_four(uint32_t *counts, const uint32_t *row, bool is_right, int radius,
                             uint32_t unit)
{
    if (is_right) {
        const uint32_t first = row[radius];
        const uint32_t second = row[radius + 1];
        add_at(counts, first >> 16, unit * 0x01010100);
        add_at(counts, second & 0xffff, unit * 0x01010000);
        add_at(counts, second >> 16, unit * 0x01000000);
    } else {
        const uint32_t first = row[0];
        const uint32_t second = row[1];
        add_at(counts, first & 0xffff, unit);
        add_at(counts, first >> 16, unit * 0x00000101);
        add_at(counts, second & 0xffff, unit * 0x00010101);
    }
}

/// `rows`: entering, leaving. A word is exact when all threads have added to it.
SIMT_DEVICE void update_counts(uint32_t *counts, const uint32_t *rows, const uint32_t *units,
                               int radius)
{
    const int eight = thread_id() % kEights;
    const int copy = thread_id() / kEights % 2;
    add_to_eight(counts + 2 * eight + copy, rows + 4 * eight, units, radius);
    // The threads with fewest words of eights take the two sides of two rows.
    const int task = thread_id() / kFours - (kCountThreads / kFours - 4);
    const int four = thread_id() % kFours;
    if (task >= 0)
        add_to_four(counts + 2 * kEights + four, rows + task % 2 * kRowWords + 2 * four, task >= 2,
                    radius, task % 2 == 0 ? 1 : 0xffffffff);
}

struct alignas(8) TwoCounts {
    uint32_t v[2];
};

/// Where a column's counts lie in the words of a level.
struct Column {
    int eight, four;
    uint32_t half, byte; ///< selectors of byte_permute()

    SIMT_DEVICE Column(int four, int place)
        : eight(2 * (four / 2)), four(2 * kEights + four), half(four % 2 != 0 ? 0x4432 : 0x4410),
          byte(0x4440 + static_cast<uint32_t>(place))
    {
    }
    SIMT_DEVICE int count(const uint32_t *level) const
    {
        const TwoCounts two = *reinterpret_cast<const TwoCounts *>(level + eight);
        const uint32_t shared = byte_permute(two.v[0] + two.v[1], 0, half);
        return static_cast<int>(shared + byte_permute(level[four], 0, byte));
    }
};

/// A pixel whose c is wanted.
struct Pixel {
    const uint32_t *counts; ///< counts of its level
    int level, own;         ///< the pixel's level, and how many pixels of the window have it

    /// True for all larger distances, too, and for the largest one at every level that is scored.
    SIMT_DEVICE bool is_visible(const CountArgs &args, int d) const
    {
        return level <= args.thresholds[d - 1] && level + args.steps + d > args.floor;
    }
    /// c of one distance.
    SIMT_DEVICE float contrast(const CountArgs &args, const Column &column, int d) const
    {
        const int above = column.count(counts + d * kWordsOfLevel);
        const int below = column.count(counts - d * kWordsOfLevel);
        const int other = above > below ? above : below;
        const auto product = static_cast<float>(kWeights[d - 1] * own * other);
        return product * load_readonly(args.reciprocals + static_cast<uint32_t>(own + other));
    }
};

/// The largest c of four distances, of which those below kFirst are not visible. Neighbouring
/// pixels have similar levels, so that a wave seldom takes two of the branches.
template <int kFirst>
SIMT_DEVICE float contrast_of_four(const CountArgs &args, const Pixel &pixel, const Column &column)
{
    if constexpr (kFirst < 4)
        if (!pixel.is_visible(args, kFirst))
            return contrast_of_four<kFirst + 1>(args, pixel, column);
    float largest = pixel.contrast(args, column, kFirst);
    SIMT_UNROLL
    for (int d = kFirst + 1; d <= 4; ++d) {
        const float c = pixel.contrast(args, column, d);
        largest = c > largest ? c : largest;
    }
    return largest;
}

SIMT_DEVICE float contrast(const CountArgs &args, const Pixel &pixel, const Column &column)
{
    if (args.steps == 4)
        return contrast_of_four<1>(args, pixel, column);
    float largest = 0;
    SIMT_NO_UNROLL
    for (int d = 1; d <= args.steps; ++d) {
        const float c = pixel.is_visible(args, d) ? pixel.contrast(args, column, d) : 0;
        largest = c > largest ? c : largest;
    }
    return largest;
}

/// Sums of a thread over all c above 0.
struct Seen {
    uint64_t units = 0;
    uint32_t nonzero = 0;
    uint32_t smallest = kNothing;

    SIMT_DEVICE void add(float c)
    {
        uint32_t bits = 0;
        static_assert(sizeof(bits) == sizeof(c), "IEEE single");
        __builtin_memcpy(&bits, &c, sizeof(bits));
        units += units_of(bits);
        nonzero += bits != 0 ? 1 : 0;
        smallest = bits != 0 && bits < smallest ? bits : smallest;
    }
};

/// Makes one pass over a block's rows: c of the pixels with levels of `groups` groups from
/// `first_group` on. [block]
template <int kBins> SIMT_DEVICE void count_pass(const CountArgs &args, const Task &task,
                                                 int first_group, int groups, Seen &seen)
{
    constexpr int kCountWords = (kBins + 1) * kWordsOfLevel;
    SIMT_SHARED(TwoCounts, two_counts, kCountWords / 2);
    SIMT_SHARED(uint32_t, rows, 2 * kRowWords); ///< entering, leaving
    SIMT_SHARED(uint32_t, units, kEightSamples);
    SIMT_SHARED(Levels, scored, 1);
    uint32_t *counts = two_counts->v;
    const int radius = args.radius;
    const int window = 2 * radius + 1;
    const int base = first_group * kGroupLevels - args.steps;
    const int first_row = task.y0 - radius;
    const bool fetches = thread_id() >= kCountColumns;
    const int word = thread_id() - kCountColumns;
    const TwoColumns fetched(task, word < kCountColumns / 2 + radius ? task.x0 - radius + 2 * word
                                                                     : task.width);
    const int four = thread_id() % kFours;
    const int place = thread_id() / kFours; // place in the group of four, if below kCountColumns
    const int x = task.x0 + 4 * four + place;
    const Column column(four, place);
    barrier(); // the pass before has been read
    for (int i = thread_id(); i < kCountWords; i += kCountThreads)
        counts[i] = 0;
    if (thread_id() == 0)
        *scored = scored_levels(args, first_group, groups);
    if (thread_id() < kEightSamples)
        units[thread_id()] = unit_of_eight(thread_id(), radius);
    uint32_t entering = kNothing;
    uint32_t leaving = kNothing;
    uint32_t own = 0xffff;
    if (fetches) {
        rows[word] = two_bins<kBins>(fetched.samples(task, first_row), base);
        rows[kRowWords + word] = two_bins<kBins>(kNothing, base);
        entering = fetched.samples(task, first_row + 1);
    }
    barrier();
    for (int row = first_row; row < task.y1 + radius; ++row) {
        update_counts(counts, rows, units, radius);
        barrier();
        const int y = row - radius;
        if (fetches) {
            rows[word] = two_bins<kBins>(entering, base);
            rows[kRowWords + word] = two_bins<kBins>(leaving, base);
            entering = fetched.samples(task, row + 2);
            const int left = row + 2 - window;
            leaving = left >= first_row ? fetched.samples(task, left) : kNothing;
        } else {
            if (scored->has(own)) {
                const auto level = static_cast<int>(own);
                const uint32_t *at = counts + (level - base) * kWordsOfLevel;
                const float c = contrast(args, {at, level, column.count(at)}, column);
                task.contrasts[task.index(x, y)] = c;
                seen.add(c);
            }
            const bool is_pixel = x < task.width && y + 1 >= task.y0 && y + 1 < task.y1;
            own = is_pixel ? task.image[task.index(x, y + 1)] : 0xffff;
        }
        barrier();
    }
}

/// Makes all passes over a block. [block]
template <int kBins> SIMT_DEVICE void count(const CountArgs &args, const Task &task, Seen &seen)
{
    // A band has room for the levels around those of its groups, and for level 1024.
    const int groups_of_pass = (kBins - 2 * args.steps - 1) / kGroupLevels;
    uint64_t groups = groups_of_block(args, task);
    // A window of one pixel holds no second level, so every c is 0. count_pass() needs three
    // rows: it fetches a row that leaves the window two steps ahead.
    if (args.radius == 0)
        groups = 0;
    while (groups != 0) {
        const int first = lowest_bit(groups);
        count_pass<kBins>(args, task, first, groups_of_pass, seen);
        const uint64_t done = ((UINT64_C(1) << groups_of_pass) - 1) << first;
        groups &= ~done;
    }
}

/// [block]
SIMT_DEVICE void add_totals(const Seen &seen, Totals *totals)
{
    SIMT_SHARED(uint32_t, wave_smallest, kCountThreads / kMinWave);
    const uint64_t units = block_sum(seen.units);
    const uint32_t nonzero = block_sum(seen.nonzero);
    uint32_t smallest = seen.smallest;
    for (int mask = wave_size() / 2; mask > 0; mask /= 2) {
        const uint32_t other = shfl_xor(smallest, mask);
        smallest = other < smallest ? other : smallest;
    }
    if (lane_id() == 0)
        wave_smallest[wave_id()] = smallest;
    barrier();
    if (thread_id() == 0 && nonzero > 0) {
        for (int wave = 1; wave < kCountThreads / wave_size(); ++wave)
            smallest = wave_smallest[wave] < smallest ? wave_smallest[wave] : smallest;
        atomic_add(&totals->units, units);
        atomic_add(&totals->nonzero, nonzero);
        atomic_add(&totals->exponents[exponent_of(smallest) + 1], 1u);
    }
}

} // namespace

SIMT_KERNEL(cambi_prepare_u8, PrepareArgs, kPrepareThreads, 6)
{
    prepare<uint8_t>(args);
}

SIMT_KERNEL(cambi_prepare_u16, PrepareArgs, kPrepareThreads, 6)
{
    prepare<uint16_t>(args);
}

SIMT_KERNEL(cambi_mode, ModeArgs, kModeThreads, 4)
{
    if (args.step == 1)
        filter_mode<1>(args);
    else
        filter_mode<2>(args);
}

SIMT_KERNEL(cambi_count, CountArgs, kCountThreads, 4)
{
    const int scale = scale_of_block(args);
    const Task task = task_of_block(args, args.scale[scale]);
    Seen seen;
    if (!has_scarce_shared())
        count<kManyBins>(args, task, seen);
    else if (wave_size() == 32)
        count<kSomeBins>(args, task, seen);
    else
        count<kFewBins>(args, task, seen);
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    add_totals(seen, reinterpret_cast<Totals *>(scratch) + scale);
}

/// Grid: x over parts of all scales.
SIMT_KERNEL(cambi_digits, SelectArgs, kSelectThreads, 2)
{
    const int index = scale_of_block(args);
    const SelectArgs::Scale &scale = args.scale[index];
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    Totals &totals = reinterpret_cast<Totals *>(scratch)[index];
    if (totals.nonzero > scale.top_count) {
        const Kth kth = find_digits(totals, scale.top_count, args.place);
        count_digits(args, scale, reinterpret_cast<const uint32_t *>(scratch + scale.contrasts),
                     kth.digits, totals);
    }
}

/// Grid: x over scales.
SIMT_KERNEL(cambi_select, SelectArgs, kSelectThreads)
{
    const int index = block_id_x();
    const int64_t top_count = args.scale[index].top_count;
    const char *scratch = args.scratch + args.scratch_stride * block_id_z();
    const Totals &totals = reinterpret_cast<const Totals *>(scratch)[index];
    uint64_t units = totals.units;
    int32_t exponent = 0;
    if (totals.nonzero <= top_count) {
        for (int i = 15; i >= 0; --i)
            exponent = totals.exponents[i] != 0 ? i - 1 : exponent;
    } else {
        const Kth kth = find_digits(totals, top_count, kPlaces);
        const uint32_t last = kth.digits + kLowestBits;
        units = totals.larger + block_sum(units_above(totals, kth.digits)) +
                static_cast<uint64_t>(top_count - kth.larger) * units_of(last);
        exponent = exponent_of(last);
    }
    if (thread_id() == 0) {
        auto *sums = reinterpret_cast<ScaleSums *>(args.sums + args.sums_stride * block_id_z());
        sums[index].units = units;
        sums[index].exponent = exponent;
    }
}

} // namespace vmafgpu::cambi
