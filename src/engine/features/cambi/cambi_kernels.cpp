// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of CAMBI: the contrast of every pixel and the sum of the largest ones.
// cambi_record.cpp launches it; what comes before the counts is in cambi_prepare.h, how
// the largest are found in cambi_select.h.
//
// A block slides its window down 64 columns. In shared memory it keeps, for every level
// of a band and every column, how many pixels of the window have that level; two columns
// share a word, so that most pixels add to both at once. Levels beyond the band take
// another pass, but only where the block has pixels that need them.
#include "cambi_args.h"
#include "cambi_prepare.h"
#include "cambi_select.h"
#include "simt/reduce.h"

namespace vmafgpu {
namespace {

constexpr int kPairs = kCambiColumns / 2; ///< words of counts of a level
constexpr int kParts = kCambiCountThreads / kPairs;
constexpr int kRowWords = kCambiCountThreads - kCambiColumns; ///< one per fetching thread
constexpr int kGroupLevels = 16;          ///< levels of a bit in the masks of what occurs
constexpr uint32_t kNothing = 0xffffffff; ///< two samples that are not marked

// Levels that are counted at a time. Fewer take more passes over blocks with many levels, but leave
// room for more blocks. In 64 KiB there is room for one block, two, or four. With four, waves of 64
// lanes are two on each of the four SIMDs of a compute unit.
constexpr int kManyBins = 256;
constexpr int kSomeBins = 240;
constexpr int kFewBins = 112;

static_assert(kRowWords >= kPairs + kCambiMaxWindow / 2, "a row of the widest window");
static_assert((kManyBins + 1) * kPairs <= 0x10000, "an index of counts has 16 bits");
static_assert(kFewBins > kGroupLevels + 2 * kCambiMaxSteps, "a pass counts a group");

/// What a block works on.
struct Task {
    const uint16_t *image;
    float *contrasts;
    int width, height;
    int x0, y0, y1;

    SIMT_DEVICE uint32_t sample(int x, int y) const
    {
        const bool is_inside = x >= 0 && x < width && y >= 0 && y < height;
        return is_inside ? image[static_cast<int64_t>(y) * width + x] : 0xffff;
    }
    SIMT_DEVICE uint32_t two_samples(int x, int y) const
    {
        return sample(x, y) | sample(x + 1, y) << 16;
    }
};

template <typename Args> SIMT_DEVICE int scale_of_block(const Args &args)
{
    int scale = 0;
    for (int s = 1; s < kCambiScales; ++s)
        scale = block_id_x() >= args.scale[s].first_block ? s : scale;
    return scale;
}

SIMT_DEVICE Task task_of_block(const CambiCountArgs &args, const CambiScaleArgs &scale)
{
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    const int block = block_id_x() - scale.first_block;
    Task task;
    task.image = reinterpret_cast<const uint16_t *>(scratch + scale.image);
    task.contrasts = reinterpret_cast<float *>(scratch + scale.contrasts);
    task.width = scale.width;
    task.height = scale.height;
    task.x0 = block % scale.strips * kCambiColumns;
    task.y0 = block / scale.strips * args.rows_per_block;
    const int end = task.y0 + args.rows_per_block;
    task.y1 = end < scale.height ? end : scale.height;
    return task;
}

SIMT_DEVICE bool is_scored(const CambiCountArgs &args, uint32_t sample)
{
    const auto level = static_cast<int>(sample);
    return level >= args.lowest && level <= args.highest;
}

SIMT_DEVICE int group_of(uint32_t level)
{
    const auto group = static_cast<int>(level / kGroupLevels);
    return group < 63 ? group : 63; // level 1024 is with the last
}

SIMT_DEVICE int lowest_bit(uint64_t bits)
{
    const auto low = static_cast<uint32_t>(bits);
    const uint32_t word = low != 0 ? low : static_cast<uint32_t>(bits >> 32);
    return 31 - clz32(word & (0u - word)) + (low != 0 ? 0 : 32);
}

/// Groups of levels whose pixels can score; zeros to all contrasts. [block]
SIMT_DEVICE uint64_t groups_of_block(const CambiCountArgs &args, const Task &task)
{
    SIMT_SHARED(uint64_t, wave_groups, kCambiCountThreads / kMinWave);
    uint64_t groups = 0;
    const int x = task.x0 + thread_id() % kCambiColumns;
    if (x < task.width) {
        for (int y = task.y0 + thread_id() / kCambiColumns; y < task.y1;
             y += kCambiCountThreads / kCambiColumns) {
            const uint32_t sample = task.sample(x, y);
            task.contrasts[static_cast<int64_t>(y) * task.width + x] = 0;
            if (is_scored(args, sample))
                groups |= UINT64_C(1) << group_of(sample);
        }
    }
    for (int mask = wave_size() / 2; mask > 0; mask /= 2)
        groups |= shfl_xor(groups, mask);
    if (lane_id() == 0)
        wave_groups[wave_id()] = groups;
    barrier();
    for (int wave = 0; wave < kCambiCountThreads / wave_size(); ++wave)
        groups |= wave_groups[wave];
    return groups;
}

/// Where the counts of two samples begin, in 16 bits each: what rows are kept as. Behind the band
/// are counts nobody reads: of samples beyond it or not marked. Adding to them costs less than a
/// branch around it.
template <int kBins> SIMT_DEVICE uint32_t two_bins(uint32_t two, int base)
{
    const uint32_t first = (two & 0xffff) - static_cast<uint32_t>(base);
    const uint32_t second = (two >> 16) - static_cast<uint32_t>(base);
    constexpr uint32_t kNoBin = kBins * kPairs;
    return (first < kBins ? first * kPairs : kNoBin) | (second < kBins ? second * kPairs : kNoBin)
                                                           << 16;
}

/// Adds a row to the counts of a pair of columns, or takes one out (unit -1): words of two
/// samples from `first` on, every kParts-th. Sample s of a row is seen by the left column of a
/// pair if s <= 2 * radius, by the right one if s > 0.
SIMT_DEVICE void add_row(uint32_t *counts, const uint32_t *row, int first, int radius,
                         uint32_t unit)
{
    const uint32_t both = unit * 0x00010001;
    for (int word = first; word <= radius; word += kParts) {
        const uint32_t two = row[word];
        atomic_add(counts + (two & 0xffff), word == 0 ? unit : both);
        atomic_add(counts + (two >> 16), word == radius ? unit << 16 : both);
    }
}

/// `rows`: entering, leaving. A part that has one word more of the one has not of the other.
SIMT_DEVICE void update_counts(uint32_t *counts, const uint32_t *rows, int radius)
{
    const int pair = thread_id() % kPairs;
    const int part = thread_id() / kPairs;
    add_row(counts + pair, rows + pair, part, radius, 1);
    add_row(counts + pair, rows + kRowWords + pair, kParts - 1 - part, radius, 0xffffffff);
}

SIMT_DEVICE int half_of(uint32_t two, int shift)
{
    return static_cast<int>(two >> shift & 0xffff);
}

/// A pixel's c. `counts`: of its level and its pair of columns; `shift` picks the column.
template <int kSteps>
SIMT_DEVICE float contrast(const CambiCountArgs &args, const uint32_t *counts, int shift, int level)
{
    const int steps = kSteps > 0 ? kSteps : args.steps;
    const int own = half_of(counts[0], shift);
    float largest = 0;
    for (int d = 1; d <= steps; ++d) {
        const bool is_visible = level <= args.thresholds[d - 1] && level + steps + d > args.floor;
        const int above = half_of(counts[d * kPairs], shift);
        const int below = half_of(counts[-d * kPairs], shift);
        const int other = above > below ? above : below;
        const auto product = static_cast<float>(kCambiWeights[d - 1] * own * other);
        const float c = product * load_readonly(args.reciprocals + own + other);
        largest = is_visible && c > largest ? c : largest;
    }
    return largest;
}

/// What a thread has seen of c above 0.
struct Seen {
    uint64_t units = 0;
    uint32_t nonzero = 0;
    uint32_t smallest = kNothing;

    SIMT_DEVICE void add(float c)
    {
        uint32_t bits = 0;
        static_assert(sizeof(bits) == sizeof(c), "IEEE single");
        __builtin_memcpy(&bits, &c, sizeof(bits));
        units += cambi_units(bits);
        nonzero += bits != 0 ? 1 : 0;
        smallest = bits != 0 && bits < smallest ? bits : smallest;
    }
};

/// One pass over a block's rows: c of the pixels with levels of `groups` groups from
/// `first_group` on. [block]
template <int kBins> SIMT_DEVICE void count_pass(const CambiCountArgs &args, const Task &task,
                                                 int first_group, int groups, Seen &seen)
{
    constexpr int kCountWords = (kBins + 1) * kPairs;
    SIMT_SHARED(uint32_t, counts, kCountWords);
    SIMT_SHARED(uint32_t, rows, 2 * kRowWords); ///< entering, leaving
    const int radius = args.radius;
    const int window = 2 * radius + 1;
    const int base = first_group * kGroupLevels - args.steps;
    const int first_row = task.y0 - radius;
    const bool fetches = thread_id() >= kCambiColumns;
    const int word = thread_id() - kCambiColumns;
    const int fetch_x = word < kPairs + radius ? task.x0 - radius + 2 * word : task.width;
    const int pair = thread_id() % kPairs;
    const int half = thread_id() / kPairs;
    const int x = task.x0 + 2 * pair + half;
    barrier(); // the pass before has been read
    for (int i = thread_id(); i < kCountWords; i += kCambiCountThreads)
        counts[i] = 0;
    uint32_t entering = kNothing;
    uint32_t leaving = kNothing;
    uint32_t own = 0xffff;
    if (fetches) {
        rows[word] = two_bins<kBins>(task.two_samples(fetch_x, first_row), base);
        rows[kRowWords + word] = two_bins<kBins>(kNothing, base);
        entering = task.two_samples(fetch_x, first_row + 1);
    }
    barrier();
    for (int row = first_row; row < task.y1 + radius; ++row) {
        update_counts(counts, rows, radius);
        barrier();
        const int y = row - radius;
        if (fetches) {
            rows[word] = two_bins<kBins>(entering, base);
            rows[kRowWords + word] = two_bins<kBins>(leaving, base);
            entering = task.two_samples(fetch_x, row + 2);
            const int left = row + 2 - window;
            leaving = left >= first_row ? task.two_samples(fetch_x, left) : kNothing;
        } else {
            const int group = group_of(own) - first_group;
            if (y >= task.y0 && is_scored(args, own) && group >= 0 && group < groups) {
                const auto level = static_cast<int>(own);
                const uint32_t *at = counts + (level - base) * kPairs + pair;
                const float c = args.steps == 4 ? contrast<4>(args, at, 16 * half, level)
                                                : contrast<0>(args, at, 16 * half, level);
                task.contrasts[static_cast<int64_t>(y) * task.width + x] = c;
                seen.add(c);
            }
            own = y + 1 >= task.y0 ? task.sample(x, y + 1) : 0xffff;
        }
        barrier();
    }
}

/// All passes over a block. [block]
template <int kBins>
SIMT_DEVICE void count(const CambiCountArgs &args, const Task &task, Seen &seen)
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
SIMT_DEVICE void add_totals(const Seen &seen, CambiTotals *totals)
{
    SIMT_SHARED(uint32_t, wave_smallest, kCambiCountThreads / kMinWave);
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
        for (int wave = 1; wave < kCambiCountThreads / wave_size(); ++wave)
            smallest = wave_smallest[wave] < smallest ? wave_smallest[wave] : smallest;
        atomic_add(&totals->units, units);
        atomic_add(&totals->nonzero, nonzero);
        atomic_add(&totals->exponents[cambi_exponent(smallest) + 1], 1u);
    }
}

} // namespace

SIMT_KERNEL(cambi_prepare_u8, CambiPrepareArgs, kCambiPrepareThreads, 4)
{
    prepare<uint8_t>(args);
}

SIMT_KERNEL(cambi_prepare_u16, CambiPrepareArgs, kCambiPrepareThreads, 4)
{
    prepare<uint16_t>(args);
}

SIMT_KERNEL(cambi_mode, CambiModeArgs, kCambiModeThreads, 4)
{
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    const int x = block_id_x() * kCambiModeWidth + thread_id() % kCambiModeWidth;
    const int first =
        block_id_y() * kCambiModeHeight + thread_id() / kCambiModeWidth * kCambiModeRows;
    if (x < args.width && first < args.height) {
        const int64_t step = static_cast<int64_t>(args.from_width) * args.step;
        const auto *row = reinterpret_cast<const uint16_t *>(scratch + args.from) + step * first;
        auto *to = reinterpret_cast<uint16_t *>(scratch + args.to) +
                   static_cast<int64_t>(first) * args.width + x;
        uint32_t above = first > 0 ? mode_across(args, row - step, x) : 0;
        uint32_t own = mode_across(args, row, x);
        for (int y = first; y < first + kCambiModeRows && y < args.height; ++y) {
            const uint32_t below = y + 1 < args.height ? mode_across(args, row + step, x) : 0;
            uint32_t sample = row[x * args.step];
            if (y > 0 && y + 1 < args.height)
                sample = (sample & kCambiUnmarked) | mode_of(above, own, below);
            *to = static_cast<uint16_t>(sample);
            above = own;
            own = below;
            row += step;
            to += args.width;
        }
    }
}

SIMT_KERNEL(cambi_count, CambiCountArgs, kCambiCountThreads, 6)
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
    add_totals(seen, reinterpret_cast<CambiTotals *>(scratch) + scale);
}

/// Grid: x over parts of all scales.
SIMT_KERNEL(cambi_digits, CambiSelectArgs, kCambiSelectThreads, 2)
{
    const int index = scale_of_block(args);
    const CambiSelectArgs::Scale &scale = args.scale[index];
    char *scratch = args.scratch + args.scratch_stride * block_id_z();
    CambiTotals &totals = reinterpret_cast<CambiTotals *>(scratch)[index];
    if (totals.nonzero > scale.top_count) {
        const Kth kth = find_digits(totals, scale.top_count, args.place);
        count_digits(args, scale, reinterpret_cast<const uint32_t *>(scratch + scale.contrasts),
                     kth.digits, totals);
    }
}

/// Grid: x over scales.
SIMT_KERNEL(cambi_select, CambiSelectArgs, kCambiSelectThreads)
{
    const int index = block_id_x();
    const int64_t top_count = args.scale[index].top_count;
    const char *scratch = args.scratch + args.scratch_stride * block_id_z();
    const CambiTotals &totals = reinterpret_cast<const CambiTotals *>(scratch)[index];
    uint64_t units = totals.units;
    int32_t exponent = 0;
    if (totals.nonzero <= top_count) {
        for (int i = 15; i >= 0; --i)
            exponent = totals.exponents[i] != 0 ? i - 1 : exponent;
    } else {
        const Kth kth = find_digits(totals, top_count, kCambiPlaces);
        const uint32_t last = kth.digits + kCambiLowestBits;
        units = totals.larger + block_sum(units_above(totals, kth.digits)) +
                static_cast<uint64_t>(top_count - kth.larger) * cambi_units(last);
        exponent = cambi_exponent(last);
    }
    if (thread_id() == 0) {
        auto *sums =
            reinterpret_cast<CambiScaleSums *>(args.sums + args.sums_stride * block_id_z());
        sums[index].units = units;
        sums[index].exponent = exponent;
    }
}

} // namespace vmafgpu
